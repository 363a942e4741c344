package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
)

// cheminStakes are the wagers against the Banker, round by round.
func cheminStakes() [][]stake {
	against := func(seat uint32, amount int64) stake {
		return stake{seat: seat, spot: schema.SpotAgainstBanker, amount: amount}
	}
	return [][]stake{{against(6, 100_000)}, {against(6, 200_000)}, {against(6, 200_000)}, {against(2, 150_000), against(7, 250_000)}}
}

// bank is the Banker's part of a round of the chemin de fer fixture.
func (f *fixture) bank(shoe, round int) *bank {
	if f.game != schema.GameCheminDeFer {
		return nil
	}
	b := &bank{wager: stake{
		id: fmt.Sprintf("w%d.%d.b", shoe, round), seat: 4, patron: "pt-4", medium: schema.WagerMediumChips,
		amount: []int64{100_000, 200_000, 200_000, 400_000}[round-1],
	}}
	switch round {
	case 1:
		b.bids = []bid{{2, 80_000}, {4, 100_000}}
		b.calls = []banco{{6, schema.BancoCallBanco}}
	case 2, 3:
		b.calls = []banco{{6, schema.BancoCallSuivi}}
	}
	return b
}

type mended struct {
	name string
	mend func(*shoePlan)
}

// irregular are the errors of dealing that were put right as 19:47-3.12 tells.
func irregular() []mended {
	cards := func(text string) []card {
		out, _ := parseCards(strings.Fields(text))
		return out
	}
	coupOf := func(player, banker string) coup {
		return coup{hands: [2][]card{cards(player), cards(banker)}}
	}
	return []mended{
		{"S-IRA", func(s *shoePlan) {
			s.rounds[0].coup = coupOf("6c Kh", "5d Ks 3c")
			s.rounds[0].slip = &slip{kind: slipMoved, hand: player, card: cards("3c")[0]}
		}},
		{"S-IRB", func(s *shoePlan) {
			s.rounds[0].slip = &slip{kind: slipBurned, hand: player, card: cards("4s")[0], burned: cards("9h 2c Td 7s")}
		}},
		{"S-IRC", func(s *shoePlan) {
			s.rounds[0].slip = &slip{kind: slipCarried, hand: player, card: cards("9c")[0]}
			s.rounds[1].carried = true
		}},
		{"S-IRD", func(s *shoePlan) {
			s.rounds[5].slip = &slip{kind: slipBurned, hand: player, card: cards("5h")[0], burned: cards("Jh 9s 3d 8c Ah")}
		}},
		{"S-IRE", func(s *shoePlan) {
			s.rounds[2].found = []stray{{card: cards("6h")[0], burned: cards("3d Jh 8c 5s Ac Qd")}}
		}},
		{"S-IRF", func(s *shoePlan) {
			last := &s.rounds[5]
			last.coup, last.void = coupOf("2c 3h 3s", "4d Ks"), schema.VoidCauseInsufficientCards
			last.found = allButFive(s)
		}},
	}
}

// allButFive lets every card but those that the plan deals lie face up or be burned for one that does.
func allButFive(s *shoePlan) []stray {
	pool := fullSet(8)
	gone := slices.Clone(s.burn)
	for i := range s.rounds {
		for _, hand := range s.rounds[i].coup.hands {
			gone = append(gone, hand...)
		}
	}
	for _, c := range gone {
		pool = slices.Delete(pool, slices.Index(pool, c), slices.Index(pool, c)+1)
	}
	shuffle(rand.New(rand.NewPCG(1, 1)), pool)
	var out []stray
	for left := len(pool); left > 0; left -= 1 + len(out[len(out)-1].burned) {
		// A card whose number just fits, else a ten.
		i := slices.IndexFunc(pool, func(c card) bool { return c.burns() == min(10, left-1) })
		st := stray{card: pool[i]}
		pool = slices.Delete(pool, i, i+1)
		n := st.card.burns()
		st.burned, pool = pool[:n:n], pool[n:]
		out = append(out, st)
	}
	return out
}
