package record

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
)

// Shoe is one shoe as it was prepared and played. The fold writes it, rules read it.
type Shoe struct {
	ID string
	// At is the event time of the first event of the shoe, ns UTC; First its number.
	At    int64
	First Seq
	// ConfigAt is the event that brought the configuration of the shoe.
	ConfigAt Seq
	// Joined means that the shoe was already in play when the record began, Missing that events of
	// it are lost: what needs the whole shoe cannot be proved.
	Joined, Missing bool

	Prep   Preparation
	Loaded Loaded
	Burns  []Burn
	// Curators are the steps by which the shoe went from hand to hand.
	Curators []CuratorStep
	// Acts are acts of the dealer that another role did.
	Acts    []Act
	FaceUps []FoundFaceUp
	// Bids are the auctions of chemin de fer, Bank the rounds of its Bankers.
	Bids []Bid
	Bank []BankRound
	// Order are the cards in the order in which they left the shoe.
	Order []baccarat.Card
	// OrderAt are the events that brought the cards of Order.
	OrderAt []Seq
	// RackMixed is the event that put cards of two batches into the discard rack, RackHeld the report that the other
	// one lay there; 0 if that is the same.
	RackMixed, RackHeld Seq
	Cutcard             []Sighting
	// LastHandCalls are the announcements of the last hand.
	LastHandCalls []Seq
	Ended         ShoeEnded

	// Seen counts each card that left the shoe and was read.
	Seen [53]uint16
	// Misreads is how many cards the reader is suspected of having misread.
	Misreads uint16
	// Out is how many cards left the shoe; LastCard the event of the latest one.
	Out      uint32
	LastCard Seq
	// Numbered is the highest number that the shoe gave a card that was dealt.
	Numbered uint32

	// CardsLost means that a card left the shoe and was not reported.
	CardsLost bool

	// Rounds are the rounds so far, in short.
	Rounds []RoundSummary
	// Dues are the banker wagers that owe vigorish, marked or not, in order.
	Dues []Due
	// Collections are vigorish collections of kind outstanding.
	Collections []Collection
	// Unexplained are the seats with a mark for a wager that is not on record, or of an amount that was not read.
	Unexplained []uint32
	// Undue are the marks for wagers that owe nothing.
	Undue []UndueMark
	// Currency is that of the rounds, Currencies means that they have several.
	Currency   string
	Currencies bool
	// MarkersRemoved are coins and lammers taken off the layout.
	MarkersRemoved []SeatChange

	// OwedAtShuffle is what each seat still owed when the cards of the shoe were shuffled again.
	OwedAtShuffle []SeatChange
	// NextShuffled is the first shuffle of the cards of this shoe after its play. The shuffle of another batch is none:
	// 9 NYCRR 5324.21(a)(4)(iv)(c). Succeeded is the first event of the shoe that follows, NextCard its first card.
	NextShuffled, Succeeded, NextCard Seq
	// Full is the event with which the record of the shoe had more entries than it may have, see MaxEntries: nothing after
	// it but its end is taken in, and nothing of the shoe is judged. 0 if it has not.
	Full Seq `cbor:",omitempty"`
	// TableClosed is the closing of the table, if that ended the shoe.
	TableClosed Seq

	// awaited are collections that are entered after the round that is being entered.
	awaited []SeatChange
}

// SeatChange is an amount that changed for a seat.
type SeatChange struct {
	Seq    Seq
	Seat   uint32
	Amount int64
}

// Loaded is the shoe as it was loaded.
type Loaded struct {
	Seq          Seq
	Decks        uint32
	CuttingCards uint32
	Batch        string
	BackColor    string
	BackDesign   string
	// DealingShoe and OtherDevice are what the cards are dealt from; neither if that was not reported.
	DealingShoe, OtherDevice bool
	Location                 string
}

// Burn is a burn of cards. N.J.A.C. 19:47-3.5(d), 3.12.
type Burn struct {
	Seq       Seq
	Opening   bool
	Indicator baccarat.Card
	// First is the number of the first card that the burn took out of the shoe.
	First       uint32
	Count       uint32
	Cards       int
	Shown       baccarat.Shown
	Destination baccarat.Destination
	// Discarded is whether the cards were put away after they were shown.
	Discarded BurnDiscarded
	// AfterCard means that a card of the shoe had already been dealt.
	AfterCard bool
	// AllRead means that every burned card was read, Round is the round in which it came.
	AllRead bool
	Round   uint32
	// More is how many cards the burns that continue this one added. Part means that it continues another one, Idle that
	// no card on record requires it.
	More uint32 `cbor:",omitempty"`
	Part bool   `cbor:",omitempty"`
	Idle bool   `cbor:",omitempty"`
}

// Further is how many cards were burned with the indicator.
func (b *Burn) Further() int { return int(b.Count) + int(b.More) }

// IsFaceUp reports whether a card was found face up in the shoe.
func (s *Shoe) IsFaceUp(card uint32) bool {
	return slices.ContainsFunc(s.FaceUps, func(f FoundFaceUp) bool { return f.CardSeq == card })
}

// CutFrom is the number of cards of which a cut is a cut: the stack, and the cards that were burned before the cut.
func (s *Shoe) CutFrom(c Cut) uint32 {
	n := c.Stack
	for i := range s.Burns {
		if b := &s.Burns[i]; b.Opening && b.Seq < c.Seq {
			if n += b.Count; !b.Part {
				n++
			}
		}
	}
	return n
}

// BurnDiscarded is when burned cards were put away; the numbers are the contract's.
type BurnDiscarded uint8

// Times at which burned cards are put away.
const (
	NoBurnDiscarded BurnDiscarded = iota
	DiscardedAfterShown
	DiscardedBeforeShown
)

// Sighting is the cutting card appearing.
type Sighting struct {
	Seq       Seq
	Round     uint32
	AfterCard uint32
	SetAside  bool
}

