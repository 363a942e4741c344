package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// LoggedHead is the head of a partition in the console log. The head has no hash if a later run need not find it again:
// a partition whose rows have no hash is read from the start each time, and its ranges differ then.
type LoggedHead struct {
	rows.JournalHead
	// Signed is the offset from which on each range must have an HMAC, nil if none must.
	Signed *int64 `json:"signed,omitempty"`
	Lost   []Span `json:"lost,omitempty"` // as in Coverage
}

// HeadsText is the detail of an entry of the console log with the heads of the journal.
func HeadsText(heads []LoggedHead) (string, error) {
	text, err := json.Marshal(heads)
	if err != nil {
		return "", fmt.Errorf("encode the heads of the journal: %w", err)
	}
	return string(text), nil
}

// recordedHeads are the heads in one entry of the console log.
type recordedHeads struct {
	property string
	at       time.Time
	heads    []LoggedHead
}

// of returns the head of a partition, nil without one.
func (r *recordedHeads) of(topic string, partition int32) *LoggedHead {
	i := slices.IndexFunc(r.heads, func(h LoggedHead) bool { return h.Topic == topic && h.Partition == partition })
	if i < 0 {
		return nil
	}
	return &r.heads[i]
}

// keyed reports whether ingest had a key.
func (r *recordedHeads) keyed() bool {
	return slices.ContainsFunc(r.heads, func(h LoggedHead) bool { return h.Signed != nil })
}

// signedFrom is the offset from which on the ranges of a partition must have an HMAC, as runs recorded it. A partition
// that came after ingest had a key is signed from its first offset on. Without it, who writes the table could take the
// HMACs of a whole partition away.
func signedFrom(recorded []recordedHeads, topic string, partition int32) int64 {
	from := int64(math.MaxInt64)
	for i := range recorded {
		switch h := recorded[i].of(topic, partition); {
		case h == nil && recorded[i].keyed():
			return 0
		case h != nil && h.Signed != nil:
			from = min(from, *h.Signed)
		}
	}
	return from
}

// JournalProof is the proof of the whole journal.
type JournalProof struct {
	Partitions []Coverage
	// Heads are the heads of all partitions now, Lasting what a run logs of them.
	Heads   []rows.JournalHead
	Lasting []LoggedHead
	// Differ names the partitions whose journal is not as nightly runs recorded it in the console log.
	Differ []string
}

// ProveJournal reads the journal once. It compares it with what nightly runs recorded since a time, and the last one
// before it, of one property, or of all if it is empty. With keys, an entry without a right HMAC counts for nothing;
// the proof of the chains reports it.
func (s *Store) ProveJournal(ctx context.Context, property string, since time.Time) (p JournalProof, err error) {
	recorded, err := s.recordedHeads(ctx, property, since)
	if err != nil {
		return p, err
	}
	lost, err := s.lost(ctx)
	if err != nil {
		return p, err
	}
	has := map[rows.JournalHead]bool{}
	err = s.partitions(ctx, "", func(all []journaled) error {
		topic, partition, gone := all[0].Topic, all[0].Partition, union(lost[placeOf(&all[0])], nil)
		var ends []int64
		for i := range recorded {
			if h := recorded[i].of(topic, partition); h != nil {
				ends, gone = append(ends, h.To), union(gone, h.Lost)
			}
		}
		again := madeAgain(all, gone)
		hashed := slices.ContainsFunc(all, func(r journaled) bool { return r.Hash != "" })
		signed := min(signedFrom(recorded, topic, partition), firstSigned(all))
		c, count := s.proveCover(all, gone, signed)
		p.Partitions = append(p.Partitions, c)
		for _, h := range slices.Concat(headsAt(count, ends), headsAt(again(count), ends)) {
			has[h] = true
		}
		last := LoggedHead{JournalHead: headsAt(count, []int64{c.Last})[0], Lost: gone}
		p.Heads = append(p.Heads, last.JournalHead)
		if signed < math.MaxInt64 && len(s.cfg.ChainKeys) > 0 {
			last.Signed = &signed
		}
		if !hashed {
			last.SHA256 = ""
		}
		p.Lasting = append(p.Lasting, last)
		return nil
	})
	for i := range recorded {
		r := &recorded[i]
		for _, h := range r.heads {
			if h.SHA256 != "" && !has[h.JournalHead] {
				p.Differ = append(p.Differ, fmt.Sprintf("the journal of %s/%d up to offset %d is not as the run of %s at %s "+
					"recorded it", h.Topic, h.Partition, h.To, r.property, r.at.UTC().Format(time.DateTime)))
			}
		}
	}
	return p, err
}

