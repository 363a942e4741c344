package fault

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

func shuffleFaults() []Fault {
	nj := njAll()
	return []Fault{
		{
			Rule: "shuffle.required", Doc: "used cards loaded again without a shuffle", Kinds: nj, notInRound: true,
			tune: reshuffling(false),
			edit: editing("delete shoe=2 shoe_shuffled"),
		},
		{
			Rule: "shuffle.random-order", Doc: "the cards come in new-deck order, or in that of the shoe before",
			Kinds: nj, notInRound: true, legalShoeBefore: true,
			bend: func(sc *scene) error {
				order := sc.previousCards
				if sc.table.Rand().IntN(2) == 0 {
					order = shoe.NewPack(sc.table.Config().Decks)
				}
				sc.stack(order)
				if at := sc.plan.CardsBefore(); at[len(at)-1] < 60 {
					return errNotOffered // too few cards to prove the order
				}
				return nil
			},
		},
		{
			Rule: "shuffle.by-dealer", Doc: "a patron laces the cards, in New York burns them", Kinds: nj, notInRound: true,
			edit: func(sc *scene) string {
				if sc.table.Writer().House.NewYork {
					return "set each shoe_burned reason=OPENING: actor.role=PATRON"
				}
				return "set shoe_laced: actor.role=PATRON"
			},
		},
		{
			Rule: "shuffle.lacing", Doc: "no lacing", Kinds: nj, notInRound: true, tune: reshuffling(false),
			edit: editing("delete shoe_laced"),
		},
		{
			Rule: "shuffle.option-pit-uniform",
			Doc:  "one table of the pit reshuffles after lacing and its neighbour does not", Kinds: nj, notInRound: true,
			tune: reshuffling(false), secondTable: func(*schema.TableConfig) {},
			edit: func(sc *scene) string {
				return "insert after shoe_laced: shoe_shuffled batch_id=" + sc.table.Writer().Batch +
					" phase=AFTER_LACING method=MANUAL"
			},
		},
		{
			Rule: "shuffle.option-notice", Doc: "the notice of reshuffling late, oral or to one recipient only",
			Kinds: nj, notInRound: true,
			tune: reshuffling(true),
			edit: func(sc *scene) string {
				how := []string{"recipients=SURVEILLANCE", "recipients=COMMISSION", "filed_at+=31m", "written=false"}
				return "set notice_filed topic=RESHUFFLE_OPTION: " + how[sc.table.Rand().IntN(len(how))]
			},
		},
		{
			Rule: "shuffle.step-order", Doc: "laced after the cut", Kinds: nj, notInRound: true,
			tune: reshuffling(false),
			edit: editing("move shoe_laced after shoe_transposed"),
		},
	}
}

func reshuffling(on bool) func(*schema.TableConfig) {
	return func(c *schema.TableConfig) { c.ReshuffleAfterLacing = on }
}

// stack deals the shoe again from cards in a given order, followed by the rest of the set.
func (sc *scene) stack(order []shoe.Card) {
	rest := shoe.NewPack(sc.table.Config().Decks)
	for _, c := range order {
		if i := slices.Index(rest, c); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		}
	}
	shoe.Shuffle(sc.table.Rand(), rest)
	deck := slices.Concat(order, rest)
	n := 1 + deck[0].Burns()
	sc.plan.Burn, deck = deck[:n:n], deck[n:]
	for i := range sc.plan.Rounds {
		r := &sc.plan.Rounds[i]
		r.Coup = shoe.DealCoup(deck)
		deck = deck[r.Coup.Cards():]
		if r.Bank != nil {
			r.Bank.Calls = nil // calls depend on results
		}
	}
	sc.plan.Rest = deck
}