// ShoeEnded is the recorded end of a shoe.
type ShoeEnded struct {
	Seq       Seq
	Remaining uint32
}

// RoundSummary is what a shoe keeps of a round.
type RoundSummary struct {
	No      uint32
	First   Seq
	Card    Seq // first card
	Ended   Seq
	Result  baccarat.Result
	NoBets  Seq // no more bets
	Called  Seq // the first announcement of the result
	Missing bool
	// Complete means that both hands have their first two cards, and that every card was read.
	Complete bool
	// Short means that the round was void, and the shoe had too few cards to complete it; MaybeShort that it was declared
	// void for that, and the cards that are known do not decide.
	Short, MaybeShort bool
	// Curator is the seat of the curator. Irregular means that the curator dealt a card that was not due, or out of
	// order.
	Curator   uint32
	Irregular bool
	// Beyond are the cards that were not due and were put away without a burn.
	Beyond []baccarat.Card `cbor:",omitempty"`
	// DealtBy is another seat than the curator's, or the Banker's, that drew every card as such; 0 if none.
	DealtBy uint32 `cbor:",omitempty"`
	// OtherBack is the back that every card had, if it is not that of the shoe; see Shoe.OtherBack.
	OtherBack string `cbor:",omitempty"`
	// ToShoe is the report that cards of the round were put into the shoe, 0 if none was.
	ToShoe Seq `cbor:",omitempty"`
}

// OtherBack is the back of every card of a round, of four or more, if all have one and it is not the back that was
// reported of the shoe; empty otherwise.
func (s *Shoe) OtherBack(r *Round) string {
	if len(r.Cards) < 4 {
		return ""
	}
	back, loaded := Back{r.Cards[0].Back, r.Cards[0].Design}, Back{s.Loaded.BackColor, s.Loaded.BackDesign}
	if loaded.Color == "" || back.Color == "" || back.Color == loaded.Color &&
		(back.Design == "" || loaded.Design == "" || back.Design == loaded.Design) ||
		Any(r.Cards, func(c *DealtCard) bool { return c.Back != back.Color || c.Design != back.Design }) {
		return ""
	}
	if back.Color == loaded.Color {
		return "of design " + back.Design
	}
	return back.Color
}

// Due is a banker wager that owes vigorish, and what became of it.
type Due struct {
	Wager string
	Seat  uint32
	// Patron owes it, empty if unknown.
	Patron string
	Round  uint32
	Stake  int64
	Won    int64
	// Percent is the percentage in force in its round, Kind the kind of vigorish if the rulebook names it.
	Percent int64
	Kind    string `cbor:",omitempty"`
	Tie     bool   // a tie charge of 25 percent, not a commission
	PaidAt  Seq
	// Marked is the amount evidenced by a coin or marker, Collected what was taken.
	Marked    int64
	MarkedAt  Seq
	Collected int64
	// TakenOff is the amount of the markers that were placed by mistake and taken off again; see Shoe.TakenOff.
	TakenOff int64 `cbor:",omitempty"`
	// PaidMark is the part of Marked that a collection of the round paid, PaidMarkAt the collection: the marker may be
	// taken off from then on.
	PaidMark   int64 `cbor:",omitempty"`
	PaidMarkAt Seq   `cbor:",omitempty"`
	// Short is by how much a marker was too low that took the place of earlier ones, uncollected, after the round was
	// settled, negative if it was too high; ShortAt is the marker.
	Short   int64 `cbor:",omitempty"`
	ShortAt Seq   `cbor:",omitempty"`
	// CollectedAt is the event that took it, or named it.
	CollectedAt Seq
	// Took is what was collected with the payment, for this wager alone or as its part, a fraction dropped. Rest is what
	// collections after the round took of what was too little.
	Took int64
	Rest int64 `cbor:",omitempty"`
	// Cash is the money taken, where that is more than the marks that it settled: with the payment, or as the rounding
	// of a sum. Money for several wagers is counted once, on one of them.
	Cash int64
	// AtOnce means that it was collected before the next round's first card.
	AtOnce bool
	// LateMark means that the marker came after the next round's first card.
	LateMark bool
	// Unnamed is a marker of its round, at its seat, of a wager that is not on record: it may be that of this wager.
	Unnamed Seq `cbor:",omitempty"`
	// Unproved means that a card of the round was not read: the mark is known, whether it was due is not.
	Unproved bool
}

// Open is the marked amount still owed.
func (d *Due) Open() int64 { return max(d.Marked-d.Collected, 0) }

// Collection is a collection of outstanding vigorish.
type Collection struct {
	Seq    Seq
	Seat   uint32
	Amount int64
	// Open is the sum of the open marks that it names, or of all of the seat when it names none.
	Open  int64
	Named bool
	// Unmarked are what the seat's banker wagers won that it names, or of all when it names none, and that were neither
	// marked nor collected, Rates the percentages of their rounds. Percent and Kind are of the latest of the wagers, 0 and
	// empty if none is known.
	Unmarked []int64
	Rates    []int64 `cbor:",omitempty"`
	Percent  int64
	Kind     string `cbor:",omitempty"`
	// Whole are its marks of which nothing was collected before.
	Whole []Mark
	// Undue is the sum of the open marks that it may pay and for which nothing was owed, Ties the stakes of the wagers of
	// which it may be the tie charge, late and never marked.
	Undue, Ties int64
	// Rest is the most that was lacking of charges that were too little and of which no mark was open.
	Rest int64 `cbor:",omitempty"`
}

// UndueMark is a mark for a wager that owes nothing: of a player who won, at a table that takes no commission, or of a
// banker wager whose vigorish was collected with its payment.
type UndueMark struct {
	Wager             string
	Seat              uint32
	Amount, Collected int64
}

// Mark is the vigorish that was marked for a wager, what the wager won, and the percentage of its round.
type Mark struct {
	Won, Marked int64
	Percent     int64 `cbor:",omitempty"`
}

