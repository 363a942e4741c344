package fault

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// much is more than any patron stakes by habit.
const much = 2_000_000

func midiFaults() []Fault { return append(squeezeFaults(), relinquishFaults()...) }

func squeezeFaults() []Fault {
	kinds := midi()
	// rivalry adds two wagers on the player's hand.
	rivalry := func(first, second int64) func(*scene) {
		return func(sc *scene) {
			sc.stake = sc.addStake(schema.SpotPlayer, first)
			sc.otherStake = sc.addStake(schema.SpotPlayer, second, sc.stake.Seat)
		}
	}
	onPlayer, onBanker := staking(schema.SpotPlayer, much), staking(schema.SpotBanker, much)
	return []Fault{
		{
			Rule: "midi.squeeze.recipient", Doc: "the hand given to a lower wager", Kinds: kinds,
			wagers: rivalry(much, 5000),
			bend: func(sc *scene) error {
				sc.seat = sc.otherStake.Seat
				sc.round.HandTo[shoe.Player] = sc.seat
				return nil
			},
		},
		{
			Rule: "midi.squeeze.tie-break", Doc: "of two equal wagers the farther chosen", Kinds: kinds,
			wagers: rivalry(much, much),
			bend: func(sc *scene) error {
				sc.seat = max(sc.stake.Seat, sc.otherStake.Seat)
				sc.round.HandTo[shoe.Player] = sc.seat
				return nil
			},
		},
		{
			Rule: "midi.squeeze.faces", Doc: "cards given back face down", Kinds: kinds, wagers: onPlayer,
			edit: func(sc *scene) string { return "set " + sc.inRound("cards_returned hand=PLAYER nth=1: face=DOWN") },
		},
		{
			Rule: "midi.squeeze.order", Doc: "both hands out at once", Kinds: kinds, wagers: onBanker,
			edit: func(sc *scene) string {
				sc.stake = nil
				return "move " + sc.inRound("cards_handed hand=BANKER nth=1 before ") +
					sc.inRound("announced code=POINT_COUNT hand=PLAYER")
			},
		},
		{
			Rule: "midi.banker-under-shoe", Doc: "the banker hand left on the layout", Kinds: kinds,
			edit: func(sc *scene) string {
				return "set " + sc.inRound("card_moved to=UNDER_SHOE_RIGHT nth=1: to=LAYOUT")
			},
		},
	}
}

// givenUp lets the entitled patron relinquish the player's hand, and the second patron to be offered it accept.
func givenUp(sc *scene) {
	staking(schema.SpotPlayer, much)(sc)
	g := &shoe.Relinquishment{Seat: sc.stake.Seat}
	n := len(sc.table.Patrons())
	first := slices.IndexFunc(sc.table.Patrons(), func(p *deal.Patron) bool { return p.Seat == g.Seat })
	for i := 1; i <= 2; i++ {
		g.Offers = append(g.Offers, shoe.Offer{Seat: sc.table.Patrons()[(first+i)%n].Seat, Accepted: i == 2})
	}
	sc.round.Relinquished[shoe.Player] = g
}

func relinquishFaults() []Fault {
	kinds := midi()
	onPlayer, onBanker := staking(schema.SpotPlayer, much), staking(schema.SpotBanker, much)
	return []Fault{
		{
			Rule: "midi.third-card-same-player", Doc: "the third card given to another patron", Kinds: kinds,
			wagers: onBanker, accept: bankerDrew,
			edit: func(sc *scene) string {
				if sc.seat = sc.otherSeat(sc.stake.Seat); sc.seat == 0 {
					return ""
				}
				return "set last " + sc.inRound("cards_handed hand=BANKER: seat=%d", sc.seat) + "\nset last " +
					sc.inRound("cards_returned hand=BANKER: seat=%d", sc.seat)
			},
		},
		{
			Rule: "midi.relinquish-order", Doc: "the right-hand neighbour skipped", Kinds: kinds, wagers: givenUp,
			edit: func(sc *scene) string {
				sc.seat = sc.round.Relinquished[shoe.Player].Offers[1].Seat
				return "delete " + sc.inRound("squeeze_offered nth=1")
			},
		},
		{
			Rule: "midi.squeeze.acceptor", Doc: "one patron accepts, and another one is handed the cards", Kinds: kinds,
			wagers: givenUp, accept: func(_ *scene, c *shoe.Coup) bool { return c.Size(shoe.Player) == 2 },
			edit: func(sc *scene) string {
				accepted := sc.round.Relinquished[shoe.Player].Offers[1].Seat
				for _, p := range sc.table.Patrons() {
					if p.Seat != accepted {
						sc.seat = p.Seat
					}
				}
				return "set " + sc.inRound("cards_handed hand=PLAYER nth=1: seat=%d", sc.seat) + "\nset " +
					sc.inRound("cards_returned hand=PLAYER nth=1: seat=%d", sc.seat)
			},
		},
		{
			Rule: "midi.dealer-turns-when-none", Doc: "a hand given to a patron without a wager on it", Kinds: kinds,
			wagers: func(sc *scene) {
				onPlayer(sc)
				sc.emptySpot = schema.SpotBanker
				sc.round.Stakes = slices.DeleteFunc(sc.round.Stakes, func(x shoe.Stake) bool {
					return x.Spot == schema.SpotBanker
				})
			},
			bend: func(sc *scene) error {
				sc.seat = sc.stake.Seat
				sc.round.HandTo[shoe.Banker] = sc.seat
				return nil
			},
		},
		{
			Rule: "midi.compulsory-relinquish-authority", Doc: "the hand withdrawn by surveillance", Kinds: kinds,
			wagers: func(sc *scene) { givenUp(sc); sc.round.Relinquished[shoe.Player].Ordered = true },
			edit: func(sc *scene) string {
				return "set " + sc.inRound("squeeze_relinquished: ordered_by_role=SURVEILLANCE")
			},
		},
	}
}
