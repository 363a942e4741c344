package rules

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// The cut and the cutting cards. N.J.A.C. 19:47-3.5. Clockwise is as the table declares its seats, seat_ring.go.
var cutFamily = []*Rule{
	{
		Name: "cut.offer-start", Back: Seating,
		Doc:      "The cut is first offered to the participant who is entitled to it.",
		Breach:   "Offer starts elsewhere.",
		Severity: finding.Minor, At: Prepared, Needs: baccarat.FeedPreparation, Check: bySeats(checkOfferStart),
		Covers: []string{"cut.offer-order"},
	},
	{
		Name: "cut.offer-order", Back: Seating, Doc: "The cut is offered clockwise to every seat until one accepts.",
		Breach:   "A participant between two offers is skipped.",
		Severity: finding.Minor, At: Prepared, Needs: baccarat.FeedPreparation, Check: bySeats(checkOfferOrder),
	},
	{
		Name: "cut.dealer-only-if-declined", Back: Seating,
		Doc:      "Whoever accepts cuts; the dealer cuts only when all have declined; there is one cut.",
		Breach:   "Dealer cuts after an acceptance.",
		Severity: finding.Major, At: Prepared, Needs: baccarat.FeedPreparation, Check: bySeats(checkWhoCuts),
	},
	{
		Name: "cut.backs-away-from-dealer", Doc: "The stack is offered with the backs facing away from the dealer.",
		Breach:   "Faces could be seen by the cutter.",
		Severity: finding.Major, At: Prepared, Check: checkBacksAway,
		Needs: baccarat.FeedTableCamera | baccarat.FeedPreparation,
	},
	{
		Name: "cut.min-depth", Doc: "The stack is cut at least ten cards from either end.",
		Breach:   "Nine cards or fewer on one side.",
		Severity: finding.Major, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkCutDepth,
	},
	{
		Name: "cut.front-to-back", Doc: "All cards in front of the cutting card go to the back.",
		Breach:   "Cut not carried out, or only in part.",
		Severity: finding.Critical, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkTransposed,
	},
	{
		Name: "cut.cutcard-depth", Doc: "The cutting card is placed at least 14 cards from the back.",
		Breach:   "Thirteen cards behind the card.",
		Severity: finding.Major, At: Closed, Check: checkCutcardDepth,
	},
	{
		Name: "cut.second-cutcard-at-end", Doc: "The second cutting card is at the end of the stack.",
		Breach:   "Bottom card left visible.",
		Severity: finding.Minor, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkSecondCutcard,
	},
	{
		Name:     "cut.cutting-cards-placed",
		Doc:      "Two cutting cards are placed in the cut stack: one 14 cards or more from the back, one at the end.",
		Breach:   "The stack loaded without a cutting card.",
		Severity: finding.Major, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkCuttingCards,
	},
	{
		Name: "cut.recut-made", Doc: "A recut that was ordered is made before any card is dealt.",
		Breach:   "Cards dealt from the stack that was to be cut again.",
		Severity: finding.Major, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkRecutMade,
	},
	{
		Name: "cut.recut-window", Doc: "A recut is ordered after the cut and before any card is dealt.",
		Breach:   "Recut after the first card.",
		Severity: finding.Major, At: Closed, Needs: baccarat.FeedPreparation, Check: checkRecutWindow,
		Covers: []string{"shuffle.step-order"},
	},
	{
		Name: "cut.recut-authority", Doc: "A recut is ordered by a casino supervisor, on a ground of the text.",
		Breach:   "Dealer orders the recut.",
		Severity: finding.Minor, At: Closed, Needs: baccarat.FeedPreparation, Check: checkRecutAuthority,
	},
	{
		Name: "cut.recut-person", Doc: "The recut is made by the person whom the elected option names.",
		Breach:   "A third person recuts.",
		Severity: finding.Minor, At: Closed, Needs: baccarat.FeedPreparation, Check: bySeats(checkRecutPerson),
	},
}

// withSeat is a list of occupied seats, ascending, with one more unless it has it.
func withSeat(occupied []uint32, seat uint32) []uint32 {
	at, found := slices.BinarySearch(occupied, seat)
	if found {
		return occupied
	}
	return slices.Insert(slices.Clone(occupied), at, seat)
}

