package engine

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/shoeproof/shoeproof/engine/order"
	"github.com/shoeproof/shoeproof/engine/play"
	"github.com/shoeproof/shoeproof/engine/suspicion"
	"github.com/shoeproof/shoeproof/engine/verdict"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// A snapshot of a table is its state after one record, as a row of the batch of that record. A start restores each
// table there, so that the log is read again only from the first record after the oldest of the newest snapshots. It is
// written where the state is small, and where it would otherwise be long in coming:
//
//   - at the first card of a shoe, when the one before it is closed and gone, and when the table closes;
//   - when the first record of the table since its last snapshot is Options.Stretch offsets back, or half of that if
//     the clock of the partition has gone on for Options.Idle since the last record of the table;
//   - when the clock has gone on for 12 times Options.Idle, at most a day: a table that stays closed must not need
//     records that the log no longer has.
//
// The state within a shoe is up to seven times that between two shoes. So a short break alone is no reason to write it:
// records whose tables are an hour apart, as after an outage, would otherwise cost a snapshot for each shoe.
//
// Writing it changes nothing else: findings and facts do not depend on where it was written, and so not on which tables
// share a partition.

// snapshotFormat is raised when state that an older release wrote would be misread: with each change of a State struct.
// Package engine/testdata has a snapshot of it.
const snapshotFormat = 12

// ErrSnapshot is the error of a snapshot that was not written by a release like this one. It costs a replay from the
// first record, nothing else.
var ErrSnapshot = errors.New("snapshot of a table that this release cannot read")

// snapshot is the state of a table: deterministic CBOR (RFC 8949, 4.2.1), each struct a map of all its fields by name.
type snapshot struct {
	Format    int
	Order     order.State
	Play      play.State
	Verdict   verdict.State
	Suspicion suspicion.State
	// Seen is the clock of the partition at the last record of the table.
	Seen int64
}

// due is what decides when the snapshot of a table is due.
type due struct {
	// until is the offset of the record after which the snapshot was written from which the table was restored: it has
	// seen all records up to there.
	until int64
	// stale is true if records came since the last snapshot. The first was at low, when the clock of the partition was
	// lowClock.
	stale         bool
	low, lowClock int64
	boundary      bool
	seen          int64
}

// never is later than any time and beyond any offset.
const never = 1<<63 - 1

func (o *Options) idle() int64 { return int64(cmp.Or(o.Idle, 30*time.Minute)) }

// closed is the quiet time after which the distance in offsets no longer counts.
func (o *Options) closed() int64 { return max(o.idle(), min(12*o.idle(), int64(24*time.Hour))) }

func (o *Options) stretch() int64 { return cmp.Or(o.Stretch, 500_000) }

// sees notes a record of a table.
func (e *Engine) sees(t *table, offset, clock int64) {
	d := &t.due
	if !d.stale {
		d.stale, d.low, d.lowClock = true, offset, clock
		e.farAt = min(e.farAt, offset+e.opt.stretch())
	}
	d.seen = e.newest
	e.idleAt = min(e.idleAt, d.seen+e.opt.idle())
}

// Low is the first offset that a restart must read again, where next is the offset that comes next, and the clock of
// the partition before it: an engine restored from the snapshots below next continues from there.
func (e *Engine) Low(next int64) (low, clock int64) {
	low, clock = next, e.newest
	for _, t := range e.inOrder {
		if t.due.stale && t.due.low < low {
			low, clock = t.due.low, t.due.lowClock
		}
	}
	return low, clock
}

// snapshotsDue writes the snapshots that are due after a record: of its own table, and of the tables that it shows to
// be idle or far back.
func (e *Engine) snapshotsDue(t *table, at *Offsets, out *rows.Set) {
	if e.opt.NoSnapshots {
		return
	}
	if t != nil && t.due.boundary && t.play.Prev == nil {
		e.snapshot(t, at, out)
	}
	if e.newest <= e.idleAt && at.From < e.farAt {
		return
	}
	e.idleAt, e.farAt = never, never
	for _, t := range e.inOrder {
		d := &t.due
		if !d.stale {
			continue
		}
		idleAt, farAt := d.seen+e.opt.idle(), d.low+e.opt.stretch()
		if e.newest > idleAt {
			idleAt, farAt = d.seen+e.opt.closed(), d.low+e.opt.stretch()/2
		}
		if e.newest > idleAt || at.From >= farAt {
			e.snapshot(t, at, out)
			continue
		}
		e.idleAt, e.farAt = min(e.idleAt, idleAt), min(e.farAt, farAt)
	}
}

