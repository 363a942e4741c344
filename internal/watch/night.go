package watch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Night is a gaming day that was scored again, in order, when all feeds had come.
type Night struct {
	// Findings are the findings of the day, Late the feeds that the watch scored out of order.
	Findings []finding.Finding
	Late     Late
	// Scored is the time up to which a watch had scored when it stored its last snapshot; 0 without a snapshot. Until is
	// the end of the last shoe of the day.
	Scored, Until int64
	// LateSubjects are the keys with evidence from late feeds, of this day or of the last 30.
	LateSubjects map[string]int64
	// Keys is the number of detectors and keys whose evidence was compared, Differing that of those whose stored evidence
	// differs.
	Keys, Differing int
	differing       map[account]bool
}

// lookback is how long before a day a night begins that has no snapshot of the day before: evidence is not kept longer.
const lookback = 31 * 24 * time.Hour

// settling bounds the time from the end of a day to the closing of its last shoe.
const settling = 24 * time.Hour

// total is the evidence of an account in a day.
type total struct {
	ln float64
	n  uint64
}

// Stored is the stored evidence; see clickhouse.Store.
type Stored interface {
	KeyTotals(ctx context.Context, property, day string) ([]clickhouse.KeyTotal, error)
	ClearEvidence(ctx context.Context, property, day string, accounts []clickhouse.Account) error
}

// ScoreDay scores a gaming day again with the code of a watch. It begins with the state at the end of the day before,
// and stores that at the end of the day. Evidence that differs from the stored one replaces it.
func ScoreDay(ctx context.Context, store Store, stored Stored, o Options, day string) (Night, error) {
	n := night{store: store, options: o, name: day}
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return n.Night, fmt.Errorf("gaming day %q: %w", day, err)
	}
	n.number = uint64(date.Unix() / (24 * 3600))
	if n.from, n.until, err = o.Engine.Calendar.Bounds(day, ""); err != nil {
		return n.Night, err
	}
	if err := n.live(ctx); err != nil {
		return n.Night, err
	}
	totals, err := stored.KeyTotals(ctx, o.Property, day)
	if err != nil {
		return n.Night, err
	}
	before := outliving(totals)
	if n.all = len(before) == 0 || n.Scored < n.from; n.all { // no watch has scored the day: nothing is compared
		if err := stored.ClearEvidence(ctx, o.Property, day, accountsOf(before)); err != nil {
			return n.Night, err
		}
		err := n.run(ctx, true)
		return n.Night, err
	}
	n.sums = map[account]*total{}
	if err := n.run(ctx, true); err != nil {
		return n.Night, err
	}
	differ := n.differ(before)
	if n.Keys, n.Differing = len(n.sums), len(differ); len(differ) == 0 {
		return n.Night, nil
	}
	if err := stored.ClearEvidence(ctx, o.Property, day, accountsOf(differ)); err != nil {
		return n.Night, err
	}
	n.sums, n.wanted, n.differing = nil, differ, differ
	err = n.run(ctx, false)
	return n.Night, err
}

// night is a run over a day.
type night struct {
	Night
	store       Store
	options     Options
	name        string
	number      uint64
	from, until int64
	// sums are the evidence that is compared with the stored one, nil if none is.
	sums map[account]*total
	// wanted are the accounts whose evidence is stored.
	wanted map[account]bool
	// all stores all evidence at the first run.
	all bool
	// rows are the last rows of evidence that were stored.
	rows []rows.Evidence
}

// live reads from the last snapshot of the watch how far it was, and which feeds were late.
func (n *night) live(ctx context.Context) error {
	number, data, err := n.store.WatchState(ctx, n.options.Property, clickhouse.LiveState, math.MaxUint64)
	if err != nil || number == 0 {
		return err
	}
	if s, _, err := decoded(data); err == nil { // a snapshot of another release has nothing to compare
		n.Scored, n.Late = s.After.At, s.Lately
	}
	return nil
}

// run scores the day, then what its shoes need beyond it. First makes the findings and stores the state.
func (n *night) run(ctx context.Context, first bool) error {
	w := newWatcher(n.store, n.options)
	w.day = n.number
	w.after = clickhouse.Cursor{At: n.from - int64(lookback) - 1, Round: clickhouse.EndOfShoe}
	if err := w.resume(ctx); err != nil {
		return err
	}
	maps.DeleteFunc(w.lateKeys, func(_ string, at int64) bool { return n.from-at > int64(lookback) })
	n.LateSubjects = w.lateKeys
	if err := w.enact(ctx, w.after.At-int64(lookback), n.until+int64(settling)); err != nil {
		return err
	}
	n.Findings = n.Findings[:0]
	if err := n.to(ctx, w, n.until-1); err != nil {
		return err
	}
	if first {
		if err := w.save(ctx); err != nil {
			return err
		}
		var err error
		if n.Until, err = n.last(ctx); err != nil {
			return err
		}
	}
	if err := n.to(ctx, w, n.Until); err != nil {
		return err
	}
	return w.store.NameEvents(ctx, n.Findings)
}

// last is when the last round that began in the day was settled, and the last shoe closed.
func (n *night) last(ctx context.Context) (int64, error) {
	last, after := n.until-1, clickhouse.Cursor{At: n.until - 1, Round: clickhouse.EndOfShoe}
	for from := after; ; {
		rounds, err := n.store.Settled(ctx, n.options.Property, from, n.until+int64(time.Hour), roundsAtOnce)
		if err != nil {
			return 0, err
		}
		for i := range rounds {
			if rounds[i].At < n.until {
				last = max(last, rounds[i].Settled)
			}
		}
		if len(rounds) < roundsAtOnce {
			break
		}
		from = rounds[len(rounds)-1].Cursor()
	}
	for {
		shoes, err := n.store.Closed(ctx, n.options.Property, after, n.until+int64(settling), shoesAtOnce)
		if err != nil {
			return 0, err
		}
		for i := range shoes {
			if shoes[i].At < n.until {
				last = max(last, shoes[i].Closed)
			}
		}
		if len(shoes) < shoesAtOnce {
			return last, nil
		}
		after = shoes[len(shoes)-1].Cursor()
	}
}

