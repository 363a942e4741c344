// Package nightly audits a gaming day again from the archive. It replays the events of each table, compares the
// findings with the live audit's, evaluates the rules that compare tables, and runs the statistics. Several
// workers can share the tables; the worker that finds all parts done merges them and writes the row of the run.
package nightly

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/heap"

	"go.opentelemetry.io/otel/attribute"
	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console"
	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/internal/tracing"
	"github.com/shoeproof/shoeproof/internal/watch"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Options are the gaming days and the share of a worker.
type Options struct {
	Property string
	// Days are gaming days in order; each table is replayed once for all of them.
	Days  []string
	Shift string // of each day; empty for all shifts
	// Worker, from 0, of Workers takes the tables whose hash modulo Workers is its number.
	Worker, Workers int
	// Parallel is the number of tables that are replayed at once, 0 for two for each processor, because a replay waits
	// for the database. It changes no result.
	Parallel int
	// Whole reads each table from its first archived event instead of from its last snapshot before the days.
	Whole  bool
	Engine engine.Options
	// Access names the people of several accounts, for the proof that two people closed a finding.
	Access console.Access
	// Holder names this process to others that would do the same part.
	Holder string
	// Now is the clock of the run's row.
	Now func() time.Time
	// Statistics run after the replay of all tables; their findings are part of the run.
	Statistics []Statistic
	// Score scores the day again with the detectors of audit watch, and compares suspicions.
	Score bool
	// Limit is the memory limit, nil for none.
	Limit *heap.Limit
	// Progress may be nil; it receives the number of tables done and of events replayed.
	Progress func(done, tables int, events uint64)
}

// Statistic is a test over many rounds, on the facts of a gaming day.
type Statistic interface {
	// ReadsEvidence reports whether the statistic needs the evidence of the day. It then follows the scoring of the day,
	// and is evaluated beside it otherwise.
	ReadsEvidence() bool
	Night(ctx context.Context, store *clickhouse.Store, property, day, shift string) ([]finding.Finding, error)
}

// NewLimit is the memory limit of a process that audits days again: 768 MiB, or twice the live heap.
func NewLimit() *heap.Limit { return heap.New(768, 200) }

// Result is the result of a worker. Nights are the days in order; empty until all workers are done.
type Result struct {
	Nights  []Night
	Waiting []string // parts that are not done
	Nothing []string // days without events in the archive
	// Replayed is the number of events that this worker replayed, including those between a snapshot and the days.
	Replayed uint64
}

// Night is the audit of one gaming day.
type Night struct {
	Run      clickhouse.AuditRun
	Findings []finding.Finding
	Open     []OpenShoe
	// Withdrawn are the findings of the day that the run withdrew or restored.
	Withdrawn []clickhouse.Withdrawal
	// Changed are findings of the live audit that the run replaced, since they differ with the events that arrived late.
	Changed []finding.Finding
	// Records are the records of the console that do not follow from the others, Vanished the tables with events on the
	// day before and none on the day.
	Records, Vanished []string
	// Trusted names what the records rest on and no run can prove.
	Trusted []string
	// Suspicions compares the evidence of audit watch with that of the night.
	Suspicions Suspicions
	// Facts are the stored facts that the archive does not give.
	Facts []string
	heads []clickhouse.LoggedHead // of the journal that the run proved
	// Others are the releases, with the versions of their rules, that audited the day live, if they are others than this
	// one: what a row says of its release, rulebook, basis and citations is not compared then.
	Others []string
}

// OpenShoe is a shoe of the day whose end is not in the archive.
type OpenShoe struct {
	Table, Shoe string
	Round       uint32
}

// ErrNothing means that the archive has no event of the property in the chosen days.
var ErrNothing = errors.New("no events in the archive")

