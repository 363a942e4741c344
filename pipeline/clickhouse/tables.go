package clickhouse

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// table is a declared table and its INSERT statement.
type table struct {
	rows.Table
	insert  string
	version uint32 // of all rows
}

func (s *Store) table(t *rows.Table, version uint32) table {
	return table{*t, "INSERT INTO " + s.name(t.Name) + " (" + strings.Join(t.Names(), ", ") + ")", version}
}

// dataTables are the tables of a batch in the order of their inserts.
func (s *Store) dataTables() []table {
	var all []table
	for _, t := range rows.Tables() {
		all = append(all, s.table(&t, s.cfg.RowVersion))
	}
	return all
}

// put inserts rows into a table that is no part of a batch, in one try. The server accepts a token once.
func put[R any](ctx context.Context, s *Store, name, token string, list ...R) error {
	declared := rows.TableOf[R](name)
	t := s.table(&declared, 0)
	return s.send(ctx, &t, []part{{View: rows.ViewOf(list)}}, token)
}

// journalTable is the journal. It has one row for each flush.
func (s *Store) journalTable() table {
	t := rows.TableOf[rows.Journal]("journal")
	return s.table(&t, 0)
}

func (s *Store) journalRow(r *pipeline.Range, now time.Time) rows.Journal {
	row := rows.Journal{
		Topic: r.Topic, Partition: r.Partition, From: r.From, To: r.To, Low: r.Low, Clock: r.Clock, Generation: r.Generation,
		Epoch: r.Epoch, Cut: r.Cut, Lost: r.Lost, RulesVersion: s.cfg.RulesVersion, Engine: s.cfg.Engine,
		Records: r.Records, CRC: r.CRC, Rows: r.Rows, Hash: r.Hash, Released: released(r.Released),
		Archived: r.Archived, ArchivedSum: r.ArchivedSum, DerivedSum: r.DerivedSum,
		WrittenAt: now.UTC().Truncate(time.Millisecond),
	}
	row.Key, row.MAC = s.cfg.ChainKeys.Sign(row.Sum(&s.journal.Table))
	return row
}

// released are tables in a row of the journal: a JSON list of property and table, empty without any.
func released(tables []pipeline.Table) string {
	if len(tables) == 0 {
		return ""
	}
	text, err := json.Marshal(tables)
	if err != nil {
		panic(fmt.Sprintf("clickhouse: encode released tables: %v", err)) // strings always can
	}
	return string(text)
}

// releasedOf reads released. A text that this release did not write names no table: the range is then made again
// without the release, and the rows differ from the journal, which is a finding.
func releasedOf(text string) (tables []pipeline.Table) {
	if err := json.Unmarshal([]byte(text), &tables); err != nil {
		return nil
	}
	return tables
}

// rangeOf is the range that a row of the journal has.
func rangeOf(j *rows.Journal) pipeline.Range {
	return pipeline.Range{
		Topic: j.Topic, Partition: j.Partition, From: j.From, To: j.To, Low: j.Low, Clock: j.Clock, Generation: j.Generation,
		Epoch: j.Epoch, Cut: j.Cut, Lost: j.Lost, Records: j.Records, CRC: j.CRC, Rows: j.Rows, Hash: j.Hash,
		Released: releasedOf(j.Released), Archived: j.Archived, ArchivedSum: j.ArchivedSum,
		DerivedSum: j.DerivedSum,
	}
}
