package console

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
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
	of, err := cached(ctx, &c.volatile, key, queueTTL, func(ctx context.Context) (queueView, error) {
		v, err := c.Store.Show(ctx, scope, f, grouped)
		return queueView{v, rowsOf(&v)}, err
	})
	if err != nil {
		return err
	}
	rows, totals := of.rows, of.Totals
	query := x.r.URL.Query()
	views, err := c.views(x, query)
	if err != nil {
		return err
	}
	return x.page("queue", "Queue", map[string]any{
		"Rows": rows, "All": of.All, "First": query.Get("after") != "", "Start": with(query, "after", ""),
		"Next": next(query, rows, &f, of.All), "Totals": totals, "Grouped": grouped, "Facets": of.Facets,
		"Orders": store.Orders(),
		"Filter": query, "Views": views, "Chips": chips(query), "Query": query.Encode(),
		"Dispositions": store.Dispositions(), "Me": x.user.Name, "CSV": csvOf(query),
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
	data := map[string]any{
		"Views": views, "Chips": chips(query), "Closed": closed, "Filter": query, "CSV": csvOf(query),
	}
	if !next.IsZero() {
		earlier := maps.Clone(query)
		earlier.Set("before", fmt.Sprint(next.UnixNano()))
		data["Earlier"], data["Until"] = "/queue?"+earlier.Encode(), next
	}
	return x.page("closed", "Closed", data)
}

// queueView is a page of the queue with its rows.
type queueView struct {
	store.Shown
	rows []queueRow
}

func rowsOf(v *store.Shown) []queueRow {
	rows := make([]queueRow, 0, len(v.Open)+len(v.Groups))
	for i := range v.Open {
		o := &v.Open[i]
		g := store.Group{OpenFinding: *o, Count: 1, FirstAt: o.At, LastAt: o.At, Total: o.Amount}
		rows = append(rows, queueRow{g, "f:" + o.ID, o.PlaceOf().String()})
	}
	for i := range v.Groups {
		g := &v.Groups[i]
		row := queueRow{
			*g, fmt.Sprintf("g:%s:%s:%d", g.Fingerprint, g.State, g.Until.UnixMilli()), g.Place().String(),
		}
		if g.Count == 1 {
			row.Key = "f:" + g.ID
		}
		rows = append(rows, row)
	}
	return rows
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

// csvOf is the URL of the file that has the findings of a page of the queue and of those after it.
func csvOf(query url.Values) string {
	all := maps.Clone(query)
	for _, name := range []string{"after", "before", "limit", "group"} {
		all.Del(name)
	}
	return strings.TrimSuffix("/exports/findings.csv?"+all.Encode(), "?")
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
