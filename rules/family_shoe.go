package rules

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// Silent after a wrong number of decks: the copies of a card, and the cards in all if they are decks too, would be
// counted against that same number, one cause twice.
const (
	wrongDecksHide = "shoe.composition.no-excess-copies"
	wrongDecksSum  = "shoe.count.conservation"
)

var shoeFamily = []*Rule{
	{
		Name: "shoe.decks.min", Doc: "A shoe holds at least six decks.",
		Breach:   "A shoe is put in play with five decks or fewer.",
		Severity: finding.Critical, At: Prepared, Check: checkMinDecks,
		Covers: []string{wrongDecksHide, wrongDecksSum, "shoe.loaded-as-received"},
	},
	{
		Name: "shoe.decks.royal-eight", Doc: "Royal Baccarat Bonus is offered with exactly eight decks.",
		Breach:   "Royal bonus is on offer while six, seven or nine or more decks are in the shoe.",
		Severity: finding.Critical, At: Prepared, Again: true, Check: decksOf(baccarat.SideRoyal, 8),
		Covers: []string{
			"shoe.decks.min", "shoe.decks.treasures-six-or-eight", wrongDecksHide, wrongDecksSum, "shoe.loaded-as-received",
		},
	},
	{
		Name: "shoe.decks.treasures-six-or-eight", Doc: "5 Treasures is offered with six or eight decks.",
		Breach:   "Seven decks, or more than eight, in a shoe at a table offering 5 Treasures.",
		Severity: finding.Critical, At: Prepared, Again: true, Check: decksOf(baccarat.SideTreasures, 6, 8),
		Covers: []string{"shoe.decks.min", wrongDecksHide, wrongDecksSum, "shoe.loaded-as-received"},
	},
	{
		Name: "shoe.cutting-cards.count", Doc: "A shoe has two cutting cards.",
		Breach:   "One or three cutting cards loaded.",
		Severity: finding.Minor, At: Prepared, Check: func(p *Pass) {
			prep := &p.Shoe.Prep
			switch l := p.Shoe.Loaded; {
			case !p.loaded() || l.CuttingCards == 2:
			case l.CuttingCards == 0 && placedLast(prep, 1) != nil && placedLast(prep, 2) != nil:
				p.CannotJudge("how many cutting cards were loaded was not reported", l.Seq) // two were placed
			default:
				p.reportLoaded("2 cutting cards", fmt.Sprint(l.CuttingCards))
			}
		},
	},
	{
		Name: "shoe.cutting-cards.appearance", Doc: "The cutting cards are attested to look as required.",
		Breach:   "Attestation absent or negative.",
		Severity: finding.Minor, At: Prepared, Needs: baccarat.FeedAttestation, Standing: true,
		Check: attestation("cutting-card-appearance"),
	},
	{
		Name: "shoe.backs.uniform", Doc: "Every card has the back of its shoe.",
		Breach:   "A foreign-backed card appears.",
		Severity: finding.Critical, At: Settled, Needs: baccarat.FeedCardBacks, Check: checkBacks,
	},
	{
		Name: "shoe.loaded-as-received", Doc: "The cards in the shoe are those received: their number and their backs.",
		Breach:   "Six blue decks received, eight red decks loaded.",
		Severity: finding.Major, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkReceived,
		Covers: []string{wrongDecksSum, "cut.min-depth"},
	},
	{
		Name: "shoe.device.dealing-shoe", Doc: "Cards are dealt from an approved dealing shoe.",
		Breach:   "Hand dealing or an unlisted device.",
		Severity: finding.Critical, At: Prepared, Check: func(p *Pass) {
			switch l := p.Shoe.Loaded; {
			case !p.loaded() || l.DealingShoe:
			case l.OtherDevice:
				p.reportLoaded("DEALING_SHOE", "another device")
			default:
				p.CannotJudge("what the cards are dealt from was not reported", l.Seq)
			}
		},
	},
	{
		Name: "shoe.location.left-of-dealer", Doc: "The shoe stands on the dealer's left.",
		Breach:   "Shoe placed elsewhere.",
		Severity: finding.Minor, At: Prepared, Needs: baccarat.FeedAttestation, Check: checkLocation,
	},
	{
		Name: "shoe.composition.no-excess-copies", Doc: "No card comes more often than there are decks.",
		Breach:   "A seventh identical card from a six-deck shoe.",
		Severity: finding.Critical, At: Closed, Check: checkCopies,
	},
	{
		Name: "shoe.count.conservation", Doc: "Cards dealt, burned and left add up to the decks.",
		Breach:   "The shoe comes up one card short or over.",
		Severity: finding.Critical, At: Closed, Needs: baccarat.FeedBurn, Check: checkConservation,
	},
	{
		Name: "shoe.burn.count", Doc: "The opening burn is the first card and as many more as its value.",
		Breach:   "Face card burns nothing, or one card too few.",
		Severity: finding.Major, At: Prepared, Needs: baccarat.FeedBurn, Check: checkBurnCount,
	},
	{
		Name: "shoe.burn.once-before-play", Doc: "There is one opening burn, between loading and the first card.",
		Breach:   "No burn.",
		Severity: finding.Major, At: Prepared, Again: true, Check: checkBurnOnce, Covers: []string{"shoe.burn.count"},
		Needs: baccarat.FeedBurn,
	},
	{
		Name: "shoe.burn.shown", Doc: "Burned cards are shown as required.",
		Breach:   "NJ burn made face down.",
		Severity: finding.Minor, At: Prepared, Check: ofParts(burnShown),
		Needs: baccarat.FeedBurnFaces | baccarat.FeedBurn,
	},
	{
		Name: "shoe.burn.shown-before-discard", Doc: "Burned cards are put away after they were shown.",
		Breach:   "The burn goes to the bucket, then its cards are shown.",
		Severity: finding.Minor, At: Prepared, Check: ofParts(burnDiscarded),
		Needs: baccarat.FeedBurn | baccarat.FeedBurnFaces,
	},
	{
		Name: "shoe.burn.destination", Doc: "Burned cards go to the place that the rulebook names.",
		Breach:   "Cards left on the layout.",
		Severity: finding.Info, At: Prepared, Check: ofParts(burnTo),
		Needs: baccarat.FeedTableCamera | baccarat.FeedBurn,
	},
}

