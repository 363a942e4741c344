package export

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/calendar"
	"github.com/shoeproof/shoeproof/engine/order"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// place is where an event of the evidence was received.
type place struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
}

func (l *evidenceLine) place() place { return place{l.Topic, l.Partition, l.Offset} }

// beside reports whether a place is in the partition of the event.
func (l *evidenceLine) beside(p place) bool { return l.Topic == p.Topic && l.Partition == p.Partition }

func (p place) compare(o place) int {
	return cmp.Or(cmp.Compare(p.Topic, o.Topic), cmp.Compare(p.Partition, o.Partition), cmp.Compare(p.Offset, o.Offset))
}

// segment is a part of a table's evidence that is complete, so that it can be replayed: the shoes of the exceptions,
// up to the event after which the last of them is found. The other events of the evidence are there because a finding
// names them.
type segment struct {
	// First and Last are the first and the last event.
	First place `json:"first"`
	Last  place `json:"last"`
	// Ends is true if the table had no later events, so that events that wait for earlier ones wait in vain.
	Ends bool `json:"ends"`
	// InOrder is true if the events are evaluated in the order of their numbers, as the nightly run does, and not as they
	// arrived: one came late. Events that the state has are passed over.
	InOrder bool `json:"in_order,omitempty"`
	// Epochs are where the events of another sequence epoch begin, in the order of the events: the epochs are evaluated
	// one after the other. It is empty for one epoch.
	Epochs []epochStart `json:"epochs,omitempty"`
	// Released are the places after which the live audit gave up what was missing, in order: which event came late follows
	// from them, too. It is empty without one, and if the events are evaluated as they arrived.
	Released []place `json:"released,omitempty"`
	// State is the snapshot of the table before the first event, with pseudonyms of patrons; empty if the evidence begins
	// with that event.
	State []byte `json:"state"`
}

// epochStart is the first of some events of a sequence epoch. Epoch is its place in the order of play.
type epochStart struct {
	place
	Epoch int `json:"epoch"`
}

// epoch is the sequence epoch of an event.
func (s *segment) epoch(p place) (epoch int) {
	for i := range s.Epochs {
		if s.Epochs[i].compare(p) <= 0 {
			epoch = s.Epochs[i].Epoch
		}
	}
	return epoch
}

func (s *segment) has(p place) bool { return s.First.compare(p) <= 0 && p.compare(s.Last) <= 0 }

// replayer replays evidence of one table.
type replayer struct {
	books    law.Books
	calendar calendar.Calendar
}

// replayed is the result of a replay.
type replayed struct {
	findings map[string]*digested
	at       map[string]int // the index of the event after which a finding took its last form
	states   map[int][]byte // the state of the table before events, by index
}

// replay evaluates the rules on events from a state on, and returns the findings without their release, and the states
// before the events that cuts names by index.
func (r *replayer) replay(s *segment, table rows.Snapshot, events iter.Seq2[*evidenceLine, error], cuts []int,
) (*replayed, error) {
	e := engine.New(engine.Options{Books: r.books, Calendar: r.calendar, NoArchive: true})
	if len(s.State) > 0 {
		table.State, table.Offset = string(s.State), -1
		if err := e.Restore([]rows.Snapshot{table}, 0); err != nil {
			return nil, fmt.Errorf("the state before the evidence: %w", err)
		}
	}
	done := &replayed{map[string]*digested{}, map[string]int{}, map[int][]byte{}}
	var b rows.Set
	last := 0
	for line, err := range s.order(events) {
		if err != nil {
			return nil, err
		}
		if _, cut := slices.BinarySearch(cuts, line.at); cut {
			e.Snapshots(&b)
			if n := len(b.Snapshots); n > 0 {
				done.states[line.at] = []byte(b.Snapshots[n-1].State)
			}
		}
		last = max(last, line.at)
		e.Apply(&engine.Record{
			Offset: line.Offset, Format: schema.JSON, Value: line.Event, Contested: line.contested,
		}, "", 0, &b)
		if err := done.collect(&b, last); err != nil {
			return nil, err
		}
	}
	if s.Ends {
		e.Finish(&b)
	}
	return done, done.collect(&b, last)
}

// orderedLine is a line of the evidence and its index there.
type orderedLine struct {
	*evidenceLine
	at   int
	seq  uint64
	time int64 // of the event
	// late is true for an event that came late, disputes for the contest of an event by which nothing was judged.
	late, disputes bool
	// contested is true if such a line follows.
	contested bool
}

