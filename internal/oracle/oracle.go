// Package oracle simulates tables independently, to test the detectors: it shares no code with them, with the
// engine or with package simulate, and writes events as lines of JSON. Its shoes, drawing rules, bets, payments and
// errors are its own.
package oracle

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Bet is a wager on BANKER or PLAYER, in cents.
type Bet struct {
	Patron int // also the seat, from 1
	Name   string
	Side   string
	Amount int
	// Late bets are placed between the announcement of no more bets and the first card.
	Late bool
}

// Options are the habits and errors of a table.
type Options struct {
	Table string
	Seed  uint64
	Shoes int
	// Start is when the table opens, 2026-03-02 18:00 UTC if it is zero. Pause is the time before a shoe; nil for none.
	Start time.Time
	Pause func(shoe int) time.Duration
	// Bets makes the wagers of a round. It may look at the cards to come, which honest patrons do not.
	Bets func(rng *rand.Rand, shoe, round int, next []int) []Bet
	// Pack puts the cards of a shoe in order, given the dealt cards of the shoes before; nil shuffles eight decks.
	Pack func(rng *rand.Rand, past [][]int) []int
	// Batch is the set of cards of a shoe; b1 if nil.
	Batch func(shoe int) string
	// Dealer is the dealer of a round; d1 if nil.
	Dealer func(round int) string
	// Forgotten is the part of rounds whose vigorish is forgotten, Misread the part of cards that are read as others.
	Forgotten, Misread float64
	// Unread is the part of the cards of a shoe that are not read; nil reads all.
	Unread func(shoe int) float64
	// Lost leaves out an event; nil leaves out none.
	Lost func(shoe, round int, kind string) bool
}

// faces are the names of ranks and suits: card c is rank c/4, of suit c%4.
var faces = [2]string{"A23456789TJQK", "cdhs"}

func face(card int) string { return string(faces[0][card/4]) + string(faces[1][card%4]) }

// worth is the value of a card in a count.
func worth(card int) int {
	if v := card/4 + 1; v < 10 {
		return v
	}
	return 0
}

// Coup is a round played out from the next cards.
type Coup struct {
	Player, Banker []int
	P, B           int
	// Order has 0 for a card of the player's hand and 1 for one of the banker's.
	Order []int
}

// Deal plays out a round by the rules of punto banco.
func Deal(next []int) Coup {
	c := Coup{Player: []int{next[0], next[2]}, Banker: []int{next[1], next[3]}, Order: []int{0, 1, 0, 1}}
	c.P, c.B = (worth(next[0])+worth(next[2]))%10, (worth(next[1])+worth(next[3]))%10
	if c.P >= 8 || c.B >= 8 {
		return c
	}
	bankerDraws := c.B <= 5
	used := 4
	if c.P <= 5 {
		third := worth(next[used])
		c.Player, c.Order = append(c.Player, next[used]), append(c.Order, 0)
		c.P = (c.P + third) % 10
		used++
		switch c.B {
		case 0, 1, 2:
			bankerDraws = true
		case 3:
			bankerDraws = third != 8
		case 4:
			bankerDraws = third >= 2 && third <= 7
		case 5:
			bankerDraws = third >= 4 && third <= 7
		case 6:
			bankerDraws = third == 6 || third == 7
		default:
			bankerDraws = false
		}
	}
	if bankerDraws {
		c.Banker, c.Order = append(c.Banker, next[used]), append(c.Order, 1)
		c.B = (c.B + worth(next[used])) % 10
	}
	return c
}

// Winner is PLAYER, BANKER or TIE.
func (c *Coup) Winner() string {
	switch {
	case c.P > c.B:
		return "PLAYER"
	case c.B > c.P:
		return "BANKER"
	}
	return "TIE"
}

// table writes the events of a table.
type table struct {
	Options
	rng    *rand.Rand
	out    strings.Builder
	seq    int
	at     time.Time
	shoe   int
	round  int
	number int // of the next card of the shoe
	dealer string
	past   [][]int // the dealt cards of the shoes so far
}