// to scores what comes up to a time. While some is scored, what follows is read and the evidence before it is kept.
func (n *night) to(ctx context.Context, w *watcher, until int64) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	kept := func() error { return nil }
	defer func() {
		if failed := kept(); err == nil {
			err = failed
		}
	}()
	var spare pending
	times := 1 // all waits for the first read: it is a small one
	items, err := w.next(ctx, w.after, until, times)
	for err == nil && len(items) > 0 {
		if err := w.cover(ctx, items); err != nil {
			return err
		}
		times = min(2*times, nightReads)
		following := w.ahead(ctx, items[len(items)-1].Cursor, until, times)
		for some := range slices.Chunk(items, w.options.atOnce) {
			if err := w.score(some); err != nil {
				return err
			}
			if err := kept(); err != nil {
				return err
			}
			all := w.pending
			w.pending = pending{evidence: spare.evidence[:0], places: spare.places[:0]}
			w.options.Limit.Update()
			spare, kept = all, beside(func() error { return n.keep(ctx, &all) })
		}
		items, err = following()
	}
	return err
}

// beside calls a function while other work goes on. The result waits for its end.
func beside(work func() error) (wait func() error) {
	var group errgroup.Group
	group.Go(work)
	return group.Wait
}

// keep takes the findings and the evidence of the day, and stores what is wanted of the evidence.
func (n *night) keep(ctx context.Context, all *pending) error {
	for i := range all.findings {
		if f := &all.findings[i]; f.GamingDay == n.name {
			n.Findings = append(n.Findings, *f)
		}
	}
	n.rows = n.rows[:0]
	for i := range all.evidence {
		e := &all.evidence[i]
		at := &all.places[e.place]
		if at.day != n.name {
			continue
		}
		n.add(e)
		if span, ok := n.Late[at.Table]; ok && span[0]-int64(time.Hour) <= at.At && at.At <= span[1] {
			n.LateSubjects[e.key.String()] = at.At // also the watcher's, which reads it only when all is kept
		}
		if n.all || n.wanted[e.account] {
			n.rows = append(n.rows, all.row(e, n.options.Engine.Version))
		}
	}
	if len(n.rows) == 0 {
		return nil
	}
	return n.store.AddEvidence(ctx, "night "+n.name, n.rows)
}

// add adds evidence to the sums.
func (n *night) add(e *evidence) {
	if n.sums == nil || e.lnE == 0 && e.start == 0 {
		return
	}
	t := n.sums[e.account]
	if t == nil {
		t = &total{}
		n.sums[e.account] = t
	}
	t.ln, t.n = t.ln+e.lnE, t.n+1
}

// ahead reads what follows a cursor while what is before it is scored.
func (w *watcher) ahead(ctx context.Context, after clickhouse.Cursor, until int64, times int) func() ([]item, error) {
	var items []item
	read := beside(func() (err error) {
		items, err = w.next(ctx, after, until, times)
		return err
	})
	return func() ([]item, error) {
		err := read()
		return items, err
	}
}

// outliving is the stored evidence about keys that outlive a shoe: a night has no other.
func outliving(stored []clickhouse.KeyTotal) map[account]total {
	by := map[string]*detectors.Detector{}
	for _, d := range detectors.All() {
		by[d.ID] = d
	}
	totals := map[account]total{}
	for i := range stored {
		e := &stored[i]
		if key, ok := detectors.ParseKey(e.Key); ok && by[e.Detector] != nil && !key.Kind.Ends() {
			totals[account{by[e.Detector], key}] = total{e.LnE, e.Factors}
		}
	}
	return totals
}

// accountsOf names accounts as they are stored, in order.
func accountsOf[V any](of map[account]V) []clickhouse.Account {
	var all []clickhouse.Account
	for a := range of {
		all = append(all, clickhouse.Account{Detector: a.detector.ID, Key: a.key.String()})
	}
	slices.SortFunc(all, func(a, b clickhouse.Account) int {
		return cmp.Or(cmp.Compare(a.Detector, b.Detector), cmp.Compare(a.Key, b.Key))
	})
	return all
}

// differ returns the accounts whose evidence is not that which is stored, or of which the night has none.
func (n *night) differ(before map[account]total) map[account]bool {
	differ := map[account]bool{}
	for a := range before {
		differ[a] = n.sums[a] == nil
	}
	for a, x := range n.sums {
		y, ok := before[a]
		differ[a] = !ok || x.n != y.n || math.Abs(x.ln-y.ln) > 1e-6*float64(x.n)
	}
	maps.DeleteFunc(differ, func(_ account, differs bool) bool { return !differs })
	return differ
}

// Suspicions returns the findings of a list that a watch makes: about keys that outlive a shoe.
func Suspicions(all []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(slices.Clone(all), func(f finding.Finding) bool {
		key, ok := detectors.ParseKey(f.Subject)
		return f.Kind != finding.Anomaly || !ok || key.Kind.Ends() || !slices.ContainsFunc(detectors.All(),
			func(d *detectors.Detector) bool { return d.ID == f.Rule })
	})
}
