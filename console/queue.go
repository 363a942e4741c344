package console

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// queueRow is a row of the queue: a group, or a single finding.
type queueRow struct {
	store.Group
	// Key names the row in the form of triage.
	Key string
	// Cursor is the place of the row.
	Cursor string
}

func queuePage(c *Console, x *exchange) error {
	f, grouped, err := x.filter()
	if err != nil {
		return err
	}
	if f.State == store.Closed {
		return c.closedPage(x, f)
	}
	scope, ctx := x.scope(), x.r.Context()
	key := fmt.Sprintf("queue %#v %+v %v", scope, f, grouped)
	rows, err := cached(ctx, &c.volatile, key, queueTTL, func(ctx context.Context) ([]queueRow, error) {
		return c.rows(ctx, scope, f, grouped)
	})
	if err != nil {
		return err
	}
	totals, err := cached(ctx, &c.volatile, "totals "+key, queueTTL, func(ctx context.Context) (store.Totals, error) {
		return c.Store.Totals(ctx, scope, f)
	})
	if err != nil {
		return err
	}
	key = fmt.Sprintf("facets %#v %+v", scope, f)
	facets, err := cached(ctx, &c.volatile, key, queueTTL, func(ctx context.Context) (store.Facets, error) {
		return c.Store.Facets(ctx, scope, f)
	})
	if err != nil {
		return err
	}
	all := int(totals.Open)
	if grouped {
		all = int(totals.Groups)
	}
	query := x.r.URL.Query()
	views, err := c.views(x, query)
	if err != nil {
		return err
	}
	return x.page("queue", "Queue", map[string]any{
		"Rows": rows, "All": all, "First": query.Get("after") != "", "Start": with(query, "after", ""),
		"Next": next(query, rows, &f, all), "Totals": totals, "Grouped": grouped, "Facets": facets,
		"Orders": store.Orders(),
		"Filter": query, "Views": views, "Chips": chips(query), "Query": query.Encode(),
		"Dispositions": store.Dispositions(), "Me": x.user.Name,
	})
}

// queueTTL is how long requests share an answer about the queue.
const queueTTL = 800 * time.Millisecond

func (c *Console) closedPage(x *exchange, f store.Filter) error {
	ctx, scope, query, before := x.r.Context(), x.scope(), x.r.URL.Query(), c.Now()
	if text := query.Get("before"); text != "" {
		ns, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return badRequest("before %q: want nanoseconds since 1970", text)
		}
		before = time.Unix(0, ns)
	}
	f.Limit = 100
	closed, next, err := c.Store.Closed(ctx, scope, f, before)
	if err != nil {
		return err
	}
	views, err := c.views(x, query)
	if err != nil {
		return err
	}
	data := map[string]any{"Views": views, "Chips": chips(query), "Closed": closed}
	if !next.IsZero() {
		earlier := maps.Clone(query)
		earlier.Set("before", fmt.Sprint(next.UnixNano()))
		data["Earlier"], data["Until"] = "/queue?"+earlier.Encode(), next
	}
	return x.page("closed", "Closed", data)
}

func (c *Console) rows(ctx context.Context, scope store.Scope, f store.Filter, grouped bool) ([]queueRow, error) {
	if !grouped {
		open, err := c.Store.Open(ctx, scope, f)
		rows := make([]queueRow, len(open))
		for i, o := range open {
			g := store.Group{OpenFinding: o, Count: 1, FirstAt: o.At, LastAt: o.At, Total: o.Amount}
			rows[i] = queueRow{g, "f:" + o.ID, o.PlaceOf().String()}
		}
		return rows, err
	}
	groups, err := c.Store.Groups(ctx, scope, f)
	rows := make([]queueRow, len(groups))
	for i := range groups {
		g := &groups[i]
		rows[i] = queueRow{
			*g, fmt.Sprintf("g:%s:%s:%d", g.Fingerprint, g.State, g.Until.UnixMilli()), g.Place().String(),
		}
		if g.Count == 1 {
			rows[i].Key = "f:" + g.ID
		}
	}
	return rows, err
}

// next is the URL of the rows that follow, empty at the end.
func next(query url.Values, rows []queueRow, f *store.Filter, all int) string {
	if len(rows) == 0 || len(rows) == all || len(rows) < min(all, store.LimitOf(f.Limit)) {
		return ""
	}
	return with(query, "after", rows[len(rows)-1].Cursor)
}

// with is the URL of the queue with another value of a parameter; an empty value removes it.
func with(query url.Values, name, value string) string {
	changed := maps.Clone(query)
	changed.Set(name, value)
	if value == "" {
		changed.Del(name)
	}
	return "/queue?" + changed.Encode()
}

// chip is an active filter with the URL that removes it.
type chip struct{ Name, Value, Without string }

func chips(query url.Values) []chip {
	var all []chip
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if name == "limit" || name == "before" || name == "after" || query.Get(name) == "" {
			continue
		}
		rest := url.Values{}
		for n, v := range query {
			if n != name {
				rest[n] = v
			}
		}
		all = append(all, chip{name, query.Get(name), "/queue?" + rest.Encode()})
	}
	return all
}
