package record

import (
	"cmp"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
)

// Seq is the number of the table's event that shows a fact; 0 is none.
type Seq uint64

// Round is one round of play as it was played, each fact with the event that shows it. The fold in
// pipeline/ writes it, rules read it.
type Round struct {
	No uint32
	// At is the event time of the first wager or card, ns UTC.
	At int64
	// Dealer is who was in charge when the round began.
	Dealer string

	// Config is what was in force when the round began, ConfigAt the event that brought it.
	Config   *law.Config
	ConfigAt Seq

	// Started is the first event of the round, Begun its round_started, 0 if that was not received.
	Started, Begun Seq
	Cards          []DealtCard
	Wagers         []Wager
	Steps          []Step
	// Refunds are the motions that gave back vigorish; they are no steps, and the collections lack what was given back.
	Refunds []Refund `cbor:",omitempty"`
	// Misplaced is the vigorish that named a wager which does not owe it; its steps name the wager that owes it.
	Misplaced    []Misplaced `cbor:",omitempty"`
	Calls        []Call
	Instructions []Instructed
	Touches      []Touched
	Squeezes     []Squeeze
	Moves        []Move
	Discards     []Discarded
	// Bancos are the calls of a round of chemin de fer; Bank is the index of the Banker's wager in
	// Wagers plus one, 0 if he made none.
	Bancos []Banco
	Bank   int
	// Opened is the opening of the wagers against the Banker.
	Opened Opened
	// Curator is the seat of the curator, or the Banker's seat; Carried the number of a card
	// kept from the round before.
	Curator uint32
	Carried uint32
	// CarriedDue means that the card was due in its hand in the round before: no clause has it kept.
	CarriedDue bool `cbor:",omitempty"`
	// Replaced is how another patron came to the seat of the curator, or of the Banker, before the first card.
	Replaced Replaced
	// Before is how many cards had left the shoe before the round's first one.
	Before int
	// Left is how many cards were left in the shoe when the hands were last complete.
	Left int
	// Next is the first card of the round after, 0 while none was dealt; NextBy is who drew it.
	Next   Seq
	NextBy Drawn
	// ConfigChanged is a configuration that came while the round was in progress.
	ConfigChanged []Change

	// Ended is the recorded result, Voided its cancellation.
	Ended  Ended
	Voided Voided
	// Corrected is the first recorded result, if another one was recorded after it.
	Corrected Ended
	// Sighting is the cutting card seen in this round.
	Sighting Seq
	// Missing means that events of the round are lost: nothing in it can be proved.
	Missing bool
	// Misreads are cards that the reader is suspected of having misread, two at most. Cards then has the cards that agree
	// with everything else.
	Misreads [2]Misread
	// Early are acts about wagers that were reported before the wager.
	Early []Early `cbor:",omitempty"`
	// Errant means that a card was dealt that was not due at a table that does not report burns: until the recorded end
	// it is not known whether the card stayed in its hand.
	Errant bool
	// Full is the event with which the round had more facts than it may have, see MaxFacts: nothing after it is taken in,
	// and nothing of the round is judged. 0 if it has not.
	Full Seq `cbor:",omitempty"`

	coup      baccarat.Coup
	coupCards int
	// most is how many facts the round has at most, 0 if that is not known; index is where its wagers are, by their id.
	most  int
	index map[string]int
}

// DealtCard is a card given to a hand.
type DealtCard struct {
	Seq      Seq
	CardSeq  uint32
	BySeat   uint32
	Hand     baccarat.Hand
	Index    uint8
	Card     baccarat.Card
	Face     baccarat.Face
	Place    baccarat.Place
	LeftHand bool
	Handed   bool // the drawing hand was reported
	ByRole   baccarat.Role
	// Final is the hand in which the card ended: moved, burned and carried cards leave theirs.
	Final baccarat.Hand
	// Revealed is the first time that the card was turned, RevealedBy by whom.
	Revealed   Seq
	RevealedBy baccarat.Role
	// Reported is the value that a reader showed, when HasReported.
	Reported    uint32
	HasReported bool
	Back        string
	Design      string
	// Carried means that the card came from an earlier round.
	Carried bool
	// Curator is the curator when the card was dealt.
	Curator uint32
	// Fate is how a card left its hand, FateAt the event, Burn the index of its burn in Shoe.Burns.
	Fate   Fate
	FateAt Seq
	Burn   int
}

