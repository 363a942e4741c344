package console

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
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

func floorPage(c *Console, x *exchange) error {
	scope, property := x.scope(), x.r.FormValue("property")
	key := fmt.Sprintf("floor %v %s", scope, property)
	tiles, err := cached(&c.volatile, key, 800*time.Millisecond, func() ([]store.Tile, error) {
		return c.Store.Floor(context.WithoutCancel(x.r.Context()), scope, store.Location{Property: property})
	})
	if err != nil {
		return err
	}
	all := c.tiles(tiles)
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
		"Pits": pits, "Feeds": feeds, "Tables": len(all), "Wall": x.r.FormValue("wall") == "1",
	})
}

func tablePage(c *Console, x *exchange) error {
	ctx, scope, at := x.r.Context(), x.scope(), x.location()
	tiles, err := c.Store.Floor(ctx, scope, at)
	if err != nil {
		return err
	}
	if len(tiles) == 0 {
		return errNoPage
	}
	t := c.tiles(tiles)[0]
	var configs []store.Config
	var shoes []store.Shoe
	var open []store.OpenFinding
	var rounds []store.Round
	var all errgroup.Group
	fetch(&all, &configs, func() ([]store.Config, error) { return c.Store.Configs(ctx, scope, at) })
	fetch(&all, &shoes, func() ([]store.Shoe, error) { return c.Store.Shoes(ctx, scope, at) })
	fetch(&all, &open, func() ([]store.OpenFinding, error) {
		return c.Store.Open(ctx, scope, store.Filter{Property: at.Property, Table: at.Table, High: c.High})
	})
	if t.ShoeID != "" {
		inPlay := store.Location{Property: at.Property, Table: at.Table, Shoe: t.ShoeID}
		fetch(&all, &rounds, func() ([]store.Round, error) { return c.Store.Rounds(ctx, scope, inPlay) })
	}
	if err := all.Wait(); err != nil {
		return err
	}
	data := map[string]any{"Tile": t, "Configs": configs, "Shoes": shoes, "Open": open}
	if t.ShoeID != "" {
		marked := map[uint32]string{}
		for _, f := range open {
			if f.ShoeID == t.ShoeID {
				marked[f.Round] = f.ID
			}
		}
		data["Roads"] = roadsOf(rounds, marked)
	}
	return x.page("table", "Table "+at.Table, data)
}
