package export

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
)

// report is what report.html and summary.pdf say.
type report struct {
	M          *Manifest
	Facts      [][2]string
	Severities [][2]string // severity and number, the gravest first
	Rules      []Count     // the most frequent first
	Sections   []Section
	Coverage   []Coverage
	Lines      []reportLine
	Total      int
}

// reportLine is an exception in a report.
type reportLine struct {
	No, At, Table, Shoe, Round, Rule, Severity, Expected, Observed, Amount, Citation, Note string
}

func (b *builder) report(graver []exception) *report {
	m := &b.manifest
	r := &report{M: m, Sections: b.day.Sections, Coverage: b.coverage, Total: len(graver)}
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
		{"Findings", strconv.FormatInt(m.Findings, 10)},
		{"Amendments", strconv.FormatInt(m.Amendments, 10) + amended(m.Amends)},
		{"Exceptions", fmt.Sprintf("%d to %d", m.FirstException, m.FirstException+m.Findings+m.Amendments-1)},
		{"Rulebooks", strings.Join(m.Rulebooks, ", ")},
		{"Release", m.Engine},
		{"To be kept until", strings.Join(append([]string{m.Retention.Until}, m.Retention.Holds...), "; legal hold: ")},
	}
	if m.Findings+m.Amendments == 0 {
		r.Facts[6][1] = "none"
	}
	for i := range graver[:min(len(graver), mostInReport)] {
		r.Lines = append(r.Lines, b.reportLine(&graver[i]))
	}
	return r
}

func amended(days []string) string {
	if len(days) == 0 {
		return ""
	}
	return ", of " + strings.Join(days, ", ")
}

func (b *builder) reportLine(e *exception) reportLine {
	f := e.finding
	if f == nil {
		return reportLine{No: strconv.FormatInt(e.no, 10), Rule: "withdrawn", Note: e.amendment()}
	}
	l := reportLine{
		No: strconv.FormatInt(e.no, 10), At: strings.Replace(b.local(f.At-f.At%1e9), "T", " ", 1), Table: f.TableID, Shoe: f.ShoeID, Rule: f.Rule, Severity: f.Severity.String(),
		Expected: f.Expected, Observed: f.Observed, Citation: strings.Join(f.Citations, "; "),
		Note: strings.Join(nonEmpty(e.amendment(), b.day.Triage[f.ID].Explanation), " "),
	}
	if f.Round > 0 {
		l.Round = strconv.FormatUint(uint64(f.Round), 10)
	}
	if f.Amount != 0 {
		l.Amount = schema.Money(f.Amount, f.Currency)
	}
	return l
}

func (r *report) writeHTML(o *out) error {
	t, err := template.New("report").Parse(reportHTML)
	if err != nil {
		return fmt.Errorf("read the report's template: %w", err)
	}
	if err := t.Execute(o, r); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// More is how many exceptions a report does not list.
func (r *report) More() int { return r.Total - len(r.Lines) }

// Attestation is what the authorised officer signs. 9 NYCRR 5315.12.
func (r *report) Attestation() []string {
	return []string{
		"I am authorised by " + r.M.Licensee + " to make this report. To the best of my knowledge it is complete and correct for the property and gaming day above.",
		"Name and title", "Signature", "Date",
	}
}

const reportHTML = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{.M.Form}} - {{.M.Property}} - {{.M.GamingDay}}</title>
<style>
@page { size: letter landscape; margin: 18mm 12mm 16mm;
  @top-left { content: "{{.M.Licensee}} - {{.M.Form}}"; font: 8pt sans-serif }
  @top-right { content: "{{.M.Property}}, gaming day {{.M.GamingDay}}, export {{.M.Export}}"; font: 8pt sans-serif }
  @bottom-right { content: "page " counter(page) " / " counter(pages); font: 8pt sans-serif } }
