package clickhouse

import (
	"strings"

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

// journalTable is the journal. It has one row for each flush.
func (s *Store) journalTable() table {
	t := rows.TableOf[rows.Journal]("journal")
	return s.table(&t, 0)
}

func (s *Store) journalRow(r *pipeline.Range) rows.Journal {
	return rows.Journal{
		Topic: r.Topic, Partition: r.Partition, From: r.From, To: r.To, Low: r.Low, Clock: r.Clock, Generation: r.Generation,
		Epoch: r.Epoch, Cut: r.Cut, Lost: r.Lost, RulesVersion: s.cfg.RulesVersion, Engine: s.cfg.Engine,
		Records: r.Records, CRC: r.CRC, Rows: r.Rows, Hash: r.Hash,
	}
}

// rangeOf is the range that a row of the journal has.
func rangeOf(j *rows.Journal) pipeline.Range {
	return pipeline.Range{
		Topic: j.Topic, Partition: j.Partition, From: j.From, To: j.To, Low: j.Low, Clock: j.Clock, Generation: j.Generation,
		Epoch: j.Epoch, Cut: j.Cut, Lost: j.Lost, Records: j.Records, CRC: j.CRC, Rows: j.Rows, Hash: j.Hash,
	}
}
