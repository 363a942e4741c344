package engine

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// Options are what an engine needs besides records.
type Options struct {
	Books    law.Books
	Calendar Calendar
	// PatronKey keys the HMAC under which patron references leave the engine.
	PatronKey []byte
	// Version names the program, for findings.
	Version string
	// Budget is the false-alarm budget of the detectors; nil is the default.
	Budget *detectors.Budget
	// Idle is how long a partition's clock, which is its latest event time, goes on without a record of a
	// table until the table's memory is written; 30 min for 0. Stretch is how many offsets a restart reads
	// again for one table, about; 500,000 for 0. Neither changes a finding or a fact.
	Idle    time.Duration
	Stretch int64
	// NoArchive leaves out the rows of the archive, for a replay that only wants findings.
	NoArchive bool
}

// Engine folds the records of one partition. It is not safe for concurrent use.
type Engine struct {
	opt     Options
	decoder *schema.Decoder
	event   schema.Event
	in      arrival
	tables  map[string]*table
	// inOrder lists the tables as they first appeared: results never follow a map's order.
	inOrder []*table
	last    *table
	key     []byte
	text    []byte // of the last memory
	// newest is the latest event time so far: the partition's clock.
	newest int64
	// idleAt and farAt are the earliest clock and offset at which a table's memory can be due.
	idleAt, farAt int64
	patrons       map[string]string
	// sets are the rules of each law that a table was under.
	sets map[*law.Law]*rules.Set
	// Counts are totals since the start.
	Counts Counts
}

// Counts are totals of an engine.
type Counts struct {
	Records, Events, Duplicates, DeadLetters, Rounds, Shoes, Findings uint64
}

// New makes an engine without any table.
func New(opt Options) *Engine {
	return &Engine{opt: opt, decoder: schema.NewDecoder(), tables: map[string]*table{}, patrons: map[string]string{}, sets: map[*law.Law]*rules.Set{}, idleAt: never, farAt: never}
}

// Apply takes one record in. It never fails: what cannot be read becomes a dead letter, what is
// wrong with the feed a finding.
func (e *Engine) Apply(rec *Record, topic string, partition int32, b *rows.Set) {
	e.Counts.Records++
	err := rec.Bad
	if err != nil {
		if gap := (*GapError)(nil); errors.As(err, &gap) {
			e.retention(gap, b)
			return
		}
	} else {
		err = e.decoder.Decode(rec.Format, rec.Value, &e.event)
	}
	if err != nil {
		e.Counts.DeadLetters++
		b.DeadLetters = append(b.DeadLetters, rows.DeadLetter{
			Topic: topic, Partition: partition, Offset: rec.Offset, Where: rec.Where, Reason: err.Error(),
			Raw: append([]byte(nil), rec.Value...),
		})
		return
	}
	e.Counts.Events++
	e.mask(&e.event)
	clock := e.newest
	e.newest = max(clock, e.event.At)
	t := e.table(&e.event)
	at := place{topic, partition, rec.Offset}
	if rec.Offset <= t.until {
		e.rememberDue(nil, &at, b)
		return
	}
	t.sees(rec.Offset, clock)
	e.in = arrival{event: &e.event, record: rec, sum: sha256.Sum256(rec.Value), partition: partition}
	t.receive(&e.in, b)
	e.rememberDue(t, &at, b)
}

// retention reports records that the log lost before they were read. No table is known to be
// concerned: each one's own numbering shows what it lost.
func (e *Engine) retention(gap *GapError, b *rows.Set) {
	f := e.partitionFault(Offsets(*gap), "feed.retention", finding.Unauditable)
	f.Expected, f.Observed = offsetsInLog(Offsets(*gap)), "gone before they were read"
	b.Findings = append(b.Findings, f)
}

// LogTruncated is the finding that the log lost records which had been audited. Tables whose events were among them, and
// are not published again, show gaps.
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

func offsetsInLog(o Offsets) string { return fmt.Sprintf("offsets %d to %d in the log", o.From, o.To) }

