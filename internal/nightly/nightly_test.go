//go:build unix

package nightly

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/internal/testkit"

	"github.com/shoeproof/shoeproof/finding"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/clickhousetest"
	triage "github.com/shoeproof/shoeproof/console/store"
	auditor "github.com/shoeproof/shoeproof/engine"
	auditortest "github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// server is the one ClickHouse of this test binary; each test has a database of its own.
var server clickhousetest.Server

func TestMain(m *testing.M) {
	engine.HostClickHouse()
	if at := os.Getenv("SHOEPROOF_TEST_NIGHT"); at != "" {
		os.Exit(nightToKill(at))
	}
	if order := os.Getenv("SHOEPROOF_TEST_ARCHIVE"); order != "" {
		os.Exit(runArchive(order))
	}
	os.Exit(server.Run(m))
}

func database(t testing.TB) *clickhouse.Store {
	t.Helper()
	return clickhousetest.Open(t, server.Migrated(t))
}

func config(addr, database string) clickhouse.Config {
	return clickhouse.Config{
		Addrs: []string{addr}, Database: database, User: "default", RulesVersion: "r1",
		Engine: "test", RowVersion: 1,
	}
}

var options = auditortest.Options

const (
	property = "ac-1"
	day      = "2026-11-19"
)

// opens is 07:00 of the gaming day in Atlantic City.
var opens = time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)

// floor is a simulated gaming day.
type floor struct {
	events []schema.Event
	want   map[string]fault.Want // by table
}

// play is a day of so many tables, of which some break one rule each; the others play so many shoes.
func play(t testing.TB, tables, faulty, shoes int) *floor {
	t.Helper()
	return playFrom(t, tables, faulty, shoes, opens)
}

func playFrom(t testing.TB, tables, faulty, shoes int, opens time.Time) *floor {
	t.Helper()
	f := &floor{want: map[string]fault.Want{}}
	// A casino is in one state: New York's rules compare all tables of a property.
	elsewhere := func(kind string) bool { return strings.HasPrefix(kind, "ny-") }
	var faults []fault.Fault
	for _, f := range fault.All() {
		if f.Kinds = slices.DeleteFunc(slices.Clone(f.Kinds), elsewhere); len(f.Kinds) > 0 && !f.Off {
			faults = append(faults, f)
		}
	}
	kinds := slices.DeleteFunc(deal.Kinds(), elsewhere)
	step := len(faults) / max(faulty, 1)
	for i := range tables {
		o := deal.Options{
			Property: property, Pit: fmt.Sprintf("p-%03d", i), Table: fmt.Sprintf("t-%03d", i), Seed: uint64(i) + 1,
			Start: opens.Add(time.Duration(i) * 7 * time.Second),
		}
		if i < faulty {
			events, want, err := fault.Plant(o, faults[i*step], o.Seed)
			if err != nil {
				t.Fatal(err)
			}
			for j := range events {
				if events[j].TableID != o.Table {
					events[j].TableID = o.Table + "-beside"
				}
			}
			f.events, f.want[o.Table] = append(f.events, events...), want[0]
			continue
		}
		config, err := deal.Config(kinds[i%len(kinds)], o.Seed)
		if err != nil {
			t.Fatal(err)
		}
		o.Config = config
		table := deal.NewTable(o)
		f.events = append(f.events, table.Open()...)
		for range shoes {
			f.events = append(f.events, table.Shoe()...)
		}
		f.events = append(f.events, table.Close()...)
	}
	slices.SortStableFunc(f.events, func(a, b schema.Event) int { return cmp.Compare(a.At, b.At) })
	return f
}

// log is a finite topic in partitions.
type log struct {
	records [4][]pipeline.Record
	open    bool // it never ends
}

func (l *log) append(events ...schema.Event) {
	for i := range events {
		h := fnv.New32a()
		h.Write([]byte(events[i].TableID))
		p := &l.records[h.Sum32()%4]
		*p = append(*p, pipeline.Record{
			Offset: int64(len(*p)), Format: schema.Protobuf,
			Value: schema.AppendProto(nil, &events[i]),
		})
	}
}

