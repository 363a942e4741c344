// Package engine turns the records of one partition into rows: events as they came, facts, findings.
//
// It is a pure function of the records and of its state: it knows no clock, no random number, no context and no
// goroutine, and its results follow no map's order. The same records give the same rows, whatever the batches and
// restarts. What cannot be read becomes a dead letter, what is wrong with the feed a finding; Apply never fails.
//
// An event passes these packages: order puts it in its place, play folds it and yields the stages that are reached,
// verdict evaluates the rules of each stage, suspicion shows it to the detectors, facts writes its rows. The loop is in
// table.go. A Snapshot of a table is the state of these parts, so that a restart need not read the log from its
// beginning.
package engine

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/engine/calendar"
	"github.com/shoeproof/shoeproof/engine/facts"
	"github.com/shoeproof/shoeproof/engine/play"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Options are what an engine needs besides records.
type Options struct {
	Books    law.Books
	Calendar calendar.Calendar
	// PatronKey keys the HMAC under which patron references leave the engine.
	PatronKey []byte
	// Successors are the keys that followed it, in order of their gaming days.
	Successors []PatronKey
	// Version names the program, for findings.
	Version string
	// Budget is the false-alarm budget of the detectors; nil is the default.
	Budget *detectors.Budget
	// Stretch is how many offsets a restart reads again for one table, about; 500,000 for 0. It is half as many for a
	// table without a record for Idle by the clock of its partition, which is the latest event time; 30 min for 0. After
	// 12 times Idle, at most a day, its snapshot is written in any case. Neither changes a finding or a fact.
	Idle    time.Duration
	Stretch int64
	// Decoded, if not nil, is called for each record between its decoding and its evaluation.
	Decoded func()
	// NoArchive leaves out the rows of the archive, for a replay that only wants findings.
	NoArchive bool
	// NoSnapshots leaves out the snapshots that are due, for a replay that nothing resumes.
	NoSnapshots bool
}

// Terms are the law and the configuration of a stored configuration, in the canonical JSON of table_configs; false if
// no rulebook has it.
func (o *Options) Terms(config string) (*law.Law, *law.Config, bool, error) {
	return play.Terms(o.Books, config)
}

// Counts are totals of an engine.
type Counts struct {
	Records, Events, Duplicates, DeadLetters, Rounds, Shoes, Findings uint64
}

// Engine audits the records of one partition. It is not safe for concurrent use.
type Engine struct {
	// Counts are totals since the start.
	Counts Counts

	opt     Options
	decoder *schema.Decoder
	event   schema.Event
	source  facts.Source
	record  *Record // of the event
	tables  map[string]*table
	// inOrder has the tables by property and id: the order of results depends neither on a map nor on a restart.
	inOrder []*table
	// recent has tables by slotOf their id, where most events find theirs.
	recent [1 << recentBits]*table
	key    []byte
	// newest is the latest event time so far: the clock of the partition.
	newest int64
	// played are the tables that have played in the partitions of the topic, by property and table.
	played map[string][]Played
	// beside is true if another partition has events of the table before the next record, besideAt is that partition.
	beside   bool
	besideAt int32
	// idleAt and farAt are the earliest clock and offset at which the snapshot of a table can be due.
	idleAt, farAt int64
	patrons       map[string]string
	pseudonyms    hash.Hash // the HMAC of Pseudonym under the key of patrons
	sets          rules.Sets
	codec         codec
	// words are the spots and side bets that only rulebooks name.
	words map[string]bool
}

// New makes an engine without any table.
func New(opt Options) *Engine {
	decoder, words := schema.NewDecoder(), opt.Books.Words()
	decoder.Accept(words)
	return &Engine{
		opt: opt, decoder: decoder, words: words, tables: map[string]*table{}, patrons: map[string]string{},
		sets: rules.Sets{}, pseudonyms: hmac.New(sha256.New, opt.PatronKey),
		idleAt: never, farAt: never, codec: newCodec(),
	}
}

// Apply takes one record and appends its rows. It never fails: what cannot be read becomes a dead letter, what is wrong
// with the feed a finding.
func (e *Engine) Apply(rec *Record, topic string, partition int32, out *rows.Set) {
	e.Counts.Records++
	err := rec.Bad
	if err != nil {
		if gap := (*GapError)(nil); errors.As(err, &gap) {
			e.retention(gap, out)
			return
		}
	} else {
		err = e.decoder.Decode(rec.Format, rec.Value, &e.event)
	}
	if e.opt.Decoded != nil {
		e.opt.Decoded()
	}
	if err != nil {
		e.Counts.DeadLetters++
		e.deadLetter(rec, err, Offsets{Topic: topic, Partition: partition, From: rec.Offset}, out)
		return
	}
	e.Counts.Events++
	e.mask(&e.event)
	clock := e.newest
	e.newest = max(clock, e.event.At)
	t := e.table(&e.event)
	at := Offsets{Topic: topic, Partition: partition, From: rec.Offset}
	if rec.Offset <= t.due.until {
		e.snapshotsDue(nil, &at, out)
		return
	}
	from := (*Played)(nil)
	if len(t.played) > 0 {
		from = e.elsewhere(t, partition)
	}
	t.seen = true
	e.sees(t, rec.Offset, clock)
	e.record = rec
	e.source = facts.Source{
		Format: rec.Format, Value: rec.Value, SHA256: rec.SHA256, Topic: topic, Partition: partition,
		Offset: rec.Offset,
	}
	if rec.SHA256 == [32]byte{} {
		e.source.SHA256 = sha256.Sum256(rec.Value)
	}
	if from != nil {
		e.moved(from.Partition, partition, out)
	}
	if e.beside {
		e.parted(t, partition, out)
	}
	e.receive(t, out)
	if from != nil && t.order.FromFirst() {
		t.play.Moved()
	}
	e.snapshotsDue(t, &at, out)
}

