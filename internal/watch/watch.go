// Package watch runs the detectors whose keys outlive a shoe: patrons, dealers, pairs, devices and pits. Stored facts
// come in, in the order in which shoes were closed and behind the slowest feed; evidence and findings go out. It has no
// state of its own: after a restart it reads again and finds the same.
package watch

import (
	"context"
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
	// for a table that is further behind than Patience: its later events belong to the nightly run.
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
}

// watcher runs detectors over the facts of a property. It is not safe for concurrent use.
type watcher struct {
	options Options
	store   *clickhouse.Store
	promise detectors.Budget
	host    *detectors.Host

	after   clickhouse.ClosedShoe
	terms   map[string]*terms
	configs []rows.Config
	// settled are the first rounds of the configurations so far, up to the time until.
	settled rows.Rounds
	until   int64
	before  map[string][]detectors.Card // the last shoe of each table
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
	return &watcher{
		options: o, store: store, promise: promise, host: detectors.NewStored(promise),
		after: clickhouse.ClosedShoe{Closed: o.Since - 1},
		terms: map[string]*terms{}, before: map[string][]detectors.Card{},
		days: map[string]string{},
	}
}

// Pass evaluates all closed shoes below the watermark that were not evaluated yet. After an error it may be called
// again and resumes.
func (w *watcher) Pass(ctx context.Context) (step Step, err error) {
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
		shoes, err := w.store.Closed(ctx, w.options.Property, w.after, step.Watermark, shoesAtOnce)
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
	w.after = *c
	s := detectors.Shoe{
		Location: detectors.Location{Property: w.options.Property, Pit: c.Pit, Table: c.Table, Shoe: c.Shoe, At: c.At},
		Decks:    int(c.Decks), Before: w.before[c.Table], Whole: !c.Missing && !c.Joined, Frozen: c.Missing || c.Disputed,
	}
	if len(played) > 0 {
		s.Dealer, s.Batch, s.Shuffler = played[0].Dealer, played[0].Batch, played[0].Shuffler
	}
	w.host.Begin(&s)
	w.take(&s.Location, "", nil)
	var cards []detectors.Card
	s.Left = exact.Full(int(c.Decks))
	for i := range played {
		p, t := &played[i], under[i]
		r := w.round(c, p, t, s.Frozen)
		w.host.Round(&r)
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
	w.host.End(&s)
	w.take(&s.Location, s.Dealer, nil)
	w.before[c.Table] = cards
	w.pending.shoes++
	if day, _ := w.options.Engine.Calendar.Of(c.Closed); w.days[c.Table] != day {
		w.days[c.Table] = day
		w.pending.promised += w.promise.Promised(false)
	}
	return nil
}
