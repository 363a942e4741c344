package console

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// lastDays are the last gaming days up to the present one: the first moment, and the first moment after them.
func (c *Console) lastDays(days int) (since, until time.Time, err error) {
	today, _ := c.Law.Calendar.Of(c.Now().UnixNano())
	date, err := time.Parse(time.DateOnly, today)
	if err != nil {
		return since, until, fmt.Errorf("gaming day: %w", err)
	}
	if since, _, err = c.bounds(date.AddDate(0, 0, 1-days).Format(time.DateOnly)); err == nil {
		_, until, err = c.bounds(today)
	}
	return since, until, err
}

// dealerFigures are the figures of a dealer's findings, with the time of their query.
type dealerFigures struct {
	at      time.Time
	tallies []store.Tally
	byDay   map[string]int // findings by gaming day of the last week
}

// weekOfDealer is the number of gaming days of a dealer's results.
const weekOfDealer = 7

// dealerFigures counts the findings of a dealer by rule since a moment, and by gaming day in the last week.
func (c *Console) dealerFigures(x *exchange, property, dealer string, days int) (dealerFigures, error) {
	const maxFindings = 1000
	scope := x.scope()
	key := fmt.Sprintf("dealer %#v %q %q %d", scope, property, dealer, days)
	return cached(x.r.Context(), &c.figures, key, figuresTTL, func(ctx context.Context) (f dealerFigures, err error) {
		f.at, f.byDay = c.Now(), map[string]int{}
		since, until, err := c.lastDays(weekOfDealer)
		if err != nil {
			return f, err
		}
		f.tallies, err = c.Store.DealerTallies(ctx, scope, property, dealer, f.at.AddDate(0, 0, -days))
		if err != nil {
			return f, err
		}
		found, err := c.Store.FoundOf(ctx, scope, store.FindingQuery{
			Property: property, Dealer: dealer, Since: since, Until: until, Limit: maxFindings,
		})
		for _, at := range found {
			day, _ := c.Law.Calendar.Of(at.UnixNano())
			f.byDay[day]++
		}
		return f, err
	})
}

// dealerWeek returns the results of the rounds of a dealer in seven gaming days, with the findings of each day.
func (c *Console) dealerWeek(x *exchange, property, dealer string, found map[string]int) (*takings, error) {
	since, until, err := c.lastDays(weekOfDealer)
	if err != nil {
		return nil, err
	}
	t, err := c.takings(x, store.TakingQuery{Property: property, Dealer: dealer, Since: since, Until: until})
	if err != nil {
		return nil, err
	}
	week := *t
	week.Days = slices.Clone(t.Days)
	for i := range week.Days {
		week.Days[i].Found = found[week.Days[i].Day]
	}
	return &week, nil
}

// visits returns the results of a patron by gaming day.
func (c *Console) visits(x *exchange, property, patron string) (*takings, error) {
	const days = 90
	since, until, err := c.lastDays(days)
	if err != nil {
		return nil, err
	}
	return c.takings(x, store.TakingQuery{Property: property, Patron: patron, Since: since, Until: until})
}
