package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
)

// A recut, N.J.A.C. 19:47-3.5(e): the stack is cut again, and what 3.5(d) has follow the cut is done again.

// checkCuttingCards is evaluated at the first card. A card placed before a recut is no longer where it was, unless the
// recut was not made.
func checkCuttingCards(p *Pass) {
	prep := &p.Shoe.Prep
	since := prep.LastRecut()
	f := Finding{Expected: "cutting cards 1 and 2 placed in the stack", Evidence: []record.Seq{p.Shoe.First}}
	if since != 0 {
		f.Expected, f.Evidence = "cutting cards 1 and 2 placed again after the recut", []record.Seq{since}
	}
	var missing []string
	for which := uint32(1); which <= 2; which++ {
		if c := cutcard(prep, which); c == nil || c.Seq < since {
			missing = append(missing, fmt.Sprintf("cutting card %d was not placed", which))
		}
	}
	switch {
	case len(missing) == 0:
	case oneNumber(prep, since):
		p.CannotJudge("both cutting cards were reported under one number", f.Evidence...)
	case slices.ContainsFunc(prep.Cutcards, func(c record.PlacedCutcard) bool { return c.Which == 0 }):
		p.CannotJudge("which cutting card was placed was not reported", f.Evidence...)
	case p.preShuffled() && p.newBatch() != nil:
		p.CannotJudge("the cutting cards may have been placed before the cards came to the table", f.Evidence...)
	default:
		f.Observed = strings.Join(missing, ", ")
		if p.Shoe.Loaded.Seq != 0 {
			f.Evidence = append(f.Evidence, p.Shoe.Loaded.Seq)
		}
		p.Report(f)
	}
}

// cutSince reports whether the stack was cut after an event.
func cutSince(prep *record.Preparation, seq record.Seq) bool {
	return len(prep.Cuts) > 0 && prep.Cuts[len(prep.Cuts)-1].Seq > seq
}

func checkRecutMade(p *Pass) {
	prep := &p.Shoe.Prep
	n := len(prep.Recuts)
	if n == 0 || cutSince(prep, prep.Recuts[n-1].Seq) {
		return
	}
	p.Report(Finding{
		Expected: "stack cut again before the first card", Observed: "no cut after the order",
		Evidence: append([]record.Seq{prep.Recuts[n-1].Seq}, p.loading()...),
	})
}

func checkRecutWindow(p *Pass) {
	prep := &p.Shoe.Prep
	for _, r := range prep.Recuts {
		f := Finding{Expected: "recut ordered after the cut and before any card", Evidence: []record.Seq{r.Seq}}
		switch {
		case len(prep.Cuts) == 0 || r.Seq < prep.Cuts[0].Seq:
			f.Observed = "ordered before the cut"
		case r.Late:
			f.Observed = "ordered after the first card was dealt"
		case r.Burned && p.option("recut_after_burn") != "true":
			f.Observed = "ordered after the opening burn"
		default:
			continue
		}
		p.Report(f)
	}
	p.preparedInPlay()
}

// seqsOf are the events of a list of acts.
func seqsOf[T any](list []T, seq func(*T) record.Seq) []record.Seq {
	var seqs []record.Seq
	for i := range list {
		seqs = append(seqs, seq(&list[i]))
	}
	return seqs
}

// firstDealt is the event of the first card that was dealt in a round of the shoe that is over, 0 if there is none.
func firstDealt(s *record.Shoe) (first record.Seq) {
	for i := range s.Rounds {
		if at := s.Rounds[i].Card; at != 0 && (first == 0 || at < first) {
			first = at
		}
	}
	return first
}