// Play returns the events of a table, a line each.
func Play(o Options) string {
	t := &table{Options: o, rng: rand.New(rand.NewPCG(o.Seed, 99)), at: o.Start}
	if t.at.IsZero() {
		t.at = time.Date(2026, 3, 2, 18, 0, 0, 0, time.UTC)
	}
	t.emit("pit", "FLOORPERSON", "f1", "table_opened", `{"config":{"config_id":"C1","ruleset":"nj-13-69f",`+
		`"game":"MINIBACCARAT","currency":"USD","decks":8,"seats":[1,2,3,4,5,6,7],"vigorish":{"mode":"COMMISSION",`+
		`"percent":5,"unit":1,"timing":"IMMEDIATE"},"payment_procedure":1,"posted_odds":{"BANKER":"1:1","PLAYER":"1:1",`+
		`"TIE":"8:1"},"dealing_style":"FACE_UP"},"occupied_seats":[1,2,3,4,5,6,7]}`)
	for t.shoe = 1; t.shoe <= o.Shoes; t.shoe++ {
		if o.Pause != nil {
			t.at = t.at.Add(o.Pause(t.shoe))
		}
		t.playShoe()
	}
	t.shoe = 0
	t.emit("pit", "FLOORPERSON", "f1", "table_closed", `{"reason":"end of play"}`)
	return t.out.String()
}

// emit writes an event.
func (t *table) emit(device, role, actor, kind, payload string) {
	t.seq++
	t.at = t.at.Add(time.Duration(500+t.rng.IntN(1500)) * time.Millisecond)
	if t.Lost != nil && t.Lost(t.shoe, t.round, kind) {
		return
	}
	shoe := ""
	if t.shoe > 0 {
		shoe = fmt.Sprintf(`"shoe_id":"%s-%d",`, t.Table, t.shoe)
	}
	if t.shoe > 0 && t.round > 0 {
		shoe += fmt.Sprintf(`"round":%d,`, t.round)
	}
	fmt.Fprintf(&t.out, `{"event_id":"%s-%d","property_id":"ac-1","pit_id":"p1","table_id":"%s","seq":%d,"at":%q,%s`+
		`"actor":{"role":"%s","id":"%s"},"source":{"device_id":"%s-%s","kind":"%s"},"%s":%s}`+"\n",
		t.Table, t.seq, t.Table, t.seq, t.at.Format(time.RFC3339Nano), shoe, role, actor, device, t.Table,
		strings.ToUpper(device), kind, payload)
}

// Decks are eight decks in order.
func Decks() []int {
	cards := make([]int, 0, 416)
	for card := range 52 {
		for range 8 {
			cards = append(cards, card)
		}
	}
	return cards
}

// Shuffle shuffles cards.
func Shuffle(rng *rand.Rand, cards []int) []int {
	rng.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
	return cards
}

func (t *table) playShoe() {
	var cards []int
	if t.Pack != nil {
		cards = t.Pack(t.rng, t.past)
	} else {
		cards = Shuffle(t.rng, Decks())
	}
	batch := "b1"
	if t.Batch != nil {
		batch = t.Batch(t.shoe)
	}
	t.round, t.number, t.dealer = 0, 0, ""
	t.assign()
	t.emit("console", "DEALER", t.dealer, "shoe_shuffled", fmt.Sprintf(`{"batch_id":%q,"phase":"INITIAL",`+
		`"method":"MANUAL"}`, batch))
	t.emit("shoe", "DEALER", t.dealer, "shoe_loaded", fmt.Sprintf(`{"batch_id":%q,"deck_count":8,"cutting_cards":2,`+
		`"back_color":"red","device":"DEALING_SHOE"}`, batch))
	burned := 1
	if n := worth(cards[0]); n > 0 {
		burned += n
	} else {
		burned += 10
	}
	hidden := strings.TrimSuffix(strings.Repeat(`"??",`, burned-1), ",")
	t.emit("shoe", "DEALER", t.dealer, "shoe_burned", fmt.Sprintf(
		`{"reason":"OPENING","indicator":%q,"count":%d,"cards":[%s]}`, face(cards[0]), burned-1, hidden))
	t.number = burned
	for next := cards[burned:]; len(next) > 16; {
		t.round++
		next = next[t.playRound(next):]
	}
	t.round = 0
	t.past = append(t.past, cards[burned:t.number])
	t.emit("console", "DEALER", t.dealer, "shoe_ended", fmt.Sprintf(`{"reason":"cutting card","remaining":%d}`,
		416-t.number))
}

