package store

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/shoeproof/shoeproof/schema"
)

// Event is an archived event.
type Event struct {
	Seq       uint64    `ch:"seq"`
	EventID   string    `ch:"event_id"`
	At        time.Time `ch:"at"`
	ShoeID    string    `ch:"shoe_id"`
	Round     uint32    `ch:"round"`
	Kind      string    `ch:"kind"`
	Format    string    `ch:"format"`
	Raw       string    `ch:"raw"` // may identify patrons
	SHA256    string    `ch:"sha256"`
	Partition int32     `ch:"partition"`
	Offset    int64     `ch:"offset"`
}

// toString(sha256) would lose the zeros at the end of a hash.
const eventColumns = `seq, event_id, at, shoe_id, round, kind, toString(format) AS format, raw, sha256, partition, offset`

// EventRange selects events of a table by sequence number: those from First to Last, and those in Also. A Kind selects
// events of this kind only.
type EventRange struct {
	First, Last uint64
	Also        []uint64
	Kind        string
}

// Events returns events of a table in order.
func (s *Store) Events(ctx context.Context, scope Scope, table Location, r EventRange) ([]Event, error) {
	w := in(scope).equal("property_id", table.Property).equal("table_id", table.Table)
	w.and("(seq BETWEEN {first:UInt64} AND {last:UInt64} OR seq IN {also:Array(UInt64)})",
		"first", r.First, "last", r.Last, "also", append([]uint64{}, r.Also...)).equal("kind", r.Kind)
	ctx, cancel := context.WithTimeout(ctx, AnswerWithin)
	defer cancel()
	var rows []Event
	err := s.archive.Conn().Select(limited(ctx), &rows, s.expand(`SELECT `+eventColumns+` FROM {{events}} FINAL
		PREWHERE `+w.String()+` ORDER BY seq, event_id, sha256, partition, offset, topic
		LIMIT 1 BY seq, event_id, sha256`+fmt.Sprint(" LIMIT ", 2*MaxRows)), w.args...)
	return rows, archiveError(err)
}

// WireFormat is the format of Raw.
func (e *Event) WireFormat() schema.Format {
	if e.Format == "json" {
		return schema.JSON
	}
	return schema.Protobuf
}

// Decode decodes an event of the archive.
func (e *Event) Decode(d *schema.Decoder) (schema.Event, error) {
	var ev schema.Event
	if err := d.Decode(e.WireFormat(), []byte(e.Raw), &ev); err != nil {
		return ev, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	return ev.Clone(), nil
}

// Replay selects the events of a table for a replay: up to the sequence number Until, and at most the last Max of them.
type Replay struct {
	Until, Max uint64
}

// Replay returns the events of a table in the order of their receipt. An error is the last pair.
func (s *Store) Replay(ctx context.Context, scope Scope, table Location, r Replay) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		w := in(scope).equal("property_id", table.Property).equal("table_id", table.Table)
		w.and("seq <= {until:UInt64}", "until", r.Until).and("seq > {from:UInt64}", "from", r.Until-min(r.Until, r.Max))
		rows, err := s.archive.Conn().Query(limited(ctx), s.expand(`SELECT `+eventColumns+` FROM {{events}} FINAL
		PREWHERE `+w.String()+` ORDER BY partition, offset, topic
		LIMIT 1 BY seq, event_id, sha256 SETTINGS max_result_rows = `+strconv.Itoa(maxScan)), w.args...)
		if err != nil {
			yield(nil, archiveError(err))
			return
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var e Event
			if err := rows.ScanStruct(&e); err != nil {
				yield(nil, fmt.Errorf("read events: %w", err))
				return
			}
			if !yield(&e, nil) {
				return
			}
		}
		if err := archiveError(rows.Err()); err != nil {
			yield(nil, err)
		}
	}
}
