package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// Archived is an archived event.
type Archived struct {
	pipeline.Record // the value is valid during the call
	Seq             uint64
	At              int64
	EventID         string
	SHA256          [32]byte
	Partition       int32
}

// archiveChunk is the number of events of one query.
const archiveChunk = 50_000

// Tables returns the tables of a property with events from one time to before another, sorted.
func (s *Store) Tables(ctx context.Context, property string, from, until int64) ([]string, error) {
	const doing = "read the tables of the archive"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	var tables []string
	err := s.conn.QueryRow(ctx, "SELECT arraySort(groupUniqArray(toString(table_id))) FROM "+s.name("events")+`
WHERE property_id = {property:String}
AND at >= fromUnixTimestamp64Nano({from:Int64}) AND at < fromUnixTimestamp64Nano({until:Int64})`,
		params("property", property, "from", from, "until", until)...).Scan(&tables)
	return tables, s.explain(doing, err)
}

// location is the position of an event in the log.
type location struct {
	partition int32
	offset    int64
}

// Replay passes the archived events of a table to each, in the order of Seq, each once, until the archive ends or each
// returns true. It starts at the first event, or after a snapshot that SnapshotBefore returned. Late events are in
// order. If the sequence of the table restarted, Replay passes one sequence epoch after the other.
func (s *Store) Replay(ctx context.Context, property, table string, after *rows.Snapshot,
	each func(*Archived) (stop bool),
) error {
	all, err := s.epochs(ctx, property, table)
	if err != nil {
		return err
	}
	first := 0
	if after != nil {
		first = epochOf(all, after)
	}
	for _, e := range all[first:] {
		where, args := e.where()
		if after != nil {
			where += " AND seq > {behind:UInt64}"
			args = append(args, params("behind", after.Seq)...)
			after = nil
		}
		r := archiveReader{store: s, each: each}
		r.query = "SELECT seq, toUnixTimestamp64Nano(at), toInt8(format), raw, sha256, partition, offset, event_id FROM " +
			s.name("events") + " WHERE property_id = {property:String} AND table_id = {table:String}" + where
		r.args = append(args, params("property", property, "table", table)...)
		if err := r.read(ctx); err != nil {
			return s.explain("read the archive of table "+table, err)
		}
		if r.stop {
			return nil
		}
	}
	return nil
}

