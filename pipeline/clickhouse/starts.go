package clickhouse

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// Start asks for a snapshot that a replay of a table can start from, from before a time.
type Start struct {
	Table  *ArchivedTable
	Moment int64
	// Lossless reports whether nothing was given up as lost before a snapshot. It is called last with the snapshot that is
	// returned.
	Lossless func(*rows.Snapshot) bool
}

// SnapshotsBefore returns for each table of a property the newest snapshot that a replay can start from with the same
// result as from the first event: the archive has no event up to its Seq that the snapshot lacks, no later event that
// it contains, and, unless it is lossless, none that may have come after it was given up as lost. Without such a
// snapshot it is nil. Queries of all tables together try the newest snapshot of each.
func (s *Store) SnapshotsBefore(ctx context.Context, property string, starts []Start) ([]*rows.Snapshot, error) {
	newest, err := s.newestSnapshots(ctx, property, starts)
	if err != nil {
		return nil, err
	}
	var tried []candidate
	for i := range starts {
		if m := newest[starts[i].Table.Table]; m != nil {
			all, err := s.epochs(ctx, starts[i].Table)
			if err != nil {
				return nil, err
			}
			tried = append(tried, candidate{all[epochOf(all, m)], m})
		}
	}
	late, early, err := s.disordered(ctx, property, tried)
	if err != nil {
		return nil, err
	}
	found := make([]*rows.Snapshot, len(starts))
	for i := range starts {
		table := starts[i].Table.Table
		m := newest[table]
		switch {
		case m == nil:
		case late[table] == 0 && early[table] == 0 && starts[i].Lossless(m):
			found[i] = m
		default:
			if found[i], err = s.snapshotBefore(ctx, &starts[i]); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// newestSnapshots returns the newest snapshot of each table before its time.
func (s *Store) newestSnapshots(ctx context.Context, property string, starts []Start) (
	map[string]*rows.Snapshot, error,
) {
	where, args := ofTables(property, len(starts), func(i int) (table, condition string) {
		return starts[i].Table.Table, fmt.Sprintf("at < fromUnixTimestamp64Nano(toInt64(%d))", starts[i].Moment)
	})
	// The states of the other snapshots, which are nearly all of the table, are not read.
	const order = " ORDER BY at DESC, offset DESC, version DESC, seq DESC LIMIT 1 BY table_id"
	all, err := readRows[rows.Snapshot](ctx, s, "table_memory", " PREWHERE "+where+
		" AND topic != '' AND (table_id, seq, offset) GLOBAL IN (SELECT table_id, seq, offset FROM "+
		s.name("table_memory")+" WHERE "+where+" AND topic != ''"+order+")"+order, args)
	newest := map[string]*rows.Snapshot{}
	for i := range all {
		newest[all[i].TableID] = &all[i]
	}
	return newest, s.explain("read the snapshots of tables", err)
}

// snapshotBefore tries the snapshots of one table, the newest first.
func (s *Store) snapshotBefore(ctx context.Context, start *Start) (*rows.Snapshot, error) {
	of := start.Table
	all, err := s.epochs(ctx, of)
	if err != nil {
		return nil, err
	}
	args := params("property", of.Property, "table", of.Table, "moment", start.Moment)
	below, number := int64(math.MaxInt64), uint64(math.MaxUint64)
	for range 8 { // late events are few in a healthy feed
		m, err := s.snapshotBelow(ctx, args, below, number)
		if m == nil || err != nil {
			return nil, err
		}
		e := all[epochOf(all, m)]
		lateOf, earlyOf, err := s.disordered(ctx, of.Property, []candidate{{e, m}})
		late, early := lateOf[of.Table], earlyOf[of.Table]
		if err == nil && late == 0 && early == 0 && !start.Lossless(m) {
			late, err = s.overtaken(ctx, of, e, m)
		}
		switch {
		case err != nil:
			return nil, err
		case late == 0 && early == 0:
			return m, nil
		case late > 0:
			number = late
		}
		below = m.Offset
	}
	return nil, nil
}

// snapshotBelow returns the newest snapshot before a time, of a record below an offset and an event below a Seq.
func (s *Store) snapshotBelow(ctx context.Context, args []any, below int64, number uint64) (*rows.Snapshot, error) {
	found, err := readRows[rows.Snapshot](ctx, s, "table_memory", `
WHERE property_id = {property:String} AND table_id = {table:String}
AND at < fromUnixTimestamp64Nano({moment:Int64}) AND topic != '' AND offset < {below:Int64}
AND seq < {number:UInt64} ORDER BY at DESC, offset DESC, version DESC, seq DESC LIMIT 1`,
		slices.Concat(args, params("below", below, "number", number)))
	if err != nil || len(found) == 0 {
		return nil, s.explain("read the snapshot of a table", err)
	}
	return &found[0], nil
}

// candidate is a snapshot in its sequence epoch.
type candidate struct {
	epoch epoch
	*rows.Snapshot
}

// disordered returns by table the first event up to the Seq of a snapshot that the snapshot lacks, and the first later
// event that it contains; 0 without one.
func (s *Store) disordered(ctx context.Context, property string, all []candidate) (late, early map[string]uint64,
	err error,
) {
	late, early = map[string]uint64{}, map[string]uint64{}
	// A query for each condition, so that it skips what the index of offsets excludes, which is nearly all.
	for _, c := range []struct {
		first     map[string]uint64
		condition string
	}{
		{late, "seq <= %[1]d AND partition = %[2]d AND offset > %[3]d"},
		{late, "seq <= %[1]d AND partition != %[2]d"},
		{early, "seq > %[1]d AND partition = %[2]d AND offset <= %[3]d"},
	} {
		if len(all) == 0 {
			break
		}
		where, args := ofTables(property, len(all), func(i int) (table, condition string) {
			m := &all[i]
			return m.TableID, fmt.Sprintf(c.condition, m.Seq, m.Partition, m.Offset) + m.epoch.where()
		})
		var table string
		var seq uint64
		err := s.scan(ctx, "SELECT toString(table_id) AS name, min(seq) FROM "+s.name("events")+
			" WHERE "+where+" GROUP BY name", args, func() {
			if known := c.first[table]; known == 0 || seq < known {
				c.first[table] = seq
			}
		}, &table, &seq)
		if err != nil {
			return nil, nil, s.explain("read the events beside snapshots", err)
		}
	}
	return late, early, nil
}

// overtaken returns the first event up to the Seq of a snapshot that a later event preceded in the log, 0 without one.
func (s *Store) overtaken(ctx context.Context, of *ArchivedTable, e epoch, m *rows.Snapshot,
) (first uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	err = s.conn.QueryRow(ctx, `SELECT min(seq) FROM (SELECT seq, max(seq) OVER (ORDER BY partition, offset) AS newest
FROM `+s.name("events")+`
WHERE property_id = {property:String} AND table_id = {table:String} AND seq <= {seq:UInt64}`+e.where()+`)
WHERE seq < newest`, params("property", of.Property, "table", of.Table, "seq", m.Seq)...).Scan(&first)
	return first, s.explain("read the events beside a snapshot", err)
}
