package engine

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// retention reports records that the log lost before they were read. No table is known to be
// concerned: each one's own numbering shows what it lost.
func (e *Engine) retention(gap *GapError, out *rows.Set) {
	f := e.partitionFault(Offsets(*gap), "feed.retention", finding.Unauditable)
	f.Expected, f.Observed = offsetsInLog(Offsets(*gap)), "gone before they were read"
	out.Findings = append(out.Findings, f)
}

// LogTruncated is the finding that the log lost records which had been audited. Tables whose events were among them,
// and are not published again, show gaps.
func (e *Engine) LogTruncated(lost Offsets) finding.Finding {
	f := e.partitionFault(lost, "feed.retention", finding.Unauditable)
	f.Expected, f.Observed = offsetsInLog(lost), "audited, and lost by the log since"
	return f
}

// RowsDiffer is the finding that the same records gave other rows than the journal has: the program is not
// deterministic, or the journal or the snapshot of a table was changed.
func (e *Engine) RowsDiffer(of Offsets, journaled, found string) finding.Finding {
	f := e.partitionFault(of, "feed.journal", finding.Suspect)
	f.Expected, f.Observed = journaled, found
	return f
}

// Moved is the finding that the records of a table moved to another partition: no live audit has them together.
func (o *Options) Moved(m *Moved) finding.Finding {
	f := finding.New(finding.Identity{
		PropertyID: m.PropertyID, TableID: m.TableID, Rule: "feed.partition",
		Subject: finding.OfRange(m.Seq, m.Seq).String(),
	}, finding.DataFault, finding.Unauditable, finding.Major)
	f.PitID, f.Citations, f.Engine = m.PitID, []string{finding.FeedClause}, o.Version
	f.Expected = "all events of the table in one partition"
	f.Observed = fmt.Sprintf("event %d begins partition %d; the table was in partition %d before", m.Seq, m.To, m.From)
	f.Evidence = finding.Evidence{Seqs: []uint64{m.Seq}, EventIDs: []string{m.EventID}}
	f.At = schema.Time(m.At)
	f.GamingDay, f.Shift = o.Calendar.Of(m.At)
	return f
}

// moved reports that a table was in another partition before its first event here.
func (e *Engine) moved(from, to int32, out *rows.Set) {
	ev := &e.event
	e.Counts.Findings++
	out.Findings = append(out.Findings, e.opt.Moved(&Moved{
		strings.Clone(ev.PropertyID), strings.Clone(ev.PitID), strings.Clone(ev.TableID), ev.Seq,
		strings.Clone(ev.EventID), ev.At, from, to,
	}))
}

// Elsewhere notes, before the first record and before Restore, which tables have played in the partitions of the topic,
// and until when. If the record of a table begins here later, with event 1, it does not begin with the first event of
// the table: what is not known of it cannot be judged. The partition itself is among them, if the table has played in
// it.
func (e *Engine) Elsewhere(played []Played) {
	e.played = map[string][]Played{}
	for _, p := range played {
		key := p.PropertyID + "\x00" + p.TableID
		e.played[key] = append(e.played[key], p)
	}
}

// Learn notes, between two records of a partition, until when tables have played in other partitions since. What a
// start would learn besides is not noted, so that the rows are as a start makes them. Again is true if a start would
// judge the last events of a table otherwise.
func (e *Engine) Learn(played []Played, here int32) (again bool) {
	for i := range played {
		p := &played[i]
		key := p.PropertyID + "\x00" + p.TableID
		of := func(k Played) bool { return k.Partition == p.Partition }
		if t := e.tables[key]; t != nil && p.Partition != here {
			last := schema.Event{Seq: t.order.Log.Next() - 1, At: t.order.Newest()}
			k, since := slices.IndexFunc(t.played, of), t.since
			if since == 0 {
				since = began(played, p, here, last.At)
			}
			again = again || t.both(p, since, &last) && (k < 0 || !t.both(&t.played[k], since, &last))
			if k >= 0 {
				t.played[k] = *p
			}
		}
		if k := slices.IndexFunc(e.played[key], of); k >= 0 {
			e.played[key][k] = *p
		}
	}
	return again
}

// began is when the table of another entry began in a partition, as far as its snapshots show, or else a time.
func began(played []Played, of *Played, here int32, otherwise int64) int64 {
	i := slices.IndexFunc(played, func(p Played) bool {
		return p.Partition == here && p.PropertyID == of.PropertyID && p.TableID == of.TableID
	})
	if i < 0 {
		return otherwise
	}
	return min(played[i].At, otherwise)
}

// both reports whether a table that began here at a time plays in another partition, too, at the time of an event, with
// numbers of its own.
func (t *table) both(p *Played, since int64, ev *schema.Event) bool {
	return p.Until-since > handover && p.At-ev.At < handover && ev.At-p.Until < goesOn &&
		(t.order.Apart(ev, p.At, p.First) || t.order.Apart(ev, p.Until, p.Last))
}