// seated are the seats with a participant when the cut was offered: the occupied seats on record, and the seats of who
// accepted the cut or made it, who sat there whether that was reported or not. Without any on record it is none.
func seated(prep *record.Preparation) []uint32 {
	occupied := prep.Occupied
	if len(occupied) == 0 {
		return nil
	}
	for _, o := range prep.Offers {
		if o.Accepted {
			occupied = withSeat(occupied, o.Seat)
		}
	}
	for i := range prep.Cuts {
		if c := &prep.Cuts[i]; c.By == baccarat.RolePatron && c.Seat != 0 {
			occupied = withSeat(occupied, c.Seat)
		}
	}
	return occupied
}

// firstOffers are the offers of the first cut, without the offers of a recut. Of offers repeated to a seat the last
// counts.
func firstOffers(p *record.Preparation) []record.CutOffer {
	var offers []record.CutOffer
	for _, o := range p.Offers {
		switch n := len(offers); {
		case len(p.Recuts) > 0 && o.Seq > p.Recuts[0].Seq:
		case n > 0 && offers[n-1].Seat == o.Seat:
			offers[n-1] = o
		default:
			offers = append(offers, o)
		}
	}
	return offers
}

// seatedOffers are the first offers to participants: an offer to a seat at which none is on record, and which no one
// accepted, was made to no one, or to a participant who was not reported.
func seatedOffers(p *record.Preparation) (offers []record.CutOffer) {
	for _, o := range firstOffers(p) {
		if n := len(offers); n > 0 && offers[n-1].Seat == o.Seat {
			offers[n-1] = o
		} else if o.Accepted || len(p.Occupied) == 0 || slices.Contains(p.Occupied, o.Seat) {
			offers = append(offers, o)
		}
	}
	return offers
}

// outOfTurn is the index of the first offer that is not to the seat next in turn, or follows an acceptance; 0 if none.
func (p *Pass) outOfTurn(occupied []uint32, offers []record.CutOffer) int {
	for i := 1; i < len(offers); i++ {
		if offers[i-1].Accepted || offers[i].Seat != p.clockwise(occupied, offers[i-1].Seat) {
			return i
		}
	}
	return 0
}

// entitled is who must be offered the cut first, 0 when no seat is occupied or the seat cannot be known.
func (p *Pass) entitled() uint32 {
	prep := &p.Shoe.Prep
	occupied := seated(prep)
	if len(occupied) == 0 {
		return 0
	}
	highest := occupied[len(occupied)-1]
	switch {
	case prep.First || p.Law.Game == baccarat.Minibaccarat || p.Law.Game == baccarat.Midibaccarat:
		return highest
	case prep.LastDealer == 0:
		return highest
	case p.Law.Game == baccarat.CheminDeFer:
		return p.clockwise(occupied, prep.LastDealer)
	case slices.Contains(occupied, prep.LastDealer):
		return prep.LastDealer
	}
	return highest
}

// seatingUnknown reports that the order of the seats cannot be judged: none is on record as occupied, and one takes
// part.
func (p *Pass) seatingUnknown(occupied []uint32, seat uint32, at record.Seq) bool {
	if len(occupied) > 0 {
		return false
	}
	p.CannotJudge(fmt.Sprintf("seat %d takes part, and no seat was reported as occupied", seat), at)
	return true
}

func checkOfferStart(p *Pass) {
	prep := &p.Shoe.Prep
	offers := seatedOffers(prep)
	if len(offers) == 0 || p.seatingUnknown(seated(prep), offers[0].Seat, offers[0].Seq) {
		return
	}
	first, want := &offers[0], p.entitled()
	if want == 0 || first.Seat == want || p.mayBeFirst(first.Seat, want) {
		return
	}
	if p.Law.Game == baccarat.PuntoBanco {
		switch {
		case prep.LastDealer == 0 && prep.LastToDeal != 0:
			p.CannotJudge("who was the last curator was not reported", first.Seq)
			return
		case prep.LastDealer != 0 && prep.LastToDeal == 0:
			p.CannotJudge("who dealt the last card is not on record", first.Seq)
			return
		}
	}
	if p.offeredLate(want) {
		return
	}
	p.Report(Finding{
		Expected: fmt.Sprintf("offered first to seat %d", want),
		Observed: fmt.Sprintf("offered first to seat %d", first.Seat),
		Evidence: []record.Seq{first.Seq},
	})
}

