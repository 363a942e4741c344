//go:build unix

package console

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/engine/calendar"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/clickhousetest"
	"github.com/shoeproof/shoeproof/console/store"
	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/internal/testkit/proxy"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	simulated "github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

func TestMain(m *testing.M) {
	engine.HostClickHouse()
	if addr := os.Getenv(aloneEnv); addr != "" {
		if err := serveAlone(addr); err != nil {
			fmt.Fprintln(os.Stderr, "console:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// Most tests wait for a browser or for ClickHouse.
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		if err := f.Value.Set(strconv.Itoa(max(4, runtime.GOMAXPROCS(0)))); err != nil {
			panic(err)
		}
	}
	code := server.Run(m)
	stopChromium()
	os.Exit(code)
}

// server is the ClickHouse of this test binary; each test has a separate database.
var server clickhousetest.Server

// emptyStore returns a database with the schema and no rows.
func emptyStore(t testing.TB) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), server.Migrated(t), clickhouse.Config{}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// filledBehind fills a database, and opens it through a proxy that passes each piece of an answer when pass returns.
// The context ends with the connection.
func filledBehind(t testing.TB, conns int, pass func(context.Context) error) *store.Store {
	t.Helper()
	cfg := server.Migrated(t)
	direct, err := store.Open(t.Context(), cfg, clickhouse.Config{}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = direct.Close() })
	fill(t, direct, "ac-1", 2, 0)
	p := testkit.Proxy(t, proxy.Options{Target: cfg.Addrs[0], Connect: func(ctx context.Context, c *proxy.Conn) bool {
		c.Answer = func(piece []byte) ([]byte, error) { return piece, pass(ctx) }
		return true
	}})
	cfg.Addrs, cfg.MaxConns = []string{p.Addr().String()}, conns
	s, err := store.Open(t.Context(), cfg, clickhouse.Config{}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func options(t testing.TB) auditor.Options {
	t.Helper()
	o, err := lawOf()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// lawOf loads the rulebooks once: they are read-only.
var lawOf = sync.OnceValues(func() (auditor.Options, error) {
	books, err := rules.Shipped()
	if err != nil {
		return auditor.Options{}, err
	}
	calendar, err := calendar.Default()
	return auditor.Options{
		Books: books, Calendar: calendar, PatronKey: []byte("0123456789abcdef"), Version: "shoeproof@test",
	}, err
})

// floor ingests the events of simulated tables.
type floor struct {
	t      testing.TB
	engine *auditor.Engine
	sink   pipeline.Sink
	next   int64
	topic  string
}

var topics atomic.Int64

func newTestFloor(t testing.TB, sink pipeline.Sink) *floor {
	topic := fmt.Sprintf("table-events-%d", topics.Add(1))
	return &floor{t: t, engine: auditor.New(options(t)), sink: sink, topic: topic}
}

// play ingests events.
func (f *floor) play(events []schema.Event) {
	f.t.Helper()
	b := &pipeline.Batch{}
	from := f.next
	for i := range events {
		format, value := schema.Protobuf, schema.AppendProto(nil, &events[i])
		if i%3 == 0 {
			format, value = schema.JSON, schema.AppendJSON(nil, &events[i])
		}
		f.engine.Apply(&pipeline.Record{Offset: f.next, Format: format, Value: value}, f.topic, 0, &b.Set)
		f.next++
	}
	f.engine.Finish(&b.Set)
	b.Range = pipeline.Range{Topic: f.topic, From: from, To: f.next - 1, Records: uint64(len(events))}
	if err := f.sink.Write(f.t.Context(), b); err != nil {
		f.t.Fatal(err)
	}
}

// fill plays a property: tables with one fault each, and legal tables.
func fill(t testing.TB, s *store.Store, property string, faults, legal int) {
	t.Helper()
	f := newTestFloor(t, s.Store)
	start := time.Now().Add(-50 * time.Minute)
	all := fault.All()
	for i := range faults {
		broken := all[(i*7)%len(all)]
		table := simulated.Options{
			Property: property, Pit: fmt.Sprintf("p%d", 1+i/8), Table: fmt.Sprintf("mb-%02d", i+1), Seed: uint64(i),
			Start: start,
		}
		events, _, err := fault.Plant(table, broken, uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		f.play(events)
	}
	kinds := simulated.Kinds()
	for i := range legal {
		o := simulated.Options{
			Property: property, Pit: "p9", Table: fmt.Sprintf("pb-%02d", i+1), Seed: uint64(1000 + i), Start: start,
		}
		config, err := simulated.Config(kinds[i%len(kinds)], o.Seed)
		if err != nil {
			t.Fatal(err)
		}
		o.Config = config
		table := simulated.NewTable(o)
		events := append(table.Open(), table.Shoe()...)
		second := table.Shoe()
		f.play(append(events, second[:len(second)*2/3]...))
	}
}

// served is a console behind a test server.
type served struct {
	*Console
	url    string
	server *httptest.Server
}

func serve(t testing.TB, s *store.Store, change func(*Options)) *served {
	t.Helper()
	c := still(t, s, change)
	ctx, cancel := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	wait.Go(func() { _ = c.Run(ctx) })
	t.Cleanup(func() { c.server.CloseClientConnections(); cancel(); wait.Wait() })
	return c
}

// still is a console that reads the queue with a request only: no page of it is live.
func still(t testing.TB, s *store.Store, change func(*Options)) *served {
	t.Helper()
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	u, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Store: s, Law: options(t), PublicURL: u, SignIn: ByChoice, Now: time.Now, Version: "test", High: 1_000_000,
		Log:   slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})),
		Video: Video{Template: "vms://{camera}?t={from}", Keep: 7, KeepCritical: 30},
	}
	if change != nil {
		change(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	h, err := c.Handler()
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle("/", h)
	return &served{Console: c, url: srv.URL, server: srv}
}

// resetLimits clears the request counts, but not the counts of refusals, which bound the rows of the log: thousands of
// rows take minutes.
func (s *served) resetLimits() {
	for _, l := range []*limits{s.limits, s.strangers} {
		l.mu.Lock()
		maps.DeleteFunc(l.periods, func(key string, _ *period) bool { return !strings.HasPrefix(key, "refused ") })
		l.mu.Unlock()
	}
}

// legal returns a table of legal play under the first rulebook that has not opened, with its options.
func legal(t testing.TB, o simulated.Options) *simulated.Table {
	t.Helper()
	var err error
	if o.Config, err = simulated.Config(simulated.Kinds()[0], o.Seed); err != nil {
		t.Fatal(err)
	}
	return simulated.NewTable(o)
}

// planted returns the events of a table with a breach of a rule.
func planted(t testing.TB, property, table, rule string) []schema.Event {
	t.Helper()
	for _, f := range fault.All() {
		if f.Rule == rule {
			events, _, err := fault.Plant(simulated.Options{
				Property: property, Pit: "p1", Table: table, Seed: 5, Start: time.Now().Add(-20 * time.Minute),
			}, f, 5)
			if err != nil {
				t.Fatal(err)
			}
			return events
		}
	}
	t.Fatalf("no fault for rule %s", rule)
	return nil
}

func esc(s string) string   { return url.PathEscape(s) }
func query(s string) string { return url.QueryEscape(s[:min(len(s), 200)]) }

// axeSource returns the script of axe-core, which `make engines` fetches, or an empty text.
func axeSource(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(cache, "shoeproof", "engines", "axe-core-"+axeVersion, "axe.min.js"))
	if err != nil {
		t.Logf("NOT RUN: accessibility checks need axe-core: run `make engines`: %v", err)
		return ""
	}
	return string(data)
}

// axeVersion is the release of the npm package axe-core. `make engines` reads it from this line.
const axeVersion = "4.14.1"