// preparedInPlay suspects steps of the preparation that were taken between the first and the last card of the shoe: the
// cards are washed, laced, cut, moved and put into the shoe before play, and cut again "before any cards have been
// dealt". N.J.A.C. 19:47-3.4(c), 3.5(b)-(e), 4.4(b)-(e), 7.4(c), 7.5(b)-(e). They may have been recorded late. What
// follows an order that came too late is that finding.
func (p *Pass) preparedInPlay() {
	s, prep := p.Shoe, &p.Shoe.Prep
	first := firstDealt(s)
	if first == 0 || slices.ContainsFunc(prep.Recuts, func(r record.Recut) bool { return r.Late }) {
		return
	}
	var names []string
	f := Finding{Expected: "the cards prepared before the first card"}
	// A step that was not taken before the first card is reported by its own rule, and may be the one in play.
	step := func(name string, due int, seqs []record.Seq) {
		if len(seqs) > 0 && seqs[0] > first {
			seqs = seqs[min(due, len(seqs)):]
		}
		for _, at := range seqs {
			if at <= first || at >= s.LastCard {
				continue
			}
			if f.Evidence = append(f.Evidence, at); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if b := p.Table.Batch(s.Batch()); b == nil || b.Washed != prep.Washed {
		step("washed", 0, []record.Seq{prep.Washed})
	}
	step("laced", 1, seqsOf(prep.Laced, func(l *record.Laced) record.Seq { return l.Seq }))
	step("cut", 1, seqsOf(prep.Cuts, func(c *record.Cut) record.Seq { return c.Seq }))
	step("front cards moved to the back", 1, seqsOf(prep.Transposed, func(t *record.Change) record.Seq { return t.Seq }))
	step("cutting card placed", 2, seqsOf(prep.Cutcards, func(c *record.PlacedCutcard) record.Seq { return c.Seq }))
	step("put into the shoe", 1, prep.Loads)
	if len(names) > 0 {
		f.Observed = strings.Join(names, ", ") + " during play"
		f.Evidence = append(f.Evidence, first, s.LastCard)
		p.Suspect(f)
	}
}

// RecutGrounds are words of the sentence, and of what makes a cut improper or endangers the game.
func RecutGrounds() []string {
	return []string{
		"cut", "improper", "integrity", "fair", "square", "expos", "seen", "shown", "flash", "drop", "spill", "fell",
	}
}

func checkRecutAuthority(p *Pass) {
	for _, r := range p.Shoe.Prep.Recuts {
		f := Finding{
			Expected: "ordered by SUPERVISOR", Observed: fmt.Sprintf("ordered by %v", r.By),
			Evidence: []record.Seq{r.Seq},
		}
		reason := strings.ToLower(r.Reason)
		named := func(word string) bool { return strings.Contains(reason, word) }
		switch r.By {
		case baccarat.RoleSupervisor:
			if reason == "" || slices.ContainsFunc(RecutGrounds(), named) {
				continue
			}
			f.Expected = "a cut performed improperly, or in a way that might affect the integrity or fairness of the game"
			f.Observed = "another reason"
			p.Suspect(f)
		case baccarat.NoRole:
			p.CannotJudge("who ordered the recut was not reported", r.Seq)
		case baccarat.RoleFloorperson:
			// The text that defines a casino supervisor was not found.
			p.CannotJudge("whether the floorperson is a casino supervisor is not known", r.Seq)
		case baccarat.RoleSurveillance, baccarat.RoleDevice:
			p.Suspect(f)
		default:
			p.Report(f)
		}
	}
}

func checkRecutPerson(p *Pass) {
	prep := &p.Shoe.Prep
	for _, r := range prep.Recuts {
		i := slices.IndexFunc(prep.Cuts, func(c record.Cut) bool { return c.Seq > r.Seq })
		if i < 1 {
			continue // not made, or no cut before it
		}
		first, again := prep.Cuts[i-1], prep.Cuts[i]
		if !first.Named() || !again.Named() {
			p.CannotJudge("who cut was not reported", first.Seq, again.Seq)
			continue
		}
		last, next := recutter{first.By, first.Seat}, p.nextEntitled(r.Seq, again.Seq)
		allowed := next
		switch option := p.option("recut_by"); {
		case option == "next-entitled" || first.By == baccarat.RoleDealer || slices.Contains(next, last):
		case option == "last-cutter" && !p.declined(last.seat, r.Seq, again.Seq):
			allowed = []recutter{last}
		default:
			allowed = append([]recutter{last}, next...)
		}
		by := recutter{again.By, again.Seat}
		if by.role != baccarat.RolePatron {
			by.seat = 0
		}
		switch {
		case slices.Contains(allowed, by):
		case by.role == baccarat.RolePatron && p.seatingUnknown(prep.Occupied, by.seat, again.Seq):
		default:
			p.Report(Finding{
				Expected: "recut by " + recutText(allowed, next),
				Observed: by.String(), Evidence: []record.Seq{first.Seq, r.Seq, again.Seq},
			})
		}
	}
}

// recutText names who may cut again; where the last cutter is among them, with the ground of each.
func recutText(allowed, next []recutter) string {
	names := make([]string, len(allowed))
	for i, r := range allowed {
		names[i] = r.String()
		switch {
		case len(allowed) <= len(next):
		case i == 0:
			names[i] += " (cut last)"
		default:
			names[i] += " (next entitled)"
		}
	}
	return strings.Join(names, ", ")
}

// recutter is who cuts: a role, and the seat of a patron.
type recutter struct {
	role baccarat.Role
	seat uint32
}

func (r recutter) String() string {
	if r.role == baccarat.RolePatron {
		return fmt.Sprintf("%v seat %d", r.role, r.seat)
	}
	return r.role.String()
}

// declined reports whether a seat declined the cut between two events.
func (p *Pass) declined(seat uint32, from, to record.Seq) bool {
	return slices.ContainsFunc(p.Shoe.Prep.Offers, func(o record.CutOffer) bool {
		return o.Seat == seat && !o.Accepted && o.Seq > from && o.Seq < to
	})
}

// nextEntitled is who may be the next person entitled to cut when a recut is ordered: the patron after the last offer.
// When all were offered the cut, the sentence leaves open whether the dealer is next or the turn begins again. An offer
// after the order that is declined passes the right on.
func (p *Pass) nextEntitled(ordered, cut record.Seq) []recutter {
	prep := &p.Shoe.Prep
	occupied, offers := seated(prep), prep.Offers
	seats := len(occupied)
	// had are the seats that were offered the cut in this turn, last the latest of them.
	had, last, again := map[uint32]bool{}, uint32(0), false
	note := func(seat uint32) {
		last, had[seat] = seat, true
		if len(had) >= seats {
			again = true
			clear(had)
		}
	}
	for ; len(offers) > 0 && offers[0].Seq <= ordered; offers = offers[1:] {
		note(offers[0].Seat)
	}
	for _, o := range offers {
		if o.Seq <= cut && !o.Accepted && o.Seat == p.clockwise(occupied, last) {
			note(o.Seat)
		}
	}
	var next []recutter
	if again || seats == 0 {
		next = append(next, recutter{role: baccarat.RoleDealer})
	}
	if seats > 0 {
		next = append(next, recutter{baccarat.RolePatron, p.clockwise(occupied, last)})
	}
	return next
}
