// Package watch runs the detectors whose keys outlive a shoe: patrons, dealers, pairs, devices and pits. Stored facts
// come in, in the order in which rounds were settled and shoes were closed, behind the slowest feed; evidence and
// findings go out. A round is scored when it is settled: an alarm does not wait for the end of the shoe. Detectors that
// compare the rounds of a whole shoe score it when it is closed.
//
// The state is bounded by the play of a few hours and stored as a snapshot: a restart reads what was settled since, and
// finds the same. What a feed that is late brings is scored by detectors of its table, which begin again; the night
// scores the day again, in order.
package watch

import (
	"cmp"
	"context"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/heap"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Options are the property, the time and the engine of a watch.
type Options struct {
	Property string
	// Since is the earliest closing time of the shoes, ns UTC.
	Since int64
	// Behind is the distance to the slowest feed, so that rows of a flush in progress are not missed. Watch does not
	// wait for a table that is further behind than Patience: its shoes are scored when they come, by detectors of the
	// table.
	Behind, Patience time.Duration
	Engine           engine.Options
	Hooks            Hooks
	// Limit is the memory limit, nil for none.
	Limit *heap.Limit
	// atOnce is the number of rounds that are scored together, roundsAtOnce for 0. Nothing that is found depends on it.
	atOnce int
}

// Hooks observe a watch; nil hooks are not called.
type Hooks struct {
	// Begun is called at the start of each pass with the time of the slowest feed, ns UTC.
	Begun func(watermark int64)
	// Kept is called after the rows of shoes are durable, with their closing time, ns UTC.
	Kept func(shoes, rounds int, evidence []rows.Evidence, findings []finding.Finding, decided int64)
	// Unread is called if a snapshot exists that cannot be used.
	Unread func(error)
}

// Store is where facts come from, and where evidence, findings and snapshots go. It is implemented by clickhouse.Store.
type Store interface {
	// Watermark is the time up to which every open table has reported; it ignores tables further behind than patience,
	// and tables whose clocks are ahead.
	Watermark(ctx context.Context, property string, patience int64) (slowest, newest int64, err error)
	// Settled and Closed are the rounds and shoes behind a cursor, up to a time, in order; Overdue those that came
	// late.
	Settled(ctx context.Context, property string, after clickhouse.Cursor, until int64, limit int) (
		[]clickhouse.PlayedRound, error)
	Closed(ctx context.Context, property string, after clickhouse.Cursor, until int64, limit int) (
		[]clickhouse.ClosedShoe, error)
	Overdue(ctx context.Context, property string, behind *clickhouse.Behind, limit int) (
		[]clickhouse.PlayedRound, []clickhouse.ClosedShoe, error)
	// RoundsOf are the rounds of each of some closed shoes, with all that is known of them.
	RoundsOf(ctx context.Context, property string, shoes []*clickhouse.ClosedShoe) ([][]clickhouse.PlayedRound, error)
	// Configs are the configurations in force from one time to before another.
	Configs(ctx context.Context, property string, from, before int64) ([]rows.Config, error)
	FirstRounds(ctx context.Context, property string, from, before int64) (*rows.Rounds, error)
	// Gaps are the findings about missing events after the first of some configurations, up to before a time.
	Gaps(ctx context.Context, property string, after []rows.Config, before int64) ([]finding.Finding, error)
	// NameEvents adds the ids of the events that prove findings.
	NameEvents(ctx context.Context, findings []finding.Finding) error
	WatchState(ctx context.Context, property string, of clickhouse.StateSeries, before uint64) (
		number uint64, state io.Reader, err error)
	WriteWatchState(ctx context.Context, property string, of clickhouse.StateSeries, number uint64,
		write func(io.Writer) error) error
	AddEvidence(ctx context.Context, run string, list []rows.Evidence) error
	AddWatched(ctx context.Context, token string, list []finding.Finding) error
}

// watcher runs detectors over the facts of a property. It is not safe for concurrent use.
type watcher struct {
	options Options
	store   Store
	promise detectors.Budget
	parts   detectors.Stored
	// late are the detectors of tables whose feeds catch up.
	late map[string]detectors.Stored

	// after is the last round or shoe in order, tables that of each table.
	after  clickhouse.Cursor
	tables map[string]clickhouse.Cursor
	// begun is when the last round of each table began: what is wrong with the feed since then touches the next one.
	begun map[string]int64
	// hour is that in which ended visits were last dropped, lateAt when late feeds were last searched, ns.
	hour, lateAt int64
	// number is that of the last snapshot, saved when it was stored. Unsaved reports that shoes were scored since.
	number uint64
	// day is the number of the gaming day that a night scores again, 0 for a watch.
	day              uint64
	saved            time.Time
	resumed, unsaved bool

	terms   map[string]*terms
	configs inForce
	// settled are the first rounds of the configurations so far, up to the time until.
	settled rows.Rounds
	until   int64
	before  map[string]detectors.Orders // of each table
	// days are the latest gaming days of the tables.
	days map[string]string
	// lateKeys are, in a night, the keys with evidence from late feeds, with the time of the last.
	lateKeys map[string]int64
	// lately are the rounds and shoes that came late, by table.
	lately Late
	// pending is what is not durable yet, first what the first part of the detectors has found of it while items are
	// scored.
	pending, first pending
}

// Step is the result of a pass.
type Step struct {
	Shoes, Rounds, Evidence, Findings int
	// Bound is the bound on the expected number of false alarms from the volume really played: the start weights over
	// the thresholds. Promised is that of the budget for the days of tables with a shoe.
	Bound, Promised float64
	// Watermark is the time up to which shoes were read, ns UTC.
	Watermark int64
}

// roundsAtOnce and shoesAtOnce are the maximum numbers that a watch reads and scores together.
const (
	roundsAtOnce = 4000
	shoesAtOnce  = 100
)

// nightReads is how many times as many a night reads together, after its first reads: a query reads whole granules of
// each table of the property, however few rounds it wants of them.
const nightReads = 4

// newWatcher returns a watch.
func newWatcher(store Store, o Options) *watcher {
	o.atOnce = cmp.Or(o.atOnce, roundsAtOnce)
	promise := detectors.DefaultBudget()
	if o.Engine.Budget != nil {
		promise = *o.Engine.Budget
	}
	return &watcher{
		options: o, store: store, promise: promise, parts: detectors.NewStored(promise),
		late:   map[string]detectors.Stored{},
		tables: map[string]clickhouse.Cursor{}, after: clickhouse.Cursor{At: o.Since - 1, Round: clickhouse.EndOfShoe},
		begun: map[string]int64{}, terms: map[string]*terms{}, before: map[string]detectors.Orders{},
		days: map[string]string{}, lately: Late{}, lateKeys: map[string]int64{},
	}
}

// Pass scores all rounds and shoes below the watermark that were not scored yet. After an error it may be called again
// and resumes.
func (w *watcher) Pass(ctx context.Context) (step Step, err error) {
	if err := w.resume(ctx); err != nil {
		return step, err
	}
	slowest, _, err := w.store.Watermark(ctx, w.options.Property, int64(w.options.Patience))
	if err != nil {
		return step, err
	}
	if w.options.Hooks.Begun != nil {
		w.options.Hooks.Begun(slowest)
	}
	step.Watermark = slowest - int64(w.options.Behind)
	if err := w.floor(ctx, step.Watermark); err != nil {
		return step, err
	}
	for {
		if err := w.keep(ctx, &step); err != nil {
			return step, err
		}
		if w.unsaved && time.Since(w.saved) >= saveEvery {
			if err := w.save(ctx); err != nil {
				return step, err
			}
		}
		items, err := w.next(ctx, w.after, step.Watermark, 1)
		sought := max(step.Watermark-w.lateAt, w.lateAt-step.Watermark) < int64(lateEvery)
		if err == nil && len(items) == 0 && !sought {
			if items, err = w.overdue(ctx); len(items) == 0 {
				w.lateAt = step.Watermark
			}
		}
		if err != nil || len(items) == 0 {
			return step, err
		}
		if err := w.cover(ctx, items); err != nil {
			return step, err
		}
		if err := w.score(items); err != nil {
			return step, err
		}
	}
}

// item is a round that was settled, or a shoe that was closed with the rounds played.
type item struct {
	clickhouse.Cursor
	round  *clickhouse.PlayedRound
	shoe   *clickhouse.ClosedShoe
	played []clickhouse.PlayedRound
}

// next returns what follows a cursor up to a time, in order: at most so many times what is scored together.
func (w *watcher) next(ctx context.Context, after clickhouse.Cursor, until int64, times int) ([]item, error) {
	mostRounds, mostShoes := times*w.options.atOnce, times*shoesAtOnce
	rounds, err := w.store.Settled(ctx, w.options.Property, after, until, mostRounds)
	if err != nil {
		return nil, err
	}
	if len(rounds) == mostRounds {
		until = rounds[len(rounds)-1].Settled
	}
	shoes, err := w.store.Closed(ctx, w.options.Property, after, until, mostShoes)
	if err != nil {
		return nil, err
	}
	items := merged(rounds, shoes, mostRounds, mostShoes)
	return items, w.play(ctx, items)
}

// play reads the rounds of all shoes at once: a query of one shoe takes nearly as long as one of many.
func (w *watcher) play(ctx context.Context, items []item) error {
	var of []*item
	var shoes []*clickhouse.ClosedShoe
	for i := range items {
		if x := &items[i]; x.shoe != nil {
			of, shoes = append(of, x), append(shoes, x.shoe)
		}
	}
	if len(shoes) == 0 {
		return nil
	}
	played, err := w.store.RoundsOf(ctx, w.options.Property, shoes)
	for i := range played {
		of[i].played = played[i]
	}
	return err
}

// merged puts rounds and shoes in order. A list of maximum length may go on: what is behind it in the other one waits.
func merged(rounds []clickhouse.PlayedRound, shoes []clickhouse.ClosedShoe, mostRounds, mostShoes int) []item {
	items := make([]item, 0, len(rounds)+len(shoes))
	for i := range rounds {
		items = append(items, item{Cursor: rounds[i].Cursor(), round: &rounds[i]})
	}
	for i := range shoes {
		items = append(items, item{Cursor: shoes[i].Cursor(), shoe: &shoes[i]})
	}
	slices.SortFunc(items, func(a, b item) int { return a.Compare(&b.Cursor) })
	end := len(items)
	for i := range items {
		lastRound := len(rounds) == mostRounds && items[i].round == &rounds[len(rounds)-1]
		lastShoe := len(shoes) == mostShoes && items[i].shoe == &shoes[len(shoes)-1]
		if lastRound || lastShoe {
			end = min(end, i+1)
		}
	}
	return items[:end]
}

// lateEvery is the interval, in event time, between two searches for the rounds of feeds that are behind.
const lateEvery = time.Minute

// lateKept is how long the detectors of a late table are kept after its last round.
const lateKept = 24 * time.Hour

// overdue returns rounds and shoes before the cursor that are not scored yet, in order.
func (w *watcher) overdue(ctx context.Context) ([]item, error) {
	rounds, shoes, err := w.store.Overdue(ctx, w.options.Property,
		&clickhouse.Behind{Last: w.tables, Since: w.options.Since - 1, After: w.after}, shoesAtOnce)
	if err != nil {
		return nil, err
	}
	if len(rounds) == shoesAtOnce { // what is behind them may follow rounds that were not read
		last := rounds[len(rounds)-1].Cursor()
		shoes = slices.DeleteFunc(shoes, func(c clickhouse.ClosedShoe) bool {
			end := c.Cursor()
			return end.Compare(&last) > 0
		})
	}
	items := merged(rounds, shoes, w.options.atOnce, shoesAtOnce)
	if len(items) == 0 {
		maps.DeleteFunc(w.late, func(table string, _ detectors.Stored) bool {
			return w.after.At-w.tables[table].At > int64(lateKept)
		})
	}
	return items, w.play(ctx, items)
}

// floor evaluates the rules that compare tables after a configuration was added, or used for the first time.
func (w *watcher) floor(ctx context.Context, until int64) error {
	before := w.configs.list
	if err := w.enact(ctx, min(w.after.At, until)-int64(lookback), until+1); err != nil {
		return err
	}
	changed := !slices.Equal(before, w.configs.list)
	if from, unused := w.unused(); unused {
		found, err := w.store.FirstRounds(ctx, w.options.Property, from, until+1)
		if err != nil {
			return err
		}
		changed = w.settle(found) || changed
	}
	w.until = until
	if !changed {
		return nil
	}
	gaps, err := w.store.Gaps(ctx, w.options.Property, w.configs.list, until+1)
	if err != nil {
		return err
	}
	floor := engine.NewFloor(w.options.Engine)
	floor.Note(slices.Clone(w.configs.list))
	floor.NoteRounds(&w.settled)
	floor.NoteGaps(gaps)
	w.pending.findings = append(w.pending.findings, floor.Findings()...)
	return nil
}

// unused is the earliest time of a configuration under which no round is known, or that was replaced, of those that
// were in force since the last pass.
func (w *watcher) unused() (from int64, ok bool) {
	latest := map[string]int64{} // the last known round of each table
	for k, at := range w.settled.At {
		latest[w.settled.TableID[k]] = max(latest[w.settled.TableID[k]], at)
	}
	all := w.configs.list
	for i := range all {
		c, next := &all[i], i+1
		replaced := next < len(all) && all[next].TableID == c.TableID
		if c.Closed || replaced && all[next].EffectiveAt <= w.until {
			continue
		}
		last, used := latest[c.TableID]
		if (replaced || !used || last < c.EffectiveAt) && (!ok || c.EffectiveAt < from) {
			from, ok = c.EffectiveAt, true
		}
	}
	return from, ok
}

// settle adds the rounds that are not known, and reports whether there were any.
func (w *watcher) settle(found *rows.Rounds) (added bool) {
	type round struct {
		table string
		at    int64
	}
	known := map[round]bool{}
	for k, at := range w.settled.At {
		known[round{w.settled.TableID[k], at}] = true
	}
	for i, at := range found.At {
		if known[round{found.TableID[i], at}] {
			continue
		}
		added = true
		s := &w.settled
		s.PropertyID, s.TableID = append(s.PropertyID, found.PropertyID[i]), append(s.TableID, found.TableID[i])
		s.At, s.Wagers = append(s.At, at), append(s.Wagers, found.Wagers[i])
	}
	return added
}
