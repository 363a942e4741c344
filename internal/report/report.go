// Package report builds the reports that regulations require: exceptions, dealer error rates, hold, vigorish,
// hold tests and the surveillance log. Findings, facts and triage go in, a sheet comes out. The functions are
// pure: the same rows give the same report.
package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/engine/calendar"

	"github.com/shoeproof/shoeproof/finding"

	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/stats"
)

// Scope is the property and the gaming days of a report.
type Scope struct {
	clickhouse.Days
	Calendar *calendar.Calendar
	// Currency is that of the property's tables. It formats amounts that carry none.
	Currency string
}

func (s *Scope) title(what string) string {
	days := s.From
	if s.To != s.From {
		days += " to " + s.To
	}
	return fmt.Sprintf("%s. Property %s, gaming day %s", what, s.Property, strings.TrimSpace(days+" "+s.Shift))
}

// local formats a time in the property's zone, with its offset.
func (s *Scope) local(at int64) string {
	return time.Unix(0, at).In(s.Calendar.Zone).Format("2006-01-02T15:04:05Z07:00")
}

func (s *Scope) money(minor int64) string { return schema.Decimal(minor, s.Currency) }

// triaged is the triage of a finding: its state and the last explanation.
type triaged struct{ state, disposition, explanation, by string }

// triage returns the triage of each finding.
func triage(steps []clickhouse.TriageAction) map[string]triaged {
	all := map[string]triaged{}
	for _, s := range steps { // in order of time
		t := all[s.Finding]
		if s.State != "" {
			t.state = s.State
		}
		if s.Action != rows.Note && s.Action != rows.Assign { // another action that closes nothing ends the disposition
			t.disposition = s.Disposition
		}
		note := rows.Noted(s.Action, s.Note)
		if text := strings.TrimSpace(strings.TrimSpace(s.Reason) + " " + strings.TrimSpace(note)); text != "" {
			t.explanation = text
		}
		t.by = s.Actor
		all[s.Finding] = t
	}
	return all
}

// exceptionsSheet lists the findings of severity minor and above by gaming day, with their triage.
func exceptionsSheet(s Scope, findings []finding.Finding, steps []clickhouse.TriageAction) *output.Sheet {
	triages := triage(steps)
	out := &output.Sheet{
		Title: s.title("Exceptions"),
		Columns: []string{
			"property", "gaming_day", "shift", "no", "occurred_at", "pit", "table", "shoe", "round", "seat", "dealer", "rule",
			"citation", "severity",
			"verdict", "expected", "observed", "amount", "currency", "status", "disposition", "explanation", "reviewed_by",
			"finding", "basis",
		},
		Notes: []string{
			"Numbers start at 1 on each gaming day and have no gap. With --shift they are the numbers of the whole day.",
			"Findings of severity info are not exceptions. An empty explanation means that none was given yet.",
		},
	}
	list, no := finding.Exceptions(findings)
	for i := range list {
		f, t := &list[i], triages[list[i].ID]
		if s.Shift != "" && f.Shift != s.Shift {
			continue
		}
		out.Rows = append(out.Rows, []string{
			f.PropertyID, f.GamingDay, f.Shift, strconv.Itoa(no[i]), s.local(int64(f.At)), f.PitID, f.TableID, f.ShoeID,
			orNone(f.Round), orNone(f.Seat), f.DealerID,
			f.Rule, strings.Join(f.Citations, "; "), f.Severity.String(), string(f.Verdict), f.Expected, f.Observed,
			amount(f), f.Currency,
			cmp.Or(t.state, "new"), t.disposition, t.explanation, t.by, f.ID, string(f.Basis),
		})
	}
	return out
}

// notAuditableSheet lists what could not be audited, by sensor.
func notAuditableSheet(s Scope, findings []finding.Finding) *output.Sheet {
	out := &output.Sheet{
		Title:   s.title("Not auditable"),
		Columns: []string{"property", "sensor", "findings", "rules", "tables"},
		Notes: []string{"Rules that were not evaluated because a table does not report what they need, or because events " +
			"are missing. They accuse no one, and those of severity info are not exceptions."},
	}
	all := func(yield func(*finding.Finding) bool) {
		for i := range findings {
			if !yield(&findings[i]) {
				return
			}
		}
	}
	for _, u := range finding.NotAuditable(all) {
		out.Rows = append(out.Rows, []string{
			s.Property, u.Sensor, strconv.Itoa(u.Findings), strings.Join(u.Rules, ", "), strings.Join(u.Tables, ", "),
		})
	}
	return out
}