// Reset empties a shoe for reuse, keeping its storage.
func (s *Shoe) Reset() {
	*s = Shoe{
		Burns: s.Burns[:0], Cutcard: s.Cutcard[:0], LastHandCalls: s.LastHandCalls[:0], Rounds: s.Rounds[:0],
		Dues: s.Dues[:0], Unexplained: s.Unexplained[:0], Collections: s.Collections[:0],
		Undue:          s.Undue[:0],
		MarkersRemoved: s.MarkersRemoved[:0],
		OwedAtShuffle:  s.OwedAtShuffle[:0], Prep: s.Prep, Curators: s.Curators[:0], Acts: s.Acts[:0],
		FaceUps: s.FaceUps[:0],
		Bids:    s.Bids[:0], Bank: s.Bank[:0], Order: s.Order[:0], OrderAt: s.OrderAt[:0],
	}
	s.Prep.reset()
}

// Batch is the batch of the shoe's cards, empty if it was not reported.
func (s *Shoe) Batch() string {
	if s.Loaded.Batch != "" || len(s.Prep.Shuffles) == 0 {
		return s.Loaded.Batch
	}
	return s.Prep.Shuffles[0].Batch
}

// CutcardRound is the round in which the cutting card appeared, 0 while it has not. A card that
// shows before the first card of a round belongs to that round.
func (s *Shoe) CutcardRound() uint32 {
	if len(s.Cutcard) == 0 {
		return 0
	}
	return s.Cutcard[0].Round
}

// Owed lists, by ascending seat, the marked vigorish that is still owed.
func (s *Shoe) Owed(into []SeatChange) []SeatChange {
	for i := range s.Dues {
		into = s.Dues[i].owes(into, s.Dues[i].Open())
	}
	return into
}

// OweLate adds to what was owed when the cards were shuffled again the vigorish of a round that was settled after it:
// what is still open, and what was marked before the shuffle and collected after it.
func (s *Shoe) OweLate(round uint32) {
	for i := range s.Dues {
		d := &s.Dues[i]
		open := d.Open()
		if d.MarkedAt < s.NextShuffled && d.CollectedAt > s.NextShuffled {
			open = d.Marked
		}
		if d.Round == round {
			s.OwedAtShuffle = d.owes(s.OwedAtShuffle, open)
		}
	}
}

// repay takes from what was owed when the cards were shuffled again what was collected before it, and entered later
// with a round that was settled after it.
func (s *Shoe) repay(seat uint32, amount int64) {
	for i := range s.OwedAtShuffle {
		if o := &s.OwedAtShuffle[i]; o.Seat == seat {
			o.Amount -= amount
		}
	}
}

// owes adds an amount that a wager owes to the sums by seat, ascending. A charge on a tie is not outstanding vigorish:
// it is collected before the next card, N.J.A.C. 19:47-7.3(d), and a mark of it defers it.
func (d *Due) owes(into []SeatChange, open int64) []SeatChange {
	if open == 0 || d.Tie && !d.Unproved {
		return into
	}
	at := 0
	for at < len(into) && into[at].Seat < d.Seat {
		at++
	}
	if at == len(into) || into[at].Seat != d.Seat {
		into = append(into, SeatChange{})
		copy(into[at+1:], into[at:])
		into[at] = SeatChange{Seat: d.Seat}
	}
	into[at].Amount += open
	into[at].Seq = max(into[at].Seq, d.MarkedAt)
	return into
}

// Marks are the events that evidence what a seat owes, or owed.
func (s *Shoe) Marks(seat uint32) []Seq {
	var seqs []Seq
	for i := range s.Dues {
		if d := &s.Dues[i]; d.Seat == seat && d.Marked > 0 && d.MarkedAt != 0 {
			seqs = append(seqs, d.MarkedAt)
		}
	}
	return seqs
}

// Enter takes a round that is settled into the shoe: its summary, and what its banker wagers owe on the
// coup on which it was settled. The law is nil for a ruleset that no rulebook has. A round that is recorded as void
// and was settled by its cards is entered with their result.
func (s *Shoe) Enter(l *law.Law, r *Round, settled *baccarat.Coup, byCards bool) {
	sum := s.summary(r, settled, byCards)
	s.Rounds = append(s.Rounds, sum)
	if r.Config == nil { // no kind of vigorish is known
		s.unexplainAll(r)
		return
	}
	s.Currencies = s.Currencies || s.Currency != "" && s.Currency != r.Config.Currency
	s.Currency = r.Config.Currency
	if r.Full != 0 {
		s.unexplainAll(r)
		return
	}
	if sum.Result == baccarat.Void {
		s.enterUndue(r)
		return
	}
	takes := l.Takes(r.Config, settled)
	takes.Won = takes.Won && settled.Result() == baccarat.BankerWon
	contradicted := r.Ended.Seq != 0 && r.Ended.Result != baccarat.NoResult && r.Ended.Result != settled.Result()
	unproved := !settled.Complete || r.Missing || contradicted
	if unproved {
		takes = l.TakesEver(r.Config) // the payments and returns decide
	}
	s.unexplainMarks(r)
	together := r.PaidTogether()
	for i := range r.Wagers {
		w := &r.Wagers[i]
		won, paid := w.Winnings(together)
		commission := takes.Won && (won > 0 || r.Marked(i))
		tie := takes.Tie > 0 && !commission && (!unproved || w.Returned.Times > 0)
		if w.Spot != baccarat.SpotBanker || w.Gone || (!commission && !tie) {
			continue
		}
		s.Dues = append(s.Dues, Due{
			Wager: w.ID, Seat: r.owedAt(i), Patron: w.Patron, Round: r.No, Stake: w.Amount, Won: won, Tie: tie,
			Percent: takes.Percent(r.Config), Kind: r.Config.ModeName,
			PaidAt: max(paid, w.Returned.Seq), Unproved: unproved || w.Astray != 0 || w.Early != 0,
		})
		s.enterCharges(l, r, i, !unproved && r.PaidNet(l, i, &takes))
	}
	s.enterUndue(r)
}

