package play

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// chargedIn is the round whose vigorish a collection of outstanding vigorish takes at once, nil if it takes what was
// owed before. It names wagers of that round alone, or the seat owes nothing else. Nothing was marked or taken for
// them, or a wrong amount was marked (putsRight), or too little was taken (completes).
func chargedIn(t *Table, s *Shoe, p *schema.VigorishCollected, round uint32) *record.Round {
	if p.VigorishKind != schema.VigorishKindOutstanding {
		return nil
	}
	for _, r := range [2]*record.Round{s.Round, s.Settling} {
		named := len(p.WagerIDs) > 0
		if !mayCharge(r, round) && !(named && mayCharge(r, 0)) { // it may have the number of the round that comes next
			continue
		}
		switch {
		case named && !slices.ContainsFunc(p.WagerIDs, func(id string) bool { return !chargeable(r, id) }),
			(named || !t.owesBefore(s, p.Seat)) && (s.putsRight(r, p) || s.completes(r, p)),
			!named && s.owesAtOnce(r, p.Seat) && !t.owesBefore(s, p.Seat):
			return r
		}
	}
	return nil
}

// collectLate adds vigorish that was collected after its round, or is published as such.
func (t *Table) collectLate(c *turn, s *Shoe, p *schema.VigorishCollected) {
	if r := chargedIn(t, s, p, c.round); r != nil {
		t.charge(c, s, r, p)
		t.fills(c, s, r)
		return
	}
	if r, now, before := chargedBeside(s, p, c.round); r != nil {
		t.charge(c, s, r, &now)
		t.fills(c, s, r)
		p = &before
	}
	t.doubt(c, s, p.Seat, p.WagerIDs...)
	t.collect(c, s, p)
}

// doubt notes vigorish at a seat that may be of a round of which the record has nothing: it names a wager that is not
// on record, or none. It also notes vigorish of a wager in play and of a round that is not proved, if no mark of that
// round is open: the parts are not known. It is a collection without an amount, see [record.Shoe.Unread].
func (t *Table) doubt(c *turn, s *Shoe, seat uint32, wagers ...string) {
	inPlay := func(id string) bool {
		return s.Round != nil && s.Round.WagerIndex(id) >= 0 || s.Settling != nil && s.Settling.WagerIndex(id) >= 0
	}
	unknown := func(id string) bool {
		return !record.Any(s.Dues, func(d *record.Due) bool { return d.Wager == id }) && !inPlay(id)
	}
	unproved := func(d *record.Due) bool { return d.Unproved && d.Open() == 0 && slices.Contains(wagers, d.Wager) }
	if (s.Joined || s.Missing) && (len(wagers) == 0 || slices.ContainsFunc(wagers, unknown)) ||
		slices.ContainsFunc(wagers, inPlay) && record.Any(s.Dues, unproved) {
		s.Collections = append(s.Collections, record.Collection{Seq: c.seq, Seat: seat})
	}
}

// mayCharge reports whether a round is one whose vigorish an event of a round, or of none, may be about.
func mayCharge(r *record.Round, round uint32) bool {
	return r != nil && r.Full == 0 && len(r.Cards) > 0 && (round == 0 || round == r.No)
}

// collects reports whether a collection is about a wager: it names the wager, or none and its seat.
func collects(p *schema.VigorishCollected, wager string, seat uint32) bool {
	return slices.Contains(p.WagerIDs, wager) || len(p.WagerIDs) == 0 && seat == p.Seat
}

// chargedBeside divides a collection of outstanding vigorish that takes all that a patron owes: what was owed before,
// as marked or rounded up, and the right vigorish of wagers of a round, of which none or a wrong one was marked. The
// round is nil if it does not.
func chargedBeside(s *Shoe, p *schema.VigorishCollected, round uint32) (
	r *record.Round, now, before schema.VigorishCollected,
) {
	if p.VigorishKind != schema.VigorishKindOutstanding {
		return nil, now, before
	}
	before = *p
	before.WagerIDs, before.Amount = nil, 0
	owed := func(d *record.Due) bool { return d.Open() > 0 && collects(p, d.Wager, d.Seat) }
	for i := range s.Dues {
		if d := &s.Dues[i]; owed(d) {
			before.Amount = baccarat.Add(before.Amount, d.Open())
		}
	}
	if before.Amount == 0 {
		return completedBeside(s, p, round)
	}
	if before.Amount >= p.Amount {
		return nil, now, before // nothing of it is left for a round
	}
	for i := range s.Dues {
		if d := &s.Dues[i]; owed(d) {
			before.WagerIDs = append(before.WagerIDs, d.Wager)
		}
	}
	for _, r = range [2]*record.Round{s.Round, s.Settling} {
		if !mayCharge(r, round) {
			continue
		}
		if now = s.beside(r, p, &before); now.Amount > 0 {
			before.Amount = p.Amount - now.Amount
			return r, now, before
		}
	}
	return nil, now, before
}

