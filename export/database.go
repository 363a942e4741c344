package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Database is the current state of the casino's database for the day of a bundle.
type Database struct {
	Day *Day
	// Listed is the export's row in the table exports, nil without one.
	Listed *Receipt
	// Records compares the heads and the actions of triage of a bundle with the database, and names those that are
	// missing or differ.
	Records func(ctx context.Context, heads *Heads, steps []rows.ChainHead) ([]string, error)
	// Trusted names what the comparison takes as it was first found; Records fills it.
	Trusted []string
}

// maxNamed is the number of differences of a kind that a message names.
const maxNamed = 3

// differences are texts of how the database differs from the bundle.
type differences []string

func (d *differences) add(names []string, noun, what string) {
	if len(names) == 0 {
		return
	}
	text := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	*d = append(*d, fmt.Sprintf("%s %s (%s)", schema.Count(len(names), noun), what, text))
}

// database compares the bundle with the database: the row in exports, every event and offset of the evidence, the
// records received, the findings and the rounds.
func (v *verifier) database(ctx context.Context) (string, *Failure) {
	m := &v.manifest
	failed := func(err error) (string, *Failure) { return "", fail(Wrong, checkDatabase, "%v", []any{err}) }
	db, err := v.opt.Database(ctx, m)
	if err != nil {
		return failed(err)
	}
	if db.Day.MaskKey != m.PseudonymKey {
		return "", undecided(checkDatabase, "the pseudonyms of the bundle were made with key %s, patron_key_file has key %s",
			m.PseudonymKey, db.Day.MaskKey)
	}
	var found differences
	sum := sha256.Sum256(v.raw)
	switch l := db.Listed; {
	case l == nil:
		found = append(found, "the table exports does not list it")
	case l.Manifest != hex.EncodeToString(sum[:]) || l.Size != v.checkpoint.Size ||
		l.Root != formatHash(v.checkpoint.Root):
		found = append(found, fmt.Sprintf("the table exports lists another export %d: manifest.json %s, size %d, root %s",
			m.Export, l.Manifest, l.Size, l.Root))
	}
	events := 0
	for _, p := range v.bundle.paths {
		if !strings.HasPrefix(p, dirEvidence) {
			continue
		}
		n, err := v.archived(ctx, db.Day, p, &found)
		if err != nil {
			return failed(err)
		}
		events += n
	}
	for _, step := range []func(*Day, *differences) error{
		v.received, v.foundNow, v.played,
		func(_ *Day, all *differences) error { return v.recorded(ctx, db, all) },
	} {
		if err := step(db.Day, &found); err != nil {
			return failed(err)
		}
	}
	if len(found) > 0 {
		return "", fail(Differs, checkDatabase, "the bundle is genuine and the database differs from it today: %s. "+
			"Changes since the export belong in an amendment of a later export", []any{strings.Join(found, "; ")})
	}
	text := fmt.Sprintf("%s with their offsets, the records received, %s, %s and the rounds match the database",
		schema.Count(events, "event"), schema.Count(m.Findings, "finding"), schema.Count(m.Amendments, "amendment"))
	if len(db.Trusted) > 0 {
		text += "; not proven, and taken as it was first found: " + strings.Join(db.Trusted, "; ")
	}
	return text, nil
}

// archived compares the evidence of one table with the archive.
func (v *verifier) archived(ctx context.Context, day *Day, path string, found *differences) (events int, err error) {
	bundled := map[place][32]byte{}
	table, first, last := "", uint64(1<<64-1), uint64(0)
	var complete *complete
	d := schema.NewDecoder()
	d.AcceptAny()
	var ev schema.Event
	for line, err := range v.readEvidence(path) {
		if err != nil {
			return 0, err
		}
		if err := d.Decode(schema.JSON, line.Event, &ev); err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		table, first, last = strings.Clone(ev.TableID), min(first, ev.Seq), max(last, ev.Seq)
		bundled[line.place()] = sha256.Sum256(line.Event)
		if complete == nil {
			if complete, err = v.complete(day, table); err != nil {
				return 0, err
			}
		}
		complete.add(line.place(), ev.Seq)
	}
	events = len(bundled)
	var changed, since, gone []string
	for in, err := range day.Events(table, first, last) {
		if err := ctx.Err(); err != nil {
			return 0, context.Cause(ctx)
		}
		if err != nil {
			return 0, err
		}
		if in.Event.Seq < first || in.Event.Seq > last {
			continue
		}
		k := place{in.Topic, in.Partition, in.Offset}
		// Bundles of earlier releases have the free text of events.
		masked, former := day.masked(&in.Event), in.Event.Clone()
		mask(&former, day.Mask)
		sum, there := bundled[k]
		switch {
		case !there && (in.Letter || !complete.has(k, in.Event.Seq)):
			continue // no finding names it
		case !there:
			since = append(since, fmt.Sprint(in.Event.Seq))
		case in.Mislabeled ||
			sum != sha256.Sum256(schema.AppendJSON(nil, &masked)) && sum != sha256.Sum256(schema.AppendJSON(nil, &former)):
			changed = append(changed, fmt.Sprintf("offset %d of %s/%d", k.Offset, k.Topic, k.Partition))
		}
		delete(bundled, k)
	}
	for k := range bundled { // sorted below
		gone = append(gone, fmt.Sprintf("offset %d of %s/%d", k.Offset, k.Topic, k.Partition))
	}
	slices.Sort(gone)
	found.add(changed, "event", "of table "+table+" with other content in the archive")
	found.add(gone, "event", "of table "+table+" missing from the archive")
	found.add(since, "event", "of table "+table+" added since")
	return events, complete.released(day, table, found)
}

