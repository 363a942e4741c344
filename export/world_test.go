package export

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/engine/calendar"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"

	"golang.org/x/mod/sumdb/note"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

const origin = "audit.example/ac-1/findings"

// world is a floor of some tables: what they played, and what the audit made of it.
type world struct {
	day      Day
	events   map[string][]Event // by table
	findings map[string]finding.Finding
	rounds   []Round
}

// shipped are the rulebooks, loaded once.
var shipped = sync.OnceValues(rules.Shipped)

// newWorld plays tables with a planted fault each.
func newWorld(t testing.TB, property string, tables int) *world {
	t.Helper()
	books, err := shipped()
	if err != nil {
		t.Fatal(err)
	}
	calendar, err := calendar.Default()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{events: map[string][]Event{}, findings: map[string]finding.Finding{}}
	faults := slices.DeleteFunc(fault.All(), func(f fault.Fault) bool { return f.Off })
	for i := range tables {
		o := deal.Options{
			Property: property, Pit: "p1", Table: fmt.Sprintf("PB-%02d", i+1), Seed: uint64(i + 1),
			Start: time.Date(2026, 11, 19, 18, i, 0, 0, time.UTC), Flawless: true,
		}
		events, _, err := fault.Plant(o, faults[i*7%len(faults)], uint64(i+1))
		if err != nil {
			t.Fatal(err)
		}
		for j := range events {
			table := events[j].TableID
			at := int64(1000*i + j)
			w.events[table] = append(w.events[table], Event{"table-events", int32(i % 3), at, events[j].Clone(), false, false})
		}
	}
	w.day = Day{
		Property: property, GamingDay: "2026-11-19", Calendar: calendar, Books: maps.Clone(books), Engine: "shoeproof@test",
		Binary:  "00ff",
		Cluster: "cluster-1", Licensee: "Example Casino LLC", Form: "Daily exception report of baccarat",
		Mask: func(ref string) string { return fmt.Sprintf("%032x", len(ref)) }, MaskKey: "k1",
		From:      schema.Time(time.Date(2026, 11, 19, 11, 0, 0, 0, time.UTC).UnixNano()),
		Until:     schema.Time(time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC).UnixNano()),
		Retention: Retention{Years: 10, Until: "2036-11-20"},
		Sections: []Section{{
			Title: "Drop, win and hold", Columns: []string{"Table", "Drop", "Win", "Hold"},
			Rows:     [][]string{{"PB-01", "1000.00", "12.50", "1.25 %"}},
			Formulas: []string{"hold = win / drop"},
		}},
		Triage: map[string]Triage{},
	}
	w.audit(t)
	w.day.Findings = w.allFindings
	w.day.Events = w.eventsOf
	w.day.Rounds = func(yield func(*Round, error) bool) {
		for i := range w.rounds {
			if !yield(&w.rounds[i], nil) {
				return
			}
		}
	}
	w.day.Coverage = func([]Span) ([]Coverage, error) {
		var all []Coverage
		for p := range int32(3) {
			all = append(all, Coverage{Topic: "table-events", Partition: p, First: 0, Last: 1 << 40, Records: 9})
		}
		all[1].DeadLetters = []DeadLetter{{17, "no event"}}
		all[2].Gaps = [][2]int64{{18, 20}}
		return all, nil
	}
	return w
}

// audit runs the engine over what was played.
func (w *world) audit(t testing.TB) {
	t.Helper()
	clear(w.findings)
	w.rounds = nil
	for _, table := range slices.Sorted(maps.Keys(w.events)) {
		e := engine.New(engine.Options{Books: w.day.Books, Calendar: w.day.Calendar, Version: w.day.Engine})
		var b pipeline.Batch
		for i := range w.events[table] {
			ev := &w.events[table][i]
			e.Apply(&pipeline.Record{Offset: ev.Offset, Format: schema.JSON, Value: schema.AppendJSON(nil, &ev.Event)}, ev.Topic,
				ev.Partition, &b.Set)
		}
		e.Finish(&b.Set)
		for _, f := range b.Findings {
			w.findings[f.ID] = f
		}
		r := &b.Rounds
		for i := range r.Round {
			w.rounds = append(w.rounds, Round{
				PropertyID: r.PropertyID[i], PitID: r.PitID[i], TableID: r.TableID[i], ShoeID: r.ShoeID[i], Round: r.Round[i],
				At:        r.At[i],
				GamingDay: r.GamingDay[i], Shift: r.Shift[i], Result: r.Result[i], Cards: string(r.Cards.At(i)),
				Staked: r.Staked[i],
				Paid:   r.Paid[i], Auditable: r.Auditable[i], Wagers: r.Wagers[i],
			})
		}
	}
	if len(w.findings) == 0 || len(w.rounds) == 0 {
		t.Fatalf("%d findings, %d rounds: the floor shows nothing", len(w.findings), len(w.rounds))
	}
}

// allFindings gives them in no order, as a map has none.
func (w *world) allFindings(yield func(*finding.Finding, error) bool) {
	for _, f := range w.findings {
		if !yield(&f, nil) {
			return
		}
	}
}

func (w *world) eventsOf(table string, _, _ uint64) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		for i := range w.events[table] {
			if !yield(&w.events[table][i], nil) {
				return
			}
		}
	}
}

// first is the finding with the least id.
func (w *world) first() finding.Finding {
	return w.findings[slices.Min(slices.Collect(maps.Keys(w.findings)))]
}

type zeros struct{ seed byte }

func (z zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = z.seed
	}
	return len(p), nil
}

// keyOf is a key that is the same in every run.
func keyOf(t testing.TB, origin string, seed byte) (note.Signer, string) {
	t.Helper()
	skey, vkey, err := note.GenerateKey(io.Reader(zeros{seed}), origin)
	if err != nil {
		t.Fatal(err)
	}
	s, err := note.NewSigner(skey)
	if err != nil {
		t.Fatal(err)
	}
	return s, vkey
}

func policyOf(t testing.TB, vkeys ...string) *Policy {
	t.Helper()
	text := "quorum none\n"
	for _, k := range vkeys {
		text += "log " + k + "\n"
	}
	p, err := ParsePolicy([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// casino is a log with its key.
type casino struct {
	*world
	dir    string
	signer note.Signer
	policy *Policy
}

func newCasino(t testing.TB, property string, tables int) *casino {
	t.Helper()
	signer, vkey := keyOf(t, "audit.example/"+property+"/findings", 7)
	return &casino{newWorld(t, property, tables), t.TempDir(), signer, policyOf(t, vkey)}
}

// export makes the next export and gives its path.
func (c *casino) export(t testing.TB, folder bool) string {
	t.Helper()
	done, err := c.try(t.Context(), folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	return done.Path
}

func (c *casino) try(ctx context.Context, folder bool, failpoint func(string) error) (*Done, error) {
	l, err := OpenLog(filepath.Join(c.dir, "log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = l.Close() }()
	if failpoint != nil {
		l.failpoint = failpoint
	}
	return l.Export(ctx, &c.day, c.signer, Target{filepath.Join(c.dir, "out"), folder})
}

func (c *casino) verify(t testing.TB, path string, opt VerifyOptions) *Verdict {
	t.Helper()
	if opt.Policy == nil {
		opt.Policy = c.policy
	}
	opt.Engine = cmp.Or(opt.Engine, c.day.Engine)
	v, err := Verify(t.Context(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (c *casino) last() string { return filepath.Join(c.dir, "accepted.json") }

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