// Placed is the hand to which a card belongs by its deal: of the first two cards of a hand the one to which they were
// moved, if they were.
func (c *DealtCard) Placed() baccarat.Hand {
	if c.Index <= 2 && c.Fate == MovedAway {
		return c.Final
	}
	return c.Hand
}

// Misread is another reading of a card: its index in Round.Cards plus one, 0 if there is none, and what was read.
type Misread struct {
	Card int
	Read baccarat.Card
}

// Drawn is who drew a card, and the seat of the curator at that time, 0 if there was none.
type Drawn struct {
	Role     baccarat.Role
	Seat     uint32
	Curator  uint32
	Replaced Replaced
}

// Replaced is when the curator, or the Banker, left the seat, 0 if that was not reported, and when the seat was taken
// again without the shoe or the bank. Another means that both patrons are known and are not the same.
type Replaced struct {
	Left, Taken Seq
	Another     bool
}

// Evidence are the events that show it.
func (r Replaced) Evidence() []Seq {
	if r.Left == 0 {
		return []Seq{r.Taken}
	}
	return []Seq{r.Left, r.Taken}
}

// Fate is what became of a card beyond those due.
type Fate uint8

// Fates.
const (
	Kept Fate = iota
	MovedAway
	Burned
	CarriedOver
	DiscardedCard
	// KeptOrDiscarded: the next round begins with the number of the card and another card, so that one was misread.
	KeptOrDiscarded
)

// Wager is a stake on a spot.
type Wager struct {
	ID        string
	Placed    Seq
	Seat      uint32
	Spot      baccarat.Spot
	Amount    int64
	Coupon    int64
	Medium    baccarat.Medium
	AreaOK    bool
	SpotName  string
	Patron    string
	Changes   []WagerChange
	Handled   []Touched
	Confirmed []Touched
	Converted Change
	// ConvertedBy is who exchanged the cash.
	ConvertedBy baccarat.Role
	// PlacedAt and ConvertedAt are event times, ns UTC.
	PlacedAt, ConvertedAt int64
	// Gone means that the wager was withdrawn: it is not settled.
	Gone bool
	// Left is when the patron left the seat in the round, 0 if never.
	Left Seq
	// PartBack is the sum of the returns, before a card was dealt, of the part by which the wager was lowered, PartBackAt
	// the latest of them.
	PartBack   int64 `cbor:",omitempty"`
	PartBackAt Seq   `cbor:",omitempty"`
	// Astray is a settlement of the wager that names another round or another shoe, 0 if there is none: whether it is of
	// this wager is not known.
	Astray Seq `cbor:",omitempty"`

	// Early is a change that was reported before the wager, 0 if there is none: whether the wager was reported with it is
	// not known.
	Early Seq `cbor:",omitempty"`

	// RaisedBy is by how much the wager was raised in all after a motion of its settlement, RaisedAt the first raise, 0 if
	// there is none.
	RaisedBy int64 `cbor:",omitempty"`
	RaisedAt Seq   `cbor:",omitempty"`
	// RaisedOnce is by how much if each raise of the amount of the one before it, Raise, is that one published again.
	RaisedOnce int64 `cbor:",omitempty"`
	Raise      int64 `cbor:",omitempty"`

	// Paid, Collected and Returned are the settlement: all motions of each kind. PutBack is how much of Returned
	// gave back what had been collected.
	Paid, Collected, Returned Settlement
	PutBack                   int64
}

