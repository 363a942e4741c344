package play

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// A lost event may have been anything. These are the findings that would accuse on missing evidence:
//
//   - A gap between two events of one round is taken to be of that round: the round cannot be proved, nor the totals of
//     the shoe.
//   - Any other gap reaches from the round before it to the first round that begins behind it with a round_started. It
//     may also have had a step of a preparation, a notice, an attestation, or the election of another configuration; if
//     it is not within one shoe and wide enough for closing and opening the table, another game.
//   - A finding about an earlier round, or resting on an earlier event, must have no gap between that and the
//     moment it is made.
//
// What can no longer be known is dropped: the dealer, the patrons at the seats, the curator unless the gap is within a
// round, the calling dealer and the floorperson if it is. The preparation of the next shoe depends on them, so that it
// cannot be proved either.

// Gaps are what missing events leave open about a table until later events settle it.
type Gaps struct {
	// Begin, Start and Prepare: the beginning of a shoe, of a round, or a step before a shoe may be lost.
	Begin, Start, Prepare bool
	// Elections: the configuration may have changed. Law: the game may be another one.
	Elections, Law bool
	// History: a notice or an attestation may be lost. Reopened: the table has closed since.
	History, Reopened bool
	// Opened is the opening of the table after the latest gap that may have had a notice, 0 if none.
	Opened record.Seq
	// Seating: a patron may have come or gone. The opening of the table lists who is there.
	Seating bool
}

// ShoeGaps are what missing events leave open about a shoe.
type ShoeGaps struct {
	// Round is the last round that a gap touches. Next is true if the round that begins next is touched too.
	Round uint32
	Next  bool
	// Behind is the seq after the latest gap.
	Behind record.Seq
	// Prepare, Elections and Law are the gaps of the table when the shoe began.
	Prepare, Elections, Law bool
	// From and To enclose the rounds that began while the elections were open.
	From, To uint32
	// UnclearFrom and UnclearTo enclose the events between a gap and the next round: their round is not known.
	UnclearFrom, UnclearTo record.Seq
}

// Lost notes that n events before ev are missing, or that their content is disputed.
func (t *Table) Lost(n uint64, ev *schema.Event) {
	s, g := t.Shoe, &t.Gaps
	within := s != nil && s.Name == ev.ShoeID
	inRound := within && s.Round != nil && s.Round.No == ev.Round
	t.Dealer, t.DealtBy, t.Left, t.Incomplete = "", 0, Leaving{}, true
	clear(t.Patrons)
	g.Start, g.Prepare = true, true
	if !inRound {
		t.Curator = 0
		g.Begin, g.Elections, g.Seating = true, true, true
		g.History, g.Reopened = true, false
		t.Waits = false
	} else {
		t.Calling, t.Floor = "", "" // another gap leaves what rests on them unproved until the table closes
	}
	if !within && (n > 1 || !t.IsOpen) {
		g.Law = true
	}
	for _, s := range [2]*Shoe{t.Prev, t.Shoe} {
		if s != nil {
			s.lost(record.Seq(ev.Seq), inRound)
		}
	}
}

// MidStream notes that the record of the table begins in the middle.
func (t *Table) MidStream() {
	t.Joined = true
	t.Gaps = Gaps{Begin: true, Start: true, Prepare: true, History: true, Seating: true}
}

// clockJump is how far a clock goes back before its times are not compared with earlier ones: notices are filed minutes
// or days ahead.
const clockJump = int64(time.Minute)

// ClockBack notes that the clock of the table went back by a time, with the event that comes next. Which notice was in
// time is not known, nor when a configuration that waits comes into force.
func (t *Table) ClockBack(back, at int64) {
	if back < clockJump {
		return
	}
	t.Behind = max(t.Behind, at+back)
	t.Gaps.History, t.Gaps.Reopened = true, false
	if len(t.Queue) > 0 {
		t.waits()
	}
}