// tableDone is the result of a table and day.
type tableDone struct {
	Table  string     `json:"table_id"`
	Events uint64     `json:"events"`
	Folded uint64     `json:"folded"`
	Digest string     `json:"events_sha256"`
	Shoes  uint32     `json:"shoes"`
	Rounds uint32     `json:"rounds"`
	Open   []OpenShoe `json:"open"`
	Books  []string   `json:"rulebooks"`
	// Facts are the digests of the facts that the replay gives.
	Facts []clickhouse.FactDigest `json:"facts"`
	// Late is true if the table was replayed without the events that arrived late too, as the live audit played it:
	// LiveFacts are the digests of its facts, LiveOpen the shoes that did not end for it, Lived its findings that the
	// replay does not give, or with other contents.
	Late      bool                    `json:"late,omitempty"`
	LiveFacts []clickhouse.FactDigest `json:"live_facts,omitempty"`
	LiveOpen  []OpenShoe              `json:"live_open,omitempty"`
	Lived     []finding.Finding       `json:"lived,omitempty"`
	// Both are the ids of the findings that the replay gives without the events that arrived late, too. Awaited are the
	// ids of those that only the end of the archive gives: the live audit waits for what may still come.
	Both    []string `json:"both,omitempty"`
	Awaited []string `json:"awaited,omitempty"`
	// Parted is the time of the earliest event beside which another partition, with other numbers, has events; 0 without
	// one.
	Parted int64 `json:"parted,omitempty"`
	// Contested are the numbers of events that an event of another partition or a dead letter contests.
	Contested []uint64 `json:"contested,omitempty"`
	found     []finding.Finding
}

// partDone is the last line of a part.
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
	log     *store.Store // writes one chain of the console log
	windows []window
	tables  []factTable
	late    map[string][]hole // by table, filled by events that arrived late
	// restarted are the tables whose numbers began again.
	restarted map[string]bool
	// before are the tables with events in the 24 hours before the first day.
	before []string
	// spread are the tables with events in several partitions of a topic, parted those whose partitions number their
	// events apart.
	spread []string
	parted map[string]*clickhouse.Parted
	// events is about how many events the days have.
	events uint64
	// stored are the days that were read at once.
	stored map[string]storedDay
	// scored is the night of the only day, nil if it is not scored yet.
	scored *watch.Night
	// used are the first and last rounds of the configurations before the time usedUntil.
	used      []*rows.Rounds
	usedUntil int64
	// spare are factRows of days that were folded.
	spare sync.Pool
}