// putIntoShoe cannot judge the count of a shoe into which cards of a round were put, though it is right: one of the two
// is wrong. Where the text says where the cards of a round go, that rule has it; New Jersey has no clause on it.
func (p *Pass) putIntoShoe() {
	if p.judges("discard.order-preserved") {
		return
	}
	i := record.Index(p.Shoe.Rounds, func(r *record.RoundSummary) bool { return r.ToShoe != 0 })
	if i >= 0 {
		r := &p.Shoe.Rounds[i]
		p.CannotJudge(fmt.Sprintf("the cards of round %d were put into the shoe", r.No), r.ToShoe, p.Shoe.Ended.Seq)
	}
}

// loaded is false if the loading of the shoe was not reported: what rests on it cannot be judged.
func (p *Pass) loaded() bool {
	s := p.Shoe
	if s.Loaded.Seq == 0 && !s.Joined && !s.Missing {
		p.CannotJudge("the loading of the shoe was not reported", s.First)
	}
	return s.Loaded.Seq != 0
}

// checkReceived compares the cards that were received with those in the shoe. No sentence has them be the same.
func checkReceived(p *Pass) {
	l := p.Shoe.Loaded
	b := p.Table.Batch(p.Shoe.Batch())
	if n := p.newBatch(); n != nil && n.Received == 0 {
		p.CannotJudge("the receipt of these cards was not reported", p.loading()...)
		return
	}
	if b == nil || len(b.Backs) == 0 || b.Dealt != 0 || l.Seq == 0 {
		return
	}
	var received, loaded []string
	differ := func(name, was, is string) {
		if was != "" && is != "" && was != is {
			received, loaded = append(received, name+was), append(loaded, name+is)
		}
	}
	if !b.MayHave(l.Decks) {
		if p.received(b, l.Decks) {
			p.CannotJudge("decks that were received as another batch may be in the shoe", b.Received, l.Seq)
			return
		}
		differ("decks ", decksReceived(b), fmt.Sprint(l.Decks))
	}
	if !b.HasBack(record.Back{Color: l.BackColor, Design: l.BackDesign}) {
		differ("back ", b.BackColor, l.BackColor)
		differ("design ", b.BackDesign, l.BackDesign)
	}
	if len(received) > 0 {
		p.Suspect(Finding{
			Expected: "as received: " + strings.Join(received, ", "),
			Observed: "loaded: " + strings.Join(loaded, ", "), Evidence: []record.Seq{b.Received, l.Seq},
		})
	}
}