// mayBeFirst reports whether a seat may be offered the cut first beside the one that is entitled: the text, or the
// record of the last shoe, leaves open who was responsible for dealing.
func (p *Pass) mayBeFirst(seat, entitled uint32) bool {
	prep := &p.Shoe.Prep
	occupied, last, dealt := seated(prep), prep.LastDealer, prep.LastToDeal
	punto, chemin := p.Law.Game == baccarat.PuntoBanco, p.Law.Game == baccarat.CheminDeFer
	switch {
	case seat == dealt && (dealt != 0 && entitled == last || punto && last == 0):
		return true // a shoe that was released after the last hand leaves open who the last curator was
	case punto && last != 0 && entitled != last && !prep.First && seat == p.clockwise(occupied, last):
		return true // the last curator is gone: clockwise from the vacant seat, or from the highest
	case !prep.First && seat == occupied[len(occupied)-1] && p.newBatch() != nil:
		return true // the first shuffle of cards that were received during the day need not be a reshuffle
	}
	// If the assignment of the Banker was not reported, who dealt last was responsible. N.J.A.C. 19:47-4.4(b).
	return chemin && dealt != 0 && seat == p.clockwise(occupied, dealt)
}

// offeredLate reports whether a seat was offered the cut when the stack was cut already: the order of the steps has it.
func (p *Pass) offeredLate(seat uint32) bool {
	return record.Any(p.Shoe.Prep.Offers, func(o *record.CutOffer) bool { return o.Seat == seat && p.afterCut(o) })
}

// afterCut reports whether an offer came when the stack was cut already, and the order of the steps has it.
func (p *Pass) afterCut(o *record.CutOffer) bool {
	prep := &p.Shoe.Prep
	return p.judges("shuffle.step-order") && len(prep.Recuts) == 0 && len(prep.Cuts) > 0 && o.Seq > prep.Cuts[0].Seq
}

func checkOfferOrder(p *Pass) {
	prep := &p.Shoe.Prep
	offers, occupied := seatedOffers(prep), seated(prep)
	if len(offers) > 0 && p.seatingUnknown(occupied, offers[0].Seat, offers[0].Seq) {
		return
	}
	i := p.outOfTurn(occupied, offers)
	if i == 0 {
		p.offeredUnseated(prep)
		return
	}
	want := p.clockwise(occupied, offers[i-1].Seat)
	if offers[i].Seat != want && len(prep.Cuts) > 0 && prep.Cuts[0].By == baccarat.RoleDealer &&
		slices.Contains(unoffered(prep), want) {
		return // the cut of the dealer, to whom the seat was not offered first, is the breach
	}
	if p.afterCut(&offers[i]) {
		return
	}
	p.Report(Finding{
		Expected: fmt.Sprintf("offered to seat %d after seat %d", want, offers[i-1].Seat),
		Observed: fmt.Sprintf("offered to seat %d after seat %d", offers[i].Seat, offers[i-1].Seat),
		Evidence: []record.Seq{offers[i-1].Seq, offers[i].Seq},
	})
}

// offeredUnseated judges the offers to seats at which no participant is on record. In turn they are lawful, whether one
// sat there or not.
func (p *Pass) offeredUnseated(prep *record.Preparation) {
	all, on := firstOffers(prep), seated(prep)
	occupied := on
	for _, o := range all {
		occupied = withSeat(occupied, o.Seat)
	}
	if i := p.outOfTurn(occupied, all); i > 0 && len(occupied) > len(on) {
		p.CannotJudge("the cut was offered to a seat at which no participant is on record", all[i].Seq)
	}
}

