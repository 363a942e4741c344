package detectors

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/numeric"
)

var d03 = &Detector{
	ID: "d03", Name: "outcomes", Tier: Exact,
	Observes: "results, naturals, numbers of cards and events of side wagers, with their exact probabilities",
	Null:     "the next cards are a uniform draw from the cards not seen",
	Reports:  "the difference between outcomes and probabilities",
	Keys:     []KeyKind{OfShoe, OfTable, OfDealer, OfDevice},
	Starts:   visits,
	start: func(b *Budget) process {
		d := &outcomes{keyed: newKeyed(b, outcomeExperts)}
		d.keyed.prior, d.keyed.share = outcomePrior(), 0.00005
		for i, theta := range outcomeTilts {
			d.tilts[i], d.raised[i] = numeric.Exp(theta), numeric.Expm1(theta)
		}
		return d
	},
}

// The results among the outcomeEvents.
const (
	bankerWins = iota
	playerWins
	tied
)

// outcomeEvents are the events that may be too frequent. The last is the pair of a hand.
var outcomeEvents = [...]func(*baccarat.Coup) bool{
	bankerWins: func(c *baccarat.Coup) bool { return c.Result() == baccarat.BankerWon },
	playerWins: func(c *baccarat.Coup) bool { return c.Result() == baccarat.PlayerWon },
	tied:       func(c *baccarat.Coup) bool { return c.Result() == baccarat.Tie },
	(*baccarat.Coup).Natural,
	func(c *baccarat.Coup) bool { return c.Cards() == 4 },
	func(c *baccarat.Coup) bool { return c.Cards() == 5 },
	func(c *baccarat.Coup) bool { return c.Cards() == 6 },
	(*baccarat.Coup).Dragon7,
	(*baccarat.Coup).Panda8,
	func(c *baccarat.Coup) bool { return c.Result() == baccarat.BankerWon && c.B == 6 },
	func(c *baccarat.Coup) bool { return c.PlayerPair },
}

// outcomeTilts are the logarithms of the factors by which the odds of an event are raised.
var outcomeTilts = [...]float64{.07, .17, .4, 1}

const outcomeExperts = len(outcomeEvents) * len(outcomeTilts)

// outcomePrior is the first weight of the experts of each event. Results have the largest.
func outcomePrior() []float64 {
	prior := make([]float64, outcomeExperts)
	for i := range prior {
		share := 0.55 / float64(len(outcomeEvents)-3)
		if i < 3*len(outcomeTilts) {
			share = 0.15
		}
		prior[i] = share / float64(len(outcomeTilts))
	}
	return prior
}

// outcomes is d03.
type outcomes struct {
	inert
	keyed
	experts [outcomeExperts]float64
	// tilts are e^theta of each of the outcomeTilts, raised e^theta - 1.
	tilts, raised [len(outcomeTilts)]float64
}

func (d *outcomes) Begin(*Shoe, *factors) { d.keyed.begin() }

func (d *outcomes) Round(r *Round, out *factors) {
	if !r.playable() {
		return
	}
	n, events := 0, &r.Offer.outcomes
	for i, holds := range outcomeEvents {
		chance := r.Odds.Pair
		if i < len(events) {
			chance = r.Odds.Chance(events[i])
		}
		came := holds(&r.Coup)
		for k := range outcomeTilts {
			e := 1 / (1 + float64(chance*d.raised[k]))
			if came {
				e *= d.tilts[k]
			}
			d.experts[n] = e
			n++
		}
	}
	f := Factor{Expected: r.Odds.Chance(events[0])}
	if r.Coup.Result() == baccarat.BankerWon {
		f.Observed = 1
	}
	for _, key := range [...]Key{{OfShoe, r.Shoe}, {OfTable, r.Table}, {OfDealer, r.Dealer}, {OfDevice, r.Shuffler}} {
		if key.ID != "" {
			f.Key = key
			d.keyed.add(f, r.At, d.experts[:], out)
		}
	}
}