// waits notes that a configuration waits for its time by a clock that went back: it may be in force.
func (t *Table) waits() {
	t.Waits = t.Waits || !t.Gaps.Elections
	t.Gaps.Elections = true
}

// misplaced notes that an event of the round in play named another round.
func (t *Table) misplaced(c *turn) {
	t.Incomplete = true
	for _, s := range [2]*Shoe{t.Prev, t.Shoe} {
		if s != nil {
			s.lost(c.seq, true)
		}
	}
}

func (s *Shoe) lost(before record.Seq, inRound bool) {
	s.Missing = true
	s.Gaps.Behind = before
	if !inRound {
		s.Gaps.widen(before, before)
		s.Gaps.Next = true
	}
	if k := len(s.Rounds); k > 0 && !inRound {
		s.Gaps.Round = max(s.Gaps.Round, s.Rounds[k-1].No)
	}
	for _, r := range [2]*record.Round{s.Settling, s.Round} {
		if r != nil {
			r.Missing = true
			s.Gaps.Round = max(s.Gaps.Round, r.No)
		}
	}
}

// closeGaps takes from an event what it makes certain again.
func (t *Table) closeGaps(ev *schema.Event) {
	g := &t.Gaps
	switch p := ev.Payload.(type) {
	case *schema.TableOpened:
		if t.Before != nil {
			t.openedAgain()
			return
		}
		if g.Reopened || t.Joined {
			if g.History {
				g.Opened = record.Seq(ev.Seq)
			}
			g.History, g.Reopened = false, false
		}
		t.configCertain()
		g.Seating = false
	case *schema.TableConfigured:
		if p.EffectiveAt <= ev.At {
			t.configCertain()
		}
		if t.Before != nil {
			t.Before.Law = ""
		}
	case *schema.TableClosed:
		t.Before = nil
		g.Reopened = g.History
	case *schema.RoundStarted:
		g.Start = false
	default: // no other event has what stands
	}
}

// openedAgain takes the opening of a table that was in play when its numbers began again. It may be the opening of
// before as it was.
func (t *Table) openedAgain() {
	b := t.Before
	switch {
	case b.Law == "" || b.Law != t.LawName:
	case b.Terms == terms(t.Config):
		t.configCertain()
	default:
		t.Gaps.Law = false
	}
	// An opening does not name the participant who deals.
	turns := t.Law == nil || t.Law.Game == baccarat.PuntoBanco || t.Law.Game == baccarat.CheminDeFer
	if b.Seated && !turns && slices.Equal(b.Occupied, t.History.Occupied) {
		t.Gaps.Seating = false
	}
	*b = Before{}
}

// terms is a configuration as a text; empty if there is none.
func terms(c *law.Config) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%+v", *c)
}

func (t *Table) configCertain() {
	t.Waits = false
	t.Gaps.Elections, t.Gaps.Law = false, false
	if s := t.Shoe; s != nil && s.Out == 0 {
		s.Gaps.Elections, s.Gaps.Law = false, false
	}
}

// beginShoeGaps is what a new shoe inherits. A shoe that begins with its first shuffle is whole.
func (t *Table) beginShoeGaps(s *Shoe, begins bool) {
	g := &t.Gaps
	s.Missing = g.Begin && !begins
	s.Gaps = ShoeGaps{
		Prepare: g.Prepare, Elections: g.Elections, Law: g.Law,
		Next: s.Missing || s.Joined || g.Prepare && !begins,
	}
	if begins {
		g.Begin = false
	}
	g.Prepare = false
}

// beginRoundGaps is what a new round inherits.
func (t *Table) beginRoundGaps(s *Shoe, r *record.Round, started bool) {
	g := &s.Gaps
	// What named the round before it began may be of it.
	r.Missing = g.Next || t.StrayRound == r.No || t.Named == s.Name && t.NamedRound == r.No || t.Gaps.Start && !started
	if r.Missing {
		g.Round = max(g.Round, r.No)
	}
	if g.Next {
		g.widen(r.Started, r.Started)
		g.Next = false
	}
	if t.Gaps.Elections {
		if g.To == 0 {
			g.From = r.No
		}
		g.From, g.To = min(g.From, r.No), max(g.To, r.No)
	}
}

