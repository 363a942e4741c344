package console

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// unproved is in the title of what cannot be audited.
var unproved = regexp.MustCompile(`^Cannot be audited: |\(not proved: |was not settled, and no card was dealt$`)

// expectedOf are the findings of a scenario as it states them.
var expectedOf = regexp.MustCompile(`(?m)^\w+ (\S+)(.*)((?:\n  .*)*)`)

// Each finding of the scenarios has a title with a subject and a verb. No title of what cannot be audited reads like
// a breach. testdata/titles.txt has those of the catalogue, to be read.
func TestTitles(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("../testdata/scenarios/*.txtar")
	law, _ := filepath.Glob("../testdata/scenarios/law/*.txtar")
	if err != nil || len(names) == 0 || len(law) == 0 {
		t.Fatal(names, law, err)
	}
	titles, all := map[string]bool{}, map[string]bool{}
	for _, name := range slices.Concat(names, law) {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			if file.Name != "findings" {
				continue
			}
			for _, found := range expectedOf.FindAllStringSubmatch(string(file.Data), -1) {
				title := scenarioTitle(found[1], found[2], found[3])
				if strings.Contains(found[2], " UNAUDITABLE") && !strings.HasPrefix(found[1], "feed.") &&
					!unproved.MatchString(title) {
					t.Errorf("%s reads like a breach: %s: %s", path.Base(name), found[1], title)
				}
				if all[found[1]+": "+title] = true; !slices.Contains(law, name) {
					titles[found[1]+": "+title] = true
				}
			}
		}
	}
	verb := regexp.MustCompile(`\b(is|are|was|were|has|have|had|does|did|do|may|stood|took|takes|made|drew|cut|used|uses|` +
		`announced|wagered|placed|charged|collected|moved|went|lay|owed|changed|began|ended|lost|sent|appeared|ordered|` +
		`declared|declares|dealt|burned|showed|called|instructed|received|handled|offers|offered|kept|permitted|passed|` +
		`returned|laced|exchanged|touched|came|follows|reports|reported|judges|closed|resumed|elected|stands|withdrew|` +
		`repeat|bid|bet|gave|paid|verified|inspected|shuffled|starts|turned)\b|^Cannot be audited: `)
	for line := range all {
		_, title, _ := strings.Cut(line, ": ")
		if !verb.MatchString(title) || strings.Contains(title, "(expected: ") || strings.Contains(title, "{") ||
			!strings.HasPrefix(title, "Cannot") && regexp.MustCompile(`[A-Z]_[A-Z]|\bUSD\b`).MatchString(title) {
			t.Errorf("no sentence: %s", line)
		}
	}
	const golden = "testdata/titles.txt"
	text := strings.Join(slices.Sorted(maps.Keys(titles)), "\n") + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("titles (-want +got), -update rewrites them:\n%s", diff)
	}
}

// scenarioTitle is the title of a finding of a scenario: the rule, what follows it, and the indented lines.
func scenarioTitle(rule, about, lines string) string {
	field := func(name string) string {
		_, rest, _ := strings.Cut(lines, "\n  "+name+" ")
		text, _, _ := strings.Cut(rest, "\n")
		return strings.TrimSpace(text)
	}
	seat, kind := 0, "deviation"
	for word := range strings.FieldsSeq(about) {
		if number, ok := strings.CutPrefix(word, "seat="); ok {
			seat, _ = strconv.Atoi(number)
		}
	}
	switch {
	case detectorOf(rule) != nil:
		kind = "anomaly"
	case strings.Contains(about, " UNAUDITABLE"):
		kind = "notice"
	}
	return headline(rule, kind, uint32(seat), field("expected"), field("observed"))
}

// Each line of the table of titles is complete: a pattern, two texts, and a title whose groups are in the texts.
func TestTableOfTitles(t *testing.T) {
	t.Parallel()
	lines := 0
	for line := range strings.Lines(titleTable) {
		if !strings.HasPrefix(line, "#") {
			lines++
		}
	}
	forms := slices.Clone(titleForms()["*"])
	for family, all := range titleForms() {
		if family != "*" {
			forms = append(forms, all[:len(all)-len(titleForms()["*"])]...) // its own, before the lines of "*"
		}
	}
	if n := len(forms); n != lines {
		t.Errorf("%d of %d lines are complete", n, lines)
	}
	for _, form := range forms {
		if family, _, _ := strings.Cut(form.rules, "."); family != "*" && strings.ContainsAny(family, "*?[") {
			t.Errorf("%s: want the name of a family, or * alone", form.rules)
		}
		if _, err := filepath.Match(form.rules, ""); err != nil {
			t.Errorf("%s: %v", form.rules, err)
		}
		if !strings.Contains(form.rules, "*") && !isRule(form.rules) {
			t.Errorf("%s is no rule and no detector", form.rules)
		}
		for _, part := range placeholder.FindAllStringSubmatch(form.title, -1) {
			if n, _ := strconv.Atoi(part[1]); n > form.texts.NumSubexp() {
				t.Errorf("%s has no group %d: %s", form.rules, n, form.title)
			}
		}
	}
	for _, expected := range []string{"event 5", "events 5 to 5"} { // the second is of before
		if got := headline("feed.gap", "data_fault", 0, expected, "missing"); got != "The feed lost event 5" {
			t.Errorf("%s: %q", expected, got)
		}
	}
	const round = "The round has 9 events that count, more than it may have, and is not judged"
	for observed, want := range map[string]string{
		"9 in all, with 1 wagers, 2 cards and 3 motions of money: x": round, // the first two as of before
		"9, with 1 wagers, 2 cards and 3 motions of money: x":        round,
		"9 in all, with 1 wager, 1 card and 3 motions of money: x":   round,
		"9 entries over 8 events, with 1 round and vigorish owed for 2 wagers: x": "The record of the shoe has 9 entries " +
			"over 8 events, more than it may have",
		"9 entries over 8 events, with 1 rounds and 2 wagers: x": "The record of the shoe has 9 entries over 8 events, " +
			"more than it may have",
	} {
		if got := headline("feed.limit", "data_fault", 0, "", observed); got != want {
			t.Errorf("%s: %q", observed, got)
		}
	}
	const expected = "records that can be read and compared at offsets 5 to 9"
	if got := headline("feed.dead-letters", "data_fault", 0, expected, "dead letters: 2"); got !=
		"2 records at offsets 5 to 9 could not be read or compared" {
		t.Errorf("dead letters: %q", got)
	}
	const one = "records that can be read and compared at offset 5"
	if got := headline("feed.dead-letters", "data_fault", 0, one, "dead letters: 1"); got !=
		"1 record at offset 5 could not be read or compared" {
		t.Errorf("one dead letter: %q", got)
	}
}
