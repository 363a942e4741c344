// Package watch runs the detectors whose keys outlive a shoe: patrons, dealers, pairs, devices and pits. Stored facts
// come in, in the order in which shoes were closed and behind the slowest feed; evidence and findings go out. Its state
// is bounded by the play of a few hours and stored as a snapshot: a restart reads what was closed since, and finds the
// same. The shoes of a feed that catches up later are scored by detectors of their table, which begin again.
package watch

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Options are the property, the time and the engine of a watch.
type Options struct {
	Property string
	// Since is the earliest closing time of the shoes, ns UTC.
	Since int64
	// Behind is the distance to the slowest feed, so that rows of a flush in progress are not missed. Watch does not wait
	// for a table that is further behind than Patience: its shoes are scored when they come, by detectors of the table.
	Behind, Patience time.Duration
	Engine           engine.Options
	Hooks            Hooks
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

// watcher runs detectors over the facts of a property. It is not safe for concurrent use.
type watcher struct {
	options Options
	store   *clickhouse.Store
	promise detectors.Budget
	host    *detectors.Host
	// late are the detectors of tables whose feeds catch up; scoring are those of the shoe that is scored.
	late    map[string]*detectors.Host
	scoring *detectors.Host

	after clickhouse.ClosedShoe
	// tables are the closing times of the last shoe of each table.
	tables map[string]int64
	// forgot is when ended visits were last dropped, lateAt when late shoes were last searched; ns.
	forgot, lateAt int64
	// number is that of the last snapshot, saved when it was stored. Unsaved reports that shoes were scored since.
	number           uint64
	saved            time.Time
	resumed, unsaved bool

	terms   map[string]*terms
	configs []rows.Config
	// settled are the first rounds of the configurations so far, up to the time until.
	settled rows.Rounds
	until   int64
	before  map[string]detectors.Orders // of each table
	// days are the latest gaming days of the tables.
	days map[string]string
	// pending are the rows that are not durable yet.
	pending pending
}

// Step is the result of a pass.
type Step struct {
	Shoes, Rounds, Evidence, Findings int
	// Bound is the bound on the expected number of false alarms from the volume really played: the start weights over the
	// thresholds. Promised is that of the budget for the days of tables with a shoe.
	Bound, Promised float64
	// Watermark is the time up to which shoes were read, ns UTC.
	Watermark int64
}

const shoesAtOnce = 100

// newWatcher returns a watch.
func newWatcher(store *clickhouse.Store, o Options) *watcher {
	promise := detectors.DefaultBudget()
	if o.Engine.Budget != nil {
		promise = *o.Engine.Budget
	}
	host := detectors.NewStored(promise)
	return &watcher{
		options: o, store: store, promise: promise, host: host, scoring: host, late: map[string]*detectors.Host{},
		tables: map[string]int64{},
		after:  clickhouse.ClosedShoe{Closed: o.Since - 1},
		terms:  map[string]*terms{}, before: map[string]detectors.Orders{},
		days: map[string]string{},
	}
}

// Pass evaluates all closed shoes below the watermark that were not evaluated yet. After an error it may be called
// again and resumes.
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
		shoes, err := w.store.Closed(ctx, w.options.Property, w.after, step.Watermark, shoesAtOnce)
		if err == nil && len(shoes) == 0 && step.Watermark-w.lateAt >= int64(lateEvery) {
			if shoes, err = w.overdue(ctx); len(shoes) == 0 {
				w.lateAt = step.Watermark
			}
		}
		if err != nil || len(shoes) == 0 {
			return step, err
		}
		for i := range shoes {
			if err := w.shoe(ctx, &shoes[i]); err != nil {
				return step, err
			}
		}
	}
}

// lateEvery is the interval, in event time, between two searches for shoes of feeds that are behind.
const lateEvery = time.Minute

// lateKept is how long the detectors of a late table are kept after its last shoe.
const lateKept = 24 * time.Hour

// overdue returns shoes that were closed before the last one in order and are not scored yet, in order.
func (w *watcher) overdue(ctx context.Context) ([]clickhouse.ClosedShoe, error) {
	shoes, err := w.store.Overdue(ctx, w.options.Property,
		clickhouse.Behind{Last: w.tables, Since: w.options.Since - 1, Before: w.after.Closed}, shoesAtOnce)
	if err == nil && len(shoes) == 0 {
		maps.DeleteFunc(w.late, func(table string, _ *detectors.Host) bool {
			return w.after.Closed-w.tables[table] > int64(lateKept)
		})
	}
	return shoes, err
}

