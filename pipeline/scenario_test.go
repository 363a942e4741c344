package pipeline_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate"
)

var update = flag.Bool("update", false, "rewrite the findings of the scenarios")

// A scenario is a story, a legal shoe, what goes wrong in it, and the findings that it must give.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("../testdata/scenarios/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) { scenario(t, file, name) })
	}
}

func scenario(t *testing.T, file, name string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	section := func(name string) *txtar.File {
		for i := range archive.Files {
			if archive.Files[i].Name == name {
				return &archive.Files[i]
			}
		}
		t.Fatalf("%s: want a section %s", file, name)
		return nil
	}
	events, err := simulate.Fixture(strings.TrimSpace(string(section("shoe").Data)))
	if err != nil {
		t.Fatal(err)
	}
	edits, err := simulate.ParseEdits(string(section("edits").Data))
	if err != nil {
		t.Fatalf("%s: edits: %v", file, err)
	}
	if events, err = edits.Apply(events); err != nil {
		t.Fatalf("%s: edits: %v", file, err)
	}
	findings := replay(t, events).Findings
	got := ""
	for i := range findings {
		got += scenarioLine(&findings[i])
	}
	want := section("findings")
	if *update {
		want.Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if d := cmp.Diff(string(want.Data), got); d != "" {
		t.Errorf("findings differ (-want +got):\n%s", d)
	}
	proves(t, name, findings)
}

// proves holds a scenario that is named after a rule to that rule: it is the only finding of level
// minor or above, or, for a rule of level info, the only one of that rule. What is wrong with the
// table itself is found again in the second shoe.
func proves(t *testing.T, name string, findings []schema.Finding) {
	rule := ruleNamed(strings.SplitN(name, "~", 2)[0])
	if rule == nil {
		return
	}
	own := 0
	for i := range findings {
		f := &findings[i]
		switch {
		case f.Rule == rule.Name && f.Verdict != "UNAUDITABLE":
			if !strings.HasSuffix(f.ShoeID, "-2") {
				own++
			}
		case f.Severity != "info":
			t.Errorf("bystander: %s", line(f))
		}
	}
	if own != 1 {
		t.Errorf("%d findings of %s, want exactly one", own, rule.Name)
	}
}

func ruleNamed(name string) *rules.Rule {
	for _, r := range rules.All() {
		if r.Name == name {
			return r
		}
	}
	return nil
}

func scenarioLine(f *schema.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", f.Severity, f.Rule)
	if f.Verdict == "UNAUDITABLE" {
		b.WriteString(" UNAUDITABLE")
	}
	if f.Round != 0 {
		fmt.Fprintf(&b, " round=%d", f.Round)
	}
	if f.Seat != 0 {
		fmt.Fprintf(&b, " seat=%d", f.Seat)
	}
	if f.Subject != "" {
		fmt.Fprintf(&b, " %s", f.Subject)
	}
	if f.Amount != 0 {
		fmt.Fprintf(&b, " amount=%d", f.Amount)
	}
	fmt.Fprintf(&b, "\n  cites    %s\n  expected %s\n  observed %s\n", strings.Join(f.Citations, "; "), f.Expected, f.Observed)
	return b.String()
}

// Every rule has a scenario.
func TestEveryRuleHasAScenario(t *testing.T) {
	for _, r := range rules.All() {
		files, _ := filepath.Glob("../testdata/scenarios/" + r.Name + "*.txtar")
		if len(files) == 0 {
			t.Errorf("%s has no scenario in testdata/scenarios", r.Name)
		}
	}
}