// decksReceived is how many decks were received, in how many receipts: 5+2.
func decksReceived(b *record.Batch) string {
	if len(b.Backs) == 1 {
		return fmt.Sprint(b.Decks)
	}
	counts := make([]string, len(b.Counts))
	for i, n := range b.Counts {
		counts[i] = fmt.Sprint(n)
	}
	return strings.Join(counts, "+")
}

// received reports whether a batch and another, undealt one were received with as many decks together. The
// two batches of a shuffling device are not put together.
func (p *Pass) received(b *record.Batch, decks uint32) bool {
	return !p.Config.AutomatedShuffler && record.Any(p.Table.Batches, func(o *record.Batch) bool {
		return o.ID != b.ID && o.Received != 0 && o.Dealt == 0 && o.Decks != 0 && o.Decks+b.Decks == decks
	})
}

func (p *Pass) reportLoaded(expected, observed string) {
	p.Report(Finding{Expected: expected, Observed: observed, Evidence: []record.Seq{p.Shoe.Loaded.Seq}})
}

func checkMinDecks(p *Pass) {
	if l := p.Shoe.Loaded; p.loaded() && l.Decks < p.Law.MinDecks {
		p.reportLoaded("at least "+schema.Count(p.Law.MinDecks, "deck"), schema.Count(l.Decks, "deck"))
	}
}

func decksOf(side baccarat.SideBet, allowed ...uint32) func(*Pass) {
	return func(p *Pass) {
		at, l := p.offered(side), p.Shoe.Loaded
		if at == 0 || !p.loaded() || slices.Contains(allowed, l.Decks) {
			return
		}
		p.Report(Finding{
			Expected: fmt.Sprintf("decks %v for %v", allowed, side), Observed: schema.Count(l.Decks, "deck"),
			Evidence: []record.Seq{l.Seq, at},
		})
	}
}

// offered is the configuration that offered a side bet over the cards of the shoe, 0 if none did: the one in force when
// it was prepared, or, at its end, one under which a later round was dealt.
func (p *Pass) offered(side baccarat.SideBet) record.Seq {
	if p.stage != Closed {
		if p.Config.Offers(side) {
			return p.Shoe.ConfigAt
		}
		return 0
	}
	var last record.Seq
	for i := range p.Shoe.Rounds {
		last = max(last, p.Shoe.Rounds[i].Card)
	}
	for i := range p.Table.Changes {
		c := &p.Table.Changes[i]
		if c.Used && c.Seq > p.Shoe.Loaded.Seq && c.Seq < last && c.Config.Offers(side) {
			return c.Seq
		}
	}
	return 0
}

func attestation(item string) func(*Pass) { return func(p *Pass) { p.attested(item, nil) } }

