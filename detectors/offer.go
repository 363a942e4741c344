package detectors

import (
	"sync"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/law"
)

// Offer is what a table offers: the kernel of its drawing table, and the terms of each spot. One offer serves all
// rounds of a law and a configuration.
type Offer struct {
	Kernel *exact.Kernel
	Terms  [baccarat.SpotOther + 1]exact.Terms
	// Further are the terms of the side bets that are words of the rulebook.
	Further map[string]*exact.Terms
	// Currency is the currency of the table.
	Currency string

	law     *law.Law
	config  *law.Config
	drawing *baccarat.DrawingTable
	// outcomes are the outcome classes of the events of d03.
	outcomes [len(outcomeEvents) - 1][]int
	mu       sync.Mutex
	counts   map[int]*countSystem // of d08, by number of decks
}

// NewOffer computes the terms. It returns nil for chemin de fer, where players choose whether to draw.
func NewOffer(law *law.Law, config *law.Config) *Offer { return (*Offer)(nil).Next(law, config) }

// Next is NewOffer for a table that had this offer, or none: under the same law it shares what the law decides alone.
func (o *Offer) Next(law *law.Law, config *law.Config) *Offer {
	if law == nil || config == nil || law.Game == baccarat.CheminDeFer {
		return nil
	}
	next := &Offer{law: law, config: config, drawing: &law.Drawing, Currency: config.Currency}
	if o != nil && o.law == law {
		next.Kernel, next.outcomes = o.Kernel, o.outcomes
	} else {
		next.Kernel = exact.New(&law.Drawing)
		for i := range next.outcomes {
			next.outcomes[i] = next.Kernel.Event(outcomeEvents[i])
		}
	}
	next.setTerms()
	return next
}

// setTerms computes the terms of each spot and each side bet that is offered.
func (o *Offer) setTerms() {
	law, config := o.law, o.config
	for spot := baccarat.SpotBanker; spot <= baccarat.SpotOther; spot++ {
		if side := spot.SideBet(); side == baccarat.NoSideBet || config.Offers(side) {
			o.Terms[spot] = o.Kernel.Terms(law, config, spot)
		}
	}
	for _, w := range law.Wagers {
		if w.Spot == baccarat.SpotOther && config.OffersWager(w) {
			if o.Further == nil {
				o.Further = map[string]*exact.Terms{}
			}
			terms := o.Kernel.WagerTerms(law, config, w)
			o.Further[w.Name] = &terms
		}
	}
}

// Chances returns the probabilities of the results.
func (o *Offer) Chances(odds *exact.Odds) (player, banker, tie float64) {
	return odds.Chance(o.outcomes[playerWins]), odds.Chance(o.outcomes[bankerWins]), odds.Chance(o.outcomes[tied])
}

// chances returns the probabilities that a wager on a spot wins and loses.
func chances(r *Round, spot baccarat.Spot) (win, lose float64) {
	t := &r.Offer.Terms[spot]
	if t.OnPair {
		return r.Odds.Pair, 1 - r.Odds.Pair
	}
	return split(r, &t.Profit)
}

// split sums the probabilities of the outcome classes with a profit and with a loss.
func split(r *Round, profit *[exact.Classes]float64) (win, lose float64) {
	for _, class := range r.Offer.Kernel.Classes() {
		switch p := profit[class]; {
		case p > 0:
			win += r.Odds.P[class]
		case p < 0:
			lose += r.Odds.P[class]
		}
	}
	return win, lose
}
