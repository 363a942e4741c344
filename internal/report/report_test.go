package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/engine/calendar"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
)

func scope(t *testing.T) Scope {
	t.Helper()
	calendar, err := calendar.Default()
	if err != nil {
		t.Fatal(err)
	}
	return Scope{
		Days: clickhouse.Days{Property: "ac-1", From: "2026-11-19", To: "2026-11-20"}, Calendar: &calendar,
		Currency: "USD",
	}
}

// noon is a moment of the day shift, so many hours after 12:00 in Atlantic City.
func noon(day, hours int) int64 {
	return time.Date(2026, 11, day, 17+hours, 0, 0, 0, time.UTC).UnixNano()
}

func exception(id, table string, day, hours int, severity finding.Severity) finding.Finding {
	f := finding.Finding{
		ID: id, Kind: "deviation", Verdict: "BREACH", Rule: "vig.amount.under", Severity: severity,
		Citations: []string{"N.J.A.C. 19:47-3.3(c)"}, PropertyID: "ac-1",
		TableID: table, ShoeID: "s", Round: 7, DealerID: "d1", At: schema.Time(noon(day, hours)),
		GamingDay: fmt.Sprintf("2026-11-%d", day), Shift: "day",
		Expected: "5.00", Observed: "=HYPERLINK(1)", Amount: -1575, Currency: "USD",
	}
	if hours >= 2 {
		f.Shift = "swing"
	}
	return f
}