// Run audits one part of some gaming days, and merges the parts when all are done. Only one process at a time
// does the same part: clickhouse.ErrHeld names the other. Run again, it starts over. With another patron key than that
// of ingest it returns ErrPatronKey and stores nothing.
func Run(ctx context.Context, db *clickhouse.Store, o Options) (res Result, err error) {
	r := &run{Options: o, store: db, log: store.On(db, o.Now), tables: factTables()}
	for _, day := range o.Days {
		from, until, err := o.Engine.Calendar.Bounds(day, o.Shift)
		if err != nil {
			return res, err
		}
		r.windows = append(r.windows, window{day, from, until})
	}
	all, err := r.present(ctx)
	if err == nil {
		err = r.checkPatronKeys(ctx, all)
	}
	if err == nil {
		err = nameRuns(ctx, r.log, o.Property, o.Now)
	}
	switch {
	case err != nil:
		return res, err
	case len(all) == 0:
		return res, r.nothing(ctx)
	}
	for i := range all {
		r.events += all[i].Events
	}
	if r.parted, err = db.Parted(ctx, o.Property, r.spread, r.windows[0].from-movedSince, r.end()+beside); err != nil {
		return res, err
	}
	lease, err := db.Take(ctx, r.lease(o.Worker), o.Holder)
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

// present returns the tables with events on the days, and notes those before and those in several partitions.
func (r *run) present(ctx context.Context) (all []clickhouse.ArchivedTable, err error) {
	from, until := r.windows[0].from, r.end()
	tables, err := r.store.Present(ctx, r.Property,
		clickhouse.Window{Since: from - movedSince, From: from, Until: until, Later: until + beside})
	r.before = []string{}
	for i := range tables {
		t := &tables[i]
		if t.Events > 0 {
			all = append(all, t.ArchivedTable)
		}
		if t.Before {
			r.before = append(r.before, t.Table)
		}
		if t.Spread {
			r.spread = append(r.spread, t.Table)
		}
	}
	return all, err
}

// nothing is ErrNothing, with the records of the days that could not be read.
func (r *run) nothing(ctx context.Context) error {
	days, err := r.store.DayOffsets(ctx, r.Property, []int64{r.windows[0].from, r.end()})
	if err != nil {
		return err
	}
	covered, err := r.store.DayCoverage(ctx, days[0])
	if err != nil {
		return err
	}
	err = fmt.Errorf("property %s, gaming day %s: %w", r.Property, r.span(), ErrNothing)
	for i := range covered {
		if c := &covered[i]; c.DeadLetters > 0 {
			err = fmt.Errorf("%w; %s could not be decoded, %s/%d %s", err, schema.Count(c.DeadLetters, "record"), c.Topic,
				c.Partition, finding.OffsetRange(c.FirstDeadLetter, c.LastDeadLetter))
		}
	}
	return err
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

// assigned reports whether a table belongs to this worker.
func (r *run) assigned(table string) bool {
	h := fnv.New64a()
	h.Write([]byte(table))
	return int(h.Sum64()%uint64(r.Workers)) == r.Worker
}

// part replays the worker's tables and stores the results.
func (r *run) part(ctx context.Context, lease *clickhouse.Lease, all []clickhouse.ArchivedTable, res *Result) error {
	started := r.Now()
	if err := r.readLate(ctx); err != nil {
		return err
	}
	tables := slices.DeleteFunc(all, func(t clickhouse.ArchivedTable) bool { return !r.assigned(t.Table) })
	writers := make([]lineWriter, len(r.windows))
	for i := range writers {
		writers[i] = lineWriter{store: r.store, part: r.partOf(r.Worker, r.windows[i].day)}
		writers[i].part.Generation = lease.Generation
	}
	var mu sync.Mutex
	done := 0
	ended := func(p *replay) error {
		mu.Lock()
		defer mu.Unlock()
		done++
		res.Replayed += p.folded
		r.Limit.Update()
		if r.Progress != nil {
			r.Progress(done, len(tables), res.Replayed)
		}
		for i := range p.days {
			if err := writers[i].table(ctx, &p.days[i].tableDone); err != nil {
				return err
			}
		}
		return nil
	}
	if err := r.replayAll(ctx, tables, ended); err != nil {
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

const (
	// maxTablesAtOnce bounds the tables that one query reads: what the replay of each holds stays in memory until it ends.
	maxTablesAtOnce = 16
	// minEventsAtOnce is the number of events for which more tables are not read apart: the queries of a replay take the
	// server as long as some ten thousand events.
	minEventsAtOnce = 32_000
)

// replayAll replays tables, some at once, and calls done with each that has ended.
func (r *run) replayAll(ctx context.Context, tables []clickhouse.ArchivedTable, done func(*replay) error) error {
	if r.events <= eventsAtOnce { // the replays of all of them follow soon
		if err := r.prepare(ctx, tables); err != nil {
			return err
		}
	}
	parallel := cmp.Or(r.Parallel, 2*runtime.GOMAXPROCS(0))
	group, working := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	if r.Workers == 1 && len(r.windows) == 1 { // a day is scored on one processor
		group.Go(func() (err error) {
			r.scored, err = r.score(working, r.windows[0])
			return err
		})
	}
	stored := r.Workers == 1 // what is stored of the days is read in between: the last tables end at about the same time
	for rest := tables; len(rest) > 0; {
		if stored && 2*len(rest) <= len(tables)+1 {
			stored = false
			group.Go(func() error {
				_, err := r.storedOf(working, r.windows[0])
				return err
			})
		}
		// Fewer and fewer tables, so that all end at about the same time.
		n, events := 0, uint64(0)
		for n < min(len(rest), maxTablesAtOnce) && (n < max(1, len(rest)/parallel) || events < minEventsAtOnce) {
			events += rest[n].Events
			n++
		}
		some := rest[:n]
		rest = rest[n:]
		group.Go(func() error {
			ctx, span := tracing.Start(working, "replay "+some[0].Table+" to "+some[n-1].Table)
			events := uint64(0)
			err := r.replay(ctx, some, func(p *replay) error {
				events += p.folded
				return done(p)
			})
			span.SetAttributes(attribute.Int("shoeproof.tables", n), attribute.Int64("shoeproof.events", int64(events)))
			tracing.End(span, err)
			return err
		})
	}
	return group.Wait()
}
