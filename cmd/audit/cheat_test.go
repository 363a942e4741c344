package main

import (
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/simulate/cheat"
)

// The rules report no cheat, unless it is declared to break one, and no honest irregularity. Detectors are tested
// elsewhere.
func TestCheatsBreakNoRules(t *testing.T) {
	dir := t.TempDir()
	for i, c := range cheat.All() {
		if c.Breach || enginetest.Skips(i) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			path := dir + "/" + c.Name + ".pb"
			var out, errs strings.Builder
			if code := run(t.Context(), []string{"simulate", "--cheat", c.Name, "--shoes", "3", "--seed", "8", "-o", path}, nil,
				&out, &errs); code != 0 {
				t.Fatalf("exit code %d: %s", code, errs.String())
			}
			if code := run(t.Context(), []string{"replay", "-o", "ndjson", path}, nil, &out, &errs); code != 0 {
				t.Errorf("exit code %d: %s", code, errs.String())
			}
			for line := range strings.Lines(out.String()) {
				if !strings.Contains(line, `"kind":"anomaly"`) {
					t.Errorf("finding: %s", line)
				}
			}
		})
	}
}
