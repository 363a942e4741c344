package detectors

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
)

// table deals shoes of eight decks to hosts.
type table struct {
	t    testing.TB
	name string
	// dealer deals all rounds, shuffler shuffles all shoes.
	dealer, shuffler string
	rng              *rand.Rand
	law              *law.Law
	offer            *Offer
	odds             exact.Odds
	shoe             int
	at               int64
	cards            []Card
	// shuffle orders the next shoe, given the previous one; nil is a uniform shuffle.
	shuffle func(before []Card) []baccarat.Card
	// bets makes the wagers of a round. It gets the cards to come, which honest patrons do not use.
	bets func(r *Round, next []baccarat.Card)
	// settle changes the settlement of a round, which is by the law.
	settle func(r *Round)
	// pack changes the cards of a shoe; retake reports that a round is dealt again from the same position.
	pack   func([]baccarat.Card) []baccarat.Card
	retake func(r *Round) bool
	freeze func(r *Round)
	// hook is called after each call of a host.
	hook func()
}

type lawAndOffer struct {
	law   *law.Law
	offer *Offer
}

// lawOnce makes one offer for all tests.
var lawOnce = sync.OnceValues(func() (lawAndOffer, error) {
	books, err := rules.Shipped()
	if err != nil {
		return lawAndOffer{}, err
	}
	l, _ := books["nj-13-69f"].Law(baccarat.Minibaccarat)
	return lawAndOffer{l, NewOffer(l, &law.Config{
		Mode: baccarat.Commission, Percent: 5, TreasuresTable: "2", Game: baccarat.Minibaccarat,
		SideBets: []baccarat.SideBet{baccarat.SideTreasures, baccarat.SidePair},
	})}, nil
})

func newTable(t testing.TB, seed uint64) *table {
	t.Helper()
	l, err := lawOnce()
	if err != nil {
		t.Fatal(err)
	}
	tb := &table{
		t: t, name: "t1", dealer: "d1", shuffler: "m1", rng: rand.New(rand.NewPCG(seed, 7)), law: l.law, offer: l.offer,
		at: 1, hook: func() {},
	}
	tb.bets = tb.honest
	tb.settle = tb.misread
	return tb
}