// Proof is how far a finding is proved.
type Proof uint8

// Proofs.
const (
	Proved Proof = iota
	// Unproved: the finding would accuse on missing evidence.
	Unproved
	// Open: the finding is proved if its rule finds the same whatever was lost.
	Open
)

// Proof is how far a finding that was made at a stage is proved, and what may have been lost if it is Open. The finding
// is about round r of the shoe, or about the shoe if r is nil.
func (t *Table) Proof(s *Shoe, r *record.Round, stage rules.Stage, f *rules.Finding) (Proof, rules.Lost) {
	g := &s.Gaps
	no := f.Round
	if no == 0 && r != nil {
		no = r.No
	}
	back := f.Rule.Back
	switch {
	case g.Law,
		back == rules.WholeShoe && (s.Missing || s.Joined),
		back == rules.Seating && (t.Gaps.Seating || s.Joined || g.Round != 0 && no != 0 && s.before(no) <= g.Round):
		return Unproved, 0
	}
	var lost rules.Lost
	if t.Gaps.History || stage == rules.Changed && t.acrossGap(f) {
		lost = rules.LostNotices
	}
	switch {
	case no == 0:
		if s.Missing || s.Joined || (stage <= rules.Prepared && g.Prepare) {
			return Unproved, 0
		}
		if g.Elections {
			lost |= rules.LostElections
		}
	case no <= g.Round || s.incomplete(no, r) || s.rests(f) < g.Behind || g.unclear(f):
		return Unproved, 0
	case g.To != 0 && no >= g.From && no <= g.To:
		if r == nil || r.No != no {
			return Unproved, 0 // what its round owed was computed under that configuration
		}
		lost |= rules.LostElections
	}
	if lost != 0 {
		return Open, lost
	}
	return Proved, 0
}

// acrossGap reports whether a finding is about the first configuration in use since the table opened again after a gap:
// what was in use right before it, and which notices of the change were given, may be lost.
func (t *Table) acrossGap(f *rules.Finding) bool {
	if t.Gaps.Opened == 0 {
		return false
	}
	i := record.Index(t.History.Changes, func(c *record.ConfigChange) bool { return c.Used && c.Seq >= t.Gaps.Opened })
	return i >= 0 && slices.Contains(f.Evidence, t.History.Changes[i].Seq)
}

// incomplete reports whether it is not known which cards a round was settled by, or events of it are missing.
func (s *Shoe) incomplete(no uint32, r *record.Round) bool {
	if r != nil && r.No == no {
		return r.Missing
	}
	at, found := slices.BinarySearchFunc(
		s.Rounds, no, func(sum record.RoundSummary, no uint32) int { return cmp.Compare(sum.No, no) },
	)
	return found && s.Rounds[at].Missing
}

// widen extends the range of events whose round is not known.
func (g *ShoeGaps) widen(from, to record.Seq) {
	if g.UnclearTo == 0 {
		g.UnclearFrom = from
	}
	g.UnclearFrom, g.UnclearTo = min(g.UnclearFrom, from), max(g.UnclearTo, to)
}

// unclear is true if a finding rests on an event whose round is not known.
func (g *ShoeGaps) unclear(f *rules.Finding) bool {
	return slices.ContainsFunc(
		f.Evidence, func(seq record.Seq) bool { return seq >= g.UnclearFrom && seq < g.UnclearTo },
	)
}

// rests is the earliest event of the shoe on which a finding rests. That the shoe was loaded does not count: it cannot
// have changed since.
func (s *Shoe) rests(f *rules.Finding) record.Seq {
	first := ^record.Seq(0)
	for _, seq := range f.Evidence {
		if seq >= s.First && seq != s.Loaded.Seq {
			first = min(first, seq)
		}
	}
	return first
}