// summary is what later rounds need to know of a round that is settled.
func (s *Shoe) summary(r *Round, settled *baccarat.Coup, byCards bool) RoundSummary {
	sum := RoundSummary{
		No: r.No, First: r.Started, Card: r.FirstCard(), Ended: r.Ended.Seq, Result: r.Ended.Result, Missing: r.Missing,
		Curator: r.Curator, Complete: settled.Complete, Beyond: r.beyond(), DealtBy: r.dealtByAnother(),
	}
	if !r.Missing {
		sum.OtherBack = s.OtherBack(r)
	}
	if i := Index(r.Discards, func(d *Discarded) bool { return strings.EqualFold(d.Destination, "shoe") }); i >= 0 {
		sum.ToShoe = r.Discards[i].Seq
	}
	if c := r.CallOf(baccarat.NoMoreBets); c != nil {
		sum.NoBets = c.Seq
	}
	if i := Index(r.Calls, func(c *Call) bool { return c.Code.Declares() }); i >= 0 {
		sum.Called = r.Calls[i].Seq
	}
	if r.Voided.Seq != 0 {
		sum.Result, sum.Ended = baccarat.Void, max(sum.Ended, r.Voided.Seq)
	}
	if byCards {
		sum.Result = settled.Result()
	}
	return sum
}

// enterCharges finds what was marked and collected for the last due. A wager that was paid or returned net of it was
// charged; so was one of which a part was kept on a tie, if not by the right amount.
func (s *Shoe) enterCharges(l *law.Law, r *Round, wager int, net bool) {
	last := len(s.Dues) - 1
	d := &s.Dues[last]
	for i := range r.Steps {
		if t := &r.Steps[i]; t.Kind == StepVigMarked && t.Wager < 0 && t.Seat == d.Seat {
			d.Unnamed = t.Seq
		}
	}
	if s.chargeSteps(l, r, wager, d); net {
		d.AtOnce, d.CollectedAt = true, d.PaidAt
	}
	if d.Tie && d.CollectedAt == 0 && d.Marked == 0 && r.Wagers[wager].kept() {
		s.Dues = s.Dues[:last]
	}
}

// unexplainMarks notes the seats with a mark for a wager that is not on record, or of an amount that was not read.
func (s *Shoe) unexplainMarks(r *Round) {
	for i := range r.Steps {
		step := &r.Steps[i]
		if step.Kind == StepVigMarked && (step.Wager < 0 || r.UnreadVigorish(step.Seat) != 0) {
			s.Unexplained = append(s.Unexplained, step.Seat)
		}
	}
}

// Await notes a collection of outstanding vigorish that is entered after the round that comes next.
func (s *Shoe) Await(seat uint32, at Seq) {
	s.awaited = append(s.awaited, SeatChange{Seq: at, Seat: seat})
}

// Entered forgets the collections that were awaited.
func (s *Shoe) Entered() { s.awaited = nil }

// DealtBy is the seat that drew every card of the round as the curator, or as the Banker; 0 if none did.
func (r *Round) DealtBy() (seat uint32) {
	for i := range r.Cards {
		switch c := &r.Cards[i]; {
		case c.Carried:
		case c.ByRole != baccarat.RoleCurator && c.ByRole != baccarat.RoleBanker || seat != 0 && c.BySeat != seat:
			return 0
		default:
			seat = c.BySeat
		}
	}
	return seat
}

// dealtByAnother is DealtBy if it is not the seat that has the shoe, or the bank; 0 otherwise.
func (r *Round) dealtByAnother() uint32 {
	if seat := r.DealtBy(); seat != r.Curator {
		return seat
	}
	return 0
}

// beyond are the cards of the round that were put away without a burn.
func (r *Round) beyond() (cards []baccarat.Card) {
	for i := range r.Cards {
		if d := &r.Cards[i]; d.Fate == DiscardedCard || d.Fate == KeptOrDiscarded {
			cards = append(cards, d.Card)
		}
	}
	return cards
}

// kept reports whether a part of a wager that was settled was not given back.
func (w *Wager) kept() bool {
	n := w.Net()
	return n.Collected > 0 || n.Paid == 0 && w.Returned.Times > 0 && n.Returned < w.Amount
}

// enterUndue takes in the marks of a round for wagers that owe nothing.
func (s *Shoe) enterUndue(r *Round) {
	for i := range r.Steps {
		step := &r.Steps[i]
		if step.Kind != StepVigMarked || step.Wager < 0 || s.Lifted(r, step) != 0 {
			continue
		}
		id := r.Wagers[step.Wager].ID
		if !Any(s.Dues, func(d *Due) bool { return d.Wager == id }) {
			s.Undue = append(s.Undue, UndueMark{Wager: id, Seat: step.Seat, Amount: step.Amount})
		}
	}
}

// Unread is a collection of outstanding vigorish of a seat whose amount was not read, 0 for none.
func (s *Shoe) Unread(seat uint32) Seq {
	for i := range s.Collections {
		if c := &s.Collections[i]; c.Seat == seat && c.Amount == 0 {
			return c.Seq
		}
	}
	return 0
}

// PaidNet reports whether a banker wager was paid, or returned, less exactly the vigorish that it owes, of which no
// mark or collection is on record: the dealer may have kept it, "at the time the winning payout is made". N.J.A.C.
// 19:47-3.3(c), 7.3(c), (d).
func (r *Round) PaidNet(l *law.Law, wager int, takes *law.Takes) bool {
	w := &r.Wagers[wager]
	n := w.Net()
	won, back := w.Amount-n.Paid, w.Amount-n.Returned
	switch {
	case l == nil || w.Spot != baccarat.SpotBanker || w.Gone:
		return false
	case takes.Won && n.Paid > 0 && won > 0:
		if v, ok := l.Rate(r.Config.ModeName, takes.Percent(r.Config)); !ok || v.Judge(won, w.Amount) != baccarat.VigLegal {
			return false
		}
	case takes.Tie > 0 && n.Returned > 0 && back > 0:
		if low, high := law.TieCharge(takes.Tie, w.Amount); back < low || back > high {
			return false
		}
	default:
		return false
	}
	return !Any(r.Steps, func(t *Step) bool {
		return t.Kind == StepVigMarked && t.Wager == wager || t.Kind > StepVigMarked && t.Covers(r, wager)
	})
}

