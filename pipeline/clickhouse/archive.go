package clickhouse

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go/proto"
	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Archived is an archived event.
type Archived struct {
	pipeline.Record // the value is valid during the call
	Seq             uint64
	At              int64
	Partition       int32
	// Following is how many sequence epochs of the table follow its own.
	Following int
	// Letter is true for a dead letter that contests the event before it; see Letters.
	Letter bool
}

// An ArchivedTable is a table in the archive. It is for one replay.
type ArchivedTable struct {
	Property string `ch:"property_id"`
	Table    string `ch:"name"`
	// Events is about how many events a replay will read. It changes no result: so many are read in one query.
	Events uint64 `ch:"n"`
	// Last is the highest Seq of its events from the one time to before the other.
	Last uint64 `ch:"last"`

	known    []epoch
	letters  []*Archived // that contest events of it, once it is prepared
	prepared bool
}

// Tables returns the tables of a property with events from one time to before another, sorted.
func (s *Store) Tables(ctx context.Context, property string, from, until int64) (names []string, err error) {
	var name string
	err = s.scan(ctx, "SELECT DISTINCT toString(table_id) AS name FROM "+s.name("events")+
		" WHERE property_id = {property:String} AND at >= fromUnixTimestamp64Nano({from:Int64}) "+
		"AND at < fromUnixTimestamp64Nano({until:Int64}) ORDER BY name",
		params("property", property, "from", from, "until", until), func() { names = append(names, name) }, &name)
	return names, s.explain("read the tables of the archive", err)
}

// ofTables is a condition that is true where one of n conditions holds, each of the rows of a table, with its
// parameters.
func ofTables(property string, n int, each func(i int) (table, condition string)) (where string, args []any) {
	args = params("property", property)
	of := make([]string, n)
	for i := range n {
		table, condition := each(i)
		of[i] = fmt.Sprintf("table_id = {%s:String} AND %s", nthTable(i), condition)
		args = append(args, params(nthTable(i), table)...)
	}
	return "property_id = {property:String} AND (" + strings.Join(of, " OR ") + ")", args
}

// nthTable is the name of the parameter of a table in ofTables.
func nthTable(i int) string { return fmt.Sprintf("table%d", i) }

// Window is a time from From to before Until, and the time around it from Since to before Later; ns UTC.
type Window struct{ Since, From, Until, Later int64 }

// Present is a table in the archive, in a window and in the time around it.
type Present struct {
	ArchivedTable // Events and Last are of the window
	// Before is true if it has events in the 24 hours before the window.
	Before bool `ch:"before"`
	// Spread is true if it has events in several partitions of a topic, in the window and in the time around it.
	Spread bool `ch:"spread"`
}

// Present returns the tables of a property with events in a window or around it, sorted. It is one query: each query
// reads the index columns of all these events.
func (s *Store) Present(ctx context.Context, property string, w Window) ([]Present, error) {
	return list[Present](ctx, s, "read the tables of the archive", `WITH at >= fromUnixTimestamp64Nano({from:Int64})
AND at < fromUnixTimestamp64Nano({until:Int64}) AS within
SELECT property_id, name, sum(events) AS n, max(seqs) AS last, max(early) AS before, max(parts) AS spread
FROM (SELECT property_id, toString(table_id) AS name, countIf(within) AS events, maxIf(seq, within) AS seqs,
countIf(at < fromUnixTimestamp64Nano({from:Int64}) AND at >= fromUnixTimestamp64Nano({before:Int64})) > 0 AS early,
min(partition) < max(partition) AS parts FROM `+s.name("events")+` WHERE property_id = {property:String}
AND at >= fromUnixTimestamp64Nano({since:Int64}) AND at < fromUnixTimestamp64Nano({later:Int64})
GROUP BY property_id, table_id, topic) GROUP BY property_id, name ORDER BY name`, params("property", property,
		"from", w.From, "until", w.Until, "before", w.From-int64(24*time.Hour), "since", w.Since, "later", w.Later)...)
}