// completedBeside divides a collection of outstanding vigorish that takes the rest of vigorish that was taken too low:
// in earlier rounds, and in a round that it makes right.
func completedBeside(s *Shoe, p *schema.VigorishCollected, round uint32) (
	r *record.Round, now, before schema.VigorishCollected,
) {
	before = *p
	before.WagerIDs = nil
	var low, high int64
	for i := range s.Dues {
		d := &s.Dues[i]
		if least, most := d.Lacks(s.Law); most > 0 && collects(p, d.Wager, d.Seat) {
			low, high = baccarat.Add(low, least), baccarat.Add(high, most)
			before.WagerIDs = append(before.WagerIDs, d.Wager)
		}
	}
	if high == 0 || low >= p.Amount {
		return nil, now, before
	}
	for _, r = range [2]*record.Round{s.Round, s.Settling} {
		if !mayCharge(r, round) {
			continue
		}
		now = *p
		now.WagerIDs = nil
		var at []int
		for w := range r.Wagers {
			if of := &r.Wagers[w]; collects(p, of.ID, of.Seat) && of.Spot == baccarat.SpotBanker && !of.Gone {
				now.WagerIDs, at = append(now.WagerIDs, of.ID), append(at, w)
			}
		}
		took := int64(0)
		for i := range r.Steps {
			m := &r.Steps[i]
			if m.Kind > record.StepVigMarked && slices.ContainsFunc(at, func(w int) bool { return m.Covers(r, w) }) {
				took = baccarat.Add(took, m.Amount)
			}
		}
		named := len(p.WagerIDs) > 0
		if len(at) == 0 || named && len(before.WagerIDs)+len(at) != len(p.WagerIDs) || !s.completes(r, &now) {
			continue
		}
		for _, rest := range [2]int64{high, low} {
			before.Amount, now.Amount = rest, p.Amount-rest
			if now.Amount > 0 && s.legalOf(r, baccarat.Add(took, now.Amount), at) {
				return r, now, before
			}
		}
	}
	return nil, now, before
}

// beside is the part of a collection that is the vigorish of wagers of a round, beside what was owed before. Its amount
// is 0 if the collection cannot be divided so.
func (s *Shoe) beside(r *record.Round, p, before *schema.VigorishCollected) schema.VigorishCollected {
	now := *p
	now.WagerIDs, now.Amount = nil, 0
	var at []int
	unmarked := true
	for w := range r.Wagers {
		of := &r.Wagers[w]
		if collects(p, of.ID, of.Seat) && of.Spot == baccarat.SpotBanker && !of.Gone {
			now.WagerIDs, at = append(now.WagerIDs, of.ID), append(at, w)
			unmarked = unmarked && !r.Charged(w)
		}
	}
	if len(at) == 0 || len(p.WagerIDs) > 0 && len(before.WagerIDs)+len(at) != len(p.WagerIDs) {
		return now
	}
	v, _ := s.commission(r)
	for _, owed := range [2]int64{before.Amount, v.RoundUp(before.Amount)} {
		now.Amount = p.Amount - owed
		if now.Amount > 0 && s.legalOf(r, now.Amount, at) && (unmarked || s.putsRight(r, &now)) {
			return now
		}
	}
	now.Amount = 0
	if unmarked {
		now.Amount = s.wrongBeside(r, p.Amount, before.Amount, at)
	}
	return now
}