// detectors returns the detectors that score a shoe. What is known of a patron later may depend on the cards of a shoe
// that is late: it is scored by detectors that know the earlier shoes of its table only.
func (w *watcher) detectors(c *clickhouse.ClosedShoe) *detectors.Host {
	if c.Closed >= w.after.Closed {
		return w.host
	}
	host := w.late[c.Table]
	if host == nil {
		host = detectors.NewStored(w.promise)
		w.late[c.Table] = host
	}
	return host
}

// floor evaluates the rules that compare tables after a configuration was added, or used for the first time.
func (w *watcher) floor(ctx context.Context, until int64) error {
	configs, err := w.store.Configs(ctx, w.options.Property, until+1)
	if err != nil {
		return err
	}
	changed := len(configs) != len(w.configs)
	w.configs = configs
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
	floor := engine.NewFloor(w.options.Engine)
	floor.Note(slices.Clone(configs))
	floor.NoteRounds(&w.settled)
	w.pending.findings = append(w.pending.findings, floor.Findings()...)
	return nil
}

// unused is the earliest time of a configuration under which no round is known, of those that were in force since the
// last pass.
func (w *watcher) unused() (from int64, ok bool) {
	latest := map[string]int64{} // the last known round of each table
	for k, at := range w.settled.At {
		latest[w.settled.TableID[k]] = max(latest[w.settled.TableID[k]], at)
	}
	for i := range w.configs {
		c := &w.configs[i]
		if next := i + 1; c.Closed || next < len(w.configs) && w.configs[next].TableID == c.TableID &&
			w.configs[next].EffectiveAt <= w.until {
			continue
		}
		last, used := latest[c.TableID]
		if !(used && last >= c.EffectiveAt) && (!ok || c.EffectiveAt < from) {
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

// disputed reports whether an open finding about the feed touches round i of a shoe: it falls between the round before
// and the next one.
func disputed(c *clickhouse.ClosedShoe, played []clickhouse.PlayedRound, i int) bool {
	from, to := c.At, c.Closed
	if i > 0 {
		from = played[i-1].At
	}
	if i+1 < len(played) {
		to = played[i+1].At
	}
	return slices.ContainsFunc(c.Faults, func(at int64) bool { return from <= at && at <= to })
}

// shoe evaluates a closed shoe.
func (w *watcher) shoe(ctx context.Context, c *clickhouse.ClosedShoe) error {
	played, err := w.store.RoundsOf(ctx, w.options.Property, c.Table, c.Shoe)
	if err != nil {
		return err
	}
	under := make([]*terms, len(played))
	for i := range played {
		if under[i], err = w.of(c.Table, &played[i]); err != nil {
			return err
		}
	}
	// Nothing below fails: a shoe is evaluated completely or not at all.
	host := w.detectors(c)
	w.scoring, w.tables[c.Table] = host, c.Closed
	if host == w.host {
		w.after = *c
	}
	s := detectors.Shoe{
		Location: detectors.Location{Property: w.options.Property, Pit: c.Pit, Table: c.Table, Shoe: c.Shoe, At: c.At},
		Decks:    int(c.Decks), Whole: !c.Missing && !c.Joined, Lost: c.Missing,
	}
	if len(played) > 0 {
		s.Dealer, s.Batch, s.Shuffler = played[0].Dealer, played[0].Batch, played[0].Shuffler
	}
	s.Before = w.before[c.Table].Of(s.Batch)
	host.Begin(&s)
	w.take(&s.Location, "", nil)
	var cards []detectors.Card
	s.Left = exact.Full(int(c.Decks))
	for i := range played {
		p, t := &played[i], under[i]
		r := w.round(c, p, t, disputed(c, played, i))
		host.Round(&r)
		w.take(&r.Location, r.Dealer, t)
		cards = append(cards, r.Cards...)
		if r.Odds != nil {
			s.Left = r.Left
			for _, card := range r.Cards {
				s.Left[card.Card]--
			}
		}
		w.pending.rounds++
	}
	for card := 1; card < len(s.Left); card++ {
		s.Read += int(c.Decks) - int(s.Left[card])
	}
	s.At = c.Closed
	host.End(&s)
	w.take(&s.Location, s.Dealer, nil)
	w.before[c.Table] = w.before[c.Table].Add(s.Batch, cards)
	w.pending.shoes++
	if c.Closed-w.forgot >= int64(time.Hour) {
		w.forgot = c.Closed
		w.host.Forget(c.Closed)
	}
	if day, _ := w.options.Engine.Calendar.Of(c.Closed); w.days[c.Table] != day {
		w.days[c.Table] = day
		w.pending.promised += w.promise.Promised(false)
	}
	return nil
}
