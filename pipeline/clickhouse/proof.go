package clickhouse

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
)

// Bytes is the comparison of the stored bytes of one partition, in events and dead_letters, with the CRCs of the
// journal. It covers no other table: their rows do not name the range that wrote them and may have been replaced, so
// the hash of the journal cannot be computed again.
type Bytes struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	// Ranges and Records count the ranges whose bytes are all unchanged.
	Ranges  int    `json:"proven_ranges"`
	Records uint64 `json:"proven_records"`
	// Partial counts ranges with records that stored no bytes: repeated events, records that the log lost, and ranges of
	// releases without a CRC.
	Partial int `json:"partial_ranges"`
	// Differs are ranges whose bytes have changed.
	Differs []Span `json:"differs"`
}

// Bytes compares the bytes in events and dead_letters with the journal, for one topic, or for all if it is empty. It
// reads all of them and needs the rights of the auditor.
func (s *Store) Bytes(ctx context.Context, topic string) ([]Bytes, error) {
	var all []Bytes
	var of [][]journaled
	err := s.partitions(ctx, topic, func(rows []journaled) error {
		c, count := cover(rows)
		slices.SortFunc(count, func(a, b journaled) int { return int(a.From - b.From) })
		all, of = append(all, Bytes{Topic: c.Topic, Partition: c.Partition, Differs: []Span{}}), append(of, count)
		return nil
	})
	if err != nil {
		return nil, err
	}
	// Rows of events have no topic.
	topics := uint64(0)
	if err := s.conn.QueryRow(ctx, "SELECT uniqExact(topic) FROM "+s.name("journal")).Scan(&topics); err != nil {
		return nil, s.explain("count the topics", err)
	}
	for i := range all {
		if topics > 1 {
			all[i].Partial = len(of[i])
			continue
		}
		for ranges := of[i]; len(ranges) > 0; {
			// A server can sort this number in memory, except of the largest records.
			n := 1
			for n < len(ranges) && ranges[n].To-ranges[0].From < atOnce {
				n++
			}
			if err := s.prove(ctx, &all[i], ranges[:n]); err != nil {
				return nil, err
			}
			ranges = ranges[n:]
		}
	}
	return all, nil
}

// atOnce is the number of offsets of one query.
const atOnce = 200_000

// prove reads the bytes of ranges in the order of their offsets. The ranges are sorted and disjoint.
func (s *Store) prove(ctx context.Context, a *Bytes, ranges []journaled) error {
	doing := fmt.Sprintf("read the bytes of %s, partition %d", a.Topic, a.Partition)
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	const of = " WHERE partition = {partition:Int32} AND offset BETWEEN {from:Int64} AND {to:Int64}"
	result, err := s.conn.Query(ctx,
		"SELECT offset, raw FROM (SELECT offset, raw FROM "+s.name("events")+of+" UNION ALL SELECT offset, raw FROM "+
			s.name("dead_letters")+of+" AND topic = {topic:String}) ORDER BY offset", params("partition", a.Partition, "topic",
			a.Topic, "from", ranges[0].From, "to", ranges[len(ranges)-1].To)...)
	if err != nil {
		return s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	var sum uint32
	var n uint64
	var twice bool // two rows of one offset have different bytes
	var last, offset int64 = -1, 0
	var raw, before []byte
	next := func() {
		switch r := &ranges[0]; {
		case n != r.Records || twice || r.Hash == "":
			a.Partial++
		case sum != r.CRC:
			a.Differs = append(a.Differs, Span{r.From, r.To})
		default:
			a.Ranges++
			a.Records += n
		}
		ranges, sum, n, twice = ranges[1:], 0, 0, false
	}
	for result.Next() {
		if err := result.Scan(&offset, &raw); err != nil {
			return s.explain(doing, err)
		}
		for len(ranges) > 0 && offset > ranges[0].To {
			next()
		}
		switch {
		case len(ranges) == 0 || offset < ranges[0].From:
		case offset == last:
			twice = twice || string(raw) != string(before)
		default:
			var place [8]byte
			binary.BigEndian.PutUint64(place[:], uint64(offset))
			sum = crc32.Update(crc32.Update(sum, castagnoli, place[:]), castagnoli, raw)
			n++
		}
		last, before = offset, append(before[:0], raw...)
	}
	if err := result.Err(); err != nil {
		return s.explain(doing, err)
	}
	for len(ranges) > 0 {
		next()
	}
	return nil
}