func cells(s *output.Sheet, names ...string) (out []string) {
	for _, row := range s.Rows {
		var some []string
		for i, c := range s.Columns {
			for _, n := range names {
				if c == n {
					some = append(some, row[i])
				}
			}
		}
		out = append(out, strings.Join(some, " "))
	}
	return out
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestExceptionsAreNumberedWithoutAGap(t *testing.T) {
	s := scope(t)
	findings := []finding.Finding{
		exception("e", "t2", 20, 0, finding.Major), exception("c", "t2", 19, 1, finding.Minor),
		exception("b", "t1", 19, 3, finding.Critical), exception("x", "t1", 19, 0, finding.Info),
		exception("a", "t1", 19, 0, finding.Major),
	}
	steps := []clickhouse.TriageAction{
		{Finding: "a", At: noon(19, 1), Actor: "jo", State: "ack"},
		{
			Finding: "a", At: noon(19, 2), Actor: "al", State: "closed", Disposition: "confirmed", Reason: "dealer error",
			Note: "retrained",
		},
		{Finding: "a", At: noon(19, 3), Actor: "al", Action: "note", State: "closed"},
		{
			Finding: "c", At: noon(19, 3), Actor: "al", Action: "close", State: "closing", Disposition: "unfounded",
			Reason: "no", Note: "seen",
		},
		{Finding: "c", At: noon(19, 4), Actor: "al", Action: "assign", State: "closing", Note: "jo"}, // no explanation
		{Finding: "e", At: noon(20, 1), Actor: "al", Action: "ack", State: "ack"},
		{Finding: "e", At: noon(20, 2), Actor: "al", Action: "undo", State: "new", Note: "ack"},
		{
			Finding: "b", At: noon(19, 2), Actor: "al", Action: "close", State: "closed", Disposition: "unfounded",
			Reason: "no error",
		},
		{Finding: "b", At: noon(19, 3), Actor: "jo", Action: "reopen", State: "reopened", Reason: "an error"},
		{Finding: "elsewhere", At: noon(19, 2), Actor: "al", State: "closed", Reason: "none"},
	}
	sheet := exceptionsSheet(s, findings, steps)
	want(t, cells(sheet, "gaming_day", "no", "finding", "status", "disposition", "explanation", "reviewed_by"),
		"2026-11-19 1 closed confirmed dealer error retrained al a",
		"2026-11-19 2 reopened  an error jo b", "2026-11-19 3 closing unfounded no seen al c",
		"2026-11-20 1 new   al e")
	s.Shift = "swing" // numbers still cover the day
	want(t, cells(exceptionsSheet(s, findings, steps), "no", "finding"), "2 b")
	month := monthEndSheet(scope(t), findings, steps)
	want(t, cells(month, "serial_no", "explanation"), "2026-11-19-0001 dealer error retrained", "2026-11-19-0002 an error",
		"2026-11-19-0003 no seen", "2026-11-20-0001 ")
	if !strings.Contains(month.Notes[0], "4 exceptions, 1 without") {
		t.Errorf("notes %q", month.Notes)
	}

	var csv, notes bytes.Buffer
	if err := sheet.Write(&csv, &notes, "csv"); err != nil {
		t.Fatal(err)
	}
	if text := csv.String(); !strings.Contains(text, ",'=HYPERLINK(1),") || !strings.Contains(text, ",-15.75,USD,") {
		t.Errorf("a formula is not neutral, or a number is text:\n%s", text)
	}
	if !strings.Contains(notes.String(), "Exceptions. Property ac-1, gaming day 2026-11-19 to 2026-11-20") {
		t.Errorf("notes %q", notes.String())
	}
}

func TestDealers(t *testing.T) {
	findings := []finding.Finding{
		exception("a", "t1", 19, 0, finding.Major), exception("b", "t1", 19, 0, finding.Minor),
		exception("c", "t2", 19, 0, finding.Major), exception("i", "t3", 19, 0, finding.Info),
	}
	unproved := exception("u", "t4", 19, 0, finding.Major)
	unproved.Verdict = "UNAUDITABLE"
	shoe := exception("s", "t5", 19, 0, finding.Major)
	shoe.Round = 0
	sheet := dealersSheet(scope(t), append(findings, unproved, shoe),
		[]clickhouse.Dealt{{Dealer: "d1", Rounds: 1000}, {Dealer: "d2", Rounds: 500}, {Dealer: "d3", Rounds: 499}})
	// Two breaches of one round are one round in error.
	want(t, cells(sheet, "dealer", "rounds", "rounds_in_error", "per_1000", "low_95", "high_95", "breaches"),
		"d1 1000 2 2.00 0.55 7.26 4", "d2 500 0 0.00 0.00 7.62 0", "d3 499 0    0")
}

func event(table string, day, hours int, p schema.Payload) schema.Event {
	return schema.Event{TableID: table, At: noon(day, hours), Payload: p}
}

func TestMoney(t *testing.T) {
	s := scope(t)
	money := []schema.Event{
		event("t1", 19, 0, &schema.TrayCounted{Amount: 100_000, Occasion: schema.TrayOccasionOpener}),
		event("t1", 19, 0, &schema.ChipsFilled{Amount: 20_000}), event("t1", 19, 0, &schema.CashConverted{Amount: 40_000}),
		event("t1", 19, 1, &schema.VigorishMarked{Amount: 500}), event("t1", 19, 1, &schema.ChipsCredited{Amount: 5_000}),
		event("t1", 19, 1, &schema.TrayCounted{Amount: 79_001, Occasion: schema.TrayOccasionCloser}),
		event("t1", 19, 2, &schema.VigorishCollected{Amount: 500}), // of the next shift
		event("t9", 18, 2, &schema.TrayCounted{Amount: 1}),         // of another day
	}
	played := []clickhouse.Played{{
		Day: "2026-11-19", Shift: "day", Table: "t1", Rounds: 3, Staked: 90_000, Paid: 10_000,
		Won: 14_000,
	}}
	want(t, cells(holdSheet(s, played, money), "shift", "table", "handle", "drop", "opener", "closer", "win_by_tray",
		"win_by_wagers", "hold_percent", "win_per_handle"),
		"day t1 900.00 400.00 1000.00 790.01 40.01 40.00 10.00 4.44", "swing t1 0.00 0.00    5.00  ")
	due := []clickhouse.VigorishDue{{
		Day: "2026-11-19", Shift: "day", Table: "t1", Wagers: 1, Won: 10_000, Least: 500,
		Most: 500,
	}}
	want(t, cells(vigorishSheet(s, due, money), "shift", "table", "due_min", "marked", "collected", "short"),
		"day t1 5.00 5.00 0.00 5.00", "swing t1 0.00 0.00 5.00 0.00")
}

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		a, b int64
		want string
	}{
		{1, 3, "33.33"},
		{2, 3, "66.67"},
		{-1, 200, "-0.50"},
		{5, 0, ""},
		{0, 7, "0.00"},
		{math.MaxInt64 / 2, math.MaxInt64 / 2, "100.00"},
		{-1, -8, "12.50"},
	} {
		if got := percent(c.a, c.b); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

func TestLog(t *testing.T) {
	suspect := exception("b", "t2", 19, 1, finding.Major)
	suspect.Verdict = "SUSPECT"
	steps := []clickhouse.TriageAction{{
		Finding: "a", At: noon(19, 5), Actor: "jo", Action: "close", Disposition: "confirmed",
		Reason: "dealer error",
	}}
	got := cells(Log(scope(t), []finding.Finding{suspect, exception("a", "t1", 19, 0, finding.Minor)}, steps), "shift",
		"time", "employee", "summary", "recording")
	want(t, got,
		"day 2026-11-19T12:00:00-05:00 Shoeproof table t1, minor, BREACH: vig.amount.under; expected 5.00, "+
			"observed =HYPERLINK(1) keep until 2026-11-26",
		"day 2026-11-19T13:00:00-05:00 Shoeproof table t2, major, SUSPECT: vig.amount.under; expected 5.00, "+
			"observed =HYPERLINK(1) keep until 2026-12-19",
		"swing 2026-11-19T17:00:00-05:00 jo close of vig.amount.under at table t1; confirmed; dealer error ")
}

// A table without a base level has no statistic: 0.00 would state that its hold is that of the year before.
func TestHoldTestsWithoutBase(t *testing.T) {
	h := detectors.Hold{Property: "ac-1", Table: "T1", Rounds: 10, Drop: 100_00, Win: 5_00, Currency: "USD"}
	before := h
	before.Win = 4_00
	for _, c := range []struct {
		before []detectors.Hold
		want   []string
	}{
		{nil, []string{"5.00  "}},
		{[]detectors.Hold{before}, []string{"5.00 1.00 3.00"}},
	} {
		sheet := HoldTests(scope(t), "2026-11", []HoldTest{{h, detectors.KAR(&h, c.before)}})
		if diff := cmp.Diff(c.want, cells(sheet, "hold_percent", "statistic", "limit")); diff != "" {
			t.Errorf("%d periods before: (-want +got)\n%s", len(c.before), diff)
		}
	}
}