// monthEndSheet is the exception report of N.J.A.C. 13:69D-1.5: serial number, date, transaction and explanation.
func monthEndSheet(s Scope, findings []finding.Finding, steps []clickhouse.TriageAction) *output.Sheet {
	triages := triage(steps)
	out := &output.Sheet{
		Title: s.title("Month-end exception report, N.J.A.C. 13:69D-1.5"),
		Columns: []string{
			"property", "serial_no", "date", "transaction", "table", "document", "amount", "currency",
			"explanation", "status", "verdict", "basis",
		},
	}
	list, no := finding.Exceptions(findings)
	unexplained := 0
	for i := range list {
		f, t := &list[i], triages[list[i].ID]
		if t.explanation == "" {
			unexplained++
		}
		document := strings.TrimSpace(f.ShoeID + " " + orNone(f.Round))
		out.Rows = append(out.Rows, []string{
			f.PropertyID, fmt.Sprintf("%s-%04d", f.GamingDay, no[i]), s.local(int64(f.At)), f.Rule, f.TableID, document,
			amount(f), f.Currency, t.explanation, cmp.Or(t.state, "new"),
			string(f.Verdict), string(f.Basis),
		})
	}
	out.Notes = []string{fmt.Sprintf("%s, %d without an explanation. The serial number is the gaming day "+
		"and the number within that day.", schema.Count(len(list), "exception"), unexplained)}
	return out
}

// amount is the amount at issue, empty if the finding has none.
func amount(f *finding.Finding) string {
	if f.Amount == 0 {
		return ""
	}
	return schema.Decimal(f.Amount, f.Currency)
}

func orNone(n uint32) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(n), 10)
}

// dealersSheet reports error rates: the rounds with a breach of severity minor or above, of the rounds dealt.
func dealersSheet(s Scope, findings []finding.Finding, dealt []clickhouse.Dealt) *output.Sheet {
	out := &output.Sheet{
		Title:   s.title("Dealer error rates"),
		Columns: []string{"property", "dealer", "rounds", "rounds_in_error", "per_1000", "low_95", "high_95", "breaches"},
		Notes: []string{
			"rate = rounds with at least one breach of severity minor or above / auditable rounds; 95 % Wilson score interval.",
			fmt.Sprintf("No rate is given below %d rounds. Breaches outside a round, such as those of a shoe's preparation, "+
				"count in the last column only.", stats.MinRounds),
			"If the intervals of two dealers overlap, their rates do not differ significantly.",
		},
	}
	type round struct {
		table, shoe string
		no          uint32
	}
	breaches := map[string]int{}
	wrong := map[string]map[round]bool{}
	for i := range findings {
		f := &findings[i]
		if f.DealerID == "" || f.Verdict != finding.Breach || !f.Exception() {
			continue
		}
		breaches[f.DealerID]++
		if wrong[f.DealerID] == nil {
			wrong[f.DealerID] = map[round]bool{}
		}
		if f.Round > 0 {
			wrong[f.DealerID][round{f.TableID, f.ShoeID, f.Round}] = true
		}
	}
	for _, d := range dealt {
		k := min(uint64(len(wrong[d.Dealer])), d.Rounds)
		rate, low, high := "", "", ""
		if d.Rounds >= stats.MinRounds {
			l, h := stats.Wilson(k, d.Rounds)
			per := func(p float64) string { return strconv.FormatFloat(1000*p, 'f', 2, 64) }
			rate, low, high = per(float64(k)/float64(d.Rounds)), per(l), per(h)
		}
		out.Rows = append(out.Rows, []string{
			s.Property, d.Dealer, strconv.FormatUint(d.Rounds, 10), strconv.FormatUint(k, 10), rate, low, high,
			strconv.Itoa(breaches[d.Dealer]),
		})
	}
	return out
}
