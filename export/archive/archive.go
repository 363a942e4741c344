// Package archive reads the input of an export from ClickHouse: it fills an export.Day with the findings, events,
// rounds, coverage and triage of a gaming day. It only reads.
package archive

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/engine/calendar"

	"github.com/shoeproof/shoeproof/finding"

	ch "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
)

// Reader reads gaming days of a property.
type Reader struct {
	Store     *clickhouse.Store
	Property  string
	GamingDay string
	Calendar  calendar.Calendar
	// Topic is the topic of the table events, for a journal with several.
	Topic string

	topics map[int32]string
	last   struct { // the table whose letters were read last: its events and its epochs have them
		table   string
		letters []*clickhouse.Archived
	}
}

// errEnough ends a query early.
var errEnough = errors.New("enough")

// Fill reads small tables into the day and sets iterators for the others.
func (r *Reader) Fill(ctx context.Context, day *export.Day) error {
	from, until, err := r.Calendar.Bounds(r.GamingDay, "")
	if err != nil {
		return err
	}
	day.Property, day.GamingDay, day.Calendar = r.Property, r.GamingDay, r.Calendar
	day.From, day.Until = schema.Time(from), schema.Time(until)
	day.Findings = r.findings(ctx)
	day.Events = func(table string, first, last uint64) iter.Seq2[*export.Event, error] {
		return r.events(ctx, table, first, last)
	}
	day.Epochs = func(table string) (func(int32, int64) int, error) {
		epochs, err := r.Store.Epochs(ctx, r.Property, table)
		if err != nil {
			return nil, err
		}
		letters, err := r.letters(ctx, table)
		return func(partition int32, offset int64) int {
			for _, l := range letters { // each is of the epoch of the event that it contests
				if l.Partition == partition && l.Offset == offset {
					return epochs.Newest() - l.Following
				}
			}
			return epochs.At(partition, offset)
		}, err
	}
	day.Released = func(table string, of export.Span) ([]int64, error) {
		return r.Store.Released(ctx, pipeline.Table{PropertyID: r.Property, TableID: table}, of.Topic, of.Partition,
			clickhouse.Span{From: of.First, To: of.Last})
	}
	day.Rounds = r.rounds(ctx)
	day.Coverage = func(spans []export.Span) ([]export.Coverage, error) { return r.coverage(ctx, from, until, spans) }
	if day.Withdrawn, err = r.withdrawn(ctx); err != nil {
		return err
	}
	if day.Games, err = r.games(ctx); err != nil {
		return err
	}
	if day.Triage, err = r.triage(ctx); err != nil {
		return err
	}
	if r.topics, err = r.readTopics(ctx); err != nil {
		return err
	}
	holds, err := r.Store.Holds(ctx)
	if err != nil {
		return fmt.Errorf("read the legal holds: %w", err)
	}
	for _, h := range holds {
		if h.Property == r.Property && h.From <= r.GamingDay && r.GamingDay <= h.Until {
			day.Retention.Holds = append(day.Retention.Holds, h.ID+": "+h.Reason)
		}
	}
	return nil
}

// withdrawn returns the reasons of the findings that nightly runs withdrew.
func (r *Reader) withdrawn(ctx context.Context) (map[string]string, error) {
	all, err := r.Store.Withdrawals(ctx, r.Property)
	reasons := map[string]string{}
	for id, w := range all {
		if w.Action == clickhouse.Withdraw {
			reasons[id] = w.Reason
		}
	}
	return reasons, err
}

func (r *Reader) findings(ctx context.Context) iter.Seq2[*finding.Finding, error] {
	return func(yield func(*finding.Finding, error) bool) {
		enough := false
		err := r.Store.EachFinding(
			ctx,
			clickhouse.Filter{PropertyID: r.Property, Newest: true},
			func(f *finding.Finding) bool {
				enough = !yield(f, nil)
				return !enough
			},
		)
		if err != nil && !enough {
			yield(nil, err)
		}
	}
}

// each runs a query with the property and the gaming day as parameters, and calls row for each row.
func (r *Reader) each(ctx context.Context, doing, query string, args []any,
	row func(scan func(...any) error) error,
) error {
	args = append([]any{ch.Named("property", r.Property), ch.Named("day", r.GamingDay)}, args...)
	rows, err := r.Store.Conn().Query(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("read %s: %w", doing, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := row(rows.Scan); errors.Is(err, errEnough) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read %s: %w", doing, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read %s: %w", doing, err)
	}
	return nil
}

