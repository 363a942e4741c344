package console

import (
	"fmt"
	"math"
	"strings"

	"github.com/shoeproof/shoeproof/stats"
)

// controlChart has each dealer with a rate at the dealer's number of rounds, and the limit that with a chance of 1 in
// 20 any of them reaches by luck.
type controlChart struct {
	Dealers int
	Limit   string // points of a polyline
	HouseY  float64
	Points  []chartPoint
	Ticks   []tick
	Rounds  []timeTick
	Above   int
}

type chartPoint struct {
	X, Y  float64
	Above bool
	URL   string
	Text  string
}

// chartShare is the chance that a chart without a cause has a dealer at the limit.
const chartShare = 0.05

// chartOf draws the chart of rates, and sets the limit of each.
func chartOf(rates []rate, house float64) *controlChart {
	c := &controlChart{}
	var least, most uint64
	for i := range rates {
		if r := &rates[i]; !r.TooFew {
			c.Dealers++
			most = max(most, r.Rounds)
			if least == 0 || r.Rounds < least {
				least = r.Rounds
			}
		}
	}
	if c.Dealers < 2 || house <= 0 {
		return nil
	}
	alpha := chartShare / float64(c.Dealers)
	limit := func(rounds uint64) uint64 { return stats.UpperLimit(rounds, house, alpha) }
	low, high := math.Log(float64(least)*0.8), math.Log(float64(most)*1.25)
	x := func(rounds float64) float64 {
		return curveLeft + (curveWidth-curveLeft-10)*(math.Log(rounds)-low)/(high-low)
	}
	top := 0.0
	for i := range rates {
		if r := &rates[i]; !r.TooFew {
			r.Limit = limit(r.Rounds)
			r.AtLimit = r.Findings >= r.Limit
			top = max(top, r.Rate, float64(r.Limit)/float64(r.Rounds))
		}
	}
	top *= 1.1
	y := func(rate float64) float64 { return curveTop + curveHeight*(1-min(rate, top)/top) }
	var line strings.Builder
	const steps = 40
	for i := range steps + 1 {
		rounds := math.Exp(low + (high-low)*float64(i)/steps)
		fmt.Fprintf(&line, "%.1f,%.1f ", x(rounds), y(float64(limit(uint64(rounds)))/rounds))
	}
	c.Limit, c.HouseY = line.String(), y(house)
	for i := range rates {
		r := &rates[i]
		if r.TooFew {
			continue
		}
		if r.AtLimit {
			c.Above++
		}
		c.Points = append(c.Points, chartPoint{
			x(float64(r.Rounds)), y(r.Rate), r.AtLimit, pathOf("dealers", r.Property, r.Dealer),
			fmt.Sprintf("%s: %s in %s, limit %d", r.Dealer, count(r.Findings, "finding"), count(r.Rounds, "round"), r.Limit),
		})
	}
	for _, share := range [...]float64{0, 0.5, 1} {
		rate := top / 1.1 * share
		c.Ticks = append(c.Ticks, tick{y(rate), fmt.Sprintf("%.1f", 1000*rate)})
	}
	for _, rounds := range [...]uint64{least, most} {
		if rounds == least || rounds >= 2*least {
			c.Rounds = append(c.Rounds, timeTick{X: x(float64(rounds)), Text: count(rounds, "round")})
		}
	}
	return c
}