// Early is an act about a wager that was reported before the wager: a confirmation, an exchange of cash, a change, or a
// motion of its settlement.
type Early struct {
	Wager       string
	Confirmed   Touched
	Converted   Change
	ConvertedAt int64
	ConvertedBy baccarat.Role
	Changed     Seq
	Settled     Seq `cbor:",omitempty"`
}

// Of enters the act into its wager.
func (e *Early) Of(w *Wager) {
	if e.Confirmed.Seq != 0 {
		w.Confirmed = append(w.Confirmed, e.Confirmed)
	}
	if made := e.Converted; made.Seq != 0 {
		if sum := baccarat.Add(made.Amount, w.Converted.Amount); sum <= w.Amount { // a further part, not published again
			made.Amount = sum
		}
		w.Converted, w.ConvertedAt, w.ConvertedBy = made, e.ConvertedAt, e.ConvertedBy
	}
	if e.Changed != 0 {
		w.Early = e.Changed
	}
}

// TakeEarly enters into a wager what was reported about it before.
func (r *Round) TakeEarly(w *Wager) {
	for i := range r.Early {
		if r.Early[i].Wager == w.ID {
			r.Early[i].Of(w)
		}
	}
}

// Net is what all motions of a wager come to: at most one of Paid and Collected is not 0.
type Net struct{ Paid, Collected, Returned int64 }

// Net is the settlement of the wager, whatever the number of motions: parts of a payment are added, and what was taken
// by mistake and put back counts as little as what was paid by mistake, or returned beyond the stake, and taken back.
func (w *Wager) Net() Net {
	taken, returned := w.Collected.Amount-w.PutBack, w.Returned.Amount-w.PutBack
	if w.Amount > 0 || w.Returned.Times > 1 { // of a stake that was not read, one return may be all
		twice := max(min(returned-w.Amount, taken), 0)
		taken, returned = taken-twice, returned-twice
	}
	n := Net{Paid: max(w.Paid.Amount-taken, 0), Collected: max(taken-w.Paid.Amount, 0), Returned: returned}
	if n == (Net{}) {
		n.Returned = w.PutBack
	}
	return n
}

// Settlements is how many settlement events a wager has.
func (w *Wager) Settlements() int { return w.Paid.Times + w.Collected.Times + w.Returned.Times }

// MayBeOf reports whether a wager may be of the player of another one: of its seat, and not of another patron.
func (w *Wager) MayBeOf(o *Wager) bool {
	return w.Seat == o.Seat && (w.Patron == o.Patron || w.Patron == "" || o.Patron == "")
}

// IsOfPlayerOf reports whether a wager is of the player of another one: of its seat, and of the same known patron.
func (w *Wager) IsOfPlayerOf(o *Wager) bool {
	return w.Seat == o.Seat && w.Patron == o.Patron && w.Patron != ""
}

// Player is a patron at a seat. The patron is empty if a banker wager of the seat does not name its own: it may be of
// any of them.
type Player struct {
	Seat   uint32
	Patron string
}

// PaidTogether are the players whose banker wagers were paid by motions that do not name all of them, with the latest
// motion: in all as much as was staked, which is what they won. No clause wants a motion for each wager.
func (r *Round) PaidTogether() map[Player]Seq {
	over := func(w *Wager) bool { return w.Spot == baccarat.SpotBanker && w.Net().Paid > w.Amount }
	if !Any(r.Wagers, over) {
		return nil
	}
	type sum struct {
		stake, paid int64
		at          Seq
		unnamed     bool
	}
	sums, unknown := map[Player]sum{}, map[uint32]bool{}
	for i := range r.Wagers {
		w := &r.Wagers[i]
		unknown[w.Seat] = unknown[w.Seat] || w.Spot == baccarat.SpotBanker && w.Patron == ""
	}
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if w.Spot != baccarat.SpotBanker || w.Gone {
			continue
		}
		of := Player{w.Seat, w.Patron}
		if unknown[w.Seat] {
			of.Patron = ""
		}
		all := sums[of]
		all.stake, all.paid = baccarat.Add(all.stake, w.Amount), baccarat.Add(all.paid, w.Net().Paid)
		all.at, all.unnamed = max(all.at, w.Paid.Seq), all.unnamed || w.Settlements() == 0
		sums[of] = all
	}
	together := map[Player]Seq{}
	for of, all := range sums {
		if all.unnamed && all.paid == all.stake {
			together[of] = all.at
		}
	}
	return together
}

