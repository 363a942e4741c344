package console

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// numbered is an exception with its number within the gaming day.
type numbered struct {
	No int
	store.Finding
}

// exceptionsPage lists the exceptions of a gaming day with the numbers of audit report and of the bundles.
func exceptionsPage(c *Console, x *exchange) error {
	property, day := x.r.PathValue("property"), x.r.PathValue("day")
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return badRequest("The gaming day %q is not a date such as 2026-11-19.", day)
	}
	if err := x.exists(property); err != nil {
		return err
	}
	first := 0 // of the rows on this page
	if text := x.r.URL.Query().Get("after"); text != "" {
		n, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			return badRequest("after %q: want a number of rows such as %d", text, exceptionRows)
		}
		first = int(n)
	}
	scope := x.scope()
	key := fmt.Sprintf("exceptions %#v %q %s", scope, property, day)
	all, err := cached(x.r.Context(), &c.figures, key, figuresTTL, func(ctx context.Context) ([]numbered, error) {
		return c.exceptions(ctx, scope, property, day)
	})
	if err != nil {
		return err
	}
	first = min(first, len(all))
	rows := slices.Clone(all[first:min(first+exceptionRows, len(all))]) // the cached rows are shared
	if err := c.exceptionStates(x, rows); err != nil {
		return err
	}
	next := 0
	if first+len(rows) < len(all) {
		next = first + len(rows)
	}
	return x.page("exceptions", "Exceptions of "+day, map[string]any{
		"Rows": rows, "All": len(all), "First": first, "Next": next, "Property": property, "Day": day,
	})
}

// exceptionRows is the number of rows of a page of exceptions.
const exceptionRows = 200

// exceptionStates adds the states of exceptions.
func (c *Console) exceptionStates(x *exchange, rows []numbered) error {
	found := make([]store.Finding, len(rows))
	for i := range rows {
		found[i] = rows[i].Finding
	}
	err := c.Store.States(x.r.Context(), x.scope(), found)
	for i := range rows {
		rows[i].Finding = found[i]
	}
	return err
}

// exceptions returns the exceptions of a gaming day with their numbers.
func (c *Console) exceptions(ctx context.Context, scope store.Scope, property, day string) ([]numbered, error) {
	q := store.DayQuery{Property: property, Day: day}
	var err error
	if q.Since, q.Until, err = c.bounds(day); err != nil {
		return nil, err
	}
	found, err := c.Store.Exceptions(ctx, scope, q)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*store.Finding, len(found))
	light := make([]finding.Finding, len(found))
	for i := range found {
		f := &found[i]
		byID[f.ID] = f
		light[i] = finding.Finding{
			ID: f.ID, PropertyID: f.PropertyID, TableID: f.TableID, At: schema.Time(f.At.UnixNano()), GamingDay: day,
			Severity: finding.Minor,
		}
	}
	list, numbers := finding.Exceptions(light)
	all := make([]numbered, len(list))
	for i := range list {
		all[i] = numbered{numbers[i], *byID[list[i].ID]}
	}
	return all, nil
}
