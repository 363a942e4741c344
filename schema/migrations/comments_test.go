package migrations

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// described is a table or view with its columns, as a server shows it.
type described struct {
	name, comment string
	view          bool
	columns       []describedColumn
}

type describedColumn struct{ name, typ, comment string }

var (
	describedHead = regexp.MustCompile(`^CREATE (TABLE|VIEW) _database_\.(\w+)`)
	columnLine    = regexp.MustCompile("^    `(\\w+)` (.*?)(?: DEFAULT .*?)?(?: COMMENT '((?:[^'\\\\]|\\\\.)*)')?(?: CODEC\\(.*\\))?,?$")
	describedEnd  = regexp.MustCompile(`(?m)^COMMENT '((?:[^'\\]|\\.)*)'$`)
)

// describe reads the recorded definitions. Views that fill tables are left out.
func describe(t *testing.T) (all []described) {
	t.Helper()
	text, err := os.ReadFile("definitions/single.sql")
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.NewReplacer(`\'`, `'`, `\\`, `\`)
	for statement := range strings.SplitSeq(strings.TrimSuffix(string(text), ";\n"), ";\n\n") {
		head := describedHead.FindStringSubmatch(statement)
		if head == nil {
			continue
		}
		one := described{name: head[2], view: head[1] == "VIEW"}
		_, columns, _ := strings.Cut(statement, "\n(\n")
		columns, rest, _ := strings.Cut(columns, "\n)")
		columns = strings.NewReplacer("(\n        ", "(", ",\n        ", ", ", "\n    )", ")").Replace(columns) // a tuple
		for line := range strings.SplitSeq(columns, "\n") {
			if m := columnLine.FindStringSubmatch(line); m != nil {
				one.columns = append(one.columns, describedColumn{m[1], m[2], plain.Replace(m[3])})
			}
		}
		if m := describedEnd.FindStringSubmatch(rest); m != nil {
			one.comment = plain.Replace(m[1])
		}
		all = append(all, one)
	}
	return all
}

// comments reads schema/rows/comments.txt: by COLUMN, TABLE.COLUMN and view VIEW.
func comments(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../rows/comments.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, comment, ok := strings.Cut(line, ": ")
		if _, twice := all[name]; twice || !ok {
			t.Errorf("comments.txt: %q: want NAME: COMMENT, each once", line)
		}
		all[name] = comment
	}
	return all
}

// tableOf is the table that a view shows.
func tableOf(view string) string {
	other := map[string]string{
		"v_queue": "open_findings", "v_runs": "audit_runs", "v_bundles": "exports", "v_rounds_flat": "rounds",
		"v_wagers_flat": "wagers", "v_vigorish_flat": "vigorish", "v_findings_flat": "findings", "v_withdrawn": "findings",
		"v_configs": "table_configs",
	}
	return cmp.Or(other[view], strings.TrimPrefix(view, "v_"))
}

// Each column and view of a migrated server has the comment of schema/rows/comments.txt, and no comment is unused.
// SHOEPROOF_COMMENTS=FILE writes the statements that a new migration needs.
func TestComments(t *testing.T) {
	want, used := comments(t), map[string]bool{}
	find := func(names ...string) string {
		for _, name := range names {
			if c, ok := want[name]; ok {
				used[name] = true
				return c
			}
		}
		return ""
	}
	quote := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	var missing bytes.Buffer
	for _, d := range describe(t) {
		var changes []string
		for _, c := range d.columns {
			comment := find(d.name+"."+c.name, tableOf(d.name)+"."+c.name, c.name)
			if comment == "" {
				t.Errorf("comments.txt has no comment of %s.%s", d.name, c.name)
			}
			if comment != c.comment {
				changes = append(changes, fmt.Sprintf("COMMENT COLUMN %s '%s'", c.name, quote.Replace(comment)))
			}
		}
		comment := find("view " + d.name)
		if d.view && comment == "" {
			t.Errorf("comments.txt has no comment of the view %s", d.name)
		}
		if d.view && comment != d.comment {
			changes = append(changes, fmt.Sprintf("MODIFY COMMENT '%s'", quote.Replace(comment)))
		}
		if len(changes) == 0 {
			continue
		}
		list := strings.Join(changes, ",\n    ")
		if d.view {
			fmt.Fprintf(&missing, "ALTER TABLE {{.View %q}} %s;\n\n", d.name, list)
		} else {
			fmt.Fprintf(&missing, "{{range $t := .Everywhere %q}}ALTER TABLE {{$t}} %s;\n{{end}}\n", d.name, list)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !used[name] {
			t.Errorf("comments.txt: %s is the comment of nothing", name)
		}
	}
	switch file := os.Getenv("SHOEPROOF_COMMENTS"); {
	case missing.Len() == 0:
	case file != "":
		if err := os.WriteFile(filepath.Clean(file), missing.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the server's comments differ; a migration needs\n%s", missing.String())
	}
}

// docs/data-dictionary.md has each view and column; SHOEPROOF_UPDATE=1 writes it.
func TestDataDictionary(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Data dictionary

Every view and table of ClickHouse with its columns, generated from the schema: ` + "`SHOEPROOF_UPDATE=1 go test ./schema/migrations -run Dictionary`" + `. The
comments are in the database too: ` + "`DESCRIBE TABLE v_rounds_flat`" + `. [Questions in SQL](analysts.md) use them.

Read the views, ` + "`v_...`" + `: each key is there once. Amounts are minor units of the currency; in the flat views they are decimals.
A table that a view shows with the same columns is not repeated below.

`)
	all := describe(t)
	shown := map[string]bool{}
	for _, views := range []bool{true, false} {
		title := map[bool]string{true: "## Views", false: "## Tables without such a view"}[views]
		b.WriteString(title + "\n")
		for _, d := range all {
			if d.view != views || !views && shown[d.name] {
				continue
			}
			if views {
				shown[strings.TrimPrefix(d.name, "v_")] = true
			}
			comment := cmp.Or(d.comment, "-")
			fmt.Fprintf(&b, "\n### %s\n\n%s.\n\n| column | type | meaning |\n|---|---|---|\n", d.name,
				strings.ToUpper(comment[:1])+comment[1:])
			for _, c := range d.columns {
				fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", c.name, c.typ, strings.ReplaceAll(c.comment, "|", `\|`))
			}
		}
		if views {
			b.WriteString("\n")
		}
	}
	golden(t, "../../../docs/data-dictionary.md", b.String())
}
