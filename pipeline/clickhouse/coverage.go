package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// Coverage is the proof of the journal for one partition.
type Coverage struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	// First and Last are the offsets that should be covered, both inclusive.
	First int64 `json:"first"`
	Last  int64 `json:"last"`
	// Ranges and Records count the valid ranges: of two that overlap, the one of the newest generation.
	Ranges  int    `json:"ranges"`
	Records uint64 `json:"records"`
	// Superseded counts ranges that a newer generation wrote again, in whole or in part.
	Superseded int    `json:"superseded"`
	Holes      []Span `json:"holes"`
	// Overlaps are offsets that one generation wrote in two ranges.
	Overlaps []Span `json:"overlaps"`
	// WrittenAt is the start of the last flush. It may still be running; all earlier ones are complete.
	WrittenAt time.Time `json:"written_at"`
	// Signed counts the ranges whose row of the journal has a right HMAC, Unsigned those without one from before the
	// first signed range, which are taken as they are. Forged are the others. All are empty without a key.
	Signed   int    `json:"signed_ranges,omitempty"`
	Unsigned int    `json:"unsigned_ranges,omitempty"`
	Forged   []Span `json:"forged,omitempty"`
	// Unverified counts the ranges with an HMAC that this program has no key to check.
	Unverified int `json:"unverified_ranges,omitempty"`
	// Unread counts the offsets in these ranges for which no record was read: the log no longer had it, or it never had
	// one, as at the end of a transaction.
	Unread uint64 `json:"unread_offsets"`
	// Lost are offsets that the log no longer had when they were to be read, as findings feed.retention name them, or
	// named them when a run recorded the head of the journal. Nothing is known of their records.
	Lost []Span `json:"lost,omitempty"`
}

// Span is a range of offsets, both inclusive.
type Span struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Holds is true if the ranges are contiguous and do not overlap.
func (c *Coverage) Holds() bool { return len(c.Holes) == 0 && len(c.Overlaps) == 0 }

// journaled is a row of the journal. Named is true if it has an HMAC, signed if there is a key and it is right, forged
// if it is wrong.
type journaled struct {
	rows.Journal
	named, signed, forged bool
}

// sign checks the HMAC of the row, if there are keys.
func (r *journaled) sign(keys rows.ChainKeys, of *rows.Table) {
	r.named = r.Key != "" || r.MAC != ""
	if len(keys) > 0 {
		r.signed = keys.Verify(r.Sum(of), r.Key, r.MAC) == ""
		r.forged = !r.signed && r.named
	}
}

// signatures counts the ranges that count by their HMAC. Behind the first offset of a signed row, replaced or not, each
// range must be signed: a range of a newer generation without an HMAC replaces none. A wrong HMAC counts in rows that
// were replaced, too: other proofs read what they say.
func (c *Coverage) signatures(first int64, count []journaled, forged []Span) {
	c.Forged = forged
	for i := range count {
		r := &count[i]
		switch {
		case r.signed:
			c.Signed++
		case r.forged:
		case r.To >= first:
			c.Forged = append(c.Forged, Span{r.From, r.To})
		default:
			c.Unsigned++
		}
	}
}