// wrongBeside is the part of a collection that is too little, or too much, for the vigorish of wagers of a round beside
// what was owed before; 0 if the collection is neither.
func (s *Shoe) wrongBeside(r *record.Round, amount, owed int64, wagers []int) int64 {
	v, ok := s.commission(r)
	if !ok || amount <= v.RoundUp(owed) {
		return 0
	}
	won, up := int64(0), int64(0)
	for _, w := range wagers {
		won, up = baccarat.Add(won, r.Wagers[w].Amount), baccarat.Add(up, v.Up(r.Wagers[w].Amount))
	}
	switch rounded := v.RoundUp(owed); {
	case amount < baccarat.Add(owed, v.Low(won)):
		return amount - owed
	case amount > max(baccarat.Add(rounded, up), v.RoundUp(baccarat.Add(owed, up))):
		return amount - rounded
	}
	return 0
}

// putsRight reports whether a collection is the vigorish of wagers of a round that were marked with a wrong amount, and
// from which nothing was collected; or of one of them and too little, and neither the sum of its marks nor a part of it
// beside them.
func (s *Shoe) putsRight(r *record.Round, p *schema.VigorishCollected) bool {
	var wagers []int
	for _, id := range p.WagerIDs {
		if w := r.WagerIndex(id); w >= 0 && !slices.Contains(wagers, w) {
			wagers = append(wagers, w)
		} else if w < 0 {
			return false
		}
	}
	for w := range r.Wagers {
		if of := &r.Wagers[w]; len(p.WagerIDs) == 0 && of.Seat == p.Seat && r.Marked(w) {
			wagers = append(wagers, w)
		}
	}
	if len(wagers) == 0 || slices.ContainsFunc(wagers, func(w int) bool {
		return r.Wagers[w].Spot != baccarat.SpotBanker || r.Wagers[w].Gone || !r.Marked(w)
	}) {
		return false
	}
	wagers = s.alsoMeant(r, p.Amount, wagers)
	v, commission := s.commission(r)
	marked := int64(0)
	for i := range r.Steps {
		m := &r.Steps[i]
		switch {
		case m.Kind == record.StepVigMarked && slices.Contains(wagers, m.Wager):
			if s.TakenOff(r, m, v.Percent) {
				continue
			}
			marked = baccarat.Add(marked, m.Amount)
		case m.Kind > record.StepVigMarked && slices.ContainsFunc(wagers, func(w int) bool { return m.Covers(r, w) }):
			return false
		}
	}
	if s.legalOf(r, marked, wagers) {
		return false
	}
	short := commission && len(wagers) == 1 && p.Amount != marked && p.Amount < v.Low(r.Wagers[wagers[0]].Amount) &&
		!record.Parts(marked, p.Amount, v.Percent, r.Wagers[wagers[0]].Amount)
	return short || s.legalOf(r, p.Amount, wagers)
}

// completes reports whether a collection is of wagers of a round from which too little was taken, and of which nothing
// was marked.
func (s *Shoe) completes(r *record.Round, p *schema.VigorishCollected) bool {
	v, commission := s.commission(r)
	if !commission || slices.ContainsFunc(p.WagerIDs, func(id string) bool { return r.WagerIndex(id) < 0 }) {
		return false
	}
	low, took := int64(0), int64(0)
	of := func(w int) bool {
		b := &r.Wagers[w]
		return b.Spot == baccarat.SpotBanker && !b.Gone && collects(p, b.ID, b.Seat)
	}
	for w := range r.Wagers {
		if of(w) {
			low = baccarat.Add(low, v.Low(r.Wagers[w].Amount))
		}
	}
	for i := range r.Steps {
		m := &r.Steps[i]
		switch {
		case m.Kind == record.StepVigMarked && m.Wager >= 0 && of(m.Wager):
			return false
		case m.Kind > record.StepVigMarked && m.Seat == p.Seat:
			for w := range r.Wagers {
				if m.Covers(r, w) && !of(w) {
					return false
				}
			}
			took = baccarat.Add(took, m.Amount)
		}
	}
	return took > 0 && took < low
}

// chargeable reports whether a round has a banker wager from which nothing was marked or taken.
func chargeable(r *record.Round, id string) bool {
	w := r.WagerIndex(id)
	return w >= 0 && r.Wagers[w].Spot == baccarat.SpotBanker && !r.Wagers[w].Gone && !r.Charged(w)
}

