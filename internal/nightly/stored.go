package nightly

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// storedDay is what the database has of a day: the digests of its facts, and the offsets of its events.
type storedDay struct {
	facts   []clickhouse.FactDigest
	offsets []clickhouse.Offsets
}

// eventsAtOnce is the number of events whose days and tables are read at once: such a query ends long before its time
// limit.
const eventsAtOnce = 32_000_000

// storedOf returns what the database has of a day. It is read together with the days that follow: the rows of a table
// lie together, so that a query of one day also reads rows of other days.
func (r *run) storedOf(ctx context.Context, w window) (storedDay, error) {
	if known, ok := r.stored[w.day]; ok {
		return known, nil
	}
	first := slices.Index(r.windows, w)
	most := int(eventsAtOnce / max(r.events/uint64(len(r.windows)), 1))
	bounds := []int64{w.from, w.until}
	for _, next := range r.windows[first+1:] {
		if len(bounds) > most || next.from != bounds[len(bounds)-1] {
			break
		}
		bounds = append(bounds, next.until)
	}
	var facts [][]clickhouse.FactDigest
	var offsets [][]clickhouse.Offsets
	group, working := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		facts, err = r.store.FactDays(working, r.Property, bounds)
		return err
	})
	group.Go(func() (err error) {
		offsets, err = r.store.DayOffsets(working, r.Property, bounds)
		return err
	})
	if err := group.Wait(); err != nil {
		return storedDay{}, err
	}
	r.stored = map[string]storedDay{}
	for i := range facts {
		r.stored[r.windows[first+i].day] = storedDay{facts[i], offsets[i]}
	}
	return r.stored[w.day], nil
}