// cover computes the coverage of one partition from its rows, one or more. It sorts the rows and returns the valid
// ones.
func cover(rows []journaled) (c Coverage, count []journaled) {
	newest := func(a, b journaled) int {
		return cmp.Or(cmp.Compare(b.Generation, a.Generation), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	}
	slices.SortFunc(rows, func(a, b journaled) int {
		return cmp.Or(newest(a, b), a.rank()-b.rank(), b.WrittenAt.Compare(a.WrittenAt),
			cmp.Compare(a.ArchivedSum, b.ArchivedSum))
	})
	// A range that was written again, for instance under other rules, is one range.
	rows = slices.CompactFunc(rows, func(a, b journaled) bool { return newest(a, b) == 0 })
	c = Coverage{
		Topic: rows[0].Topic, Partition: rows[0].Partition, First: rows[0].From, Last: rows[0].To,
		Holes: []Span{}, Overlaps: []Span{},
	}
	var covered []Span // sorted and disjoint
	for of := range chunks(rows) {
		end := int64(-1)
		var mine []Span
		for _, r := range of {
			c.First, c.Last = min(c.First, r.From), max(c.Last, r.To)
			if r.WrittenAt.After(c.WrittenAt) {
				c.WrittenAt = r.WrittenAt
			}
			if r.Hash != "" { // releases without a hash read every partition from the start
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
				c.Unread += uint64(r.To-r.From+1) - min(r.Records, uint64(r.To-r.From+1))
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

// rank is which of two rows of one range counts: a wrong HMAC must be seen, and who has none replaces no signed row.
func (r *journaled) rank() int {
	switch {
	case r.forged:
		return 0
	case r.signed:
		return 1
	}
	return 2
}

// chunks yields the rows of one generation after the other.
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

// touches is true if a span shares an offset with one of the spans, which are sorted and disjoint.
func touches(spans []Span, s Span) bool {
	i, _ := slices.BinarySearchFunc(spans, s, func(e, s Span) int { return cmp.Compare(e.To, s.From) })
	return i < len(spans) && spans[i].From <= s.To
}

// union returns the spans sorted, with adjacent and overlapping ones merged.
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

// Coverage returns the coverage of each partition of a topic, or of all topics if it is empty.
func (s *Store) Coverage(ctx context.Context, topic string) ([]Coverage, error) {
	var all []Coverage
	lost, err := s.lost(ctx)
	if err != nil {
		return nil, err
	}
	err = s.partitions(ctx, topic, func(of []journaled) error {
		c, _ := s.proveCover(of, lost[placeOf(&of[0])], firstSigned(of))
		all = append(all, c)
		return nil
	})
	return all, err
}

// placeOf names the partition of a row.
func placeOf(r *journaled) string { return fmt.Sprintf("%s/%d", r.Topic, r.Partition) }

// firstSigned is the first offset of the signed rows.
func firstSigned(of []journaled) int64 {
	return firstOf(of, func(r *journaled) bool { return r.signed })
}

// proveCover computes the coverage of one partition with its HMACs and losses. From the offset signed on, each range
// must have an HMAC.
func (s *Store) proveCover(of []journaled, lost []Span, signed int64) (c Coverage, count []journaled) {
	var forged []Span
	for i := range of {
		if of[i].forged {
			forged = append(forged, Span{of[i].From, of[i].To})
		}
	}
	c, count = cover(of)
	c.Lost = lost
	if len(s.cfg.ChainKeys) > 0 {
		c.signatures(signed, count, forged)
		return c, count
	}
	for i := range count {
		if count[i].named {
			c.Unverified++
		}
	}
	return c, count
}

// lost are the offsets of the findings feed.retention, by topic and partition.
func (s *Store) lost(ctx context.Context) (map[string][]Span, error) {
	all := map[string][]Span{}
	var table, subject string
	err := s.scan(ctx, "SELECT DISTINCT toString(table_id), subject FROM "+s.name("findings")+
		" WHERE rule = 'feed.retention' ORDER BY 1, 2", nil, func() {
		var at Span
		if _, err := fmt.Sscanf(subject, "range:%d-%d", &at.From, &at.To); err == nil {
			all[table] = append(all[table], at)
		}
	}, &table, &subject)
	return all, s.explain("read the findings of lost records", err)
}

// partitions passes the journal of one partition after the other to each; it is valid during the call.
func (s *Store) partitions(ctx context.Context, topic string, each func([]journaled) error) error {
	const doing = "read the journal"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	row := newReader[rows.Journal](&s.journal.Table)
	result, err := s.conn.Query(ctx, "SELECT "+row.columns+" FROM "+s.name("journal")+
		" WHERE topic = {topic:String} OR {topic:String} = '' ORDER BY topic, partition", params("topic", topic)...)
	if err != nil {
		return s.explain(doing, err)
	}
	var of []journaled // of one partition
	var failed error
	err = row.each(result, func(j *rows.Journal) bool {
		if len(of) > 0 && (of[0].Topic != j.Topic || of[0].Partition != j.Partition) {
			failed = each(of)
			of = of[:0]
		}
		r := journaled{Journal: *j}
		r.sign(s.cfg.ChainKeys, &s.journal.Table)
		// Years of ranges are kept.
		r.Released, r.RulesVersion, r.Engine, r.Key, r.MAC = "", "", "", "", ""
		if r.From <= r.To { // else the end of a finite stream, which covers nothing
			of = append(of, r)
		}
		return failed == nil
	})
	switch {
	case err != nil:
		return s.explain(doing, err)
	case failed != nil || len(of) == 0:
		return failed
	}
	return each(of)
}

// firstOf is the first offset of the rows of a kind, of all generations.
func firstOf(all []journaled, kind func(*journaled) bool) int64 {
	first := int64(math.MaxInt64)
	for i := range all {
		if r := &all[i]; kind(r) {
			first = min(first, r.From)
		}
	}
	return first
}

// Uniqueness is the number of rows and keys of a table.
type Uniqueness struct {
	Table  string `json:"table"`
	Rows   uint64 `json:"rows"`   // visible to a query with FINAL
	Unique uint64 `json:"unique"` // distinct keys of these rows
	Stored uint64 `json:"stored"` // rows on the disk, with rows that a merge will drop
}

// Holds is true if each key is visible once.
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
	// One query for both: they must be of one time.
	err := s.conn.QueryRow(ctx, fmt.Sprintf("SELECT count(), uniqExact(%s) FROM %s FINAL", key,
		s.name(table))).Scan(&u.Rows, &u.Unique)
	if err == nil {
		err = s.conn.QueryRow(ctx, "SELECT count() FROM "+s.name(table)).Scan(&u.Stored)
	}
	return s.explain("count "+table, err)
}
