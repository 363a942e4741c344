package clickhouse

import (
	"context"
	"fmt"
	"slices"

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

// Replay gives all archived events of a table in the order of their numbers, each once, until the end of
// the archive or until each says stop. What came late is in its place. A table whose numbering began
// again is given numbering by numbering, as the events came.
func (s *Store) Replay(ctx context.Context, property, table string, each func(*Archived) (stop bool)) error {
	restarts, err := s.restarts(ctx, property, table)
	if err != nil {
		return err
	}
	for i := range len(restarts) + 1 {
		var from, until *place
		if i > 0 {
			from = &restarts[i-1]
		}
		if i < len(restarts) {
			until = &restarts[i]
		}
		if stop, err := s.replay(ctx, property, table, from, until, each); stop || err != nil {
			return err
		}
	}
	return nil
}

// restarts are where a numbering begins that is not the table's first.
func (s *Store) restarts(ctx context.Context, property, table string) ([]place, error) {
	const doing = "read where a table's numbering began"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	rows, err := s.conn.Query(ctx, "SELECT partition, min(offset) AS first FROM "+s.name("events")+
		" WHERE property_id = {property:String} AND table_id = {table:String} AND seq = 1 GROUP BY partition, event_id ORDER BY partition, first",
		ch.Named("property", property), ch.Named("table", table))
	if err != nil {
		return nil, s.explain(doing, err)
	}
	defer func() { _ = rows.Close() }()
	var all []place
	for rows.Next() {
		var p place
		if err := rows.Scan(&p.partition, &p.offset); err != nil {
			return nil, s.explain(doing, err)
		}
		all = append(all, p)
	}
	if len(all) > 0 {
		all = all[1:]
	}
	return all, s.explain(doing, rows.Err())
}

func (s *Store) replay(ctx context.Context, property, table string, from, until *place, each func(*Archived) bool) (stop bool, err error) {
	r := archiveReader{store: s, each: each}
	r.query = "SELECT seq, toUnixTimestamp64Nano(at), toInt8(format), raw, sha256, partition, offset, event_id FROM " + s.name("events") +
		" WHERE property_id = {property:String} AND table_id = {table:String}"
	r.args = []any{ch.Named("property", property), ch.Named("table", table)}
	bound := func(p *place, operator, name string) {
		if p != nil {
			r.query += fmt.Sprintf(" AND (partition, offset) %s ({%s_partition:Int32}, {%s_offset:Int64})", operator, name, name)
			r.args = append(r.args, ch.Named(name+"_partition", fmt.Sprint(p.partition)), ch.Named(name+"_offset", fmt.Sprint(p.offset)))
		}
	}
	bound(from, ">=", "from")
	bound(until, "<", "until")
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
	rows, err := r.store.conn.Query(ctx, query+fmt.Sprintf(" ORDER BY seq, partition, offset LIMIT %d", archiveChunk), args...)
	if err != nil {
		return false, err
	}
	defer func() { _ = rows.Close() }()
	n := 0
	for ; rows.Next() && !r.stop; n++ {
		var format int8
		var sum []byte
		seq, e := r.event.Seq, &r.event
		if err := rows.Scan(&e.Seq, &e.At, &format, &e.Value, &sum, &e.Partition, &e.Offset, &e.EventID); err != nil {
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
	return n == archiveChunk, rows.Err()
}