func (e *Engine) snapshot(t *table, at *Offsets, out *rows.Set) {
	t.due.boundary = false
	text := &e.codec.text
	text.Reset()
	err := e.codec.enc.MarshalToBuffer(&snapshot{
		Format: snapshotFormat, Order: t.order.State(), Play: t.play.State(), Verdict: t.verdict.State(),
		Suspicion: t.suspicion.State(), Seen: t.due.seen,
	}, text)
	if err != nil {
		panic(fmt.Sprintf("engine: encode a snapshot: %v", err)) // plain types always can
	}
	out.Snapshots = append(out.Snapshots, rows.Snapshot{
		PropertyID: t.play.Property, TableID: t.play.ID, Seq: t.order.Log.Next() - 1, At: t.order.Newest(),
		State:  text.String(),
		Engine: e.opt.Version, Topic: at.Topic, Partition: at.Partition, Offset: at.From,
	})
	t.due.stale = false
}

// Snapshots writes the snapshot of each table as it is now. It changes nothing else.
func (e *Engine) Snapshots(out *rows.Set) {
	for _, t := range e.inOrder {
		e.snapshot(t, &Offsets{}, out)
	}
}

// Restore restores the tables from these snapshots, at most one of each, before the first record. Clock is the clock of
// the partition before the first record that will come, as Low returned it. After an error, which is ErrSnapshot, the
// engine is of no use.
func (e *Engine) Restore(snapshots []rows.Snapshot, clock int64) error {
	e.newest = clock
	e.idleAt, e.farAt = 0, 0 // the first record checks all tables
	for i := range snapshots {
		row := &snapshots[i]
		t, err := e.restore(row)
		if err != nil {
			return fmt.Errorf(
				"%w: table %s of %s after event %d: %w", ErrSnapshot, row.TableID, row.PropertyID, row.Seq, err,
			)
		}
		t.due.until = row.Offset
		e.add(t)
	}
	return nil
}

func (e *Engine) restore(row *rows.Snapshot) (*table, error) {
	st, err := e.codec.decode([]byte(row.State))
	if err != nil {
		return nil, err
	}
	q, err := order.Restore(&st.Order)
	if err != nil {
		return nil, err
	}
	p, err := play.Restore(row.PropertyID, row.TableID, e.opt.Books, st.Play)
	if err != nil {
		return nil, err
	}
	t := e.tableOf(q, p)
	if err := t.verdict.Restore(&st.Verdict); err != nil {
		return nil, err
	}
	if err := t.suspicion.Restore(&st.Suspicion); err != nil {
		return nil, err
	}
	t.due.seen, t.seen = st.Seen, true
	return t, nil
}

// codec is the encoding of snapshots.
type codec struct {
	enc cbor.UserBufferEncMode
	dec cbor.DecMode
	// text is the snapshot that is written.
	text bytes.Buffer
	// any reads the format of any release.
	any cbor.DecMode
}

func newCodec() codec {
	options := cbor.CoreDetEncOptions()
	options.NilContainers = cbor.NilContainerAsEmpty // whether a list has storage is no state
	enc, err1 := options.UserBufferEncMode()
	dec, err2 := cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
		ExtraReturnErrors: cbor.ExtraDecErrorUnknownField, FieldNameMatching: cbor.FieldNameMatchingCaseSensitive,
		MaxNestedLevels: 32, MaxArrayElements: 1 << 24, MaxMapPairs: 1 << 16,
	}.DecMode()
	lenient, err3 := cbor.DecOptions{MaxNestedLevels: 32}.DecMode()
	if err := errors.Join(err1, err2, err3); err != nil {
		panic(err) // constant options
	}
	return codec{enc: enc, dec: dec, any: lenient}
}

// decode reads what snapshot wrote. What is not exactly that, such as a field with another name, one too many or one
// too few, is an error.
func (c *codec) decode(text []byte) (*snapshot, error) {
	var format struct{ Format int }
	if err := c.any.Unmarshal(text, &format); err != nil {
		return nil, err
	}
	if format.Format != snapshotFormat {
		return nil, fmt.Errorf("format %d, this release reads %d", format.Format, snapshotFormat)
	}
	var st snapshot
	if err := c.dec.Unmarshal(text, &st); err != nil {
		return nil, err
	}
	again, err := c.enc.Marshal(&st)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, text) {
		return nil, errors.New("a field is missing, or not written as this release writes it")
	}
	return &st, nil
}
