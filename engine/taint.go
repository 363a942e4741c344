package engine

import (
	"slices"

	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// What a lost event may have said, and so which findings would accuse on missing evidence:
//
//   - A hole between two events of one round is taken to be of that round: the round cannot be proved,
//     nor what the shoe adds up to.
//   - Any other hole reaches from the round before it to the first round that begins behind it with
//     a round_started. It may also have held a step of a preparation, a notice, an attestation, or the
//     election of another configuration; if it is not within one shoe and wide enough for the closing
//     and opening of the table, another game.
//   - A finding about an earlier round, or one that rests on an earlier event, must have no hole
//     between that and the moment it is made.
//
// Whatever can no longer be known is forgotten, not kept: the dealer, the patrons at the seats, the curator
// unless the hole is within a round. How the next shoe is prepared depends on them, so that it cannot be proved either.

// doubts are what holes leave open about a table until later events settle it.
type doubts struct {
	// begin, start and prepare: the beginning of a shoe, of a round, or a step before a shoe may be lost.
	begin, start, prepare bool
	// elections: the configuration may have changed. law: the game may be another one.
	elections, law bool
	// memory: a notice or an attestation may be lost; reopened says that the table has closed since.
	memory, reopened bool
	// seating: a patron may have come or gone. The opening of the table says who is there.
	seating bool
}

// shoeTaint is what holes leave open about a shoe.
type shoeTaint struct {
	// round is the last round that a hole touches; next says that the one that begins next is touched too.
	round uint32
	next  bool
	// hole is the seq after the latest hole.
	hole record.Seq
	// prepare, elections and law are the table's doubts when the shoe began.
	prepare, elections, law bool
	// from and to enclose the rounds that began while the elections were in doubt.
	from, to uint32
	// murkyFrom and murkyTo enclose the events between a hole and the next round: of which round they
	// are is not known.
	murkyFrom, murkyTo record.Seq
}

// lost notes that n events before ev are missing, or that what they said is disputed.
func (t *table) lost(n uint64, ev *schema.Event) {
	s, d := t.shoe, &t.doubts
	within := s != nil && s.name == ev.ShoeID
	inRound := within && s.round != nil && s.round.No == ev.Round
	t.dealer, t.dealtBy, t.holed = "", 0, true
	clear(t.patrons)
	d.start, d.prepare = true, true
	if !inRound {
		t.curator = 0
		d.begin, d.elections, d.seating = true, true, true
		d.memory, d.reopened = true, false
	}
	if !within && (n > 1 || !t.isOpen) {
		d.law = true
	}
	for _, s := range []*shoe{t.prev, t.shoe} {
		if s == nil {
			continue
		}
		s.Missing = true
		s.taint.hole = record.Seq(ev.Seq)
		if !inRound {
			s.taint.blur(record.Seq(ev.Seq), record.Seq(ev.Seq))
			s.taint.next = true
		}
		if k := len(s.Rounds); k > 0 && !inRound {
			s.taint.round = max(s.taint.round, s.Rounds[k-1].No)
		}
		for _, r := range []*record.Round{s.settling, s.round} {
			if r != nil {
				r.Missing = true
				s.taint.round = max(s.taint.round, r.No)
			}
		}
	}
}

// settleDoubts takes from an event what it makes certain again.
func (t *table) settleDoubts(ev *schema.Event) {
	d := &t.doubts
	switch ev.Payload.(type) {
	case *schema.TableOpened:
		if d.reopened || t.joined {
			d.memory, d.reopened = false, false
		}
		t.configCertain()
		d.seating = false
	case *schema.TableConfigured:
		t.configCertain()
	case *schema.TableClosed:
		d.reopened = d.memory
	case *schema.RoundStarted:
		d.start = false
	default: // no other event says what stands
	}
}

func (t *table) configCertain() {
	t.doubts.elections, t.doubts.law = false, false
	if s := t.shoe; s != nil && s.Out == 0 {
		s.taint.elections, s.taint.law = false, false
	}
}

// beginTaint is what a new shoe inherits. A shoe that begins with its first shuffle is whole.
func (t *table) beginTaint(s *shoe, begins bool) {
	d := &t.doubts
	s.Missing = d.begin && !begins
	s.taint = shoeTaint{
		prepare: d.prepare, elections: d.elections, law: d.law,
		next: s.Missing || s.Joined || d.prepare && !begins,
	}
	if begins {
		d.begin = false
	}
	d.prepare = false
}

// beginRoundTaint is what a new round inherits.
func (t *table) beginRoundTaint(s *shoe, r *record.Round, started bool) {
	r.Missing = s.taint.next || (t.doubts.start && !started)
	if r.Missing {
		s.taint.round = max(s.taint.round, r.No)
	}
	if s.taint.next {
		s.taint.blur(r.Started, r.Started)
		s.taint.next = false
	}
	if t.doubts.elections {
		if s.taint.to == 0 {
			s.taint.from = r.No
		}
		s.taint.from, s.taint.to = min(s.taint.from, r.No), max(s.taint.to, r.No)
	}
}

// unproved says whether a finding would accuse on missing evidence.
func (t *table) unproved(s *shoe, r *record.Round, stage rules.Stage, f *rules.Finding) bool {
	taint := &s.taint
	no := f.Round
	if no == 0 && r != nil {
		no = r.No
	}
	back := f.Rule.Back
	switch {
	case taint.law:
		return true
	case back == rules.WholeShoe && (s.Missing || s.Joined):
		return true
	case back == rules.Seating && (t.doubts.seating || s.Joined || taint.round != 0 && no != 0 && no <= taint.round+1):
		return true
	}
	var doubt rules.Lost
	if t.doubts.memory {
		doubt = rules.LostNotices
	}
	if no == 0 {
		if s.Missing || s.Joined || (stage <= rules.Prepared && taint.prepare) {
			return true
		}
		if taint.elections {
			doubt |= rules.LostElections
		}
	} else {
		if no <= taint.round || s.rests(f) < taint.hole || taint.murky(f) {
			return true
		}
		if taint.to != 0 && no >= taint.from && no <= taint.to {
			if r == nil || r.No != no {
				return true // what its round owed was reckoned under that configuration
			}
			doubt |= rules.LostElections
		}
	}
	return doubt != 0 && !t.pass.Stands(f, doubt)
}

// blur widens the range of events whose round is not known.
func (s *shoeTaint) blur(from, to record.Seq) {
	if s.murkyTo == 0 {
		s.murkyFrom = from
	}
	s.murkyFrom, s.murkyTo = min(s.murkyFrom, from), max(s.murkyTo, to)
}

// murky says whether a finding rests on an event whose round is not known.
func (s *shoeTaint) murky(f *rules.Finding) bool {
	return slices.ContainsFunc(f.Evidence, func(seq record.Seq) bool { return seq >= s.murkyFrom && seq < s.murkyTo })
}

// rests is the earliest event of the shoe on which a finding rests. That the shoe was loaded is no
// news that could have changed since.
func (s *shoe) rests(f *rules.Finding) record.Seq {
	first := ^record.Seq(0)
	for _, seq := range f.Evidence {
		if seq >= s.First && seq != s.Loaded.Seq {
			first = min(first, seq)
		}
	}
	return first
}

// disputed remembers what came late or in conflict, so that its repetition is told from another.
func (t *table) disputed(sum [32]byte) bool {
	var short [16]byte
	copy(short[:], sum[:])
	if slices.Contains(t.odd, short) {
		return true
	}
	if len(t.odd) >= 256 {
		t.odd = slices.Delete(t.odd, 0, 128)
	}
	t.odd = append(t.odd, short)
	return false
}