// owesAtOnce reports whether a seat has banker wagers that owe vigorish of a round, and nothing was marked or taken at
// the seat.
func (s *Shoe) owesAtOnce(r *record.Round, seat uint32) bool {
	if s.Law == nil || r.Config == nil || !r.Coup().Complete {
		return false
	}
	takes := s.Law.Takes(r.Config, r.Coup())
	return (takes.Won || takes.Tie > 0) && record.Any(r.Wagers, func(w *record.Wager) bool {
		return w.Seat == seat && chargeable(r, w.ID)
	}) && !record.Any(r.Steps, func(s *record.Step) bool { return s.Seat == seat && s.Kind >= record.StepVigMarked })
}

// owesBefore reports whether a seat has vigorish of earlier rounds to pay, or may have it.
func (t *Table) owesBefore(s *Shoe, seat uint32) bool {
	owes := func(s *Shoe) bool {
		return s != nil && record.Any(s.Dues, func(d *record.Due) bool {
			return d.Seat == seat && (d.Open() > 0 || d.CollectedAt == 0)
		})
	}
	return s.Joined || s.Missing || owes(s) || owes(t.Prev)
}

func (t *Table) charge(c *turn, s *Shoe, r *record.Round, p *schema.VigorishCollected) {
	if len(p.WagerIDs) > 0 {
		t.doubt(c, s, p.Seat, p.WagerIDs...)
	}
	step := r.NewStep()
	named := step.Wagers[:0]
	*step = record.Step{} // its storage has a step of an earlier round, and the steps are read below
	for _, id := range firstOf(p.WagerIDs) {
		if at := r.WagerIndex(id); at >= 0 && !slices.Contains(named, at) {
			named = append(named, at)
		}
	}
	kind := record.StepVigCollected
	if p.VigorishKind == schema.VigorishKindTie25 && !takesCommission(r) {
		kind = record.StepTieCharge
	}
	named = s.alsoMeant(r, p.Amount, named)
	*step = record.Step{
		Seq: c.seq, Kind: kind, Seat: p.Seat, Amount: p.Amount, Wager: -1, Wagers: named, By: t.now.Actor.ID,
	}
}

// mark adds a marker. The event names one wager. A coin in the rectangle of the player contains "the amount of the
// vigorish owed", which may be of several wagers: it is then a mark of each. N.J.A.C. 19:47-3.3(c).
func (t *Table) mark(c *turn, s *Shoe, r *record.Round, p *schema.VigorishMarked) {
	at := r.WagerIndex(p.WagerID)
	held := s.heldBefore(r, at, p.Amount)
	amount := p.Amount - held
	switch {
	case amount == 0 && p.Amount > 0:
		return // it lies there again
	case amount < 0 && s.lower(r, at, -amount, c.seq):
		return
	}
	step := record.Step{
		Seq: c.seq, Kind: record.StepVigMarked, Seat: seatOf(r, at, p.Seat), Amount: amount, Wager: at,
		Marker: baccarat.Marker(p.Marker), Area: p.Area, By: t.now.Actor.ID,
	}
	others, shares := s.alsoMarked(r, amount, at)
	for i, other := range others {
		step.Amount -= shares[i]
		part := step
		part.Wager, part.Amount = other, shares[i]
		*r.NewStep() = part
	}
	step.Held = held
	*r.NewStep() = step
}

// lower gives a wager a marker that has less, and reports whether it has a marker with more.
func (s *Shoe) lower(r *record.Round, wager int, by int64, at record.Seq) bool {
	for i := range slices.Backward(r.Steps) {
		if m := r.Steps[i]; m.Kind == record.StepVigMarked && m.Wager == wager && m.Amount > by {
			m.Seq, m.Amount = at, m.Amount-by
			r.Steps = append(slices.Delete(r.Steps, i, i+1), m)
			return true
		}
	}
	return false
}

