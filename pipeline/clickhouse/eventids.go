package clickhouse

import (
	"context"

	"github.com/shoeproof/shoeproof/finding"
)

// NameEvents adds the ids of the archived events that prove findings, which have their numbers. One query reads the ids
// of a table.
func (s *Store) NameEvents(ctx context.Context, findings []finding.Finding) error {
	type table struct{ property, name string }
	of := map[table][]*finding.Finding{}
	var tables []table
	for i := range findings {
		f := &findings[i]
		if len(f.Evidence.EventIDs) == 0 && len(f.Evidence.Seqs) > 0 {
			t := table{f.PropertyID, f.TableID}
			if of[t] == nil {
				tables = append(tables, t)
			}
			of[t] = append(of[t], f)
		}
	}
	for _, t := range tables {
		var seqs []uint64
		for _, f := range of[t] {
			seqs = append(seqs, f.Evidence.Seqs...)
		}
		ids, err := s.eventIDs(ctx, t.property, t.name, seqs)
		if err != nil {
			return err
		}
		for _, f := range of[t] {
			for _, seq := range f.Evidence.Seqs {
				if id, ok := ids[seq]; ok {
					f.Evidence.EventIDs = append(f.Evidence.EventIDs, id)
				}
			}
		}
	}
	return nil
}

// eventIDs returns the ids of the archived events of a table by Seq.
func (s *Store) eventIDs(ctx context.Context, property, table string, seqs []uint64) (map[uint64]string, error) {
	ids := map[uint64]string{}
	var seq uint64
	var id string
	err := s.scan(ctx, "SELECT seq, min(event_id) FROM "+s.name("events")+
		" WHERE property_id = {property:String} AND table_id = {table:String} AND seq IN {seqs:Array(UInt64)} "+
		"GROUP BY seq",
		params("property", property, "table", table, "seqs", seqs), func() { ids[seq] = id }, &seq, &id)
	return ids, s.explain("read the ids of events", err)
}
