package console

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/rules"
)

// Ages of the last record of a feed, by our clock.
const (
	feedSlow  = 30 * time.Second
	feedStale = 2 * time.Minute
)

// tile is a table of the floor with the state of its feed.
type tile struct {
	store.Tile
	// Feed is live, slow, stale or closed.
	Feed string
	Age  time.Duration
}

func (c *Console) tiles(tiles []store.Tile) []tile {
	now := c.Now()
	all := make([]tile, len(tiles))
	for i := range tiles {
		t := tile{Tile: tiles[i], Feed: "live", Age: now.Sub(tiles[i].ReceivedAt)}
		switch {
		case t.Kind == "table_closed":
			t.Feed = "closed"
		case t.Age > feedStale:
			t.Feed = "stale"
		case t.Age > feedSlow:
			t.Feed = "slow"
		}
		all[i] = t
	}
	return all
}

func floorPage(c *Console, x *exchange) error {
	scope, property := x.scope(), x.r.FormValue("property")
	key := fmt.Sprintf("floor %v %s", scope, property)
	tiles, err := cachedFor(&c.cached, key, 800*time.Millisecond, func() ([]store.Tile, error) {
		return c.Store.Floor(context.WithoutCancel(x.r.Context()), scope, store.Place{Property: property})
	})
	if err != nil {
		return err
	}
	all := c.tiles(tiles)
	slices.SortStableFunc(all, func(a, b tile) int { // what is closed comes last
		return cmp.Compare(strings.Count(a.Feed, "closed"), strings.Count(b.Feed, "closed"))
	})
	feeds := map[string]int{}
	type pit struct {
		Property, Pit string
		Tiles         []tile
	}
	var pits []pit
	for _, t := range all {
		feeds[t.Feed]++
		if n := len(pits); n == 0 || pits[n-1].Property != t.PropertyID || pits[n-1].Pit != t.PitID {
			pits = append(pits, pit{Property: t.PropertyID, Pit: t.PitID})
		}
		p := &pits[len(pits)-1]
		p.Tiles = append(p.Tiles, t)
	}
	return x.page("floor", "Floor", map[string]any{"Pits": pits, "Feeds": feeds, "Tables": len(all), "Wall": x.r.FormValue("wall") == "1"})
}

func tablePage(c *Console, x *exchange) error {
	ctx, scope := x.r.Context(), x.scope()
	p := store.Place{Property: x.r.PathValue("property"), Table: x.r.PathValue("table")}
	tiles, err := c.Store.Floor(ctx, scope, p)
	if err != nil {
		return err
	}
	if len(tiles) == 0 {
		return errNoPage
	}
	configs, err := c.Store.Configs(ctx, scope, p)
	if err != nil {
		return err
	}
	shoes, err := c.Store.Shoes(ctx, scope, p)
	if err != nil {
		return err
	}
	open, err := c.Store.Open(ctx, scope, store.Filter{Property: p.Property, Table: p.Table, High: c.High})
	if err != nil {
		return err
	}
	t := c.tiles(tiles)[0]
	data := map[string]any{"Tile": t, "Configs": configs, "Shoes": shoes, "Open": open}
	if t.ShoeID != "" {
		rounds, err := c.Store.Rounds(ctx, scope, store.Place{Property: p.Property, Table: p.Table, Shoe: t.ShoeID})
		if err != nil {
			return err
		}
		marked := map[uint32]string{}
		for _, f := range open {
			if f.ShoeID == t.ShoeID {
				marked[f.Round] = f.ID
			}
		}
		data["Roads"] = roadsOf(rounds, marked)
		if n := len(rounds); n > 0 {
			data["Last"] = rounds[n-1]
		}
	}
	return x.page("table", "Table "+p.Table, data)
}

