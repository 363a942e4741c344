//go:build unix

package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/finding"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/clickhousetest"
	auditor "github.com/shoeproof/shoeproof/engine"
	auditortest "github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/cheat"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// server is the one ClickHouse of this test binary; each test has a database of its own.
var server clickhousetest.Server

func TestMain(m *testing.M) {
	engine.HostClickHouse()
	os.Exit(server.Run(m))
}

// database is a new database with the schema.
func database(t testing.TB) *clickhouse.Store {
	t.Helper()
	return clickhousetest.Open(t, server.Migrated(t))
}

var options = auditortest.Options

// play sends shoes of a table through the engine into the store.
func play(t testing.TB, s *clickhouse.Store, table, name string, shoes int) *cheat.Label {
	t.Helper()
	return playWith(t, s, table, name, shoes, func(shoe []schema.Event) []schema.Event { return shoe })
}

// playWith is play with a change of the events of each shoe.
func playWith(
	t testing.TB, s *clickhouse.Store, table, name string, shoes int, change func([]schema.Event) []schema.Event,
) *cheat.Label {
	t.Helper()
	o := deal.Options{Property: "ac-1", Pit: "p1", Table: table, Seed: 7}
	var tb *deal.Table
	var label *cheat.Label
	if name == "" {
		config, err := deal.Config("nj-mini", 1)
		if err != nil {
			t.Fatal(err)
		}
		o.Config = config
		tb = deal.NewTable(o)
	} else {
		c, err := cheat.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		cheated := cheat.NewTable(o, cheat.Options{Cheat: c})
		tb, label = cheated.Table, cheated.Label()
	}
	events := tb.Open()
	for range shoes {
		events = append(events, change(tb.Shoe())...)
	}
	events = append(events, tb.Close()...)
	b := &pipeline.Batch{}
	if err := auditor.New(options()).Replay(auditor.Records(events), &b.Set, nil); err != nil {
		t.Fatal(err)
	}
	b.Range = pipeline.Range{Topic: table, To: int64(len(events) - 1), Records: uint64(len(events))}
	if err := s.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return label
}

