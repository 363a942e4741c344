package console

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/detectors/exact"
)

// result compares what was won with its expectation. Won is an amount as recorded; the others are statistics of it,
// from the exact chances of each round.
type result struct {
	Rounds         int
	Staked, Won    int64
	mean, variance float64
}

// The bands are pointwise: at a given round, 1 of 20 honest lines is outside the narrow one, 1 of 1,000 outside the
// wide one.
const narrowBand, wideBand = 1.959964, 3.290527

func (r *result) add(o *result) {
	r.Rounds += o.Rounds
	r.Staked += o.Staked
	r.Won += o.Won
	r.mean += o.mean
	r.variance += o.variance
}

// at is the expectation plus a number of standard deviations, in minor units.
func (r *result) at(deviations float64) int64 {
	return int64(math.Round(r.mean + deviations*math.Sqrt(r.variance)))
}

// Expected, Low and High are the expectation and the narrow band.
func (r *result) Expected() int64 { return r.at(0) }

// Low is the lower end of the narrow band.
func (r *result) Low() int64 { return r.at(-narrowBand) }

// High is the upper end of the narrow band.
func (r *result) High() int64 { return r.at(narrowBand) }

// Z is the distance from the expectation in standard deviations.
func (r *result) Z() float64 {
	if r.variance <= 0 {
		return 0
	}
	return (float64(r.Won) - r.mean) / math.Sqrt(r.variance)
}

// Share is an amount per cent of the stakes: the hold, if the house won it.
func (r *result) Share(minor int64) string {
	return signed(100*float64(minor)/float64(max(r.Staked, 1))) + "\u00a0%"
}

// signed writes a number with one decimal and the sign of people.
func signed(v float64) string {
	return strings.Replace(strconv.FormatFloat(v, 'f', 1, 64), "-", "−", 1)
}

// Words compares the result with the bands.
func (r *result) Words() string {
	switch z := math.Abs(r.Z()); {
	case z > wideBand:
		return "outside the wide band, as 1 of 1,000 honest results is"
	case z > narrowBand:
		return "outside the narrow band, as 1 of 20 honest results is"
	}
	return "within the band"
}

// dayResult is the result of a gaming day, with the tables and the findings of the day.
type dayResult struct {
	result
	Day         string
	First, Last time.Time
	Tables      []string
	Found       int
}

// takings are the results of a table, a dealer or a patron over time.
type takings struct {
	result
	Currency string
	Days     []dayResult // the latest first
	Left     int64       // stakes without known chances, which are left out
	Partial  bool        // only the latest rounds
	Drawing  *lineDrawing
	points   []result // cumulative, by round
	times    []time.Time
}

// takings reads a query and computes its results, which for a patron have the sign of the patron. Requests share the
// answer.
func (c *Console) takings(x *exchange, q store.TakingQuery) (*takings, error) {
	scope := x.scope()
	key := fmt.Sprintf("takings %#v %+v", scope, q)
	return cached(x.r.Context(), &c.figures, key, figuresTTL, func(ctx context.Context) (*takings, error) {
		rounds, err := c.Store.Takings(ctx, scope, q)
		if err != nil {
			return nil, err
		}
		offers, err := c.offers(ctx, scope, q.Property, rounds)
		if err != nil {
			return nil, err
		}
		slices.Reverse(rounds)
		return c.sumUp(rounds, offers, q.Patron != ""), nil
	})
}

// offers returns what the tables of rounds offered, by table and configuration.
func (c *Console) offers(
	ctx context.Context, scope store.Scope, property string, rounds []store.Taking,
) (map[[2]string]*detectors.Offer, error) {
	var tables []string
	for i := range rounds {
		if !slices.Contains(tables, rounds[i].Table) {
			tables = append(tables, rounds[i].Table)
		}
	}
	of := map[[2]string]*detectors.Offer{}
	if len(tables) == 0 {
		return of, nil
	}
	configs, err := c.Store.Offered(ctx, scope, property, tables)
	for i := range configs {
		o := &configs[i]
		made, err := cached(ctx, &c.figures, "offer "+o.JSON, 24*time.Hour, func(context.Context) (*detectors.Offer, error) {
			law, config, ok, err := c.Law.Terms(o.JSON)
			if err != nil || !ok {
				return nil, err
			}
			return detectors.NewOffer(law, config), nil
		})
		if err != nil {
			return nil, fmt.Errorf("table %s, configuration %s: %w", o.Table, o.Config, err)
		}
		of[[2]string{o.Table, o.Config}] = made
	}
	return of, err
}

