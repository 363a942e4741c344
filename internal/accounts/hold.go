package accounts

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/finding"

	"github.com/shoeproof/shoeproof/internal/report"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
)

// drawer is what the events say of a table's money in a shift, minor units.
type drawer struct {
	opener, closer       int64
	fills, credits, cash int64
	marked, collected    int64 // vigorish
	counts               int
}

// place is a day, shift and table.
type place struct{ day, shift, table string }

// Hold is drop, win and hold of each table and shift, 9 NYCRR 5315.11, with its formulas.
func Hold(s Scope, played []clickhouse.Played, money []schema.Event) *report.Sheet {
	out := &report.Sheet{
		Title: s.title("Drop, win and hold"),
		Columns: []string{
			"property", "gaming_day", "shift", "table", "rounds", "handle", "drop", "fills", "credits", "opener", "closer", "win_by_tray", "win_by_wagers", "hold_percent", "win_per_handle",
		},
		Notes: []string{
			"handle        = stakes of all wagers",
			"drop          = cash converted at the table, as reported; what the drop box held is counted elsewhere",
			"win_by_tray   = closer + credits + drop - opener - fills, opener and closer being the first and the last count of the shift; none without two counts",
			"win_by_wagers = stakes collected - winnings paid + vigorish collected",
			"hold_percent  = 100 x win_by_tray / drop; none without two counts or without a drop",
			"win_per_handle = 100 x win_by_wagers / handle",
		},
	}
	drawers := s.drawers(money)
	of := map[place]clickhouse.Played{}
	for _, p := range played {
		of[place{p.Day, p.Shift, p.Table}] = p
	}
	for _, at := range places(&s, of, drawers) {
		p, m := of[at], drawers[at]
		wagers := p.Won - p.Paid + m.collected
		opener, closer, byTray, hold := "", "", "", ""
		if m.counts >= 2 {
			win := m.closer + m.credits + m.cash - m.opener - m.fills
			opener, closer, byTray, hold = s.money(m.opener), s.money(m.closer), s.money(win), percent(win, m.cash)
		}
		out.Rows = append(out.Rows, []string{
			s.Property, at.day, at.shift, at.table, strconv.FormatUint(p.Rounds, 10), s.money(p.Staked), s.money(m.cash), s.money(m.fills), s.money(m.credits), opener, closer,
			byTray, s.money(wagers), hold, percent(wagers, p.Staked),
		})
	}
	return out
}

// drawers sums the money events of each place, which come in order of time.
func (s *Scope) drawers(money []schema.Event) map[place]drawer {
	all := map[place]drawer{}
	for i := range money {
		day, shift := s.Calendar.Of(money[i].At)
		at := place{day, shift, money[i].TableID}
		d := all[at]
		d.take(money[i].Payload)
		all[at] = d
	}
	return all
}

// places are those of facts and of drawers that are in scope, by day, table and shift.
func places[F any](s *Scope, of map[place]F, drawers map[place]drawer) []place {
	var all []place
	for at := range of {
		all = append(all, at)
	}
	for at := range drawers {
		if at.day >= s.From && at.day <= s.To && (s.Shift == "" || at.shift == s.Shift) {
			all = append(all, at)
		}
	}
	slices.SortFunc(all, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.table, b.table), cmp.Compare(s.order(a.shift), s.order(b.shift)), cmp.Compare(a.shift, b.shift))
	})
	return slices.Compact(all)
}

