package clickhouse

import (
	"context"
	"fmt"

	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/shoeproof/shoeproof/pipeline"
)

var _ pipeline.Journal = (*Store)(nil)

// Last returns the range of the last flush of a partition that ends below an offset. It retries until ClickHouse
// answers, ctx ends, or the error is permanent. ErrUnsigned is permanent, too: ranges without an HMAC behind ranges
// with one would count as forged for ever.
func (s *Store) Last(ctx context.Context, topic string, partition int32, below int64) (last pipeline.Range, same,
	ok bool, err error,
) {
	of := newReader[rows.Journal](&s.journal.Table)
	signed := false
	err = s.insist(ctx, "read the journal", func(ctx context.Context) error {
		result, err := s.conn.Query(ctx, "SELECT "+of.columns+" FROM "+
			s.name("journal")+" WHERE topic = {topic:String} AND partition = {partition:Int32} "+
			"AND to_offset < {below:Int64} AND hash != ''"+
			" ORDER BY generation DESC, to_offset DESC, written_at DESC, length(released) DESC LIMIT 1",
			params("topic", topic, "partition", partition, "below", below)...)
		if err != nil {
			return err
		}
		found, err := of.all(result)
		if ok = len(found) > 0; ok {
			last, same = rangeOf(&found[0]), found[0].RulesVersion == s.cfg.RulesVersion && found[0].Engine == s.cfg.Engine
			signed = found[0].MAC != ""
		}
		return err
	})
	if err == nil && signed && len(s.cfg.ChainKeys) == 0 {
		err = fmt.Errorf("topic %s, partition %d: %w", topic, partition, ErrUnsigned)
	}
	return last, same, ok, err
}

// Releases returns the ranges after which holes were given up; see pipeline.Journal.
func (s *Store) Releases(
	ctx context.Context, topic string, partition int32, from, below int64,
) (all []pipeline.Range, err error) {
	of := newReader[rows.Journal](&s.journal.Table)
	const where = " WHERE topic = {topic:String} AND partition = {partition:Int32} AND hash != '' "
	err = s.insist(ctx, "read the releases of the journal", func(ctx context.Context) error {
		all = nil
		result, err := s.conn.Query(ctx, "SELECT "+of.columns+" FROM "+s.name("journal")+where+
			"AND to_offset >= {from:Int64} AND to_offset < {below:Int64} AND released != '' "+
			"ORDER BY to_offset, generation DESC, length(released) DESC LIMIT 1 BY to_offset",
			params("topic", topic, "partition", partition, "from", from, "below", below)...)
		if err != nil {
			return err
		}
		found, err := of.all(result)
		for i := 0; err == nil && i < len(found); i++ {
			r := rangeOf(&found[i])
			var replaced uint64
			err = s.conn.QueryRow(ctx, "SELECT count() FROM "+s.name("journal")+where+
				"AND (generation > {generation:Int32} AND from_offset <= {to:Int64} AND to_offset >= {to:Int64} "+
				"OR epoch > {epoch:UInt32} AND cut_from > 0 AND cut_from <= {to:Int64})",
				params("topic", topic, "partition", partition, "generation", r.Generation, "epoch", r.Epoch, "to", r.To)...,
			).Scan(&replaced)
			if replaced == 0 {
				all = append(all, r)
			}
		}
		return err
	})
	return all, err
}

// Snapshots returns the newest snapshot of each table of a partition below an offset, by property and table. It leaves
// out snapshots at offsets that the log lost later.
func (s *Store) Snapshots(ctx context.Context, topic string, partition int32, below int64) ([]rows.Snapshot, error) {
	var all []rows.Snapshot
	of := newReader[rows.Snapshot](rows.Find("table_memory"))
	err := s.insist(ctx, "read the snapshots of tables", func(ctx context.Context) error {
		where := " topic = {topic:String} AND partition = {partition:Int32} AND offset < {below:Int64} " +
			"AND NOT arrayExists(c -> c.1 > epoch AND c.2 <= offset," +
			" (SELECT groupUniqArray((epoch, cut_from)) FROM " + s.name("journal") +
			" WHERE topic = {topic:String} AND partition = {partition:Int32} AND cut_from > 0)) "
		result, err := s.conn.Query(ctx, "SELECT "+of.columns+" FROM "+s.name("table_memory")+
			" PREWHERE"+where+"AND (property_id, table_id, offset) GLOBAL IN (SELECT property_id, table_id, max(offset) FROM "+
			s.name("table_memory")+
			" WHERE"+where+"GROUP BY property_id, table_id) ORDER BY property_id, table_id, version DESC, seq DESC "+
			"LIMIT 1 BY property_id, table_id",
			params("topic", topic, "partition", partition, "below", below)...)
		if err != nil {
			return err
		}
		all, err = of.all(result)
		return err
	})
	return all, err
}

// Beside returns the tables with snapshots of the partitions of a topic; see pipeline.Journal.
func (s *Store) Beside(ctx context.Context, topic string) (all []pipeline.Played, err error) {
	err = s.insist(ctx, "read the tables of the partitions", func(ctx context.Context) error {
		all = nil
		var p pipeline.Played
		return s.scan(ctx, "SELECT toString(property_id), toString(table_id), partition, "+
			"toUnixTimestamp64Nano(min(at)), toUnixTimestamp64Nano(max(at)), "+
			"argMin(seq, (at, seq)), argMax(seq, (at, seq)) FROM "+
			s.name("table_memory")+" WHERE topic = {topic:String} "+
			"GROUP BY property_id, table_id, partition ORDER BY property_id, table_id, partition",
			params("topic", topic), func() { all = append(all, p) },
			&p.PropertyID, &p.TableID, &p.Partition, &p.At, &p.Until, &p.First, &p.Last)
	})
	return all, err
}

// insist retries a query until the server answers.
func (s *Store) insist(ctx context.Context, doing string, query func(context.Context) error) error {
	for try := 1; ; try++ {
		once, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
		err := query(once)
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
