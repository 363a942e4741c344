// Package archive reads what an export takes in from ClickHouse.
package archive

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

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
	Calendar  pipeline.Calendar
	// Topic is the one of the table events, if the journal has several.
	Topic string

	topics map[int32]string
}

// errEnough ends a query whose reader has enough.
var errEnough = errors.New("enough")

// Fill reads what is small and leaves in the day how the rest is read.
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
	day.Rounds = r.rounds(ctx)
	day.Coverage = func(spans []export.Span) ([]export.Coverage, error) { return r.coverage(ctx, from, until, spans) }
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

func (r *Reader) findings(ctx context.Context) iter.Seq2[*finding.Finding, error] {
	return func(yield func(*finding.Finding, error) bool) {
		enough := false
		err := r.Store.EachFinding(ctx, clickhouse.Filter{PropertyID: r.Property, Newest: true}, func(f *finding.Finding) bool {
			enough = !yield(f, nil)
			return !enough
		})
		if err != nil && !enough {
			yield(nil, err)
		}
	}
}

// each runs a query of the property's and gives its rows one by one.
func (r *Reader) each(ctx context.Context, doing, query string, args []any, row func(scan func(...any) error) error) error {
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
	// mostAfter bounds the events behind the last one that a finding names.
	mostAfter = 50_000
	// wholeUpTo is how many events of a table are given from its very first on: a replay then knows all.
	wholeUpTo = 100_000
)

// events gives a table's events from where it was closed before the first, or from its beginning if that is not
// far, to the end of the first shoe that began behind the last: what a rule asked at the end of a shoe may have
// waited for.
func (r *Reader) events(ctx context.Context, table string, first, last uint64) iter.Seq2[*export.Event, error] {
	return func(yield func(*export.Event, error) bool) {
		start := uint64(0)
		args := []any{ch.Named("table", table), ch.Named("first", fmt.Sprint(first))}
		if last > wholeUpTo {
			err := r.each(ctx, "where a table closed", "SELECT max(seq) + 1 FROM "+r.Store.Table("events")+
				" WHERE property_id = {property:String} AND table_id = {table:String} AND kind = 'table_closed' AND seq < {first:UInt64}", args,
				func(scan func(...any) error) error { return scan(&start) })
			if err != nil {
				yield(nil, err)
				return
			}
		}
		d := schema.NewDecoder()
		at, later, n := "", []string{}, 0
		enough := false
		args = append(args, ch.Named("start", fmt.Sprint(start)))
		err := r.each(ctx, "the archive of table "+table, "SELECT seq, shoe_id, toInt8(format), raw, partition, offset FROM "+r.Store.Table("events")+
			" FINAL WHERE property_id = {property:String} AND table_id = {table:String} AND seq >= {start:UInt64} ORDER BY seq, partition, offset", args,
			func(scan func(...any) error) error {
				var e export.Event
				var seq uint64
				var shoe string
				var format int8
				var raw []byte
				if err := scan(&seq, &shoe, &format, &raw, &e.Partition, &e.Offset); err != nil {
					return err
				}
				if seq <= last {
					at = shoe
				} else if n++; shoe != "" && shoe != at && !slices.Contains(later, shoe) {
					later = append(later, shoe)
				}
				if len(later) > 1 || n > mostAfter {
					return errEnough
				}
				e.Topic = r.topics[e.Partition]
				if err := d.Decode(schema.Format(format), raw, &e.Event); err != nil {
					return fmt.Errorf("event %d: %w", seq, err)
				}
				if enough = !yield(&e, nil); enough {
					return errEnough
				}
				return nil
			})
		if err != nil && !enough {
			yield(nil, err)
		}
	}
}

// readTopics finds the topic of each partition: the archive does not keep it.
func (r *Reader) readTopics(ctx context.Context) (map[int32]string, error) {
	topics := map[int32]string{}
	err := r.each(ctx, "the journal", "SELECT DISTINCT partition, toString(topic) FROM "+r.Store.Table("journal")+" ORDER BY partition, topic", nil,
		func(scan func(...any) error) error {
			var p int32
			var topic string
			if err := scan(&p, &topic); err != nil {
				return err
			}
			if topics[p] == "" || topic == r.Topic {
				topics[p] = topic
			}
			return nil
		})
	return topics, err
}