// Vigorish is the ledger by table and shift.
func Vigorish(s Scope, due []clickhouse.VigorishDue, money []schema.Event) *report.Sheet {
	out := &report.Sheet{
		Title:   s.title("Vigorish ledger"),
		Columns: []string{"property", "gaming_day", "shift", "table", "wagers", "won", "due_least", "due_most", "marked", "collected", "short"},
		Notes: []string{
			"due: by the rate in force, rounded down (least) and up (most) to the unit of the rulebook, wager by wager; of a tie charge a quarter of the stake.",
			"short = max(0, due_least - collected). Wagers count in the shift of their round's first card, marks and collections when they were made:",
			"what was deferred over the end of a shift is short in the one and too much in the next.",
		},
	}
	drawers := s.drawers(money)
	of := map[place]clickhouse.VigorishDue{}
	for _, d := range due {
		of[place{d.Day, d.Shift, d.Table}] = d
	}
	for _, at := range places(&s, of, drawers) {
		d, m := of[at], drawers[at]
		out.Rows = append(out.Rows, []string{
			s.Property, at.day, at.shift, at.table, strconv.FormatUint(d.Wagers, 10), s.money(d.Won), s.money(d.Least), s.money(d.Most), s.money(m.marked),
			s.money(m.collected), s.money(max(0, d.Least-m.collected)),
		})
	}
	return out
}

func (m *drawer) take(p schema.Payload) {
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
	default: // the others move no money that is told of here
	}
}

// order is a shift's place in the gaming day.
func (s *Scope) order(shift string) int {
	for _, c := range s.Calendar.Shifts {
		if c.Name == shift {
			return (c.Start - s.Calendar.Rollover + 24*60) % (24 * 60)
		}
	}
	return -1
}

// percent is 100 a / b with two decimals, rounded half away from zero; empty if b is 0.
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

// Days for which a recording is to be kept at least, of play and of suspected crime: 25 CFR part 542.
const (
	keepRecording = 7
	keepSuspected = 30
)

// Log is the surveillance log of 9 NYCRR 5314.3: what was seen and what was done about it, in order of time.
func Log(s Scope, findings []finding.Finding, steps []clickhouse.Step) *report.Sheet {
	out := &report.Sheet{
		Title:   s.title("Surveillance log, 9 NYCRR 5314.3"),
		Columns: []string{"property", "gaming_day", "shift", "time", "employee", "summary", "monitored", "recording"},
		Notes: []string{
			"Entries are made by the audit and by the console and cannot be changed; a correction is an entry of its own.",
			"recording: the date until which it must be kept at least, 7 days after play, 30 after what is suspect or critical.",
		},
	}
	type entry struct {
		at   int64
		row  []string
		id   string
		step int
	}
	var all []entry
	about := map[string]*finding.Finding{}
	for i := range findings {
		f := &findings[i]
		about[f.ID] = f
		if !isException(f) {
			continue
		}
		days := keepRecording
		if f.Verdict == finding.Suspect || f.Severity == finding.Critical {
			days = keepSuspected
		}
		until := time.Unix(0, int64(f.At)).In(s.Calendar.Zone).AddDate(0, 0, days).Format(time.DateOnly)
		summary := fmt.Sprintf("table %s, %s: %s; expected %s, observed %s", f.TableID, f.Severity, f.Rule, f.Expected, f.Observed)
		all = append(all, entry{int64(f.At), []string{s.Property, f.GamingDay, f.Shift, s.local(int64(f.At)), "Shoeproof", summary, "by the table's events", "keep until " + until}, f.ID, 0})
	}
	for i, step := range steps {
		f := about[step.Finding]
		if f == nil {
			continue
		}
		day, shift := s.Calendar.Of(step.At)
		said := []string{fmt.Sprintf("%s of %s at table %s", step.Action, f.Rule, f.TableID), step.Disposition, step.Reason, step.Note}
		summary := strings.Join(slices.DeleteFunc(said, func(s string) bool { return strings.TrimSpace(s) == "" }), "; ")
		all = append(all, entry{step.At, []string{s.Property, day, shift, s.local(step.At), step.Actor, summary, "", ""}, step.Finding, i + 1})
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id), cmp.Compare(a.step, b.step))
	})
	for _, e := range all {
		out.Rows = append(out.Rows, e.row)
	}
	return out
}