// recordedHeads reads the entries with heads, in the order of their times.
func (s *Store) recordedHeads(ctx context.Context, property string, since time.Time) (all []recordedHeads, err error) {
	properties := []string{property}
	if property == "" {
		err := s.conn.QueryRow(ctx, "SELECT arraySort(groupUniqArray(toString(property_id))) FROM "+s.name("console_log")+
			" WHERE action = '"+rows.HeadsAction+"'").Scan(&properties)
		if err != nil {
			return nil, s.explain("read the properties of the console log", err)
		}
	}
	for _, p := range properties {
		of, err := s.headsOf(ctx, p)
		if err != nil {
			return nil, err
		}
		first := 0 // the last one before since
		for i := range of {
			if of[i].at.Before(since) {
				first = i
			}
		}
		if since.IsZero() {
			first = max(0, len(of)-1)
		}
		all = append(all, of[min(first, len(of)):]...)
	}
	return all, nil
}

func (s *Store) headsOf(ctx context.Context, property string) (all []recordedHeads, err error) {
	c, err := s.cursor(ctx, "console_log", property, "AND chain != '' AND action = '"+rows.HeadsAction+"' ORDER BY at")
	if err != nil {
		return nil, err
	}
	defer c.close()
	for c.next() {
		e := c.entry
		if !c.sound() || len(s.cfg.ChainKeys) > 0 && s.cfg.ChainKeys.Verify(e.Hash, e.Key, e.MAC) != "" {
			continue
		}
		r := recordedHeads{property: property, at: time.UnixMicro(e.At)}
		if json.Unmarshal([]byte(e.Detail), &r.heads) == nil {
			all = append(all, r)
		}
	}
	return all, c.err
}

// madeAgain returns the function that puts ranges as they were before a restart made them again, where that may change
// them: the log had lost a part of the range since, or the range had no digest.
func madeAgain(all []journaled, lost []Span) func([]journaled) []journaled {
	before := map[Span]journaled{}
	for i := range all {
		r := &all[i]
		span := Span{r.From, r.To}
		if old, ok := before[span]; !r.forged && (touches(lost, span) || r.ArchivedSum == "") &&
			(!ok || old.Generation > r.Generation) {
			before[span] = *r
		}
	}
	return func(count []journaled) []journaled {
		count = slices.Clone(count)
		for i, r := range count {
			if old, ok := before[Span{r.From, r.To}]; ok && old.signed == r.signed {
				count[i] = old
			}
		}
		return count
	}
}

// headsAt returns the heads of a partition up to each of some offsets, in their order. It sorts both.
func headsAt(count []journaled, ends []int64) (heads []rows.JournalHead) {
	slices.SortFunc(count, func(a, b journaled) int { return int(a.From - b.From) })
	slices.Sort(ends)
	h := rows.JournalHead{Topic: count[0].Topic, Partition: count[0].Partition, First: count[0].From}
	sum := sha256.New()
	for _, end := range slices.Compact(ends) {
		for ; int(h.Ranges) < len(count) && count[h.Ranges].To <= end; h.Ranges++ {
			r := &count[h.Ranges]
			fmt.Fprintf(sum, "%d %d %d %d %d %s %d %d\n", r.From, r.To, r.Records, r.CRC, r.Archived, r.ArchivedSum, r.Cut,
				r.Lost)
		}
		h.To, h.SHA256 = end, fmt.Sprintf("%x", sum.Sum(nil))
		heads = append(heads, h)
	}
	return heads
}