func checkBacks(p *Pass) {
	want, design := p.Shoe.Loaded.BackColor, p.Shoe.Loaded.BackDesign
	if !p.loaded() {
		return
	}
	if want == "" {
		p.CannotJudge("the back of the shoe's cards was not reported", p.Shoe.Loaded.Seq)
		return
	}
	if other := p.Shoe.OtherBack(p.Round); other != "" {
		p.otherBacks(other)
		return
	}
	for i := range p.Round.Cards {
		switch c := &p.Round.Cards[i]; {
		case c.Back == "":
			p.CannotJudge("the back of a card was not read", c.Seq)
		case c.Back != want:
			p.foreignBack(c, "back "+want, "back "+c.Back)
		case c.Design != "" && design != "" && c.Design != design:
			p.foreignBack(c, "back of design "+design, "back of design "+c.Design)
		}
	}
}

// otherBacks suspects a round of which every card has another back than the shoe's, all of them the same one: other
// cards are in the shoe, or its back was reported wrong. It is one finding for all such rounds of a shoe. If the cards
// are those received, and the shoe was reported with another back, shoe.loaded-as-received has it.
func (p *Pass) otherBacks(other string) {
	cards, l := p.Round.Cards, &p.Shoe.Loaded
	var before *record.RoundSummary // the round dealt before
	again := false
	for i := range p.Shoe.Rounds {
		if r := &p.Shoe.Rounds[i]; r.No < p.Round.No && r.Card != 0 {
			before, again = r, again || r.OtherBack == other
		}
	}
	b := p.Table.Batch(p.Shoe.Batch())
	received := b != nil && b.HasBack(record.Back{Color: cards[0].Back, Design: cards[0].Design})
	reported := received && p.Config.Reports(baccarat.FeedPreparation) && b.Dealt > l.Seq &&
		!b.HasBack(record.Back{Color: l.BackColor, Design: l.BackDesign})
	seqs := []record.Seq{l.Seq}
	for i := range cards {
		seqs = append(seqs, cards[i].Seq)
	}
	own := l.BackColor
	if cards[0].Back == own {
		own = "of design " + l.BackDesign
	}
	switch {
	case reported && (before == nil || before.OtherBack == other):
	case !reported && again:
	case received && len(b.Backs) > 1 && p.backsCited() != nil:
		p.CannotJudge("decks with several backs were received; of which deck a card is was not reported", seqs...)
	default:
		p.Suspect(Finding{
			Subject: finding.OfCard(cards[0].CardSeq), Expected: "back " + own, Evidence: seqs, Cites: p.backsCited(),
			Observed: fmt.Sprintf("back %s of all %s of the round", other, schema.Count(len(cards), "card")),
		})
	}
}

// foreignBack reports a card with another back than the shoe's. Without a shuffling device 9 NYCRR 5322.15(c) has the
// backs of one deck be alike, not the backs of all decks of the shoe.
func (p *Pass) foreignBack(c *record.DealtCard, expected, observed string) {
	f := Finding{
		Subject: finding.OfCard(c.CardSeq), Expected: expected, Observed: observed,
		Evidence: []record.Seq{p.Shoe.Loaded.Seq, c.Seq}, Cites: p.backsCited(),
	}
	if f.Cites != nil {
		switch b := p.Table.Batch(p.Shoe.Batch()); {
		case b == nil || b.Received == 0:
			f.Verdict = finding.Suspect // a deck with such backs may have been received
		case b.HasBack(record.Back{Color: c.Back, Design: c.Design}):
			p.CannotJudge("decks with several backs were received; of which deck a card is was not reported", f.Evidence...)
			return
		}
	}
	p.Report(f)
}

// backsCited is the first clause alone where no shuffling device is used: the second one, 9 NYCRR
// 5324.21(a)(4)(iv)(b), is about the batches of a device.
func (p *Pass) backsCited() []string {
	if c := p.cited(p.Law.ClosesAtCard && !p.Config.AutomatedShuffler, p.rule.Name); len(c) > 1 {
		return c[:1]
	}
	return nil
}

