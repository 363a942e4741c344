package engine_test

import (
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/simulate/script"
)

// A rule that demands something else under its name finds other findings.
func TestVersionOfTheRuleIsInTheID(t *testing.T) {
	const name = "irreg.error-remedied"
	found := func() (f finding.Finding) {
		for _, fixture := range script.Fixtures() {
			events, err := script.Fixture(fixture)
			if err != nil {
				t.Fatal(err)
			}
			all := replay(t, events).Findings
			if at := slices.IndexFunc(all, func(f finding.Finding) bool { return f.Rule == name }); at >= 0 {
				return all[at]
			}
		}
		t.Fatalf("no fixture breaks %s", name)
		return f
	}
	first := found()
	all := rules.All()
	rule := all[slices.IndexFunc(all, func(r *rules.Rule) bool { return r.Name == name })]
	rule.Version = 2
	t.Cleanup(func() { rule.Version = 0 })
	if second := found(); second.ID == first.ID || second.ID != first.Identity(2).ID() ||
		first.ID != first.Identity(1).ID() {
		t.Errorf(
			"ids %s and %s of versions 1 and 2, want %s and %s", first.ID, second.ID, first.Identity(1).ID(),
			first.Identity(2).ID(),
		)
	}
	if got := rules.Versions(); len(got) != 1 || got[name] != 2 {
		t.Errorf("versions %v, want 2 of %s alone", got, name)
	}
}