// order gives the events the order in which they are evaluated.
func (s *segment) order(events iter.Seq2[*evidenceLine, error]) iter.Seq2[orderedLine, error] {
	return func(yield func(orderedLine, error) bool) {
		epochs := map[int][]orderedLine{}
		d := schema.NewDecoder()
		d.AcceptAny()
		var ev schema.Event
		at, first := -1, uint64(0)
		for line, err := range events {
			at++
			if err == nil && s.InOrder {
				err = d.Decode(schema.JSON, line.Event, &ev)
			}
			if err != nil || !s.InOrder {
				if !yield(orderedLine{evidenceLine: line, at: at}, err) {
					return
				}
				continue
			}
			if at == 0 {
				first = ev.Seq
			}
			if len(s.State) == 0 || ev.Seq >= first {
				epoch := s.epoch(line.place())
				epochs[epoch] = append(epochs[epoch], orderedLine{evidenceLine: line, at: at, seq: ev.Seq, time: ev.At})
			}
		}
		for _, epoch := range slices.Sorted(maps.Keys(epochs)) {
			for line := range byNumber(epochs[epoch], s.Released) {
				if !yield(line, nil) {
					return
				}
			}
		}
	}
}

// byNumber yields the events of a sequence epoch, which come as they arrived, as the nightly run replays them.
func byNumber(all []orderedLine, released []place) iter.Seq[orderedLine] {
	return func(yield func(orderedLine) bool) {
		order.InTurn(all, func(l *orderedLine) (int32, int64) { return l.Partition, l.time })
		var arrivals order.Arrivals
		var rest []place                   // releases of the partition
		first := map[uint64]*orderedLine{} // of a number
		for i := range all {
			line := &all[i]
			if i == 0 || !line.beside(all[i-1].place()) {
				rest = slices.DeleteFunc(slices.Clone(released), func(p place) bool {
					return !line.beside(p) || p.Offset < line.Offset
				})
			}
			for ; len(rest) > 0 && rest[0].Offset < line.Offset; rest = rest[1:] {
				arrivals.Release()
			}
			line.late, line.disputes = arrivals.Receive(line.seq, line.time)
			if was := first[line.seq]; was == nil {
				first[line.seq] = line
			} else if was.Partition != line.Partition { // nothing was judged by both
				line.disputes, was.disputes = true, true
			}
		}
		slices.SortFunc(all, func(a, b orderedLine) int { return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.at, b.at)) })
		// An event with the number of the one before it is where it arrived, or behind that.
		var contests order.Contests[orderedLine]
		pass := func(until int64) bool {
			for line := range contests.Before(until) {
				if !yield(line) {
					return false
				}
			}
			return true
		}
		for i, line := range all {
			line.contested = i+1 < len(all) && all[i+1].seq == line.seq && all[i+1].disputes
			switch again := i > 0 && line.seq == all[i-1].seq; {
			case again && !line.disputes:
				contests.Add(line.Offset, line)
			case !again && !line.late && !pass(line.Offset), !yield(line):
				return
			}
		}
		pass(math.MaxInt64)
	}
}

func (r *replayed) collect(b *rows.Set, at int) error {
	if len(b.DeadLetters) > 0 {
		return fmt.Errorf("event at offset %d: %s", b.DeadLetters[0].Offset, b.DeadLetters[0].Reason)
	}
	for i := range b.Findings {
		f := b.Findings[i]
		if before := r.findings[f.ID]; before != nil && f.At < before.finding.At {
			continue // as finding.Latest
		}
		digest, err := digestOf(&f)
		if err != nil {
			return err
		}
		r.findings[f.ID], r.at[f.ID] = &digested{f, digest}, at
	}
	if b.Len() > 0 {
		b.Reset()
	}
	return nil
}

// tableEvidence is the evidence of a table.
type tableEvidence struct {
	lines []evidenceLine
	proof *proof
	// shoes are the indexes of the first event of each shoe, in order, and start is the index for each shoe.
	shoes []int
	start map[string]int
	// inOrder is true if an event came behind an event with a higher number, or the events are in several partitions.
	inOrder bool
	// whole is true if all events are one segment: where they are in order, the first of a shoe is not.
	whole    bool
	epochs   []epochStart
	released []place
}

// readReleased reads the releases among the lines of each partition.
func (t *tableEvidence) readReleased(of func(Span) ([]int64, error)) error {
	for first := 0; first < len(t.lines); {
		last := first
		for last+1 < len(t.lines) && t.lines[first].beside(t.lines[last+1].place()) {
			last++
		}
		at := t.lines[first].place()
		offsets, err := of(Span{at.Topic, at.Partition, at.Offset, t.lines[last].Offset})
		if err != nil {
			return err
		}
		for _, at.Offset = range offsets {
			t.released = append(t.released, at)
		}
		first = last + 1
	}
	return nil
}

