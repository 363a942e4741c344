// Package nightly audits a gaming day again, from the archive: it replays the events of each table,
// compares what comes out with what was found live, and asks what only the whole floor can answer.
package nightly

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// Options say what to audit.
type Options struct {
	Property string
	// Days are gaming days in order; each table is replayed once for all of them.
	Days  []string
	Shift string // of each day; empty for the whole day
	// Worker of Workers, from 0, takes the tables whose hash falls to it.
	Worker, Workers int
	// Whole reads each table from its first archived event on, instead of from where it was last remembered
	// before the days.
	Whole  bool
	Engine engine.Options
	// Holder names this process to another that finds it at work.
	Holder string
	// Now is the clock of the run's row.
	Now func() time.Time
	// Statistics are asked once all tables were replayed; what they find joins the findings of the run.
	Statistics []Statistic
	// Progress may be nil; it is told the tables done, and the events replayed so far.
	Progress func(done, tables int, events uint64)
}

// Statistic weighs what only shows over many rounds, from the facts of a gaming day.
type Statistic interface {
	Night(ctx context.Context, store *clickhouse.Store, property, day, shift string) ([]finding.Finding, error)
}

// Result is what a worker did. Nights are the days in order, none while other workers have parts to do.
type Result struct {
	Nights  []Night
	Waiting []string // parts that are not done
	Nothing []string // days of which the archive has no event
	// Replayed are the events that this worker folded, also those between a memory and the days.
	Replayed uint64
}

// Night is the audit of one gaming day.
type Night struct {
	Run      clickhouse.AuditRun
	Findings []finding.Finding
	Open     []OpenShoe
}

// OpenShoe is a shoe of the day whose end is not in the archive.
type OpenShoe struct {
	Table, Shoe string
	Round       uint32
}

// ErrNothing says that the archive has no event of the property in the time asked about.
var ErrNothing = errors.New("the archive has no event of it")

// tableDone is what is kept of one table and day.
type tableDone struct {
	Table  string     `json:"table_id"`
	Events uint64     `json:"events"`
	Folded uint64     `json:"folded"`
	Digest string     `json:"events_sha256"`
	Shoes  uint32     `json:"shoes"`
	Rounds uint32     `json:"rounds"`
	Open   []OpenShoe `json:"open"`
	Books  []string   `json:"rulebooks"`
	found  []finding.Finding
}

// partDone ends the part of a day.
type partDone struct {
	Lines   int       `json:"lines"`
	Started time.Time `json:"started"`
}

// window is the time of one gaming day, or of its shift.
type window struct {
	day         string
	from, until int64
}

type run struct {
	Options
	store   *clickhouse.Store
	windows []window
}

// Run audits one part of some gaming days, and merges the parts when all are done. Only one process at a time
// does the same part: clickhouse.ErrHeld names the other. Run again, it starts over.
func Run(ctx context.Context, store *clickhouse.Store, o Options) (res Result, err error) {
	r := &run{Options: o, store: store}
	for _, day := range o.Days {
		from, until, err := o.Engine.Calendar.Bounds(day, o.Shift)
		if err != nil {
			return res, err
		}
		r.windows = append(r.windows, window{day, from, until})
	}
	all, err := store.Tables(ctx, o.Property, r.windows[0].from, r.end())
	switch {
	case err != nil:
		return res, err
	case len(all) == 0:
		return res, fmt.Errorf("property %s, gaming day %s: %w", o.Property, r.span(), ErrNothing)
	}
	lease, err := store.Take(ctx, r.lease(o.Worker), o.Holder)
	if err != nil {
		return res, err
	}
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	group, working := errgroup.WithContext(working)
	group.Go(func() error { return lease.Keep(working) })
	group.Go(func() error {
		defer cancel()
		if err := r.part(working, lease, all, &res); err != nil {
			return err
		}
		return r.merge(working, &res)
	})
	err = group.Wait()
	return res, errors.Join(err, lease.Release(context.WithoutCancel(ctx)))
}

