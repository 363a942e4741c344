package play

import (
	"slices"
	"strconv"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// Table is the play at one table. Others read it; only its methods change it.
type Table struct {
	Property, ID string
	TableState
	// Law is the law in force, nil if no rulebook has it. The configuration is in Config.
	Law *law.Law
	// Shoe is the present shoe, Prev the one before while its ledger is open. Both may be nil.
	Shoe, Prev *Shoe
	// Sets has the rules of the laws. The tables of an engine share it.
	Sets rules.Sets
	// TimeOf is the event time of an event in ns UTC, 0 if it is not known.
	TimeOf func(seq uint64) int64

	now    *schema.Event // while it is folded
	books  law.Books
	spare  []*Shoe
	rounds []*record.Round // spare
}

// TableState is what a table carries from one shoe to the next.
type TableState struct {
	Pit    string
	IsOpen bool
	// Joined is true if the record of the table does not begin with its first event, Incomplete if an event was lost.
	Joined, Incomplete bool
	Gaps               Gaps
	LawName            string
	// Config is in force, ConfigAt the event that brought it.
	Config   *law.Config
	ConfigAt record.Seq
	// Queue are the configurations that come into force later, the next one first.
	Queue []Queued
	// History is what rules see of the table.
	History record.Table
	// Kept are the ids of events before the present shoe that findings may name.
	Kept   map[uint64]string
	Dealer string
	// Calling is the dealer who calls the game, Floor the floorperson, as far as they were assigned.
	Calling, Floor string
	// Curator is the seat of the curator, or of the Banker; 0 if none. DealtBy is the seat that drew the last card.
	// Released means that the curator passed the shoe and that it was not assigned again.
	Curator, DealtBy uint32
	Released         bool
	Last             LastShoe
	// Left is the seat of the curator, or of the Banker, after its patron left it; zero at any other time.
	Left Leaving
	// Closing is the closing of the table, while money is due of its last round. It is zero at any other time.
	Closing Closing
	// Late is the latest round that began again, or in a shoe that was gone.
	Late LateRound
	// Stray is the unknown shoe that an event of the shoe in play named, StrayRound the round that one named too early.
	Stray      string
	StrayRound uint32
	// Named is the unknown shoe that an event named last, NamedRound the round, 0 if none: if that shoe begins, the event
	// may be of it.
	Named      string `cbor:",omitempty"`
	NamedRound uint32 `cbor:",omitempty"`
	// Before is what was known when the numbers began again, until the table closes; nil if it was closed.
	Before *Before `cbor:",omitempty"`
	// Behind is the event time from which the clock of the table went back, 0 once it is reached again. Waits means that
	// the elections are open only because a configuration waits for its time by that clock.
	Behind int64 `cbor:",omitempty"`
	Waits  bool  `cbor:",omitempty"`
	// Early are shuffles of shoes that have not begun.
	Early   []EarlyShuffle
	Patrons map[uint32]string
	// Used are the ids of the shoes, and "" where the numbers began again.
	Used []string
}

// Leaving is when and by whom the seat of the curator, or of the Banker, was left, and who sits there since.
type Leaving struct {
	Patron string
	record.Replaced
}

// Closing is when a table closed.
type Closing struct {
	Seq record.Seq
	At  int64
}

// Before is what a table in play knew when its numbers began again. A system that starts again publishes the opening of
// the table again, as it was or as it is now. It proves who sits there and what is in force only where it agrees with
// what was known.
type Before struct {
	// Law is the law in force. Terms are those of the configuration, empty if others had been announced. Both are empty
	// if events were lost since.
	Law, Terms string
	// Seated reports whether the occupied seats were known.
	Seated   bool
	Occupied []uint32
}

// LateRound is a round that began again, or after its shoe was closed: nothing of it is judged, which is reported once.
type LateRound struct {
	Shoe  string
	Round uint32
}

// New is a table without events.
func New(property, id string, books law.Books) *Table {
	unknown := func(uint64) int64 { return 0 }
	return &Table{Property: property, ID: id, books: books, Sets: rules.Sets{}, TimeOf: unknown, TableState: TableState{
		Kept: map[uint64]string{}, Patrons: map[uint32]string{},
		History: record.Table{Attested: map[string]record.Attested{}},
	}}
}

// Shoes are the shoes that are open, the older one first.
func (t *Table) Shoes() []*Shoe {
	return slices.DeleteFunc([]*Shoe{t.Prev, t.Shoe}, func(s *Shoe) bool { return s == nil || s.Closed })
}

// Unsettled are the rounds with cards or wagers of the shoe that are not settled, the older one first.
func (s *Shoe) Unsettled() []*record.Round {
	return slices.DeleteFunc([]*record.Round{s.Settling, s.Round}, func(r *record.Round) bool {
		return r == nil || len(r.Cards) == 0 && len(r.Wagers) == 0
	})
}

// View sets what rules see in a pass: a round of a shoe, or the shoe if r is nil. It is false if no law or
// configuration is known: then nothing can be audited.
func (t *Table) View(p *rules.Pass, s *Shoe, r *record.Round) bool {
	if !s.Auditable(r) {
		return false
	}
	config := s.Config
	if r != nil && r.Config != nil {
		config = r.Config
	}
	if l := s.LawOf(r); p.Law == nil || p.Law.Law != l {
		p.Law = t.Sets.Of(l)
	}
	p.Config, p.Shoe, p.Round, p.Table = config, &s.Shoe, r, &t.History
	return true
}

// enforce sets what is in force at the table.
func (t *Table) enforce(l *law.Law, config *law.Config, at record.Seq) {
	t.Law, t.LawName, t.Config, t.ConfigAt = l, nameOf(l), config, at
}

// nameOf is a law in a snapshot: its rulebook and game.
func nameOf(l *law.Law) string {
	if l == nil {
		return ""
	}
	return l.Book.Name + "/" + strconv.Itoa(int(l.Game))
}

// keep keeps the id of an event that findings of later shoes may name.
func (t *Table) keep(ev *schema.Event) {
	if len(t.Kept) > 1024 {
		oldest := ev.Seq
		for seq := range t.Kept {
			oldest = min(oldest, seq)
		}
		delete(t.Kept, oldest)
	}
	t.Kept[ev.Seq] = string([]byte(ev.EventID))
}

// owing is the shoe whose ledger an outstanding step of a seat is about: the one before, if the seat owes there and not
// here.
func (t *Table) owing(s *Shoe, seat uint32) *Shoe {
	owes := func(s *Shoe) bool {
		return record.Any(s.Dues, func(d *record.Due) bool { return d.Seat == seat })
	}
	if s == t.Shoe && t.Prev != nil && owes(t.Prev) && !owes(s) {
		return t.Prev
	}
	return s
}

// meant are the wagers of a collection. A collection may name none, and come to what is owed at its seat and at a seat
// that was vacated, or to the first marks there: then it has the wagers of both. No clause states at which seat a
// patron who moves pays. The patron may have moved more than once, and owed nothing at the new seat before.
// N.J.A.C. 19:47-3.3(c), 7.3(c).
func (t *Table) meant(s *Shoe, seat uint32, amount int64, named []string) []string {
	if len(named) > 0 || s.Law == nil || !t.seated(seat) {
		return named
	}
	here := func(d *record.Due) bool { return d.Seat == seat }
	_, owed, paid := s.marksPaid(amount, 0, here)
	if paid {
		return nil
	}
	first := record.Index(s.Dues, here)
	before := func(d *record.Due) bool { return !t.seated(d.Seat) && (first < 0 || d.Round < s.Dues[first].Round) }
	with := func(left func(*record.Due) bool) (wagers []string) {
		if end, _, paid := s.marksPaid(amount, owed, left); paid {
			return append(s.marked(len(s.Dues), here), s.marked(end, left)...)
		}
		return nil
	}
	var left []uint32
	var both []string
	for i := range s.Dues {
		d := &s.Dues[i]
		if d.Open() == 0 || slices.Contains(left, d.Seat) || !before(d) {
			continue
		}
		left = append(left, d.Seat)
		wagers := with(func(o *record.Due) bool { return o.Seat == d.Seat && before(o) })
		if wagers != nil && both != nil {
			return nil // it is not known which of them
		}
		both = slices.Concat(both, wagers)
	}
	if both != nil {
		return both
	}
	return with(before)
}

// marksPaid adds open marks to a sum, one after the other, until an amount is the sum, or the sum rounded. It returns
// the number of dues up to that mark; paid is false if no sum is the amount.
func (s *Shoe) marksPaid(amount, sum int64, of func(*record.Due) bool) (dues int, all int64, paid bool) {
	for i := range s.Dues {
		d := &s.Dues[i]
		if d.Open() == 0 || !of(d) {
			continue
		}
		sum = baccarat.Add(sum, d.Open())
		if v, _ := s.Law.Rate(d.Kind, d.Percent); amount == sum || amount == v.RoundUp(sum) {
			return i + 1, sum, true
		}
	}
	return len(s.Dues), sum, false
}

// marked are the wagers with open marks of the first dues.
func (s *Shoe) marked(dues int, of func(*record.Due) bool) (wagers []string) {
	for i := range s.Dues[:dues] {
		if d := &s.Dues[i]; d.Open() != 0 && of(d) {
			wagers = append(wagers, d.Wager)
		}
	}
	return wagers
}

// seated reports whether a seat is reported as occupied.
func (t *Table) seated(seat uint32) bool {
	_, found := slices.BinarySearch(t.History.Occupied, seat)
	return found
}

// Shoe is a shoe while it is prepared and played.
type Shoe struct {
	ShoeState
	Law *law.Law
}

// ShoeState is the record of a shoe with what the fold needs beside it.
type ShoeState struct {
	record.Shoe `cbor:"Shoe"`
	// Name is the producer's shoe id; ID differs if the producer used one twice.
	Name    string
	LawName string
	Config  *law.Config
	Pit     string
	// EndedAt is the event time of its recorded end, 0 if there was none.
	EndedAt int64
	Gaps    ShoeGaps

	// Round is the round in progress. Settling is the one before, until the next first card.
	Round, Settling *record.Round
	Progress        Progress
	// Later are collections of outstanding vigorish that wait for their round to be settled.
	Later []LateCollection

	Prepared, Closed bool
	// NumberedOut is how many cards had left the shoe with the card numbered last. AwaitsNumber: Settling lacks a card
	// that is due; the number of the next card shows whether it was dealt.
	NumberedOut  uint32
	AwaitsNumber bool
	// Carried is the number of a card kept for the next round, 0 if none.
	Carried uint32
	// CarriedDue means that it was due in its hand.
	CarriedDue bool `cbor:",omitempty"`
	// Kept is the last card that was kept, as it was drawn, once its round is settled.
	Kept *KeptCard `cbor:",omitempty"`
	// VoidedAt is the event that voided the last round for want of cards, 0 if it was not.
	VoidedAt record.Seq
}

// KeptCard is a card that was kept for a later round. Misread means that its reading is suspected, so that it counts as
// no card.
type KeptCard struct {
	Number  uint32
	Card    baccarat.Card
	Misread bool
}

// keptOf is a card of a round as it was drawn there, nil if the round does not have it.
func keptOf(r *record.Round, card uint32) *KeptCard {
	at := record.Index(r.Cards, func(d *record.DealtCard) bool { return d.CardSeq == card })
	if at < 0 {
		return nil
	}
	misread := record.Any(r.Misreads[:], func(m *record.Misread) bool { return m.Card == at+1 })
	return &KeptCard{Number: card, Card: r.Cards[at].Card, Misread: misread}
}

// Progress is which stages the round in progress has reached.
type Progress struct{ Betting, Dealt bool }

// LateCollection is a collection of outstanding vigorish.
type LateCollection struct {
	Seat   uint32
	Amount int64
	Wagers []string
	Seq    record.Seq
}

// Auditable is true if the law and the configuration of a round are known, or of the shoe if r is nil.
func (s *Shoe) Auditable(r *record.Round) bool {
	return s.Law != nil && (s.Config != nil || r != nil && r.Config != nil)
}

// LawOf is the law of a round, or of the shoe if r is nil. The game may have changed since the shoe was prepared.
func (s *Shoe) LawOf(r *record.Round) *law.Law {
	if s.Law != nil && r != nil && r.Config != nil && r.Config.Game != s.Law.Game && r.Config.Ruleset == s.Law.Book.Name {
		if l, ok := s.Law.Book.Law(r.Config.Game); ok {
			return l
		}
	}
	return s.Law
}

// Live is the open round of this number, nil if it is not open.
func (s *Shoe) Live(no uint32) *record.Round {
	for _, r := range [2]*record.Round{s.Round, s.Settling} {
		if r != nil && no != 0 && r.No == no {
			return r
		}
	}
	return nil
}

func (s *Shoe) reset() {
	s.Shoe.Reset()
	*s = Shoe{ShoeState: ShoeState{Shoe: s.Shoe, Later: s.Later[:0]}}
}

// enforce puts the shoe under what is in force at its table.
func (s *Shoe) enforce(t *Table) {
	s.Law, s.LawName, s.Config, s.ConfigAt = t.Law, t.LawName, t.Config, t.ConfigAt
}

// left is how many cards the shoe still has, by its decks.
func (s *Shoe) left() int { return max(int(52*s.Loaded.Decks)-int(s.Out), 0) }

// comingRound is the round that an event between rounds is about: the one in progress, or the next.
func (s *Shoe) comingRound(round uint32) uint32 {
	switch {
	case round != 0:
		return round
	case s.Round != nil && s.Round.Ended.Seq == 0 && s.Round.Voided.Seq == 0:
		return s.Round.No
	case s.Round != nil:
		return s.Round.No + 1
	case len(s.Rounds) > 0:
		return s.Rounds[len(s.Rounds)-1].No + 1
	}
	return 1
}

// before is the highest known number of a round below another, 0 if there is none: a number may be left out.
func (s *Shoe) before(no uint32) (before uint32) {
	for _, r := range [2]*record.Round{s.Settling, s.Round} {
		if r != nil && r.No < no {
			before = max(before, r.No)
		}
	}
	for i := range s.Rounds {
		if n := s.Rounds[i].No; n < no {
			before = max(before, n)
		}
	}
	return before
}

// number gives what came after the round before, and before the first event of a round, the number of the round.
func (s *Shoe) number(no uint32) {
	last := s.before(no)
	number := func(of *uint32) {
		if *of > last && *of < no {
			*of = no
		}
	}
	for i := range s.FaceUps {
		number(&s.FaceUps[i].Round)
	}
	for i := range s.Burns {
		number(&s.Burns[i].Round)
	}
	for i := range s.Cutcard {
		number(&s.Cutcard[i].Round)
	}
}

// Irregular is true if a card of a round was carried over, moved, burned or discarded: its hands are not the cards that
// came from the shoe for it.
func Irregular(r *record.Round) bool {
	return len(r.Cards) != r.Coup().Cards() || record.Any(r.Cards, func(d *record.DealtCard) bool {
		return d.Carried || d.Fate != record.Kept
	})
}

// Result is the result of a round as dealt: void if it was cancelled, none if its cards are unknown.
func Result(r *record.Round) baccarat.Result {
	c := r.Coup()
	switch {
	case r.Voided.Seq != 0 || r.Ended.Result == baccarat.Void:
		return baccarat.Void
	case !c.Complete:
		return baccarat.NoResult
	}
	return c.Result()
}