// PaidWith is the motion that paid a banker wager of a player whose wagers were paid together, 0 if they were not.
func (w *Wager) PaidWith(together map[Player]Seq) Seq {
	if len(together) == 0 || w.Gone || w.Spot != baccarat.SpotBanker {
		return 0
	}
	return cmp.Or(together[Player{w.Seat, w.Patron}], together[Player{Seat: w.Seat}])
}

// Winnings is what a banker wager won and the motion that paid it, given the players whose wagers were paid together.
func (w *Wager) Winnings(together map[Player]Seq) (won int64, paid Seq) {
	if at := w.PaidWith(together); at != 0 {
		return w.Amount, cmp.Or(w.Paid.Seq, at)
	}
	return w.Net().Paid, w.Paid.Seq
}

// Settlement is one way of settling a wager: the last event of it, how often, and the sum.
type Settlement struct {
	Seq    Seq
	Times  int
	Amount int64
}

// WagerChange is a change of a wager: by how much its amount grew, the spot before it, whether the wager was withdrawn,
// and whether it was given back: by a return that withdraws it, or because the dealer refused the changes before.
type WagerChange struct {
	Seq       Seq
	Amount    int64
	Spot      baccarat.Spot
	Withdrawn bool
	GivenBack bool
	// Unread means that a raise or a lowering did not say by how much.
	Unread bool `cbor:",omitempty"`
}

// StoodAt is the amount and the spot of a wager after an event, with the changes up to it alone. The amount is 0 before
// the wager was placed, and of a wager that was withdrawn by then.
func (w *Wager) StoodAt(at Seq) (amount int64, spot baccarat.Spot) {
	if w.Placed > at {
		return 0, w.Spot
	}
	amount, spot, gone := w.Amount, w.Spot, w.Gone
	for _, c := range slices.Backward(w.Changes) {
		if c.Seq > at {
			amount, spot, gone = amount-c.Amount, c.Spot, gone && !c.Withdrawn
		}
	}
	if gone {
		return 0, spot
	}
	return amount, spot
}

// Lowered is the sum by which the wager was lowered.
func (w *Wager) Lowered() (sum int64) {
	for _, c := range w.Changes {
		sum -= min(c.Amount, 0)
	}
	return sum
}

// ChangedOnce is the amount of the wager if each change that equals the one before it is that change again, published
// under another event id.
func (w *Wager) ChangedOnce() int64 {
	amount := w.Amount
	for i := 1; i < len(w.Changes); i++ {
		if c, before := &w.Changes[i], &w.Changes[i-1]; c.Amount == before.Amount && c.Spot == before.Spot {
			amount -= c.Amount
		}
	}
	return amount
}

// Most is the most to which the wager ever came.
func (w *Wager) Most() int64 {
	most, amount := w.Amount, w.Amount
	for _, c := range slices.Backward(w.Changes) {
		amount -= c.Amount
		most = max(most, amount)
	}
	return most
}

// Unread reports whether the amount of a wager was not read: an amount of 0, when it was placed or at last, or a raise
// or lowering by 0.
func (w *Wager) Unread() bool {
	placed, _ := w.StoodAt(w.Placed)
	return placed == 0 || w.Amount == 0 || Any(w.Changes, func(c *WagerChange) bool { return c.Unread })
}

// Change is an amount that changed at an event.
type Change struct {
	Seq    Seq
	Amount int64
}

// Touched is somebody acting on something. PermittedBy is the employee who permitted it, as far as that was reported.
type Touched struct {
	Seq         Seq
	Role        baccarat.Role
	Seat        uint32
	PermittedBy baccarat.Role
}

