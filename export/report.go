package export

import (
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// report is the content of report.html and summary.pdf.
type report struct {
	M          *Manifest
	Facts      [][2]string
	Severities [][2]string // severity and number, highest severity first
	Rules      []Count     // the most frequent first
	Sections   []Section
	Coverage   []Coverage
	// Amendments are the amendments in words; Amends is their sum in a sentence.
	Amends     string
	Amendments []string
	Lines      []reportLine
	Total      int
}

// reportLine is an exception in a report.
type reportLine struct {
	No, At, Table, Shoe, Round, Rule, Severity, Claim, Expected, Observed, Amount, Citation, Note string
}

// notAuditable lists what could not be audited, by the sensor that the tables lack or the events that are missing.
func notAuditable(fresh []*digested) Section {
	s := Section{
		Title: "Not auditable", Columns: []string{"Sensor", "Findings", "Rules", "Tables"},
		Note: "Rules that were not evaluated because a table does not report what they need, or because events are missing." +
			" They accuse no one. Notices of severity info are no exceptions; each is a line of findings.ndjson.",
	}
	findings := func(yield func(*finding.Finding) bool) {
		for _, f := range fresh {
			if !yield(&f.finding) {
				return
			}
		}
	}
	for _, u := range finding.NotAuditable(findings) {
		s.Rows = append(s.Rows, []string{
			u.Sensor, strconv.Itoa(u.Findings), strings.Join(u.Rules, ", "), strings.Join(u.Tables, ", "),
		})
	}
	return s
}

func (b *builder) report(all []exception, fresh []*digested, amendments []Amendment) *report {
	m := &b.manifest
	sections := append([]Section{notAuditable(fresh)}, b.day.Sections...)
	r := &report{M: m, Sections: sections, Coverage: b.coverage, Total: len(all)}
	r.Amends, r.Amendments = b.amendmentReport(amendments)
	bySeverity := map[string]int64{}
	byRule := map[string]int64{}
	for _, c := range m.Counts {
		bySeverity[c.Severity] += c.Findings
		byRule[c.Rule] += c.Findings
	}
	for _, s := range []string{"critical", "major", "minor", "info"} {
		r.Severities = append(r.Severities, [2]string{s, strconv.FormatInt(bySeverity[s], 10)})
	}
	r.Rules = slices.Clone(m.Counts)
	slices.SortStableFunc(r.Rules, func(a, b Count) int { return int(min(max(b.Findings-a.Findings, -1), 1)) })
	shifts := make([]string, len(m.Shifts))
	for i, s := range m.Shifts {
		shifts[i] = s.Name + " from " + s.Start
	}
	r.Facts = [][2]string{
		{"Property", m.Property},
		{"Gaming day", fmt.Sprintf("%s, %s to %s", m.GamingDay, b.local(m.From), b.local(m.Until))},
		{"Shifts", strings.Join(shifts, ", ") + " (" + m.Zone + ")"},
		{"Export", fmt.Sprintf("%d of the log %s", m.Export, m.Origin)},
		{"New findings", strconv.FormatInt(m.Findings, 10)},
		{"Amendments", strconv.FormatInt(m.Amendments, 10) + amended(m.Amends)},
		{"Exceptions", standing(all)},
		{"Rulebooks", strings.Join(m.Rulebooks, ", ")},
		{"Release", m.Engine},
		{"Retention until", strings.Join(append([]string{m.Retention.Until}, m.Retention.Holds...), "; legal hold: ")},
	}
	for _, run := range m.Runs {
		r.Facts = append(r.Facts, [2]string{
			"Nightly run", fmt.Sprintf("%s: %s, %s", strings.TrimSpace(run.ID+" "+run.Shift),
				schema.Count(run.Tables, "table"), schema.Count(run.Events, "event")),
		})
	}
	for i := range all[:min(len(all), maxInReport)] {
		r.Lines = append(r.Lines, b.reportLine(&all[i]))
	}
	return r
}

// standing is the number of exceptions, and of those that amendments withdraw.
func standing(all []exception) string {
	withdrawn := 0
	for i := range all {
		if all[i].finding == nil {
			withdrawn++
		}
	}
	text := strconv.Itoa(len(all) - withdrawn)
	if withdrawn > 0 {
		text += fmt.Sprintf(", and %d withdrawn", withdrawn)
	}
	return text
}

func amended(days []string) string {
	if len(days) == 0 {
		return ""
	}
	return ", of " + strings.Join(days, ", ")
}

// amended refers to the amendment of an exception, which the reports have in words; empty without one.
func (e *exception) amended() string {
	for _, word := range amendmentWords() {
		if e.amends != nil && e.amends.Reason == word[0] {
			return "Amended (" + word[1] + "): see the amendments above."
		}
	}
	return ""
}

func (b *builder) reportLine(e *exception) reportLine {
	f := e.finding
	if f == nil {
		l := reportLine{Rule: "withdrawn", Note: e.amended()}
		if was := e.amends.before.brief; was != nil {
			l.Table, l.Shoe, l.Rule = was.Table, was.Shoe, was.Rule+" withdrawn"
		}
		return l
	}
	l := reportLine{
		No: strconv.FormatInt(e.no, 10), At: strings.Replace(b.local(f.At-f.At%1e9), "T", " ", 1), Table: f.TableID,
		Shoe: f.ShoeID, Rule: f.Rule, Severity: f.Severity.String(), Claim: f.Claim(),
		Expected: f.Expected, Observed: f.Observed, Citation: strings.Join(f.Citations, "; "),
		Note: strings.Join(nonEmpty(e.amended(), b.day.Triage[f.ID].Explanation), " "),
	}
	if f.Round > 0 {
		l.Round = strconv.FormatUint(uint64(f.Round), 10)
	}
	if f.Amount != 0 {
		l.Amount = schema.Money(f.Amount, f.Currency)
	}
	return l
}

//go:embed report.html.tmpl
var reportHTML string

func (r *report) writeHTML(o *out) error {
	t, err := template.New("report").Funcs(template.FuncMap{"parts": parts, "whole": whole}).Parse(reportHTML)
	if err != nil {
		return fmt.Errorf("read the report's template: %w", err)
	}
	if err := t.Execute(o, r); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// parts are the parts of a column's name, between which a line may break.
func parts(column string) []string { return strings.Split(column, "_") }

// whole reports whether a cell stays on one line, as numbers, times and names of tables do.
func whole(cell string) bool { return len(cell) <= len("2026-11-19T22:10:07-05:00") }

// Listed are the amendments that a report lists.
func (r *report) Listed() []string { return r.Amendments[:min(len(r.Amendments), maxInPDF)] }

// Unlisted is the number of amendments that a report does not list.
func (r *report) Unlisted() int { return len(r.Amendments) - len(r.Listed()) }

// More is the number of exceptions that the report does not list.
func (r *report) More() int { return r.Total - len(r.Lines) }

// Attestation is the text that the authorised officer signs, 9 NYCRR 5315.12.
func (r *report) Attestation() []string {
	return []string{
		"I am authorised by " + r.M.Licensee + " to make this report. To the best of my knowledge it is complete and " +
			"correct for the property and gaming day above.",
		"Name and title", "Signature", "Date",
	}
}
