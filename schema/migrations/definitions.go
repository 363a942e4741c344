package migrations

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed definitions/*.sql
var definitions embed.FS

var created = regexp.MustCompile(`^CREATE (?:TABLE|VIEW|MATERIALIZED VIEW) _database_\.(\w+)`)

// Definitions returns the statement that a server shows for each table and view after all migrations, by name. They are
// recorded from a migrated server, because only a server knows what it makes of a series of changes.
func (l Layout) Definitions() (map[string]string, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	name := "definitions/single.sql"
	if l.Cluster != "" {
		name = "definitions/cluster.sql"
	}
	text, err := definitions.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the definitions: %w", err)
	}
	all := map[string]string{}
	for statement := range strings.SplitSeq(strings.TrimSuffix(string(text), ";\n"), ";\n\n") {
		m := created.FindStringSubmatch(statement)
		if m == nil {
			return nil, fmt.Errorf("read the definitions: %s: no statement of a table: %.60s", name, statement)
		}
		all[m[1]] = strings.NewReplacer("_database_", l.Database, "_cluster_", l.Cluster).Replace(statement)
	}
	return all, nil
}

// replicas matches what differs between a table with and without replicas: the kind of the engine with its path and
// replica, and the window of repeated inserts.
var replicas = []struct {
	found *regexp.Regexp
	by    string
}{
	{regexp.MustCompile(`\bReplicated(\w*MergeTree)\('[^']*', '[^']*'(?:, )?`), "$1("},
	{regexp.MustCompile(`MergeTree\(\)`), "MergeTree"},
	{
		regexp.MustCompile(`\breplicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800`),
		"non_replicated_deduplication_window = 100000",
	},
}

// A Change is a difference between a table of a server and the table that the migrations make.
type Change struct {
	Table string
	// Settings is true if only settings of storage differ, which administrators may choose.
	Settings bool
	// Lines are the lines of the definition that differ: - is expected and + is found.
	Lines []string
}

// Compare compares two definitions in the same format.
func Compare(table, want, got string) (Change, bool) {
	for _, r := range replicas {
		got = r.found.ReplaceAllString(got, r.by)
	}
	change := Change{Table: table, Settings: true}
	add := func(sign string, lines, others []string) {
		rest := map[string]int{}
		for _, line := range others {
			rest[line]++
		}
		for _, line := range lines {
			if rest[line]--; rest[line] < 0 {
				change.Lines = append(change.Lines, sign+line)
				change.Settings = change.Settings && strings.HasPrefix(line, "SETTINGS ")
			}
		}
	}
	wants, gots := lines(query(want)), lines(query(got))
	add("- ", wants, gots)
	add("+ ", gots, wants)
	if len(change.Lines) == 0 && strings.Join(wants, "\n") != strings.Join(gots, "\n") {
		change.Lines, change.Settings = []string{"+ the order of the lines"}, false
	}
	return change, len(change.Lines) > 0
}

// query returns the definition of a view without its list of columns: the server makes that of the columns that its
// tables have at some later time. What a view shows is in its SELECT.
func query(statement string) string {
	from, until := strings.Index(statement, "\n("), strings.Index(statement, "\n)")
	if head, _, _ := strings.Cut(statement, "\n"); !strings.Contains(head, " VIEW ") || from < 0 || until < from {
		return statement
	}
	return statement[:from] + statement[until+len("\n)"):]
}

// lines returns the lines of a definition without indentation and the commas at their ends: a column that is last has
// none.
func lines(statement string) []string {
	var all []string
	for line := range strings.Lines(statement) {
		if line = strings.TrimSuffix(strings.TrimSpace(line), ","); line != "" {
			all = append(all, line)
		}
	}
	return all
}