func (l *log) Consume(ctx context.Context, work func(context.Context, pipeline.Stream) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for i := range l.records {
		group.Go(func() error { return work(ctx, &partition{no: int32(i), rest: l.records[i], open: l.open}) })
	}
	return group.Wait()
}

type partition struct {
	no   int32
	rest []pipeline.Record
	open bool
}

func (p *partition) Topic() string    { return "table-events" }
func (p *partition) Partition() int32 { return p.no }
func (p *partition) Next(ctx context.Context, wait time.Duration) ([]pipeline.Record, error) {
	if len(p.rest) == 0 && p.open {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
			return nil, nil
		}
	}
	n := min(len(p.rest), 500)
	now := p.rest[:n]
	p.rest = p.rest[n:]
	if len(p.rest) == 0 && !p.open {
		return now, io.EOF
	}
	return now, nil
}
func (p *partition) Commit(context.Context, int64) error { return nil }

// ingest stores a log as ingest does.
func ingest(t testing.TB, store pipeline.Sink, l pipeline.Source) {
	t.Helper()
	ingestWith(t, store, l, options())
}

func ingestWith(t testing.TB, store pipeline.Sink, l pipeline.Source, o auditor.Options) {
	t.Helper()
	err := pipeline.Run(t.Context(), l, store, pipeline.RunOptions{
		NewStep: func() pipeline.Step { return auditor.New(o) }, Now: time.Now, FlushRows: 20_000,
		FlushEvery: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ingestOpen stores so many events of a log as an ingest that still waits for more.
func ingestOpen(t testing.TB, store *clickhouse.Store, l *log, events uint64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		still := log{records: l.records, open: true}
		done <- pipeline.Run(ctx, &still, store, pipeline.RunOptions{
			NewStep: func() pipeline.Step { return auditor.New(options()) }, Now: time.Now, FlushRows: 20_000,
			FlushEvery: 100 * time.Millisecond,
		})
	}()
	for stored := uint64(0); stored < events; time.Sleep(20 * time.Millisecond) {
		err := store.Conn().QueryRow(t.Context(), "SELECT count() FROM "+store.Table("events")+" FINAL").Scan(&stored)
		if err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// night runs a part; nil if others are not done.
func night(t testing.TB, store *clickhouse.Store, change func(*Options)) *Night {
	t.Helper()
	o := Options{Property: property, Days: []string{day}, Workers: 1, Engine: options(), Holder: t.Name(), Now: time.Now}
	if change != nil {
		change(&o)
	}
	res, err := Run(t.Context(), store, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Nights) == 0 {
		return nil
	}
	return &res.Nights[0]
}

// lines are the findings as bytes.
func lines(t testing.TB, res *Night) []byte {
	t.Helper()
	var all bytes.Buffer
	for i := range res.Findings {
		line, err := finding.Line(res.Findings[i])
		if err != nil {
			t.Fatal(err)
		}
		all.Write(line)
	}
	return all.Bytes()
}

func brief(f *finding.Finding) string {
	return fmt.Sprintf("%s %s %s shoe %s round %d seat %d %s: want %s, got %s", f.Severity, f.TableID, f.Rule, f.ShoeID,
		f.Round, f.Seat, f.Subject, f.Expected, f.Observed)
}

// A night finds each fault that is planted at a hundred tables, in the short form at thirty, and nothing else; any
// number of workers finds the same.
func TestNightOfAHundredTables(t *testing.T) {
	store := database(t)
	tables := testkit.Soak(30, 100)
	f := play(t, tables, tables*3/5, 1)
	var l log
	l.append(f.events...)
	ingest(t, store, &l)

	res := night(t, store, nil)
	found := map[string]int{}
	for i := range res.Findings {
		got := &res.Findings[i]
		table := strings.TrimSuffix(got.TableID, "-beside")
		switch want, ok := f.want[table]; {
		case ok && got.Rule == want.Rule && got.Verdict != "UNAUDITABLE" && got.Round == want.Round &&
			(got.Seat == want.Seat || got.Seat == 0):
			found[table]++
		// Cards that were not shuffled are rightly suspected besides.
		case got.Kind == finding.Anomaly && want.Rule == "shuffle.random-order":
		case got.Severity != finding.Info:
			t.Errorf("nobody planted: %s", brief(got))
		}
	}
	for table, want := range f.want {
		if found[table] != 1 {
			t.Errorf("found %d times, want once: table %s, %+v", found[table], table, want)
		}
	}
	if res.Run.Missing+res.Run.Extra+res.Run.Changed+res.Run.Gaps != 0 || res.Run.DeadLetters != 0 {
		t.Errorf("live and nightly differ: %+v", res.Run)
	}
	// The gaming day begins at 06:00; a fault may act on the days beside it.
	today := 0
	for i := range f.events {
		if at := time.Duration(f.events[i].At - opens.UnixNano()); at >= -time.Hour && at < 23*time.Hour {
			today++
		}
	}
	if res.Run.Events != uint64(today) || int(res.Run.Tables) < tables {
		t.Errorf("%d events of %d tables, want %d of %d or more", res.Run.Events, res.Run.Tables, today, tables)
	}
	t.Logf("%d events, %d findings", len(f.events), len(res.Findings))

	once := lines(t, res)
	for _, workers := range []int{1, 2, 7} {
		var last *Night
		for worker := range workers {
			last = night(t, store, func(o *Options) { o.Worker, o.Workers = worker, workers })
			if (last != nil) != (worker == workers-1) {
				t.Fatalf("worker %d of %d: merged is %v", worker, workers, last != nil)
			}
		}
		if !bytes.Equal(once, lines(t, last)) {
			t.Errorf("%d workers: other findings\n%s", workers, gocmp.Diff(string(once), string(lines(t, last))))
		}
		if last.Run.ID != res.Run.ID || last.Run.Supersedes != "" {
			t.Errorf("%d workers: run %s supersedes %q, want %s", workers, last.Run.ID, last.Run.Supersedes, res.Run.ID)
		}
	}
}

// A run is refused while another is at the same part, and takes over from a killed one.
func TestOneAtATime(t *testing.T) {
	store := database(t)
	var l log
	l.append(play(t, 6, 3, 1).events...)
	ingest(t, store, &l)
	refused := make(chan struct{})
	var once sync.Once
	night(t, store, func(o *Options) {
		o.Holder = "the first"
		o.Progress = func(int, int, uint64) {
			once.Do(func() {
				defer close(refused)
				_, err := Run(t.Context(), store, Options{
					Property: property, Days: []string{day}, Workers: 1, Engine: options(),
					Holder: "the second", Now: time.Now,
				})
				if !errors.Is(err, clickhouse.ErrHeld) || !strings.Contains(err.Error(), "the first") {
					t.Errorf("got %v, want a refusal that names the first", err)
				}
			})
			<-refused
		}
	})
	night(t, store, nil) // the first is over
}

func TestKilledAndStartedAgain(t *testing.T) {
	cfg := server.Migrated(t)
	store := clickhousetest.Open(t, cfg)
	var l log
	l.append(play(t, 6, 3, 1).events...)
	ingest(t, store, &l)
	child := exec.CommandContext(t.Context(), os.Args[0])
	// One table at a time, so that no answer is under way: the embedded server does not survive a connection
	// that is reset while it writes.
	child.Env = append(os.Environ(), "GOMAXPROCS=1", fmt.Sprintf("SHOEPROOF_TEST_NIGHT=%s %s", cfg.Addrs[0], cfg.Database))
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if said, err := bufio.NewReader(out).ReadString('\n'); err != nil || said != "one table is done\n" {
		t.Fatalf("the child said %q: %v", said, err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if _, ok, err := store.LastRun(t.Context(), property, day, ""); ok || err != nil {
		t.Fatalf("the killed run left a row: %v", err)
	}
	killed := night(t, store, nil)
	again := night(t, store, nil)
	if killed.Run.ID != again.Run.ID || !bytes.Equal(lines(t, killed), lines(t, again)) ||
		killed.Run.Missing+killed.Run.Extra+killed.Run.Changed != 0 {
		t.Errorf("another result after the kill: %+v, %+v", killed.Run, again.Run)
	}
}

// nightToKill runs until its first table is done, and waits to be killed.
func nightToKill(at string) int {
	addr, database, _ := strings.Cut(at, " ")
	store, err := clickhouse.Open(context.Background(), config(addr, database))
	if err == nil {
		_, err = Run(context.Background(), store, Options{
			Property: property, Days: []string{day}, Workers: 1, Engine: options(), Holder: "the child", Now: time.Now,
			Progress: func(int, int, uint64) {
				fmt.Println("one table is done")
				select {}
			},
		})
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// What comes after the day was audited shows in the next run, as differences, and changes no live row.
func TestLateEvents(t *testing.T) {
	store := database(t)
	f := play(t, 2, 1, 1)
	late := slices.IndexFunc(f.events, func(ev schema.Event) bool {
		_, dealt := ev.Payload.(*schema.CardDealt)
		return dealt && ev.TableID == "t-001" && ev.Round == 5
	})
	var l log
	for i := range f.events {
		if i != late {
			l.append(f.events[i])
		}
	}
	ingest(t, store, &l)
	before := night(t, store, nil)
	if r := before.Run; r.Missing+r.Extra+r.Changed != 0 || r.Gaps != 1 {
		t.Errorf("before: %+v, want a gap and no difference", r)
	}
	live := liveFindings(t, store)

	l.append(f.events[late])
	ingest(t, store, &l)
	after := night(t, store, nil)
	if after.Run.Supersedes != before.Run.ID || after.Run.Extra == 0 || after.Run.Gaps != 0 {
		t.Errorf("after: %+v, want one that supersedes %s, and the hole filled", after.Run, before.Run.ID)
	}
	if r := after.Run; r.Late != r.Missing+r.Extra {
		t.Errorf("%d of %d differences follow from the late event", r.Late, r.Missing+r.Extra)
	}
	for _, rule := range []string{"feed.gap", "feed.late"} {
		if !slices.ContainsFunc(after.Withdrawn, func(w clickhouse.Withdrawal) bool {
			return w.Rule == rule && w.Action == clickhouse.Withdraw && strings.Contains(w.Reason, "arrived after")
		}) {
			t.Errorf("no %s in %+v", rule, after.Withdrawn)
		}
	}
	now := liveFindings(t, store)
	for i := range live {
		if !slices.ContainsFunc(now, func(f finding.Finding) bool { return gocmp.Equal(f, live[i]) }) {
			t.Errorf("a live row was changed: %s", brief(&live[i]))
		}
	}
	checkCurrent(t, store, after)
	if again := night(t, store, nil); again.Run.ID != after.Run.ID || again.Run.Supersedes != before.Run.ID {
		t.Errorf("again: %+v, want the same run", again.Run)
	}
}

// checkCurrent compares the findings that are not withdrawn, and the open ones, with the findings of a run.
func checkCurrent(t *testing.T, store *clickhouse.Store, run *Night) {
	t.Helper()
	if len(run.Records) > 0 {
		t.Errorf("records of the console: %q", run.Records)
	}
	stored, err := store.Findings(t.Context(), clickhouse.Filter{PropertyID: property, GamingDay: day})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]*finding.Finding{}
	for i := range run.Findings {
		want[run.Findings[i].ID] = &run.Findings[i]
	}
	for i := range stored {
		f := &stored[i]
		switch w := want[f.ID]; {
		case w == nil:
			t.Errorf("the run does not find it, or it is stored twice, and it is not withdrawn: %s", brief(f))
		case !finding.Same(f, w):
			t.Errorf("the run finds %s, stored is %s", brief(w), brief(f))
		}
		delete(want, f.ID)
	}
	for id := range want {
		t.Errorf("the run finds %s, and it is not stored or withdrawn", id)
	}
	checkQueued(t, store, run)
	for view, of := range map[string]string{
		"v_findings": "gaming_day = '" + day + "'", "v_queue": "gaming_day = '" + day + "'",
	} {
		var ids []string
		if err := store.Conn().QueryRow(t.Context(), "SELECT arraySort(groupArray(id)) FROM "+store.Table(view)+" WHERE "+
			of).Scan(&ids); err != nil {
			t.Fatal(err)
		}
		now := idsOf(run.Findings)
		for _, id := range ids {
			if !now[id] {
				t.Errorf("%s has finding %s, which the run does not find", view, id)
			}
		}
	}
	if problems, err := store.ProveQueue(t.Context(), property); err != nil || len(problems) > 0 {
		t.Errorf("the queue is not proven: %q, %v", problems, err)
	}
}

// checkQueued compares the contents of the open findings with the findings of a run.
func checkQueued(t *testing.T, store *clickhouse.Store, run *Night) {
	t.Helper()
	want := map[string]string{}
	for i := range run.Findings {
		f := &run.Findings[i]
		want[f.ID] = fmt.Sprintf("%s %s %s", f.Severity, f.Verdict, f.Observed)
	}
	var open []struct{ ID, Text string }
	if err := store.Conn().Select(t.Context(), &open, "SELECT id AS ID, concat(severity, ' ', verdict, ' ', observed) "+
		"AS Text FROM "+store.Table("v_queue")+" WHERE gaming_day = '"+day+"'"); err != nil {
		t.Fatal(err)
	}
	for _, q := range open {
		if q.Text != want[q.ID] {
			t.Errorf("the queue has finding %s as %q, want %q once", q.ID, q.Text, want[q.ID])
		}
		delete(want, q.ID)
	}
}

// A run finds a hole that the live audit still waits for. The event comes; the next run withdraws what followed from
// the hole. The event comes twice more, which changes nothing; a finding that is found again is restored.
func TestWithdrawn(t *testing.T) {
	store := database(t)
	f := play(t, 1, 1, 1)
	late, end := len(f.events)-40, len(f.events)-12 // before the table closes
	var l log
	l.append(f.events[:late]...)
	l.append(f.events[late+1 : end]...)
	ingestOpen(t, store, &l, uint64(end-1))
	before := night(t, store, nil)
	if r := before.Run; r.Gaps != 1 || r.Missing == 0 {
		t.Fatalf("before: %+v, want a gap that the live audit does not have", r)
	}
	checkCurrent(t, store, before)
	l.append(f.events[late])
	ingest(t, store, &l)
	after := night(t, store, nil)
	if r := after.Run; r.Gaps+r.Missing+r.Extra+r.Changed != 0 || r.Supersedes != before.Run.ID {
		t.Errorf("after: %+v", r)
	}
	if len(after.Withdrawn) < 2 {
		t.Errorf("withdrawn: %+v, want the gap and the differences", after.Withdrawn)
	}
	for _, w := range after.Withdrawn {
		if !strings.Contains(w.Reason, before.Run.ID) || !strings.Contains(w.Reason, after.Run.ID) {
			t.Errorf("reason %q names no run", w.Reason)
		}
	}
	checkCurrent(t, store, after)
	kept, err := store.Findings(t.Context(), clickhouse.Filter{PropertyID: property, Withdrawn: true})
	if err != nil || len(kept) < len(before.Findings) {
		t.Errorf("%d rows are kept, want those of the first run: %v", len(kept), err)
	}
	if again := night(t, store, nil); len(again.Withdrawn) != 0 || again.Run.ID != after.Run.ID {
		t.Errorf("again: %+v", again)
	}
	// A withdrawal that no run has a reason for is undone.
	if len(after.Findings) == 0 {
		t.Fatal("no finding is left")
	}
	forged := clickhouse.Withdrawal{
		Property: property, Finding: after.Findings[0].ID, At: time.Now().UnixNano(), Action: clickhouse.Withdraw,
		Reason: "none of your business", Run: "forged", GamingDay: day,
	}
	log := triage.On(store, time.Now)
	if err := Withdraw(t.Context(), log, property, []clickhouse.Withdrawal{forged}, time.Now); err != nil {
		t.Fatal(err)
	}
	undone := night(t, store, nil)
	if len(undone.Withdrawn) != 1 || undone.Withdrawn[0].Action != clickhouse.Restore {
		t.Errorf("undone: %+v", undone.Withdrawn)
	}
	checkCurrent(t, store, undone)
	// A row that the log does not have is undone, and reported.
	forged.At, forged.Hash = time.Now().UnixNano(), ""
	if err := store.WriteWithdrawals(t.Context(), property, []clickhouse.Withdrawal{forged}); err != nil {
		t.Fatal(err)
	}
	if n := night(t, store, nil); len(n.Withdrawn) != 1 || len(n.Records) != 1 ||
		!strings.Contains(n.Records[0], "withdrawals without a hash: 1 rows") {
		t.Errorf("forged: %+v, %q", n.Withdrawn, n.Records)
	}
}

func liveFindings(t *testing.T, store *clickhouse.Store) []finding.Finding {
	t.Helper()
	list, err := store.Findings(t.Context(), clickhouse.Filter{
		PropertyID: property, GamingDay: day, Live: true, Withdrawn: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// One finding is missing in the live audit, one is there alone, and one differs.
func TestDifferences(t *testing.T) {
	store := database(t)
	f := play(t, 3, 3, 1)
	var l log
	l.append(f.events...)
	ingest(t, &forger{Store: store}, &l)
	res := night(t, store, nil)
	if r := res.Run; r.Missing != 1 || r.Extra != 1 || r.Changed != 1 {
		t.Errorf("missing %d, extra %d, changed %d, want one of each", r.Missing, r.Extra, r.Changed)
	}
}

// forger changes the findings of breaches: the first is lost, the second repeated under another id, the third has other
// contents.
type forger struct {
	*clickhouse.Store
	mu   sync.Mutex
	seen int
}

func (f *forger) Write(ctx context.Context, set ...*pipeline.Batch) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range set {
		f.forge(b)
	}
	return f.Store.Write(ctx, set...)
}

func (f *forger) forge(b *pipeline.Batch) {
	var kept []finding.Finding
	for _, found := range b.Findings {
		if found.Severity != finding.Info {
			f.seen++
			switch f.seen {
			case 1:
				continue
			case 2:
				other := found
				other.ID = strings.Repeat("0", 32)
				kept = append(kept, other)
			case 3:
				found.Observed = "nothing to speak of"
			}
		}
		kept = append(kept, found)
	}
	b.Findings = kept
}

// Days that are audited in one go give what each gives alone, also where shoes reach over the rollover.
func TestSeveralDays(t *testing.T) {
	store := database(t)
	f := playFrom(t, 9, 6, 3, time.Date(2026, 11, 20, 10, 15, 0, 0, time.UTC)) // 45 minutes before the rollover
	var l log
	l.append(f.events...)
	ingest(t, store, &l)
	days := []string{"2026-11-18", day, "2026-11-20"}
	res, err := Run(t.Context(), store, Options{
		Property: property, Days: days, Workers: 1, Engine: options(),
		Holder: t.Name(), Now: time.Now,
	})
	if err != nil || len(res.Nights) != 2 || !slices.Equal(res.Nothing, days[:1]) {
		t.Fatalf("%d nights, nothing on %v: %v", len(res.Nights), res.Nothing, err)
	}
	events := uint64(0)
	for i := range res.Nights {
		whole := &res.Nights[i]
		alone := night(t, store, func(o *Options) { o.Days = days[i+1 : i+2] })
		if alone.Run.ID != whole.Run.ID || !bytes.Equal(lines(t, alone), lines(t, whole)) || len(whole.Findings) == 0 {
			t.Errorf("%s alone: %+v\nwith others: %+v", days[i+1], alone.Run, whole.Run)
		}
		if alone.Run.Missing+alone.Run.Extra+alone.Run.Changed+alone.Run.OpenShoes != 0 {
			t.Errorf("%s: %+v, want no difference and no open shoe", days[i+1], alone.Run)
		}
		events += alone.Run.Events
	}
	if events != uint64(len(f.events)) {
		t.Errorf("%d events in both days, want %d", events, len(f.events))
	}
	shift := night(t, store, func(o *Options) { o.Days, o.Shift = days[1:2], "night" })
	if !bytes.Equal(lines(t, shift), lines(t, &res.Nights[0])) {
		t.Error("the night shift is all that was played on the day, and has other findings")
	}
	_, err = Run(t.Context(), store, Options{
		Property: property, Days: days[1:2], Shift: "day", Workers: 1,
		Engine: options(), Holder: t.Name(), Now: time.Now,
	})
	if !errors.Is(err, ErrNothing) {
		t.Errorf("a shift in which nobody played: %v", err)
	}
}

// A table that played on the day before and not on the day is named, by a run of both days and by one of each.
func TestVanishedTables(t *testing.T) {
	store := database(t)
	events := play(t, 2, 0, 1).events
	for _, ev := range playFrom(t, 1, 0, 1, opens.Add(24*time.Hour)).events {
		ev.TableID = "t-new"
		events = append(events, ev)
	}
	var l log
	l.append(events...)
	ingest(t, store, &l)
	days := []string{day, "2026-11-20"}
	both, err := Run(t.Context(), store, Options{
		Property: property, Days: days, Workers: 1, Engine: options(), Holder: t.Name(), Now: time.Now,
	})
	if err != nil || len(both.Nights) != 2 {
		t.Fatalf("%d nights: %v", len(both.Nights), err)
	}
	for i, want := range [][]string{nil, {"t-000", "t-001"}} {
		alone := night(t, store, func(o *Options) { o.Days = days[i : i+1] })
		if !slices.Equal(both.Nights[i].Vanished, want) || !slices.Equal(alone.Vanished, want) {
			t.Errorf("%s: %q with the other day, %q alone, want %q", days[i], both.Nights[i].Vanished, alone.Vanished, want)
		}
	}
}

// A night that begins where each table was remembered before the day gives what one gives that begins with its
// first event, and reads less; so it is with late, repeated and renumbered events on both sides of the memories.
func TestBeginsAtTheMemory(t *testing.T) {
	played := playFrom(t, 6, 4, 4, time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)).events // three hours before the rollover
	bent := slices.Clone(played)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 16 { // some events come much later, some twice
		i := rng.IntN(len(bent) - 4000)
		ev := bent[i]
		if rng.IntN(2) == 0 {
			bent = slices.Delete(bent, i, i+1)
		}
		bent = slices.Insert(bent, i+rng.IntN(4000), ev)
	}
	renumbered := slices.Clone(played)
	first, numbers := map[string]string{}, map[string]uint64{}
	for i := range renumbered {
		ev := &renumbered[i]
		if first[ev.TableID] == "" {
			first[ev.TableID] = ev.ShoeID
		} else if ev.ShoeID != "" && ev.ShoeID != first[ev.TableID] && numbers[ev.TableID] == 0 {
			numbers[ev.TableID] = ev.Seq - 1 // from its second shoe on, a table restarts its sequence
		}
		ev.Seq -= numbers[ev.TableID]
	}
	for name, events := range map[string][]schema.Event{
		"in order": played, "late and twice": bent,
		"renumbered": renumbered,
	} {
		for _, stretch := range []int64{0, 700} {
			if testkit.Soak(stretch == 0 != (name == "in order"), false) {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d", name, stretch), func(t *testing.T) {
				store := database(t)
				var l log
				l.append(events...)
				err := pipeline.Run(t.Context(), &l, store, pipeline.RunOptions{
					NewStep: func() pipeline.Step {
						o := options()
						o.Stretch = stretch
						return auditor.New(o)
					},
					Now: time.Now, FlushRows: 20_000, FlushEvery: time.Minute,
				})
				if err != nil {
					t.Fatal(err)
				}
				for _, day := range []string{day, "2026-11-20"} {
					var nights [2]Result
					for i, whole := range []bool{true, false} {
						nights[i], err = Run(t.Context(), store, Options{
							Property: property, Days: []string{day}, Workers: 1, Whole: whole, Engine: options(), Holder: t.Name(),
							Now: time.Now,
						})
						if err != nil {
							t.Fatal(err)
						}
					}
					whole, begun := &nights[0].Nights[0], &nights[1].Nights[0]
					if whole.Run.ID != begun.Run.ID || !bytes.Equal(lines(t, whole), lines(t, begun)) {
						t.Errorf("%s: from the first event %+v\nfrom the memory %+v\n%s", day, whole.Run, begun.Run,
							gocmp.Diff(string(lines(t, whole)), string(lines(t, begun))))
					}
					if fewer := nights[1].Replayed < nights[0].Replayed; day != "2026-11-20" && fewer || day == "2026-11-20" &&
						!fewer {
						t.Errorf("%s: %d events from the first, %d from the memory", day, nights[0].Replayed, nights[1].Replayed)
					}
					t.Logf("%s: %d findings, %d events of the day; folded %d from the first, %d from the memory", day,
						begun.Run.Findings, begun.Run.Events, nights[0].Replayed, nights[1].Replayed)
				}
			})
		}
	}
}