// StepKind is a kind of settlement step.
type StepKind uint8

// Settlement steps.
const (
	StepCollected StepKind = iota
	StepPaid
	StepReturned
	StepVigMarked
	StepVigCollected
	StepTieCharge
)

// Step is one step of the settlement, in the order in which they came.
type Step struct {
	Seq    Seq
	Kind   StepKind
	Seat   uint32
	Amount int64
	// Wager is the index in Round.Wagers, -1 when the step names none or an unknown one.
	Wager int
	// Wagers are the indices that a collection names.
	Wagers []int
	Marker baccarat.Marker
	Area   uint32
	// By is the dealer who made the step, empty if that was not reported.
	By string
	// Held is what a marker has beside Amount: that of earlier markers of the seat, whose place it took.
	Held int64 `cbor:",omitempty"`
}

// Refund is a motion of a wager that gave back vigorish.
type Refund struct {
	Seq    Seq
	Wager  int
	Amount int64
}

// Misplaced is a mark or a collection of vigorish, and the wager that its event named.
type Misplaced struct {
	Seq   Seq
	Named int
}

// Unplaced reports whether money was paid, collected or returned for a wager that is not on record.
func (s *Step) Unplaced() bool { return s.Wager < 0 && s.Kind <= StepReturned }

// Elsewhere reports whether a step moves the money of a wager at another seat than the wager's.
func (r *Round) Elsewhere(s *Step) bool { return s.Seat != r.Owing(s) }

// Owing is the seat of the wagers that a step names if they have one seat, otherwise the seat of the step.
func (r *Round) Owing(s *Step) uint32 {
	if s.Wager >= 0 {
		return r.Wagers[s.Wager].Seat
	}
	seat := s.Seat
	for i, w := range s.Wagers {
		if i > 0 && r.Wagers[w].Seat != seat {
			return s.Seat
		}
		seat = r.Wagers[w].Seat
	}
	return seat
}

// SettledAt is the seat at which all motions of a wager were made, if that is one seat, otherwise that of the wager.
func (r *Round) SettledAt(wager int) uint32 {
	return r.oneSeat(wager, func(s *Step) bool { return s.Kind <= StepReturned })
}

// owedAt is the seat at which a wager was settled and its vigorish marked, if that is one seat, otherwise the seat of
// the wager.
func (r *Round) owedAt(wager int) uint32 {
	at := r.SettledAt(wager)
	if at != r.Wagers[wager].Seat && r.oneSeat(wager, func(s *Step) bool { return s.Kind <= StepVigMarked }) == at {
		return at
	}
	return r.Wagers[wager].Seat
}

func (r *Round) oneSeat(wager int, of func(*Step) bool) (seat uint32) {
	seat = r.Wagers[wager].Seat
	first := true
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Wager != wager || !of(s) {
			continue
		}
		if !first && s.Seat != seat {
			return r.Wagers[wager].Seat
		}
		seat, first = s.Seat, false
	}
	return seat
}

// Call is an announcement.
type Call struct {
	Seq      Seq
	Code     baccarat.Code
	Hand     baccarat.Hand
	Value    uint32
	Treasure baccarat.Treasure
}

// Instructed is the dealer's instruction to the curator.
type Instructed struct {
	Seq  Seq
	Hand baccarat.Hand
	Draw bool
}

// Ended is the recorded end of a round.
type Ended struct {
	Seq            Seq
	Result         baccarat.Result
	Player, Banker uint32
	Cards          uint32
}

// MatchesCounts reports whether the recorded counts are the counts of a coup.
func (e *Ended) MatchesCounts(c *baccarat.Coup) bool {
	return e.Player == uint32(c.P) && e.Banker == uint32(c.B)
}

// Uncounted reports whether the counts were not recorded: both are 0, and the result is no tie, or the cards were not
// counted either.
func (e *Ended) Uncounted() bool {
	return e.Player == 0 && e.Banker == 0 && (e.Result != baccarat.Tie || e.Cards == 0)
}