func checkLocation(p *Pass) {
	l := p.Shoe.Loaded
	if l.Seq == 0 {
		return
	}
	if l.Location == "" {
		p.CannotJudge("where the shoe stands was not reported", l.Seq)
		return
	}
	if !strings.Contains(strings.ToLower(l.Location), "left") {
		p.reportLoaded("dealer-left", l.Location)
	}
}

func checkCopies(p *Pass) {
	decks := uint16(p.Shoe.Loaded.Decks)
	if !p.loaded() {
		return
	}
	if !p.Config.Reports(baccarat.FeedBurn) {
		p.CannotJudge("burned cards are not reported", p.Shoe.Loaded.Seq)
	}
	var observed []string
	excess := uint16(0)
	evidence := []record.Seq{p.Shoe.Loaded.Seq}
	for c := baccarat.Card(1); c <= 52; c++ {
		if n := p.Shoe.Seen[c]; n > decks {
			excess += n - decks
			observed = append(observed, fmt.Sprintf("%v %d times", c, n))
			for i, o := range p.Shoe.Order {
				if o == c {
					evidence = append(evidence, p.Shoe.OrderAt[i])
				}
			}
		}
	}
	f := Finding{
		Expected: "no card more than " + schema.Count(decks, "time"), Observed: strings.Join(observed, ", "),
		Evidence: evidence,
	}
	switch {
	case excess == 1: // one card that was misread looks the same
		f.Verdict = finding.Suspect
		f.Observed += "; one of them may be misread"
		p.Report(f)
	case excess > 1 && p.Shoe.Misreads > 0: // a reader that errs misreads cards whose rounds do not show it, too
		f.Verdict = finding.Suspect
		f.Observed += "; the reader is suspected of " + schema.Count(p.Shoe.Misreads, "misread card") + " in this shoe"
		p.Report(f)
	case excess > 1:
		p.Report(f)
	}
}

// otherDecks reports whether the cards of a shoe are the decks that were received, and the loading has other ones: the
// number of the loading may be wrong, and no card too many or missing. A receipt may be lost.
func (p *Pass) otherDecks(cards uint32) bool {
	b := p.Table.Batch(p.Shoe.Batch())
	switch {
	case cards%52 != 0:
		return false
	case b == nil || b.Received == 0:
		return !p.Table.Whole
	}
	return !b.MayHave(p.Shoe.Loaded.Decks) && (b.MayHave(cards/52) || !p.Table.Whole)
}

func checkConservation(p *Pass) {
	s := p.Shoe
	if !p.loaded() || s.Ended.Seq == 0 {
		return
	}
	want := 52 * s.Loaded.Decks
	got := s.Out + s.Ended.Remaining
	switch {
	case got == want:
		p.putIntoShoe()
	case got > want && got-want <= p.cardsPutBack():
	case p.outAt(s.Ended.Seq)+int(s.Ended.Remaining) == int(want): // a round came after the count
	case s.CardsLost:
		p.CannotJudge("a card that left the shoe was not reported", s.Loaded.Seq, s.Ended.Seq)
	case s.Ended.Remaining == 0 && got < want && !ranShort(s):
		// No shoe is dealt to its last card unless the cards run short.
		p.CannotJudge("the cards left in the shoe were not reported", s.Loaded.Seq, s.Ended.Seq)
	default:
		f := Finding{
			Expected: fmt.Sprintf("%d cards", want),
			Observed: fmt.Sprintf("%d out and %d left, %d", s.Out, s.Ended.Remaining, got),
			Evidence: []record.Seq{s.Loaded.Seq, s.Ended.Seq}, Apart: got%52 != 0,
		}
		missing := int(want) - int(got)
		numbered := int(s.Numbered) - p.outAt(s.LastCard)
		if numbered == missing-p.lacksAfter() && p.burnShows(missing) {
			return
		}
		if numbered == missing { // by the numbers none is missing or too many: a record may be lost, or repeated
			f.Verdict = finding.Suspect
			f.Observed += fmt.Sprintf("; the last card dealt has the number %d", s.Numbered)
		}
		idle := uint32(0)
		for i := range s.Burns {
			if s.Burns[i].Idle {
				idle++ // the card that it answers may have left the shoe without a record
			}
		}
		if got < want && want-got <= idle || p.otherDecks(got) {
			f.Verdict = finding.Suspect
		}
		p.Report(f)
	}
}