const (
	// maxAfter bounds the events after the last event that a finding names.
	maxAfter = 50_000
	// wholeUpTo is the sequence number up to which all events from the first are read, for a complete replay.
	wholeUpTo = 100_000
)

// shoesAfter bounds the events after the last event that a finding names: a rule that is evaluated at the end of a shoe
// may need the shoe that follows.
type shoesAfter struct {
	at    string // the shoe of the last event
	later []string
	n     int
	// through is the number of the last event that is not behind the bound.
	through uint64
}

// enough takes an event and reports whether it is behind the bound.
func (b *shoesAfter) enough(seq, last uint64, shoe string) bool {
	if seq <= last {
		b.at = shoe
	} else if b.n++; shoe != "" && shoe != b.at && !slices.Contains(b.later, shoe) {
		b.later = append(b.later, shoe)
	}
	if len(b.later) > 1 || b.n > maxAfter {
		return true
	}
	b.through = seq
	return false
}

// start is the number after a table's last close before first, or 0 if the beginning is near.
func (r *Reader) start(ctx context.Context, table string, first, last uint64) (start uint64, err error) {
	if last <= wholeUpTo {
		return 0, nil
	}
	err = r.each(ctx, "the last close of a table", "SELECT max(seq) + 1 FROM "+r.Store.Table("events")+
		" WHERE property_id = {property:String} AND table_id = {table:String} AND kind = 'table_closed' AND seq < "+
		"{first:UInt64}", []any{ch.Named("table", table), ch.Named("first", fmt.Sprint(first))},
		func(scan func(...any) error) error { return scan(&start) })
	return start, err
}

// events reads a table's events from its last close before first, or from its beginning if that is near, to the end
// of the shoe after last: a rule that is evaluated at the end of a shoe may need it. If the numbers began again, last
// is a number of each sequence epoch: those before the newest are read to their end, because the restart is evidence.
func (r *Reader) events(ctx context.Context, table string, first, last uint64) iter.Seq2[*export.Event, error] {
	return func(yield func(*export.Event, error) bool) {
		start, err := r.start(ctx, table, first, last)
		if err != nil {
			yield(nil, err)
			return
		}
		epochs, err := r.Store.Epochs(ctx, r.Property, table)
		if err != nil {
			yield(nil, err)
			return
		}
		d := schema.NewDecoder()
		d.AcceptAny()
		var after shoesAfter // of the newest epoch
		enough := false
		args := []any{ch.Named("table", table), ch.Named("start", fmt.Sprint(start))}
		err = r.each(
			ctx,
			"the archive of table "+table,
			"SELECT seq, event_id, toUnixTimestamp64Nano(at), shoe_id, toInt8(format), raw, partition, offset "+
				"FROM "+r.Store.Table("events")+" FINAL WHERE property_id = {property:String} AND table_id = {table:String} "+
				"AND seq >= {start:UInt64} ORDER BY seq, partition, offset, topic "+
				"LIMIT 1 BY seq, event_id, sha256", // once, also from two topics
			args,
			func(scan func(...any) error) error {
				var e export.Event
				var seq uint64
				var id, shoe string
				var at int64
				var format int8
				var raw []byte
				if err := scan(&seq, &id, &at, &shoe, &format, &raw, &e.Partition, &e.Offset); err != nil {
					return err
				}
				newest := epochs.At(e.Partition, e.Offset) == epochs.Newest()
				if newest && after.enough(seq, last, shoe) {
					if epochs.Newest() == 0 {
						return errEnough
					}
					return nil
				}
				e.Topic = r.topics[e.Partition]
				if err := d.Decode(schema.Format(format), raw, &e.Event); err != nil {
					return fmt.Errorf("event %d: %w", seq, err)
				}
				ev := &e.Event
				e.Mislabeled = ev.TableID != table || ev.Seq != seq || ev.EventID != id || ev.At != at || ev.ShoeID != shoe
				if enough = !yield(&e, nil); enough {
					return errEnough
				}
				return nil
			},
		)
		if err == nil && !enough {
			enough, err = r.yieldLetters(ctx, table, start, after.through, yield)
		}
		if err != nil && !enough {
			yield(nil, err)
		}
	}
}

func (r *Reader) letters(ctx context.Context, table string) ([]*clickhouse.Archived, error) {
	if r.last.table == table {
		return r.last.letters, nil
	}
	all, err := r.Store.Letters(ctx, &clickhouse.ArchivedTable{Property: r.Property, Table: table})
	if err == nil {
		r.last.table, r.last.letters = table, all
	}
	return all, err
}

