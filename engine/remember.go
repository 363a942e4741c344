package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// A table's memory is its state after one record, as a row of the batch of that record. A start takes up
// each table there, so that the log is read again only from the first record after the oldest of the
// newest memories. It is written where the state is small, and where it would otherwise be long in coming:
//
//   - at the first card of a shoe, when the one before it is judged and gone, and when the table closes;
//   - when the partition's clock has gone on for Options.Idle since the table's last record;
//   - when the table's first record since its last memory is Options.Stretch offsets back.
//
// Writing it changes nothing else: findings and facts do not depend on where it was written, and so
// not on which tables share a partition.

// memoryFormat is raised when state that an older release wrote would be misread.
const memoryFormat = 4

// ErrSnapshot says that a memory was not written by a release like this one.
var ErrSnapshot = errors.New("memory of a table that this release cannot read")

// remembering is what a table needs to know when its memory is due.
type remembering struct {
	// until is the offset of the record after which the memory was written that the table was taken up
	// from: it has seen all records up to there.
	until int64 `memory:"-"`
	// stale says that records came since the last memory. The first was at low, when the clock of the
	// partition was lowClock.
	stale         bool  `memory:"-"`
	low, lowClock int64 `memory:"-"`
	// boundary says that a shoe was judged since.
	boundary bool
	// seen is the partition's clock at the table's last record.
	seen int64
	// looked is at which shoe the detectors look: 1 the present one, 2 the one before. It is set to be written.
	looked int
}

// saved is the JSON of a memory.
type saved struct {
	Format int             `json:"format"`
	Table  json.RawMessage `json:"table"`
}

// sees notes a record of the table.
func (t *table) sees(offset, clock int64) {
	e, r := t.engine, &t.remembering
	if !r.stale {
		r.stale, r.low, r.lowClock = true, offset, clock
		e.farAt = min(e.farAt, offset+e.opt.stretch())
	}
	r.seen = e.newest
	e.idleAt = min(e.idleAt, r.seen+e.opt.idle())
}

func (o *Options) idle() int64 { return int64(cmp.Or(o.Idle, 30*time.Minute)) }

func (o *Options) stretch() int64 { return cmp.Or(o.Stretch, 500_000) }

// rememberDue writes the memories that are due after a record: of its own table, and of those that it
// shows to be idle or far back.
func (e *Engine) rememberDue(t *table, at *place, b *rows.Set) {
	if t != nil && t.boundary && t.prev == nil {
		t.remember(at, b)
	}
	if e.newest <= e.idleAt && at.offset < e.farAt {
		return
	}
	var due []*table
	e.idleAt, e.farAt = never, never
	for _, t := range e.inOrder {
		switch r := &t.remembering; {
		case !r.stale:
		case e.newest-r.seen > e.opt.idle() || at.offset-r.low >= e.opt.stretch():
			due = append(due, t)
		default:
			e.idleAt, e.farAt = min(e.idleAt, r.seen+e.opt.idle()), min(e.farAt, r.low+e.opt.stretch())
		}
	}
	slices.SortFunc(due, func(a, b *table) int { return cmp.Or(cmp.Compare(a.property, b.property), cmp.Compare(a.id, b.id)) })
	for _, t := range due {
		t.remember(at, b)
	}
}

// never is later than any time and beyond any offset.
const never = 1<<63 - 1

// place is where a record lies.
type place struct {
	topic     string
	partition int32
	offset    int64
}

func (t *table) remember(at *place, b *rows.Set) {
	t.boundary, t.looked = false, 0
	switch s := t.suspects.shoe; {
	case s == nil:
	case s == t.shoe:
		t.looked = 1
	case s == t.prev:
		t.looked = 2
	}
	text := append(append(t.engine.text[:0], `{"format":`...), strconv.Itoa(memoryFormat)...)
	text = append(text, `,"table":`...)
	text = append(appendState(text, reflect.ValueOf(t).Elem()), '}')
	t.engine.text = text
	b.Snapshots = append(b.Snapshots, rows.Snapshot{
		PropertyID: t.property, TableID: t.id, Seq: t.log.next() - 1, At: t.newest, State: string(text), Engine: t.engine.opt.Version,
		Topic: at.topic, Partition: at.partition, Offset: at.offset,
	})
	t.stale = false
}

// Restore takes up the tables where these rows were written, at most one of each, before the first
// record. Clock is the partition's clock before the first record that will come, as Low named it. After
// an error, which is ErrSnapshot, the engine is of no use.
func (e *Engine) Restore(rows []rows.Snapshot, clock int64) error {
	read := newReader(e.opt.Books, e.opt.budget())
	e.newest = clock
	e.idleAt, e.farAt = 0, 0 // the first record looks at all
	for i := range rows {
		row := &rows[i]
		t := newTable(e, row.PropertyID, row.TableID)
		if err := read.table(t, row.State); err != nil {
			return fmt.Errorf("%w: table %s of %s after event %d: %w", ErrSnapshot, row.TableID, row.PropertyID, row.Seq, err)
		}
		t.until = row.Offset
		e.tables[row.PropertyID+"\x00"+row.TableID] = t
		e.inOrder = append(e.inOrder, t)
	}
	return nil
}

func (r *reader) table(t *table, memory string) error {
	var from saved
	if err := json.NewDecoder(bytes.NewReader([]byte(memory))).Decode(&from); err != nil {
		return err
	}
	if from.Format != memoryFormat {
		return fmt.Errorf("format %d, this release reads %d", from.Format, memoryFormat)
	}
	if err := r.read(from.Table, reflect.ValueOf(t).Elem()); err != nil {
		return err
	}
	t.suspects.shoe = [3]*shoe{nil, t.shoe, t.prev}[max(0, min(t.looked, 2))]
	if t.suspects.shoe == nil {
		t.suspects.host = nil
	}
	size := 64
	for size < 2*(len(t.log.ends)+1) {
		size *= 2
	}
	t.log.index(size)
	return nil
}