// LastEvent returns the last event of a table from one time to before another, in the order of a replay: how many
// sequence epochs follow its own, and its Seq.
func (s *Store) LastEvent(ctx context.Context, of *ArchivedTable, from, until int64,
) (following int, seq uint64, err error) {
	all, err := s.epochs(ctx, of)
	if err != nil || len(all) == 1 {
		return 0, of.Last, err
	}
	args := params("property", of.Property, "table", of.Table, "from", from, "until", until)
	for i := range slices.Backward(all) {
		err := s.conn.QueryRow(ctx, "SELECT max(seq) FROM "+s.name("events")+
			" WHERE property_id = {property:String} AND table_id = {table:String} "+
			"AND at >= fromUnixTimestamp64Nano({from:Int64}) AND at < fromUnixTimestamp64Nano({until:Int64})"+
			all[i].where(), args...).Scan(&seq)
		if err != nil || seq > 0 {
			return len(all) - 1 - i, seq, s.explain("read the last event of a table", err)
		}
	}
	return 0, 0, nil
}

// location is the position of an event in the log.
type location struct {
	partition int32
	offset    int64
}

// A TableReplay is a table to replay.
type TableReplay struct {
	Table *ArchivedTable
	// After is a snapshot that SnapshotBefore returned; nil to start at the first event.
	After *rows.Snapshot
	// Each receives the events in the order of Seq, each once, until it returns true. Late events are in order. Of events
	// with one Seq the first is in order, and the others come where they arrived: what was judged before is not disputed
	// by them. If nothing was judged by the first, since it came late or its turn had not come, they follow it at once,
	// and it is Contested, also the dead letters among them. If the sequence of the table restarted, one sequence epoch
	// follows the other.
	Each func(*Archived) (stop bool)
	// End is called behind the last event.
	End func() error
}

const readingArchive = "read the archive of tables"

// Replay replays tables of one property, in the order of their names. One query reads the next events of all: each
// query takes the server as long as reading some thousand events, and a granule of the archive has events of several
// tables.
func (s *Store) Replay(ctx context.Context, tables []TableReplay) (err error) {
	r := archiveReader{store: s, property: tables[0].Table.Property}
	var all []*ArchivedTable
	for i := range tables {
		all = append(all, tables[i].Table)
	}
	if err := s.Prepare(ctx, all); err != nil {
		return err
	}
	var open []*reading
	for i := range tables {
		t := &reading{TableReplay: &tables[i], expect: all[i].Events, epochs: all[i].known, letters: all[i].letters}
		if t.After != nil {
			t.epochs, t.after = t.epochs[epochOf(t.epochs, t.After):], t.After.Seq
		}
		open = append(open, t)
	}
	slices.SortFunc(open, func(a, b *reading) int { return cmp.Compare(a.Table.Table, b.Table.Table) })
	if r.stream, err = s.openStream(ctx); err != nil {
		return s.explain(readingArchive, err)
	}
	defer func() { s.keepStream(r.stream, err) }()
	r.empty = make(chan *archiveBlock, len(r.stream.blocks))
	for i := range r.stream.blocks {
		r.empty <- &r.stream.blocks[i]
	}
	for len(open) > 0 {
		if err = r.read(ctx, open); err != nil {
			return err
		}
		open = slices.DeleteFunc(open, func(t *reading) bool { return t.ended })
	}
	return nil
}

// epoch is a range of the log in which the sequence of a table does not restart: from a location, inclusive, until
// another, exclusive. Nil is open. It began at an event time, with the first event 1 of its range.
type epoch struct {
	from, until *location
	began       int64
}

// where restricts a query to the epoch.
func (n epoch) where() (condition string) {
	bound := func(p *location, operator string) {
		if p != nil {
			condition += fmt.Sprintf(" AND (partition, offset) %s (%d, %d)", operator, p.partition, p.offset)
		}
	}
	bound(n.from, ">=")
	bound(n.until, "<")
	return condition
}

