package play

import "github.com/shoeproof/shoeproof/record"

// Kind is the kind of a stage.
type Kind uint8

// Kinds of stage. A shoe passes Began, Prepared, then for each round Betting, Dealt, Recorded and Settled, then Closed
// and Gone. A stage with rules is named in package rules.
const (
	// Began: the first event of a shoe.
	Began Kind = iota
	// ShoeReused: a shoe begins under an id that the table has used. It follows Began.
	ShoeReused
	// ShoeJoined: the record of a shoe does not begin with its first event. It follows Began.
	ShoeJoined
	// Prepared: the first card of the first round of a shoe. Until then a step of the preparation may still come.
	Prepared
	// Changed: the first card after a configuration came into force.
	Changed
	// RoundRepeated: a round begins that was played already.
	RoundRepeated
	// SettledLate: money moves for a wager of a round that is settled already. The shoe is nil if it is gone.
	SettledLate
	// ResumedLate: a round begins in a shoe that is gone. The shoe is nil.
	ResumedLate
	// Misplaced: an event of a round names a shoe that has not begun while the one in play has not ended, or it names a
	// round that has not begun. If it begins the shoe, Expected and Observed are in the stage.
	Misplaced
	// Betting: no more bets, at the latest the first card of a round.
	Betting
	// Dealt: the deal of a round is over.
	Dealt
	// Recorded: the recorded end of a round completes evidence.
	Recorded
	// Settled: the first card of the next round, or the end of the shoe; if something of its settlement is still due then,
	// the next shoe, or the end of the stream. The round is complete.
	Settled
	// Closed: the shoe is complete.
	Closed
	// CardLost: a card of a round was not reported.
	CardLost
	// Disputed: an event has another content than an earlier one about the same card, wager or shoe.
	Disputed
	// Inconsistent: an event of a round contradicts itself or earlier ones, where no rule reads it. Expected and Observed
	// are in the stage.
	Inconsistent
	// Crowded: a round or a shoe has more facts than it may have. Expected and Observed are in the stage.
	Crowded
	// Gone: no event can change the shoe any more, and no event before Seq proves anything that is open.
	Gone
	// Configured: a configuration came into force, at the first event of its time. It is in the stage, the rulebook and
	// the house rules are in the table.
	Configured
	// NoticeGiven: a notice was filed or posted.
	NoticeGiven
	// TableClosed: the table closed. No event before Seq proves anything that is open; Seq is 0 while money is due.
	TableClosed
)

// Stage is a stage that was reached while an event was folded. It is valid until the next one.
type Stage struct {
	Kind  Kind
	Shoe  *Shoe
	Round *record.Round
	// Config is set for Configured.
	Config *Configuration
	// Expected and Observed are set for Inconsistent and Crowded, and for a shoe that is Misplaced.
	Expected, Observed string
	// Seq is set for Gone and TableClosed, 0 if unknown.
	Seq uint64
}

// turn is what the fold needs to know of an event, and where the stages that it reaches are reported. The event itself
// stays in the table: a turn that held it would take the loop of the caller to the heap.
type turn struct {
	seq   record.Seq
	at    int64
	round uint32
	yield func(Stage) bool
}

func (c *turn) reach(kind Kind, s *Shoe, r *record.Round) {
	c.yield(Stage{Kind: kind, Shoe: s, Round: r})
}
