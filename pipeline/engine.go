package pipeline

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// Options are what an engine needs besides records.
type Options struct {
	Books    rules.Books
	Calendar Calendar
	// PatronKey keys the HMAC under which patron references leave the engine.
	PatronKey []byte
	// Version names the program, for findings.
	Version string
	// Promise is what detectors promise on false alarms; nil is the default.
	Promise *detectors.Promise
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
	// newest is the latest event time so far.
	newest  int64
	patrons map[string]string
	// Counts are totals since the start.
	Counts Counts
}

// Counts are totals of an engine.
type Counts struct {
	Records, Events, Duplicates, DeadLetters, Rounds, Shoes, Findings uint64
}

// NewEngine makes an engine without any table.
func NewEngine(opt Options) *Engine {
	return &Engine{opt: opt, decoder: schema.NewDecoder(), tables: map[string]*table{}, patrons: map[string]string{}}
}

// Apply takes one record in. It never fails: what cannot be read becomes a dead letter, what is
// wrong with the feed a finding.
func (e *Engine) Apply(rec *Record, topic string, partition int32, b *Batch) {
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
		b.DeadLetter = append(b.DeadLetter, schema.DeadLetter{
			Topic: topic, Partition: partition, Offset: rec.Offset, Where: rec.Where, Reason: err.Error(),
			Raw: append([]byte(nil), rec.Value...),
		})
		return
	}
	e.Counts.Events++
	e.newest = max(e.newest, e.event.At)
	t := e.table(&e.event)
	e.in = arrival{event: &e.event, record: rec, sum: sha256.Sum256(rec.Value), partition: partition}
	t.receive(&e.in, b)
}

// retention reports records that the log lost before they were read. No table is known to be
// concerned: each one's own numbering shows what it lost.
func (e *Engine) retention(gap *GapError, b *Batch) {
	subject := rules.OfRange(uint64(gap.From), uint64(gap.To)).String()
	partition := fmt.Sprintf("%s/%d", gap.Topic, gap.Partition)
	day, shift := e.opt.Calendar.Of(e.newest)
	e.Counts.Findings++
	b.Findings = append(b.Findings, schema.Finding{
		ID: FindingID("", partition, "", 0, "feed.retention", subject), Kind: kindDataFault, Verdict: verdictUnauditable,
		Rule: "feed.retention", Severity: rules.Major.String(), Citations: []string{feedClause}, TableID: partition, Subject: subject,
		At: schema.Time(e.newest), GamingDay: day, Shift: shift, Expected: fmt.Sprintf("offsets %d to %d in the log", gap.From, gap.To),
		Observed: "gone before they were read", Evidence: schema.Evidence{Seqs: []uint64{}, EventIDs: []string{}}, Engine: e.opt.Version,
	})
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
func (e *Engine) Finish(b *Batch) {
	for _, t := range e.inOrder {
		t.release(b, true)
	}
}

// Low is the first offset that a restart must read again, given the offset that comes next.
func (e *Engine) Low(next int64) int64 {
	for _, t := range e.inOrder {
		if low, ok := t.low(); ok {
			next = min(next, low)
		}
	}
	return next
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

// patron is the keyed HMAC of a patron reference, in hex, cut to 128 bits.
func (e *Engine) patron(ref string) string {
	if ref == "" {
		return ""
	}
	if masked, ok := e.patrons[ref]; ok {
		return masked
	}
	mac := hmac.New(sha256.New, e.opt.PatronKey)
	fmt.Fprintf(mac, "player\x00%s", ref)
	masked := hex.EncodeToString(mac.Sum(nil)[:16])
	if len(e.patrons) > 1<<16 {
		clear(e.patrons)
	}
	e.patrons[ref] = masked
	return masked
}
