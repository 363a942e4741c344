package archive

import (
	"context"
	"fmt"

	ch "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// readTopics reads the topic of each partition from the journal; the archive does not have it.
func (r *Reader) readTopics(ctx context.Context) (map[int32]string, error) {
	topics := map[int32]string{}
	err := r.each(
		ctx,
		"the journal",
		"SELECT DISTINCT partition, toString(topic) FROM "+r.Store.Table("journal")+" ORDER BY partition, topic",
		nil,
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
		},
	)
	return topics, err
}

func (r *Reader) coverage(ctx context.Context, from, until int64, spans []export.Span) ([]export.Coverage, error) {
	merged, ofDay := map[int32]export.Span{}, map[int32]clickhouse.Offsets{}
	for _, s := range spans {
		merged[s.Partition] = s
	}
	days, err := r.Store.DayOffsets(ctx, r.Property, []int64{from, until})
	if err != nil {
		return nil, err
	}
	for _, of := range days[0] {
		s := export.Span{Topic: r.topics[of.Partition], Partition: of.Partition, First: of.From, Last: of.To}
		if was, ok := merged[s.Partition]; ok {
			s.First, s.Last = min(s.First, was.First), max(s.Last, was.Last)
		}
		merged[s.Partition], ofDay[s.Partition] = s, of
	}
	var all []export.Coverage
	for _, s := range merged { // the exporter sorts
		c, err := r.covered(ctx, s)
		if err != nil {
			return nil, err
		}
		if of, known := ofDay[s.Partition]; known && of.First <= of.Last {
			c.Ends = []int64{of.First, of.Last}
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
		ch.Named("partition", fmt.Sprint(s.Partition)), ch.Named("first", fmt.Sprint(s.First)),
		ch.Named("last", fmt.Sprint(s.Last)),
		ch.Named("topic", s.Topic),
	}
	var stored uint64
	err = r.each(ctx, "the number of archived records", "SELECT uniqExact(offset), count() FROM "+r.Store.Table("events")+
		" WHERE partition = {partition:Int32} AND offset BETWEEN {first:Int64} AND {last:Int64}", span,
		func(scan func(...any) error) error { return scan(&c.Records, &stored) })
	if err == nil && stored > c.Records {
		err = r.doubled(ctx, &c, span)
	}
	if err != nil {
		return c, err
	}
	err = r.each(ctx, "the dead letters", "SELECT offset, reason"+r.Store.DeadLetters()+" ORDER BY offset", span,
		func(scan func(...any) error) error {
			var d export.DeadLetter
			err := scan(&d.Offset, &d.Reason)
			c.DeadLetters = append(c.DeadLetters, d)
			return err
		})
	return c, err
}

// doubled counts the offsets with several events. A partition number of several topics, and a log that was cut back,
// give an offset again.
func (r *Reader) doubled(ctx context.Context, c *export.Coverage, span []any) error {
	return r.each(ctx, "the offsets with several events", "SELECT count() FROM (SELECT offset FROM "+
		r.Store.Table("events")+" WHERE partition = {partition:Int32} AND offset BETWEEN {first:Int64} AND {last:Int64} "+
		"AND (SELECT uniqExact(topic) = 1 AND max(epoch) = 0 FROM "+r.Store.Table("journal")+
		" WHERE partition = {partition:Int32}) "+
		"GROUP BY offset HAVING uniqExact(property_id, table_id, seq, event_id, sha256) > 1)", span,
		func(scan func(...any) error) error { return scan(&c.Doubled) })
}