// end is the first moment after the last day.
func (r *run) end() int64 { return r.windows[len(r.windows)-1].until }

func (r *run) span() string {
	first, last := r.Days[0], r.Days[len(r.Days)-1]
	if first == last {
		return first
	}
	return first + " to " + last
}

func (r *run) partOf(worker int, day string) clickhouse.RunPart {
	return clickhouse.RunPart{
		Property: r.Property, GamingDay: day,
		Part: fmt.Sprintf("%s %d/%d of %s", r.Shift, worker, r.Workers, r.span()),
	}
}

func (r *run) lease(worker int) string {
	return fmt.Sprintf("run %q %s %q %d/%d", r.Property, r.span(), r.Shift, worker, r.Workers)
}

// mine says whether a table falls to this worker.
func (r *run) mine(table string) bool {
	h := fnv.New64a()
	h.Write([]byte(table))
	return int(h.Sum64()%uint64(r.Workers)) == r.Worker
}

// part replays the worker's tables and stores what came of each.
func (r *run) part(ctx context.Context, lease *clickhouse.Lease, all []string, res *Result) error {
	started := r.Now()
	tables := slices.DeleteFunc(slices.Clone(all), func(t string) bool { return !r.mine(t) })
	writers := make([]lineWriter, len(r.windows))
	for i := range writers {
		writers[i] = lineWriter{store: r.store, part: r.partOf(r.Worker, r.windows[i].day)}
		writers[i].part.Generation = lease.Generation
	}
	var mu sync.Mutex
	done := 0
	group, working := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, table := range tables {
		group.Go(func() error {
			days, folded, err := r.replay(working, table)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			res.Replayed += folded
			if r.Progress != nil {
				r.Progress(done, len(tables), res.Replayed)
			}
			for i := range days {
				if err := writers[i].table(working, &days[i].tableDone); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i := range writers {
		w := &writers[i]
		if err := w.add(ctx, "done", partDone{w.no + len(w.lines), started}); err != nil {
			return err
		}
		if err := w.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// settle is how many events behind the days are folded before it is looked whether a shoe of theirs is still
// open. The number is fixed, so that the same archive always gives the same result.
const settle = 256

// tableDay is a table's day in the making.
type tableDay struct {
	tableDone
	digest hash.Hash
}

// begin is an engine that has seen a table's events up to a memory, nil if from the first one.
func (r *run) begin(ctx context.Context, table string) (*engine.Engine, *rows.Snapshot, error) {
	options := r.Engine
	options.NoArchive = true
	e := engine.New(options)
	if r.Whole {
		return e, nil, nil
	}
	m, err := r.store.MemoryBefore(ctx, r.Property, table, r.windows[0].from)
	if m == nil || err != nil {
		return e, nil, err
	}
	row := *m
	row.Offset = -1 // what was seen is not read: no record is to be passed over
	if err := e.Restore([]rows.Snapshot{row}, row.At); err != nil {
		return engine.New(options), nil, nil //nolint:nilerr // another release wrote it: from the first event, as without it
	}
	return e, m, nil
}

// replay folds a table from where it was remembered before the days until the shoes of the days are closed.
func (r *run) replay(ctx context.Context, table string) (days []tableDay, folded uint64, err error) {
	auditor, after, err := r.begin(ctx, table)
	if err != nil {
		return nil, 0, err
	}
	days = make([]tableDay, len(r.windows))
	for i := range days {
		days[i] = tableDay{tableDone{Table: table, Open: []OpenShoe{}, Books: []string{}}, sha256.New()}
	}
	var b rows.Set
	behind := 0
	var seq [8]byte
	err = r.store.Replay(ctx, r.Property, table, after, func(e *clickhouse.Archived) bool {
		folded++
		if i := r.at(e.At); i >= 0 {
			d := &days[i]
			d.Events++
			binary.BigEndian.PutUint64(seq[:], e.Seq)
			d.digest.Write(seq[:])
			d.digest.Write(e.SHA256[:])
		}
		auditor.Apply(&e.Record, "", e.Partition, &b)
		r.collect(days, &b)
		if e.At < r.end() {
			return false
		}
		behind++
		return behind%settle == 0 && len(r.open(auditor, r.end())) == 0
	})
	if err != nil {
		return nil, 0, err
	}
	auditor.Finish(&b)
	r.collect(days, &b)
	for i := range days {
		d := &days[i]
		d.Open = append(d.Open, r.open(auditor, r.windows[i].until)...)
		d.Digest = hex.EncodeToString(d.digest.Sum(nil))
		slices.Sort(d.Books)
	}
	return days, folded, nil
}

// at is the day of a moment, -1 if it is none of them.
func (r *run) at(at int64) int {
	i, _ := slices.BinarySearchFunc(r.windows, at, func(w window, at int64) int { return cmp.Compare(w.until, at+1) })
	if i < len(r.windows) && at >= r.windows[i].from {
		return i
	}
	return -1
}

// open are the shoes that began before a moment and have not ended.
func (r *run) open(e *engine.Engine, before int64) []OpenShoe {
	var list []OpenShoe
	for _, o := range e.Open() {
		if o.At < before {
			list = append(list, OpenShoe{o.TableID, o.ShoeID, o.Round})
		}
	}
	return list
}

// collect takes what belongs to the days.
func (r *run) collect(days []tableDay, b *rows.Set) {
	if b.Len() == 0 {
		return
	}
	for i, day := range b.Rounds.GamingDay {
		if k := r.of(day, b.Rounds.Shift[i]); k >= 0 {
			days[k].Rounds++
		}
	}
	for i := range b.Shoes {
		s := &b.Shoes[i]
		if k := r.of(s.GamingDay, s.Shift); k >= 0 {
			days[k].Shoes++
			if s.Rulebook != "" && !slices.Contains(days[k].Books, s.Rulebook) {
				days[k].Books = append(days[k].Books, s.Rulebook)
			}
		}
	}
	for i := range b.Findings {
		if k := r.of(b.Findings[i].GamingDay, b.Findings[i].Shift); k >= 0 {
			days[k].found = append(days[k].found, b.Findings[i])
		}
	}
	b.Reset()
}

// of is the place of a gaming day, -1 if it or its shift is not asked about.
func (r *run) of(day, shift string) int {
	if r.Shift != "" && shift != r.Shift {
		return -1
	}
	i, found := slices.BinarySearch(r.Days, day)
	if !found {
		return -1
	}
	return i
}

// lineWriter stores the lines of a part, many at a time.
type lineWriter struct {
	store *clickhouse.Store
	part  clickhouse.RunPart
	no    int
	lines []clickhouse.RunLine
}

const linesAtOnce = 2000

func (w *lineWriter) table(ctx context.Context, d *tableDone) error {
	if d.Events == 0 && len(d.found) == 0 {
		return nil
	}
	if err := w.add(ctx, "table", d); err != nil {
		return err
	}
	d.found = finding.Latest(d.found)
	for i := range d.found {
		if err := w.add(ctx, "finding", &d.found[i]); err != nil {
			return err
		}
	}
	return nil
}

func (w *lineWriter) add(ctx context.Context, kind string, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("keep a line of the run: %w", err)
	}
	w.lines = append(w.lines, clickhouse.RunLine{Kind: kind, Line: string(line)})
	if len(w.lines) < linesAtOnce {
		return nil
	}
	return w.flush(ctx)
}

func (w *lineWriter) flush(ctx context.Context) error {
	if len(w.lines) == 0 {
		return nil
	}
	if err := w.store.WriteLines(ctx, w.part, w.no, w.lines); err != nil {
		return err
	}
	w.no += len(w.lines)
	w.lines = w.lines[:0]
	return nil
}
