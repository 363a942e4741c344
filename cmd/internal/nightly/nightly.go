// Package nightly audits a gaming day again, from the archive: it replays the events of each table,
// compares what comes out with what was found live, and asks what only the whole floor can answer.
package nightly

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
)

// Options say what to audit.
type Options struct {
	Property, GamingDay string
	Shift               string // empty for the whole day
	// Worker of Workers, from 1, takes the tables whose hash falls to it.
	Worker, Workers int
	Engine          pipeline.Options
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
	Night(ctx context.Context, store *clickhouse.Store, property, day, shift string) ([]schema.Finding, error)
}

// Result is a run. Merged is false while other workers have parts to do; then only Tables and Events are set.
type Result struct {
	Run      clickhouse.AuditRun
	Findings []schema.Finding
	Merged   bool
	Waiting  []string // parts that are not done
	// Replayed are the events that were folded, also those before the day; Own those of this worker's part.
	Replayed uint64
	Open     []OpenShoe
}

// OpenShoe is a shoe of the day whose end is not in the archive.
type OpenShoe struct {
	Table, Shoe string
	Round       uint32
}

// ErrNothing says that the archive has no event of the property in the time asked about.
var ErrNothing = errors.New("the archive has no event of it")

// tableDone is what is kept of one table's replay.
type tableDone struct {
	Table  string     `json:"table_id"`
	Events uint64     `json:"events"`
	Folded uint64     `json:"folded"`
	Digest string     `json:"events_sha256"`
	Shoes  uint32     `json:"shoes"`
	Rounds uint32     `json:"rounds"`
	Open   []OpenShoe `json:"open"`
	Books  []string   `json:"rulebooks"`
	found  []schema.Finding
}

// partDone ends a part.
type partDone struct {
	Lines   int       `json:"lines"`
	Started time.Time `json:"started"`
}

type run struct {
	Options
	store       *clickhouse.Store
	from, until int64
}

// Run audits one part of a gaming day, and merges the parts when all are done. Only one process at a time
// does the same part: clickhouse.ErrHeld names the other. Run again, it starts over.
func Run(ctx context.Context, store *clickhouse.Store, o Options) (res Result, err error) {
	r := &run{Options: o, store: store}
	if r.from, r.until, err = o.Engine.Calendar.Bounds(o.GamingDay, o.Shift); err != nil {
		return res, err
	}
	all, err := store.Tables(ctx, o.Property, r.from, r.until)
	switch {
	case err != nil:
		return res, err
	case len(all) == 0:
		return res, fmt.Errorf("property %s, gaming day %s: %w", o.Property, o.GamingDay, ErrNothing)
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

func (r *run) partOf(worker int) clickhouse.RunPart {
	return clickhouse.RunPart{Property: r.Property, GamingDay: r.GamingDay, Part: fmt.Sprintf("%s %d/%d", r.Shift, worker, r.Workers)}
}

func (r *run) lease(worker int) string {
	return fmt.Sprintf("run %q %s %q %d/%d", r.Property, r.GamingDay, r.Shift, worker, r.Workers)
}

// mine says whether a table falls to this worker.
func (r *run) mine(table string) bool {
	h := fnv.New64a()
	h.Write([]byte(table))
	return int(h.Sum64()%uint64(r.Workers))+1 == r.Worker
}

// part replays the worker's tables and stores what came of each.
func (r *run) part(ctx context.Context, lease *clickhouse.Lease, all []string, res *Result) error {
	started := r.Now()
	tables := slices.DeleteFunc(slices.Clone(all), func(t string) bool { return !r.mine(t) })
	w := &lineWriter{store: r.store, part: r.partOf(r.Worker)}
	w.part.Generation = lease.Generation
	var mu sync.Mutex
	done := 0
	group, working := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, table := range tables {
		group.Go(func() error {
			d, err := r.replay(working, table)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			res.Replayed += d.Folded
			if r.Progress != nil {
				r.Progress(done, len(tables), res.Replayed)
			}
			return w.table(working, d)
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := w.add(ctx, "done", partDone{w.no + len(w.lines), started}); err != nil {
		return err
	}
	return w.flush(ctx)
}

// settle is how many events behind the day are folded before it is looked whether a shoe of the day is still
// open. The number is fixed, so that the same archive always gives the same result.
const settle = 256

// replay folds a table from its first archived event until the shoes of the day are closed.
func (r *run) replay(ctx context.Context, table string) (*tableDone, error) {
	options := r.Engine
	options.NoArchive = true
	engine := pipeline.NewEngine(options)
	d := &tableDone{Table: table, Open: []OpenShoe{}, Books: []string{}}
	digest := sha256.New()
	var b pipeline.Batch
	behind := 0
	var seq [8]byte
	err := r.store.Replay(ctx, r.Property, table, func(e *clickhouse.Archived) bool {
		d.Folded++
		if e.At >= r.from && e.At < r.until {
			d.Events++
			binary.BigEndian.PutUint64(seq[:], e.Seq)
			digest.Write(seq[:])
			digest.Write(e.SHA256[:])
		}
		engine.Apply(&e.Record, "", e.Partition, &b)
		r.collect(d, &b)
		if e.At < r.until {
			return false
		}
		behind++
		return behind%settle == 0 && len(r.open(engine)) == 0
	})
	if err != nil {
		return nil, err
	}
	engine.Finish(&b)
	r.collect(d, &b)
	d.Open = append(d.Open, r.open(engine)...)
	d.Digest = hex.EncodeToString(digest.Sum(nil))
	slices.Sort(d.Books)
	return d, nil
}

// open are the shoes that began before the end of the day and have not ended.
func (r *run) open(e *pipeline.Engine) []OpenShoe {
	var list []OpenShoe
	for _, o := range e.Open() {
		if o.At < r.until {
			list = append(list, OpenShoe{o.TableID, o.ShoeID, o.Round})
		}
	}
	return list
}

// collect takes what belongs to the day.
func (r *run) collect(d *tableDone, b *pipeline.Batch) {
	if b.Rows() == 0 {
		return
	}
	for i, day := range b.Rounds.GamingDay {
		if r.within(day, b.Rounds.Shift[i]) {
			d.Rounds++
		}
	}
	for i := range b.Shoes {
		if s := &b.Shoes[i]; r.within(s.GamingDay, s.Shift) {
			d.Shoes++
			if s.Rulebook != "" && !slices.Contains(d.Books, s.Rulebook) {
				d.Books = append(d.Books, s.Rulebook)
			}
		}
	}
	for i := range b.Findings {
		if f := &b.Findings[i]; r.within(f.GamingDay, f.Shift) {
			d.found = append(d.found, *f)
		}
	}
	b.Reset()
}

func (r *run) within(day, shift string) bool {
	return day == r.GamingDay && (r.Shift == "" || shift == r.Shift)
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
	if err := w.add(ctx, "table", d); err != nil {
		return err
	}
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