// Matches reports whether a coup has the recorded counts, if there are any, and the recorded result.
func (e *Ended) Matches(c *baccarat.Coup) bool {
	return (e.Uncounted() || e.MatchesCounts(c)) && e.Result == c.Result()
}

// Record enters a recorded end of the round. The latest one counts; of several that differ the first one is Corrected.
func (r *Round) Record(e Ended) {
	was := r.Ended
	was.Seq = e.Seq
	if r.Ended.Seq != 0 && r.Corrected.Seq == 0 && was != e {
		r.Corrected = r.Ended
	}
	r.Ended = e
}

// MovedMoney reports whether a step of the settlement came between two events.
func (r *Round) MovedMoney(from, to Seq) bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Seq > from && s.Seq < to })
}

// Voided is a round that was cancelled.
type Voided struct {
	Seq          Seq
	Insufficient bool
}

// Reset empties a round for reuse, keeping its storage.
func (r *Round) Reset(no uint32) {
	*r = Round{
		No: no, Cards: r.Cards[:0], Wagers: r.Wagers[:0], Steps: r.Steps[:0], Calls: r.Calls[:0],
		Early: r.Early[:0], Instructions: r.Instructions[:0], Touches: r.Touches[:0], ConfigChanged: r.ConfigChanged[:0],
		coupCards: -1, Squeezes: r.Squeezes[:0], Moves: r.Moves[:0], Discards: r.Discards[:0], Bancos: r.Bancos[:0],
	}
}

// NewWager adds a wager and returns it to be filled; its lists may hold storage of an earlier round.
func (r *Round) NewWager() *Wager {
	r.Wagers = slices.Grow(r.Wagers, 1)[:len(r.Wagers)+1]
	return &r.Wagers[len(r.Wagers)-1]
}

// NewStep adds a settlement step and returns it to be filled, as NewWager does.
func (r *Round) NewStep() *Step {
	r.Steps = slices.Grow(r.Steps, 1)[:len(r.Steps)+1]
	return &r.Steps[len(r.Steps)-1]
}

// NewSqueeze adds a step with cards that are handed out and returns it to be filled, as NewWager does.
func (r *Round) NewSqueeze() *Squeeze {
	r.Squeezes = slices.Grow(r.Squeezes, 1)[:len(r.Squeezes)+1]
	return &r.Squeezes[len(r.Squeezes)-1]
}

// NewDiscard adds cards that are put away and returns them to be filled, as NewWager does.
func (r *Round) NewDiscard() *Discarded {
	r.Discards = slices.Grow(r.Discards, 1)[:len(r.Discards)+1]
	return &r.Discards[len(r.Discards)-1]
}

// Recompose forgets the coup after a card was dealt, moved, burned or carried.
func (r *Round) Recompose() { r.coupCards = -1 }

// Coup is the round's cards as finally composed.
func (r *Round) Coup() *baccarat.Coup {
	if r.coupCards != len(r.Cards) {
		var p, b [8]baccarat.Card
		player, banker := p[:0], b[:0]
		for i := range r.Cards {
			c := &r.Cards[i]
			switch c.Final {
			case baccarat.Player:
				player = appendCard(player, c)
			case baccarat.Banker:
				banker = appendCard(banker, c)
			}
		}
		r.coup = baccarat.NewCoup(player, banker)
		r.coupCards = len(r.Cards)
	}
	return &r.coup
}

func appendCard(hand []baccarat.Card, c *DealtCard) []baccarat.Card {
	if len(hand) == cap(hand) {
		return hand // a fourth card is reported by its index; more are the same breach
	}
	return append(hand, c.Card)
}

// With is a copy of the round with another card at an index of Cards. It shares all other lists with the round.
func (r *Round) With(at int, card baccarat.Card) *Round {
	c := *r
	c.Cards, c.coupCards, c.Misreads = slices.Clone(r.Cards), -1, [2]Misread{}
	c.Cards[at].Card = card
	return &c
}