// play deals a shoe to hosts.
func (tb *table) play(hosts ...*Host) {
	order := make([]baccarat.Card, 0, 416)
	if tb.shuffle != nil && tb.cards != nil {
		order = append(order, tb.shuffle(tb.cards)...)
	} else {
		for c := baccarat.Card(1); c <= 52; c++ {
			for range 8 {
				order = append(order, c)
			}
		}
		if tb.pack != nil {
			order = tb.pack(order)
		}
		tb.rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	tb.shoe++
	s := Shoe{
		Location: Location{Property: "ac-1", Table: tb.name, Shoe: fmt.Sprint("s", tb.shoe), At: tb.at},
		Dealer:   tb.dealer, Batch: "b1", Shuffler: tb.shuffler, Decks: 8, Before: tb.cards, Whole: true,
	}
	for _, h := range hosts {
		h.Begin(&s)
		tb.hook()
	}
	left := exact.Full(8)
	dealt := 0
	var cards []Card
	out := func() baccarat.Card {
		c := order[dealt]
		dealt++
		left[c]--
		return c
	}
	for no := uint32(1); dealt < len(order)-16; no++ {
		tb.at += 50e9
		r := Round{
			Location: s.Location, Dealer: tb.dealer, Batch: "b1", Shuffler: tb.shuffler, Reader: "r1", Decks: 8, Left: left,
			Offer: tb.offer, Played: true, Locked: tb.at + 20e9, First: tb.at + 21e9, Ended: tb.at + 40e9,
		}
		r.Round, r.At, r.Seq = no, tb.at, record.Seq(tb.at)
		if tb.offer.Kernel.Odds(&left, &tb.odds) {
			r.Odds = &tb.odds
		}
		tb.bets(&r, order[dealt:])
		tb.deal(&r, out)
		for tb.retake != nil && tb.retake(&r) {
			for _, c := range r.Cards {
				left[c.Card]++
			}
			dealt -= len(r.Cards)
			r.Cards = r.Cards[:0]
			tail := order[dealt:]
			tb.rng.Shuffle(len(tail), func(i, j int) { tail[i], tail[j] = tail[j], tail[i] })
			tb.deal(&r, out)
		}
		cards = append(cards, r.Cards...)
		for i := range r.Wagers {
			tb.rule(&r, &r.Wagers[i])
		}
		if tb.settle != nil {
			tb.settle(&r)
		}
		if tb.freeze != nil {
			tb.freeze(&r)
		}
		for _, h := range hosts {
			h.Round(&r)
			tb.hook()
		}
	}
	s.Location.At = tb.at
	s.Left, s.Read = left, dealt
	for _, h := range hosts {
		h.End(&s)
		tb.hook()
	}
	tb.cards = cards
}

func (tb *table) deal(r *Round, out func() baccarat.Card) {
	var player, banker []baccarat.Card
	give := func(hand *[]baccarat.Card, h baccarat.Hand) {
		c := out()
		*hand = append(*hand, c)
		r.Cards = append(r.Cards, Card{Card: c, Hand: h, Index: uint8(len(*hand))})
	}
	give(&player, baccarat.Player)
	give(&banker, baccarat.Banker)
	give(&player, baccarat.Player)
	give(&banker, baccarat.Banker)
	c := baccarat.NewCoup(player, banker)
	if tb.law.Drawing.PlayerDraws(c.P2, c.B2) {
		give(&player, baccarat.Player)
		c = baccarat.NewCoup(player, banker)
	}
	if tb.law.Drawing.BankerDraws(c.P2, c.B2, c.Third) {
		give(&banker, baccarat.Banker)
	}
	r.Coup = baccarat.NewCoup(player, banker)
}

func (tb *table) rule(r *Round, w *Wager) {
	switch profit := tb.offer.Terms[w.Spot].Of(&r.Coup); {
	case profit > 0:
		w.Ruled, w.Due = baccarat.Pay, int64(math.Round(profit*float64(w.Stake)))
		if w.Spot == baccarat.SpotBanker {
			w.Due, w.VigDue = w.Stake, w.Stake/20
		}
	case profit < 0:
		w.Ruled = baccarat.Collect
	default:
		w.Ruled = baccarat.Return
	}
	w.Done, w.Paid, w.VigTaken = w.Ruled, w.Due, w.VigDue
}

// watch counts the factors of a detector by kind of key, and keeps its alarms.
type watch struct {
	host   *Host
	alarms []Alarm
	n      map[KeyKind]int
	sum    map[KeyKind]float64
	square map[KeyKind]float64
}

func newWatch(d *Detector) *watch {
	return &watch{
		host: NewHost(DefaultBudget(), []*Detector{d}),
		n:    map[KeyKind]int{}, sum: map[KeyKind]float64{}, square: map[KeyKind]float64{},
	}
}

// winner is the main spot that wins with the cards to come; the player spot on a tie.
func (tb *table) winner(next []baccarat.Card) baccarat.Spot {
	if tb.result(next) == baccarat.BankerWon {
		return baccarat.SpotBanker
	}
	return baccarat.SpotPlayer
}

// result is that of the round that comes next.
func (tb *table) result(next []baccarat.Card) baccarat.Result {
	dealt := 0
	r := Round{}
	tb.deal(&r, func() baccarat.Card { dealt++; return next[dealt-1] })
	return r.Coup.Result()
}

// honest bets at random: on a side, at times on a side wager, at times late.
func (tb *table) honest(r *Round, _ []baccarat.Card) {
	add := func(seat uint32, spot baccarat.Spot, stake int64) {
		placed := r.At
		if tb.rng.IntN(10) == 0 {
			placed = r.First - 1e9
		}
		r.Wagers = append(r.Wagers, Wager{
			ID: fmt.Sprint(r.Round, seat, spot), Patron: fmt.Sprint("p", seat), Seat: seat + 1,
			Spot: spot, Stake: stake, Placed: placed,
		})
	}
	for seat := range uint32(3) {
		spot := baccarat.SpotBanker
		if tb.rng.IntN(2) == 0 {
			spot = baccarat.SpotPlayer
		}
		add(seat, spot, 100_00*int64(1+tb.rng.IntN(3)))
		switch tb.rng.IntN(10) {
		case 0:
			add(seat, baccarat.SpotBlazing7s, 25_00)
		case 1:
			add(seat, baccarat.SpotTie, 25_00)
		case 2:
			add(seat, baccarat.SpotPlayerPair, 25_00)
		}
	}
}

// misread makes honest errors: one settlement in two thousand, one reading of a stake in a hundred.
func (tb *table) misread(r *Round) {
	r.Ended += int64(tb.rng.IntN(20e9))
	for i := range r.Wagers {
		w := &r.Wagers[i]
		w.HasReads, w.AtLock, w.AtSettlement = true, w.Stake, w.Stake
		switch {
		case tb.rng.IntN(2000) == 0 && w.Ruled == baccarat.Collect:
			w.Done = baccarat.Return
		case tb.rng.IntN(2000) == 0 && w.Ruled == baccarat.Pay:
			w.Paid = 0
		case tb.rng.IntN(100) == 0:
			w.AtSettlement += 5_00 * int64(1-2*tb.rng.IntN(2))
		}
	}
}
