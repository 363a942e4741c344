package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/finding"

	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
)

// drawer sums the money events of a table in a shift, minor units.
type drawer struct {
	opener, closer       int64
	fills, credits, cash int64
	marked, collected    int64 // vigorish
	counts               int
}

// tableShift is a table in a shift of a gaming day.
type tableShift struct{ day, shift, table string }

// holdSheet reports drop, win and win percentage of each table and shift, 9 NYCRR 5315.11, with the formulas.
func holdSheet(s Scope, played []clickhouse.Played, money []schema.Event) *output.Sheet {
	out := &output.Sheet{
		Title: s.title("Drop, win and hold"),
		Columns: []string{
			"property", "gaming_day", "shift", "table", "rounds", "handle", "drop", "fills", "credits", "opener", "closer",
			"win_by_tray", "win_by_wagers", "hold_percent", "win_per_handle",
		},
		Notes: []string{
			"handle        = stakes of all wagers",
			"drop          = cash converted at the table, as reported; the count of the drop box is not in the events",
			"win_by_tray   = closer + credits + drop - opener - fills; opener and closer are the first and the last count of " +
				"the shift; empty without two counts",
			"win_by_wagers = stakes collected - winnings paid + vigorish collected",
			"hold_percent  = 100 x win_by_tray / drop; empty without two counts or without a drop",
			"win_per_handle = 100 x win_by_wagers / handle",
		},
	}
	drawers := s.drawers(money)
	playedAt := map[tableShift]clickhouse.Played{}
	for _, p := range played {
		playedAt[tableShift{p.Day, p.Shift, p.Table}] = p
	}
	for _, at := range tableShifts(&s, playedAt, drawers) {
		p, m := playedAt[at], drawers[at]
		wagers := p.Won - p.Paid + m.collected
		opener, closer, byTray, hold := "", "", "", ""
		if m.counts >= 2 {
			win := m.closer + m.credits + m.cash - m.opener - m.fills
			opener, closer, byTray, hold = s.money(m.opener), s.money(m.closer), s.money(win), percent(win, m.cash)
		}
		out.Rows = append(out.Rows, []string{
			s.Property, at.day, at.shift, at.table, strconv.FormatUint(p.Rounds, 10), s.money(p.Staked), s.money(m.cash),
			s.money(m.fills), s.money(m.credits), opener, closer,
			byTray, s.money(wagers), hold, percent(wagers, p.Staked),
		})
	}
	return out
}

// drawers sums the money events, in order of time, of each table and shift.
func (s *Scope) drawers(money []schema.Event) map[tableShift]drawer {
	all := map[tableShift]drawer{}
	for i := range money {
		day, shift := s.Calendar.Of(money[i].At)
		at := tableShift{day, shift, money[i].TableID}
		d := all[at]
		d.add(money[i].Payload)
		all[at] = d
	}
	return all
}

// tableShifts returns the tables and shifts of facts and drawers in scope, by day, table and shift.
func tableShifts[F any](s *Scope, facts map[tableShift]F, drawers map[tableShift]drawer) []tableShift {
	all := slices.Collect(maps.Keys(facts))
	for at := range drawers {
		if at.day >= s.From && at.day <= s.To && (s.Shift == "" || at.shift == s.Shift) {
			all = append(all, at)
		}
	}
	slices.SortFunc(all, func(a, b tableShift) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.table, b.table),
			cmp.Compare(s.order(a.shift), s.order(b.shift)), cmp.Compare(a.shift, b.shift))
	})
	return slices.Compact(all)
}

// vigorishSheet is the vigorish ledger by table and shift.
func vigorishSheet(s Scope, due []clickhouse.VigorishDue, money []schema.Event) *output.Sheet {
	out := &output.Sheet{
		Title: s.title("Vigorish ledger"),
		Columns: []string{
			"property", "gaming_day", "shift", "table", "wagers", "won", "due_min", "due_max", "marked",
			"collected", "short",
		},
		Notes: []string{
			"due: the rate in force, rounded down (min) and up (max) to the rulebook's unit, wager by wager; for a tie " +
				"charge a quarter of the stake.",
			"short = max(0, due_min - collected). A wager counts in the shift of its round's first card, a mark or a " +
				"collection in the shift of its event:",
			"vigorish deferred over the end of a shift is short in that shift and in excess in the next.",
		},
	}
	drawers := s.drawers(money)
	dueAt := map[tableShift]clickhouse.VigorishDue{}
	for _, d := range due {
		dueAt[tableShift{d.Day, d.Shift, d.Table}] = d
	}
	for _, at := range tableShifts(&s, dueAt, drawers) {
		d, m := dueAt[at], drawers[at]
		out.Rows = append(out.Rows, []string{
			s.Property, at.day, at.shift, at.table, strconv.FormatUint(d.Wagers, 10), s.money(d.Won), s.money(d.Least),
			s.money(d.Most), s.money(m.marked),
			s.money(m.collected), s.money(max(0, d.Least-m.collected)),
		})
	}
	return out
}

