//go:build unix

package clickhouse

import (
	"testing"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline"
)

// A finding that is SUSPECT only because its law is assumed counts as under the text; a doubt about the play, an
// irregularity that was handled and other rules do not count.
func TestBreachesUnderAssumedLaw(t *testing.T) {
	s := open(t, migrated(t))
	b := &pipeline.Batch{Range: pipeline.Range{Topic: "t", To: 1, Hash: "a"}}
	var want []uint64
	for i, c := range []struct {
		rule    string
		verdict finding.Verdict
		basis   finding.Basis
		counts  uint64
	}{
		{"draw.banker.must-stay", finding.Breach, finding.Text, 1},
		{"draw.banker.must-stay", finding.Suspect, finding.Assumed("inherit_13_69f"), 1},
		{"draw.banker.must-stay", finding.Suspect, finding.NotInForce, 1},
		{"draw.banker.must-stay", finding.Breach, finding.Adopted("inherit_13_69f"), 1},
		{"draw.banker.must-stay", finding.Suspect, finding.Text, 0},
		{"draw.banker.must-stay", finding.Information, finding.Text, 0},
		{"vig.amount.under", finding.Breach, finding.Text, 0},
	} {
		round := uint32(i + 1)
		f := finding.New(finding.Identity{
			PropertyID: "ac-1", TableID: "a", ShoeID: "s", Round: round, Rule: c.rule,
		}, finding.Deviation, c.verdict, finding.Major)
		f.At, f.GamingDay, f.Basis = 1_800_000_000_000_000_000, "2027-01-15", c.basis
		b.Findings = append(b.Findings, f)
		want = append(want, c.counts)
	}
	write(t, s, b)
	all := make([]PlayedRound, len(want))
	for i := range all {
		all[i].Round = uint32(i + 1)
	}
	if err := s.countBreaches(t.Context(), all, params("property", "ac-1", "table", "a", "shoe", "s")); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if all[i].Breaches != want[i] {
			t.Errorf("round %d: %d breaches, want %d", all[i].Round, all[i].Breaches, want[i])
		}
	}
}
