package engine_test

import (
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"

	"github.com/shoeproof/shoeproof/internal/scenario"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/simulate/script"
)

// breach is a scenario that breaks one rule of a fixture in one place.
type breach struct {
	rule    *rules.Rule
	fixture string
	edits   script.Edits
	// rounds are the rounds that the edits name; kinds the events outside of rounds.
	rounds, kinds []string
}

// rewrites are edits that write a shoe, or its terms: they leave nothing independent.
var rewrites = regexp.MustCompile(`(?m)^(deal|burn|recompute|stake|configure)|table_opened|delete each|\*`)

func breaches(t *testing.T) []breach {
	t.Helper()
	files, err := filepath.Glob("../testdata/scenarios/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var list []breach
	for _, file := range files {
		rule := ruleNamed(strings.TrimSuffix(filepath.Base(file), ".txtar"))
		sc, err := scenario.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := sc.Section("edits")
		if rule == nil || rule.Severity < finding.Minor || sc.Section("rulebook") != "" || rewrites.MatchString(lines) {
			continue
		}
		edits, err := script.Parse(lines)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		b := breach{rule: rule, fixture: strings.TrimSpace(sc.Section("shoe")), edits: edits}
		for _, m := range regexp.MustCompile(`round=(\d+)`).FindAllStringSubmatch(lines, -1) {
			b.rounds = append(b.rounds, m[1])
		}
		for line := range strings.Lines(lines) {
			if !strings.Contains(line, "round=") {
				b.kinds = append(b.kinds, regexp.MustCompile(`[a-z]+_[a-z_]+`).FindAllString(line, -1)...)
			}
		}
		list = append(list, b)
	}
	return list
}

// independent reports whether two breaches touch other rounds and other events of the shoe.
func independent(a, b *breach) bool {
	overlap := func(x, y []string) bool {
		return slices.ContainsFunc(x, func(s string) bool { return slices.Contains(y, s) })
	}
	return a.fixture == b.fixture && a.rule != b.rule && !overlap(a.rounds, b.rounds) && !overlap(a.kinds, b.kinds)
}

// Two independent breaches in one shoe are both found, unless one covers the other.
func TestPairsOfBreaches(t *testing.T) {
	list := breaches(t)
	var pairs [][2]*breach
	for i := range list {
		for j := range i {
			if independent(&list[i], &list[j]) {
				pairs = append(pairs, [2]*breach{&list[i], &list[j]})
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	tried, given, want := 0, 0, enginetest.Soak(120, 500)
	for _, pair := range pairs {
		if tried == want {
			break
		}
		events, err := script.Fixture(pair[0].fixture)
		if err != nil {
			t.Fatal(err)
		}
		first, err := pair[0].edits.Apply(events)
		if err != nil {
			t.Fatal(err)
		}
		both, err := pair[1].edits.Apply(first)
		if err != nil {
			continue // the first breach took away what the second one names
		}
		tried++
		findings := replay(t, both).Findings
		for _, b := range pair {
			if found(findings, b.rule) {
				continue
			}
			if covers(findings, b.rule) {
				given++
				continue
			}
			t.Errorf("%s and %s in %s: %s is not found", pair[0].rule.Name, pair[1].rule.Name, b.fixture, b.rule.Name)
		}
	}
	t.Logf("%d of %d independent pairs tried, %d times one covered the other", tried, len(pairs), given)
	if tried < want {
		t.Errorf("%d pairs, want %d", tried, want)
	}
}

// covers reports whether a finding names one of a rule as explained by it.
func covers(findings []finding.Finding, r *rules.Rule) bool {
	return slices.ContainsFunc(findings, func(f finding.Finding) bool {
		return slices.ContainsFunc(
			f.Covers, func(name string) bool { return name == r.Name || strings.HasPrefix(name, r.Name+" ") },
		)
	})
}

func found(findings []finding.Finding, r *rules.Rule) bool {
	return slices.ContainsFunc(
		findings, func(f finding.Finding) bool { return f.Rule == r.Name && f.Verdict != "UNAUDITABLE" },
	)
}