func shoePage(c *Console, x *exchange) error {
	ctx, scope := x.r.Context(), x.scope()
	p := store.Place{Property: x.r.PathValue("property"), Table: x.r.PathValue("table"), Shoe: x.r.PathValue("shoe")}
	var shoes []store.Shoe
	var rounds []store.Round
	var findings []store.Finding
	var ledger []store.Vigorish
	var all errgroup.Group
	gather(&all, &shoes, func() ([]store.Shoe, error) { return c.Store.Shoes(ctx, scope, p) })
	gather(&all, &rounds, func() ([]store.Round, error) { return c.Store.Rounds(ctx, scope, p) })
	gather(&all, &findings, func() ([]store.Finding, error) {
		return c.Store.Findings(ctx, scope, store.Where{Property: p.Property, Table: p.Table, Shoe: p.Shoe, Limit: 500})
	})
	gather(&all, &ledger, func() ([]store.Vigorish, error) { return c.Store.Ledger(ctx, scope, p) })
	if err := all.Wait(); err != nil {
		return err
	}
	if len(shoes) == 0 && len(rounds) == 0 {
		return errNoPage
	}
	slices.Reverse(findings)
	marked, by := map[uint32]string{}, map[uint32][]store.Finding{}
	for _, f := range findings {
		if f.Verdict == "BREACH" || f.Verdict == "SUSPECT" {
			marked[f.Round] = f.ID
		}
		by[f.Round] = append(by[f.Round], f)
	}
	data := map[string]any{
		"Place": p, "Rounds": rounds, "Findings": findings, "ByRound": by, "Roads": roadsOf(rounds, marked), "Ledger": ledgerOf(ledger, findings),
	}
	if len(shoes) > 0 {
		data["Shoe"] = shoes[0]
	}
	return x.page("shoe", "Shoe "+p.Shoe, data)
}

// account is what one seat owed in a shoe. Whether that was right is for the rules to say: some houses
// pay net of vigorish and mark nothing.
type account struct {
	Seat                           uint32
	Entries                        []entry
	Least, Most, Marked, Collected int64
}

type entry struct {
	store.Vigorish
	Finding string // the id of one about this wager's vigorish
}

func ledgerOf(rows []store.Vigorish, findings []store.Finding) []account {
	about := map[string]string{}
	for _, f := range findings {
		if wager, ok := strings.CutPrefix(f.Subject, "wager:"); ok && strings.HasPrefix(f.Rule, "vig.") && f.Verdict == "BREACH" {
			about[wager] = f.ID
		}
	}
	by := map[uint32]*account{}
	var order []uint32
	for _, v := range rows {
		a := by[v.Seat]
		if a == nil {
			a = &account{Seat: v.Seat}
			by[v.Seat] = a
			order = append(order, v.Seat)
		}
		a.Least += v.Least
		a.Most += v.Most
		a.Marked += v.Marked
		a.Collected += v.Collected
		a.Entries = append(a.Entries, entry{v, about[v.WagerID]})
	}
	slices.Sort(order)
	all := make([]account, len(order))
	for i, n := range order {
		all[i] = *by[n]
	}
	return all
}

// search leads to what a text names, or lists the findings that have it.
func search(c *Console, x *exchange) error {
	q := strings.TrimSpace(x.r.FormValue("q"))
	if len(q) > 200 {
		return badRequest("Search for up to 200 letters.")
	}
	if len(q) == 32 {
		if f, err := c.Store.Finding(x.r.Context(), x.scope(), q); err == nil {
			return x.redirect("/findings/" + url.PathEscape(f.ID))
		}
	}
	tiles, err := c.Store.Floor(x.r.Context(), x.scope(), store.Place{})
	if err != nil {
		return err
	}
	for i := range tiles {
		if strings.EqualFold(tiles[i].TableID, q) {
			return x.redirect("/tables/" + url.PathEscape(tiles[i].PropertyID) + "/" + url.PathEscape(tiles[i].TableID))
		}
	}
	return x.redirect("/queue?q=" + url.QueryEscape(q))
}

func rulesPage(_ *Console, x *exchange) error {
	return x.page("rules", "Rules", map[string]any{"Rules": rules.All()})
}

func logPage(c *Console, x *exchange) error {
	entries, err := c.Store.Entries(x.r.Context(), x.logScope(), x.r.FormValue("actor"), x.r.FormValue("action"))
	if err != nil {
		return err
	}
	return x.page("log", "Console log", map[string]any{"Entries": entries, "Actor": x.r.FormValue("actor"), "Action": x.r.FormValue("action")})
}

// logScope includes what belongs to no property, such as a sign-in.
func (x *exchange) logScope() store.Scope {
	s := x.scope()
	s.Properties = append(slices.Clone(s.Properties), "")
	return s
}

func helpPage(c *Console, x *exchange) error {
	return x.page("help", "Help", map[string]any{"Roles": roles()})
}
