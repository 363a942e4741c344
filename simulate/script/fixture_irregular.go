package script

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

type irregularFixture struct {
	name   string
	change func(*shoe.Plan)
}

// irregular are the errors of dealing that are remedied as 19:47-3.12 demands.
func irregular() []irregularFixture {
	cards := func(text string) []shoe.Card {
		out, _ := shoe.ParseCards(strings.Fields(text))
		return out
	}
	coupOf := func(player, banker string) shoe.Coup {
		return shoe.Coup{Hands: [2][]shoe.Card{cards(player), cards(banker)}}
	}
	return []irregularFixture{
		{"S-IRA", func(s *shoe.Plan) {
			s.Rounds[0].Coup = coupOf("6c Kh", "5d Ks 3c")
			s.Rounds[0].Misdraw = &shoe.Misdraw{Remedy: shoe.MovedToBanker, Hand: shoe.Player, Card: cards("3c")[0]}
		}},
		{"S-IRB", func(s *shoe.Plan) {
			s.Rounds[0].Misdraw = &shoe.Misdraw{
				Remedy: shoe.BurnedWithCount, Hand: shoe.Player, Card: cards("4s")[0],
				Burned: cards("9h 2c Td 7s"),
			}
		}},
		{"S-IRC", func(s *shoe.Plan) {
			s.Rounds[0].Misdraw = &shoe.Misdraw{Remedy: shoe.CarriedOver, Hand: shoe.Player, Card: cards("9c")[0]}
			s.Rounds[1].Carried = true
		}},
		{"S-IRD", func(s *shoe.Plan) {
			s.Rounds[5].Misdraw = &shoe.Misdraw{
				Remedy: shoe.BurnedWithCount, Hand: shoe.Player, Card: cards("5h")[0],
				Burned: cards("Jh 9s 3d 8c Ah"),
			}
		}},
		{"S-IRE", func(s *shoe.Plan) {
			s.Rounds[2].FaceUp = []shoe.FaceUpCard{{Card: cards("6h")[0], Burned: cards("3d Jh 8c 5s Ac Qd")}}
		}},
		{"S-IRF", func(s *shoe.Plan) {
			last := &s.Rounds[5]
			last.Coup, last.Void = coupOf("2c 3h 3s", "4d Ks"), schema.VoidCauseInsufficientCards
			last.FaceUp = allButFive(s)
		}},
	}
}

// allButFive turns every card face up that the plan does not deal, or burns it for a card that lies face up.
func allButFive(s *shoe.Plan) []shoe.FaceUpCard {
	pool := shoe.NewPack(8)
	gone := slices.Clone(s.Burn)
	for i := range s.Rounds {
		for _, hand := range s.Rounds[i].Coup.Hands {
			gone = append(gone, hand...)
		}
	}
	for _, c := range gone {
		pool = slices.Delete(pool, slices.Index(pool, c), slices.Index(pool, c)+1)
	}
	shoe.Shuffle(rand.New(rand.NewPCG(1, 1)), pool)
	var out []shoe.FaceUpCard
	for left := len(pool); left > 0; left -= 1 + len(out[len(out)-1].Burned) {
		// A card whose burn uses up the rest, else a ten.
		i := slices.IndexFunc(pool, func(c shoe.Card) bool { return c.Burns() == min(10, left-1) })
		st := shoe.FaceUpCard{Card: pool[i]}
		pool = slices.Delete(pool, i, i+1)
		n := st.Card.Burns()
		st.Burned, pool = pool[:n:n], pool[n:]
		out = append(out, st)
	}
	return out
}
