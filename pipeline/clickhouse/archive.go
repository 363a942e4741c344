package clickhouse

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ClickHouse/ch-go/proto"
	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// Archived is an archived event.
type Archived struct {
	pipeline.Record // the value is valid during the call
	Seq             uint64
	At              int64
}

// An ArchivedTable is a table in the archive. It is for one replay.
type ArchivedTable struct {
	Property string `ch:"property_id"`
	Table    string `ch:"name"`
	// Events is about how many events a replay will read. It changes no result: so many are read in one query.
	Events uint64 `ch:"n"`

	known []epoch
}

// Tables returns the tables of a property with events from one time to before another, sorted.
func (s *Store) Tables(ctx context.Context, property string, from, until int64) ([]ArchivedTable, error) {
	return list[ArchivedTable](ctx, s, "read the tables of the archive", `SELECT property_id,
toString(table_id) AS name, count() AS n FROM `+s.name("events")+` WHERE property_id = {property:String}
AND at >= fromUnixTimestamp64Nano({from:Int64}) AND at < fromUnixTimestamp64Nano({until:Int64})
GROUP BY property_id, name ORDER BY name`, params("property", property, "from", from, "until", until)...)
}

// location is the position of an event in the log.
type location struct {
	partition int32
	offset    int64
}

// Replay passes the archived events of a table to each, in the order of Seq, each once, until the archive ends or each
// returns true. It starts at the first event, or after a snapshot that SnapshotBefore returned. Late events are in
// order. If the sequence of the table restarted, Replay passes one sequence epoch after the other.
func (s *Store) Replay(ctx context.Context, of *ArchivedTable, after *rows.Snapshot, each func(*Archived) (stop bool),
) (err error) {
	doing := "read the archive of table " + of.Table
	all, err := s.epochs(ctx, of)
	if err != nil {
		return err
	}
	c, err := s.openStream(ctx)
	if err != nil {
		return s.explain(doing, err)
	}
	defer func() { s.keepStream(c, err) }()
	r := archiveReader{store: s, stream: c, each: each, empty: make(chan *archiveBlock, len(c.blocks))}
	for i := range c.blocks {
		r.empty <- &c.blocks[i]
	}
	first, behind := 0, uint64(0)
	if after != nil {
		first, behind = epochOf(all, after), after.Seq
	}
	for _, e := range all[first:] {
		where, args := e.where()
		r.from = " FROM " + s.name("events") + " WHERE property_id = {property:String} AND table_id = {table:String}" + where
		r.args = append(args, params("property", of.Property, "table", of.Table)...)
		r.begun = false
		if err = r.read(ctx, behind, of.Events); err != nil || r.stop {
			return s.explain(doing, err)
		}
		behind = 0
	}
	return nil
}

