// Package migrations is the schema of ClickHouse, as numbered files of statements that only go forward. It renders the
// statements for a layout (one server or a cluster) and lists the rights of each role; package pipeline/clickhouse runs
// them. A released file never changes: its SHA-256 is stored in the database.
package migrations

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"text/template"
)

//go:embed *.sql
var files embed.FS

// A Migration is one numbered file. Its statements may run again at any time: each creates only what does not exist.
type Migration struct {
	Version uint32
	Name    string // the file's name
	SHA256  string // of the text of the file, in hex, the same for every layout
	text    string
}

// Journal creates the table schema_migrations and is not recorded in it.
func Journal() (Migration, error) {
	all, err := load(files)
	if err != nil {
		return Migration{}, err
	}
	return all[0], nil
}

// All returns the migrations in order, numbered from 1.
func All() ([]Migration, error) {
	all, err := load(files)
	if err != nil {
		return nil, err
	}
	return all[1:], nil
}

var fileName = regexp.MustCompile(`^([0-9]{4})_[a-z0-9_]+\.sql$`)

func load(dir fs.FS) ([]Migration, error) {
	names, err := fs.Glob(dir, "*.sql") // sorted
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	var all []Migration
	for _, name := range names {
		m := fileName.FindStringSubmatch(name)
		if m == nil {
			return nil, fmt.Errorf("migration %s: expected a name such as 0001_facts.sql", name)
		}
		version, err := strconv.ParseUint(m[1], 10, 32)
		if err != nil || version != uint64(len(all)) {
			return nil, fmt.Errorf("migration %s: expected number %04d", name, len(all))
		}
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, fmt.Errorf("read migration %s: %w", name, err)
		}
		sum := sha256.Sum256(text)
		all = append(all, Migration{uint32(version), name, hex.EncodeToString(sum[:]), string(text)})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no migrations")
	}
	return all, nil
}

// Statements returns the statements of the migration for a layout. A statement ends with a semicolon at the end of a
// line; a comment takes a whole line.
func (m Migration) Statements(l Layout) ([]string, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	t, err := template.New(m.Name).Option("missingkey=error").Parse(m.text)
	if err != nil {
		return nil, fmt.Errorf("parse migration: %w", err)
	}
	var text strings.Builder
	if err := t.Execute(&text, l); err != nil {
		return nil, fmt.Errorf("render migration: %w", err)
	}
	var out []string
	var statement []string
	for line := range strings.Lines(text.String()) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" || strings.HasPrefix(line, "--") {
			continue
		}
		body, ends := strings.CutSuffix(line, ";")
		statement = append(statement, body)
		if ends {
			out = append(out, strings.Join(statement, "\n"))
			statement = statement[:0]
		}
	}
	if len(statement) > 0 {
		return nil, fmt.Errorf("migration %s: the last statement has no semicolon: %s", m.Name, statement[0])
	}
	return out, nil
}
