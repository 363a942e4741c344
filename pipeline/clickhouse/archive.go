package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/shoeproof/shoeproof/schema/rows"

	ch "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// Archived is an event of the archive.
type Archived struct {
	pipeline.Record // the value is valid during the call
	Seq             uint64
	At              int64
	EventID         string
	SHA256          [32]byte
	Partition       int32
}

// archiveChunk is how many events one query gives.
const archiveChunk = 50_000

// Tables are those of a property with events from one moment to before another, in order.
func (s *Store) Tables(ctx context.Context, property string, from, until int64) ([]string, error) {
	const doing = "read which tables played"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	var tables []string
	err := s.conn.QueryRow(ctx, "SELECT arraySort(groupUniqArray(toString(table_id))) FROM "+s.name("events")+` WHERE property_id = {property:String}
AND at >= fromUnixTimestamp64Nano({from:Int64}) AND at < fromUnixTimestamp64Nano({until:Int64})`,
		ch.Named("property", property), ch.Named("from", fmt.Sprint(from)), ch.Named("until", fmt.Sprint(until))).Scan(&tables)
	return tables, s.explain(doing, err)
}

// place is where an event lies in a partition of the log.
type place struct {
	partition int32
	offset    int64
}

// Replay gives the archived events of a table in the order of their numbers, each once, until the end of
// the archive or until each says stop: all of them, or those behind a memory that MemoryBefore gave. What came
// late is in its place. A table whose numbering began again is given numbering by numbering, as the events came.
func (s *Store) Replay(ctx context.Context, property, table string, after *rows.Snapshot, each func(*Archived) (stop bool)) error {
	all, err := s.numberings(ctx, property, table)
	if err != nil {
		return err
	}
	first := 0
	if after != nil {
		first = numberingOf(all, after)
	}
	for _, n := range all[first:] {
		query, args := n.where()
		if after != nil {
			query += " AND seq > {behind:UInt64}"
			args = append(args, ch.Named("behind", fmt.Sprint(after.Seq)))
			after = nil
		}
		if stop, err := s.replay(ctx, property, table, query, args, each); stop || err != nil {
			return err
		}
	}
	return nil
}