func checkWhoCuts(p *Pass) {
	prep := &p.Shoe.Prep
	recuts := 0 // orders that a cut followed
	for _, r := range prep.Recuts {
		if prep.CutAfter(r.Seq) {
			recuts++
		}
	}
	if n := len(prep.Cuts) - len(replacedCuts(prep)); n == 0 || n > 1+recuts {
		f := Finding{
			Expected: "one cut", Observed: fmt.Sprintf("%d", n), Evidence: []record.Seq{p.Shoe.First, p.Shoe.Loaded.Seq},
		}
		if n > 0 {
			f.Evidence = f.Evidence[:0]
			for _, c := range prep.Cuts {
				f.Evidence = append(f.Evidence, c.Seq)
			}
		}
		p.suspectIf(n > 0 && n-repeatedCuts(prep) <= 1+recuts, f)
		return
	}
	cut, offers := prep.Cuts[0], firstOffers(prep)
	if !cut.Named() {
		p.CannotJudge("who cut was not reported", cut.Seq)
		return
	}
	for _, o := range offers {
		if o.Accepted {
			if cut.By != baccarat.RolePatron || cut.Seat != o.Seat {
				p.Report(Finding{
					Expected: fmt.Sprintf("cut by seat %d, who accepted", o.Seat),
					Observed: fmt.Sprintf("cut by %v seat %d", cut.By, cut.Seat),
					Evidence: []record.Seq{o.Seq, cut.Seq},
				})
			}
			return
		}
	}
	if cut.By == baccarat.RolePatron && p.seatingUnknown(prep.Occupied, cut.Seat, cut.Seq) {
		return
	}
	if left := unoffered(prep); cut.By == baccarat.RoleDealer && len(left) > 0 {
		p.Report(Finding{
			Expected: "dealer cuts only when all have declined",
			Observed: "not offered to " + numbered("seat", left), Evidence: []record.Seq{cut.Seq},
		})
	}
	if cut.By != baccarat.RoleDealer && !p.offeredByConduct(&cut, offers) {
		p.Report(Finding{
			Expected: "cut by the dealer, since no participant accepted",
			Observed: fmt.Sprintf("cut by %v seat %d", cut.By, cut.Seat), Evidence: []record.Seq{cut.Seq},
		})
	}
}

// replacedCuts are the cuts after which whoever made them placed the cutting card again, before a card was moved: the
// stack was cut once, where the card lay at last.
func replacedCuts(prep *record.Preparation) (replaced []record.Seq) {
	for i := 1; i < len(prep.Cuts); i++ {
		before, again := &prep.Cuts[i-1], &prep.Cuts[i]
		between := func(seq record.Seq) bool { return seq > before.Seq && seq < again.Seq }
		if before.Named() && before.By == again.By && (before.Seat == again.Seat || before.By == baccarat.RoleDealer) &&
			!slices.ContainsFunc(prep.Transposed, func(t record.Change) bool { return between(t.Seq) }) &&
			!slices.ContainsFunc(prep.Recuts, func(r record.Recut) bool { return between(r.Seq) }) {
			replaced = append(replaced, before.Seq)
		}
	}
	return replaced
}

// repeatedCuts is how many cuts may be one before them, reported again.
func repeatedCuts(prep *record.Preparation) (n int) {
	for i := range prep.Cuts {
		if repeatedCut(prep, i) {
			n++
		}
	}
	return n
}

// repeatedCut reports whether a cut has the content of one before it, with no order to recut between them, and fewer
// cuts than that were followed by moving the cards.
func repeatedCut(prep *record.Preparation, i int) bool {
	c := &prep.Cuts[i]
	return len(prep.Transposed) < len(prep.Cuts) && slices.ContainsFunc(prep.Cuts[:i], func(b record.Cut) bool {
		return b.By == c.By && b.Seat == c.Seat && b.Depth == c.Depth && b.Stack == c.Stack &&
			!slices.ContainsFunc(prep.Recuts, func(r record.Recut) bool { return r.Seq > b.Seq && r.Seq < c.Seq })
	})
}

// unoffered are the occupied seats to which the first cut was not offered.
func unoffered(prep *record.Preparation) []uint32 {
	var left []uint32
	for _, seat := range prep.Occupied {
		if !slices.ContainsFunc(firstOffers(prep), func(o record.CutOffer) bool { return o.Seat == seat }) {
			left = append(left, seat)
		}
	}
	return left
}

