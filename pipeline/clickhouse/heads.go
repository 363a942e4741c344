package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// HeadsText is the detail of an entry of the console log with the heads of the journal.
func HeadsText(heads []rows.JournalHead) (string, error) {
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
	heads    []rows.JournalHead
}

// JournalProof is the proof of the whole journal.
type JournalProof struct {
	Partitions []Coverage
	// Heads are the heads of all partitions now. Lasting are the heads that a later run must find again. A partition
	// whose rows have no hash is read from the start each time, and its ranges differ then.
	Heads, Lasting []rows.JournalHead
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
		c, count := s.proveCover(all, lost)
		p.Partitions = append(p.Partitions, c)
		ends := []int64{c.Last}
		for i := range recorded {
			for _, h := range recorded[i].heads {
				if h.Topic == c.Topic && h.Partition == c.Partition {
					ends = append(ends, h.To)
				}
			}
		}
		heads := headsAt(count, ends)
		for _, h := range heads {
			has[h] = true
		}
		last := heads[len(heads)-1:]
		p.Heads = append(p.Heads, last...)
		if slices.ContainsFunc(all, func(r journaled) bool { return r.Hash != "" }) {
			p.Lasting = append(p.Lasting, last...)
		}
		return nil
	})
	for i := range recorded {
		r := &recorded[i]
		for _, h := range r.heads {
			if !has[h] {
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