// assign names the dealer, if it is another one.
func (t *table) assign() {
	dealer := "d1"
	if t.Dealer != nil {
		dealer = t.Dealer(t.round)
	}
	if dealer != t.dealer {
		t.dealer = dealer
		t.emit("pit", "FLOORPERSON", "f1", "dealer_assigned", fmt.Sprintf(`{"dealer_id":%q,"position":"BASE"}`, dealer))
	}
}

func (t *table) playRound(next []int) (used int) {
	t.assign()
	t.emit("console", "DEALER", t.dealer, "round_started", "{}")
	bets := t.Bets(t.rng, t.shoe, t.round, next)
	t.place(bets, false)
	t.emit("console", "DEALER", t.dealer, "announced", `{"code":"NO_MORE_BETS"}`)
	t.place(bets, true)
	c := Deal(next)
	index := [2]int{}
	for _, hand := range c.Order {
		card := [2][]int{c.Player, c.Banker}[hand][index[hand]]
		index[hand]++
		t.number++
		if t.rng.Float64() < t.Misread {
			card = t.rng.IntN(52)
		}
		read := face(card)
		if t.Unread != nil && t.rng.Float64() < t.Unread(t.shoe) {
			read = "??"
		}
		t.emit("shoe", "DEALER", t.dealer, "card_dealt", fmt.Sprintf(
			`{"hand":%q,"index":%d,"card":%q,"card_seq":%d,"face":"UP","placed_at":"HAND_AREA"}`,
			[2]string{"PLAYER", "BANKER"}[hand], index[hand], read, t.number))
	}
	for i, hand := range []string{"PLAYER", "BANKER"} {
		t.emit("console", "DEALER", t.dealer, "announced", fmt.Sprintf(`{"code":"FINAL_COUNT","hand":%q,"value":%d}`,
			hand, [2]int{c.P, c.B}[i]))
	}
	t.emit("console", "DEALER", t.dealer, "round_ended", fmt.Sprintf(
		`{"result":%q,"player_count":%d,"banker_count":%d,"cards_dealt":%d}`, c.Winner(), c.P, c.B, len(c.Order)))
	t.settle(bets, c.Winner())
	return len(c.Order)
}

// place writes the bets that are late, or the others.
func (t *table) place(bets []Bet, late bool) {
	for i, b := range bets {
		if b.Late != late {
			continue
		}
		t.emit("chips", "PATRON", b.Name, "wager_placed", fmt.Sprintf(`{"wager_id":"w%d.%d.%d","seat":%d,"spot":%q,`+
			`"amount":%d,"medium":"CHIPS","patron_ref":%q,"area_ok":true}`,
			t.shoe, t.round, i, b.Patron, b.Side, b.Amount, b.Name))
	}
}

func (t *table) settle(bets []Bet, winner string) {
	forgotten := t.rng.Float64() < t.Forgotten
	for pass := range 2 { // losers first
		for i, b := range bets {
			id := fmt.Sprintf(`"wager_id":"w%d.%d.%d","seat":%d,"amount":%d`, t.shoe, t.round, i, b.Patron, b.Amount)
			switch {
			case winner == "TIE" && pass == 0:
				t.emit("chips", "DEALER", t.dealer, "wager_returned", "{"+id+"}")
			case winner != "TIE" && b.Side != winner && pass == 0:
				t.emit("chips", "DEALER", t.dealer, "wager_collected", "{"+id+"}")
			case b.Side == winner && pass == 1:
				t.emit("chips", "DEALER", t.dealer, "wager_paid", "{"+id+"}")
				if winner == "BANKER" && !forgotten {
					t.emit("chips", "DEALER", t.dealer, "vigorish_collected", fmt.Sprintf(
						`{"seat":%d,"amount":%d,"kind":"ROUND","wager_ids":["w%d.%d.%d"]}`,
						b.Patron, b.Amount/20, t.shoe, t.round, i))
				}
			}
		}
	}
}