// cardsPutBack is how many cards found face up were put back into the shoe.
func (p *Pass) cardsPutBack() (cards uint32) {
	for i := range p.Shoe.FaceUps {
		if putBack(&p.Shoe.FaceUps[i]) {
			cards++
		}
	}
	return cards
}

// outAt is how many cards had left the shoe with an event.
func (p *Pass) outAt(seq record.Seq) int {
	s := p.Shoe
	after := 0
	for ; after < len(s.OrderAt) && s.OrderAt[len(s.OrderAt)-1-after] > seq; after++ {
	}
	return int(s.Out) - after
}

// lacksAfter is the number of cards that the burns lack which were due after the latest card that was dealt. No number
// of a card shows them.
func (p *Pass) lacksAfter() (missing int) {
	s := p.Shoe
	for i := range s.Burns {
		if b := &s.Burns[i]; b.Seq > s.LastCard && !b.Opening {
			lacks, _ := p.answerLacks(i)
			missing += lacks
		}
	}
	for i := range s.FaceUps {
		if f := &s.FaceUps[i]; f.Seq > s.LastCard {
			missing += p.unburned(f)
		}
	}
	return missing
}

// unburned is the number of cards that a card found face up required, if none was burned.
func (p *Pass) unburned(f *record.FoundFaceUp) int {
	if f.Burn >= 0 || !p.answerable(f) || f.Card == baccarat.Unread {
		return 0
	}
	return p.burnValue(f.Card)
}

// burnShows reports whether the burns lack exactly the cards that are missing from the shoe. A negative number is of
// cards too many. The rules about the burns report them.
func (p *Pass) burnShows(missing int) bool {
	s := p.Shoe
	if s.Prep.LastRecut() != 0 || !p.Config.Reports(baccarat.FeedBurn) ||
		!p.judges("shoe.burn.once-before-play") || !p.judges("shoe.burn.count") {
		return false
	}
	for i := range s.Burns {
		if s.Burns[i].Opening {
			continue
		}
		lacks, known := p.answerLacks(i)
		if !known {
			return false
		}
		missing -= lacks
	}
	for i := range s.FaceUps {
		missing -= p.unburned(&s.FaceUps[i])
	}
	first, burned := opening(s), 0
	if first == nil {
		return missing > 1 && missing <= 11 // the first card, and one to ten further ones
	}
	for b := range p.openings() {
		burned += 1 + b.Further()
	}
	return first.Indicator != baccarat.Unread && missing == 1+first.Indicator.BurnValue()-burned
}

// answerLacks is the number of cards that a burn for an irregularity lacks, negative for cards too many. It is known if
// the burn can be judged.
func (p *Pass) answerLacks(burn int) (cards int, known bool) {
	b := &p.Shoe.Burns[burn]
	if b.Part || b.Idle || !described(b) {
		return 0, false
	}
	found := func(f record.FoundFaceUp) bool { return f.Burn == burn && p.answerable(&f) }
	if !slices.ContainsFunc(p.Shoe.FaceUps, found) {
		return p.burnValue(b.Indicator) - b.Further(), b.Indicator != baccarat.Unread
	}
	want, _, known := p.foundValue(burn)
	return want - b.Further(), known
}

// opening is the first opening burn of the stack as it was cut last, nil if none.
func opening(s *record.Shoe) *record.Burn {
	for i := range s.Burns {
		if s.Burns[i].Opening && s.Burns[i].Seq > s.Prep.LastRecut() {
			return &s.Burns[i]
		}
	}
	return nil
}