// startEpochs notes where the sequence epoch of the lines changes.
func (t *tableEvidence) startEpochs(at func(partition int32, offset int64) int) {
	last := 0
	for i := range t.lines {
		if epoch := at(t.lines[i].Partition, t.lines[i].Offset); epoch != last {
			t.epochs, last = append(t.epochs, epochStart{t.lines[i].place(), epoch}), epoch
		}
	}
}

// cut reduces the evidence to what proves findings: the events that they name, and segments that give them again.
func (t *tableEvidence) cut(whole *replayed, proven []*finding.Finding) []segment {
	var spans [][2]int
	for _, f := range proven {
		at, found := whole.at[f.ID]
		if !found {
			continue
		}
		first, shoe := t.start[f.ShoeID]
		if !shoe || first > at { // no finding of one shoe: the shoe in which it was found
			first = 0
			if n := sort.SearchInts(t.shoes, at+1); n > 0 {
				first = t.shoes[n-1]
			}
		}
		spans = append(spans, [2]int{first, at})
	}
	slices.SortFunc(spans, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	var merged [][2]int
	for _, s := range spans {
		if n := len(merged); n > 0 && s[0] <= merged[n-1][1]+1 {
			merged[n-1][1] = max(merged[n-1][1], s[1])
			continue
		}
		merged = append(merged, s)
	}
	if t.whole && len(merged) > 0 {
		merged = [][2]int{{0, len(t.lines) - 1}}
	}
	keep := make([]bool, len(t.lines))
	segments := make([]segment, len(merged))
	for i, s := range merged {
		for k := s[0]; k <= s[1]; k++ {
			keep[k] = true
		}
		segments[i] = segment{
			t.lines[s[0]].place(), t.lines[s[1]].place(), s[1] == len(t.lines)-1, t.inOrder, t.epochs, nil, whole.states[s[0]],
		}
		for _, p := range t.released {
			if segments[i].has(p) {
				segments[i].Released = append(segments[i].Released, p)
			}
		}
		if t.whole {
			segments[i].State = nil
		}
	}
	for _, f := range proven {
		for _, ev := range t.proof.named(f) {
			keep[ev.at] = true
		}
	}
	kept := t.lines[:0:0]
	for i := range t.lines {
		if keep[i] {
			kept = append(kept, t.lines[i])
		}
	}
	t.lines = kept
	return segments
}

// errSegments is the error of segments that do not fit their evidence.
var errSegments = errors.New("the segments are out of order, or begin or end without an event")

// segments replays the segments of a table. The events come in order.
func (r *replayer) segments(table rows.Snapshot, all []segment, events iter.Seq2[*evidenceLine, error],
) (map[string]*digested, error) {
	next, stop := iter.Pull2(events)
	defer stop()
	out := map[string]*digested{}
	line, err, more := next()
	for i := range all {
		s := &all[i]
		for more && err == nil && line.place().compare(s.First) < 0 {
			line, err, more = next()
		}
		if err != nil {
			return nil, err
		}
		if !more || line.place() != s.First || s.Last.compare(s.First) < 0 {
			return nil, errSegments
		}
		var last place
		done, failed := r.replay(s, table, func(yield func(*evidenceLine, error) bool) {
			for more && (err != nil || s.has(line.place())) && yield(line, err) {
				last = line.place()
				line, err, more = next()
			}
		}, nil)
		switch {
		case failed != nil:
			return nil, failed
		case last != s.Last:
			return nil, errSegments
		}
		maps.Copy(out, done.findings)
	}
	return out, nil
}

// readSegments reads the segments of a table; none if the bundle has none.
func (v *verifier) readSegments(table string) (all []segment, err error) {
	path := statePath(table)
	if _, there := v.bundle.sizes[path]; !there {
		return nil, nil
	}
	err = v.lines(path, func(_ int64, line []byte) error {
		var one segment
		if err := decode(line, &one, encode); err != nil {
			return err
		}
		if n := len(all); one.Last.compare(one.First) < 0 || n > 0 && all[n-1].Last.compare(one.First) >= 0 {
			return errSegments
		}
		all = append(all, one)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}

// checkStates checks that segments are of tables with evidence.
func (v *verifier) checkStates(tables map[string]bool) error {
	for _, p := range v.bundle.paths {
		if strings.HasPrefix(p, dirState) && (v.manifest.first() || !tables[p]) {
			return fmt.Errorf("%s: the bundle has no evidence of its table", p)
		}
	}
	return nil
}
