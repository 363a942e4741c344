package console

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// viewLink is a view of the queue: a filter with a name.
type viewLink struct {
	Name, Query string
	Current     bool
	Saved       bool // by this person
}

// URL is the whole address: a template would escape the = of a query that it completes.
func (v viewLink) URL() string {
	if v.Query == "" {
		return "/queue"
	}
	return "/queue?" + v.Query
}

// views returns the views of the role, and then those that the user saved.
func (c *Console) views(x *exchange, query url.Values) ([]viewLink, error) {
	views := []viewLink{
		{Name: "All open", Query: ""},
		{Name: "Critical", Query: "severity=critical"},
		{Name: "Unassigned", Query: "owner=-"},
		{Name: "Awaiting second person", Query: "state=closing"},
		{Name: "Escalated", Query: "state=escalated"},
		{Name: "Suspicions", Query: "verdict=SUSPECT"},
		{Name: "Assumed law", Query: "basis=assumed"},
		{Name: "Data faults", Query: "kind=data_fault"},
		{Name: "Silenced", Query: "silenced=1"},
		{Name: "Closed", Query: "state=closed"},
	}
	if x.user.May(permTriage) { // others own no finding
		views = slices.Insert(views, 3, viewLink{Name: "Mine", Query: "owner=me"})
	}
	saved, err := c.savedViews(x)
	for _, v := range saved {
		views = append(views, viewLink{Name: v.Name, Query: v.Query, Saved: true})
	}
	q := query.Encode()
	for i := range views {
		views[i].Current = views[i].Query == q
	}
	return views, err
}

// viewsTTL is how long another replica may show a view that was removed.
const viewsTTL = 30 * time.Second

func viewsKey(who store.Who) string { return "views " + who.Account() }

func (c *Console) savedViews(x *exchange) ([]store.View, error) {
	who := x.user.Who
	return cached(x.r.Context(), &c.saved, viewsKey(who), viewsTTL, func(ctx context.Context) ([]store.View, error) {
		return c.Store.Views(ctx, who)
	})
}

// saveView saves a filter of the queue under a name, which replaces an earlier one.
func saveView(c *Console, x *exchange) error {
	const maxName, maxQuery = 40, 400
	name := strings.TrimSpace(x.r.PostFormValue("name"))
	query, err := url.ParseQuery(strings.TrimPrefix(x.r.PostFormValue("query"), "?"))
	if err != nil {
		return badRequest("query: %v", err)
	}
	for n, values := range query {
		if n == "after" || n == "before" || n == "limit" || values[0] == "" {
			query.Del(n)
		}
	}
	text := query.Encode()
	switch {
	case name == "" || len(name) > maxName:
		return badRequest("name: want 1 to %d characters", maxName)
	case text == "" || len(text) > maxQuery:
		return badRequest("query: want a filter of at most %d characters", maxQuery)
	}
	if _, _, err := x.filterOf(query); err != nil {
		return err
	}
	views, err := c.savedViews(x)
	if err != nil {
		return err
	}
	known := slices.ContainsFunc(views, func(v store.View) bool { return v.Name == name })
	if len(views) >= store.MaxViews && !known {
		return badRequest("There are %d saved views already. Remove one first.", store.MaxViews)
	}
	if err := c.recordView(x, store.ViewSaved, name, text); err != nil {
		return err
	}
	return x.redirect("/queue?" + text)
}

// removeView removes a saved view.
func removeView(c *Console, x *exchange) error {
	name := x.r.PostFormValue("name")
	views, err := c.savedViews(x)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(views, func(v store.View) bool { return v.Name == name }) {
		return errNoPage
	}
	if err := c.recordView(x, store.ViewRemoved, name, ""); err != nil {
		return err
	}
	return x.redirect("/queue")
}

func (c *Console) recordView(x *exchange, action, name, query string) error {
	defer c.saved.clear()
	return x.mustLog("", action, name, query)
}
