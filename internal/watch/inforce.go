package watch

import (
	"context"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// inForce are the configurations that were in force from one time to before another.
type inForce struct {
	from, before int64
	list         []rows.Config // by table, in the order of their times
	tables       map[string][]*rows.Config
}

// of is the text of the latest configuration of a table with an id, recorded at a time or before; "" for none.
func (f *inForce) of(table, id string, at int64) string {
	for _, c := range slices.Backward(f.tables[table]) {
		if c.ConfigID == id && c.At <= at && !c.Closed {
			return c.Config
		}
	}
	return ""
}

// enact reads the configurations in force from one time to before another.
func (w *watcher) enact(ctx context.Context, from, before int64) error {
	from = max(from, 0)
	from -= from % int64(24*time.Hour) // what the floor compares changes once a day
	list, err := w.store.Configs(ctx, w.options.Property, from, before)
	if err != nil {
		return err
	}
	w.configs = inForce{from: from, before: before, list: list, tables: map[string][]*rows.Config{}}
	for i := range list {
		table := list[i].TableID
		w.configs.tables[table] = append(w.configs.tables[table], &list[i])
	}
	return nil
}

// cover reads older configurations if rounds are from before those that were read: their feed may be weeks behind.
func (w *watcher) cover(ctx context.Context, items []item) error {
	oldest := w.configs.from
	for i := range items {
		if r := items[i].round; r != nil {
			oldest = min(oldest, r.At)
		}
		for k := range items[i].played {
			oldest = min(oldest, items[i].played[k].At)
		}
	}
	if oldest == w.configs.from {
		return nil
	}
	return w.enact(ctx, oldest, w.configs.before)
}
