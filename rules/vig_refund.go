package rules

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
)

// refund is what was given back of a commission that was too high: motions of the wager after the collection, beyond
// what the wager won. The contract has no event for it. The money of a round is judged by what its motions come to
// before the next first card. It is 0 if too much was given back.
func (p *Pass) refund(w *record.Wager) int64 {
	back, _, left := p.givenBack(w)
	if back == 0 {
		return 0
	}
	if v, ok := p.Law.Commission(p.Config, p.coup()); !ok || left < v.Low(w.Amount) {
		return 0
	}
	return back
}

// givenBack is what was given back of a commission that was too high, the collection, and what is left of it.
func (p *Pass) givenBack(w *record.Wager) (back int64, collected record.Seq, left int64) {
	net := w.Net()
	beyond := baccarat.Add(net.Paid, net.Returned) - w.Amount
	if beyond <= 0 || w.Spot != baccarat.SpotBanker || w.Gone || w.Disposition() != baccarat.Pay ||
		!p.oddsOf(w, p.coup()).Pays(w.Amount, w.Amount) {
		return 0, 0, 0
	}
	v, ok := p.Law.Commission(p.Config, p.coup())
	took, at := p.tookAlone(w)
	if !ok || at == 0 || took <= v.Up(w.Amount) {
		return 0, 0, 0
	}
	for s := range motions(w, p.Round) {
		if s.Seq > at && s.Kind != record.StepCollected {
			back = baccarat.Add(back, s.Amount)
		}
	}
	if back != beyond {
		return 0, 0, 0
	}
	return back, at, took - back
}

// tookAlone is the commission that was collected in the round for a wager alone, and the first motion; 0 if it was
// marked, or a collection is of other wagers, too.
func (p *Pass) tookAlone(w *record.Wager) (took int64, at record.Seq) {
	r := p.Round
	index := r.WagerIndex(w.ID)
	for i := range r.Steps {
		switch s := &r.Steps[i]; {
		case s.Kind == record.StepVigMarked && s.Wager == index:
			return 0, 0
		case s.Kind == record.StepVigCollected && s.Covers(r, index):
			if len(s.Wagers) != 1 {
				return 0, 0
			}
			took = baccarat.Add(took, s.Amount)
			if at == 0 {
				at = s.Seq
			}
		}
	}
	return took, at
}

// givesBack reports whether a step gives back a part of a commission.
func (p *Pass) givesBack(s *record.Step) bool {
	if s.Kind != record.StepPaid || s.Wager < 0 {
		return false
	}
	back, at, _ := p.givenBack(&p.Round.Wagers[s.Wager])
	return back > 0 && s.Seq > at
}