// complete is the parts of a table's evidence that have all events of the table.
type complete struct {
	segments []segment
	epoch    func(partition int32, offset int64) int
	from     map[int]uint64 // the number of the first event of each segment
	seqs     map[part]seqRange
	spans    map[stretch]Span // the events of each segment, by partition
	// received reports whether the export had received a place.
	received func(place) bool
}

// stretch is a partition in a segment.
type stretch struct {
	segment   int
	topic     string
	partition int32
}

// part is a sequence epoch in a segment.
type part struct{ segment, epoch int }

// seqRange is sequence numbers, both included.
type seqRange struct{ first, last uint64 }

// complete returns the complete parts of a table's evidence: its segments; in the first format, all of it.
func (v *verifier) complete(day *Day, table string) (c *complete, err error) {
	c = &complete{
		epoch: func(int32, int64) int { return 0 }, from: map[int]uint64{}, seqs: map[part]seqRange{},
		spans:    map[stretch]Span{},
		received: v.content.received,
	}
	if day.Epochs != nil {
		if c.epoch, err = day.Epochs(table); err != nil {
			return nil, err
		}
	}
	if v.manifest.first() {
		c.segments = []segment{{Last: place{"\U0010ffff", 1<<31 - 1, 1<<63 - 1}}}
		return c, nil
	}
	c.segments, err = v.readSegments(table)
	return c, err
}

// add extends the part that has a place by a sequence number. A segment that is evaluated in the order of the numbers
// has all events from the number of its first: late events from before that number are there without their neighbors.
func (c *complete) add(at place, seq uint64) {
	for i := range c.segments {
		s := &c.segments[i]
		if !s.has(at) {
			continue
		}
		if at == s.First {
			c.from[i] = seq
		}
		in := stretch{i, at.Topic, at.Partition}
		span, known := c.spans[in]
		if !known {
			span = Span{at.Topic, at.Partition, at.Offset, at.Offset}
		}
		span.Last = at.Offset
		c.spans[in] = span
		if s.InOrder && len(s.State) > 0 && seq < c.from[i] {
			continue
		}
		p := part{i, c.epoch(at.Partition, at.Offset)}
		r, known := c.seqs[p]
		if !known {
			r = seqRange{seq, seq}
		}
		c.seqs[p] = seqRange{min(r.first, seq), max(r.last, seq)}
	}
}

// has reports whether the evidence would have an event: it is in a segment, or came later and belongs into one.
func (c *complete) has(at place, seq uint64) bool {
	for i := range c.segments {
		if c.segments[i].has(at) {
			return true
		}
	}
	epoch := c.epoch(at.Partition, at.Offset)
	for p, r := range c.seqs {
		behind := c.segments[p.segment].Last.compare(at) < 0
		if p.epoch == epoch && r.first <= seq && seq <= r.last && !(behind && c.received(at)) {
			return true
		}
	}
	return false
}

// released compares the releases of the segments with the journal. After the last event of a segment a release changes
// nothing.
func (c *complete) released(day *Day, table string, found *differences) error {
	if c == nil {
		return nil
	}
	var differ []string
	for in, span := range c.spans { // sorted below
		if !c.segments[in.segment].InOrder || day.Released == nil {
			continue
		}
		now, err := day.Released(table, span)
		if err != nil {
			return err
		}
		var bundled []int64
		for _, p := range c.segments[in.segment].Released {
			if p.Topic == in.topic && p.Partition == in.partition && p.Offset < span.Last {
				bundled = append(bundled, p.Offset)
			}
		}
		for _, offset := range slices.Concat(now, bundled) {
			if slices.Contains(now, offset) != slices.Contains(bundled, offset) {
				differ = append(differ, fmt.Sprintf("offset %d of %s/%d", offset, in.topic, in.partition))
			}
		}
	}
	slices.Sort(differ)
	found.add(differ, "release", "of missing events of table "+table+" not as in the journal")
	return nil
}

