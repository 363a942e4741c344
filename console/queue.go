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

// filterOf reads a filter from the query of a URL. What it does not know is refused, so that a mistyped
// filter never looks like an empty queue.
func (x *exchange) filterOf() (f store.Filter, grouped bool, err error) {
	grouped = true
	f.High = x.c.High
	for name, values := range x.r.URL.Query() {
		value := strings.TrimSpace(values[0])
		if len(values) > 1 || len(value) > 200 {
			return f, grouped, badRequest("filter %s: want one value of up to 200 letters", name)
		}
		switch name {
		case "property":
			f.Property = value
		case "pit":
			f.Pit = value
		case "table":
			f.Table = value
		case "shoe":
			f.Shoe = value
		case "dealer":
			f.Dealer = value
		case "rule":
			f.Rule = value
		case "severity":
			f.Severity = value
		case "verdict":
			f.Verdict = value
		case "kind":
			f.Kind = value
		case "state":
			f.State = value
		case "owner":
			f.Owner = value
			if value == "me" {
				f.Owner = x.who.Name
			}
		case "day":
			f.Day = value
		case "shift":
			f.Shift = value
		case "fp":
			f.Fingerprint = value
		case "q":
			f.Text = value
		case "shelved":
			f.Shelved = value == "1"
		case "before": // of what is closed
		case "group":
			grouped = value != "off"
		case "limit":
			if f.Limit, err = strconv.Atoi(value); err != nil || f.Limit < 1 || f.Limit > 1000 {
				return f, grouped, badRequest("limit %q, want 1 to 1000", value)
			}
		default:
			return f, grouped, badRequest("unknown filter %q", name)
		}
	}
	return f, grouped, nil
}

// queueRow is one line of the queue: a group, or a finding that stands alone.
type queueRow struct {
	store.Group
	// Key is what a step names the line by.
	Key string
}

// savedView is a filter that has a name.
type savedView struct {
	Name, Query string
	Current     bool
}

func savedViews(query url.Values) []savedView {
	views := []savedView{
		{Name: "All open", Query: ""},
		{Name: "Critical", Query: "severity=critical"},
		{Name: "Nobody's", Query: "owner=-"},
		{Name: "Mine", Query: "owner=me"},
		{Name: "Awaiting second person", Query: "state=closing"},
		{Name: "Escalated", Query: "state=escalated"},
		{Name: "Suspicions", Query: "verdict=SUSPECT"},
		{Name: "Data faults", Query: "kind=data_fault"},
		{Name: "Shelved", Query: "shelved=1"},
		{Name: "Closed", Query: "state=closed"},
	}
	q := query.Encode()
	for i := range views {
		views[i].Current = views[i].Query == q
	}
	return views
}

func queuePage(c *Console, x *exchange) error {
	ctx := x.r.Context()
	f, grouped, err := x.filterOf()
	if err != nil {
		return err
	}
	query := x.r.URL.Query()
	scope := x.scope()
	data := map[string]any{
		"Filter": f, "Grouped": grouped, "Views": savedViews(query), "States": store.States(), "Dispositions": store.Dispositions(), "Me": x.who.Name,
		"Chips": chips(query),
	}
	if f.State == store.Closed {
		before := c.Now()
		if text := query.Get("before"); text != "" {
			ns, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return badRequest("before %q, want nanoseconds since 1970", text)
			}
			before = time.Unix(0, ns)
		}
		closed, further, err := c.Store.Closed(ctx, scope, before, 100)
		if err != nil {
			return err
		}
		findings, err := c.Store.Names(ctx, scope, closed)
		if err != nil {
			return err
		}
		by := map[string]store.Name{}
		for _, f := range findings {
			by[f.ID] = f
		}
		if !further.IsZero() {
			data["Further"] = further.UnixNano()
		}
		data["Closed"], data["By"] = closed, by
		return x.page("closed", "Closed", data)
	}
	key := fmt.Sprintf("queue %v %+v %v", scope, f, grouped)
	rows, err := cachedFor(&c.cached, key, 800*time.Millisecond, func() ([]queueRow, error) { return c.queue(x, scope, f, grouped) })
	if err != nil {
		return err
	}
	totals, err := cachedFor(&c.cached, "totals "+key, 800*time.Millisecond, func() (store.Totals, error) {
		return c.Store.Totals(context.WithoutCancel(ctx), scope, f)
	})
	if err != nil {
		return err
	}
	data["Rows"], data["Totals"] = rows, totals
	return x.page("queue", "Queue", data)
}

