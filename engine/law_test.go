package engine_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/rules"
)

// TestLawPage holds docs/law.md to the sentences of the regulations, the lines of the review and the scenarios that
// hold them. -update rewrites it.
func TestLawPage(t *testing.T) {
	const file = "../docs/law.md"
	var page bytes.Buffer
	page.WriteString(`# The law, sentence by sentence

This page is written by a test: ` + "`go test ./engine -run TestLawPage -update`" + `. The regulations are cited, not copied: the
words are ours. One row may stand for several sentences about one obligation. [coverage.md](coverage.md) lists the
requirements, their clauses and scenarios.

`)
	sentences(t, &page)
	reviewed(t, &page)
	if *update {
		if err := os.WriteFile(file, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), page.String()); d != "" {
		t.Errorf("%s is not up to date, run go test ./engine -run TestLawPage -update (-want +got):\n%s", file, d)
	}
}

// sentences writes what became of each obligation in the texts. Every rule that is cited by a rulebook stands for one.
func sentences(t *testing.T, page *bytes.Buffer) {
	table := tsv(t, "../law/sentences.tsv", 3, 5)
	type count struct{ all, judged int }
	counts := map[string]count{}
	var texts []string
	named := map[string]bool{}
	var body strings.Builder
	for _, row := range table {
		text, clause, obligation, names, remark := row[0], row[1], row[2], strings.Fields(row[3]), row[4]
		c := counts[text]
		if c.all == 0 {
			texts = append(texts, text)
			fmt.Fprintf(&body, "\n### %s\n\n| clause | obligation | rules |\n|---|---|---|\n", text)
		}
		c.all++
		if len(names) > 0 {
			c.judged++
		} else if remark == "" {
			t.Errorf("%s %s: neither a rule nor a remark", clause, obligation)
		}
		counts[text] = c
		for i, name := range names {
			if ruleNamed(name) == nil {
				t.Errorf("%s %s: rule %s is unknown", clause, obligation, name)
			}
			named[name] = true
			names[i] = "`" + name + "`"
		}
		fmt.Fprintf(&body, "| %s | %s | %s |\n", clause, obligation, strings.Join(append(names, remark), " "))
	}
	page.WriteString("## Sentences\n\n| text | obligations | judged by a rule | not judged |\n" +
		"|---|---|---|---|\n")
	for _, text := range texts {
		c := counts[text]
		fmt.Fprintf(page, "| `%s` | %d | %d | %d |\n", text, c.all, c.judged, c.all-c.judged)
	}
	for _, r := range rules.All() {
		if r.Unknown == "" && !strings.HasPrefix(r.Name, "external.") && !named[r.Name] && citedAnywhere(r.Name) {
			t.Errorf("rule %s stands for no sentence in law/sentences.tsv", r.Name)
		}
	}
	page.WriteString(body.String())
}

// reviewed writes what holds each line of the review of the law: scenarios, or a test, or the reason why not.
func reviewed(t *testing.T, page *bytes.Buffer) {
	page.WriteString(`
## Lines of the review

What a reading from outside and two dealing programs found in November 2026, and what holds it now. A scenario that
ends in ` + "`lawful`" + ` accuses no one, ` + "`breach`" + ` is the nearby violation that is still found, ` + "`unauditable`" + ` is what
cannot be judged.

| line | found | held by |
|---|---|---|
`)
	files, err := filepath.Glob("../testdata/scenarios/law/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, row := range tsv(t, "../testdata/review.tsv", 2, 3) {
		var held []string
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			if strings.HasPrefix(name, row[0]+"-") || strings.HasPrefix(name, row[0]+".") {
				used[name] = true
				held = append(held, fmt.Sprintf("[%s](../testdata/scenarios/law/%s.txtar)", name, name))
			}
		}
		if row[2] != "" {
			held = append(held, row[2])
		}
		if len(held) == 0 {
			t.Errorf("line %s of the review is held by nothing", row[0])
		}
		fmt.Fprintf(page, "| %s | %s | %s |\n", row[0], row[1], strings.Join(held, ", "))
	}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".txtar"); !used[name] {
			t.Errorf("scenario law/%s belongs to no line of testdata/review.tsv", name)
		}
	}
}

func citedAnywhere(rule string) bool {
	return slices.ContainsFunc(shippedBooks, func(name string) bool {
		return cited(enginetest.Options().Books[name], rule) != ""
	})
}

// tsv reads a table with a head line. Cells beyond the minimum may be left out.
func tsv(t *testing.T, file string, minimum, columns int) [][]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var table [][]string
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		row := strings.Split(line, "\t")
		if len(row) < minimum || len(row) > columns {
			t.Fatalf("%s line %d: want %d to %d columns, not %d", file, i+2, minimum, columns, len(row))
		}
		for len(row) < columns {
			row = append(row, "")
		}
		table = append(table, row)
	}
	return table
}