// received compares the coverage, which can only grow, by what the journal has.
func (v *verifier) received(day *Day, found *differences) error {
	var spans []Span
	for _, c := range v.content.coverage {
		spans = append(spans, Span{c.Topic, c.Partition, c.First, c.Last})
	}
	now, err := day.Coverage(spans)
	if err != nil {
		return err
	}
	var changed, added []string
	for i := range v.content.coverage {
		was := &v.content.coverage[i]
		name := fmt.Sprintf("%s/%d", was.Topic, was.Partition)
		i := slices.IndexFunc(now, func(c Coverage) bool { return c.Topic == was.Topic && c.Partition == was.Partition })
		if i < 0 || !was.within(&now[i]) {
			changed = append(changed, name)
		}
		if i >= 0 && now[i].foreign(was) {
			added = append(added, name)
		}
	}
	found.add(changed, "partition", "with other records, gaps or dead letters")
	found.add(added, "partition", "with events added that its log does not have")
	return nil
}

// within reports whether a later coverage has this one.
func (c *Coverage) within(now *Coverage) bool {
	if now.First > c.First || now.Last < c.Last || now.Records < c.Records ||
		now.First == c.First && now.Last == c.Last && now.Records != c.Records {
		return false
	}
	var gaps [][2]int64
	for _, g := range now.Gaps {
		if g = [2]int64{max(g[0], c.First), min(g[1], c.Last)}; g[0] <= g[1] {
			gaps = append(gaps, g)
		}
	}
	letters := slices.DeleteFunc(slices.Clone(now.DeadLetters), func(d DeadLetter) bool {
		return d.Offset < c.First || d.Offset > c.Last
	})
	return slices.Equal(gaps, c.Gaps) && slices.Equal(letters, c.DeadLetters)
}

// foreign reports whether a coverage has events that the journal does not have: at one offset, or outside of what was
// covered.
func (c *Coverage) foreign(was *Coverage) bool {
	return c.Doubled > 0 || slices.ContainsFunc(c.Ends, func(end int64) bool {
		return (end < was.First || end > was.Last) && slices.ContainsFunc(c.Gaps, func(g [2]int64) bool {
			return g[0] <= end && end <= g[1]
		})
	})
}

// foundNow compares the findings.
func (v *verifier) foundNow(day *Day, found *differences) error {
	c := &v.content
	bundled := maps.Clone(c.digests)
	var changed, since []string
	for f, err := range day.Findings {
		if err != nil {
			return err
		}
		now := *f
		now.Citations, now.Evidence.Seqs, now.Evidence.EventIDs = list(f.Citations), list(f.Evidence.Seqs),
			list(f.Evidence.EventIDs)
		digest, err := digestOf(&now)
		if err != nil {
			return err
		}
		switch was, there := bundled[f.ID]; {
		case there && was != digest:
			changed = append(changed, f.ID)
		case c.withdrawn[f.ID] || !there && v.manifest.Findings > 0 && f.GamingDay == v.manifest.GamingDay:
			since = append(since, f.ID)
		}
		delete(bundled, f.ID)
	}
	gone := slices.Collect(maps.Keys(bundled))
	for _, ids := range [][]string{changed, since, gone} {
		slices.Sort(ids)
	}
	found.add(changed, "finding", "with other content")
	found.add(gone, "finding", "missing")
	found.add(since, "finding", "added since")
	return nil
}

// played compares the rounds.
func (v *verifier) played(day *Day, found *differences) error {
	now, err := day.sortedRounds()
	if err != nil {
		return err
	}
	data, err := v.bundle.read(pathRounds, maxRounds)
	if err != nil {
		return err
	}
	was, err := readRounds(data)
	if err != nil {
		return fmt.Errorf("read %s: %w", pathRounds, err)
	}
	if !slices.Equal(was, now) {
		*found = append(*found, fmt.Sprintf("the rounds differ: %d, in %s %d", len(now), pathRounds, len(was)))
	}
	return nil
}

// maxRounds bounds rounds.parquet.
const maxRounds = 4 << 30