// offeredByConduct reports whether the stack was cut by the participant next in turn, no offer to whom is on record:
// to hand over the stack is to offer it.
func (p *Pass) offeredByConduct(cut *record.Cut, offers []record.CutOffer) bool {
	next := p.entitled()
	if n := len(offers); n > 0 {
		next = p.clockwise(seated(&p.Shoe.Prep), offers[n-1].Seat)
	}
	return cut.By == baccarat.RolePatron && cut.Seat == next &&
		!slices.ContainsFunc(offers, func(o record.CutOffer) bool { return o.Seat == cut.Seat })
}

func checkBacksAway(p *Pass) {
	for _, o := range p.Shoe.Prep.Offers {
		if !o.BacksAway {
			p.Report(Finding{
				Subject: finding.OfSeat(o.Seat), Seat: o.Seat, Expected: "backs away from the dealer",
				Observed: "backs toward the dealer", Evidence: []record.Seq{o.Seq},
			})
		}
	}
}

func checkCutDepth(p *Pass) {
	replaced := replacedCuts(&p.Shoe.Prep)
	for _, c := range p.Shoe.Prep.Cuts {
		if c.Depth >= 10 && c.Depth+10 <= c.Stack || p.Shoe.Prep.Remedied(c.Seq) || slices.Contains(replaced, c.Seq) {
			continue
		}
		if c.Depth == 0 { // no cut
			p.CannotJudge("how deep the stack was cut was not reported", c.Seq)
			continue
		}
		f := Finding{
			Expected: fmt.Sprintf("10 to %d cards from the front", max(int(c.Stack)-10, 10)),
			Observed: fmt.Sprint(c.Depth), Evidence: []record.Seq{c.Seq},
		}
		if c.Stack == 0 { // no stack has no cards
			f.Expected = "at least 10 cards from the front"
			if c.Depth >= 10 {
				p.CannotJudge("of how many cards the stack was cut was not reported", c.Seq)
				continue
			}
		}
		p.Report(f)
		return
	}
	p.partCut(replaced)
}

// partCut suspects a stack that was cut with fewer cards than the shoe was loaded with: the cards are cut, and the
// stack is inserted into the shoe. N.J.A.C. 19:47-3.5(c)-(d), 4.4(c)-(d), 7.5(c)-(d). After a void round
// irreg.insufficient.full-reshuffle reports it.
func (p *Pass) partCut(replaced []record.Seq) {
	s := p.Shoe
	want := 52 * s.Loaded.Decks
	if want == 0 || s.Prep.VoidBefore != 0 {
		return
	}
	for _, c := range s.Prep.Cuts {
		if c.Stack == 0 || s.CutFrom(c) >= want || s.Prep.Remedied(c.Seq) || slices.Contains(replaced, c.Seq) {
			continue
		}
		p.Suspect(Finding{
			Expected: fmt.Sprintf("the %d cards of the shoe cut", want), Observed: fmt.Sprintf("a stack of %d cut", c.Stack),
			Evidence: []record.Seq{c.Seq, s.Loaded.Seq},
		})
		return
	}
}

func checkTransposed(p *Pass) {
	prep := &p.Shoe.Prep
	if len(prep.Cuts) == 0 {
		return
	}
	last, moved := len(prep.Cuts)-1, int64(0)
	for repeatedCut(prep, last) {
		last--
	}
	cut := &prep.Cuts[last]
	for _, t := range prep.Transposed {
		if t.Seq > cut.Seq && (t.Amount == 0 || cut.Depth == 0) {
			p.CannotJudge("how many cards were cut, or were moved to the back, was not reported", cut.Seq, t.Seq)
			return
		}
		if t.Seq > cut.Seq {
			moved += t.Amount
		}
	}
	for _, t := range slices.Backward(prep.Transposed) {
		if t.Seq < cut.Seq {
			break
		}
		if moved == int64(cut.Depth) { // in one motion, or in several
			return
		}
		if t.Amount == int64(cut.Depth) && moved%t.Amount == 0 {
			p.CannotJudge("whether the front cards were moved to the back again, or the move was reported again", cut.Seq, t.Seq)
			return
		}
		p.suspectIf(t.Amount == int64(cut.Depth), Finding{ // a motion that was reported, and not made, before it
			Expected: schema.Count(cut.Depth, "card") + " moved to the back", Observed: fmt.Sprint(moved),
			Evidence: []record.Seq{cut.Seq, t.Seq},
		})
		return
	}
	if before := len(prep.Transposed); len(prep.Cuts) == 1 && before > 0 &&
		prep.Transposed[before-1].Amount == int64(cut.Depth) && p.judges("shuffle.step-order") {
		return // moved before the cut: the order of the steps
	}
	f := Finding{
		Expected: schema.Count(cut.Depth, "card") + " moved to the back", Observed: "none",
		Evidence: []record.Seq{cut.Seq},
	}
	if cut.Depth == 0 {
		f.Expected = "the cards in front of the cutting card moved to the back"
	}
	p.Report(f)
}