body { font: 10pt/1.35 sans-serif; color: #111; max-width: 72em; margin: 1.5em auto; padding: 0 1em }
h1 { font-size: 16pt; margin: 0 } h2 { font-size: 12pt; margin: 1.6em 0 .4em; break-after: avoid }
.licensee { font-size: 12pt; margin: 0 0 .2em }
table { border-collapse: collapse; width: 100% } thead { display: table-header-group } tr { break-inside: avoid }
th, td { text-align: left; vertical-align: top; padding: .2em .5em; border-bottom: 1px solid #ccc; overflow-wrap: anywhere }
th { border-bottom: 2px solid #444 } .n { text-align: right; white-space: nowrap } .w { min-width: 7.5em } .x { min-width: 8em }
table + table { margin-top: 1em } table.facts { width: auto } table.facts th { border-bottom: 1px solid #ccc; font-weight: normal; color: #444 }
.severity-critical { font-weight: bold } .note { color: #444 } .formula { font-family: monospace; font-size: 9pt }
.attest td { border: 0; padding-top: 2.2em } .attest .line { border-bottom: 1px solid #111; width: 60% }
@media print { body { margin: 0; max-width: none } .attestation { break-inside: avoid } }
</style>
</head>
<body>
<p class="licensee">{{.M.Licensee}}</p>
<h1>{{.M.Form}}</h1>
<table class="facts">
{{range .Facts}}<tr><th>{{index . 0}}</th><td>{{index . 1}}</td></tr>
{{end}}</table>
<h2>Findings by severity and rule</h2>
<table><thead><tr><th>Severity</th><th class="n">Findings</th></tr></thead><tbody>
{{range .Severities}}<tr><td class="severity-{{index . 0}}">{{index . 0}}</td><td class="n">{{index . 1}}</td></tr>
{{end}}</tbody></table>
{{if .Rules}}<table><thead><tr><th>Rule</th><th>Severity</th><th class="n">Findings</th></tr></thead><tbody>
{{range .Rules}}<tr><td>{{.Rule}}</td><td>{{.Severity}}</td><td class="n">{{.Findings}}</td></tr>
{{end}}</tbody></table>
{{end}}{{range .Sections}}<h2>{{.Title}}</h2>
{{if .Note}}<p class="note">{{.Note}}</p>
{{end}}<table><thead><tr>{{range .Columns}}<th>{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Rows}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>
{{else}}<tr><td colspan="{{len .Columns}}">none</td></tr>
{{end}}</tbody></table>
{{range .Formulas}}<p class="formula">{{.}}</p>
{{end}}{{end}}<h2>Exceptions</h2>
{{if .Lines}}<table><thead><tr><th class="n">No.</th><th>Local time</th><th class="x">Table, shoe, round</th><th>Rule</th><th>Expected</th><th>Observed</th><th class="n">Amount</th><th class="x">Explanation</th></tr></thead><tbody>
{{range .Lines}}<tr><td class="n">{{.No}}</td><td class="w">{{.At}}</td><td>{{.Table}}<br>{{.Shoe}}{{if .Round}}<br>round {{.Round}}{{end}}</td><td class="severity-{{.Severity}}">{{.Rule}}<br>{{.Severity}}<br><span class="note">{{.Citation}}</span></td><td>{{.Expected}}</td><td>{{.Observed}}</td><td class="n">{{.Amount}}</td><td>{{.Note}}</td></tr>
{{end}}</tbody></table>
{{if .More}}<p class="note">and {{.More}} more: exceptions.csv has all. Listed are the gravest.</p>
{{end}}{{else}}<p>None.</p>
{{end}}<h2>What was received</h2>
<table><thead><tr><th>Topic</th><th class="n">Partition</th><th class="n">First offset</th><th class="n">Last offset</th><th class="n">Records</th><th class="n">Gaps</th><th class="n">Unreadable</th></tr></thead><tbody>
{{range .Coverage}}<tr><td>{{.Topic}}</td><td class="n">{{.Partition}}</td><td class="n">{{.First}}</td><td class="n">{{.Last}}</td><td class="n">{{.Records}}</td><td class="n">{{len .Gaps}}</td><td class="n">{{len .DeadLetters}}</td></tr>
{{else}}<tr><td colspan="7">nothing</td></tr>
{{end}}</tbody></table>
<div class="attestation"><h2>Attestation</h2>
{{range $i, $t := .Attestation}}{{if eq $i 0}}<p>{{$t}}</p><table class="attest">{{else}}<tr><td>{{$t}}</td><td class="line"></td></tr>
{{end}}{{end}}</table></div>
</body>
</html>
`