// epochOf returns the epoch in which a snapshot was written.
func epochOf(all []epoch, m *rows.Snapshot) int { return epochAt(all, location{m.Partition, m.Offset}) }

func epochAt(all []epoch, at location) int {
	i := slices.IndexFunc(all, func(n epoch) bool {
		return (n.from == nil || at.compare(n.from) >= 0) && (n.until == nil || at.compare(n.until) < 0)
	})
	return max(i, 0)
}

// Epochs are the sequence epochs of a table, in the order of play.
type Epochs struct{ all []epoch }

// Epochs reads the sequence epochs of a table.
func (s *Store) Epochs(ctx context.Context, property, table string) (Epochs, error) {
	all, err := s.epochs(ctx, &ArchivedTable{Property: property, Table: table})
	return Epochs{all}, err
}

// At is the index of the epoch that has a place of the log.
func (e Epochs) At(partition int32, offset int64) int {
	return epochAt(e.all, location{partition, offset})
}

// Newest is the index of the last epoch.
func (e Epochs) Newest() int { return len(e.all) - 1 }

func (p location) compare(o *location) int {
	return cmp.Or(cmp.Compare(p.partition, o.partition), cmp.Compare(p.offset, o.offset))
}

// epochs returns the epochs of a table in order.
func (s *Store) epochs(ctx context.Context, of *ArchivedTable) ([]epoch, error) {
	if of.known == nil {
		if err := s.readEpochs(ctx, []*ArchivedTable{of}); err != nil {
			return nil, err
		}
	}
	return of.known, nil
}

// Prepare reads what a replay of tables of one property needs before it begins: their sequence epochs, and the dead
// letters that contest events. A replay does it for its own tables; done for many at once, it takes a few queries, each
// of which takes the server as long as reading some thousand events. The replays should follow soon: they do not notice
// what comes later.
func (s *Store) Prepare(ctx context.Context, tables []*ArchivedTable) error {
	tables = slices.DeleteFunc(slices.Clone(tables), func(t *ArchivedTable) bool { return t.prepared })
	if len(tables) == 0 {
		return nil
	}
	if err := s.readEpochs(ctx, tables); err != nil {
		return err
	}
	letters, err := s.forgotten(ctx, tables[0].Property, namesOf(tables))
	if err != nil {
		return err
	}
	for _, t := range tables {
		if t.letters, err = s.contesting(ctx, t, letters[t.Table]); err != nil {
			return err
		}
		t.prepared = true
	}
	return nil
}

func namesOf(tables []*ArchivedTable) (names []string) {
	for _, t := range tables {
		names = append(names, t.Table)
	}
	return names
}

// readEpochs reads the sequence epochs of tables of one property. A new epoch starts at another event with Seq 1,
// unless it contests one which came late, and at the first one if the table was read from mid-stream before.
func (s *Store) readEpochs(ctx context.Context, tables []*ArchivedTable) error {
	begins := map[string][]epoch{} // from each event 1, in the order of the log
	var table string
	var began int64
	var p location
	err := s.scan(ctx, "SELECT toString(table_id) AS name, partition, min(offset) AS first, "+
		"argMin(toUnixTimestamp64Nano(at), offset) FROM "+s.name("events")+
		" WHERE property_id = {property:String} AND table_id IN {tables:Array(String)} AND seq = 1 GROUP BY name, "+
		"partition, event_id ORDER BY name, partition, first",
		params("property", tables[0].Property, "tables", namesOf(tables)), func() {
			at := p
			begins[table] = append(begins[table], epoch{from: &at, began: began})
		}, &table, &p.partition, &p.offset, &began)
	if err != nil {
		return s.explain("read the sequence epochs of tables", err)
	}
	before, err := s.newestBefore(ctx, tables, begins)
	if err != nil {
		return s.explain("read the events before the first restart of tables", err)
	}
	for _, t := range tables {
		restarts, err := s.restarts(ctx, t, begins[t.Table])
		if err != nil {
			return s.explain("read the sequence epochs of tables", err)
		}
		t.known = epochsFrom(restarts, before[t.Table])
	}
	return nil
}

