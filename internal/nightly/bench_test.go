//go:build unix

package nightly

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine/clickhousetest"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/internal/watch"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// propertyYear is the events of a year of a property with 100 tables.
const propertyYear = 2.2e9

// BenchmarkArchive stores SHOEPROOF_EVENTS events (400,000 without it) of 100 tables, waits until ClickHouse has merged
// them, then audits them again with each number of workers of SHOEPROOF_WORKERS (1 2 4 4+ without it), each time in a
// process of its own. It prints the speed, the processor time of that process and of ClickHouse for an event, and what
// a year of a property takes. A number with "+" or "w" behind it is of the whole command: it also scores the days again
// with the detectors of audit watch, and evaluates the statistics. With "w" a watch has scored the days before, as it
// does live; without one the audit stores the evidence.
func BenchmarkArchive(b *testing.B) {
	cfg := server.Migrated(b)
	store, name := clickhousetest.Open(b, cfg), cfg.Database
	f := newHouse(100, eventsToStore(b))
	began := time.Now()
	ingest(b, store, f)
	b.Logf("stored %d events of %d tables in %.0f s, %s to %s", f.events(), len(f.tables), time.Since(began).Seconds(),
		f.days[0], f.days[len(f.days)-1])
	rest(b, store)
	logDisk(b, store, name, f)
	for b.Loop() {
		for word := range strings.FieldsSeq(cmp.Or(os.Getenv("SHOEPROOF_WORKERS"), "1 2 4 4+")) {
			number := strings.TrimRight(word, "+w")
			workers, err := strconv.Atoi(number)
			if err != nil {
				b.Fatalf("SHOEPROOF_WORKERS: %v", err)
			}
			order := archiveRun{Database: name, Days: f.days, Workers: workers, Score: word != number}
			if strings.HasSuffix(word, "w") {
				scoreLive(b, name)
				rest(b, store)
			}
			s := auditAgain(b, &order, f)
			b.Logf("%s workers: %7.0f events/s, us/event: process %.2f, ClickHouse %.2f; a property's year: %.1f minutes",
				word, 1e6/s.wall, s.process, s.server, s.wall*propertyYear/1e6/60)
			b.ReportMetric(1e6/s.wall, fmt.Sprintf("events/s-%sworkers", word))
			b.ReportMetric(s.process+s.server, fmt.Sprintf("us/event-%sworkers", word))
			if order.Score {
				rest(b, store)
				logDisk(b, store, name, f)
			}
		}
	}
}

// rest waits for the merges of what was just stored: the first audit would share the processors with them.
func rest(b *testing.B, store *clickhouse.Store) {
	b.Helper()
	idle := 0
	testkit.Await(b, "merges to end", func() bool {
		var merges uint64
		if err := store.Conn().QueryRow(b.Context(), "SELECT count() FROM system.merges").Scan(&merges); err != nil {
			b.Fatal(err)
		}
		if idle++; merges > 0 {
			idle = 0
		}
		return idle > 20 // one follows the other
	})
}

// eventsToStore is SHOEPROOF_EVENTS, 400,000 without it.
func eventsToStore(b *testing.B) int {
	b.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv("SHOEPROOF_EVENTS"), "400000"))
	if err != nil {
		b.Fatalf("SHOEPROOF_EVENTS: %v", err)
	}
	return n
}

// side is what an event takes, in microseconds.
type side struct{ wall, process, server float64 }

// scoreLive runs a watch over all that is stored.
func scoreLive(b testing.TB, database string) {
	b.Helper()
	var cfg settings.Audit
	cfg.ClickHouse.Addrs, cfg.ClickHouse.Database = []string{server.Start(b).Addr}, database
	cfg.ClickHouse.User = "default"
	err := watch.Run(b.Context(), &cfg, watch.RunOptions{
		Options: watch.Options{Property: property, Since: opens.UnixNano(), Engine: options()},
		Version: "test", Holder: "bench", Every: time.Second, Once: true, Log: slog.New(slog.DiscardHandler),
		Passed: func(s watch.Step) { b.Logf("a watch scored %d rounds", s.Rounds) },
	})
	if err != nil {
		b.Fatal(err)
	}
}

// archiveRun is the order to a process that audits the archive again, and its answer.
type archiveRun struct {
	Addr, Database string
	Days           []string
	Workers        int
	Score          bool
	Profile        string

	Replayed uint64
	Wall     time.Duration
	Used     time.Duration
}

func auditAgain(b *testing.B, run *archiveRun, f *house) side {
	b.Helper()
	c := server.Start(b)
	run.Addr, run.Profile = c.Addr, os.Getenv("SHOEPROOF_PROFILE")
	order, err := json.Marshal(run)
	if err != nil {
		b.Fatal(err)
	}
	child := exec.CommandContext(b.Context(), os.Args[0])
	child.Env = append(os.Environ(), "SHOEPROOF_TEST_ARCHIVE="+string(order))
	child.Stderr = os.Stderr
	from := testkit.ProcessorTime(b, c.PID())
	out, err := child.Output()
	if err != nil {
		b.Fatal(err)
	}
	used := testkit.ProcessorTime(b, c.PID()) - from
	var r archiveRun
	if err := json.Unmarshal(out, &r); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	if r.Replayed != f.events() {
		b.Errorf("%d events replayed, want %d", r.Replayed, f.events())
	}
	each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 / float64(r.Replayed) }
	return side{each(r.Wall), each(r.Used), each(used)}
}

