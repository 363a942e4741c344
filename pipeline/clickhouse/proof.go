package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Bytes is the comparison of the stored records of one partition, in events and dead_letters, with the journal. It
// covers no other table: their rows do not name the range that wrote them and may have been replaced, so the hash of
// the journal cannot be computed again.
type Bytes struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	// Ranges and Records count the ranges whose archived records are all stored, unchanged and without another one.
	// Repeated counts the records of these ranges that repeat others, which the journal counts and no table stores.
	Ranges   int    `json:"proven_ranges"`
	Records  uint64 `json:"proven_records"`
	Repeated uint64 `json:"repeated_records"`
	// Partial counts ranges of older releases, which did not journal what they archived, with records that stored no
	// bytes. They are before the first range with a digest: behind it, a range without one differs.
	Partial int `json:"partial_ranges"`
	// Differs are ranges with a record that is missing, changed or added.
	Differs []Span `json:"differs"`
	// Foreign are the first and the last offset of stored records before and behind all ranges. Records between two
	// ranges are in a gap of the coverage.
	Foreign []int64 `json:"foreign"`
	// Open is the last range if it is not stored completely: ingest writes its row of the journal first.
	Open []Span `json:"open"`
}

// openFor is how long the last range may be under way before it counts as different.
const openFor = time.Hour