// newestBefore returns by table the time of the newest event in front of its first event 1, in its partition.
func (s *Store) newestBefore(ctx context.Context, tables []*ArchivedTable, begins map[string][]epoch,
) (map[string]int64, error) {
	var behind []string // tables with events in front
	for _, t := range tables {
		if b := begins[t.Table]; len(b) > 0 && b[0].from.offset > 0 {
			behind = append(behind, t.Table)
		}
	}
	newest := map[string]int64{}
	if len(behind) == 0 {
		return newest, nil
	}
	where, args := ofTables(tables[0].Property, len(behind), func(i int) (table, condition string) {
		first := begins[behind[i]][0].from
		return behind[i], fmt.Sprintf("partition = %d AND offset < %d", first.partition, first.offset)
	})
	var table string
	var at int64
	err := s.scan(ctx, "SELECT toString(table_id) AS name, toUnixTimestamp64Nano(max(at)) FROM "+s.name("events")+
		" WHERE "+where+" GROUP BY name", args, func() { newest[table] = at }, &table, &at)
	return newest, err
}

// epochsFrom returns the epochs of a table in order, of which each begins with an event 1. If the first of these is
// newer than all events in front of it, the table was read from mid-stream, and the numbers restarted there; older
// events came late. The log of a partition has the order of its epochs. A partition that began earlier is first:
// a table that moved went on in the other.
func epochsFrom(begins []epoch, newest int64) []epoch {
	if len(begins) == 0 {
		return []epoch{{}}
	}
	all := begins
	if newest != 0 && newest < begins[0].began {
		first := location{begins[0].from.partition, math.MinInt64}
		all = append([]epoch{{from: &first, began: newest}}, begins...)
	}
	start := map[int32]int64{}
	for i := range all {
		if i > 0 {
			all[i-1].until = all[i].from
		}
		if _, known := start[all[i].from.partition]; !known {
			start[all[i].from.partition] = all[i].began
		}
	}
	partitions := func(a, b epoch) int { return cmp.Compare(start[a.from.partition], start[b.from.partition]) }
	ordered := slices.Clone(all)
	slices.SortStableFunc(ordered, partitions)
	for i := range ordered {
		if ordered[i].from == all[0].from {
			ordered[i].from = nil // also what is in the partitions before
			break
		}
	}
	return ordered
}

// archiveReader reads tables.
type archiveReader struct {
	store    *Store
	stream   *stream
	property string
	event    Archived
	// empty has the blocks that wait to be filled.
	empty chan *archiveBlock
	// behind are tables whose range was read and may have been the last.
	behind []*reading
}

// reading is a table that is being read.
type reading struct {
	*TableReplay
	epochs []epoch // the first is being read
	// The query reads a range of Seq, after exclusive and until inclusive, of about size events. It found some.
	after, until, size, found uint64
	expect                    uint64 // about how many events are still to be read
	// same are events of one Seq that wait for the next Seq, with other bytes each: rows of one key may not be merged yet.
	same     []*Archived
	contests pipeline.Contests[*Archived]
	arrived  arrived
	letters  []*Archived // that contest events of it
	ended    bool
}

// archiveBlock is the columns of a block.
type archiveBlock struct {
	table      proto.ColUInt16 // the index in the tables that are read
	seq        proto.ColUInt64
	at, offset proto.ColInt64
	partition  proto.ColInt32
	format     proto.ColInt8
	raw        proto.ColStr
}

// The number of Seqs that one query reads of a table.
const (
	minArchiveChunk = 8 << 10
	maxArchiveChunk = 512 << 10
)

