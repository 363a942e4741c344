package pipeline_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/finding"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/simulate/script"
)

var update = flag.Bool("update", false, "rewrite the findings of the scenarios")

// A scenario is a story, a legal shoe, what goes wrong in it, and the findings that it must give.
func TestScenarios(t *testing.T) {
	const folder = "../testdata/scenarios/"
	files, err := filepath.Glob(folder + "*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	legal, err := filepath.Glob(folder + "legal/*.txtar")
	if err != nil || len(legal) == 0 {
		t.Fatalf("no legal scenarios: %v", err)
	}
	for _, file := range append(files, legal...) {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), folder), ".txtar")
		t.Run(name, func(t *testing.T) { scenario(t, file, name) })
	}
}

func scenario(t *testing.T, file, name string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	optional := func(name string) *txtar.File {
		for i := range archive.Files {
			if archive.Files[i].Name == name {
				return &archive.Files[i]
			}
		}
		return nil
	}
	section := func(name string) *txtar.File {
		f := optional(name)
		if f == nil {
			t.Fatalf("%s: want a section %s", file, name)
		}
		return f
	}
	options := engineOptions()
	if f := optional("rulebook"); f != nil {
		if options.Books, err = rules.ShippedWith(map[string][]byte{file: f.Data}); err != nil {
			t.Fatal(err)
		}
	}
	events, err := script.Fixture(strings.TrimSpace(string(section("shoe").Data)))
	if err != nil {
		t.Fatal(err)
	}
	edits, err := script.Parse(string(section("edits").Data))
	if err != nil {
		t.Fatalf("%s: edits: %v", file, err)
	}
	if events, err = edits.Apply(events); err != nil {
		t.Fatalf("%s: edits: %v", file, err)
	}
	findings := replayWith(t, options, events).Findings
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
// table itself is found again in the second shoe. Legal play gives none.
func proves(t *testing.T, name string, findings []finding.Finding) {
	if strings.HasPrefix(name, "legal/") {
		for i := range findings {
			if findings[i].Rule != "irreg.error-remedied" { // an irregularity that was handled rightly
				t.Errorf("legal play: %s", line(&findings[i]))
			}
		}
		return
	}
	rule := ruleNamed(strings.SplitN(name, "~", 2)[0])
	if rule == nil {
		return
	}
	own := map[string]int{} // by shoe
	for i := range findings {
		f := &findings[i]
		switch {
		case f.Rule == rule.Name && f.Verdict != "UNAUDITABLE":
			own[f.ShoeID]++
		case f.Kind == "anomaly" && rule.Name == "shuffle.random-order": // rightly suspected besides
		case f.Severity != finding.Info:
			t.Errorf("bystander: %s", line(f))
		}
	}
	if len(own) == 0 {
		t.Errorf("no finding of %s", rule.Name)
	}
	for shoe, n := range own {
		if n != 1 {
			t.Errorf("%d findings of %s in shoe %s, want exactly one", n, rule.Name, shoe)
		}
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

func scenarioLine(f *finding.Finding) string {
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

// Every rule that can be judged has a scenario; one that cannot says why.
func TestEveryRuleHasAScenario(t *testing.T) {
	for _, r := range rules.All() {
		files, _ := filepath.Glob("../testdata/scenarios/" + r.Name + ".txtar")
		switch {
		case r.Check == nil && r.Floor == nil && r.Unknown == "":
			t.Errorf("%s has neither a check nor a word on what is unknown", r.Name)
		case r.Unknown != "" && len(files) > 0:
			t.Errorf("%s has a scenario, but cannot be judged: %s", r.Name, r.Unknown)
		case r.Unknown == "" && len(files) == 0:
			t.Errorf("%s has no scenario in testdata/scenarios", r.Name)
		}
	}
}