// markSettled adds a marker that names a wager of a round that is settled. The markers of a seat lie in one rectangle:
// it may be put back there, or have what is owed of the round in progress.
func (t *Table) markSettled(c *turn, s *Shoe, p *schema.VigorishMarked) {
	i := record.Index(s.Dues, func(d *record.Due) bool { return d.Wager == p.WagerID })
	if i < 0 {
		t.doubt(c, s, p.Seat, p.WagerID)
		return
	}
	d := &s.Dues[i]
	if s.takeUp(d.Seat, p.Amount, 0, func(rest int64) bool { return rest == 0 }) > 0 ||
		p.Amount == d.Open() && s.takePart(d.Seat, p.Amount) {
		return
	}
	for _, r := range [2]*record.Round{s.Round, s.Settling} {
		if r == nil || d.Open() == 0 || !takesCommission(r) {
			continue
		}
		if live := s.unmarkedOf(r, d.Seat, p.Amount); live >= 0 {
			named := *p
			named.WagerID = r.Wagers[live].ID
			t.mark(c, s, r, &named)
			return
		}
	}
	if d.Open() > 0 {
		if held := s.takeNearest(d.Seat, p.Amount, [2]int64{}); held > 0 {
			d.Replace(p.Amount-held, c.seq)
			return
		}
	}
	s.Mark(p.WagerID, p.Amount, c.seq)
}

// takePart takes a part of the markers of a seat that were taken off together, uncollected: one of them lies there
// again.
func (s *Shoe) takePart(seat uint32, amount int64) bool {
	i := record.Index(s.MarkersRemoved, func(m *record.SeatChange) bool { return m.Seat == seat && m.Amount > amount })
	if i < 0 || s.uncollected(seat, 0) < amount {
		return false
	}
	s.MarkersRemoved[i].Amount -= amount
	return true
}

// unmarkedOf is the first banker wager of a seat in a round that was neither charged nor marked, or whose marker was
// taken off again, and for which a marker is legal, with or without what was taken off; -1 if there is none.
func (s *Shoe) unmarkedOf(r *record.Round, seat uint32, amount int64) int {
	var taken []bool
	for w := range r.Wagers {
		of := &r.Wagers[w]
		if of.Seat != seat || of.Spot != baccarat.SpotBanker || of.Gone {
			continue
		}
		fits := s.fitsWager(r, w)
		if _, until := s.places(seat, amount, 0, fits); !fits(amount) && until == 0 && !s.nearly(r, w, amount) {
			continue
		}
		if taken == nil {
			taken = chargedWagers(r)
		}
		if !taken[w] || s.allLifted(r, w) {
			return w
		}
	}
	return -1
}

// allLifted reports whether nothing but markers that were taken off again charges a wager of a round.
func (s *Shoe) allLifted(r *record.Round, wager int) bool {
	return !record.Any(r.Steps, func(m *record.Step) bool {
		return m.Kind == record.StepVigMarked && m.Wager == wager && s.Lifted(r, m) == 0 ||
			m.Kind > record.StepVigMarked && m.Covers(r, wager)
	})
}

// fitsWager returns whether an amount is a legal vigorish of a wager.
func (s *Shoe) fitsWager(r *record.Round, wager int) func(amount int64) bool {
	one := []int{wager}
	return func(amount int64) bool { return amount > 0 && s.legalOf(r, amount, one) }
}

// seatOf is the seat of a step, which may leave it to its wager.
func seatOf(r *record.Round, wager int, reported uint32) uint32 {
	if reported == 0 && wager >= 0 {
		return r.Wagers[wager].Seat
	}
	return reported
}

// alsoMarked are the other wagers of a mark and the part of each. The rest is legal for the wager that is named, if
// that is possible.
func (s *Shoe) alsoMarked(r *record.Round, amount int64, at int) (others []int, shares []int64) {
	v, ok := s.commission(r)
	one := [1]int{at}
	if !ok || at < 0 || s.legalOf(r, amount, one[:]) {
		return nil, nil
	}
	all := s.allMeant(r, amount, []int{at})
	if len(all) < 2 {
		return nil, nil
	}
	share := func(of func(int64) int64) (left int64) {
		shares, left = shares[:0], amount
		for _, i := range all[1:] {
			shares = append(shares, of(r.Wagers[i].Amount))
			left -= shares[len(shares)-1]
		}
		return left
	}
	if v.Judge(share(v.Up), r.Wagers[at].Amount) != baccarat.VigLegal {
		share(v.Low)
	}
	return all[1:], shares
}