// SnapshotBefore returns the newest snapshot of a table from before a time that a replay can start from with the same
// result as from the first event: the archive has no event up to its Seq that the snapshot lacks, no later event that
// it contains, and, unless it is lossless, none that may have come after it was given up as lost. It returns nil
// without one. The snapshot that it returns is the last for which it called lossless.
func (s *Store) SnapshotBefore(ctx context.Context, property, table string, moment int64,
	lossless func(*rows.Snapshot) bool,
) (*rows.Snapshot, error) {
	all, err := s.epochs(ctx, property, table)
	if err != nil {
		return nil, err
	}
	args := params("property", property, "table", table, "moment", moment)
	below, number := int64(math.MaxInt64), uint64(math.MaxUint64)
	for range 8 { // late events are few in a healthy feed
		m, err := s.snapshotBelow(ctx, args, below, number)
		if m == nil || err != nil {
			return nil, err
		}
		late, early, err := s.disordered(ctx, property, table, all[epochOf(all, m)], m)
		if err == nil && late == 0 && early == 0 && !lossless(m) {
			late, err = s.overtaken(ctx, property, table, all[epochOf(all, m)], m)
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
	const doing = "read the snapshot of a table"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	of := newReader[rows.Snapshot](rows.Find("table_memory"))
	result, err := s.conn.Query(ctx, "SELECT "+of.columns+" FROM "+s.name("table_memory")+`
WHERE property_id = {property:String} AND table_id = {table:String}
AND at < fromUnixTimestamp64Nano({moment:Int64}) AND topic != '' AND offset < {below:Int64}
AND seq < {number:UInt64} ORDER BY at DESC, offset DESC, version DESC LIMIT 1`,
		slices.Concat(args, params("below", below, "number", number))...)
	if err != nil {
		return nil, s.explain(doing, err)
	}
	found, err := of.all(result)
	if err != nil || len(found) == 0 {
		return nil, s.explain(doing, err)
	}
	return &found[0], nil
}

// disordered returns the first event up to the Seq of a snapshot that the snapshot lacks, and the first later event
// that it contains; 0 without one.
func (s *Store) disordered(ctx context.Context, property, table string, e epoch, m *rows.Snapshot,
) (late, early uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	where, args := e.where()
	args = append(args, params("property", property, "table", table, "seq", m.Seq, "partition", m.Partition, "offset",
		m.Offset)...)
	err = s.conn.QueryRow(ctx, `SELECT minIf(seq, seq <= {seq:UInt64}), minIf(seq, seq > {seq:UInt64})
FROM `+s.name("events")+`
WHERE property_id = {property:String} AND table_id = {table:String}
AND (seq > {seq:UInt64}) = (partition = {partition:Int32} AND offset <= {offset:Int64})`+where,
		args...).Scan(&late, &early)
	return late, early, s.explain("read the events beside a snapshot", err)
}

// overtaken returns the first event up to the Seq of a snapshot that a later event preceded in the log, 0 without one.
func (s *Store) overtaken(ctx context.Context, property, table string, e epoch, m *rows.Snapshot,
) (first uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	where, args := e.where()
	args = append(args, params("property", property, "table", table, "seq", m.Seq)...)
	err = s.conn.QueryRow(ctx, `SELECT min(seq) FROM (SELECT seq, max(seq) OVER (ORDER BY partition, offset) AS newest
FROM `+s.name("events")+`
WHERE property_id = {property:String} AND table_id = {table:String} AND seq <= {seq:UInt64}`+where+`)
WHERE seq < newest`, args...).Scan(&first)
	return first, s.explain("read the events beside a snapshot", err)
}

// epoch is a range of the log in which the sequence of a table does not restart: from a location, inclusive, until
// another, exclusive. Nil is open.
type epoch struct{ from, until *location }

// where restricts a query to the epoch.
func (n epoch) where() (query string, args []any) {
	bound := func(p *location, operator, name string) {
		if p != nil {
			query += fmt.Sprintf(" AND (partition, offset) %s ({%s_partition:Int32}, {%s_offset:Int64})", operator, name, name)
			args = append(args, params(name+"_partition", p.partition, name+"_offset", p.offset)...)
		}
	}
	bound(n.from, ">=", "from")
	bound(n.until, "<", "until")
	return query, args
}

// epochOf returns the epoch in which a snapshot was written.
func epochOf(all []epoch, m *rows.Snapshot) int {
	at := location{m.Partition, m.Offset}
	i := slices.IndexFunc(all, func(n epoch) bool { return n.until == nil || at.compare(n.until) < 0 })
	return max(i, 0)
}

func (p location) compare(o *location) int {
	return cmp.Or(cmp.Compare(p.partition, o.partition), cmp.Compare(p.offset, o.offset))
}

// epochs returns the epochs of a table in order. A new one starts at another event with Seq 1.
func (s *Store) epochs(ctx context.Context, property, table string) ([]epoch, error) {
	const doing = "read the sequence epochs of a table"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	result, err := s.conn.Query(ctx, "SELECT partition, min(offset) AS first FROM "+s.name("events")+
		" WHERE property_id = {property:String} AND table_id = {table:String} AND seq = 1 GROUP BY partition, "+
		"event_id ORDER BY partition, first",
		params("property", property, "table", table)...)
	if err != nil {
		return nil, s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	all := []epoch{{}}
	for n := 0; result.Next(); n++ {
		var p location
		if err := result.Scan(&p.partition, &p.offset); err != nil {
			return nil, s.explain(doing, err)
		}
		if n > 0 {
			all[len(all)-1].until = &p
			all = append(all, epoch{from: &p})
		}
	}
	return all, s.explain(doing, result.Err())
}

type archiveReader struct {
	store *Store
	query string
	args  []any
	each  func(*Archived) bool
	event Archived
	begun bool
	stop  bool
	// same are the hashes already passed for the current Seq: rows of one key may not be merged yet.
	same [][32]byte
}

// read reads chunks until the archive ends or each returns true.
func (r *archiveReader) read(ctx context.Context) (err error) {
	for more := true; more && !r.stop && err == nil; {
		more, err = r.chunk(ctx)
	}
	return err
}

// chunk reads the events after the last one; more is true if another chunk may follow.
func (r *archiveReader) chunk(ctx context.Context) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.store.cfg.ReadTimeout)
	defer cancel()
	query, args := r.query, r.args
	if r.begun {
		query += " AND seq >= {seq:UInt64} AND (seq > {seq:UInt64} OR (partition, offset) > ({last_partition:Int32}, " +
			"{last_offset:Int64}))"
		args = append(slices.Clip(args), params("seq", r.event.Seq, "last_partition", r.event.Partition, "last_offset",
			r.event.Offset)...)
	}
	result, err := r.store.conn.Query(ctx, query+fmt.Sprintf(" ORDER BY seq, partition, offset LIMIT %d", archiveChunk),
		args...)
	if err != nil {
		return false, err
	}
	defer func() { _ = result.Close() }()
	n := 0
	for ; result.Next() && !r.stop; n++ {
		var format int8
		var sum []byte
		seq, e := r.event.Seq, &r.event
		if err := result.Scan(&e.Seq, &e.At, &format, &e.Value, &sum, &e.Partition, &e.Offset, &e.EventID); err != nil {
			return false, err
		}
		e.Format = schema.Format(format)
		copy(e.SHA256[:], sum)
		if !r.begun || e.Seq != seq {
			r.same = r.same[:0]
		}
		r.begun = true
		if !slices.Contains(r.same, e.SHA256) {
			r.same = append(r.same, e.SHA256)
			r.stop = r.each(e)
		}
	}
	return n == archiveChunk, result.Err()
}