// marker is the steps of the marker that a mark is of. A marker may be of several wagers, and is a step for each.
func (r *Round) marker(mark *Step) []Step {
	compare := func(s Step, seq Seq) int { return cmp.Compare(s.Seq, seq) }
	from, _ := slices.BinarySearchFunc(r.Steps, mark.Seq, compare)
	until, _ := slices.BinarySearchFunc(r.Steps, mark.Seq+1, compare)
	return r.Steps[from:until]
}

// Marker is the amount of the marker that a mark is of.
func (r *Round) Marker(mark *Step) (amount int64) {
	steps := r.marker(mark)
	for i := range steps {
		amount = baccarat.Add(amount, steps[i].Amount)
	}
	return amount
}

// MarkedWith are the wagers that the markers of a wager are of, with the wager itself; nil without a marker.
func (r *Round) MarkedWith(wager int) (wagers []int) {
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Kind == StepVigMarked && s.Wager == wager {
			for _, part := range r.marker(s) {
				wagers = append(wagers, part.Wager)
			}
		}
	}
	return wagers
}

// Marked reports whether the vigorish of a wager was marked in the round.
func (r *Round) Marked(wager int) bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Kind == StepVigMarked && s.Wager == wager })
}

// Charged reports whether vigorish of a wager was marked or collected in the round.
func (r *Round) Charged(wager int) bool {
	return Any(r.Steps, func(s *Step) bool {
		return s.Kind == StepVigMarked && s.Wager == wager || s.Kind > StepVigMarked && s.Covers(r, wager)
	})
}

// chargeSteps finds the marks and collections of a wager within its round.
func (s *Shoe) chargeSteps(l *law.Law, r *Round, wager int, d *Due) {
	for i := range r.Steps {
		step := &r.Steps[i]
		switch step.Kind {
		case StepVigMarked:
			undue := UndueMark{Wager: d.Wager, Seat: step.Seat, Amount: step.Amount}
			switch {
			case step.Wager != wager:
			case s.TakenOff(r, step, d.Percent):
				d.TakenOff += step.Amount
			case !d.Tie && s.Repeats(r, step, d.Percent):
				if d.roundedBy(l, step.Amount) {
					s.Undue = append(s.Undue, undue)
				}
			case d.charged():
				s.Undue = append(s.Undue, undue)
			default:
				d.Marked = baccarat.Add(d.Marked, step.Amount)
				d.MarkedAt = step.Seq
			}
		case StepVigCollected, StepTieCharge:
			if step.Covers(r, wager) {
				d.AtOnce, d.CollectedAt = true, step.Seq
				if d.Marked > 0 {
					d.payMark(s.ofMark(l, r, d, wager, step), step.Seq)
				}
				if step.first(r) == wager {
					d.Cash += step.Amount
				}
				d.Took = baccarat.Add(d.Took, step.share(&r.Wagers[wager], step.covered(r, wager), false))
			}
		}
	}
}

// roundedBy reports whether another coin makes the vigorish that is marked the rounded one: it may be no repetition.
func (d *Due) roundedBy(l *law.Law, amount int64) bool {
	if l == nil {
		return false
	}
	v, ok := l.Rate(d.Kind, d.Percent)
	return ok && v.Judge(baccarat.Add(d.Marked, amount), d.Won) == baccarat.VigLegal
}

// charged reports whether the whole vigorish was collected with the payment, for the wager alone: a marker that follows
// is too much, and evidences nothing that is owed.
func (d *Due) charged() bool {
	return !d.Tie && d.Marked == 0 && d.Took > 0 && baccarat.ComparePercent(d.Took, d.Percent, d.Won) >= 0
}

// Repeats reports whether a mark may be an earlier one that was published again: the same marker of the whole charge at
// the same place, and none was taken off between.
func (s *Shoe) Repeats(r *Round, mark *Step, percent int64) bool {
	if mark.Wager < 0 {
		return false
	}
	w := &r.Wagers[mark.Wager] // it may not be paid in full yet
	if (baccarat.Odds{To: percent, For: 100}).Compare(mark.Amount, max(w.Net().Paid, w.Amount)) < 0 {
		return false
	}
	return Any(r.Steps, func(o *Step) bool {
		if o.Seq >= mark.Seq || o.Kind != StepVigMarked || o.Wager != mark.Wager || o.Amount != mark.Amount ||
			o.Marker != mark.Marker || o.Area != mark.Area {
			return false
		}
		off := s.Lifted(r, o)
		return off == 0 || off > mark.Seq
	})
}

// TakenOff reports whether the marker of a mark was taken off again, and another one took its place in the round, or
// the other marks and collections of the wager are the whole charge: a mistake that was put right. A marker of what is
// owed stays until it is paid, so that a collection after it counts if it is of another amount.
func (s *Shoe) TakenOff(r *Round, mark *Step, percent int64) bool {
	off := s.Lifted(r, mark)
	if mark.Wager < 0 || off == 0 {
		return false
	}
	var before, after int64
	atSeat := int64(-1) // the wagers that a collection at the seat covers which names none
	for i := range r.Steps {
		t := &r.Steps[i]
		marked := t.Kind == StepVigMarked && t.Wager == mark.Wager
		collected := t.Kind > StepVigMarked && t.Covers(r, mark.Wager)
		switch {
		case marked && t.Seq > off:
			return true
		case t.Seq == mark.Seq:
		case collected && t.Seq > off:
			if len(t.Wagers) > 0 {
				after = baccarat.Add(after, t.share(&r.Wagers[mark.Wager], t.covered(r, mark.Wager), true))
				continue
			}
			if atSeat < 0 {
				atSeat = t.covered(r, mark.Wager)
			}
			after = baccarat.Add(after, t.share(&r.Wagers[mark.Wager], atSeat, true))
		case marked || collected:
			before = baccarat.Add(before, t.Amount)
		}
	}
	if after == mark.Amount {
		after = 0
	}
	return before+after > 0 &&
		baccarat.ComparePercent(baccarat.Add(before, after), percent, r.Wagers[mark.Wager].Net().Paid) >= 0
}

