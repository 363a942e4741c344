package bench

import (
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/simulate/cheat"
	"github.com/shoeproof/shoeproof/simulate/deal"
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

// readCSV reads what WriteCSV wrote.
func readCSV(t *testing.T, in io.Reader) Sheet {
	t.Helper()
	lines, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var s Sheet
	for _, l := range lines[1:] {
		s = append(s, Cell{l[0], l[1], l[2], l[3]})
	}
	return s
}

// One patron who knows is the subject of the first page, also where the evidence about the table or its dealer is
// sufficient first.
func TestFirstPageNamesThePatron(t *testing.T) {
	books, err := rules.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{
		promise: detectors.DefaultBudget(), offers: &offers{books: books, made: map[string]*detectors.Offer{}},
	}
	cheats := cheat.All()
	for name, seeds := range map[string][]uint64{"s1-0.5": {12, 35, 88}, "s2-0.5": {80, 92}, "s2-1": {70}} {
		c := &cheats[slices.IndexFunc(cheats, func(c cheat.Cheat) bool { return c.Name == name })]
		for _, seed := range seeds {
			out, err := b.runCheat(c, 1_000_000+seed, true)
			if err != nil || out.First == "" || !out.Key {
				t.Errorf("%s, seed %d: first page by %q, about the patron %t: %v", name, seed, out.First, out.Key, err)
			}
		}
	}
}

// The same seed gives the same figures.
func TestSmallRun(t *testing.T) {
	sheet, err := Run(t.Context(), Options{
		Runs: 4, Seed: 1,
		Only: []string{"delay", "s1-1", "s3-20", "s4-2", "s7-1", "s8-0.1", "s14", "n5"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := sheet.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/small.csv", out.String())
	if d := cmp.Diff(sheet, readCSV(t, &out)); d != "" {
		t.Errorf("CSV does not come back:\n%s", d)
	}
}

// The measured part of the document is what testdata/measured.csv has, which `audit bench detectors --csv` wrote.
func TestDocument(t *testing.T) {
	const page, from, to = "../../docs/detectors.md", "<!-- measured -->\n", "<!-- /measured -->\n"
	file, err := os.Open("testdata/measured.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sheet := readCSV(t, file)
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
	for fate, want := range map[deal.Fate]baccarat.Disposition{
		deal.FateCollected: baccarat.Collect, deal.FatePaid: baccarat.Pay, deal.FateReturned: baccarat.Return,
	} {
		if baccarat.Disposition(fate) != want {
			t.Errorf("%d is %v, want %v", fate, baccarat.Disposition(fate), want)
		}
	}
	for _, c := range cheat.All() {
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
	if n := len(cheat.All()); len(scenarios) != n {
		t.Errorf("%d scenarios for %d cheats", len(scenarios), n)
	}
}

// A measurement that was stopped goes on from the file of what was played, to the same figures.
func TestKeep(t *testing.T) {
	o := Options{Runs: 6, Seed: 1, Only: []string{"delay", "s14"}}
	whole, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Keep, o.Runs = filepath.Join(t.TempDir(), "played"), 2
	for range 2 {
		sheet, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(o.Keep)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n != o.Runs {
			t.Errorf("%d tables were kept, want %d", n, o.Runs)
		}
		if d := cmp.Diff(whole, sheet); o.Runs == 6 && d != "" {
			t.Errorf("figures differ from those played at once:\n%s", d)
		}
		o.Runs = 6
	}
	if err := os.WriteFile(o.Keep, []byte("{\"table\":\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "played:1: ") {
		t.Errorf("error %v, want one that names the line", err)
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
	rounds := 20_000
	if os.Getenv("SHOEPROOF_SOAK") != "" {
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
		if count, bound, ok := strings.Cut(strings.TrimSuffix(c.Value, ")"), " ("); ok && strings.HasPrefix(c.Column,
			"alarms") {
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