// cutcard is the latest placement of a cutting card, which is where it stays. One card belongs 14 cards or more from
// the back, the other at the end; their reported numbers may be exchanged.
func cutcard(p *record.Preparation, which uint32) *record.PlacedCutcard {
	one, two := placedLast(p, 1), placedLast(p, 2)
	exchanged := one != nil && two != nil && one.Behind == 0 && two.Behind >= 14
	if (which == 1) != exchanged {
		return one
	}
	return two
}

// oneNumber reports whether two cutting cards that lie as they should were placed since an event, both under one
// number: two cards, or a card that was moved.
func oneNumber(p *record.Preparation, since record.Seq) bool {
	deep, end := false, false
	for _, c := range p.Cutcards {
		if c.Seq > since {
			deep, end = deep || c.Behind >= 14, end || c.Behind == 0
		}
	}
	return deep && end && (placedLast(p, 1) == nil || placedLast(p, 2) == nil)
}

func placedLast(p *record.Preparation, which uint32) *record.PlacedCutcard {
	for i := range slices.Backward(p.Cutcards) {
		if p.Cutcards[i].Which == which {
			return &p.Cutcards[i]
		}
	}
	return nil
}

func checkCutcardDepth(p *Pass) {
	s := p.Shoe
	placed := cutcard(&s.Prep, 1)
	if placed != nil && placed.Behind < 14 && oneNumber(&s.Prep, s.Prep.LastRecut()) {
		p.CannotJudge("both cutting cards were reported under one number", placed.Seq)
		return
	}
	if placed != nil && placed.Behind < 14 {
		p.Report(Finding{
			Expected: "at least 14 cards behind", Observed: fmt.Sprint(placed.Behind),
			Evidence: []record.Seq{placed.Seq},
		})
		return
	}
	if len(s.Cutcard) == 0 || s.Loaded.Seq == 0 {
		return
	}
	left := int64(52*s.Loaded.Decks) - int64(s.Cutcard[0].AfterCard)
	if n := len(s.Prep.Cuts); n > 0 && placed != nil &&
		int64(s.CutFrom(s.Prep.Cuts[n-1]))-int64(s.Cutcard[0].AfterCard) == int64(placed.Behind) {
		left = int64(placed.Behind) // counted in the stack as it was cut; that it was not full is another finding
	}
	switch {
	case placed != nil && left != int64(placed.Behind):
		// Where it was placed is an estimate by hand, and no sentence wants it seen there.
		f := Finding{
			Expected: fmt.Sprintf("seen with %s left, as placed", schema.Count(placed.Behind, "card")),
			Observed: fmt.Sprintf("%d left", left), Evidence: []record.Seq{placed.Seq, s.Cutcard[0].Seq},
			Verdict: finding.Information,
		}
		if left < 14 {
			f.Expected, f.Verdict = f.Expected+", at least 14", finding.Suspect
		}
		p.Report(f)
	case left < 14:
		p.Report(Finding{
			Expected: "at least 14 cards behind", Observed: fmt.Sprint(left), Evidence: []record.Seq{s.Cutcard[0].Seq},
		})
	}
}

func checkSecondCutcard(p *Pass) {
	if c := cutcard(&p.Shoe.Prep, 2); c != nil && c.Behind != 0 {
		p.Report(Finding{
			Expected: "no card behind the second cutting card", Observed: fmt.Sprint(c.Behind),
			Evidence: []record.Seq{c.Seq},
		})
	}
}