// covered is the sum of the wagers that a collection covers on the spot of one of them.
func (t *Step) covered(r *Round, wager int) (total int64) {
	for i := range r.Wagers {
		if o := &r.Wagers[i]; o.Spot == r.Wagers[wager].Spot && t.Covers(r, i) {
			total = baccarat.Add(total, o.Amount)
		}
	}
	return total
}

// share is the part of a collection that is of a wager, in the proportion of the wagers of its spot that it covers, a
// fraction carried up or dropped.
func (t *Step) share(w *Wager, total int64, up bool) int64 {
	if total <= w.Amount || w.Amount <= 0 {
		return t.Amount
	}
	hi, lo := bits.Mul64(uint64(t.Amount), uint64(w.Amount))
	q, rest := bits.Div64(hi, lo, uint64(total)) // hi is less than total, since the wager is
	if rest > 0 && up {
		q++
	}
	return int64(q)
}

// Lifted is the event that took the marker of a mark off again before anything outstanding was collected from the seat,
// 0 if none did. Of several markers of one amount at a seat the latest goes first.
func (s *Shoe) Lifted(r *Round, mark *Step) Seq {
	i := Index(s.MarkersRemoved, func(m *SeatChange) bool {
		return m.Seq >= mark.Seq && m.Seat == mark.Seat && m.Amount == r.Marker(mark) && mark.Amount != 0
	})
	if i < 0 {
		return 0
	}
	m := &s.MarkersRemoved[i] // what lies before it lies before each later one as well
	paid := func(seq Seq, seat uint32) bool { return seat == m.Seat && seq > mark.Seq && seq < m.Seq }
	from, _ := slices.BinarySearchFunc(r.Steps, mark.Seq+1, func(t Step, seq Seq) int { return cmp.Compare(t.Seq, seq) })
	for k := from; k < len(r.Steps) && r.Steps[k].Seq < m.Seq; k++ {
		if t := &r.Steps[k]; t.Kind == StepVigMarked && t.Seat == m.Seat && r.Marker(t) == m.Amount {
			return 0
		}
	}
	if Any(s.Collections, func(c *Collection) bool { return paid(c.Seq, c.Seat) }) ||
		Any(s.awaited, func(c *SeatChange) bool { return paid(c.Seq, c.Seat) }) {
		return 0
	}
	return m.Seq
}

// Parts reports whether a mark and a collection after it are two parts of a vigorish, and not the collection of what
// was marked: each is too little, they differ, and their sum is nearer to what is due than the collection.
func Parts(marked, took, percent, won int64) bool {
	short := func(amount int64) bool { return baccarat.ComparePercent(amount, percent, won) < 0 }
	return marked > 0 && marked != took && short(marked) && short(took) &&
		baccarat.ComparePercent(baccarat.Add(marked, baccarat.Add(took, took)), 2*percent, won) < 0
}

// Covers reports whether a collection of the round takes the vigorish of a wager: by name, or by seat
// when it names none. A wager that was withdrawn owes nothing by its seat.
func (t *Step) Covers(r *Round, wager int) bool {
	if slices.Contains(t.Wagers, wager) {
		return true
	}
	w := &r.Wagers[wager]
	return len(t.Wagers) == 0 && t.Seat == w.Seat && w.Spot == baccarat.SpotBanker && !w.Gone
}

// first is the first wager that a collection of the round covers.
func (t *Step) first(r *Round) int {
	for i := range r.Wagers {
		if t.Covers(r, i) {
			return i
		}
	}
	return -1
}

// Replace notes a marker that took the place of earlier ones of a wager that is settled, and by how much it has more,
// or less if that is negative. What it has beyond what was marked is no debt.
func (d *Due) Replace(more int64, at Seq) {
	before := max(d.Short, 0)
	d.Short, d.ShortAt = d.Short-more, at
	d.Marked, d.MarkedAt = max(baccarat.Add(d.Marked, before-max(d.Short, 0)), 1), at // it stays marked
}

// PutBack takes off a marker of a seat that took the place of earlier ones with a wrong amount, after the round was
// settled. It returns what these had, 0 if no such marker has the amount.
func (s *Shoe) PutBack(seat uint32, amount int64, at Seq) (had int64) {
	all := int64(0)
	for i := range s.Dues {
		if d := &s.Dues[i]; d.Seat == seat {
			all = baccarat.Add(all, d.Open()+max(d.Short, 0))
		}
	}
	for i := range slices.Backward(s.Dues) {
		d := &s.Dues[i]
		had = amount + d.Short
		if d.Seat == seat && d.Short != 0 && (had == d.Marked+max(d.Short, 0) || had == all) {
			d.Replace(d.Short, at)
			return had
		}
	}
	return 0
}

// Mark notes a marker that came after the round was settled.
func (s *Shoe) Mark(wager string, amount int64, at Seq) {
	for i := range s.Dues {
		if d := &s.Dues[i]; d.Wager == wager {
			d.LateMark = d.Marked == 0
			d.Marked = baccarat.Add(d.Marked, amount)
			d.MarkedAt = at
			return
		}
	}
}