// Reread puts another reading of a card into the round, the first or the second one; AsRead takes them back.
func (r *Round) Reread(at int, card baccarat.Card) {
	i := 0
	if r.Misreads[0].Card > 0 {
		i = 1
	}
	r.Misreads[i] = Misread{at + 1, r.Cards[at].Card}
	r.Cards[at].Card = card
	r.Recompose()
}

// AsRead restores the cards as they were read.
func (r *Round) AsRead() {
	for i := range r.Misreads {
		if m := r.Misreads[i]; m.Card > 0 {
			r.Cards[m.Card-1].Card, r.Misreads[i] = m.Read, Misread{}
			r.Recompose()
		}
	}
}

// Names reports whether a burn with this indicator names a card of the round, as it is taken or as it was read.
func (r *Round) Names(indicator baccarat.Card, d *DealtCard) bool {
	return indicator != baccarat.Unread && (d.Card == indicator || Any(r.Misreads[:], func(m *Misread) bool {
		return m.Card > 0 && &r.Cards[m.Card-1] == d && m.Read == indicator
	}))
}

// CardAt is the card dealt to a hand at an index, nil if none.
func (r *Round) CardAt(h baccarat.Hand, index uint8) *DealtCard {
	for i := range r.Cards {
		if c := &r.Cards[i]; c.Hand == h && c.Index == index {
			return c
		}
	}
	return nil
}

// Card is the card of the round with a number, nil if none.
func (r *Round) Card(number uint32) *DealtCard {
	for i := range r.Cards {
		if r.Cards[i].CardSeq == number {
			return &r.Cards[i]
		}
	}
	return nil
}

// HasCards reports whether all cards of a list that is not empty are of the round.
func (r *Round) HasCards(numbers []uint32) bool {
	return len(numbers) > 0 && !slices.ContainsFunc(numbers, func(no uint32) bool { return r.Card(no) == nil })
}

// FirstCard is the event of the first card, 0 before it.
func (r *Round) FirstCard() Seq {
	for i := range r.Cards {
		if !r.Cards[i].Carried {
			return r.Cards[i].Seq
		}
	}
	return 0
}

// CallOf is the first announcement of a code, nil if none.
func (r *Round) CallOf(code baccarat.Code) *Call {
	for i := range r.Calls {
		if r.Calls[i].Code == code {
			return &r.Calls[i]
		}
	}
	return nil
}

// WagerIndex is the index of a wager by its id, -1 if the round has none.
func (r *Round) WagerIndex(id string) int {
	const few = 32 // are found sooner one by one
	if len(r.Wagers) <= few {
		return Index(r.Wagers, func(w *Wager) bool { return w.ID == id })
	}
	if r.index == nil {
		r.index = make(map[string]int, 2*few)
	}
	for i := len(r.index); i < len(r.Wagers); i++ {
		r.index[r.Wagers[i].ID] = i
	}
	if i, ok := r.index[id]; ok {
		return i
	}
	return -1
}

// Disposition is how a wager was settled, all motions taken together. It is Undetermined if nothing is settled in the
// end, and Withdrawn for a wager that was withdrawn.
func (w *Wager) Disposition() baccarat.Disposition {
	n := w.Net()
	switch {
	case w.Gone:
		return baccarat.Withdrawn
	case n.Paid > 0 || w.Settlements() == w.Paid.Times && w.Paid.Times > 0:
		return baccarat.Pay
	case n.Collected > 0 || w.Settlements() == w.Collected.Times && w.Collected.Times > 0:
		return baccarat.Collect
	case n.Returned > 0 || w.Settlements() == w.Returned.Times && w.Returned.Times > 0:
		return baccarat.Return
	}
	return baccarat.Undetermined
}

// Against are the sums wagered against the Banker by seat, ascending.
func (r *Round) Against() []SeatChange { return r.AppendAgainst(make([]SeatChange, 0, len(r.Wagers))) }