// read passes the events of the next range of each table. A range is a little longer than the number of events that are
// expected, so that one query often finds the end. Blocks are read while the events before them are replayed.
func (r *archiveReader) read(ctx context.Context, open []*reading) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	full := make(chan *archiveBlock)
	group, working := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(full)
		return r.blocks(working, full, open)
	})
	var err error
	left := 0 // tables whose range was read
	leave := func(until int) {
		for ; left < until && err == nil; left++ {
			err = r.leave(ctx, open[left])
		}
	}
	for b := range full {
		for i := 0; i < len(b.seq) && err == nil; i++ {
			if leave(int(b.table[i])); err == nil {
				err = r.pass(ctx, open[left], b, i)
			}
		}
		if err != nil {
			cancel()
		}
		r.empty <- b
	}
	if failed := group.Wait(); err == nil {
		err = r.store.explain(readingArchive, failed)
	}
	if leave(len(open)); err == nil {
		err = r.skip(ctx)
	}
	return err
}

// blocks reads the blocks of a query.
func (r *archiveReader) blocks(ctx context.Context, full chan<- *archiveBlock, open []*reading) error {
	for _, t := range open {
		t.size = min(max(2*t.size, minArchiveChunk, t.expect+minArchiveChunk/4), maxArchiveChunk)
		t.until, t.found = t.after+min(t.size, math.MaxUint64-t.after), 0
	}
	where, args := r.where(open, func(t *reading) string {
		return fmt.Sprintf("seq > %d AND seq <= %d", t.after, t.until)
	})
	names := make([]string, len(open))
	for i := range open {
		names[i] = "{" + nthTable(i) + ":String}"
	}
	b := <-r.empty
	defer func() { r.empty <- b }()
	into := func() proto.Results {
		return proto.Results{
			{Data: &b.table},
			{Data: &b.seq},
			{Data: &b.at},
			{Data: &b.format},
			{Data: &b.raw},
			{Data: &b.offset},
			{Data: &b.partition},
		}
	}
	// The order is the beginning of the sort key, so that the server merges and does not sort. transform is evaluated
	// once for each name of a dictionary.
	return r.stream.query(ctx, fmt.Sprintf("SELECT CAST(transform(table_id, [%s], range(toUInt16(%d)), toUInt16(0)), "+
		"'UInt16'), seq, toUnixTimestamp64Nano(at), toInt8(format), raw, offset, partition%s "+
		"ORDER BY property_id, table_id, seq, partition, offset, topic SETTINGS max_block_size = 16384, max_threads = 1, "+
		"local_filesystem_read_method = 'pread'", strings.Join(names, ", "), len(open), where), args, result{into, func() {
		full <- b
		b = <-r.empty
	}})
}

// where returns FROM and WHERE of a query of the current epochs of tables, within a range of each, with its parameters.
func (r *archiveReader) where(tables []*reading, within func(*reading) string) (where string, args []any) {
	where, args = ofTables(r.property, len(tables), func(i int) (table, condition string) {
		return tables[i].Table.Table, within(tables[i]) + tables[i].epochs[0].where()
	})
	return " FROM " + r.store.name("events") + " WHERE " + where, args
}

// pass passes an event of a block.
func (r *archiveReader) pass(ctx context.Context, t *reading, b *archiveBlock, row int) error {
	t.found++
	if len(t.same) > 0 && t.same[0].Seq != b.seq[row] {
		if err := r.passSame(ctx, t); err != nil {
			return err
		}
	}
	if t.ended {
		return nil
	}
	e := &r.event
	e.Seq, e.At, e.Offset, e.Partition = b.seq[row], b.at[row], b.offset[row], b.partition[row]
	e.Following = len(t.epochs) - 1
	e.Format, e.Value = schema.Format(b.format[row]), b.raw.RowBytes(row)
	e.SHA256 = sha256.Sum256(e.Value)
	// The rows of one Seq follow each other, also from one block to the next.
	if next := row + 1; len(t.same) == 0 && next < len(b.seq) && b.table[next] == b.table[row] && b.seq[next] != e.Seq {
		return r.passOne(ctx, t, e, nil)
	}
	if !slices.ContainsFunc(t.same, func(o *Archived) bool { return o.SHA256 == e.SHA256 }) {
		kept := *e
		kept.Value = bytes.Clone(e.Value)
		t.same = append(t.same, &kept)
	}
	return nil
}