// yieldLetters yields the dead letters that contest events from a number on, of the newest epoch through another.
func (r *Reader) yieldLetters(ctx context.Context, table string, start, through uint64,
	yield func(*export.Event, error) bool,
) (enough bool, err error) {
	letters, err := r.letters(ctx, table)
	if err != nil {
		return false, err
	}
	d := schema.NewDecoder()
	d.AcceptAny()
	for _, l := range letters {
		if l.Seq < start || l.Following == 0 && l.Seq > through {
			continue
		}
		e := export.Event{Topic: r.topics[l.Partition], Partition: l.Partition, Offset: l.Offset, Letter: true}
		if err := d.Decode(l.Format, l.Value, &e.Event); err != nil {
			return false, fmt.Errorf("dead letter at offset %d: %w", l.Offset, err)
		}
		if !yield(&e, nil) {
			return true, nil
		}
	}
	return false, nil
}

func (r *Reader) rounds(ctx context.Context) iter.Seq2[*export.Round, error] {
	return func(yield func(*export.Round, error) bool) {
		enough := false
		err := r.each(
			ctx,
			"rounds",
			`SELECT property_id, pit_id, table_id, shoe_id, round, toUnixTimestamp64Nano(at), toString(gaming_day),
shift, dealer_id,
ruleset, config_id, result, toUInt32(player_count), toUInt32(banker_count), toUInt32(player_cards),
toUInt32(banker_cards), cards, wagers, staked, paid,
expected_pay, collected, returned, vigorish, auditable, first_seq, end_seq FROM `+r.Store.Table(
				"rounds",
			)+
				" FINAL WHERE property_id = {property:String} AND gaming_day = {day:Date32}"+clickhouse.NearDays("day", "day"),
			nil,
			func(scan func(...any) error) error {
				var x export.Round
				if err := scan(&x.PropertyID, &x.PitID, &x.TableID, &x.ShoeID, &x.Round, &x.At, &x.GamingDay, &x.Shift, &x.DealerID,
					&x.Ruleset,
					&x.ConfigID, &x.Result, &x.PlayerCount, &x.BankerCount, &x.PlayerCards, &x.BankerCards, &x.Cards, &x.Wagers,
					&x.Staked, &x.Paid,
					&x.ExpectedPay, &x.Collected, &x.Returned, &x.Vigorish, &x.Auditable, &x.FirstSeq, &x.EndSeq); err != nil {
					return err
				}
				if enough = !yield(&x, nil); enough {
					return errEnough
				}
				return nil
			},
		)
		if err != nil && !enough {
			yield(nil, err)
		}
	}
}

func (r *Reader) games(ctx context.Context) (map[export.ShoeKey]string, error) {
	games := map[export.ShoeKey]string{}
	err := r.each(ctx, "shoes", "SELECT table_id, shoe_id, game FROM "+r.Store.Table("shoes")+
		" FINAL WHERE property_id = {property:String} AND gaming_day BETWEEN {day:Date32} - 1 AND {day:Date32}", nil,
		func(scan func(...any) error) error {
			var k export.ShoeKey
			var game string
			err := scan(&k.Table, &k.Shoe, &game)
			games[k] = game
			return err
		})
	return games, err
}

// triage reads the last state and disposition of each finding, the last reason with its note, who closed it, and who
// confirmed that. Audit report has the same.
func (r *Reader) triage(ctx context.Context) (map[string]export.Triage, error) {
	all := map[string]export.Triage{}
	err := r.each(
		ctx,
		"triage",
		`WITH (`+clickhouse.StepOrder+`) AS step, if(action IN ('assign', 'undo'), '', note) AS noted
SELECT finding_id, argMax(to_state, step), argMaxIf(disposition, at, action NOT IN ('note', 'assign')),
argMaxIf(trimBoth(concat(trimBoth(reason), ' ', trimBoth(noted))), step, reason != '' OR noted != ''),
if(countIf(action = 'confirm') > 0, argMaxIf(actor, at, action = 'close'), argMax(actor, step)), max(at),
argMaxIf(actor, at, action = 'confirm')
FROM `+r.Store.Table(
			"finding_actions",
		)+" WHERE property_id = {property:String} GROUP BY finding_id",
		nil,
		func(scan func(...any) error) error {
			var id string
			var t export.Triage
			var at time.Time
			err := scan(&id, &t.Status, &t.Disposition, &t.Explanation, &t.ReviewedBy, &at, &t.SecondReviewer)
			t.ReviewedAt = schema.Time(at.UnixNano())
			all[id] = t
			return err
		},
	)
	return all, err
}