// Unread is an event about some wagers of a seat whose amount was not read, 0 for none: a wager, a motion or an
// exchange of 0. A motion for no wager on record may be about any.
func (r *Round) Unread(seat uint32, of func(*Wager) bool) Seq {
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if w.Seat != seat || w.Gone || !of(w) {
			continue
		}
		if w.Unread() {
			return w.Placed
		}
		if w.Converted.Seq != 0 && w.Converted.Amount == 0 {
			return w.Converted.Seq
		}
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Seat == seat && s.Amount == 0 && s.Kind <= StepReturned && (s.Wager < 0 || of(&r.Wagers[s.Wager])) {
			return s.Seq
		}
	}
	return 0
}

// UnreadVigorish is an event about a seat's banker wagers or their vigorish whose amount was not read, 0 for none.
func (r *Round) UnreadVigorish(seat uint32) Seq {
	if at := r.Unread(seat, func(w *Wager) bool { return w.Spot == baccarat.SpotBanker }); at != 0 {
		return at
	}
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Seat == seat && s.Amount == 0 && s.Kind >= StepVigMarked {
			return s.Seq
		}
	}
	return 0
}

// BankChanged reports whether the Banker's wager was changed after a wager against it.
func (r *Round) BankChanged() bool {
	return r.Bank != 0 && Any(r.Wagers[r.Bank-1].Changes, func(c *WagerChange) bool {
		return Any(r.Wagers, func(w *Wager) bool { return w.Spot == baccarat.SpotAgainstBanker && w.Placed < c.Seq })
	})
}

// ShortBanco reports whether the one wager against the Banker is of a seat that called banco or banco suivi, and less
// than his.
func (r *Round) ShortBanco() bool {
	against := r.Against()
	return r.Bank != 0 && len(against) == 1 && against[0].Amount > 0 && against[0].Amount < r.Wagers[r.Bank-1].Amount &&
		Any(r.Bancos, func(b *Banco) bool { return b.Seat == against[0].Seat })
}

// TwoBanks reports whether the seat of the Banker made several wagers on the banker hand of the round.
func (r *Round) TwoBanks() bool {
	if r.Bank == 0 {
		return false
	}
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if i+1 != r.Bank && w.Spot == baccarat.SpotBanker && !w.Gone && w.Seat == r.Wagers[r.Bank-1].Seat {
			return true
		}
	}
	return false
}

// EqualedBy is the patron whose wagers against the Banker come to the Banker's wager, empty if there is none, or if a
// patron who wagered at one of the seats is not known.
func (r *Round) EqualedBy() string {
	sum := func(of string) (total int64) {
		for i := range r.Wagers {
			if w := &r.Wagers[i]; w.Spot == baccarat.SpotAgainstBanker && !w.Gone && w.Patron == of {
				total += w.Amount
			}
		}
		return total
	}
	if r.Bank == 0 || sum("") > 0 {
		return ""
	}
	for i := range r.Wagers {
		if p := r.Wagers[i].Patron; r.Wagers[i].Spot == baccarat.SpotAgainstBanker && sum(p) == r.Wagers[r.Bank-1].Amount {
			return p
		}
	}
	return ""
}

// AppendAgainst fills an empty list with them. A wager that came after the first card and was handed back is none.
func (r *Round) AppendAgainst(list []SeatChange) []SeatChange {
	first := r.FirstCard()
	for i := range r.Wagers {
		w := &r.Wagers[i]
		refused := first != 0 && w.Placed > first && w.Disposition() == baccarat.Return
		if w.Spot != baccarat.SpotAgainstBanker || w.Gone || refused {
			continue
		}
		at, found := slices.BinarySearchFunc(
			list, w.Seat, func(s SeatChange, seat uint32) int { return int(s.Seat) - int(seat) },
		)
		if !found {
			list = slices.Insert(list, at, SeatChange{Seat: w.Seat, Seq: w.Placed})
		}
		list[at].Amount += w.Amount
	}
	return list
}