func count(t *testing.T, s *clickhouse.Store, query string) (n uint64) {
	t.Helper()
	if err := s.Conn().QueryRow(context.Background(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// BenchmarkPass is what a watch takes for the rounds of a floor once it runs, of its own processor time: reading,
// weighing and storing. A thousand tables play some 20 rounds a second.
func BenchmarkPass(b *testing.B) {
	s := database(b)
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	w := newWatcher(s, Options{Property: "ac-1", Patience: 24 * 365 * time.Hour, Engine: options()})
	pass := func(from, to int) (rounds int, took time.Duration) {
		for i := from; i < to; i++ {
			play(b, s, fmt.Sprintf("t-%03d", i), "", 3)
		}
		began := used()
		step, err := w.Pass(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		return step.Rounds, used() - began
	}
	pass(0, 1) // makes the offer
	tables := 1
	rounds, took := 0, time.Duration(0)
	for b.Loop() {
		w.after = clickhouse.Cursor{At: -1} // all tables play at one time: those before are read again
		n, cpu := pass(tables, tables+10)
		rounds, took, tables = rounds+n, took+cpu, tables+10
	}
	b.ReportMetric(float64(rounds)/took.Seconds(), "rounds/CPU-s")
}

// A patron with knowledge of the next result is found over stored facts, and no other patron is; a restarted watch
// stores nothing new; SQL can derive the alarm from the evidence.
func TestWatchFindsPatrons(t *testing.T) {
	s := database(t)
	play(t, s, "t-01", "s1-1", 2)
	play(t, s, "t-02", "", 2)
	w := newWatcher(s, Options{Property: "ac-1", Patience: 24 * 365 * time.Hour, Engine: options()})
	step, err := w.Pass(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", step)
	if step.Shoes != 4 || step.Rounds < 250 || step.Evidence == 0 {
		t.Errorf("looked at %+v, want 4 shoes", step)
	}
	all, err := s.Findings(t.Context(), clickhouse.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	met := false
	for _, f := range all {
		if f.Kind != "anomaly" {
			continue
		}
		t.Logf("%s %s: %s", f.Rule, f.Subject, f.Observed)
		met = met || f.Rule == "d07" && strings.HasPrefix(f.Subject, "patron:")
		if f.TableID == "t-02" {
			t.Errorf("an honest table: %s %s", f.Rule, f.Subject)
		}
		if f.LnE < f.Threshold || f.Odds == "" || len(f.Evidence.EventIDs) == 0 {
			t.Errorf("%s: ln e %v of %v, odds %q, events %v", f.Rule, f.LnE, f.Threshold, f.Odds, f.Evidence.EventIDs)
		}
	}
	if !met {
		t.Error("no finding about the patron who knows")
	}
	if more, err := w.Pass(t.Context()); err != nil || more.Shoes != 0 {
		t.Errorf("a second pass: %+v, %v", more, err)
	}
	evidence, findings := "SELECT count() FROM "+s.Table("evidence")+" FINAL",
		"SELECT count() FROM "+s.Table("findings")+" FINAL"
	before := [2]uint64{count(t, s, evidence), count(t, s, findings)}
	again, err := newWatcher(
		s, Options{Property: "ac-1", Patience: 24 * 365 * time.Hour, Engine: options()},
	).Pass(t.Context())
	if err != nil || again.Shoes != 4 {
		t.Fatalf("started again: %+v, %v", again, err)
	}
	if after := [2]uint64{count(t, s, evidence), count(t, s, findings)}; after != before {
		t.Errorf("%v rows of evidence and findings after a second watch, before %v", after, before)
	}
	// R <- (start + R) e in the logarithm of sums, over the evidence of the patron with the most.
	var key string
	var peak float64
	if err := s.Conn().QueryRow(t.Context(), `SELECT key, arrayMax(arrayCumSum(e)) AS peak FROM
(SELECT key, groupArray(ln_e) AS e FROM (SELECT * FROM `+s.Table("evidence")+` FINAL WHERE detector = 'd07' AND startsWith(key, 'patron:') ORDER BY at, round)
GROUP BY key) ORDER BY peak DESC LIMIT 1`).Scan(&key, &peak); err != nil {
		t.Fatal(err)
	}
	if peak < 17 || !strings.Contains(fmt.Sprint(all), key) {
		t.Errorf("the most evidence is ln %.1f about %s", peak, key)
	}
}

// An open finding about the feed freezes the rounds that it touches, not the shoe.
func TestWatchWaitsForTheFeed(t *testing.T) {
	s := database(t)
	play(t, s, "t-01", "s1-1", 2)
	shoes, err := s.Closed(t.Context(), "ac-1", clickhouse.Cursor{}, 1<<62, 10)
	if err != nil || len(shoes) != 2 {
		t.Fatalf("%d shoes, %v", len(shoes), err)
	}
	fault := finding.Finding{
		ID: strings.Repeat("a", 32), Kind: "data_fault", Verdict: "SUSPECT", Rule: "feed.conflict", Severity: finding.Major,
		Citations: []string{}, PropertyID: "ac-1",
		TableID: "t-01", At: schema.Time(shoes[0].At + 1), Evidence: finding.Evidence{Seqs: []uint64{}, EventIDs: []string{}},
	}
	live := &pipeline.Batch{Range: pipeline.Range{Topic: "faults", To: 1, Records: 1}}
	live.Findings = []finding.Finding{fault}
	if err := s.Write(t.Context(), live); err != nil {
		t.Fatal(err)
	}
	added := fault // a night does not change what the next one scores
	added.ID, added.At = strings.Repeat("b", 32), schema.Time(shoes[1].At+1)
	if err := s.AddFindings(t.Context(), "test", []finding.Finding{added}); err != nil {
		t.Fatal(err)
	}
	shoes, err = s.Closed(t.Context(), "ac-1", clickhouse.Cursor{}, 1<<62, 10)
	if err != nil || len(shoes[0].Faults) != 1 || len(shoes[1].Faults) > 0 {
		t.Fatalf("%+v, %v", shoes, err)
	}
	step, err := newWatcher(s, Options{Property: "ac-1", Patience: time.Hour, Engine: options()}).Pass(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ofShoe := "SELECT count() FROM " + s.Table("evidence") + " FINAL WHERE detector = 'd07' AND shoe_id = "
	n := count(t, s, ofShoe+"'"+shoes[0].Shoe+"'")
	frozen := " AND round = 1"
	m, k := count(t, s, ofShoe+"'"+shoes[1].Shoe+"'"), count(t, s, ofShoe+"'"+shoes[0].Shoe+"'"+frozen)
	if n == 0 || k != 0 || m == 0 {
		t.Errorf("%d rows of evidence of the shoe with a fault, %d in the rounds that it touches, %d of the other; %+v",
			n, k, m, step)
	}
}

// One lost event a shoe freezes the rounds that it touches: a patron who knows each first card is found all the same.
func TestOneLostEventAShoe(t *testing.T) {
	s := database(t)
	playWith(t, s, "t-01", "s2-1", 4, func(shoe []schema.Event) []schema.Event {
		lost := slices.IndexFunc(shoe, func(ev schema.Event) bool { return ev.Round == 30 })
		return slices.Delete(shoe, lost+3, lost+4)
	})
	step, err := newWatcher(s, Options{Property: "ac-1", Patience: time.Hour, Engine: options()}).Pass(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ofRule := "SELECT count() FROM " + s.Table("findings") + " FINAL WHERE rule = "
	if gaps := count(t, s, ofRule+"'feed.gap'"); gaps < 4 {
		t.Errorf("%d findings about lost events, want one a shoe", gaps)
	}
	if found := count(t, s, ofRule+"'d06' AND startsWith(subject, 'patron:')"); found == 0 {
		t.Errorf("no finding about the patron; %+v", step)
	}
	frozen := "SELECT count() FROM " + s.Table("evidence") + " FINAL WHERE detector = 'd06' AND round = "
	if n, m := count(t, s, frozen+"30"), count(t, s, frozen+"33"); n != 0 || m == 0 {
		t.Errorf("%d rows of evidence of the round with the hole, %d of the third after it", n, m)
	}
}

// A restart resumes after the last shoe of the snapshot, with the state of a watch that was never stopped. A feed that
// catches up later is scored too.
func TestResumedWatch(t *testing.T) {
	s := database(t)
	o := Options{Property: "ac-1", Patience: 24 * 365 * time.Hour, Engine: options()}
	pass := func(w *watcher, want int) {
		t.Helper()
		w.lateAt = 0
		if step, err := w.Pass(t.Context()); err != nil || step.Shoes != want {
			t.Fatalf("%+v, %v; want %d shoes", step, err, want)
		}
	}
	play(t, s, "t-01", "s1-0.2", 6)
	w := newWatcher(s, o)
	pass(w, 6)
	if err := w.save(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := newWatcher(s, o)
	pass(again, 0)
	if again.number != 1 || again.after.Shoe != w.after.Shoe {
		t.Errorf("resumed at %+v from snapshot %d, want %+v", again.after, again.number, w.after)
	}
	var a, b bytes.Buffer
	err := errors.Join(w.parts.WriteState(&a), again.parts.WriteState(&b))
	if err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("the restored detectors differ: %d and %d bytes, %v", a.Len(), b.Len(), err)
	}
	// A table whose events come a week late.
	play(t, s, "t-00", "s1-1", 4)
	pass(again, 4)
	late := "SELECT count() FROM " + s.Table("findings") +
		" FINAL WHERE table_id = 't-00' AND rule = 'd07' AND startsWith(subject, 'patron:')"
	if count(t, s, late) == 0 {
		t.Error("nothing is found at the table whose feed caught up late")
	}
	if _, late := again.late["t-00"]; !late || again.after.Shoe != w.after.Shoe {
		t.Errorf("%d tables catch up, the last shoe in order is %+v", len(again.late), again.after)
	}
	// A state of another version is left.
	other := []byte{0xa1, 0x67, 'V', 'e', 'r', 's', 'i', 'o', 'n', 0x18, 0x63}
	err = s.WriteWatchState(t.Context(), "ac-1", clickhouse.LiveState, 2, func(w io.Writer) error {
		_, err := w.Write(other)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	unread := ""
	o.Hooks.Unread = func(err error) { unread = err.Error() }
	pass(newWatcher(s, o), 10)
	if !strings.Contains(unread, "version 99") {
		t.Errorf("a state of another version: %q", unread)
	}
}

// Cards are put in the order in which they were dealt.
func TestHands(t *testing.T) {
	dealt, player, banker := hands("P 6c Kh 3d B 7d ??")
	got := ""
	for _, c := range dealt {
		got += fmt.Sprintf("%v%v%d ", c.Card, c.Hand, c.Index)
	}
	if want := "6cPLAYER1 7dBANKER1 KhPLAYER2 ??BANKER2 3dPLAYER3 "; got != want || len(player) != 3 || len(banker) != 2 {
		t.Errorf("%q, want %q", got, want)
	}
}

// A round of a feed that is weeks behind was played under a configuration that is not in force any more.
func TestRoundUnderAnOldConfiguration(t *testing.T) {
	const day = int64(24 * time.Hour)
	m := newMemory()
	for i := range int64(3) {
		m.configs = append(m.configs, rows.Config{
			TableID: "t", ConfigID: fmt.Sprint("C", i), Config: fmt.Sprint("text ", i),
			At: 20 * i * day, EffectiveAt: 20 * i * day,
		})
	}
	w := newWatcher(m, Options{Property: "ac-1"})
	if err := w.enact(t.Context(), 50*day, 60*day); err != nil {
		t.Fatal(err)
	}
	if got := w.configs.of("t", "C2", 51*day); got != "text 2" {
		t.Errorf("the configuration in force is %q", got)
	}
	for name, x := range map[string]item{
		"round": {round: &clickhouse.PlayedRound{Table: "t", Config: "C0", At: 5 * day}},
		"shoe":  {shoe: &clickhouse.ClosedShoe{}, played: []clickhouse.PlayedRound{{Table: "t", Config: "C0", At: 5 * day}}},
	} {
		if err := w.enact(t.Context(), 50*day, 60*day); err != nil {
			t.Fatal(err)
		}
		if err := w.cover(t.Context(), []item{x}); err != nil {
			t.Fatal(err)
		}
		if got := w.configs.of("t", "C0", 5*day); got != "text 0" {
			t.Errorf("%s: the configuration is %q, want the first one", name, got)
		}
	}
}
