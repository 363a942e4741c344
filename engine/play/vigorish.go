package play

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// chargedIn is the round whose vigorish a collection of outstanding vigorish takes at once, nil if it takes what was
// owed before: it names wagers of that round alone, or the seat owes nothing else, and nothing was marked or taken for
// them.
func chargedIn(t *Table, s *Shoe, p *schema.VigorishCollected, round uint32) *record.Round {
	if p.VigorishKind != schema.VigorishKindOutstanding {
		return nil
	}
	for _, r := range [2]*record.Round{s.Round, s.Settling} {
		if r == nil || r.Full != 0 || len(r.Cards) == 0 || round != 0 && round != r.No {
			continue
		}
		if len(p.WagerIDs) > 0 && !slices.ContainsFunc(p.WagerIDs, func(id string) bool { return !chargeable(r, id) }) ||
			len(p.WagerIDs) == 0 && s.owesAtOnce(r, p.Seat) && !t.owesBefore(s, p.Seat) {
			return r
		}
	}
	return nil
}

// chargeable reports whether a round has a banker wager from which nothing was marked or taken.
func chargeable(r *record.Round, id string) bool {
	w := r.WagerIndex(id)
	return w >= 0 && r.Wagers[w].Spot == baccarat.SpotBanker && !r.Wagers[w].Gone && !charged(r, w)
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

// owesBefore reports whether a seat has vigorish of earlier rounds to pay.
func (t *Table) owesBefore(s *Shoe, seat uint32) bool {
	owes := func(s *Shoe) bool {
		return s != nil && record.Any(s.Dues, func(d *record.Due) bool {
			return d.Seat == seat && (d.Open() > 0 || d.CollectedAt == 0)
		})
	}
	return owes(s) || owes(t.Prev)
}

func (t *Table) charge(c *turn, s *Shoe, r *record.Round, p *schema.VigorishCollected) {
	step := r.NewStep()
	named := step.Wagers[:0]
	for _, id := range firstOf(p.WagerIDs) {
		if at := r.WagerIndex(id); at >= 0 && !slices.Contains(named, at) {
			named = append(named, at)
		}
	}
	kind := record.StepVigCollected
	commission := r.Config != nil && r.Config.Mode == baccarat.Commission && r.Coup().Complete &&
		r.Coup().Result() == baccarat.BankerWon // whatever it is called
	if p.VigorishKind == schema.VigorishKindTie25 && !commission {
		kind = record.StepTieCharge
	}
	if commission && s.Law != nil {
		named = s.alsoMeant(r, p.Amount, named)
	}
	*step = record.Step{
		Seq: c.seq, Kind: kind, Seat: p.Seat, Amount: p.Amount, Wager: -1, Wagers: named, By: t.now.Actor.ID,
	}
}

// alsoMeant adds to the wagers that a collection names the other banker wagers of the same patron and seat, if it is no
// legal vigorish of the ones named and is one of all of them: vigorish is a part of what the player won.
// N.J.A.C. 19:47-3.3(c).
func (s *Shoe) alsoMeant(r *record.Round, amount int64, named []int) []int {
	v, ok := s.Law.Commission(r.Config, r.Coup())
	if !ok || len(named) == 0 {
		return named
	}
	if legalOf(v, r, amount, named) {
		return named
	}
	all, of := slices.Clone(named), &r.Wagers[named[0]]
	for i := range r.Wagers {
		w := &r.Wagers[i]
		same := w.Patron == of.Patron || w.Patron == "" || of.Patron == ""
		if w.Seat == of.Seat && same && !slices.Contains(named, i) && chargeable(r, w.ID) {
			all = append(all, i)
		}
	}
	if legalOf(v, r, amount, all) {
		return all
	}
	return named
}

// legalOf reports whether an amount is a legal vigorish of wagers that won: of each, or of what they won together.
func legalOf(v baccarat.Vig, r *record.Round, amount int64, wagers []int) bool {
	var few [8]int64 // no allocation for a collection
	won, total := few[:0], int64(0)
	for _, i := range wagers {
		won, total = append(won, r.Wagers[i].Amount), baccarat.Add(total, r.Wagers[i].Amount)
	}
	return v.Judge(amount, won...) == baccarat.VigLegal || v.Judge(amount, total) == baccarat.VigLegal
}