func (r *Reader) coverage(ctx context.Context, from, until int64, spans []export.Span) ([]export.Coverage, error) {
	merged := map[int32]export.Span{}
	for _, s := range spans {
		merged[s.Partition] = s
	}
	bounds := []any{ch.Named("from", fmt.Sprint(from)), ch.Named("until", fmt.Sprint(until))}
	err := r.each(ctx, "the offsets of the day", "SELECT partition, min(offset), max(offset) FROM "+r.Store.Table("events")+
		` WHERE property_id = {property:String} AND at >= fromUnixTimestamp64Nano({from:Int64}) AND at < fromUnixTimestamp64Nano({until:Int64}) GROUP BY partition`,
		bounds, func(scan func(...any) error) error {
			var s export.Span
			if err := scan(&s.Partition, &s.First, &s.Last); err != nil {
				return err
			}
			if was, ok := merged[s.Partition]; ok {
				s.First, s.Last = min(s.First, was.First), max(s.Last, was.Last)
			}
			s.Topic = r.topics[s.Partition]
			merged[s.Partition] = s
			return nil
		})
	if err != nil {
		return nil, err
	}
	var all []export.Coverage
	for _, s := range merged { // the exporter sorts
		c, err := r.covered(ctx, s)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func (r *Reader) covered(ctx context.Context, s export.Span) (export.Coverage, error) {
	c := export.Coverage{Topic: s.Topic, Partition: s.Partition, First: s.First, Last: s.Last}
	journal, err := r.Store.SpanCoverage(ctx, s.Partition, s.First, s.Last)
	if err != nil {
		return c, fmt.Errorf("read the journal: %w", err)
	}
	for _, j := range journal {
		if j.Topic == s.Topic {
			for _, h := range j.Holes {
				c.Gaps = append(c.Gaps, [2]int64{h.From, h.To})
			}
		}
	}
	span := []any{
		ch.Named("partition", fmt.Sprint(s.Partition)), ch.Named("first", fmt.Sprint(s.First)), ch.Named("last", fmt.Sprint(s.Last)),
		ch.Named("topic", s.Topic),
	}
	err = r.each(ctx, "how many records were archived", "SELECT uniqExact(offset) FROM "+r.Store.Table("events")+
		" WHERE partition = {partition:Int32} AND offset BETWEEN {first:Int64} AND {last:Int64}", span,
		func(scan func(...any) error) error { return scan(&c.Records) })
	if err != nil {
		return c, err
	}
	err = r.each(ctx, "the dead letters", "SELECT offset, reason FROM "+r.Store.Table("dead_letters")+
		" FINAL WHERE topic = {topic:String} AND partition = {partition:Int32} AND offset BETWEEN {first:Int64} AND {last:Int64} ORDER BY offset", span,
		func(scan func(...any) error) error {
			var d export.DeadLetter
			err := scan(&d.Offset, &d.Reason)
			c.DeadLetters = append(c.DeadLetters, d)
			return err
		})
	return c, err
}

func (r *Reader) rounds(ctx context.Context) iter.Seq2[*export.Round, error] {
	return func(yield func(*export.Round, error) bool) {
		enough := false
		err := r.each(ctx, "rounds", `SELECT property_id, pit_id, table_id, shoe_id, round, toUnixTimestamp64Nano(at), toString(gaming_day), shift, dealer_id,
ruleset, config_id, result, toUInt32(player_count), toUInt32(banker_count), toUInt32(player_cards), toUInt32(banker_cards), cards, wagers, staked, paid,
expected_pay, collected, returned, vigorish, auditable, first_seq, end_seq FROM `+r.Store.Table("rounds")+
			" FINAL WHERE property_id = {property:String} AND gaming_day = {day:Date32}", nil,
			func(scan func(...any) error) error {
				var x export.Round
				if err := scan(&x.PropertyID, &x.PitID, &x.TableID, &x.ShoeID, &x.Round, &x.At, &x.GamingDay, &x.Shift, &x.DealerID, &x.Ruleset,
					&x.ConfigID, &x.Result, &x.PlayerCount, &x.BankerCount, &x.PlayerCards, &x.BankerCards, &x.Cards, &x.Wagers, &x.Staked, &x.Paid,
					&x.ExpectedPay, &x.Collected, &x.Returned, &x.Vigorish, &x.Auditable, &x.FirstSeq, &x.EndSeq); err != nil {
					return err
				}
				if enough = !yield(&x, nil); enough {
					return errEnough
				}
				return nil
			})
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

// triage is what became of each finding: its last state and disposition, the last reason, who closed it,
// and who confirmed that.
func (r *Reader) triage(ctx context.Context) (map[string]export.Triage, error) {
	all := map[string]export.Triage{}
	err := r.each(ctx, "triage", `SELECT finding_id, argMax(to_state, at), argMax(disposition, at), argMaxIf(if(reason = '', note, reason), at, reason != '' OR note != ''),
if(countIf(action = 'confirm') > 0, argMaxIf(actor, at, action = 'close'), argMax(actor, at)), max(at), argMaxIf(actor, at, action = 'confirm')
FROM `+r.Store.Table("finding_actions")+" WHERE property_id = {property:String} GROUP BY finding_id", nil,
		func(scan func(...any) error) error {
			var id string
			var t export.Triage
			var at time.Time
			err := scan(&id, &t.Status, &t.Disposition, &t.Explanation, &t.ReviewedBy, &at, &t.SecondReviewer)
			t.ReviewedAt = schema.Time(at.UnixNano())
			all[id] = t
			return err
		})
	return all, err
}
