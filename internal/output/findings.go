// Package output prints findings and sheets of figures as a table for people, or as CSV or NDJSON for programs. It
// neutralizes what a terminal or a spreadsheet would execute.
package output

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/shoeproof/shoeproof/finding"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// Formats returns the output formats.
func Formats() []string { return []string{"table", "ndjson", "csv"} }

// Printer is a sink that prints each finding once, when it is closed: an earlier version of a finding gives way to a
// later one. The order is that of arrival; a table is sorted by table, shoe and round.
type Printer struct {
	// Min is the minimum severity that is printed.
	Min finding.Severity
	// By counts the findings of each severity, printed or not; Close fills it.
	By [finding.Critical + 1]int

	out    io.Writer
	format string
	kept   []finding.Finding
}

var _ pipeline.Sink = (*Printer)(nil)

// NewPrinter returns a printer for a format of Formats.
func NewPrinter(out io.Writer, format string) (*Printer, error) {
	if !slices.Contains(Formats(), format) {
		return nil, fmt.Errorf("output format %q, want one of %s", format, strings.Join(Formats(), ", "))
	}
	return &Printer{out: out, format: format}, nil
}

// Write takes in the findings of batches.
func (p *Printer) Write(_ context.Context, set ...*pipeline.Batch) error {
	for _, b := range set {
		p.Add(b.Findings...)
	}
	return nil
}

// Add takes in findings.
func (p *Printer) Add(findings ...finding.Finding) { p.kept = append(p.kept, findings...) }

// Any reports whether there is a finding of a severity or above, printed or not.
func (p *Printer) Any(min finding.Severity) bool {
	return slices.Max(p.By[min:]) > 0
}

// Counts is a text of the number of findings of each severity, the highest first.
func (p *Printer) Counts() string {
	var words []string
	total := 0
	for s := finding.Critical; ; s-- {
		words = append(words, fmt.Sprintf("%d %s", p.By[s], s))
		total += p.By[s]
		if s == finding.Info {
			break
		}
	}
	return fmt.Sprintf("%d: %s", total, strings.Join(words, ", "))
}

// Close counts and prints the findings.
func (p *Printer) Close() error {
	var printed []finding.Finding
	for _, f := range finding.Latest(p.kept) {
		p.By[f.Severity]++
		if f.Severity >= p.Min {
			printed = append(printed, f)
		}
	}
	p.kept = nil
	var err error
	switch {
	case p.format == "csv":
		err = writeCSV(p.out, printed)
	case p.format == "ndjson":
		err = writeNDJSON(p.out, printed)
	case len(printed) > 0:
		err = Table(p.out, printed)
	}
	if err != nil {
		return fmt.Errorf("print findings: %w", err)
	}
	return nil
}

// writeCSV prints findings as a table of comma-separated values with a head.
func writeCSV(out io.Writer, findings []finding.Finding) error {
	w := csv.NewWriter(out)
	lines := [][]string{columns()}
	for i := range findings {
		lines = append(lines, cells(&findings[i]))
	}
	return w.WriteAll(lines)
}

// writeNDJSON prints a finding a line, as JSON.
func writeNDJSON(out io.Writer, findings []finding.Finding) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for i := range findings {
		if err := enc.Encode(&findings[i]); err != nil {
			return err
		}
	}
	return nil
}

// Table prints findings for people, sorted by table, shoe and round.
func Table(out io.Writer, findings []finding.Finding) error {
	findings = slices.Clone(findings)
	slices.SortStableFunc(findings, func(a, b finding.Finding) int {
		return cmp.Or(cmp.Compare(a.PropertyID, b.PropertyID), cmp.Compare(a.TableID, b.TableID), cmp.Compare(a.At, b.At),
			cmp.Compare(a.Round, b.Round))
	})
	w := NewTabs(out, "BASIS", "CLAUSE", "SEAT", "SHOE", "EXPECTED", "AMOUNT")
	fmt.Fprintln(w, "TABLE\tSHOE\tROUND\tSEAT\tSEVERITY\tVERDICT\tRULE\tCLAUSE\tBASIS\tEXPECTED\tOBSERVED\tAMOUNT")
	for i := range findings {
		f := &findings[i]
		row := []string{
			f.TableID, f.ShoeID, orDash(f.Round), orDash(f.Seat), f.Severity.String(), string(f.Verdict), f.Rule,
			strings.Join(f.Citations, "; "), cmp.Or(string(f.Basis), "-"), f.Expected, f.Observed,
			amountOrDash(f.Amount, f.Currency),
		}
		for i := range row {
			row[i] = Plain(row[i])
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print findings: %w", err)
	}
	return nil
}

func orDash(n uint32) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatUint(uint64(n), 10)
}

// Plain makes text from a record safe for a terminal: characters that are not printable become question marks.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}

// amountOrDash formats an amount; 0 is a dash.
func amountOrDash(minor int64, currency string) string {
	if minor == 0 {
		return "-"
	}
	return schema.Money(minor, currency)
}

// columns are the names of the JSON fields; the two lists of the evidence have their path.
func columns() []string {
	return []string{
		"id", "kind", "verdict", "rule", "severity", "citations", "property_id", "pit_id", "table_id", "shoe_id", "round",
		"seat", "subject",
		"dealer_id", "at", "gaming_day", "shift", "expected", "observed", "amount", "currency", "evidence.seqs",
		"evidence.event_ids",
		"rulebook", "engine", "covers", "basis",
	}
}

func cells(f *finding.Finding) []string {
	seqs := make([]string, len(f.Evidence.Seqs))
	for i, s := range f.Evidence.Seqs {
		seqs[i] = strconv.FormatUint(s, 10)
	}
	row := []string{
		f.ID, string(f.Kind), string(f.Verdict), f.Rule, f.Severity.String(), strings.Join(f.Citations, "; "), f.PropertyID,
		f.PitID, f.TableID, f.ShoeID,
		strconv.FormatUint(uint64(f.Round), 10), strconv.FormatUint(uint64(f.Seat), 10), f.Subject, f.DealerID, f.At.String(),
		f.GamingDay,
		f.Shift, f.Expected, f.Observed, "", f.Currency, strings.Join(seqs, " "), strings.Join(f.Evidence.EventIDs, " "),
		f.Rulebook, f.Engine,
		strings.Join(f.Covers, "; "), string(f.Basis),
	}
	for i := range row {
		row[i] = schema.Cell(row[i])
	}
	row[19] = strconv.FormatInt(f.Amount, 10) // a number, also below zero
	return row
}
