// Package rows declares the tables of ClickHouse that the audit fills. Each table is declared once, as a struct whose
// fields are its columns. The encoder of an insert, the readers, the hash of a batch and the sink in memory all follow
// that declaration: a new column is one field here and one line in a migration.
//
// The tag column of a field has the name of the column, its conversion, and key if the column is part of the row's
// key:
//
//	Shift string `column:"shift,word"`
//
// The conversion is needed where the Go type does not imply the type of the column: word is LowCardinality(String),
// time is DateTime64(9, 'UTC') of Unix nanoseconds, day is Date32 of text, hash is FixedString(32). A field without a
// name takes it from its tag json. A list that is optional came after the hash of its row: an empty one is not part of
// the hash, so that older rows keep theirs. A column that is derived never is.
//
// Tables with a row for each event, round or wager are structs of columns, so that a batch is appended and written
// without an allocation per row. The other tables are lists of structs. Times are Unix nanoseconds UTC, money is minor
// units.
package rows

import (
	"reflect"

	"github.com/shoeproof/shoeproof/finding"
)

// Set is the rows of all tables for one flush. The tag table of a field has the name of the table and the columns that
// the writer adds; the tag insert has the position of its insert. A row is inserted after the rows that it refers to.
// The order of the fields is the order of the hash.
type Set struct {
	Events      Events            `table:"events" insert:"1"`
	Rounds      Rounds            `table:"rounds,version" insert:"7"`
	Wagers      Wagers            `table:"wagers,version" insert:"5"`
	Vigorish    []Vigorish        `table:"vigorish,version" insert:"6"`
	Shoes       []Shoe            `table:"shoes,version" insert:"8"`
	Configs     []Config          `table:"table_configs,version" insert:"3"`
	Notices     []Notice          `table:"notices,version" insert:"4"`
	Snapshots   []Snapshot        `table:"table_memory,epoch,version" insert:"9"`
	Findings    []finding.Finding `table:"findings,version" insert:"11"`
	Evidence    []Evidence        `table:"evidence,version" insert:"10"`
	DeadLetters []DeadLetter      `table:"dead_letters" insert:"2"`

	tables []Table // of Hash
}

// Len is the number of rows of all tables.
func (s *Set) Len() int {
	return len(s.Events.Seq) + len(s.Rounds.Round) + len(s.Wagers.Seat) + len(s.Vigorish) + len(s.Shoes) +
		len(s.Configs) + len(s.Notices) + len(s.Snapshots) + len(s.Findings) + len(s.Evidence) + len(s.DeadLetters)
}

// Share has the texts of the set use memory that other sets share. It is called before the first row.
func (s *Set) Share(blocks *Blocks) {
	for _, table := range reflect.ValueOf(s).Elem().Fields() {
		if table.Kind() != reflect.Struct {
			continue
		}
		for _, column := range table.Fields() {
			if text, ok := reflect.TypeAssert[*Text](column.Addr()); ok {
				text.from = blocks
			}
		}
	}
}

// Reset empties the set. It keeps the storage of the rows, but nothing that the rows point to.
func (s *Set) Reset() {
	for field, table := range reflect.ValueOf(s).Elem().Fields() {
		switch {
		case !field.IsExported():
		case table.Kind() == reflect.Slice:
			table.Clear()
			table.SetLen(0)
		default:
			for _, column := range table.Fields() {
				if c, ok := reflect.TypeAssert[interface{ Reset() }](column.Addr()); ok { // Text and Words
					c.Reset()
				} else {
					column.SetLen(0)
				}
			}
		}
	}
}