// partitionFault is a fault of the record that no single table has.
func (e *Engine) partitionFault(of Offsets, rule string, verdict finding.Verdict) finding.Finding {
	subject := finding.OfRange(uint64(of.From), uint64(of.To)).String()
	e.Counts.Findings++
	f := finding.New(finding.Identity{TableID: fmt.Sprintf("%s/%d", of.Topic, of.Partition), Rule: rule, Subject: subject},
		finding.DataFault, verdict, finding.Major)
	f.Citations = []string{finding.FeedClause}
	f.At, f.Engine = schema.Time(e.newest), e.opt.Version
	f.GamingDay, f.Shift = e.opt.Calendar.Of(e.newest)
	return f
}

// rulesOf are the rules of a law.
func (e *Engine) rulesOf(law *law.Law) *rules.Set {
	set := e.sets[law]
	if set == nil {
		set = rules.NewSet(law)
		e.sets[law] = set
	}
	return set
}

func (e *Engine) table(ev *schema.Event) *table {
	if t := e.last; t != nil && t.id == ev.TableID && t.property == ev.PropertyID {
		return t
	}
	e.key = append(append(append(e.key[:0], ev.PropertyID...), 0), ev.TableID...)
	t, ok := e.tables[string(e.key)]
	if !ok {
		t = newTable(e, ev.PropertyID, ev.TableID)
		e.tables[string(e.key)] = t
		e.inOrder = append(e.inOrder, t)
	}
	e.last = t
	return t
}

// Finish takes in what was held back for order: the stream has come to its end. It asks no rule
// that the events did not call for.
func (e *Engine) Finish(b *rows.Set) {
	for _, t := range e.inOrder {
		t.release(b, true)
	}
}

// Low is the first offset that a restart must read again, given the offset that comes next, and the
// partition's clock before it: an engine restored from the memories below next goes on from there.
func (e *Engine) Low(next int64) (low, clock int64) {
	low, clock = next, e.newest
	for _, t := range e.inOrder {
		if t.stale && t.low < low {
			low, clock = t.low, t.lowClock
		}
	}
	return low, clock
}

// OpenShoe is a shoe whose end the engine has not seen.
type OpenShoe struct {
	PropertyID, TableID, ShoeID string
	// At is the time of its first event.
	At      int64
	Round   uint32
	LastSeq uint64
}

// Open lists the shoes that are open, in the order in which their tables appeared.
func (e *Engine) Open() []OpenShoe {
	var open []OpenShoe
	for _, t := range e.inOrder {
		for _, s := range []*shoe{t.prev, t.shoe} {
			if s != nil && !s.closed {
				o := OpenShoe{PropertyID: t.property, TableID: t.id, ShoeID: s.ID, At: s.At, LastSeq: t.log.next() - 1}
				if s.round != nil {
					o.Round = s.round.No
				}
				open = append(open, o)
			}
		}
	}
	return open
}

// Tables is how many tables the engine has seen.
func (e *Engine) Tables() int { return len(e.inOrder) }

// Pseudonym is the keyed HMAC of a patron reference, in hex, cut to 128 bits.
func Pseudonym(key []byte, ref string) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "player\x00%s", ref)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// mask puts the pseudonym in place of a patron reference, before anything keeps the event: of what the
// engine writes, only the record's own bytes have the reference.
func (e *Engine) mask(ev *schema.Event) {
	switch p := ev.Payload.(type) {
	case *schema.SeatOccupied:
		p.PatronRef = e.patron(p.PatronRef)
	case *schema.SeatVacated:
		p.PatronRef = e.patron(p.PatronRef)
	case *schema.WagerPlaced:
		p.PatronRef = e.patron(p.PatronRef)
	default: // names nobody
	}
}

// patron is the pseudonym of a reference, empty of none.
func (e *Engine) patron(ref string) string {
	if ref == "" {
		return ""
	}
	if masked, ok := e.patrons[ref]; ok {
		return masked
	}
	masked := Pseudonym(e.opt.PatronKey, ref)
	if len(e.patrons) > 1<<16 {
		clear(e.patrons)
	}
	e.patrons[ref] = masked
	return masked
}
