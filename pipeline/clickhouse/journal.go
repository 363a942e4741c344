package clickhouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/shoeproof/shoeproof/schema/rows"

	ch "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/shoeproof/shoeproof/pipeline"
)

var _ pipeline.Journal = (*Store)(nil)

// Last is the range of the last flush of a partition that ends below an offset. It asks until ClickHouse
// answers, ctx ends, or no retry heals.
func (s *Store) Last(ctx context.Context, topic string, partition int32, below int64) (last pipeline.Range, same, ok bool, err error) {
	var rules, engine string
	last.Topic, last.Partition = topic, partition
	err = s.insist(ctx, "read the journal", func(ctx context.Context) error {
		row := s.conn.QueryRow(ctx, "SELECT from_offset, to_offset, low_offset, clock, generation, epoch, cut_from, cut_to, records, crc, rows, hash, rules_version, engine FROM "+
			s.name("journal")+" WHERE topic = {topic:String} AND partition = {partition:Int32} AND to_offset < {below:Int64} AND hash != ''"+
			" ORDER BY generation DESC, to_offset DESC, written_at DESC LIMIT 1",
			ch.Named("topic", topic), ch.Named("partition", fmt.Sprint(partition)), ch.Named("below", fmt.Sprint(below)))
		err := row.Scan(&last.From, &last.To, &last.Low, &last.Clock, &last.Generation, &last.Epoch, &last.Cut, &last.Lost, &last.Records, &last.CRC, &last.Rows, &last.Hash, &rules, &engine)
		ok = err == nil
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return last, rules == s.cfg.RulesVersion && engine == s.cfg.Engine, ok, err
}

// Memories are the newest memory of each table of a partition below an offset, by property and table,
// without those that were written at offsets which the log lost later.
func (s *Store) Memories(ctx context.Context, topic string, partition int32, below int64) ([]rows.Snapshot, error) {
	var all []rows.Snapshot
	err := s.insist(ctx, "read the memories of tables", func(ctx context.Context) error {
		all = all[:0]
		of := " topic = {topic:String} AND partition = {partition:Int32} AND offset < {below:Int64} AND NOT arrayExists(c -> c.1 > epoch AND c.2 <= offset," +
			" (SELECT groupUniqArray((epoch, cut_from)) FROM " + s.name("journal") + " WHERE topic = {topic:String} AND partition = {partition:Int32} AND cut_from > 0)) "
		result, err := s.conn.Query(ctx, "SELECT property_id, table_id, seq, at, memory, engine, offset FROM "+s.name("table_memory")+
			" WHERE"+of+"AND (property_id, table_id, offset) GLOBAL IN (SELECT property_id, table_id, max(offset) FROM "+s.name("table_memory")+
			" WHERE"+of+"GROUP BY property_id, table_id) ORDER BY property_id, table_id, version DESC LIMIT 1 BY property_id, table_id",
			ch.Named("topic", topic), ch.Named("partition", fmt.Sprint(partition)), ch.Named("below", fmt.Sprint(below)))
		if err != nil {
			return err
		}
		defer func() { _ = result.Close() }()
		for result.Next() {
			r := rows.Snapshot{Topic: topic, Partition: partition}
			var at time.Time
			if err := result.Scan(&r.PropertyID, &r.TableID, &r.Seq, &at, &r.State, &r.Engine, &r.Offset); err != nil {
				return err
			}
			r.At = at.UnixNano()
			all = append(all, r)
		}
		return result.Err()
	})
	return all, err
}

// insist asks until there is an answer.
func (s *Store) insist(ctx context.Context, doing string, ask func(context.Context) error) error {
	for try := 1; ; try++ {
		once, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
		err := ask(once)
		cancel()
		switch {
		case err == nil:
			return nil
		case kindOf(err) != nil:
			return s.explain(doing, err)
		case ctx.Err() != nil:
			return s.explain(doing, context.Cause(ctx))
		}
		s.causes.warn(ctx, s.cfg.Log, s.explain(doing, err), codeOf(err), try)
		if !s.pace.wait(ctx, try) {
			return s.explain(doing, context.Cause(ctx))
		}
	}
}