// sumUp adds up rounds, which are in order of time.
func (c *Console) sumUp(rounds []store.Taking, offers map[[2]string]*detectors.Offer, patron bool) *takings {
	t := &takings{Partial: len(rounds) == store.MaxRows}
	for i := range rounds {
		r := &rounds[i]
		offer := offers[[2]string{r.Table, r.Config}]
		one, left := resultOf(r, offer)
		t.Left += left
		if one.Rounds == 0 {
			continue
		}
		if !patron {
			one.mean = -one.mean
		} else {
			one.Won = -one.Won
		}
		if offer.Currency != "" {
			t.Currency = offer.Currency
		}
		t.add(&one)
		t.points, t.times = append(t.points, t.result), append(t.times, r.At)
		day, _ := c.Law.Calendar.Of(r.At.UnixNano())
		if n := len(t.Days); n == 0 || t.Days[n-1].Day != day {
			t.Days = append(t.Days, dayResult{Day: day, First: r.At})
		}
		d := &t.Days[len(t.Days)-1]
		d.add(&one)
		d.Last = r.At
		if !slices.Contains(d.Tables, r.Table) {
			d.Tables = append(d.Tables, r.Table)
		}
	}
	slices.Reverse(t.Days)
	t.Drawing = c.drawLine(t)
	return t
}

// resultOf is the result of a round over the wagers whose chances are known; left is what is staked on others. The
// expectation is that of the patrons.
func resultOf(r *store.Taking, offer *detectors.Offer) (one result, left int64) {
	var stakes []detectors.Stake
	for i, spot := range r.Spots {
		if offer == nil || !offer.Known(spot) {
			left += r.Stakes[i]
			continue
		}
		stakes = append(stakes, detectors.Stake{Spot: spot, Amount: r.Stakes[i]})
		one.Staked += r.Stakes[i]
		one.Won += r.Results[i]
	}
	if len(stakes) == 0 {
		return result{}, left
	}
	cards, odds := exact.Full(max(1, int(r.Decks))), exact.Odds{}
	if kinds := len(cards) - 1; len(r.Unseen) == kinds {
		for i := range kinds {
			cards[i+1] = int16(r.Unseen[i])
		}
	}
	if !offer.Kernel.Odds(&cards, &odds) {
		return result{}, left + one.Staked
	}
	one.Rounds = 1
	one.mean, one.variance = offer.Spread(&odds, stakes)
	return one, left
}

// lineDrawing is a cumulative line in its bands.
type lineDrawing struct {
	Line, Mean, Wide, Narrow string // points of polylines and polygons
	Ticks                    []tick
	Times                    []timeTick
	Zero                     float64
}

// timeTick is a moment on the axis of rounds: t0 begins at X, t1 has its middle there, and t2 its end.
type timeTick struct {
	X     float64
	Class string
	Text  string
}

// drawLine draws the cumulative result by round, in the frame of a curve.
func (c *Console) drawLine(t *takings) *lineDrawing {
	const maxPoints = 300
	n := len(t.points)
	if n == 0 {
		return nil
	}
	low, high := 0.0, 0.0
	for i := range t.points {
		p := &t.points[i]
		low, high = min(low, float64(p.at(-wideBand)), float64(p.Won)), max(high, float64(p.at(wideBand)), float64(p.Won))
	}
	x := func(i int) float64 { return curveLeft + float64(curveWidth-curveLeft)*float64(i)/float64(n) }
	y := func(v int64) float64 { return curveTop + curveHeight*(high-float64(v))/max(high-low, 1) }
	d := &lineDrawing{Zero: y(0)}
	var line, mean strings.Builder
	start := fmt.Sprintf("%d,%.1f ", curveLeft, y(0))
	var over, under [2][]string
	step := max(1, (n+maxPoints-1)/maxPoints)
	for i := 1; i <= n; i++ {
		if i%step != 0 && i != n {
			continue
		}
		p := &t.points[i-1]
		fmt.Fprintf(&line, "%.1f,%.1f ", x(i), y(p.Won))
		fmt.Fprintf(&mean, "%.1f,%.1f ", x(i), y(p.Expected()))
		for k, band := range [2]float64{narrowBand, wideBand} {
			over[k] = append(over[k], fmt.Sprintf("%.1f,%.1f", x(i), y(p.at(band))))
			under[k] = append(under[k], fmt.Sprintf("%.1f,%.1f", x(i), y(p.at(-band))))
		}
	}
	for k, into := range [2]*string{&d.Narrow, &d.Wide} {
		slices.Reverse(under[k])
		*into = start + strings.Join(append(over[k], under[k]...), " ")
	}
	d.Line, d.Mean = start+line.String(), start+mean.String()
	for _, v := range []int64{int64(low), 0, int64(high)} {
		if v == 0 || math.Abs(y(v)-y(0)) > 12 {
			d.Ticks = append(d.Ticks, tick{y(v), rounded(v, t.Currency)})
		}
	}
	for k, i := range []int{0, n / 2, n - 1} {
		if k > 0 && i == 0 || k == 1 && i == n-1 { // of few rounds, one moment twice
			continue
		}
		at := t.times[i].In(c.Law.Calendar.Zone)
		text := at.Format("15:04")
		if len(t.Days) > 1 {
			text = at.Format("2 Jan 15:04")
		}
		d.Times = append(d.Times, timeTick{x(i + min(k, 1)), fmt.Sprint("t", k), text})
	}
	return d
}

// rounded writes an amount of an axis with two digits, which are enough.
func rounded(minor int64, currency string) string {
	unit := int64(1)
	for v := max(minor, -minor); v/unit >= 100; {
		unit *= 10
	}
	text := cash(minor/unit*unit, currency)
	return strings.TrimSuffix(text, ".00")
}