func checkBurnCount(p *Pass) {
	b := opening(p.Shoe)
	if b == nil || p.inParts() != 0 {
		return
	}
	if b.Indicator == baccarat.Unread {
		p.CannotJudge("the first burned card was not read", b.Seq)
		return
	}
	want, further := b.Indicator.BurnValue(), b.Further()
	if further != want || (b.Cards != 0 && b.Cards != want) {
		observed := furtherCards(further)
		if further == want {
			observed += fmt.Sprintf(", %d of them named", b.Cards)
		}
		// The number and the list of one burn contradict each other, and one of the two is right.
		listed := b.Cards != 0 && (further == want || b.Cards == want)
		p.suspectIf(listed || p.tooFewThenUnread(), Finding{
			Expected: fmt.Sprintf("%v and %s", b.Indicator, furtherCards(want)), Observed: observed,
			Evidence: []record.Seq{b.Seq},
		})
	}
}

// ranShort reports whether the last round of a shoe lacks a card, or was void for lack of cards.
func ranShort(s *record.Shoe) bool {
	if len(s.Rounds) == 0 {
		return false
	}
	last := &s.Rounds[len(s.Rounds)-1]
	return last.Short || last.MaybeShort || last.Result != baccarat.Void && !last.Complete
}

// burnedBeforeLoad reports whether the one opening burn came before the stack was loaded.
func (p *Pass) burnedBeforeLoad() bool {
	since := p.Shoe.Prep.LastRecut() // what follows the cut is done again
	first, loaded := firstDealt(p.Shoe), record.Seq(0)
	for _, load := range slices.Backward(p.Shoe.Prep.Loads) {
		if load > since && (first == 0 || load < first) { // a later one was recorded late: the first card came from the shoe
			loaded = load // the first one
		}
	}
	n, early := 0, false
	for b := range p.openings() {
		n++
		early = !b.AfterCard && b.Seq < loaded
	}
	return n == 1 && early
}

func checkBurnOnce(p *Pass) {
	n, late := 0, record.Seq(0)
	evidence := []record.Seq{}
	since := p.Shoe.Prep.LastRecut()
	for b := range p.openings() {
		n++
		evidence = append(evidence, b.Seq)
		if b.AfterCard {
			late = b.Seq
		}
	}
	switch {
	case p.burnedBeforeLoad():
		p.Report(Finding{
			Expected: "one opening burn, of cards from the loaded shoe", Observed: "burned before the stack was loaded",
			Evidence: append(evidence, p.Shoe.Loaded.Seq),
		})
		return
	case n == 1 && late == 0:
		return
	case n > 1 && late == 0 && !p.Config.Reports(baccarat.FeedPreparation):
		p.CannotJudge("whether the cards were cut again between the burns was not reported", evidence...)
		return
	}
	observed := schema.Count(n, "opening burn")
	if since != 0 {
		observed += " since the recut"
		evidence = append(evidence, since)
	}
	if late != 0 {
		observed += ", one after the first card"
	}
	f := Finding{
		Expected: "one opening burn before the first card", Observed: observed,
		Evidence: append(evidence, p.Shoe.Loaded.Seq),
	}
	cards := p.inParts()
	switch {
	case n > 1 && late == 0 && cards != 0: // what was left out of the burn was burned before play
		f.Verdict, f.Observed = finding.Information, fmt.Sprintf("%s of %d cards in all", observed, cards)
	case n > 1 && late == 0 && p.sameBurns():
		f.Verdict, f.Observed = finding.Suspect, observed+" of the same cards: one of them may be a repeated report"
	case n > 1 && late == 0 && p.tooFewThenUnread():
		f.Verdict, f.Observed = finding.Suspect, observed+", one without its first card: it may be a part of the first one"
	}
	p.Report(f)
}

