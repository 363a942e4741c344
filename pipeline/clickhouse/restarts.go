package clickhouse

import (
	"context"
	"math"
)

// restarts returns the events 1 of a table, in the order of the log, with which the live audit began a sequence epoch,
// and the first of each partition. If that came late, the next one contests it, unless it is newer than all before it.
func (s *Store) restarts(ctx context.Context, of *ArchivedTable, begins []epoch) (kept []epoch, err error) {
	late := false
	for i := range begins {
		b := &begins[i]
		switch {
		case i == 0 || begins[i-1].from.partition != b.from.partition:
			next := i+1 < len(begins) && begins[i+1].from.partition == b.from.partition
			if late = next && b.from.offset > 0; late {
				late, err = s.firstLate(ctx, of, b.from)
			}
		case late:
			if late, err = s.older(ctx, of, b); late {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		kept = append(kept, *b)
	}
	return kept, nil
}

// firstLate reports whether the first event 1 of a table in a partition came late. It did if so many events are in
// front of it that the live audit had given it up.
func (s *Store) firstLate(ctx context.Context, of *ArchivedTable, at *location) (late bool, err error) {
	r := archiveReader{store: s, property: of.Property}
	from, until := location{at.partition, math.MinInt64}, location{at.partition, at.offset + 1}
	t := &reading{TableReplay: &TableReplay{Table: of}, epochs: []epoch{{from: &from, until: &until}}}
	all, err := r.arrivals(ctx, t, 0, math.MaxUint64, 2*arrivedReach)
	if err != nil || len(all) == 2*arrivedReach {
		return true, err
	}
	err = s.receive(ctx, of, all, func(e, was *arrival, l, _ bool) {
		if e.seq == 1 && was == nil {
			late = l
		}
	})
	return late, err
}

// older reports whether an event 1 is not newer than all events of its table in front of it, in its partition.
func (s *Store) older(ctx context.Context, of *ArchivedTable, b *epoch) (bool, error) {
	var newest int64
	err := s.conn.QueryRow(ctx, "SELECT toUnixTimestamp64Nano(max(at)) FROM "+s.name("events")+
		" WHERE property_id = {property:String} AND table_id = {table:String} AND partition = {partition:Int32} "+
		"AND offset < {offset:Int64}", params("property", of.Property, "table", of.Table, "partition", b.from.partition,
		"offset", b.from.offset)...).Scan(&newest)
	return b.began <= newest, s.explain("read the events before a restart of a table", err)
}
