package nightly

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// without replays a table as the live audit played it: without the events that arrived late. The facts that ingest
// stored are compared with its facts. It is nil for a table without such events.
type without struct {
	engine *engine.Engine
	late   []hole
	days   []tableDay
	rows   rows.Set
}

// lateEvents returns the holes of each table that events filled which arrived late. Tables whose numbers began again
// are left out: a number is not of one event there.
func (r *run) lateEvents(ctx context.Context) (map[string][]hole, error) {
	holes, restarted := map[string][]hole{}, map[string]bool{}
	for _, rule := range []string{"feed.gap", "feed.late", "feed.reset"} {
		live, err := r.store.Findings(ctx, clickhouse.Filter{
			PropertyID: r.Property, GamingDay: r.Days[0], LastDay: r.Days[len(r.Days)-1], Rule: rule, Live: true,
			Withdrawn: true,
		})
		if err != nil {
			return nil, err
		}
		for i := range live {
			f := &live[i]
			h, late, err := r.lateHole(ctx, f)
			switch {
			case err != nil:
				return nil, err
			case rule == "feed.reset":
				restarted[f.TableID] = true
			case late:
				holes[f.TableID] = append(holes[f.TableID], h)
			}
		}
	}
	for table := range restarted {
		delete(holes, table)
	}
	return holes, nil
}

// without returns the second replay of a table, nil if no event of it arrived late.
func (r *run) without(ctx context.Context, table *clickhouse.ArchivedTable) (*without, error) {
	late := r.late[table.Table]
	if len(late) == 0 {
		return nil, nil
	}
	auditor, _, err := r.begin(ctx, table)
	w := &without{engine: auditor, late: late, days: make([]tableDay, len(r.windows))}
	for i := range w.days {
		w.days[i].tableDone = tableDone{Table: table.Table}
		w.days[i].digest = sha256.New()
	}
	return w, err
}

// apply takes an event unless it arrived late.
func (w *without) apply(e *clickhouse.Archived) {
	if w == nil || slices.ContainsFunc(w.late, func(h hole) bool { return e.Seq >= h.from && e.Seq <= h.to }) {
		return
	}
	w.engine.Apply(&e.Record, "", 0, &w.rows)
}

// collect takes the facts of the days.
func (w *without) collect(r *run) {
	if w != nil && w.rows.Len() > 0 {
		r.facts(w.days, &w.rows)
		w.rows.Reset()
	}
}

// open reports whether a shoe of the days has not ended.
func (w *without) open(r *run) bool { return w != nil && len(r.open(w.engine, r.end())) > 0 }

// finish gives the days of the replay the facts that the live audit should have stored.
func (w *without) finish(r *run, days []tableDay) {
	if w == nil {
		return
	}
	w.engine.Finish(&w.rows)
	w.collect(r)
	for i := range w.days {
		w.days[i].fold()
		days[i].Late, days[i].LiveFacts = true, w.days[i].Facts
		days[i].LiveOpen = r.open(w.engine, r.windows[i].until)
	}
}