// MemoryBefore is the newest memory of a table that had seen nothing from a moment on, and that a replay may
// begin with as well as with the table's first event: the archive has no event up to its number that it had not
// seen, and none behind that it had. Nil if there is none.
func (s *Store) MemoryBefore(ctx context.Context, property, table string, moment int64) (*rows.Snapshot, error) {
	all, err := s.numberings(ctx, property, table)
	if err != nil {
		return nil, err
	}
	below, number := int64(math.MaxInt64), uint64(math.MaxUint64)
	for range 8 { // late events are few, or the table is in disorder
		m, err := s.memoryBelow(ctx, property, table, moment, below, number)
		if m == nil || err != nil {
			return nil, err
		}
		late, early, err := s.aside(ctx, property, table, all[numberingOf(all, m)], m)
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

// memoryBelow is the newest memory before a moment, of a record below an offset and an event below a number.
func (s *Store) memoryBelow(ctx context.Context, property, table string, moment, below int64, number uint64) (*rows.Snapshot, error) {
	const doing = "read what a table remembers"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	of := newReader[rows.Snapshot](rows.Find("table_memory"))
	result, err := s.conn.Query(ctx, "SELECT "+of.columns+" FROM "+s.name("table_memory")+`
WHERE property_id = {property:String} AND table_id = {table:String} AND at < fromUnixTimestamp64Nano({moment:Int64}) AND topic != '' AND offset < {below:Int64}
AND seq < {number:UInt64} ORDER BY at DESC, offset DESC, version DESC LIMIT 1`,
		ch.Named("property", property), ch.Named("table", table), ch.Named("moment", fmt.Sprint(moment)), ch.Named("below", fmt.Sprint(below)),
		ch.Named("number", fmt.Sprint(number)))
	if err != nil {
		return nil, s.explain(doing, err)
	}
	found, err := of.all(result)
	if err != nil || len(found) == 0 {
		return nil, s.explain(doing, err)
	}
	return &found[0], nil
}

// aside is the first event up to a memory's number that it had not seen, and the first behind that it had; 0 if
// there is none.
func (s *Store) aside(ctx context.Context, property, table string, n numbering, m *rows.Snapshot) (late, early uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	where, args := n.where()
	args = append(args, ch.Named("property", property), ch.Named("table", table), ch.Named("seq", fmt.Sprint(m.Seq)),
		ch.Named("partition", fmt.Sprint(m.Partition)), ch.Named("offset", fmt.Sprint(m.Offset)))
	err = s.conn.QueryRow(ctx, `SELECT minIf(seq, seq <= {seq:UInt64}), minIf(seq, seq > {seq:UInt64}) FROM `+s.name("events")+`
WHERE property_id = {property:String} AND table_id = {table:String} AND (seq > {seq:UInt64}) = (partition = {partition:Int32} AND offset <= {offset:Int64})`+where,
		args...).Scan(&late, &early)
	return late, early, s.explain("read what a table had not seen", err)
}

// numbering is where the numbers of a table run on: from a place, included, to one that is not; nil is open.
type numbering struct{ from, until *place }

// where narrows a query to a numbering.
func (n numbering) where() (query string, args []any) {
	bound := func(p *place, operator, name string) {
		if p != nil {
			query += fmt.Sprintf(" AND (partition, offset) %s ({%s_partition:Int32}, {%s_offset:Int64})", operator, name, name)
			args = append(args, ch.Named(name+"_partition", fmt.Sprint(p.partition)), ch.Named(name+"_offset", fmt.Sprint(p.offset)))
		}
	}
	bound(n.from, ">=", "from")
	bound(n.until, "<", "until")
	return query, args
}

// numberingOf is the one in which a memory was written.
func numberingOf(all []numbering, m *rows.Snapshot) int {
	at := place{m.Partition, m.Offset}
	i := slices.IndexFunc(all, func(n numbering) bool { return n.until == nil || at.compare(n.until) < 0 })
	return max(i, 0)
}

func (p place) compare(o *place) int {
	return cmp.Or(cmp.Compare(p.partition, o.partition), cmp.Compare(p.offset, o.offset))
}

// numberings are those of a table as they came: a new one begins where another event has the number 1.
func (s *Store) numberings(ctx context.Context, property, table string) ([]numbering, error) {
	const doing = "read where a table's numbering began"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	result, err := s.conn.Query(ctx, "SELECT partition, min(offset) AS first FROM "+s.name("events")+
		" WHERE property_id = {property:String} AND table_id = {table:String} AND seq = 1 GROUP BY partition, event_id ORDER BY partition, first",
		ch.Named("property", property), ch.Named("table", table))
	if err != nil {
		return nil, s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	all := []numbering{{}}
	for n := 0; result.Next(); n++ {
		var p place
		if err := result.Scan(&p.partition, &p.offset); err != nil {
			return nil, s.explain(doing, err)
		}
		if n > 0 {
			all[len(all)-1].until = &p
			all = append(all, numbering{from: &p})
		}
	}
	return all, s.explain(doing, result.Err())
}

func (s *Store) replay(ctx context.Context, property, table, where string, args []any, each func(*Archived) bool) (stop bool, err error) {
	r := archiveReader{store: s, each: each}
	r.query = "SELECT seq, toUnixTimestamp64Nano(at), toInt8(format), raw, sha256, partition, offset, event_id FROM " + s.name("events") +
		" WHERE property_id = {property:String} AND table_id = {table:String}" + where
	r.args = append(args, ch.Named("property", property), ch.Named("table", table))
	for more := true; more && !r.stop; {
		if more, err = r.chunk(ctx); err != nil {
			return false, s.explain("read the archive of table "+table, err)
		}
	}
	return r.stop, nil
}

type archiveReader struct {
	store *Store
	query string
	args  []any
	each  func(*Archived) bool
	event Archived
	begun bool
	stop  bool
	// same are the hashes that were given for the present seq: rows of one key may not be merged yet.
	same [][32]byte
}

// chunk reads on behind the last event; more says that there may be another chunk.
func (r *archiveReader) chunk(ctx context.Context) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.store.cfg.ReadTimeout)
	defer cancel()
	query, args := r.query, r.args
	if r.begun {
		query += " AND seq >= {seq:UInt64} AND (seq > {seq:UInt64} OR (partition, offset) > ({last_partition:Int32}, {last_offset:Int64}))"
		args = append(slices.Clip(args), ch.Named("seq", fmt.Sprint(r.event.Seq)),
			ch.Named("last_partition", fmt.Sprint(r.event.Partition)), ch.Named("last_offset", fmt.Sprint(r.event.Offset)))
	}
	result, err := r.store.conn.Query(ctx, query+fmt.Sprintf(" ORDER BY seq, partition, offset LIMIT %d", archiveChunk), args...)
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
