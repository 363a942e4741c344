//go:build unix

package nightly

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/shoeproof/shoeproof/internal/report"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// The nightly run evaluates the review queue: a patron with some evidence, not enough for a page, is named; the other
// patrons of the floor are not. These findings do not count as missing in the live audit.
func TestNightReviews(t *testing.T) {
	store := database(t)
	f := play(t, 3, 0, 1)
	var l log
	l.append(f.events...)
	ingest(t, store, &l)
	at := opens.Add(time.Hour).UnixNano()
	var list []rows.Evidence
	for i := range 40 { // e^12: a page by d07 needs e^17
		list = append(list, rows.Evidence{
			Detector: "d07", Key: "patron:p-cheat", At: at + int64(i)*60e9, PropertyID: property, TableID: "t-000", ShoeID: "s",
			Round: uint32(i + 1), Seq: 5,
			GamingDay: day, LnE: .3, Engine: "test",
		})
	}
	list[7].LnE += .001
	// What others have too, what does not count towards the promise, and what belongs to another day.
	for i, other := range []rows.Evidence{
		{Detector: "d07", Key: "patron:p-lucky", LnE: 3},
		{Detector: "d17", Key: "dealer:d1", LnE: 30},
		{Detector: "d03", Key: "table:t-000", LnE: 30},
		{Detector: "d07", Key: "patron:p-yesterday", LnE: 30, GamingDay: "2026-11-18"},
	} {
		other.At, other.PropertyID, other.TableID, other.ShoeID, other.Round = at+int64(i), property, "t-001", "s", 1
		if other.GamingDay == "" {
			other.GamingDay = day
		}
		list = append(list, other)
	}
	if err := store.AddEvidence(t.Context(), "test", list); err != nil {
		t.Fatal(err)
	}
	n := night(t, store, func(o *Options) { o.Statistics = Statistics(&o.Engine) })
	var found []finding.Finding
	for _, f := range n.Findings {
		if strings.HasPrefix(f.Rule, "review.") {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d findings of the review queue, want one: %+v", len(found), found)
	}
	got := found[0]
	if got.Rule != "review.d07" || got.Subject != "patron:p-cheat" || got.Severity != finding.Minor || got.Round != 8 ||
		math.Abs(got.LnE-12.001) > 1e-9 || got.GamingDay != day ||
		len(got.Evidence.EventIDs) != 1 {
		t.Errorf("found %+v", got)
	}
	if got.LnE < got.Threshold || got.Threshold > 9 {
		t.Errorf("ln e %.1f, threshold %.1f", got.LnE, got.Threshold)
	}
	if n.Run.Missing+n.Run.Extra+n.Run.Changed != 0 {
		t.Errorf("the live audit differs: %+v", n.Run)
	}
	shift := night(t, store, func(o *Options) { o.Statistics, o.Shift = Statistics(&o.Engine), "day" })
	for _, f := range shift.Findings {
		if strings.HasPrefix(f.Rule, "review.") {
			t.Errorf("a run of one shift reviews: %+v", f)
		}
	}
}

// In the night of a month's last day each table's hold is tested as the regulations have it, beside the month before.
func TestNightTestsHolds(t *testing.T) {
	store := database(t)
	now, before := play(t, 4, 0, 1), playFrom(t, 4, 0, 2, time.Date(2026, 10, 19, 12, 0, 0, 0, time.UTC))
	for _, f := range []*floor{before, now} {
		var l log
		l.append(f.events...)
		ingest(t, store, &l)
	}
	o := options()
	tests, err := report.RunHoldTests(t.Context(), store, &o, property, "2026-11")
	if err != nil {
		t.Fatal(err)
	}
	played, err := store.Played(t.Context(), clickhouse.Days{Property: property, From: day, To: day})
	if err != nil {
		t.Fatal(err)
	}
	staked := map[string]int64{}
	for _, p := range played {
		staked[p.Table] += p.Staked
	}
	want := map[string]bool{}
	for i := range tests {
		x := &tests[i]
		if x.Variance <= 0 || x.Drop == 0 || x.Drop != staked[x.Table] || x.Expected <= 0 || math.Abs(x.Z()) > 5 {
			t.Errorf("%s: %+v, %d staked", x.Table, x.Hold, staked[x.Table])
		}
		if x.Report.Limit > 1000 || x.Report.Statistic == 0 {
			t.Errorf("%s: no base level: %+v", x.Table, x.Report)
		}
		if x.Report.Investigate {
			want[fmt.Sprint(x.Report.Name, " ", x.Report.Citation, " ", x.Table)] = true
		}
	}
	if len(tests) != 2*len(staked) || len(want) == 0 {
		t.Errorf("%d tests of %d tables, %d to investigate", len(tests), len(staked), len(want))
	}
	sheet := report.HoldTests(report.Scope{
		Days: clickhouse.Days{Property: property}, Calendar: &o.Calendar,
		Currency: "USD",
	}, "2026-11", tests)
	for i, row := range sheet.Rows {
		if len(row) != len(sheet.Columns) || !strings.Contains(strings.Join(row, " "), tests[i].Report.Citation) {
			t.Errorf("row %q", row)
		}
	}
	found, err := HoldTests{&o}.Night(t.Context(), store, property, "2026-11-30", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		key := fmt.Sprint(f.Rule, " ", f.Citations[0], " ", f.TableID)
		if !want[key] || f.Severity != finding.Info || f.GamingDay != "2026-11-30" {
			t.Errorf("found %+v", f)
		}
		delete(want, key)
	}
	if len(want) != 0 {
		t.Errorf("not found: %v", want)
	}
	if more, err := (HoldTests{&o}).Night(t.Context(), store, property, "2026-11-29", ""); err != nil || len(more) != 0 {
		t.Errorf("in another night: %v, %v", more, err)
	}
}
