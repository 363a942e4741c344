package rules

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
)

// widen makes the only charge of a player that is not legal for the wagers that it names one of all that the player
// owes for: a coin contains "the amount of the vigorish owed" by a player, and no clause names a wager. N.J.A.C.
// 19:47-3.3(c). So one coin that is too low is one breach.
func (p *Pass) widen(chargeable func(*record.Wager) bool, legal func(*charge) bool) {
	r, owing, covered := p.Round, 0, 0
	for i := range r.Wagers {
		if w := &r.Wagers[i]; w.Spot == baccarat.SpotBanker && !w.Gone && chargeable(w) {
			owing++
		}
	}
	for i := range p.charged {
		covered += len(p.charged[i].at)
	}
	if covered == 0 || covered >= owing {
		return
	}
	of := func(w int) record.Player { return record.Player{Seat: r.Wagers[w].Seat, Patron: r.Wagers[w].Patron} }
	charges, names := map[record.Player][]int{}, make([]bool, len(r.Wagers))
	for i := range p.charged {
		for _, w := range p.charged[i].at {
			names[w] = true
		}
		player := of(p.charged[i].at[0])
		charges[player] = append(charges[player], i)
	}
	wrong := map[record.Player]bool{}
	for player, all := range charges {
		wrong[player] = len(all) == 1 && !legal(&p.charged[all[0]])
	}
	for w := range r.Wagers {
		wager := &r.Wagers[w]
		if wager.Spot == baccarat.SpotBanker && !wager.Gone && !names[w] && wrong[of(w)] && chargeable(wager) {
			p.cover(&p.charged[charges[of(w)][0]], w)
		}
	}
}
