package output_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/finding"

	"github.com/shoeproof/shoeproof/internal/output"
)

// hostile is a finding whose texts a spreadsheet would run, or a terminal act on.
func hostile() *finding.Finding {
	return &finding.Finding{
		ID: "1", Rule: "r", Severity: finding.Major, Citations: []string{"a", "b"}, TableID: "=1+1", ShoeID: "@x",
		Expected: "+1", Observed: "-1",
		DealerID: "\tcmd", PitID: "\rcmd", Amount: -5, Currency: "USD",
		Evidence: finding.Evidence{Seqs: []uint64{1, 2}, EventIDs: []string{"x", "y"}},
	}
}

func TestCSVIsNoFormula(t *testing.T) {
	var out bytes.Buffer
	p, err := output.NewPrinter(&out, "csv")
	if err != nil {
		t.Fatal(err)
	}
	early, late := hostile(), hostile()
	early.Observed = "an earlier version"
	p.Add(*early, *late)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, want a heading and one: %v", len(rows), err)
	}
	want := map[string]string{
		"table_id": "'=1+1", "shoe_id": "'@x", "expected": "'+1", "observed": "'-1", "dealer_id": "'\tcmd",
		"pit_id": "'\rcmd", "amount": "-5",
		"citations": "a; b", "evidence.seqs": "1 2", "evidence.event_ids": "x y",
	}
	for i, name := range rows[0] {
		if w, ok := want[name]; ok && rows[1][i] != w {
			t.Errorf("%s: %q, want %q", name, rows[1][i], w)
		}
	}
	if !p.Any(finding.Major) || p.Any(finding.Critical) || p.Counts() != "1: 0 critical, 1 major, 0 minor, 0 info" {
		t.Errorf("counts are %s", p.Counts())
	}
}

func TestTableIsPlain(t *testing.T) {
	f := hostile()
	f.TableID, f.Observed = "t\x1b[2J", "line\nbreak"
	var out bytes.Buffer
	if err := output.Table(&out, []finding.Finding{*f}); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Count(text, "\n") != 2 || strings.ContainsAny(text, "\x1b\r\t") ||
		!strings.Contains(text, "t?[2J") {
		t.Errorf("not fit for a terminal: %q", text)
	}
}