// heldBefore is the part of a new marker that earlier ones of the seat had, which were taken off uncollected: one
// marker may contain all that is owed. It is the whole marker if that was put back. 9 NYCRR 5324.21(c)(3)(ii).
func (s *Shoe) heldBefore(r *record.Round, at int, amount int64) int64 {
	if at < 0 {
		return 0
	}
	legal := s.fitsWager(r, at)
	if legal(amount) {
		return 0
	}
	fits := [2]func(int64) bool{legal, func(rest int64) bool { return rest == 0 }}
	if r.Charged(at) {
		slices.Reverse(fits[:])
	}
	for _, fit := range fits {
		if held := s.takeUp(r.Wagers[at].Seat, amount, 0, fit); held > 0 {
			return held
		}
	}
	if len(s.allMeant(r, amount, []int{at})) > 1 {
		return 0
	}
	return s.takeNearest(r.Wagers[at].Seat, amount, s.chargeOf(r, at))
}

// chargeOf is the range of the vigorish of a wager that a new marker may have: nothing if it was charged.
func (s *Shoe) chargeOf(r *record.Round, wager int) (due [2]int64) {
	if v, ok := s.commission(r); ok && !r.Charged(wager) {
		due = [2]int64{v.Low(r.Wagers[wager].Amount), v.Up(r.Wagers[wager].Amount)}
	}
	return due
}

// nearly reports whether a marker that takes the place of others of a seat, and is of no legal amount, is nearer to
// them and the vigorish of a wager than to them alone.
func (s *Shoe) nearly(r *record.Round, wager int, amount int64) bool {
	due := s.chargeOf(r, wager)
	_, held := s.nearest(r.Wagers[wager].Seat, amount, due)
	return held > 0 && off(amount-held, due) < amount-held
}

// off is how far an amount is from a range.
func off(amount int64, due [2]int64) int64 { return max(due[0]-amount, amount-due[1], 0) }

// takeNearest takes from the markers of a seat that were taken off uncollected those with which a new marker of no
// legal amount is nearest to what is due beside them. It returns their sum, 0 if the marker alone is as near.
func (s *Shoe) takeNearest(seat uint32, amount int64, due [2]int64) (held int64) {
	taken, held := s.nearest(seat, amount, due)
	for _, i := range taken { // the latest first: an index below stays
		s.MarkersRemoved = slices.Delete(s.MarkersRemoved, i, i+1)
	}
	return held
}

// nearest are the indices of the markers that takeNearest takes, the latest first, and their sum.
func (s *Shoe) nearest(seat uint32, amount int64, due [2]int64) (taken []int, held int64) {
	var all []int
	least, open, sum := off(amount, due), s.uncollected(seat, 0), int64(0)
	for i, m := range slices.Backward(s.MarkersRemoved) {
		if m.Seat != seat || m.Amount <= 0 || len(all) == mostTakenUp {
			continue
		}
		all, sum = append(all, i), baccarat.Add(sum, m.Amount)
		if by := off(amount-sum, due); sum <= open && by < least {
			taken, held, least = slices.Clone(all), sum, by
		}
		if by := off(amount-m.Amount, due); m.Amount <= open && by < least {
			taken, held, least = []int{i}, m.Amount, by
		}
	}
	return taken, held
}

// takeOff notes a marker that was taken off. What it has of earlier markers is again one of these: another marker may
// take their place.
func (t *Table) takeOff(c *turn, s *Shoe, p *schema.VigorishMarkerRemoved) {
	held := s.heldBy(p)
	if held > 0 {
		t.takeOffPart(c, s, p.Seat, held)
	} else if had := t.owing(s, p.Seat).PutBack(p.Seat, p.Amount, c.seq); had > 0 {
		t.takeOffPart(c, s, p.Seat, had)
		return
	}
	t.takeOffPart(c, s, p.Seat, p.Amount-held)
}

func (t *Table) takeOffPart(c *turn, s *Shoe, seat uint32, amount int64) {
	if s.heldMore(seat, amount) {
		return
	}
	o := t.owing(s, seat)
	o.MarkersRemoved = append(o.MarkersRemoved, record.SeatChange{Seq: c.seq, Seat: seat, Amount: amount})
}

