package bench

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/simulate"
)

// update rewrites the golden files and the document.
func update() bool { return os.Getenv("SHOEPROOF_UPDATE") != "" }

func golden(t *testing.T, path, got string) {
	t.Helper()
	want, err := os.ReadFile(path)
	if err != nil && !update() {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		if !update() {
			t.Fatalf("%s differs, set SHOEPROOF_UPDATE=1 to rewrite it (-file +now):\n%s", path, d)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The same seed gives the same figures.
func TestSmallRun(t *testing.T) {
	sheet, err := Run(t.Context(), Options{Runs: 4, Seed: 1, Only: []string{"delay", "s1-1", "s3-20", "s4-2", "s7-1", "s8-0.1", "s14", "n5"}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := sheet.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/small.csv", out.String())
	back, err := ReadCSV(&out)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(sheet, back); d != "" {
		t.Errorf("CSV does not come back:\n%s", d)
	}
}

// The measured part of the document is what testdata/measured.csv has, which `audit bench detectors --csv` wrote.
func TestDocument(t *testing.T) {
	const page, from, to = "../../../docs/detectors.md", "<!-- measured -->\n", "<!-- /measured -->\n"
	file, err := os.Open("testdata/measured.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sheet, err := ReadCSV(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), from)
	_, tail, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		t.Fatalf("%s has no part between %q and %q", page, from, to)
	}
	golden(t, page, head+from+sheet.Markdown()+"\n"+to+tail)
}

// What the simulator calls a stake's fate is what the rules call it.
func TestWords(t *testing.T) {
	for fate, want := range map[simulate.Fate]rules.Disposition{
		simulate.FateCollected: rules.Collect, simulate.FatePaid: rules.Pay, simulate.FateReturned: rules.Return,
	} {
		if rules.Disposition(fate) != want {
			t.Errorf("%d is %v, want %v", fate, rules.Disposition(fate), want)
		}
	}
	for _, c := range simulate.Cheats() {
		if scenarios[c.Name].horizon == 0 {
			t.Errorf("%s: no horizon", c.Name)
		}
		for _, id := range c.Detectors {
			known := false
			for _, d := range detectors.All() {
				known = known || d.ID == id
			}
			if !known {
				t.Errorf("%s: no detector %s", c.Name, id)
			}
		}
	}
	if n := len(simulate.Cheats()); len(scenarios) != n {
		t.Errorf("%d scenarios for %d cheats", len(scenarios), n)
	}
}

func TestUnknownScenario(t *testing.T) {
	_, err := Run(t.Context(), Options{Runs: 1, Only: []string{"s99"}})
	if err == nil || !strings.Contains(err.Error(), `"s99"`) {
		t.Errorf("error %v, want one that names s99", err)
	}
}

// Honest rounds: no stream has more alarms than its starts allow, and no page.
func TestHonest(t *testing.T) {
	rounds := 1_000_000
	switch {
	case testing.Short():
		rounds = 20_000
	case os.Getenv("SHOEPROOF_SOAK") != "":
		rounds = 10_000_000
	}
	sheet, err := Run(t.Context(), Options{Runs: 1, Seed: 1, Rounds: rounds, Only: []string{"honest"}})
	if err != nil {
		t.Fatal(err)
	}
	streams := 0
	for _, c := range sheet {
		if c.Section != "honest" || c.Row == "in all" {
			continue
		}
		streams += one(c.Column == "factors")
		if count, bound, ok := strings.Cut(strings.TrimSuffix(c.Value, ")"), " ("); ok && strings.HasPrefix(c.Column, "alarms") {
			n, err1 := strconv.ParseFloat(count, 64)
			most, err2 := strconv.ParseFloat(bound, 64)
			if err1 != nil || err2 != nil || n > most+3*max(most, 1) {
				t.Errorf("%s, %s: %s", c.Row, c.Column, c.Value)
			}
		}
		if c.Column == "pages" && c.Value != "0" {
			t.Errorf("%s: %s false pages in %d rounds", c.Row, c.Value, rounds)
		}
	}
	if streams < 20 {
		t.Errorf("%d streams, want those of all detectors", streams)
	}
}
