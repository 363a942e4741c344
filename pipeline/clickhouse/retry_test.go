//go:build unix

package clickhouse

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/internal/testkit/proxy"
	"github.com/shoeproof/shoeproof/pipeline"
)

func named(name, value string) any { return clickhouse.Named(name, value) }
func emptyIsNil() gocmp.Option     { return cmpopts.EquateEmpty() }

// A wire is a connection to the server that can fail.
type wire struct {
	*proxy.Proxy
	denied atomic.Bool // closes every new connection
	mute   atomic.Bool // drops all answers

	// lose, if not nil, is called once a connection has sent a block, and from then on its
	// answers are dropped; when it returns the connection is cut. True repeats it.
	mu   sync.Mutex
	lose func() bool
	cuts int
}

// block is more than a connection sends before the rows.
const block = 100_000

func newWire(t *testing.T, target string) *wire {
	t.Helper()
	w := &wire{}
	w.Proxy = testkit.Proxy(t, proxy.Options{Target: target, Connect: w.connect})
	return w
}

func (w *wire) connect(_ context.Context, c *proxy.Conn) bool {
	var lost atomic.Bool
	c.Answer = func(piece []byte) ([]byte, error) {
		if lost.Load() || w.mute.Load() {
			return nil, nil
		}
		return piece, nil
	}
	sent := 0
	c.Request = func(piece []byte) ([]byte, error) {
		if sent += len(piece); sent > block && !lost.Load() && w.cut(c) {
			lost.Store(true)
		}
		return piece, nil
	}
	return !w.denied.Load()
}

// cut starts lose, if it is set.
func (w *wire) cut(c *proxy.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	lose := w.lose
	if lose == nil {
		return false
	}
	w.lose = nil
	w.cuts++
	go func() {
		if lose() {
			w.mu.Lock()
			w.lose = lose
			w.mu.Unlock()
		}
		c.Cut()
	}()
	return true
}

// wide is a batch whose events make a block that the wire notices.
func wide() *pipeline.Batch {
	b := fullBatch()
	noise := make([]byte, 2*block)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	b.Events.Raw.Reset()
	b.Events.Raw.Append(noise)
	for range kindsOfRows - 1 {
		b.Events.Raw.Append(nil)
	}
	return b
}

// The server stored the rows and the answer was lost, twice: they are there once.
func TestLostAnswer(t *testing.T) {
	cfg := migrated(t)
	direct := open(t, cfg)
	w := newWire(t, cfg.Addrs[0])
	log := &testkit.Log{}
	cfg.Addrs, cfg.Log = []string{w.Addr().String()}, slog.New(slog.NewTextHandler(log, nil))
	s := open(t, cfg)
	w.lose = func() bool {
		testkit.Await(t, "the rows", func() bool { return rowsOf(t, direct, "events") > 0 })
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.cuts < 2
	}
	b, began := wide(), time.Now()
	write(t, s, b)
	took := time.Since(began)
	w.mu.Lock()
	cuts := w.cuts
	w.mu.Unlock()
	if cuts != 2 {
		t.Errorf("%d answers were lost, want 2: the test tests nothing", cuts)
	}
	for table := range batchTables(b) {
		if n := rowsOf(t, s, table); n != kindsOfRows {
			t.Errorf("%s: %d rows, want %d", table, n, kindsOfRows)
		}
	}
	if n := log.Count("trying again"); n < 1 || n > 1+int(took/(10*time.Second)) {
		t.Errorf("%d warnings in %v, want one in 10 s", n, took)
	}
	if inUse, _ := s.Conns(); inUse != 0 {
		t.Errorf("%d connections are still in use", inUse)
	}
}

// All tables but findings are inserted while the insert of events is under way, and findings when the rows of all
// others are there.
func TestFindingsAreInsertedLast(t *testing.T) {
	cfg := migrated(t)
	direct := open(t, cfg)
	release := make(chan struct{})
	var beside, early atomic.Int32
	into := func(table string) {
		switch table {
		case "journal":
		case "events":
			<-release
		case "findings":
			for other := range batchTables(&pipeline.Batch{}) {
				if other != table && rowsOf(t, direct, other) != kindsOfRows {
					early.Add(1)
				}
			}
		default:
			beside.Add(1)
		}
	}
	w := testkit.Proxy(t, proxy.Options{Target: cfg.Addrs[0], Connect: func(_ context.Context, c *proxy.Conn) bool {
		c.Request = func(piece []byte) ([]byte, error) {
			if _, after, ok := strings.Cut(string(piece), "INSERT INTO "+cfg.Database+"."); ok {
				table, _, _ := strings.Cut(after, " ")
				into(table)
			}
			return piece, nil
		}
		return true
	}})
	cfg.Addrs = []string{w.Addr().String()}
	s := open(t, cfg)
	done := make(chan error, 1)
	go func() { done <- s.Write(t.Context(), fullBatch()) }()
	testkit.Await(t, "the inserts beside events", func() bool {
		return beside.Load() == int32(len(batchTables(&pipeline.Batch{}))-2) && rowsOf(t, direct, "evidence") > 0
	})
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n := early.Load(); n > 0 {
		t.Errorf("when findings were inserted, the rows of %d other tables were missing", n)
	}
}