// heldBy is what a marker that is taken off, and that was placed in a round which is not settled, has of earlier ones.
func (s *Shoe) heldBy(p *schema.VigorishMarkerRemoved) int64 {
	for _, r := range [2]*record.Round{s.Round, s.Settling} {
		if r == nil {
			continue
		}
		for i := range slices.Backward(r.Steps) {
			m := &r.Steps[i]
			if m.Kind == record.StepVigMarked && m.Seat == p.Seat && m.Held > 0 &&
				m.Held+r.Marker(m) == p.Amount && m.Held < p.Amount && s.Lifted(r, m) == 0 {
				return m.Held
			}
		}
	}
	return 0
}

// heldMore reports whether a marker that is taken off uncollected, with others taken off since, is part of the marker
// that was placed before it, which then counts for the rest.
func (s *Shoe) heldMore(seat uint32, amount int64) bool {
	for _, r := range [2]*record.Round{s.Round, s.Settling} {
		if r == nil {
			continue
		}
		for i := range slices.Backward(r.Steps) {
			m := &r.Steps[i]
			if m.Kind != record.StepVigMarked || m.Seat != seat || m.Wager < 0 {
				continue
			}
			fits := s.fitsWager(r, m.Wager)
			if amount <= 0 || fits(m.Amount) || s.uncollected(seat, amount) < amount {
				return false
			}
			rest := m.Amount - amount
			if !fits(rest) {
				rest -= s.takeUp(seat, rest, m.Seq, fits)
			}
			if fits(rest) {
				m.Amount, m.Held = rest, m.Held+m.Amount-rest
				return true
			}
			return false
		}
	}
	return false
}

// mostTakenUp is of how many markers one takes the place at most.
const mostTakenUp = 8

// takeUp takes from the markers of a seat that were taken off uncollected after an event those whose place a new one
// takes: the latest ones, or a single one, so that the rest of its amount fits. It returns their sum.
func (s *Shoe) takeUp(seat uint32, amount int64, after record.Seq, fits func(rest int64) bool) (held int64) {
	taken, n := s.places(seat, amount, after, fits)
	for _, i := range taken[:n] { // the latest first: an index below stays
		held = baccarat.Add(held, s.MarkersRemoved[i].Amount)
		s.MarkersRemoved = slices.Delete(s.MarkersRemoved, i, i+1)
	}
	return held
}

// places are the indices of the markers that takeUp takes, the latest first, and their number.
func (s *Shoe) places(
	seat uint32, amount int64, after record.Seq, fits func(rest int64) bool,
) (taken [mostTakenUp]int, n int) {
	for i, m := range slices.Backward(s.MarkersRemoved) {
		if m.Seat == seat && m.Seq > after && m.Amount > 0 && n < len(taken) {
			taken[n] = i
			n++
		}
	}
	if n == 0 {
		return taken, 0
	}
	off, sum := s.uncollected(seat, 0), int64(0)
	for k := range n {
		one := s.MarkersRemoved[taken[k]].Amount
		sum = baccarat.Add(sum, one)
		switch {
		case sum <= min(off, amount) && fits(amount-sum):
			return taken, k + 1
		case one <= min(off, amount) && fits(amount-one):
			taken[0] = taken[k]
			return taken, 1
		}
	}
	return taken, 0
}

// uncollected is the sum of a seat's markers that were taken off, with one more of amount sum, less what was collected,
// also in their round, and the markers that were placed by mistake: another one has taken their place.
func (s *Shoe) uncollected(seat uint32, sum int64) int64 {
	if len(s.MarkersRemoved) == 0 {
		return sum
	}
	for _, m := range s.MarkersRemoved {
		if m.Seat == seat {
			sum = baccarat.Add(sum, m.Amount)
		}
	}
	for i := range s.Collections {
		if c := &s.Collections[i]; c.Seat == seat {
			sum -= c.Amount
		}
	}
	for i := range s.Dues {
		if d := &s.Dues[i]; d.Seat == seat {
			sum -= d.TakenOff + d.PaidMark
		}
	}
	for _, r := range [2]*record.Round{s.Round, s.Settling} {
		sum -= s.putRightIn(r, seat)
	}
	return sum
}