func (c *Console) queue(x *exchange, scope store.Scope, f store.Filter, grouped bool) ([]queueRow, error) {
	ctx := context.WithoutCancel(x.r.Context()) // others wait for the same answer
	if !grouped {
		open, err := c.Store.Open(ctx, scope, f)
		rows := make([]queueRow, len(open))
		for i := range open {
			rows[i] = queueRow{store.Group{Waiting: open[i], Count: 1, FirstAt: open[i].At, LastAt: open[i].At, Total: open[i].Amount}, "f:" + open[i].ID}
		}
		return rows, err
	}
	groups, err := c.Store.Groups(ctx, scope, f)
	rows := make([]queueRow, len(groups))
	for i := range groups {
		g := &groups[i]
		rows[i] = queueRow{*g, fmt.Sprintf("g:%s:%s:%d", g.Fingerprint, g.State, g.Until.UnixMilli())}
		if g.Count == 1 {
			rows[i].Key = "f:" + g.ID
		}
	}
	return rows, err
}

// chip is a filter in force, and the URL without it.
type chip struct{ Name, Value, Without string }

func chips(query url.Values) []chip {
	var all []chip
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if name == "limit" {
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

// members are the findings that a form names, each as f:ID or as a group.
func (c *Console) members(x *exchange, keys []string) ([]string, error) {
	var ids []string
	for _, key := range keys {
		parts := strings.Split(key, ":")
		switch {
		case len(parts) == 2 && parts[0] == "f":
			ids = append(ids, parts[1])
		case len(parts) == 4 && parts[0] == "g":
			ms, err := strconv.ParseInt(parts[3], 10, 64)
			if err != nil {
				return nil, badRequest("%q names no group", key)
			}
			more, err := c.Store.Members(x.r.Context(), x.scope(), parts[1], parts[2], time.UnixMilli(ms))
			if err != nil {
				return nil, err
			}
			ids = append(ids, more...)
		default:
			return nil, badRequest("%q names no finding", key)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// supervised are the steps that only a supervisor takes.
func supervised(p *store.Step, actor string) bool {
	return p.What == store.Confirm || p.What == store.Reject || p.What == store.Reopen || p.What == store.Assign && p.Owner != actor
}

// take takes a step in the name of who asks.
func (c *Console) take(x *exchange, p store.Step) ([]store.Waiting, error) {
	p.Actor = x.who.Name
	scope := x.scope()
	if p.What == store.Assign && p.Owner == "me" {
		p.Owner = p.Actor
	}
	if supervised(&p, p.Actor) {
		if scope = x.who.Scope(Supervise); !scope.All && len(scope.Properties) == 0 {
			x.log("", "refused", strings.Join(p.IDs, " "), p.What)
			return nil, errForbidden
		}
	}
	rows, err := c.Store.Take(x.r.Context(), scope, p)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		x.log(rows[i].PropertyID, p.What, rows[i].ID, p.Disposition)
	}
	c.changed()
	return rows, nil
}

func triage(c *Console, x *exchange) error {
	form := x.r.PostForm
	ids, err := c.members(x, form["key"])
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return badRequest("Choose a finding first.")
	}
	_, err = c.take(x, store.Step{
		IDs: ids, What: form.Get("step"), Owner: form.Get("owner"), Disposition: form.Get("disposition"), Reason: form.Get("reason"), Note: form.Get("note"),
	})
	if err != nil {
		return err
	}
	return x.redirect(local(form.Get("next")))
}
