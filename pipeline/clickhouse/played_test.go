//go:build unix

package clickhouse

import (
	"fmt"
	"slices"
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
	all, at := make([]PlayedRound, len(want)), map[shoeRound]*PlayedRound{}
	for i := range all {
		all[i].Round = uint32(i + 1)
		at[shoeRound{"a", "s", all[i].Round}] = &all[i]
	}
	of, args := ofShoes("ac-1", []*ClosedShoe{{Table: "a", Shoe: "s"}, {Table: "b", Shoe: "s"}})
	if err := s.countBreaches(t.Context(), at, of, args); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if all[i].Breaches != want[i] {
			t.Errorf("round %d: %d breaches, want %d", all[i].Round, all[i].Breaches, want[i])
		}
	}
}

// The rounds of several shoes are read together: also of two tables whose shoes have one name.
func TestRoundsOfShoes(t *testing.T) {
	s := open(t, migrated(t))
	b := &pipeline.Batch{Range: pipeline.Range{Topic: "t", To: 1, Hash: "a"}}
	fillRows(&b.Rounds)
	fillRows(&b.Wagers)
	b.Wagers.WagerID.Reset()
	tables, shoes := []string{"b", "a", "a"}, []string{"s", "s", "r"}
	for i := range kindsOfRows {
		table, shoe := tables[i%3], shoes[i%3]
		b.Rounds.PropertyID[i], b.Rounds.TableID[i], b.Rounds.ShoeID[i], b.Rounds.Round[i] = "ac-1", table, shoe, 7
		b.Wagers.PropertyID[i], b.Wagers.TableID[i], b.Wagers.ShoeID[i], b.Wagers.Round[i] = "ac-1", table, shoe, 7
		b.Wagers.WagerID.Append([]byte(table + "-" + shoe))
		b.Rounds.At[i], b.Wagers.At[i] = 1_800_000_000_000_000_000, 1_800_000_000_000_000_000
	}
	write(t, s, b)
	asked := []*ClosedShoe{
		{Table: "a", Shoe: "s"}, {Table: "c", Shoe: "s"}, {Table: "b", Shoe: "s"}, {Table: "a", Shoe: "r"},
	}
	played, err := s.RoundsOf(t.Context(), "ac-1", asked)
	if err != nil || len(played) != len(asked) {
		t.Fatalf("%d shoes, %v; want %d", len(played), err, len(asked))
	}
	for i, c := range asked {
		var got []string
		for _, p := range played[i] {
			for _, w := range p.Wagers {
				got = append(got, fmt.Sprint(p.Round, p.Table, p.Shoe, w.ID))
			}
		}
		var want []string
		if c.Table != "c" {
			want = []string{"7" + c.Table + c.Shoe + c.Table + "-" + c.Shoe}
		}
		if !slices.Equal(got, want) {
			t.Errorf("shoe %s of table %s: %q, want %q", c.Shoe, c.Table, got, want)
		}
	}
}