func TestServerAway(t *testing.T) {
	cfg := migrated(t)
	w := newWire(t, cfg.Addrs[0])
	log := &testkit.Log{}
	cfg.Addrs, cfg.Log = []string{w.Addr().String()}, slog.New(slog.NewTextHandler(log, nil))
	s := open(t, cfg)
	w.denied.Store(true)
	w.mute.Store(true)
	s.cfg.InsertTimeout = 2 * time.Second
	done := make(chan error, 1)
	go func() { done <- s.Write(t.Context(), fullBatch()) }()
	testkit.Await(t, "a warning", func() bool { return log.Count("trying again") > 0 })
	w.mute.Store(false)
	w.denied.Store(false)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n := rowsOf(t, s, "findings"); n != kindsOfRows {
		t.Errorf("%d findings, want %d", n, kindsOfRows)
	}
}

func TestWriteIsCancelled(t *testing.T) {
	cfg := migrated(t)
	w := newWire(t, cfg.Addrs[0])
	cfg.Addrs = []string{w.Addr().String()}
	for name, wrong := range map[string]func(){
		"no answer": func() { w.mute.Store(true) },
		"lost answer": func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.lose = func() bool { <-t.Context().Done(); return false }
		},
		"no server": func() { w.denied.Store(true); w.mute.Store(true) },
	} {
		t.Run(name, func(t *testing.T) {
			w.mute.Store(false)
			w.denied.Store(false)
			s := open(t, cfg)
			wrong()
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- s.Write(ctx, wide()) }()
			testkit.Await(t, "the insert to be under way", func() bool { inUse, _ := s.Conns(); return inUse > 0 })
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "outcome unknown") {
				t.Errorf("got %v", err)
			}
			testkit.Await(t, "the connection to be given back", func() bool { inUse, _ := s.Conns(); return inUse == 0 })
		})
	}
}

// contents are the rows of all tables of a batch, as a query sees them.
func contents(t *testing.T, s *Store) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for table := range batchTables(&pipeline.Batch{}) {
		all[table] = value[[]string](t, s, "SELECT arraySort(groupArray(toString(tuple(*)))) FROM "+s.name(table)+" FINAL")
	}
	return all
}

// A real server refuses inserts, for several causes: the insert is retried until it succeeds, one line names the cause
// and the remedy, and then the rows equal the rows of a healthy server.
func TestServerRefuses(t *testing.T) {
	batch := func(to int64) *pipeline.Batch {
		b := fullBatch()
		b.Range.To = to
		return b
	}
	golden := open(t, migrated(t))
	write(t, golden, batch(199))
	want := contents(t, golden)
	alter := func(set, reset string) func(*testing.T, *Store, *Store) (mended func()) {
		return func(t *testing.T, s, direct *Store) func() {
			modify := func(set string) {
				for _, table := range s.tables {
					if err := direct.exec(t.Context(), "ALTER TABLE "+s.name(table.Name)+" MODIFY SETTING "+set); err != nil {
						t.Error(err)
					}
				}
			}
			modify(set)
			return func() { modify(reset) }
		}
	}
	for name, c := range map[string]struct {
		code, mend string
		wrong      func(t *testing.T, s, direct *Store) (mended func())
	}{
		"read-only": {"code: 774", "the table is read-only", alter("table_readonly = 1", "table_readonly = 0")},
		"disk full": {
			"code: 243", "disk is full",
			alter("min_free_disk_bytes_to_perform_insert = 1000000000000000",
				"min_free_disk_bytes_to_perform_insert = 0"),
		},
		"too many parts": {
			"code: 252", "merges do not keep up",
			alter("parts_to_throw_insert = 1, parts_to_delay_insert = 1, max_avg_part_size_for_too_many_parts = 0",
				"parts_to_throw_insert = 3000, parts_to_delay_insert = 1000"),
		},
		"out of memory": {"code: 241", "out of memory", func(t *testing.T, s, direct *Store) func() {
			user, password := s.cfg.User, s.cfg.Password
			s.cfg.User, s.cfg.Password = "cramped", ""
			return func() { s.cfg.User, s.cfg.Password = user, password }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := migrated(t)
			direct := open(t, cfg)
			write(t, direct, batch(198)) // the same keys: there is a part
			var mended func()
			var tries atomic.Int32 // of two inserts at a time
			log := &testkit.Log{}
			cfg.Log = slog.New(slog.NewTextHandler(log, nil))
			cfg.Retried = func(string, error) {
				if tries.Add(1) == 4 {
					mended()
				}
			}
			s := open(t, cfg)
			mended = c.wrong(t, s, direct)
			write(t, s, batch(199))
			if n := tries.Load(); n < 4 {
				t.Errorf("%d tries failed, want 4: the test tests nothing", n)
			}
			if log.Count("level=WARN") != 1 || log.Count(c.code) != 1 || log.Count(c.mend) != 1 {
				t.Errorf("want one warning with %q and %q:\n%s", c.code, c.mend, log.String())
			}
			if diff := gocmp.Diff(want, contents(t, direct)); diff != "" {
				t.Errorf("rows (-want +got):\n%.2000s", diff)
			}
		})
	}
}
