package console

import (
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

// dealerWeek returns the results of the rounds of a dealer in seven gaming days, with the findings of each day.
func (c *Console) dealerWeek(x *exchange, property, dealer string) (*takings, error) {
	const days, maxFindings = 7, 1000
	since, until, err := c.lastDays(days)
	if err != nil {
		return nil, err
	}
	t, err := c.takings(x, store.TakingQuery{Property: property, Dealer: dealer, Since: since, Until: until})
	if err != nil {
		return nil, err
	}
	found, err := c.Store.Findings(x.r.Context(), x.scope(), store.FindingQuery{
		Property: property, Dealer: dealer, Since: since, Until: until, Limit: maxFindings,
	})
	week := *t
	week.Days = slices.Clone(t.Days)
	for i := range found {
		day, _ := c.Law.Calendar.Of(found[i].At.UnixNano())
		for k := range week.Days {
			if week.Days[k].Day == day {
				week.Days[k].Found++
			}
		}
	}
	return &week, err
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