// putRightIn is the sum of the markers of a seat that were placed by mistake in a round that is not settled yet, and
// taken off again.
func (s *Shoe) putRightIn(r *record.Round, seat uint32) (sum int64) {
	if r == nil {
		return 0
	}
	v, ok := s.commission(r)
	for i := range r.Steps {
		if m := &r.Steps[i]; ok && m.Kind == record.StepVigMarked && m.Seat == seat && s.TakenOff(r, m, v.Percent) {
			sum = baccarat.Add(sum, m.Amount)
		}
	}
	return sum
}

// takesCommission reports whether the vigorish of a round is a commission, whatever it is called.
func takesCommission(r *record.Round) bool {
	return r.Config != nil && r.Config.Mode == baccarat.Commission && r.Coup().Complete &&
		r.Coup().Result() == baccarat.BankerWon
}

// commission is the vigorish of the banker wagers of a round that won.
func (s *Shoe) commission(r *record.Round) (baccarat.Vig, bool) {
	if s.Law == nil || !takesCommission(r) {
		return baccarat.Vig{}, false
	}
	return s.Law.Commission(r.Config, r.Coup())
}

// alsoMeant adds to the wagers that a vigorish names the other banker wagers of the same patron and seat, if it is no
// legal vigorish of the ones named and is one of all of them: it is a part of what the player won or wagered.
// N.J.A.C. 19:47-3.3(c), 7.3(d).
func (s *Shoe) alsoMeant(r *record.Round, amount int64, named []int) []int {
	if len(named) == 0 || s.legalOf(r, amount, named) {
		return named
	}
	return s.allMeant(r, amount, named)
}

// allMeant is alsoMeant for an amount that is no legal vigorish of the wagers that are named.
func (s *Shoe) allMeant(r *record.Round, amount int64, named []int) []int {
	all, of := slices.Clone(named), &r.Wagers[named[0]]
	taken, together := chargedWagers(r), r.MarkedWith(named[0])
	for i := range r.Wagers {
		w := &r.Wagers[i]
		owes := w.Spot == baccarat.SpotBanker && !w.Gone && !taken[i]
		if w.MayBeOf(of) && (owes || slices.Contains(together, i)) && !slices.Contains(named, i) {
			all = append(all, i)
		}
	}
	if len(all) > len(named) && s.legalOf(r, amount, all) {
		return all
	}
	return named
}

// chargedWagers is charged for each wager of a round, in one pass over its steps.
func chargedWagers(r *record.Round) []bool {
	all := make([]bool, len(r.Wagers))
	for i := range r.Steps {
		switch s := &r.Steps[i]; {
		case s.Kind == record.StepVigMarked && s.Wager >= 0:
			all[s.Wager] = true
		case s.Kind > record.StepVigMarked:
			for w := range all {
				all[w] = all[w] || s.Covers(r, w)
			}
		}
	}
	return all
}

// legalOf reports whether an amount is a legal vigorish of wagers: of each that won, of what they won together, or of
// their stakes on a tie.
func (s *Shoe) legalOf(r *record.Round, amount int64, wagers []int) bool {
	v, commission := s.commission(r)
	if !commission {
		return s.legalTie(r, amount, wagers)
	}
	var few [8]int64 // no allocation for a collection
	won, total := few[:0], int64(0)
	for _, i := range wagers {
		won, total = append(won, r.Wagers[i].Amount), baccarat.Add(total, r.Wagers[i].Amount)
	}
	return v.Judge(amount, won...) == baccarat.VigLegal || v.Judge(amount, total) == baccarat.VigLegal
}

// legalTie reports whether an amount is the charge on a tie of wagers, with their coupons or without.
func (s *Shoe) legalTie(r *record.Round, amount int64, wagers []int) bool {
	if s.Law == nil || r.Config == nil || !r.Coup().Complete || r.Coup().Result() != baccarat.Tie {
		return false
	}
	percent := s.Law.Takes(r.Config, r.Coup()).Tie
	var low, high, lowChips, highChips int64
	for _, i := range wagers {
		w := &r.Wagers[i]
		of, to := law.TieCharge(percent, w.Amount)
		ofChips, toChips := law.TieCharge(percent, w.Amount-w.Coupon)
		low, high, lowChips, highChips = low+of, high+to, lowChips+ofChips, highChips+toChips
	}
	return percent > 0 && (low <= amount && amount <= high || lowChips <= amount && amount <= highChips)
}
