package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/simulate/cheat"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// rare is a simulated cheat from which false alarms of a detector are estimated. A bet that the knowledge favours is
// 1+x
// times as likely as under honest play, in which the same patron bets on either side with equal probability; any other
// bet is 1-x times as likely.
type rare struct {
	cheat, detector string
	strength        float64
	favours         func(*deal.PlayedStake, *detectors.Round) (known, favoured bool)
	// shows means that the cheat's acts reveal their beginning: then the honest patron also acts from then on, at random.
	shows bool
}

var rares = []rare{
	{"s1-0.5", "d07", .5, func(st *deal.PlayedStake, r *detectors.Round) (known, favoured bool) {
		return r.Coup.Result() != baccarat.Tie, wins(st, r)
	}, false},
	{"s2-0.5", "d06", .5, func(st *deal.PlayedStake, r *detectors.Round) (known, favoured bool) {
		return true, (r.Cards[0].Card.Value() >= 6) == (baccarat.Spot(st.Spot) == baccarat.SpotPlayer)
	}, false},
	{"s7-0.9", "d20", .8, func(st *deal.PlayedStake, r *detectors.Round) (known, favoured bool) {
		return st.AtLock != st.AtSettlement, wins(st, r) == (st.AtSettlement > st.AtLock)
	}, true},
}

// wins reports whether a wager on Player or Banker wins, without ties.
func wins(st *deal.PlayedStake, r *detectors.Round) bool {
	return (r.Coup.Result() == baccarat.BankerWon) == (baccarat.Spot(st.Spot) == baccarat.SpotBanker)
}

// rareShoes is the number of shoes. The cheat begins with each of them with the same probability.
const rareShoes = 10

// rareThresholds are the logarithms of the thresholds at which false alarms are counted.
var rareThresholds = [...]float64{math.Ln10 * 2, math.Ln10 * 6, math.Ln10 * 9}

// importance estimates the probability of false alarms at thresholds that no simulation of honest play reaches.
func (b *bench) importance(ctx context.Context) error {
	runs := 5 * b.Runs
	for _, x := range rares {
		played, err := cheat.Find(x.cheat)
		if err != nil {
			return err
		}
		watching := slices.DeleteFunc(detectors.All(), func(d *detectors.Detector) bool { return d.ID != x.detector })
		weights := make([][len(rareThresholds)]float64, runs)
		starts := make([]float64, runs)
		err = each(ctx, runs, func(i int) (err error) {
			o := deal.Options{Seed: b.Seed*1_000_000 + 700_000 + uint64(i), Table: "r" + strconv.Itoa(i), Clear: true}
			weights[i], starts[i], err = b.rareRun(newTable(o, cheat.Options{Cheat: played, From: 1 + i%rareShoes}, b.offers),
				&x, watching)
			return err
		})
		if err != nil {
			return fmt.Errorf("play %s: %w", x.cheat, err)
		}
		bound := slices.Max(starts) // tables played to the end have all starts
		for k, ln := range rareThresholds {
			var sum, square float64
			for i := range weights {
				sum += weights[i][k]
				square += weights[i][k] * weights[i][k]
			}
			mean := sum / float64(runs)
			se := math.Sqrt(max(square/float64(runs)-mean*mean, 0) / float64(runs))
			limit := bound / math.Exp(ln)
			row := b.sheet.row("importance", fmt.Sprintf("%s at %.0e", x.detector, math.Exp(ln)))
			row("cheat played", x.cheat)
			row("runs", strconv.Itoa(runs))
			row("shoes", strconv.Itoa(rareShoes))
			row("chance of a false alarm", fmt.Sprintf("%.2e ± %.1e", mean, se))
			row("bound", fmt.Sprintf("%.2e", limit))
			row("ratio", fmt.Sprintf("%.2f", mean/limit))
		}
	}
	return nil
}

// rareRun plays until the highest threshold is reached. The first alarm at each threshold has the likelihood ratio of
// honest play to the cheat as its weight; starts is the sum of the start weights.
func (b *bench) rareRun(t *table, x *rare, watching []*detectors.Detector) (weights [len(rareThresholds)]float64,
	starts float64, err error,
) {
	patron := t.sim.Label().Patrons[0]
	host := detectors.NewHost(b.promise, watching)
	// begun is the likelihood ratio of a cheat that began with one of the shoes so far, times the probability of that.
	var begun, r float64
	if x.shows {
		begun = 1
	}
	t.each = func(p *deal.PlayedRound, view *detectors.Round) {
		if view == nil {
			return
		}
		if view.Round == 1 && !x.shows {
			begun += 1. / rareShoes
		}
		for i := range p.Stakes {
			st := &p.Stakes[i]
			if st.Patron != patron {
				continue
			}
			switch known, favoured := x.favours(st, view); {
			case known && favoured:
				begun *= 1 + x.strength
			case known:
				begun *= 1 - x.strength
			}
		}
		for i := range host.Factors {
			f := &host.Factors[i]
			if f.Key.Kind != detectors.OfPatron || f.Key.ID != patron {
				continue
			}
			starts += f.Start
			r = (r + f.Start) * math.Exp(f.LnE)
			for k, threshold := range rareThresholds {
				if r >= math.Exp(threshold) && weights[k] == 0 {
					weights[k] = 1 / begun
					if !x.shows {
						weights[k] = 1 / (begun + float64(rareShoes-t.shoes)/rareShoes)
					}
				}
			}
		}
	}
	for t.shoes < rareShoes && weights[len(weights)-1] == 0 {
		if err := t.play(host); err != nil {
			return weights, starts, err
		}
	}
	return weights, starts, nil
}
