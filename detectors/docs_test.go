package detectors

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// docs/detectors.md has the texts and thresholds of the code. SHOEPROOF_UPDATE=1 writes them.
func TestDocs(t *testing.T) {
	const path, begin, end = "../docs/detectors.md", "<!-- detectors -->\n", "<!-- /detectors -->\n"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), begin)
	written, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s: no part between %q and %q", path, begin, end)
	}
	p := DefaultBudget()
	var b strings.Builder
	for _, d := range All() {
		fmt.Fprintf(&b, "\n### %s: %s\n\n", strings.ToUpper(d.ID), d.Name)
		fmt.Fprintf(&b, "- Observes %s.\n- Null (%v): %s.\n- Reports %s.\n", d.Observes, d.Tier, d.Null, d.Reports)
		var keys []string
		for _, k := range d.Keys {
			word := k.String()
			if k.Ends() {
				word += " (in the stream)"
			}
			if ln := p.LnThreshold(d, k); !math.IsInf(ln, 1) {
				word += fmt.Sprintf(", ln A %.1f", ln)
			}
			keys = append(keys, word)
		}
		fmt.Fprintf(&b, "- Keys: %s.\n", strings.Join(keys, "; "))
	}
	b.WriteString("\n")
	if os.Getenv("SHOEPROOF_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(head+begin+b.String()+end+tail), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if written != b.String() {
		t.Errorf("%s differs from the detectors; update it with SHOEPROOF_UPDATE=1", path)
	}
}