// Collect takes outstanding vigorish of a seat: of the wagers named, or of the oldest marks when
// none is named that owes it: the amount shows which markers it pays. What exceeds the marks is the rounding of a sum.
func (s *Shoe) Collect(l *law.Law, seat uint32, amount int64, wagers []string, at Seq) {
	s.Collections = slices.Grow(s.Collections, 1)[:len(s.Collections)+1]
	c := &s.Collections[len(s.Collections)-1] // with the storage of an earlier shoe
	*c = Collection{
		Seq: at, Seat: seat, Amount: amount, Named: len(wagers) > 0, Unmarked: c.Unmarked[:0], Whole: c.Whole[:0],
		Rates: c.Rates[:0],
	}
	if c.Named && !s.knows(wagers) {
		wagers, c.Named = nil, false
	}
	left := amount
	last := -1
	var short []int // the dues of which a charge was too little
	// What names wagers of another seat alone was paid there: the patron has moved, or another one paid.
	there := c.Named && !Any(s.Dues, func(d *Due) bool { return d.Seat == seat && slices.Contains(wagers, d.Wager) })
	markers := s.markersOf(wagers)
	patron := s.patronOwing(c)
	isNamed := func(d *Due) bool { return slices.Contains(wagers, d.Wager) || slices.Contains(markers, d.MarkedAt) }
	from, until := s.alsoPaid(seat, amount, wagers, isNamed)
	owed := s.alsoOwed(l, seat, amount, isNamed)
	for i := range s.Dues {
		d := &s.Dues[i]
		also := i >= from && i < until && d.Open() > 0 || owed(d)
		if d.Seat != seat && !there && (patron == "" || d.Patron != patron) || c.Named && !isNamed(d) && !also {
			continue
		}
		if c.Named && d.Marked == 0 && d.CollectedAt == d.PaidAt { // not kept with the payment: see PaidNet
			d.AtOnce, d.CollectedAt = false, 0
		}
		if c.Percent, c.Kind = d.Percent, d.Kind; d.Marked == 0 && d.CollectedAt == 0 && !d.Tie && !d.Unproved {
			c.Unmarked, c.Rates = append(c.Unmarked, d.Won), append(c.Rates, d.Percent)
		}
		open := d.Open()
		if _, lacks := d.Lacks(l); lacks > 0 {
			c.Rest, short = baccarat.Add(c.Rest, lacks), append(short, i)
		}
		if !c.Named && open == 0 {
			continue
		}
		if d.Tie && d.Marked == 0 && d.CollectedAt == 0 {
			c.Ties += d.Stake
		}
		c.Open += open
		if open > 0 && open == d.Marked && !d.Tie && !d.Unproved {
			c.Whole = append(c.Whole, Mark{d.Won, d.Marked, d.Percent})
		}
		take := min(open, left)
		d.Collected += take
		left -= take
		d.CollectedAt = at
		last = i
		if at < s.NextShuffled && d.Round != s.Rounds[len(s.Rounds)-1].No {
			s.repay(d.Seat, take)
		}
	}
	left = s.collectUndue(c, wagers, left)
	left = s.collectRest(l, short, left)
	if !c.Named && left > 0 {
		left = s.collectUnmarked(seat, left, at)
		left = s.collectTies(c, left)
	}
	if last >= 0 && left > 0 {
		s.Dues[last].Cash = s.Dues[last].Collected + left
	}
}

// patronOwing is the patron who owes at the seat of a collection and others together what it takes, if it names no
// wager. It is empty if there is none.
func (s *Shoe) patronOwing(c *Collection) (patron string) {
	for i := range s.Dues {
		switch d := &s.Dues[i]; {
		case c.Named || d.Seat != c.Seat:
		case d.Patron == "" || patron != "" && d.Patron != patron:
			return ""
		default:
			patron = d.Patron
		}
	}
	var here, all int64
	for i := range s.Dues {
		if d := &s.Dues[i]; patron != "" && d.Patron == patron {
			if all = baccarat.Add(all, d.Open()); d.Seat == c.Seat {
				here = baccarat.Add(here, d.Open())
			}
		}
	}
	if all != c.Amount || here == all {
		return ""
	}
	return patron
}

// collectRest takes what exceeds the marks for charges that were too little.
func (s *Shoe) collectRest(l *law.Law, short []int, left int64) int64 {
	for _, i := range short {
		d := &s.Dues[i]
		_, lacks := d.Lacks(l)
		take := min(lacks, left)
		d.Rest, d.Cash, left = d.Rest+take, max(d.Cash, d.Collected)+take, left-take
	}
	return left
}

// knows reports whether one of some wagers owes vigorish, or has a mark.
func (s *Shoe) knows(wagers []string) bool {
	return Any(s.Dues, func(d *Due) bool { return slices.Contains(wagers, d.Wager) }) ||
		Any(s.Undue, func(u *UndueMark) bool { return slices.Contains(wagers, u.Wager) })
}

// Lacks is the range of what a seat still owes of vigorish that was too little: taken with the payment without a mark,
// or marked, and the mark was collected. The round reports that it was.
func (d *Due) Lacks(l *law.Law) (low, high int64) {
	taken := d.Took
	if d.Marked > 0 && d.Took == 0 && d.Open() == 0 {
		taken = d.Marked
	}
	if l == nil || d.Unproved || taken == 0 || d.Open() > 0 || d.Marked > 0 && d.Took > 0 {
		return 0, 0
	}
	taken = baccarat.Add(taken, d.Rest)
	low, high = law.TieCharge(l.TiePercent(d.Kind), d.Stake)
	if !d.Tie {
		v, ok := l.Rate(d.Kind, d.Percent)
		if low, high = v.Low(d.Won), v.Up(d.Won); !ok {
			return 0, 0
		}
	}
	if taken >= low {
		return 0, 0
	}
	return low - taken, high - taken
}

