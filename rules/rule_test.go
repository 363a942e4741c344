package rules

import (
	"strings"
	"testing"
)

// A rule without a name, a sentence of what it demands, a stage and an example
// of breach cannot ship.
func TestRulesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range All() {
		switch {
		case r.Name == "" || seen[r.Name]:
			t.Errorf("%q: the name is missing or taken", r.Name)
		case !strings.HasSuffix(r.Doc, "."):
			t.Errorf("%s: what it demands is not a sentence", r.Name)
		case r.Breach == "" && r.Unknown == "":
			t.Errorf("%s: no example of breach", r.Name)
		case r.Check == nil && r.Floor == nil && r.Unknown == "":
			t.Errorf("%s: it evaluates nothing and gives no reason", r.Name)
		case r.At >= stageCount:
			t.Errorf("%s: no stage", r.Name)
		}
		seen[r.Name] = true
	}
}
