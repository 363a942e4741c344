package engine_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"hash/maphash"
	"iter"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/script"
)

// TestMain collects garbage less often than usual: the tests make many short-lived engines beside few lasting values.
// The benchmarks keep the setting of production.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}

// foreign switches on, in each game, the rules that come from other states and that no shipped book has.
const foreign = `    rules:
      external.limit-change-notice: {cite: [COMAR]}
      external.match-play.one-per-round: {cite: [58 Pa. Code]}
`

// allRules are options under which the rules that ship switched off are evaluated too.
var allRules = sync.OnceValue(func() engine.Options {
	files, err := filepath.Glob("../law/rulebooks/*.yaml")
	if err != nil {
		panic(err)
	}
	books := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		data = bytes.ReplaceAll(data, []byte(", off: true"), nil)
		books[file] = bytes.ReplaceAll(data, []byte("    rules:\n"), []byte(foreign))
	}
	o := enginetest.Options()
	if o.Books, err = rules.Load(books); err != nil {
		panic(err)
	}
	return o
})

// replay folds events, encoded as they would arrive, and returns all that came of them.
func replay(t testing.TB, events []schema.Event) *rows.Set {
	t.Helper()
	return replayWith(t, enginetest.Options(), events)
}

func replayWith(t testing.TB, options engine.Options, events []schema.Event) *rows.Set {
	t.Helper()
	b := &rows.Set{}
	replayInto(t, options, events, b)
	return b
}

func replayInto(t testing.TB, options engine.Options, events []schema.Event, b *rows.Set) {
	t.Helper()
	replayRecords(t, options, func(yield func(*engine.Record, error) bool) {
		for record := range engine.Records(events) {
			record.SHA256 = digest(record.Value)
			if !yield(record, nil) {
				return
			}
		}
	}, b)
}

// replayValues replays events that are encoded.
func replayValues(t testing.TB, options engine.Options, values [][]byte, b *rows.Set) {
	t.Helper()
	replayRecords(t, options, func(yield func(*engine.Record, error) bool) {
		record := engine.Record{Format: schema.Protobuf}
		for i := range values {
			record.Offset, record.Value, record.SHA256 = int64(i), values[i], digest(values[i])
			if !yield(&record, nil) {
				return
			}
		}
	}, b)
}

// digest tells values apart as SHA-256 does, in a tenth of the time.
func digest(value []byte) (sum [32]byte) {
	binary.LittleEndian.PutUint64(sum[:], maphash.Bytes(hashing, value))
	return sum
}

var hashing = maphash.MakeSeed()

func replayRecords(t testing.TB, options engine.Options, records iter.Seq2[*engine.Record, error], b *rows.Set) {
	t.Helper()
	if err := engine.New(options).Replay(records, b, nil); err != nil {
		t.Error(err)
	}
	compareTables(options, b)
	for _, d := range b.DeadLetters {
		t.Errorf("dead letter %d: %s", d.Offset, d.Reason)
	}
}

// compareTables adds the findings about the tables of the floor against each other.
func compareTables(options engine.Options, b *rows.Set) {
	floor := engine.NewFloor(options)
	floor.NoteAll(b)
	b.Findings = finding.Latest(append(b.Findings, floor.Findings()...))
}

// eachFixture runs a test for each legal shoe of the fixtures, in parallel.
func eachFixture(t *testing.T, run func(*testing.T, []schema.Event)) {
	t.Helper()
	for _, name := range script.Fixtures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events, err := script.Fixture(name)
			if err != nil {
				t.Fatal(err)
			}
			run(t, events)
		})
	}
}

func TestFixturesAreSilent(t *testing.T) {
	eachFixture(t, func(t *testing.T, events []schema.Event) {
		b := replay(t, events)
		for _, f := range b.Findings {
			if f.Rule == "irreg.error-remedied" {
				continue // an irregularity that was handled rightly
			}
			t.Errorf(
				"%s %s round %d seat %d %s: want %s, got %s (seqs %v)", f.Severity, f.Rule, f.Round, f.Seat,
				f.Subject, f.Expected, f.Observed, f.Evidence.Seqs,
			)
		}
		if len(b.Shoes) == 0 || len(b.Rounds.Round) < 6 {
			t.Errorf("%d shoes and %d rounds, want the whole of one shoe", len(b.Shoes), len(b.Rounds.Round))
		}
	})
}