// SnapshotBefore returns the newest snapshot of a table from before a time that a replay can start from with the same
// result as from the first event: the archive has no event up to its Seq that the snapshot lacks, no later event that
// it contains, and, unless it is lossless, none that may have come after it was given up as lost. It returns nil
// without one. The snapshot that it returns is the last for which it called lossless.
func (s *Store) SnapshotBefore(ctx context.Context, of *ArchivedTable, moment int64,
	lossless func(*rows.Snapshot) bool,
) (*rows.Snapshot, error) {
	all, err := s.epochs(ctx, of)
	if err != nil {
		return nil, err
	}
	args := params("property", of.Property, "table", of.Table, "moment", moment)
	below, number := int64(math.MaxInt64), uint64(math.MaxUint64)
	for range 8 { // late events are few in a healthy feed
		m, err := s.snapshotBelow(ctx, args, below, number)
		if m == nil || err != nil {
			return nil, err
		}
		late, early, err := s.disordered(ctx, of, all[epochOf(all, m)], m)
		if err == nil && late == 0 && early == 0 && !lossless(m) {
			late, err = s.overtaken(ctx, of, all[epochOf(all, m)], m)
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
AND seq < {number:UInt64} ORDER BY at DESC, offset DESC, version DESC LIMIT 1`,
		slices.Concat(args, params("below", below, "number", number)))
	if err != nil || len(found) == 0 {
		return nil, s.explain("read the snapshot of a table", err)
	}
	return &found[0], nil
}

// disordered returns the first event up to the Seq of a snapshot that the snapshot lacks, and the first later event
// that it contains; 0 without one.
func (s *Store) disordered(ctx context.Context, of *ArchivedTable, e epoch, m *rows.Snapshot,
) (late, early uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	where, args := e.where()
	args = append(args, params("property", of.Property, "table", of.Table, "seq", m.Seq, "partition", m.Partition,
		"offset", m.Offset)...)
	// Two queries, so that each skips what the index of offsets excludes, which is nearly all.
	first := func(condition string) (seq uint64, err error) {
		err = s.conn.QueryRow(ctx, "SELECT min(seq) FROM "+s.name("events")+
			" WHERE property_id = {property:String} AND table_id = {table:String} AND "+condition+where, args...).Scan(&seq)
		return seq, s.explain("read the events beside a snapshot", err)
	}
	late, err = first("seq <= {seq:UInt64} AND (partition != {partition:Int32} OR offset > {offset:Int64})")
	if err == nil {
		early, err = first("seq > {seq:UInt64} AND partition = {partition:Int32} AND offset <= {offset:Int64}")
	}
	return late, early, err
}

// overtaken returns the first event up to the Seq of a snapshot that a later event preceded in the log, 0 without one.
func (s *Store) overtaken(ctx context.Context, of *ArchivedTable, e epoch, m *rows.Snapshot,
) (first uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	where, args := e.where()
	args = append(args, params("property", of.Property, "table", of.Table, "seq", m.Seq)...)
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

// epochs returns the epochs of a table in order.
func (s *Store) epochs(ctx context.Context, of *ArchivedTable) ([]epoch, error) {
	if of.known != nil {
		return of.known, nil
	}
	one := []ArchivedTable{*of}
	if err := s.ReadEpochs(ctx, one); err != nil {
		return nil, err
	}
	of.known = one[0].known
	return of.known, nil
}

// ReadEpochs reads the sequence epochs of tables of one property, which a replay otherwise reads of each: a query takes
// the server as long as reading some thousand events. A new epoch starts at another event with Seq 1. The replays
// should follow soon: they do not notice an epoch that starts later.
func (s *Store) ReadEpochs(ctx context.Context, tables []ArchivedTable) error {
	of := map[string]*ArchivedTable{}
	var names []string
	for i := range tables {
		t := &tables[i]
		t.known = []epoch{{}}
		of[t.Table], names = t, append(names, t.Table)
	}
	var table string
	var last *ArchivedTable
	var p location
	err := s.scan(ctx, "SELECT toString(table_id) AS name, partition, min(offset) AS first FROM "+s.name("events")+
		" WHERE property_id = {property:String} AND table_id IN {tables:Array(String)} AND seq = 1 GROUP BY name, "+
		"partition, event_id ORDER BY name, partition, first",
		params("property", tables[0].Property, "tables", names), func() {
			t, at := of[table], p
			if t == last {
				t.known[len(t.known)-1].until = &at
				t.known = append(t.known, epoch{from: &at})
			}
			last = t
		}, &table, &p.partition, &p.offset)
	return s.explain("read the sequence epochs of tables", err)
}

// archiveReader reads one epoch of a table.
type archiveReader struct {
	store  *Store
	stream *stream
	from   string // FROM and WHERE of the queries
	args   []any
	each   func(*Archived) bool
	event  Archived
	begun  bool
	stop   bool
	// same are the hashes already passed for the current Seq: rows of one key may not be merged yet.
	same [][32]byte
	// empty has the blocks that wait to be filled.
	empty chan *archiveBlock
}

// archiveBlock is the columns of a block.
type archiveBlock struct {
	seq        proto.ColUInt64
	at, offset proto.ColInt64
	format     proto.ColInt8
	raw        proto.ColStr
}

// The number of Seqs of one query.
const (
	minArchiveChunk = 8 << 10
	maxArchiveChunk = 512 << 10
)

// read reads ranges of Seq, until the archive ends or each returns true. A range is a little longer than the number of
// events that are expected, so that one query often finds the end.
func (r *archiveReader) read(ctx context.Context, after, expect uint64) error {
	for n := uint64(minArchiveChunk); !r.stop; n = min(2*n, maxArchiveChunk) {
		n = min(max(n, expect+minArchiveChunk/4), maxArchiveChunk)
		until := after + min(n, math.MaxUint64-after)
		found, err := r.chunk(ctx, after, until)
		if err != nil || r.stop || until == math.MaxUint64 {
			return err
		}
		expect -= min(found, expect)
		if after = until; found >= n {
			continue
		}
		next, err := r.next(ctx, after)
		if err != nil || next == 0 {
			return err
		}
		after = next - 1
	}
	return nil
}

// chunk passes the events of a range of Seq, exclusive and inclusive, and returns their number. The blocks are read
// while the events before them are replayed.
func (r *archiveReader) chunk(ctx context.Context, after, until uint64) (n uint64, err error) {
	full := make(chan *archiveBlock)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(full)
		return r.blocks(ctx, full, append(slices.Clip(r.args), params("after", after, "until", until)...))
	})
	for b := range full {
		n += uint64(len(b.seq))
		r.pass(b)
		r.empty <- b
	}
	return n, group.Wait()
}

// blocks reads the blocks of a query.
func (r *archiveReader) blocks(ctx context.Context, full chan<- *archiveBlock, args []any) error {
	b := <-r.empty
	defer func() { r.empty <- b }()
	into := func() proto.Results {
		return proto.Results{{Data: &b.seq}, {Data: &b.at}, {Data: &b.format}, {Data: &b.raw}, {Data: &b.offset}}
	}
	// The order is the beginning of the sort key, so that the server merges and does not sort.
	return r.stream.query(ctx, "SELECT seq, toUnixTimestamp64Nano(at), toInt8(format), raw, offset"+r.from+
		" AND seq > {after:UInt64} AND seq <= {until:UInt64} ORDER BY seq, partition, offset "+
		"SETTINGS max_block_size = 16384, max_threads = 1", args, result{into, func() {
		full <- b
		b = <-r.empty
	}})
}

// pass passes the events of a block.
func (r *archiveReader) pass(b *archiveBlock) {
	e := &r.event
	for i := 0; i < len(b.seq) && !r.stop; i++ {
		if seq := b.seq[i]; !r.begun || e.Seq != seq {
			r.begun, r.same = true, r.same[:0]
		}
		e.Seq, e.At, e.Offset = b.seq[i], b.at[i], b.offset[i]
		e.Format, e.Value = schema.Format(b.format[i]), b.raw.RowBytes(i)
		e.SHA256 = sha256.Sum256(e.Value)
		if !slices.Contains(r.same, e.SHA256) {
			r.same = append(r.same, e.SHA256)
			r.stop = r.each(e)
		}
	}
}

// next returns the first Seq behind another, 0 without one.
func (r *archiveReader) next(ctx context.Context, after uint64) (seq uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.store.cfg.ReadTimeout)
	defer cancel()
	err = r.store.conn.QueryRow(ctx, "SELECT seq"+r.from+" AND seq > {after:UInt64} ORDER BY seq LIMIT 1",
		append(slices.Clip(r.args), params("after", after)...)...).Scan(&seq)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return seq, err
}

// SeqRange are the numbers of the events of a table, from and to inclusive.
type SeqRange struct {
	PropertyID, TableID string
	From, To            uint64
}

// Elsewhere are archived events of a table that came from another topic.
type Elsewhere struct {
	Topic    string // of the first
	Events   uint64
	From, To uint64
}

// Elsewhere returns the archived events in a range that did not come from a topic.
func (s *Store) Elsewhere(ctx context.Context, of SeqRange, topic string) (found Elsewhere, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	err = s.conn.QueryRow(ctx, "SELECT toString(argMin(topic, seq)), uniqExact(seq), min(seq), max(seq) FROM "+
		s.name("events")+" WHERE property_id = {property:String} AND table_id = {table:String} "+
		"AND seq BETWEEN {from:UInt64} AND {to:UInt64} AND topic != {topic:String}",
		params("property", of.PropertyID, "table", of.TableID, "from", of.From, "to", of.To, "topic", topic)...,
	).Scan(&found.Topic, &found.Events, &found.From, &found.To)
	return found, s.explain("read the archived events of a table", err)
}
