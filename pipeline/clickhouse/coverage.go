package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/schema/rows"

	ch "github.com/ClickHouse/clickhouse-go/v2"
)

// Coverage is what the journal proves of one partition.
type Coverage struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	// First and Last are the offsets between which everything should be covered, both inclusive.
	First int64 `json:"first"`
	Last  int64 `json:"last"`
	// Ranges and Records are those that count: where two ranges overlap, those of the newest generation.
	Ranges  int    `json:"ranges"`
	Records uint64 `json:"records"`
	// Superseded are ranges of older generations that a newer one wrote again, in whole or in part.
	Superseded int    `json:"superseded"`
	Holes      []Span `json:"holes"`
	// Overlaps are offsets that one generation wrote in two different ranges.
	Overlaps []Span `json:"overlaps"`
	// WrittenAt is when the last range was begun. It may still be under way; all before it are done.
	WrittenAt time.Time `json:"written_at"`
}

// Span is offsets From to To, both inclusive.
type Span struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Holds says that the ranges are contiguous and do not overlap.
func (c *Coverage) Holds() bool { return len(c.Holes) == 0 && len(c.Overlaps) == 0 }

// journaled is a row of the journal with its time.
type journaled struct {
	rows.Journal
	at time.Time
}

// cover proves one partition from its rows, of which there is at least one. It sorts them, and gives those
// that count.
func cover(rows []journaled) (c Coverage, count []journaled) {
	newest := func(a, b journaled) int {
		return cmp.Or(cmp.Compare(b.Generation, a.Generation), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	}
	slices.SortFunc(rows, newest)
	// A range that was sent again, for instance under other rules, is one range.
	rows = slices.CompactFunc(rows, func(a, b journaled) bool { return newest(a, b) == 0 })
	c = Coverage{Topic: rows[0].Topic, Partition: rows[0].Partition, First: rows[0].From, Last: rows[0].To, Holes: []Span{}, Overlaps: []Span{}}
	var covered []Span // in order, apart from each other
	for of := range chunks(rows) {
		end := int64(-1)
		var mine []Span
		for _, r := range of {
			c.First, c.Last = min(c.First, r.From), max(c.Last, r.To)
			if r.at.After(c.WrittenAt) {
				c.WrittenAt = r.at
			}
			if r.Hash != "" { // Releases that wrote none read every partition anew at every start.
				if r.From <= end {
					c.Overlaps = append(c.Overlaps, Span{r.From, min(end, r.To)})
				}
				end = max(end, r.To)
			}
			if touches(covered, Span{r.From, r.To}) {
				c.Superseded++
			} else {
				c.Ranges++
				c.Records += r.Records
				count = append(count, r)
			}
			mine = append(mine, Span{r.From, r.To})
		}
		covered = union(covered, mine)
	}
	c.Overlaps = append([]Span{}, union(c.Overlaps, nil)...)
	for i := 1; i < len(covered); i++ {
		c.Holes = append(c.Holes, Span{covered[i-1].To + 1, covered[i].From - 1})
	}
	return c, count
}

// chunks gives the rows of one generation after the other.
func chunks(rows []journaled) func(func([]journaled) bool) {
	return func(yield func([]journaled) bool) {
		for len(rows) > 0 {
			n := slices.IndexFunc(rows, func(r journaled) bool { return r.Generation != rows[0].Generation })
			if n < 0 {
				n = len(rows)
			}
			if !yield(rows[:n]) {
				return
			}
			rows = rows[n:]
		}
	}
}

// touches says whether a span shares an offset with one of spans, which are in order and apart.
func touches(spans []Span, s Span) bool {
	i, _ := slices.BinarySearchFunc(spans, s, func(e, s Span) int { return cmp.Compare(e.To, s.From) })
	return i < len(spans) && spans[i].From <= s.To
}

// union is the spans in order, those that meet made one.
func union(a, b []Span) []Span {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y Span) int { return cmp.Compare(x.From, y.From) })
	out := all[:0]
	for _, s := range all {
		if n := len(out); n > 0 && s.From <= out[n-1].To+1 {
			out[n-1].To = max(out[n-1].To, s.To)
			continue
		}
		out = append(out, s)
	}
	return out
}

// Coverage proves each partition of a topic from the journal, or of all topics if it is empty.
func (s *Store) Coverage(ctx context.Context, topic string) ([]Coverage, error) {
	var all []Coverage
	err := s.partitions(ctx, topic, func(of []journaled) error {
		c, _ := cover(of)
		all = append(all, c)
		return nil
	})
	return all, err
}

// partitions gives the journal of one partition after the other, each valid during the call.
func (s *Store) partitions(ctx context.Context, topic string, each func([]journaled) error) error {
	const doing = "read the journal"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	result, err := s.conn.Query(ctx, "SELECT topic, partition, from_offset, to_offset, generation, records, crc, hash, written_at FROM "+s.name("journal")+
		" WHERE topic = {topic:String} OR {topic:String} = '' ORDER BY topic, partition", ch.Named("topic", topic))
	if err != nil {
		return s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	var of []journaled // one partition's
	for result.Next() {
		var r journaled
		if err := result.Scan(&r.Topic, &r.Partition, &r.From, &r.To, &r.Generation, &r.Records, &r.CRC, &r.Hash, &r.at); err != nil {
			return s.explain(doing, err)
		}
		if len(of) > 0 && (of[0].Topic != r.Topic || of[0].Partition != r.Partition) {
			if err := each(of); err != nil {
				return err
			}
			of = of[:0]
		}
		if r.From <= r.To { // Otherwise it holds what the end of a finite stream released, and covers nothing.
			of = append(of, r)
		}
	}
	if err := result.Err(); err != nil || len(of) == 0 {
		return s.explain(doing, err)
	}
	return each(of)
}

// Uniqueness is how often the keys of a table are there.
type Uniqueness struct {
	Table  string `json:"table"`
	Rows   uint64 `json:"rows"`   // that a query sees, with FINAL
	Unique uint64 `json:"unique"` // keys of these
	Stored uint64 `json:"stored"` // rows on the disk, with those that a merge will drop
}

// Holds says that each key is seen once.
func (u *Uniqueness) Holds() bool { return u.Rows == u.Unique }

// Uniqueness counts the tables of events, facts and findings. It needs the rights of the auditor.
func (s *Store) Uniqueness(ctx context.Context) ([]Uniqueness, error) {
	var all []Uniqueness
	for _, name := range []string{"events", "rounds", "wagers", "vigorish", "shoes", "findings", "dead_letters"} {
		t := rows.Find(name)
		u := Uniqueness{Table: name}
		if err := s.count(ctx, name, "("+strings.Join(t.Keys(), ", ")+")", &u); err != nil {
			return nil, err
		}
		all = append(all, u)
	}
	return all, nil
}

func (s *Store) count(ctx context.Context, table, key string, u *Uniqueness) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	// The first two in one query: they are of one moment.
	err := s.conn.QueryRow(ctx, fmt.Sprintf("SELECT count(), uniqExact(%s) FROM %s FINAL", key, s.name(table))).Scan(&u.Rows, &u.Unique)
	if err == nil {
		err = s.conn.QueryRow(ctx, "SELECT count() FROM "+s.name(table)).Scan(&u.Stored)
	}
	return s.explain("count "+table, err)
}
