package console

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// tile is a table of the floor with the state of its feed.
type tile struct {
	store.Tile
	// Feed is live, slow, stale, closed or waiting.
	Feed string
}

func (c *Console) tiles(tiles []store.Tile) []tile {
	now := c.Now()
	all := make([]tile, len(tiles))
	for i := range tiles {
		all[i] = tile{tiles[i], tiles[i].State(now)}
	}
	return all
}

// floor returns the tables of a property, or one table, or all; requests share the last events, which a change of the
// queue does not clear.
func (c *Console) floor(x *exchange, at store.Location) ([]store.Tile, error) {
	ctx, scope := x.r.Context(), x.scope()
	feeds, err := cached(ctx, &c.facts, fmt.Sprintf("feeds %#v", scope), 800*time.Millisecond,
		func(ctx context.Context) ([]clickhouse.TableFeed, error) {
			return c.Store.Floor(ctx, scope, store.Location{})
		})
	if err != nil {
		return nil, err
	}
	all := at == store.Location{}
	if !all && len(feeds) >= clickhouse.MaxFeeds { // the list may lack some of them
		if feeds, err = c.Store.Floor(ctx, scope, at); err != nil {
			return nil, err
		}
	}
	feeds = slices.DeleteFunc(slices.Clone(feeds), func(f clickhouse.TableFeed) bool {
		return at.Property != "" && f.PropertyID != at.Property || at.Table != "" && f.TableID != at.Table
	})
	if !all && len(feeds) == 0 { // a new table
		if feeds, err = c.Store.Floor(ctx, scope, at); err != nil {
			return nil, err
		}
	}
	return c.Store.Tiles(ctx, scope, feeds)
}

func floorPage(c *Console, x *exchange) error {
	tiles, err := c.floor(x, store.Location{Property: x.r.FormValue("property")})
	if err != nil {
		return err
	}
	all := c.tiles(tiles)
	if x.r.FormValue("wall") == "1" || x.user.Kiosk {
		return c.wall(x, all)
	}
	slices.SortStableFunc(all, func(a, b tile) int { // closed tables last
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
	return x.page("floor", "Floor", map[string]any{
		"Pits": pits, "Feeds": feeds, "Tables": len(all),
	})
}

// wallTile is a tile of the wall with the letters of its last results, the latest last.
type wallTile struct {
	tile
	Results []cell
}

// wall shows all tables on one screen. Each table keeps its place, closed or not.
func (c *Console) wall(x *exchange, all []tile) error {
	const maxColumns, maxName = 30, 32
	last, err := c.lastResults(x)
	if err != nil {
		return err
	}
	feeds, longest := map[string]int{}, 0
	tiles := make([]wallTile, len(all))
	for i, t := range all {
		feeds[t.Feed]++
		longest = max(longest, utf8.RuneCountInString(t.TableID))
		tiles[i].tile = t
		for _, r := range slices.Backward(last[shoeKey{t.PropertyID, t.TableID, t.ShoeID}]) {
			tiles[i].Results = append(tiles[i].Results, letterOf(r.Result))
		}
	}
	// A tile is half as wide again as it is high, on a screen of 16 to 9.
	columns := int(math.Ceil(math.Sqrt(float64(len(all)) * 16 / 9 / 1.5)))
	return x.page("wall", "Wall", map[string]any{
		"Tiles": tiles, "Feeds": feeds, "Columns": max(1, min(columns, maxColumns)),
		"Longest": min(longest, maxName),
	})
}

// shoeKey is a shoe of a table of a property.
type shoeKey struct{ property, table, shoe string }

// lastResults returns the last results of the shoes in play, the latest first. The last minutes are read each few
// seconds, which reads little, and the hours before each minute. A late round shows after two minutes at most.
func (c *Console) lastResults(x *exchange) (map[shoeKey][]store.LastResult, error) {
	const oldest, recent = 36 * time.Hour, 10 * time.Minute
	ctx, scope := x.r.Context(), x.scope()
	last := map[shoeKey][]store.LastResult{}
	for _, read := range []struct{ age, ttl time.Duration }{{recent, 4 * time.Second}, {oldest, time.Minute}} {
		rows, err := cached(ctx, &c.figures, fmt.Sprintf("results %v %#v", read.age, scope), read.ttl,
			func(ctx context.Context) ([]store.LastResult, error) {
				return c.Store.LastResults(ctx, scope, c.Now().Add(-read.age))
			})
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			shoe := shoeKey{r.PropertyID, r.TableID, r.ShoeID}
			if have := last[shoe]; len(have) < store.MaxResults && (len(have) == 0 || r.Round < have[len(have)-1].Round) {
				last[shoe] = append(have, r)
			}
		}
	}
	return last, nil
}

// tableFacts is what was recorded of a table, with the gaming day that a request selects.
type tableFacts struct {
	configs  []store.Config
	shoes    []store.Shoe
	currency string
	night    *night
}

// tableFacts reads the facts of a table, whose page each browser that shows it requests after each change of the queue.
func (c *Console) tableFacts(x *exchange, at store.Location) (tableFacts, error) {
	about := [...]string{at.Property, at.Table, x.r.URL.Query().Get("day")}
	x, done := x.detached()
	defer done()
	return facts(c, x, x.scope(), about, func(ctx context.Context, scope store.Scope) (of tableFacts, err error) {
		var all errgroup.Group
		fetch(&all, &of.configs, func() ([]store.Config, error) { return c.Store.Configs(ctx, scope, at) })
		fetch(&all, &of.shoes, func() ([]store.Shoe, error) { return c.Store.Shoes(ctx, scope, at) })
		fetch(&all, &of.currency, func() (string, error) { return c.currency(x, at) })
		fetch(&all, &of.night, func() (*night, error) { return c.night(x, at) })
		err = all.Wait()
		return of, err
	})
}

func tablePage(c *Console, x *exchange) error {
	ctx, scope, at := x.r.Context(), x.scope(), x.location()
	tiles, err := c.floor(x, at)
	if err != nil {
		return err
	}
	if len(tiles) == 0 {
		return errNoPage
	}
	t := c.tiles(tiles)[0]
	var of tableFacts
	var open []store.OpenFinding
	var all errgroup.Group
	fetch(&all, &of, func() (tableFacts, error) { return c.tableFacts(x, at) })
	fetch(&all, &open, func() ([]store.OpenFinding, error) {
		return c.Store.Open(ctx, scope, store.Filter{Property: at.Property, Table: at.Table, High: c.High})
	})
	if err := all.Wait(); err != nil {
		return err
	}
	data := map[string]any{
		"Tile": t, "Configs": of.configs, "Shoes": of.shoes, "Open": open, "Currency": of.currency, "Night": of.night,
	}
	last := t.ShoeID
	if last == "" && len(of.shoes) > 0 {
		last = of.shoes[0].ShoeID
	}
	if last != "" {
		rounds, err := c.Store.Rounds(ctx, scope, store.Location{Property: at.Property, Table: at.Table, Shoe: last})
		if err != nil {
			return err
		}
		marked := map[uint32]string{}
		for _, f := range open {
			if f.ShoeID == last {
				marked[f.Round] = f.ID
			}
		}
		data["Last"], data["Roads"] = last, roadsOf(rounds, marked)
	}
	return x.page("table", "Table "+at.Table, data)
}
