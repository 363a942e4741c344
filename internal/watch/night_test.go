//go:build unix

package watch

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/oracle"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// An alarm about a patron who knows the first card comes within a minute or two of the round that has the evidence. If
// rounds were scored at the end of their shoe, it came with the last one.
func TestPageBeforeTheEndOfTheShoe(t *testing.T) {
	events := played(t, &oracle.Options{Table: "o-1", Seed: 5, Shoes: 1, Bets: firstCard})
	e := auditor.New(options())
	m := newMemory()
	w := newWatcher(m, Options{Property: "ac-1", Behind: time.Minute, Engine: options()})
	var set rows.Set
	var paged, last int64
	var page *finding.Finding
	n := 0
	for record, err := range auditor.Records(events) {
		if err != nil {
			t.Fatal(err)
		}
		e.Apply(record, "", 0, &set)
		now := events[n].At
		if n++; len(set.Rounds.Round) > 0 || n == len(events) {
			last = now
			m.add(&set)
			set.Reset()
			if _, err := w.Pass(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if page == nil && len(m.findings) > 0 {
			page, paged = &m.findings[0], now
		}
	}
	if page == nil || page.Rule != "d06" {
		t.Fatalf("no page about the first card: %+v", page)
	}
	delay, before := time.Duration(paged-int64(page.At)), time.Duration(last-int64(page.At))
	t.Logf("the page of round %d comes after %v; at the end of the shoe it would be %v", page.Round, delay, before)
	if delay > 3*time.Minute || before < 3*delay {
		t.Errorf("the page of round %d comes after %v, the shoe ends after %v", page.Round, delay, before)
	}
}

// Over three days with shoes that cross the end of a day, the night finds what the watch found, of the same evidence.
// What differs is about a table that was late: the night has it in order, and stores it.
func TestNightAgreesWithWatch(t *testing.T) {
	s := database(t)
	o := Options{Property: "ac-1", Patience: time.Hour, Engine: options()}
	day := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	daily := func(shoe int) time.Duration {
		if shoe > 1 && shoe%2 == 1 {
			return 22 * time.Hour
		}
		return 0
	}
	var all []schema.Event
	for i, bets := range []oracle.Options{
		{Bets: firstCard}, {Bets: patrons(7), Forgotten: .004}, {Bets: patrons(5), Misread: .001},
	} {
		bets.Table, bets.Seed, bets.Shoes, bets.Pause = fmt.Sprint("o-", i+1), uint64(40+i), 6, daily
		bets.Start = day.Add(time.Duration([]int{18, 34, 19}[i]) * time.Hour) // o-2 plays across 06:00 in New York
		all = append(all, played(t, &bets)...)
	}
	slices.SortStableFunc(all, func(a, b schema.Event) int { return int(min(max(a.At-b.At, -1), 1)) })
	late := func(ev *schema.Event) bool { // the second day of o-3
		return ev.TableID == "o-3" && ev.At > day.Add(36*time.Hour).UnixNano() && ev.At < day.Add(60*time.Hour).UnixNano()
	}
	w, e := newWatcher(s, o), auditor.New(options())
	o.atOnce = 20 // of the nights
	offset := int64(0)
	write := func(events []schema.Event) {
		t.Helper()
		if len(events) == 0 {
			return
		}
		b := &pipeline.Batch{}
		for record, err := range auditor.Records(events) {
			if err != nil {
				t.Fatal(err)
			}
			e.Apply(record, "o", 0, &b.Set)
		}
		to := offset + int64(len(events))
		b.Range = pipeline.Range{Topic: "o", From: offset, To: to - 1, Records: uint64(len(events))}
		offset = to
		if err := s.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		w.lateAt = 0
		if _, err := w.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	findings := 0
	for n := range 3 {
		end := day.Add(time.Duration(35+24*n) * time.Hour).UnixNano()
		var now, behind []schema.Event
		for i := range all {
			switch ev := &all[i]; {
			case ev.At >= end+int64(4*time.Hour) || ev.At < end-int64(20*time.Hour):
			case late(ev):
				behind = append(behind, *ev)
			default:
				now = append(now, *ev)
			}
		}
		for from := 0; from < len(now); from += 6000 {
			write(now[from:min(from+6000, len(now))])
		}
		write(behind)
		if err := w.save(t.Context()); err != nil {
			t.Fatal(err)
		}
		name := day.AddDate(0, 0, n).Format(time.DateOnly)
		night, err := ScoreDay(t.Context(), s, s, o, name)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := s.Findings(t.Context(), clickhouse.Filter{PropertyID: "ac-1", GamingDay: name})
		if err != nil {
			t.Fatal(err)
		}
		agrees(t, name, &night, Suspicions(stored))
		findings += len(night.Findings)
	}
	if findings == 0 {
		t.Error("nothing was found on any day: the test shows nothing")
	}
}

// Stored factors that a night does not find, about a subject of the day or another one, count no more: a feed was found
// to be at fault after a watch had scored its rounds.
func TestNightClearsEvidence(t *testing.T) {
	s := database(t)
	o := Options{Property: "ac-1", Patience: time.Hour, Engine: options()}
	start := time.Date(2026, 3, 2, 18, 0, 0, 0, time.UTC)
	events := played(t, &oracle.Options{Table: "o-1", Seed: 5, Shoes: 1, Start: start, Bets: firstCard})
	e, b := auditor.New(options()), &pipeline.Batch{}
	for record, err := range auditor.Records(events) {
		if err != nil {
			t.Fatal(err)
		}
		e.Apply(record, "o", 0, &b.Set)
	}
	b.Range = pipeline.Range{Topic: "o", To: int64(len(events)) - 1, Records: uint64(len(events))}
	if err := s.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	w := newWatcher(s, o)
	if _, err := w.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.save(t.Context()); err != nil {
		t.Fatal(err)
	}
	const day = "2026-03-02"
	stored := func() map[account]total {
		t.Helper()
		totals, err := s.KeyTotals(t.Context(), "ac-1", day)
		if err != nil {
			t.Fatal(err)
		}
		return outliving(totals)
	}
	before := stored()
	known := accountsOf(before)[0]
	false1 := rows.Evidence{
		Detector: known.Detector, Key: known.Key, At: start.Add(time.Minute).UnixNano(), PropertyID: "ac-1", TableID: "o-9",
		ShoeID: "s", Round: 1, GamingDay: day, LnE: 3,
	}
	false2 := false1
	false2.Detector, false2.Key = "d07", "patron:nobody"
	for _, want := range []int{2, 0, 2} { // the third night stores the rows of the first one again
		if want > 0 {
			if err := s.AddEvidence(t.Context(), "test", []rows.Evidence{false1, false2}); err != nil {
				t.Fatal(err)
			}
		}
		night, err := ScoreDay(t.Context(), s, s, o, day)
		if err != nil || night.Differing != want {
			t.Errorf("the evidence of %d accounts differs, want %d; %v", night.Differing, want, err)
		}
	}
	after := stored()
	for a, x := range before {
		if y := after[a]; x.n != y.n || math.Abs(x.ln-y.ln) > 1e-9 {
			t.Errorf("%v: %+v, was %+v", a.key, y, x)
		}
	}
	if len(after) != len(before) {
		t.Errorf("evidence about %d keys, want %d", len(after), len(before))
	}
}

// agrees compares a night with the findings of a watch.
func agrees(t *testing.T, day string, night *Night, live []finding.Finding) {
	t.Helper()
	was := map[string]*finding.Finding{}
	for i := range live {
		was[live[i].ID] = &live[i]
	}
	differ := 0
	for i := range night.Findings {
		f := &night.Findings[i]
		if b := was[f.ID]; b == nil || !finding.Same(b, f) {
			differ++
			if night.LateSubjects[f.Subject] == 0 {
				t.Errorf("%s: the watch has not %s about %s: %s", day, f.Rule, f.Subject, f.Observed)
			}
		}
		delete(was, f.ID)
	}
	for _, f := range was {
		differ++
		if night.LateSubjects[f.Subject] == 0 {
			t.Errorf("%s: only the watch has %s about %s: %s", day, f.Rule, f.Subject, f.Observed)
		}
	}
	t.Logf("%s: %d findings, %d differ; evidence about %d keys, %d differ, %d of late feeds", day, len(night.Findings),
		differ, night.Keys, night.Differing, len(night.LateSubjects))
	for a := range night.differing {
		if night.LateSubjects[a.key.String()] != 0 {
			delete(night.differing, a)
		}
	}
	if len(night.differing) > 0 {
		t.Errorf("%s: evidence about %v differs, and no feed was late", day, night.differing)
	}
}