// Beside notes that another partition has events of a table before its next record, with numbers of their own: they
// cannot be put in order. What they may have contained is not known, as if it was lost.
func (e *Engine) Beside(other int32) { e.beside, e.besideAt = true, other }

// elsewhere takes what is known of a table in other partitions. It returns where the table has played last before its
// first event here, nil if nowhere, or if this is not its first event.
func (e *Engine) elsewhere(t *table, here int32) (last *Played) {
	ev := &e.event
	if t.since == 0 {
		t.since = ev.At
		if i := slices.IndexFunc(t.played, func(p Played) bool { return p.Partition == here }); i >= 0 {
			t.since = min(t.since, t.played[i].At)
			t.played = slices.Delete(slices.Clone(t.played), i, i+1)
		}
	}
	for i := range t.played {
		p := &t.played[i]
		if !t.seen && p.At < ev.At && (last == nil || p.At > last.At) {
			last = p
		}
		if t.both(p, t.since, ev) {
			e.Beside(p.Partition)
		}
	}
	return last
}

const (
	// handover is how long the events of two systems may overlap where one follows the other.
	handover = int64(time.Minute)
	// goesOn is how long after its last known event a partition may have further ones: its snapshots are hours apart.
	goesOn = 24 * int64(time.Hour)
)

// parted reports, once a shoe, that the partitions of a table number its events apart, and notes what is not known.
func (e *Engine) parted(t *table, partition int32, out *rows.Set) {
	ev := &e.event
	e.beside = false
	t.play.Lost(1, ev)
	if known := t.parted; known[0] != "" && ev.ShoeID == "" || slices.Contains(known[:], ev.ShoeID+".") {
		return
	}
	t.parted = [2]string{ev.ShoeID + ".", t.parted[0]}
	f := e.opt.Moved(&Moved{
		strings.Clone(ev.PropertyID), strings.Clone(ev.PitID), strings.Clone(ev.TableID), ev.Seq,
		strings.Clone(ev.EventID), ev.At, e.besideAt, partition,
	})
	f.ShoeID, f.Subject = strings.Clone(ev.ShoeID), ""
	f.ID = f.Identity(1).ID()
	f.Observed = fmt.Sprintf("partitions %d and %d number them apart, and their order is not known: not judged",
		min(e.besideAt, partition), max(e.besideAt, partition))
	e.Counts.Findings++
	out.Findings = append(out.Findings, f)
}

func offsetsInLog(o Offsets) string { return finding.OffsetRange(o.From, o.To) + " in the log" }

// partitionFault is a fault of the record that no single table has.
func (e *Engine) partitionFault(of Offsets, rule string, verdict finding.Verdict) finding.Finding {
	subject := finding.OfRange(uint64(of.From), uint64(of.To)).String()
	e.Counts.Findings++
	f := finding.New(finding.Identity{
		TableID: fmt.Sprintf("%s/%d", of.Topic, of.Partition), Rule: rule, Subject: subject,
	},
		finding.DataFault, verdict, finding.Major)
	f.Citations = []string{finding.FeedClause}
	f.At, f.Engine = schema.Time(e.newest), e.opt.Version
	f.GamingDay, f.Shift = e.opt.Calendar.Of(e.newest)
	return f
}

// maxRaw is how much of a record its dead letter stores.
const maxRaw = 64 << 10

func (e *Engine) deadLetter(rec *Record, reason error, at Offsets, out *rows.Set) {
	letter := rows.DeadLetter{
		Topic: at.Topic, Partition: at.Partition, Offset: at.From, Where: rec.Where, Reason: reason.Error(),
		Raw: append([]byte(nil), rec.Value[:min(len(rec.Value), maxRaw)]...),
	}
	if hint := schema.Hint(rec.Format, rec.Value); hint != "" {
		letter.Reason += "; this looks like " + hint
	}
	if len(rec.Value) > maxRaw {
		letter.Reason += fmt.Sprintf("; the first %d of %d bytes are stored, SHA-256 of all %x", maxRaw, len(rec.Value),
			sha256.Sum256(rec.Value))
	}
	out.DeadLetters = append(out.DeadLetters, letter)
}

// forgotten keeps an event that is too old to be compared with what was received under its number. The archive would
// have it in the place of the row that it may repeat.
func (e *Engine) forgotten(ev *schema.Event, out *rows.Set) {
	e.Counts.Duplicates++
	if e.opt.NoArchive {
		return
	}
	at := Offsets{Topic: e.source.Topic, Partition: e.source.Partition, From: e.source.Offset}
	e.deadLetter(e.record, fmt.Errorf("table %s has passed event %d"+rows.Forgotten, ev.TableID, ev.Seq), at, out)
}
