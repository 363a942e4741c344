package console

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/stats"
)

// rate is how often something went wrong, with its interval.
type rate struct {
	store.Tally
	Rate, Low, High float64
	// Small says that there are too few rounds to say anything.
	Small bool
	// X, W and M place the interval and the point on a scale of 200.
	X, W, M          int
	Property, Dealer string
	// Apart says that the interval lies above the house's rate.
	Apart bool
}

func rateOf(t store.Tally, scale, house float64) rate {
	r := rate{Tally: t, Small: t.Rounds < stats.MinRounds}
	if t.Rounds > 0 {
		r.Rate = float64(t.Findings) / float64(t.Rounds)
	}
	r.Low, r.High = stats.Wilson(t.Findings, t.Rounds)
	at := func(v float64) int { return int(200 * min(1, v/scale)) }
	r.X, r.W, r.M = at(r.Low), max(1, at(r.High)-at(r.Low)), at(r.Rate)
	r.Apart = !r.Small && r.Low > house
	r.Property, r.Dealer, _ = strings.Cut(t.Name, "/")
	return r
}

func (x *exchange) since(days int) (time.Time, int) {
	if n, err := strconv.Atoi(x.r.FormValue("days")); err == nil && n > 0 && n <= 366 {
		days = n
	}
	return x.c.Now().AddDate(0, 0, -days), days
}

// figuresFor is how long figures of days are shown before they are asked for again. They are twice that old at most.
const figuresFor = 30 * time.Second

// tallies are those of dealers at a moment.
type tallies struct {
	at  time.Time
	all []store.Tally
}

// dealers is what was found at each dealer's hands in the last days.
func (c *Console) dealers(x *exchange, days int) (tallies, error) {
	ctx, scope := context.WithoutCancel(x.r.Context()), x.scope()
	return cachedFor(&c.slow, fmt.Sprint("dealers ", scope, days), figuresFor, func() (t tallies, err error) {
		t.at = c.Now()
		t.all, err = c.Store.Dealers(ctx, scope, t.at.AddDate(0, 0, -days))
		return t, err
	})
}

func dealersPage(c *Console, x *exchange) error {
	_, days := x.since(30)
	tallies, err := c.dealers(x, days)
	if err != nil {
		return err
	}
	rates, house, scale := ratesOf(tallies.all)
	return x.page("dealers", "Dealers", map[string]any{"At": tallies.at, "Rates": rates, "Days": days, "House": house, "Least": stats.MinRounds, "HouseX": int(200 * min(1, house/scale))})
}

// ratesOf is each one's rate, the house's, and the largest value that is drawn.
func ratesOf(tallies []store.Tally) (rates []rate, house, scale float64) {
	var found, all uint64
	for _, t := range tallies {
		found += t.Findings
		all += t.Rounds
	}
	if all > 0 {
		house = float64(found) / float64(all)
	}
	scale = scaleOf(tallies)
	rates = make([]rate, len(tallies))
	for i, t := range tallies {
		rates[i] = rateOf(t, scale, house)
	}
	slices.SortStableFunc(rates, func(a, b rate) int { // what can be said first, the worst of it at the top
		switch {
		case a.Small != b.Small:
			if a.Small {
				return 1
			}
			return -1
		case a.Small:
			return 0
		}
		return cmp.Compare(b.Low, a.Low)
	})
	return rates, house, scale
}

// scaleOf holds each interval that is drawn.
func scaleOf(tallies []store.Tally) float64 {
	scale := 0.01
	for _, t := range tallies {
		if t.Rounds >= stats.MinRounds {
			_, high := stats.Wilson(t.Findings, t.Rounds)
			scale = max(scale, high*1.1)
		}
	}
	return scale
}

func dealerPage(c *Console, x *exchange) error {
	ctx, scope := x.r.Context(), x.scope()
	property, dealer := x.r.PathValue("property"), x.r.PathValue("dealer")
	since, days := x.since(30)
	dealers, err := c.dealers(x, days)
	if err != nil {
		return err
	}
	var dealt, all uint64
	for _, t := range dealers.all {
		if of, name, _ := strings.Cut(t.Name, "/"); of == property {
			all += t.Rounds
			if name == dealer {
				dealt = t.Rounds
			}
		}
	}
	tallies, err := c.Store.DealerTallies(ctx, scope, property, dealer, since)
	if err != nil {
		return err
	}
	findings, err := c.Store.Findings(ctx, scope, store.Where{Property: property, Dealer: dealer, Since: since, Limit: 100})
	if err != nil {
		return err
	}
	if dealt == 0 && len(findings) == 0 {
		return errNoPage
	}
	for i := range tallies {
		tallies[i].Rounds = dealt
	}
	scale := scaleOf(tallies)
	rates := make([]rate, len(tallies))
	for i, t := range tallies {
		rates[i] = rateOf(t, scale, 1)
	}
	return x.page("dealer", "Dealer "+dealer, map[string]any{
		"Property": property, "Dealer": dealer, "Rounds": dealt, "All": all, "Days": days, "Rates": rates, "Findings": findings, "Small": dealt < stats.MinRounds, "Least": stats.MinRounds,
	})
}

func patronPage(c *Console, x *exchange) error {
	ctx, scope := x.r.Context(), x.scope()
	property, patron := x.r.PathValue("property"), x.r.PathValue("patron")
	var play []store.Patron
	var wagers []store.Wager
	var findings []store.Finding
	var all errgroup.Group
	gather(&all, &play, func() ([]store.Patron, error) { return c.Store.Patron(ctx, scope, property, patron) })
	gather(&all, &wagers, func() ([]store.Wager, error) { return c.Store.PatronWagers(ctx, scope, property, patron) })
	gather(&all, &findings, func() ([]store.Finding, error) { return c.Store.PatronFindings(ctx, scope, property, patron) })
	if err := all.Wait(); err != nil {
		return err
	}
	if len(play) == 0 {
		return errNoPage
	}
	x.log(property, "view-patron", patron, "masked")
	return x.page("patron", "Patron "+short(patron), map[string]any{"Property": property, "Patron": patron, "Play": play, "Wagers": wagers, "Findings": findings})
}