// passSame passes the events of one Seq that wait.
func (r *archiveReader) passSame(ctx context.Context, t *reading) error {
	same := t.same
	if t.same = nil; len(same) == 0 || t.ended {
		return nil
	}
	var at []*Archived
	for _, e := range same[1:] {
		disputes, err := r.disputes(ctx, t, e)
		switch {
		case err != nil:
			return err
		case disputes:
			at = append(at, e)
		default:
			t.contests.Add(e.Offset, e)
		}
	}
	return r.passOne(ctx, t, same[0], at)
}

// passOne passes an event, and those that dispute it.
func (r *archiveReader) passOne(ctx context.Context, t *reading, e *Archived, disputes []*Archived) error {
	if t.contests.Wait(e.Offset) {
		late, err := r.late(ctx, t, e)
		if err != nil {
			return err
		}
		if !late {
			t.contest(e.Offset)
		}
	}
	for _, l := range t.letters {
		if l.Seq == e.Seq && l.Following == e.Following {
			disputes = append(disputes, l)
		}
	}
	for i := 0; i <= len(disputes) && (i > 0 || !t.ended); i++ {
		e.Contested = i < len(disputes)
		t.ended = t.Each(e) || t.ended
		if e.Contested = false; i < len(disputes) {
			e = disputes[i]
		}
	}
	if t.ended {
		return t.end()
	}
	return nil
}

// contest passes the events that contest others where they arrived, before an offset.
func (t *reading) contest(before int64) {
	for e := range t.contests.Before(before) {
		t.ended = t.Each(e) || t.ended
	}
}

// end ends the table. What still waits contests events that were passed.
func (t *reading) end() error {
	t.ended = true
	t.contest(math.MaxInt64)
	return t.End()
}

// leave moves a table behind the range that was read.
func (r *archiveReader) leave(ctx context.Context, t *reading) error {
	if err := r.passSame(ctx, t); err != nil || t.ended {
		return err
	}
	t.after, t.expect = t.until, t.expect-min(t.found, t.expect)
	if t.found >= t.size {
		return nil
	}
	if r.behind = append(r.behind, t); len(r.behind) < maxBehind {
		return nil
	}
	return r.skip(ctx)
}

// maxBehind bounds the tables that wait for one query: what a replay has in memory waits with them.
const maxBehind = 4

// skip moves tables to the next event behind the range that was read, and ends a table without such an event.
func (r *archiveReader) skip(ctx context.Context) error {
	if len(r.behind) == 0 {
		return nil
	}
	where, args := r.where(r.behind, func(t *reading) string { return fmt.Sprintf("seq > %d", t.after) })
	first := map[string]uint64{}
	var table string
	var seq uint64
	err := r.store.scan(ctx, "SELECT toString(table_id) AS name, min(seq)"+where+" GROUP BY name", args,
		func() { first[table] = seq }, &table, &seq)
	if err != nil {
		return r.store.explain(readingArchive, err)
	}
	for _, t := range r.behind {
		if next := first[t.Table.Table]; next > 0 {
			t.after = next - 1
			continue
		}
		t.contest(math.MaxInt64)
		if t.ended || len(t.epochs) == 1 {
			if err := t.end(); err != nil {
				return err
			}
			continue
		}
		t.epochs = t.epochs[1:]
		t.after, t.size, t.expect = 0, 0, t.Table.Events
		t.arrived = arrived{}
	}
	r.behind = r.behind[:0]
	return nil
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