func (m *drawer) add(p schema.Payload) {
	switch p := p.(type) {
	case *schema.TrayCounted:
		if m.counts++; m.counts == 1 {
			m.opener = p.Amount
		}
		m.closer = p.Amount
	case *schema.ChipsFilled:
		m.fills += p.Amount
	case *schema.ChipsCredited:
		m.credits += p.Amount
	case *schema.CashConverted:
		m.cash += p.Amount
	case *schema.VigorishMarked:
		m.marked += p.Amount
	case *schema.VigorishCollected:
		m.collected += p.Amount
	default: // moves no money of these reports
	}
}

// order is the start of a shift, minutes after the start of the gaming day.
func (s *Scope) order(shift string) int {
	for _, c := range s.Calendar.Shifts {
		if c.Name == shift {
			return (c.Start - s.Calendar.Rollover + 24*60) % (24 * 60)
		}
	}
	return -1
}

// percent formats 100 a / b with two decimals, rounded half away from zero; empty if b is 0.
func percent(a, b int64) string {
	if b == 0 {
		return ""
	}
	sign := ""
	if (a < 0) != (b < 0) && a != 0 {
		sign = "-"
	}
	a, b = max(a, -a), max(b, -b)
	hundredths := (a/b)*10_000 + ((a%b)*10_000+b/2)/b
	return fmt.Sprintf("%s%d.%02d", sign, hundredths/100, hundredths%100)
}

// Minimum retention of recordings in days, of play and of suspected crime: 25 CFR part 542.
const (
	keepRecording = 7
	keepSuspected = 30
)

// keepUntil is the last date of the retention of a finding's recording.
func (s *Scope) keepUntil(f *finding.Finding) string {
	days := keepRecording
	if f.Verdict == finding.Suspect || f.Severity == finding.Critical {
		days = keepSuspected
	}
	return time.Unix(0, int64(f.At)).In(s.Calendar.Zone).AddDate(0, 0, days).Format(time.DateOnly)
}

// Log is the surveillance log of 9 NYCRR 5314.3: findings and the actions on them, in order of time.
func Log(s Scope, findings []finding.Finding, steps []clickhouse.TriageAction) *output.Sheet {
	out := &output.Sheet{
		Title:   s.title("Surveillance log, 9 NYCRR 5314.3"),
		Columns: []string{"property", "gaming_day", "shift", "time", "employee", "summary", "monitored", "recording"},
		Notes: []string{
			"Entries come from the audit and from the console and cannot be changed; a correction is a separate entry.",
			"recording: the date until which it must be kept: 7 days after play, 30 days after a suspicion or a critical " +
				"finding.",
		},
	}
	type entry struct {
		at   int64
		row  []string
		id   string
		step int
	}
	var all []entry
	byID := map[string]*finding.Finding{}
	for i := range findings {
		f := &findings[i]
		byID[f.ID] = f
		if !f.Exception() {
			continue
		}
		summary := fmt.Sprintf("table %s, %s, %s: %s; expected %s, observed %s", f.TableID, f.Severity, f.Claim(), f.Rule,
			f.Expected, f.Observed)
		all = append(all, entry{int64(f.At), []string{
			s.Property, f.GamingDay, f.Shift, s.local(int64(f.At)), "Shoeproof",
			summary, "from the table's events", "keep until " + s.keepUntil(f),
		}, f.ID, 0})
	}
	for i, step := range steps {
		f := byID[step.Finding]
		if f == nil {
			continue
		}
		day, shift := s.Calendar.Of(step.At)
		parts := []string{
			fmt.Sprintf("%s of %s at table %s", step.Action, f.Rule, f.TableID), step.Disposition, step.Reason,
			step.Note,
		}
		summary := strings.Join(slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" }), "; ")
		all = append(all, entry{
			step.At,
			[]string{s.Property, day, shift, s.local(step.At), step.Actor, summary, "", ""},
			step.Finding, i + 1,
		})
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id), cmp.Compare(a.step, b.step))
	})
	for _, e := range all {
		out.Rows = append(out.Rows, e.row)
	}
	return out
}