// openings are the opening burns of the stack as it was cut last. A burn that continues another one is part of that.
func (p *Pass) openings() iter.Seq[*record.Burn] {
	return func(yield func(*record.Burn) bool) {
		since := p.Shoe.Prep.LastRecut()
		for i := range p.Shoe.Burns {
			if b := &p.Shoe.Burns[i]; b.Opening && !b.Part && b.Seq > since && !yield(b) {
				return
			}
		}
	}
}

// inParts is how many cards the opening burns took together, if the first one took too few and all of them as many as
// its first card wants; otherwise 0.
func (p *Pass) inParts() int {
	want, cards := 0, 0
	for b := range p.openings() {
		if cards == 0 {
			want = 1 + b.Indicator.BurnValue()
			if b.Indicator == baccarat.Unread || 1+b.Further() >= want {
				return 0
			}
		}
		cards += 1 + b.Further()
	}
	if cards != want {
		return 0
	}
	return cards
}

// tooFewThenUnread reports whether the first opening burn took too few cards, and the first card of a later one was not
// read.
func (p *Pass) tooFewThenUnread() bool {
	var first *record.Burn
	for b := range p.openings() {
		switch {
		case first == nil:
			if first = b; b.Indicator == baccarat.Unread || b.Further() >= b.Indicator.BurnValue() {
				return false
			}
		case b.Indicator == baccarat.Unread:
			return true
		}
	}
	return false
}

// sameBurns reports whether all opening burns have the same cards.
func (p *Pass) sameBurns() bool {
	var first *record.Burn
	for b := range p.openings() {
		switch {
		case first == nil:
			first = b
		case b.Indicator != first.Indicator || b.Count != first.Count || b.Indicator == baccarat.Unread:
			return false
		}
	}
	return true
}

// openingParts are the opening burns of the stack as it was cut last that are judged: the first one, and those that
// complete it.
func (p *Pass) openingParts() iter.Seq[*record.Burn] {
	return func(yield func(*record.Burn) bool) {
		parts := p.inParts() != 0
		for b := range p.openings() {
			if !yield(b) || !parts {
				return
			}
		}
	}
}

// ofParts judges each part of the opening burn until one is wrong. What the part showed is not known if unknown is not
// empty.
func ofParts(judge func(p *Pass, b *record.Burn) (expected, observed, unknown string)) func(*Pass) {
	return func(p *Pass) {
		for b := range p.openingParts() {
			expected, observed, unknown := judge(p, b)
			switch {
			case unknown != "":
				p.CannotJudge(unknown, b.Seq)
			case observed != "":
				p.Report(Finding{Expected: expected, Observed: observed, Evidence: []record.Seq{b.Seq}})
				return
			}
		}
	}
}

func burnShown(p *Pass, b *record.Burn) (expected, observed, unknown string) {
	switch {
	case b != opening(p.Shoe) && p.Law.BurnShown != baccarat.ShownAll: // its first card is not the first one burned
	case b.Shown == baccarat.ShownAll || b.Shown == p.Law.BurnShown:
	case b.Shown == baccarat.NoShown:
		return "", "", "what the burn showed was not reported"
	default:
		return "shown " + p.Law.BurnShown.String(), "shown " + b.Shown.String(), ""
	}
	return "", "", ""
}

func burnDiscarded(_ *Pass, b *record.Burn) (expected, observed, unknown string) {
	switch b.Discarded {
	case record.DiscardedBeforeShown:
		return "put away after the cards were shown", "put away before", ""
	case record.NoBurnDiscarded:
		return "", "", "whether the burned cards were put away after they were shown was not reported"
	}
	return "", "", ""
}

func burnTo(p *Pass, b *record.Burn) (expected, observed, unknown string) {
	switch b.Destination {
	case p.Law.BurnTo:
		return "", "", ""
	case baccarat.NoDestination:
		return "", "", "where the burned cards were put was not reported"
	}
	return "to the " + p.Law.BurnTo.String(), "to " + b.Destination.String(), ""
}