// runArchive is the process of auditAgain.
func runArchive(order string) int {
	var r archiveRun
	err := json.Unmarshal([]byte(order), &r)
	var store *clickhouse.Store
	if err == nil {
		store, err = clickhouse.Open(context.Background(), config(r.Addr, r.Database))
	}
	if err == nil && r.Profile != "" {
		var file *os.File
		if file, err = os.Create(fmt.Sprintf("%s.%d", r.Profile, r.Workers)); err == nil {
			err = pprof.StartCPUProfile(file)
		}
	}
	debug.SetGCPercent(400) // as audit run
	if err == nil {
		began := time.Now()
		var res Result
		o := Options{
			Property: property, Days: r.Days, Workers: 1, Parallel: r.Workers, Engine: options(), Holder: "bench",
			Now: time.Now, Score: r.Score, Limit: NewLimit(),
		}
		if r.Score {
			o.Statistics = Statistics(&o.Engine)
		}
		res, err = Run(context.Background(), store, o)
		r.Replayed, r.Wall = res.Replayed, time.Since(began)
	}
	pprof.StopCPUProfile()
	var u syscall.Rusage
	if err == nil {
		err = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	}
	r.Used = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// house is a log of tables that play shoe after shoe until there are about so many events, in two partitions.
type house struct {
	format schema.Format
	tables []*deal.Table
	parts  [2]houseLog
	days   []string
}

// houseLog is a partition of a house: each time a shoe of the table that is the furthest behind.
type houseLog struct {
	house   *house
	no      int32
	tables  []*deal.Table
	rest    int
	offset  int64
	waiting []pipeline.Record
	last    int64
	buffer  []byte
}

func newHouse(tables, events int) *house {
	h := &house{format: schema.Protobuf}
	elsewhere := func(kind string) bool { return strings.HasPrefix(kind, "ny-") }
	kinds := slices.DeleteFunc(deal.Kinds(), elsewhere)
	for i := range tables {
		config, err := deal.Config(kinds[i%len(kinds)], uint64(i))
		if err != nil {
			panic(err)
		}
		h.tables = append(h.tables, deal.NewTable(deal.Options{
			Property: property, Pit: fmt.Sprintf("p-%03d", i), Table: fmt.Sprintf("t-%03d", i), Seed: uint64(i) + 1,
			Start: opens, Config: config,
		}))
	}
	for i := range h.parts {
		h.parts[i] = houseLog{house: h, no: int32(i), rest: events / len(h.parts)}
	}
	for i, t := range h.tables {
		p := &h.parts[i%len(h.parts)]
		p.tables = append(p.tables, t)
	}
	return h
}

func (h *house) events() uint64 { return uint64(h.parts[0].offset + h.parts[1].offset) }

// Consume reads both partitions.
func (h *house) Consume(ctx context.Context, work func(context.Context, pipeline.Stream) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for i := range h.parts {
		group.Go(func() error { return work(ctx, &h.parts[i]) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	calendar := options().Calendar
	last, _ := calendar.Of(max(h.parts[0].last, h.parts[1].last))
	for at := opens; ; at = at.Add(24 * time.Hour) {
		day, _ := calendar.Of(at.UnixNano())
		h.days = append(h.days, day)
		if day == last {
			return nil
		}
	}
}

func (p *houseLog) Topic() string                       { return "table-events" }
func (p *houseLog) Partition() int32                    { return p.no }
func (p *houseLog) Commit(context.Context, int64) error { return nil }

// Next returns events of the next shoe of a table.
func (p *houseLog) Next(context.Context, time.Duration) ([]pipeline.Record, error) {
	if len(p.waiting) == 0 {
		if p.rest <= 0 {
			return nil, io.EOF
		}
		var events []schema.Event
		if p.offset == 0 {
			for _, t := range p.tables {
				events = append(events, t.Open()...)
			}
		}
		behind := slices.MinFunc(p.tables, func(a, b *deal.Table) int { return cmp.Compare(a.Writer().Now, b.Writer().Now) })
		events = append(events, behind.Shoe()...)
		p.rest -= len(events)
		p.buffer = p.buffer[:0]
		p.waiting = make([]pipeline.Record, 0, len(events))
		slices.SortStableFunc(events, func(a, b schema.Event) int { return cmp.Compare(a.Seq, b.Seq) })
		for i := range events {
			encode := schema.AppendProto
			if p.house.format == schema.JSON {
				encode = schema.AppendJSON
			}
			p.waiting = append(p.waiting, pipeline.Record{
				Offset: p.offset, Format: p.house.format, Value: encode(nil, &events[i]),
			})
			p.offset, p.last = p.offset+1, max(p.last, events[i].At)
		}
	}
	n := min(len(p.waiting), 500)
	now := p.waiting[:n]
	p.waiting = p.waiting[n:]
	return now, nil
}

// logDisk prints what the tables of a database take on disk, without watch_state, which has the latest states alone.
func logDisk(b *testing.B, store *clickhouse.Store, database string, f *house) {
	b.Helper()
	var all, archive, evidence uint64
	err := store.Conn().QueryRow(b.Context(), "SELECT sum(bytes_on_disk), sumIf(bytes_on_disk, table = 'events'), "+
		"sumIf(bytes_on_disk, table = 'evidence') FROM system.parts WHERE active AND table != 'watch_state' AND "+
		"database = '"+database+"'").
		Scan(&all, &archive, &evidence)
	if err != nil {
		b.Fatal(err)
	}
	each := func(bytes uint64) float64 { return float64(bytes) / float64(f.events()) }
	b.Logf("disk: %.1f bytes an event, %.1f of them in the archive, %.1f in the evidence; a property's year: %.0f GB",
		each(all), each(archive), each(evidence), each(all)*propertyYear/1e9)
}
