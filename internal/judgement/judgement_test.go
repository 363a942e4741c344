package judgement

import (
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// The hash follows what is judged and what is stored, and no text for people.
func TestHash(t *testing.T) {
	cases, err := Cases(enginetest.Options(), "../../testdata/scenarios", 2)
	if err != nil {
		t.Fatal(err)
	}
	hashed := map[string]string{}
	for _, class := range []string{"fixture", "scenario", "legal", "fault"} {
		for i := range cases {
			if c := &cases[i]; c.Class == class {
				hash, err := c.Hash()
				if again, _ := c.Hash(); err != nil || again != hash {
					t.Errorf("%s %s: %s, then %s, %v", class, c.Name, hash, again, err)
				}
				hashed[hash] = c.Name
				break
			}
		}
	}
	if len(hashed) != 4 {
		t.Errorf("%d different hashes of a case of each class, want 4", len(hashed))
	}
	audit := cases[len(cases)-1].audit
	want, err := cases[len(cases)-1].Hash()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		what   string
		change func(*rows.Set)
		same   bool
	}{
		{"texts", func(s *rows.Set) { s.Findings[0].Observed, s.Findings[0].Citations = "another text", nil }, true},
		{"order of findings", func(s *rows.Set) { s.Findings = append(s.Findings[1:], s.Findings[0]) }, true},
		{"id", func(s *rows.Set) { s.Findings[0].ID = "0" }, false},
		{"verdict", func(s *rows.Set) { s.Findings[0].Verdict = finding.Suspect }, false},
		{"amount", func(s *rows.Set) { s.Findings[0].Amount++ }, false},
		{"evidence", func(s *rows.Set) { s.Findings[0].Evidence.Seqs = nil }, false},
		{"a fact of a round", func(s *rows.Set) { s.Rounds.Paid[0]++ }, false},
		{"a fact of a shoe", func(s *rows.Set) { s.Shoes[0].Rounds++ }, false},
	} {
		c := Case{audit: func() (*rows.Set, error) {
			set, err := audit()
			tc.change(set)
			return set, err
		}}
		if got, err := c.Hash(); err != nil || (got == want) != tc.same {
			t.Errorf("%s: the same hash: %v, want %v; %v", tc.what, got == want, tc.same, err)
		}
	}
}

func TestWrite(t *testing.T) {
	var printed []string
	for rounds := range uint32(2) {
		var out strings.Builder
		audit := func() (*rows.Set, error) { return &rows.Set{Shoes: []rows.Shoe{{Rounds: rounds}}}, nil }
		if err := Write(&out, []Case{{"fixture", "S-PB", audit}}, true); err != nil {
			t.Fatal(err)
		}
		printed = append(printed, out.String())
	}
	if strings.Count(printed[0], "\n") != 3 {
		t.Errorf("got %s, want a line for the case, one for its class and one for all", printed[0])
	}
	if printed[0] == printed[1] {
		t.Errorf("other facts have the same hashes: %s", printed[0])
	}
}
