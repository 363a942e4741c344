package console

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
)

// curve is the growth of the evidence of a suspicion over its rounds, on an axis of odds, with the line at which it is
// an alarm.
type curve struct {
	Rounds    int
	Line      string // points of a polyline
	Ticks     []tick
	Alarm     float64 // height of the alarm's line; negative without one
	AlarmText string
	Last      string // odds at the end
	Odds      string // what they mean, in words
	Strongest []strongest
	Bars      *bars
}

// tick is a line of the axis of odds.
type tick struct {
	Y    float64
	Text string
}

// strongest is a round with much evidence. Round is nil for evidence about a shoe.
type strongest struct {
	store.Factor
	URL            string
	Round          *store.Round
	Player, Banker []dealtCard
	Odds           string
}

// bars compare how often a thing was observed with how often it is expected, out of a number of times.
type bars struct {
	Observed, Expected, Of string
	ObservedW, ExpectedW   float64
}

// The frame of the drawing: the plot begins right of the axis.
const (
	curveLeft, curveWidth  = 90, 600
	curveTop, curveHeight  = 12.0, 170.0
	strongestRounds, maxLn = 5, 700.0
)

// oddsText writes evidence as odds against chance: 1 in 1,000.
func oddsText(ln float64) string {
	e := math.Exp(min(max(ln, 0), maxLn))
	switch {
	case e < 1.5:
		return "even"
	case e < 1e6:
		unit := math.Pow(10, max(0, math.Floor(math.Log10(e))-2)) // three digits are enough
		e = math.Round(e/unit) * unit
		n, _, _ := strings.Cut(formatMoney(int64(math.Round(e))*100, ""), ".")
		return "1 in " + n
	}
	for _, unit := range []struct {
		size float64
		name string
	}{{1e18, ""}, {1e15, "million billion"}, {1e12, "thousand billion"}, {1e9, "billion"}, {1e6, "million"}} {
		if e >= unit.size && unit.name == "" {
			return fmt.Sprintf("1 in 10^%.0f", math.Log10(e))
		} else if e >= unit.size {
			return fmt.Sprintf("1 in %.3g %s", e/unit.size, unit.name)
		}
	}
	return ""
}

func (c *Console) curve(x *exchange, f *store.Finding) (*curve, error) {
	factors, err := c.Store.Factors(x.r.Context(), x.scope(), store.FactorQuery{
		Property: f.PropertyID, Detector: f.Rule, Key: f.Subject, Until: f.At, Last: weighed(f.Observed),
	})
	if err != nil || len(factors) == 0 {
		return nil, err
	}
	s := &curve{Rounds: len(factors), Alarm: -1, Bars: barsOf(f.Observed)}
	// The sum of all starts, each multiplied by the factors since, as the detectors compute it.
	sums, high, sum := make([]float64, len(factors)), 0.0, math.Inf(-1)
	for i := range factors {
		if sum < maxLn {
			sum = math.Log(math.Exp(sum) + factors[i].Start)
		}
		sum += factors[i].LnE
		sums[i] = max(sum, 0)
		high = max(high, sum)
	}
	s.Last, s.Odds = oddsText(sum), f.Odds
	threshold := f.Threshold
	top := max(high, threshold, math.Log(1000)) * 1.08
	y := func(ln float64) float64 { return curveTop + curveHeight*(1-ln/top) }
	step := math.Ceil(top/math.Ln10/6) * math.Ln10 // of powers of ten; at most six lines
	for ln := 0.0; ln <= top; ln += step {
		text := oddsText(ln)
		if power := math.Round(ln / math.Ln10); power >= 12 { // the words are too long for the axis
			text = fmt.Sprintf("1 in 10^%.0f", power)
		}
		s.Ticks = append(s.Ticks, tick{y(ln), text})
	}
	if threshold > 0 {
		s.Alarm, s.AlarmText = y(threshold), "alarm at "+oddsText(threshold)
	}
	var line strings.Builder
	for i, v := range sums {
		at := curveLeft + float64(curveWidth-curveLeft)*float64(i+1)/float64(len(sums))
		fmt.Fprintf(&line, "%.1f,%.1f ", at, y(v))
	}
	s.Line = fmt.Sprintf("%d,%.1f ", curveLeft, y(0)) + line.String()
	s.Strongest, err = c.strongest(x, f, factors)
	return s, err
}

// strongest returns the rounds with the most evidence, with their cards.
func (c *Console) strongest(x *exchange, f *store.Finding, factors []store.Factor) ([]strongest, error) {
	best := slices.Clone(factors)
	slices.SortStableFunc(best, func(a, b store.Factor) int {
		if a.LnE > b.LnE {
			return -1
		}
		return 1
	})
	best = slices.DeleteFunc(best[:min(len(best), strongestRounds)], func(f store.Factor) bool {
		return oddsText(f.LnE) == "even"
	})
	all := make([]strongest, len(best))
	var reads errgroup.Group
	for i, factor := range best {
		one := &all[i]
		*one = strongest{
			Factor: factor, Odds: oddsText(factor.LnE), URL: pathOf("shoes", f.PropertyID, factor.Table, factor.Shoe),
		}
		if factor.Round == 0 || factor.Table == "" {
			continue
		}
		reads.Go(func() error {
			rounds, err := c.Store.Rounds(x.r.Context(), x.scope(), store.Location{
				Property: f.PropertyID, Table: factor.Table, Shoe: factor.Shoe, Round: factor.Round,
			})
			if err == nil && len(rounds) > 0 {
				one.Round, one.URL = &rounds[0], roundURL(&rounds[0])
				one.Player, one.Banker = finalHands(rounds[0].Cards, nil)
			}
			return err
		})
	}
	return all, reads.Wait()
}

// weighed reads of how many rounds an alarm has the evidence: over 40 rounds. It is 0 for a fact. Earlier evidence is
// of visits that have ended, or of an earlier alarm.
func weighed(text string) int {
	if m := regexp.MustCompile(`; over (\d+) rounds?`).FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			return n
		}
	}
	return 0
}

// barsOf reads the counts of an observation: observed 31 of 40, expected 12.3.
func barsOf(text string) *bars {
	m := regexp.MustCompile(`observed ([\d.]+) of (\d+), expected ([\d.]+)`).FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	observed, err1 := strconv.ParseFloat(m[1], 64)
	of, err2 := strconv.ParseFloat(m[2], 64)
	expected, err3 := strconv.ParseFloat(m[3], 64)
	if err1 != nil || err2 != nil || err3 != nil || of == 0 {
		return nil
	}
	const width = 400
	return &bars{m[1], m[3], m[2], width * min(1, observed/of), width * min(1, expected/of)}
}
