package bench

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate"
)

// rare is a world of cheats from which false alarms of a detector are counted: ln is the logarithm of how much likelier a
// round is there than under honest play, where the same patron bets as often on either side and knows nothing.
type rare struct {
	cheat, detector string
	strength        float64
	ln              func(x float64, spot schema.Spot, r *detectors.Round, banker, tie []int) float64
}

var rares = []rare{
	{"s1-0.5", "d07", .5, func(x float64, spot schema.Spot, r *detectors.Round, banker, tie []int) float64 {
		pB, pT := r.Odds.Chance(banker), r.Odds.Chance(tie)
		favoured := pB + pT/2
		if spot == schema.SpotPlayer {
			favoured = 1 - favoured
		}
		side := x*favoured + (1-x)/2
		switch won := rules.Spot(spot); {
		case r.Coup.Result() == rules.Tie:
			return math.Log(.5 / side)
		case r.Coup.Result() == rules.BankerWon && won == rules.SpotBanker, r.Coup.Result() == rules.PlayerWon && won == rules.SpotPlayer:
			return math.Log((x + (1-x)/2) / side)
		}
		return math.Log((1 - x) / 2 / side)
	}},
	{"s2-0.5", "d06", .5, func(x float64, spot schema.Spot, r *detectors.Round, _, _ []int) float64 {
		left := r.Left.Values()
		high := float64(left[6]+left[7]+left[8]+left[9]) / float64(left.Total())
		is := r.Cards[0].Card.Value() >= 6
		if spot == schema.SpotBanker {
			high, is = 1-high, !is
		}
		side := x*high + (1-x)/2
		if is {
			return math.Log((x + (1-x)/2) / side)
		}
		return math.Log((1 - x) / 2 / side)
	}},
}

// rareRounds is how many rounds a patron is watched for.
const rareRounds = 800

// importance estimates the chance of false alarms at thresholds that no simulation of honest play reaches.
func (b *bench) importance(ctx context.Context) error {
	for _, x := range rares {
		cheat, err := simulate.FindCheat(x.cheat)
		if err != nil {
			return err
		}
		var detector *detectors.Detector
		for _, d := range detectors.All() {
			if d.ID == x.detector {
				detector = d
			}
		}
		runs := 5 * b.Runs
		thresholds := []float64{math.Log(1e2), math.Log(1e6), math.Log(1e9)}
		weights := make([][3]float64, runs)
		starts := make([]float64, runs)
		err = each(ctx, runs, func(i int) error {
			return b.rareRun(cheat, &x, detector, b.Seed*1_000_000+700_000+uint64(i), thresholds, &weights[i], &starts[i])
		})
		if err != nil {
			return fmt.Errorf("play %s: %w", x.cheat, err)
		}
		for k, ln := range thresholds {
			var sum, square, bound float64
			for i := range weights {
				sum += weights[i][k]
				square += weights[i][k] * weights[i][k]
				bound = max(bound, starts[i])
			}
			mean := sum / float64(runs)
			se := math.Sqrt(max(square/float64(runs)-mean*mean, 0) / float64(runs))
			limit := bound / math.Exp(ln)
			row := b.sheet.row("importance", fmt.Sprintf("%s at %.0e", x.detector, math.Exp(ln)))
			row("cheat played", x.cheat)
			row("runs", strconv.Itoa(runs))
			row("rounds", strconv.Itoa(rareRounds))
			row("chance of a false alarm", fmt.Sprintf("%.2e ± %.1e", mean, se))
			row("bound", fmt.Sprintf("%.2e", limit))
			row("ratio", fmt.Sprintf("%.2f", mean/limit))
		}
	}
	return nil
}

// rareRun plays until the highest threshold is reached. The first alarm at each counts with its weight; starts are those
// that all rounds would have.
func (b *bench) rareRun(c *simulate.Cheat, x *rare, d *detectors.Detector, seed uint64, thresholds []float64, weights *[3]float64, starts *float64) error {
	t := newTable(simulate.Options{Cheat: c, From: 1, Seed: seed, Table: "r" + strconv.FormatUint(seed, 10), Clear: true}, b.offers)
	patron := t.sim.Label().Patrons[0]
	host := detectors.NewHost(b.promise, []*detectors.Detector{d})
	var ln float64
	r := math.Inf(-1)
	rounds := 0
	var banker, tie []int
	t.each = func(p *simulate.PlayedRound, view *detectors.Round) {
		if view == nil || view.Odds == nil || rounds == rareRounds {
			return
		}
		if banker == nil {
			banker = view.Offer.Kernel.Event(func(c *rules.Coup) bool { return c.Result() == rules.BankerWon })
			tie = view.Offer.Kernel.Event(func(c *rules.Coup) bool { return c.Result() == rules.Tie })
		}
		rounds++
		for i := range p.Stakes {
			if st := &p.Stakes[i]; st.Patron == patron {
				ln += x.ln(x.strength, st.Spot, view, banker, tie)
			}
		}
		for i := range host.Factors {
			f := &host.Factors[i]
			if f.Key.Kind != detectors.OfPatron || f.Key.ID != patron {
				continue
			}
			*starts += f.Start
			r = math.Log(math.Exp(r)+f.Start) + f.LnE
			for k, threshold := range thresholds {
				if r >= threshold && weights[k] == 0 {
					weights[k] = math.Exp(-ln)
				}
			}
		}
	}
	for rounds < rareRounds && (weights[2] == 0 || rounds < 100) {
		if err := t.play(host); err != nil {
			return err
		}
	}
	return nil
}
