package detectors

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/schema"
)

var d15 = &Detector{
	ID: "d15", Name: "offsetting bets", Tier: Certain,
	Observes: "two accounts that bet the same amounts on opposite sides in most of their common rounds",
	Null: "a rule without odds: at least 30 rounds, 90 % of them opposite with stakes within a tenth, " +
		"and the turnover of the policy",
	Reports: "common rounds, the part that offset, turnover and net result",
	Keys:    []KeyKind{OfPair},
	start:   func(b *Budget) process { return &offsetting{policy: &b.Policy, pairs: map[string]*offsetState{}} },
}

// offsetRounds is the minimum number of common rounds of a reported pair.
const offsetRounds = 30

// offsetting is d15.
type offsetting struct {
	inert
	policy *Policy
	pairs  map[string]*offsetState
}

// offsetState is the state of a pair in a visit. A reported pair rests until the next visit.
type offsetState struct {
	Last, Reported   int64 // ns
	Rounds, Opposite int
	Turnover, Net    int64
}

// mainBet is what a patron has on the Player and Banker spots.
type mainBet struct {
	patron         string
	player, banker int64
	net            int64
}

func (d *offsetting) Round(r *Round, out *factors) {
	if d.policy.Differential || !r.Played || !out.wants(OfPair) {
		return
	}
	var list []mainBet
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if w.Spot != baccarat.SpotPlayer && w.Spot != baccarat.SpotBanker || w.Patron == "" {
			continue
		}
		at := slices.IndexFunc(list, func(b mainBet) bool { return b.patron == w.Patron })
		if at < 0 {
			list, at = append(list, mainBet{patron: w.Patron}), len(list)
		}
		if w.Spot == baccarat.SpotPlayer {
			list[at].player += w.Stake
		} else {
			list[at].banker += w.Stake
		}
		list[at].net += w.net()
	}
	for i := range list {
		for j := i + 1; j < len(list); j++ {
			d.score(&list[i], &list[j], r, out)
		}
	}
}

func (d *offsetting) score(a, b *mainBet, r *Round, out *factors) {
	at := r.At
	if strings.Compare(a.patron, b.patron) > 0 {
		a, b = b, a
	}
	key := a.patron + "+" + b.patron
	s := d.pairs[key]
	if s == nil {
		s = &offsetState{}
		d.pairs[key] = s
	}
	if s.Reported != 0 && at-s.Last <= visitGap && at-s.Reported <= restMax {
		s.Last = at
		return
	}
	s.Last, s.Reported = at, 0
	s.Rounds++
	if x, y := a.player-a.banker, b.player-b.banker; offset(x, y) {
		s.Opposite++
		s.Turnover += max(x, -x) + max(y, -y)
		s.Net += a.net + b.net
	}
	if s.Rounds < offsetRounds || 10*s.Opposite < 9*s.Rounds || s.Turnover < d.policy.OffsetTurnover {
		return
	}
	currency := ""
	if r.Offer != nil {
		currency = r.Offer.Currency
	}
	out.add(Factor{
		Key: Key{OfPair, key}, Certain: true, Money: s.Turnover,
		Note: fmt.Sprintf("opposite bets of similar stakes in %d of %d common rounds, net %s on a turnover of %s",
			s.Opposite, s.Rounds, schema.Money(s.Net, currency), schema.Money(s.Turnover, currency)),
	})
	*s = offsetState{Last: at, Reported: at}
}

// offset reports whether two stakes are on opposite sides and differ by at most a tenth.
func offset(x, y int64) bool {
	return x != 0 && y != 0 && (x > 0) != (y > 0) && 10*max(x, -x) >= 9*max(y, -y) && 10*max(y, -y) >= 9*max(x, -x)
}