// Bytes compares the records in events and dead_letters with the journal, for one topic, or for all if it is empty. It
// begins with the first range that was written at a time or later, and needs the rights of the auditor.
func (s *Store) Bytes(ctx context.Context, topic string, since time.Time) ([]Bytes, error) {
	var all []Bytes
	var of [][]journaled
	var before []map[Span][]journaled
	var spans []Coverage
	var digested []firstDigests
	stored, err := s.archivedSpans(ctx, topic) // before the journal: ingest writes while this reads, first the journal
	if err != nil {
		return nil, err
	}
	err = s.partitions(ctx, topic, func(rows []journaled) error {
		digested = append(digested, firstDigests{
			firstOf(rows, func(r *journaled) bool { return r.ArchivedSum != "" }),
			firstOf(rows, func(r *journaled) bool { return r.DerivedSum != "" }),
		})
		before = append(before, superseded(rows))
		c, count := cover(rows)
		slices.SortFunc(count, func(a, b journaled) int { return int(a.From - b.From) })
		first := slices.IndexFunc(count, func(r journaled) bool { return !r.WrittenAt.Before(since) })
		if first < 0 {
			first = len(count)
		}
		all = append(all, Bytes{
			Topic: c.Topic, Partition: c.Partition, Differs: []Span{}, Foreign: []int64{}, Open: []Span{},
		})
		of, spans = append(of, count[first:]), append(spans, c)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var now time.Time
	if err := s.conn.QueryRow(ctx, "SELECT now64(3, 'UTC')").Scan(&now); err != nil {
		return nil, s.explain("read the server's clock", err)
	}
	alone := !slices.ContainsFunc(all, func(b Bytes) bool { return b.Topic != all[0].Topic })
	for i := range all {
		p := prover{Bytes: &all[i], alone: alone, now: now, last: spans[i].Last, digested: digested[i], before: before[i]}
		for ranges := of[i]; len(ranges) > 0; {
			// A server can sort this number in memory, except of the largest records.
			n := 1
			for n < len(ranges) && ranges[n].To-ranges[0].From < atOnce {
				n++
			}
			if err := s.prove(ctx, &p, ranges[:n]); err != nil {
				return nil, err
			}
			ranges = ranges[n:]
		}
	}
	return foreign(all, spans, stored), nil
}

// firstDigests are the first offsets of a range with an ArchiveDigest and of a range with a DerivedDigest, replaced or
// not: a range of a newer generation without a digest replaces none.
type firstDigests struct{ archived, derived int64 }

// superseded are the rows of each range of offsets that has several with digests. After a restart, the newest lacks the
// records that the log had lost meanwhile: the archive then has the records of an earlier row.
func superseded(all []journaled) map[Span][]journaled {
	by := map[Span][]journaled{}
	for i := range all {
		if r := &all[i]; r.ArchivedSum != "" && !r.forged {
			by[Span{r.From, r.To}] = append(by[Span{r.From, r.To}], *r)
		}
	}
	for span, of := range by {
		if len(of) == 1 {
			delete(by, span)
		}
	}
	return by
}

// archivedSpan is the first and the last offset of the stored records of a partition.
type archivedSpan struct {
	topic       string
	partition   int32
	first, last int64
}

func (s *Store) archivedSpans(ctx context.Context, topic string) (all []archivedSpan, err error) {
	const of = " WHERE topic != '' AND (topic = {topic:String} OR {topic:String} = '')"
	var a archivedSpan
	err = s.scan(ctx, "SELECT toString(topic), partition, min(offset), max(offset) FROM (SELECT topic, "+
		"partition, offset FROM "+s.name("events")+of+" UNION ALL SELECT topic, partition, offset FROM "+
		s.name("dead_letters")+of+") GROUP BY topic, partition ORDER BY topic, partition", params("topic", topic),
		func() { all = append(all, a) }, &a.topic, &a.partition, &a.first, &a.last)
	return all, s.explain("read the offsets of the archive", err)
}

// foreign adds the records that are stored outside of all ranges, also of partitions that the journal does not know.
func foreign(all []Bytes, spans []Coverage, stored []archivedSpan) []Bytes {
	for _, a := range stored {
		i := slices.IndexFunc(all, func(b Bytes) bool { return b.Topic == a.topic && b.Partition == a.partition })
		if i < 0 {
			i = len(all)
			all = append(all, Bytes{
				Topic: a.topic, Partition: a.partition, Differs: []Span{}, Foreign: []int64{}, Open: []Span{},
			})
			spans = append(spans, Coverage{First: a.last + 1, Last: a.last})
		}
		if a.first < spans[i].First {
			all[i].Foreign = append(all[i].Foreign, a.first)
		}
		if a.last > spans[i].Last {
			all[i].Foreign = append(all[i].Foreign, a.last)
		}
	}
	return all
}

// atOnce is the number of offsets of one query.
const atOnce = 200_000

// prover compares the ranges of one partition.
type prover struct {
	*Bytes
	alone bool // the journal has one topic: rows of events without a topic belong to it
	now   time.Time
	last  int64 // offset of the partition
	// before are all rows of ranges that were written again.
	before map[Span][]journaled
	// digested are the first offsets of ranges with digests.
	digested firstDigests

	digest  rows.ArchiveDigest
	derived rows.DerivedDigest
	crc     uint32
	twice   bool // two rows of one offset differ
}

// stored is the row of a range whose records are stored: the newest, or an earlier one of the same log, which had more
// records then.
func (p *prover) stored(r *journaled) *journaled {
	sum, derived := p.digest.Sum(), p.derived.Sum()
	for i := range p.before[Span{r.From, r.To}] {
		old := &p.before[Span{r.From, r.To}][i]
		if r.Cut == 0 && old.Epoch == r.Epoch && old.signed == r.signed && old.Archived > r.Archived &&
			old.Archived == p.digest.Records && old.ArchivedSum == sum && old.DerivedSum == derived {
			return old
		}
	}
	return r
}

// end compares a range with its records.
func (p *prover) end(r *journaled) {
	r = p.stored(r)
	n, old := p.digest.Records, r.ArchivedSum == "" && r.To < p.digested.archived
	derived := r.DerivedSum == p.derived.Sum() || r.DerivedSum == "" && r.To < p.digested.derived
	switch {
	case !derived && n == r.Archived:
		p.Differs = append(p.Differs, Span{r.From, r.To})
	case r.ArchivedSum != "" && !p.twice && n == r.Archived && p.digest.Sum() == r.ArchivedSum,
		old && r.Hash != "" && !p.twice && n == r.Records && p.crc == r.CRC:
		p.Ranges++
		p.Records += n
		p.Repeated += r.Records - n
	case old && (n != r.Records || p.twice || r.Hash == "" || !p.alone):
		p.Partial++
	case r.To == p.last && p.now.Sub(r.WrittenAt).Abs() < openFor && n < r.Archived && !p.twice:
		p.Open = append(p.Open, Span{r.From, r.To})
	default:
		p.Differs = append(p.Differs, Span{r.From, r.To})
	}
	p.digest, p.derived, p.crc, p.twice = rows.ArchiveDigest{}, rows.DerivedDigest{}, 0, false
}

// archivedColumns are the columns of a record, which a dead letter has in part.
const (
	archivedColumns = "offset, toString(property_id), toString(pit_id), toString(table_id), seq, event_id, " +
		"toUnixTimestamp64Nano(at), shoe_id, round, toString(kind), toInt8(format), raw, false, toString(gaming_day), ''"
	deadColumns = "offset, '', '', '', toUInt64(0), '', toInt64(0), '', toUInt32(0), '', toInt8(0), raw, true, " +
		"place, reason"
)

// prove reads the records of ranges in the order of their offsets. The ranges are sorted and disjoint.
func (s *Store) prove(ctx context.Context, p *prover, ranges []journaled) error {
	doing := fmt.Sprintf("read the bytes of %s, partition %d", p.Topic, p.Partition)
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	const of = " WHERE partition = {partition:Int32} AND offset BETWEEN {from:Int64} AND {to:Int64} AND "
	// Rows without a topic are of a release that did not write it. They count for the ranges of that release.
	result, err := s.conn.Query(ctx, "SELECT * FROM (SELECT "+archivedColumns+", toString(topic) AS of FROM "+
		s.name("events")+of+"topic IN ('', {topic:String}) UNION ALL SELECT "+deadColumns+", toString(topic) AS of FROM "+
		s.name("dead_letters")+of+"topic = {topic:String}) ORDER BY offset", params("partition", p.Partition, "topic",
		p.Topic, "from", ranges[0].From, "to", ranges[len(ranges)-1].To)...)
	if err != nil {
		return s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	var r, before rows.ArchivedRecord
	var raw []byte
	var format int8
	var topic string
	before.Offset = -1
	for result.Next() {
		if err := result.Scan(&r.Offset, &r.Property, &r.Pit, &r.Table, &r.Seq, &r.EventID, &r.At, &r.Shoe, &r.Round,
			&r.Kind, &format, &raw, &r.DeadLetter, &r.Derived[0], &r.Derived[1], &topic); err != nil {
			return s.explain(doing, err)
		}
		for len(ranges) > 0 && r.Offset > ranges[0].To {
			p.end(&ranges[0])
			ranges = ranges[1:]
		}
		if len(ranges) == 0 || r.Offset < ranges[0].From || topic == "" && ranges[0].ArchivedSum != "" {
			continue
		}
		sum := sha256.Sum256(raw)
		r.Format, r.SHA256 = schema.Format(format), sum[:]
		if r.Offset == before.Offset {
			p.twice = p.twice || !sameRecord(&r, &before) // else a row that is not merged yet
		} else {
			var place [8]byte
			binary.BigEndian.PutUint64(place[:], uint64(r.Offset))
			p.crc = crc32.Update(crc32.Update(p.crc, castagnoli, place[:]), castagnoli, raw)
			p.digest.Add(&r)
			p.derived.Add(&r)
		}
		before = r
	}
	if err := result.Err(); err != nil {
		return s.explain(doing, err)
	}
	for i := range ranges {
		p.end(&ranges[i])
	}
	return nil
}

func sameRecord(a, b *rows.ArchivedRecord) bool {
	var x, y rows.ArchiveDigest
	x.Add(a)
	y.Add(b)
	return x.Sum() == y.Sum() && a.Derived == b.Derived
}

// JournalHeads returns the head of each partition; until bounds the offsets of a partition, nil has no bound. With
// bounds, a range that was made again counts as it was before, too. A head names what was read and archived. It does
// not depend on the release or the generation that wrote the ranges.
func (s *Store) JournalHeads(ctx context.Context, until []rows.JournalHead) ([]rows.JournalHead, error) {
	var heads []rows.JournalHead
	lost, err := s.lost(ctx)
	if err != nil {
		return nil, err
	}
	err = s.partitions(ctx, "", func(all []journaled) error {
		again := madeAgain(all, union(lost[placeOf(&all[0])], nil))
		_, count := cover(all)
		to := count[0].To
		for i := range count {
			to = max(to, count[i].To)
		}
		if until != nil {
			i := slices.IndexFunc(until, func(h rows.JournalHead) bool {
				return h.Topic == count[0].Topic && h.Partition == count[0].Partition
			})
			if i < 0 {
				return nil
			}
			to = until[i].To
		}
		now, was := headsAt(count, []int64{to})[0], headsAt(again(count), []int64{to})[0]
		if heads = append(heads, now); was != now && until != nil {
			heads = append(heads, was)
		}
		return nil
	})
	return heads, err
}