// alsoPaid is the range of the dues that a collection takes beside those that it names, empty if it takes none: of the
// seat, one after another, with marks that come to exactly what exceeds those named. The markers of a seat lie in one
// rectangle, and the money decides. Marks of the wagers named for which nothing is owed go before others.
func (s *Shoe) alsoPaid(seat uint32, amount int64, wagers []string, named func(*Due) bool) (from, until int) {
	rest := amount
	for i := range s.Dues {
		if d := &s.Dues[i]; d.Seat == seat && named(d) {
			rest -= d.Open()
		}
	}
	undue := int64(0)
	for i := range s.Undue {
		if u := &s.Undue[i]; u.Seat == seat && slices.Contains(wagers, u.Wager) {
			undue += u.Amount - u.Collected
		}
	}
	if rest <= undue || rest == amount {
		return 0, 0
	}
	other := func(d *Due) int64 {
		if d.Seat != seat || named(d) {
			return 0
		}
		return d.Open()
	}
	sum := int64(0)
	for i := range s.Dues {
		for sum = baccarat.Add(sum, other(&s.Dues[i])); sum > rest; from++ {
			sum -= other(&s.Dues[from])
		}
		if sum == rest {
			return from, i + 1
		}
	}
	return 0, 0
}

// alsoOwed reports which wagers of a seat without a mark or a collection a collection takes beside those that it names.
// It names a wager of their round with a marker that is wrong for that wager alone: the marker was of all of the
// player, if the amount is at least what is owed for all of them.
func (s *Shoe) alsoOwed(l *law.Law, seat uint32, amount int64, named func(*Due) bool) func(*Due) bool {
	none := func(*Due) bool { return false }
	if l == nil {
		return none
	}
	least := func(d *Due) (low int64, legal bool) {
		v, ok := l.Rate(d.Kind, d.Percent)
		return v.Low(d.Won), !ok || v.Judge(d.Marked, d.Won) == baccarat.VigLegal
	}
	var rounds []uint32
	for i := range s.Dues {
		if d := &s.Dues[i]; d.Seat == seat && named(d) && !d.Tie && !d.Unproved && d.Open() > 0 {
			low, legal := least(d)
			if !legal {
				rounds = append(rounds, d.Round)
				amount -= low
				continue
			}
			amount -= d.Open()
		}
	}
	beside := func(d *Due) bool {
		return d.Seat == seat && slices.Contains(rounds, d.Round) && !d.Tie && !d.Unproved &&
			d.MarkedAt == 0 && d.CollectedAt == 0
	}
	for i := range s.Dues {
		if d := &s.Dues[i]; beside(d) {
			low, _ := least(d)
			amount -= low
		}
	}
	if amount < 0 {
		return none
	}
	return beside
}

// markersOf are the markers of the wagers that are named. A marker may be of several wagers, and name one.
func (s *Shoe) markersOf(wagers []string) (markers []Seq) {
	for i := range s.Dues {
		if d := &s.Dues[i]; d.MarkedAt != 0 && slices.Contains(wagers, d.Wager) {
			markers = append(markers, d.MarkedAt)
		}
	}
	return markers
}

// PaidFor is the seat for whose vigorish a collection was made: another one than its own if it names wagers of that
// seat alone.
func (s *Shoe) PaidFor(c *Collection) uint32 {
	seat := c.Seat
	for i := range s.Dues {
		switch d := &s.Dues[i]; {
		case !c.Named || d.CollectedAt != c.Seq || d.AtOnce && d.Marked == 0: // charged in its round
		case d.Seat == c.Seat:
			return c.Seat
		case seat == c.Seat:
			seat = d.Seat
		}
	}
	return seat
}

// collectUnmarked takes what exceeds the marks of a seat for its wagers that were never marked, as far as it suffices
// for their percentage.
func (s *Shoe) collectUnmarked(seat uint32, left int64, at Seq) int64 {
	for i := range s.Dues {
		d := &s.Dues[i]
		won := d.Won
		if d.Kind == "" && d.Stake > 0 { // it may have been paid too much by mistake
			won = min(won, d.Stake)
		}
		if d.Seat == seat && d.Marked == 0 && d.CollectedAt == 0 && !d.Tie &&
			baccarat.ComparePercent(left, d.Percent, won) >= 0 {
			take, _ := (baccarat.Vig{Percent: d.Percent, CeilMinor: true}).Exact(won)
			d.CollectedAt, d.Cash = at, take
			left -= take
		}
	}
	return left
}

// collectUndue takes what exceeds the marks of what is owed for the marks of the seat for which nothing was owed.
func (s *Shoe) collectUndue(c *Collection, wagers []string, left int64) int64 {
	for i := range s.Undue {
		u := &s.Undue[i]
		if u.Seat == c.Seat && (!c.Named || slices.Contains(wagers, u.Wager)) {
			take := min(u.Amount-u.Collected, left)
			c.Undue += u.Amount - u.Collected
			u.Collected += take
			left -= take
		}
	}
	return left
}

// collectTies takes what exceeds the marks of a seat for its tie charges that were neither collected nor marked.
func (s *Shoe) collectTies(c *Collection, left int64) int64 {
	for i := range s.Dues {
		d := &s.Dues[i]
		if d.Seat == c.Seat && d.Tie && d.Marked == 0 && d.CollectedAt == 0 && left > 0 {
			c.Ties += d.Stake
			d.CollectedAt, d.Cash, left = c.Seq, left, 0
		}
	}
	return left
}

// CollectTie notes tie charges that were collected after the next round's first card: of the wagers named, or of the
// seat's that are still unpaid when none is. It returns the amount if all of them were paid before.
func (s *Shoe) CollectTie(seat uint32, amount int64, wagers []string, at Seq) (excess int64) {
	for i := range s.Dues {
		d := &s.Dues[i]
		named := slices.Contains(wagers, d.Wager) || (len(wagers) == 0 && d.Seat == seat)
		if named && d.CollectedAt == 0 {
			// After the end of the shoe no card of it follows its last round.
			d.AtOnce = d.AtOnce || s.Ended.Seq != 0 && s.NextCard == 0 && d.Round == s.Rounds[len(s.Rounds)-1].No
			d.Collected, d.CollectedAt = d.Marked, at
			d.Cash, amount = d.Cash+amount, 0
		}
	}
	return amount
}