// Drain takes in what waits in the reorder buffers. What may still come of the last rounds of shoes is awaited.
func (e *Engine) Drain(out *rows.Set) {
	for _, t := range e.inOrder {
		e.drain(t, out)
		e.Counts.Findings += t.verdict.Reported()
	}
}

func (e *Engine) drain(t *table, out *rows.Set) {
	for item := range t.order.Finish() {
		e.take(t, &item, out)
	}
}

// Finish takes in what waits in the reorder buffers, and settles the last round of a shoe that has ended: the stream
// has come to its end. It evaluates no rule that the events did not call for.
func (e *Engine) Finish(out *rows.Set) {
	for _, t := range e.inOrder {
		e.drain(t, out)
		e.endClosing(t, out)
		e.endShoes(t, out)
		e.Counts.Findings += t.verdict.Reported()
	}
}

// Unsettled reports the rounds with cards or wagers that the end of the stream leaves open, after Finish: what moves
// for them may still come, so that nothing about their settlement is judged. It is for a stream that nothing continues.
func (e *Engine) Unsettled(out *rows.Set) {
	for _, t := range e.inOrder {
		for _, s := range t.play.Shoes() {
			for _, r := range s.Unsettled() {
				t.verdict.Unsettled(s, r, &out.Findings)
			}
		}
		e.Counts.Findings += t.verdict.Reported()
	}
}

// Held is a table whose events wait behind a hole.
type Held struct {
	PropertyID, TableID string
	// Missing is the first missing seq, Events how many wait.
	Missing uint64
	Events  int
	// Closing is true if the closing of the table waits: nothing follows that could make room.
	Closing bool
}

// Held are the tables whose events wait behind a hole, by property and id.
func (e *Engine) Held() []Held {
	var held []Held
	for _, t := range e.inOrder {
		if n, missing := t.order.Held(); n > 0 {
			held = append(held, Held{t.play.Property, t.play.ID, missing, n, t.order.Waits(closes)})
		}
	}
	return held
}

func closes(ev *schema.Event) bool {
	_, ok := ev.Payload.(*schema.TableClosed)
	return ok
}

// Release gives up the hole of a table after the record at an offset, and writes a snapshot of the table there. The
// engine knows no clock: the caller decides when, and records that it did. A table that was restored from a later
// snapshot was released before.
func (e *Engine) Release(property, table string, at Offsets, out *rows.Set) {
	t := e.tables[property+"\x00"+table]
	if t == nil || at.From <= t.due.until {
		return
	}
	for item := range t.order.Release() {
		e.take(t, &item, out)
	}
	e.Counts.Findings += t.verdict.Reported()
	e.snapshot(t, &at, out)
}

// table is the table of an event, new if need be.
func (e *Engine) table(ev *schema.Event) *table {
	recent := &e.recent[slotOf(ev.TableID)]
	if t := *recent; t != nil && t.play.ID == ev.TableID && t.play.Property == ev.PropertyID {
		return t
	}
	e.key = append(append(append(e.key[:0], ev.PropertyID...), 0), ev.TableID...)
	t, ok := e.tables[string(e.key)]
	if !ok {
		t = e.newTable(ev.PropertyID, ev.TableID)
		e.add(t)
	}
	*recent = t
	return t
}

const recentBits = 10

// slotOf is a slot of recent, from the end of an id, where the ids of the tables of a floor differ.
func slotOf(id string) uint64 {
	var end [8]byte
	copy(end[:], id[max(len(id)-len(end), 0):])
	return binary.LittleEndian.Uint64(end[:]) * 0x9e3779b97f4a7c15 >> (64 - recentBits)
}

// OpenShoe is a shoe whose end the engine has not seen.
type OpenShoe struct {
	PropertyID, TableID, ShoeID string
	// At is the time of its first event.
	At      int64
	Round   uint32
	LastSeq uint64
}

// Open has the shoes that are open, by property and table.
func (e *Engine) Open() []OpenShoe {
	var open []OpenShoe
	for _, t := range e.inOrder {
		for _, s := range t.play.Shoes() {
			o := OpenShoe{
				PropertyID: t.play.Property, TableID: t.play.ID, ShoeID: s.ID, At: s.At,
				LastSeq: t.order.Log.Next() - 1,
			}
			if s.Round != nil {
				o.Round = s.Round.No
			}
			open = append(open, o)
		}
	}
	return open
}

// Lossless reports whether no event of any table was given up as lost.
func (e *Engine) Lossless() bool {
	return !slices.ContainsFunc(e.inOrder, func(t *table) bool { return t.play.Incomplete })
}

// Tables is how many tables the engine has seen.
func (e *Engine) Tables() int { return len(e.inOrder) }
