package deal

import (
	"math/rand/v2"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// Played is a shoe as it was played and read, without its events, for benchmarks over millions of rounds.
type Played struct {
	ID, Dealer, Batch string
	Decks             int
	// Percent is the vigorish in force.
	Percent int64
	// Burned are the cards of the opening burn. Cards are numbered 1 to 52, suit by suit from the ace of clubs; 0 is
	// a card that was not read.
	Burned []uint8
	Rounds []PlayedRound
	// Slug is where a run of the last shoe lies: its first card and the card after it, counted from the first burned
	// card; 0, 0 without one. Package cheat fills it in.
	Slug [2]int
	// Fill is signed for as a fill at the shoe's end, Gone left the tray without a record, minor units.
	Fill, Gone int64
}

// PlayedRound is one round of a shoe.
type PlayedRound struct {
	Dealer string
	// Cards are the cards of the two hands as they left the shoe and were read.
	Cards []PlayedCard
	// Misdrawn: the cards as read are not a legal draw. Unread: a card was not read.
	Misdrawn, Unread bool
	Stakes           []PlayedStake
}

// PlayedCard is a card on the layout. Hand 1 is the player's, 2 the banker's; Index counts from 1.
type PlayedCard struct{ Card, Hand, Index uint8 }

// Fate is how a wager is settled.
type Fate uint8

// The ways to settle a wager.
const (
	FateCollected Fate = iota + 1
	FatePaid
	FateReturned
)

// PlayedStake is a wager of a round. Money is in minor units.
type PlayedStake struct {
	ID, Patron string
	Seat       uint32
	Spot       schema.Spot
	Stake      int64
	// Lead is how long before the first card the wager was placed, ns.
	Lead int64
	// Ruled is the settlement that the law demands by the cards as read, Done the settlement that happened; Due and
	// Paid are the winnings of each.
	Ruled, Done      Fate
	Due, Paid        int64
	VigDue, VigTaken int64
	// AtLock and AtSettlement are the stake as a device read it.
	AtLock, AtSettlement int64
	// Net is what the patron gained.
	Net int64
}

// Error rates of a table that is not Clear, as shares.
const (
	honestErrors = 0.0005 // of settlements
	misread      = 0.0001 // of cards
	unread       = 0.001
	stakeRead    = 0.001 // of stakes, by a chip
)

// Play plays the next shoe like Shoe and returns what was played instead of events. Dealers make honest errors and
// devices misread cards. A table uses either Play or Shoe, not both.
func (t *Table) Play() *Played {
	if t.o.Scheme != nil {
		t.o.Scheme.BeforeShoe()
	}
	t.w.Take()
	on := t.dealing
	s, _ := t.Plan(0, nil)
	// The errors of each round have their own seed, so that a twin that bets otherwise has the same errors.
	source := rand.NewPCG(t.o.Seed, uint64(t.shoes)<<32)
	t.noise = rand.New(source)
	p := &Played{
		ID: s.ID, Dealer: on, Batch: t.o.Table + "-b1", Decks: int(t.o.Config.Decks),
		Percent: int64(t.o.Config.Vigorish.Percent),
		Rounds:  make([]PlayedRound, len(s.Rounds)), Fill: s.Fill, Gone: s.Missing,
	}
	for _, x := range s.Burned() {
		p.Burned = append(p.Burned, t.readCard(x))
	}
	for i := range s.Rounds {
		r, out := &s.Rounds[i], &p.Rounds[i]
		if r.Relief != "" {
			on = r.Relief
		}
		out.Dealer = on
		source.Seed(t.o.Seed, uint64(t.shoes)<<32+uint64(i)+1)
		t.record(r, out)
	}
	return p
}

// readCard returns a card as the shoe reads it.
func (t *Table) readCard(x shoe.Card) uint8 {
	if t.o.Clear {
		return uint8(x)
	}
	wrong, none := misread, unread
	if t.o.Scheme != nil {
		a, b := t.o.Scheme.ReadErrors()
		wrong, none = max(wrong, a), max(none, b)
	}
	switch u := t.noise.Float64(); {
	case u < wrong:
		return uint8(1 + t.noise.IntN(52))
	case u < wrong+none:
		return 0
	}
	return uint8(x)
}

func (t *Table) record(r *shoe.Round, out *PlayedRound) {
	out.Cards = make([]PlayedCard, 0, 6)
	var seen shoe.Coup
	for i := range 3 {
		for h := range 2 {
			if i >= r.Coup.Size(h) {
				continue
			}
			x := t.readCard(r.Coup.Hands[h][i])
			out.Unread = out.Unread || x == 0
			seen.Hands[h] = append(seen.Hands[h], shoe.Card(x))
			out.Cards = append(out.Cards, PlayedCard{x, uint8(h + 1), uint8(i + 1)})
		}
	}
	if out.Unread {
		seen = r.Coup
	}
	out.Misdrawn = !out.Unread && !legalCoup(&seen)
	out.Stakes = make([]PlayedStake, 0, len(r.Stakes))
	for i := range r.Stakes {
		if st := &r.Stakes[i]; !st.Withdrawn {
			out.Stakes = append(out.Stakes, t.settledStake(st, &r.Coup, &seen))
		}
	}
}

// legalCoup reports whether the hands have as many cards as the drawing table demands.
func legalCoup(c *shoe.Coup) bool {
	all := []shoe.Card{
		c.Hands[shoe.Player][0], c.Hands[shoe.Banker][0], c.Hands[shoe.Player][1],
		c.Hands[shoe.Banker][1],
	}
	for h := range 2 {
		all = append(all, c.Hands[h][2:]...)
	}
	legal := shoe.DealCoup(append(all, 13, 13))
	return legal.Size(shoe.Player) == c.Size(shoe.Player) && legal.Size(shoe.Banker) == c.Size(shoe.Banker)
}

// settledStake returns a wager as it was settled, with the dealer's honest errors.
func (t *Table) settledStake(st *shoe.Stake, c, seen *shoe.Coup) PlayedStake {
	h := &t.w.House
	d := h.Done(st, c)
	law := shoe.Stake{Spot: st.Spot, Amount: st.Amount, Coupon: st.Coupon, Exact: st.Exact}
	right := h.Done(&law, seen)
	if u, v := t.noise.Float64(), t.noise.IntN(2); u < honestErrors && !st.Forced && !t.o.Clear {
		d.Outcome, d.Winnings = shoe.Pushed, 0
		if v == 0 && right.Outcome == shoe.Lost {
			d.Outcome, d.Winnings = shoe.Won, st.Amount
		}
	}
	out := PlayedStake{
		ID: st.ID, Patron: st.Patron, Seat: st.Seat, Spot: st.Spot, Stake: st.Amount, Ruled: fate(right.Outcome),
		Done: fate(d.Outcome),
		Due:  right.Winnings, Paid: d.Winnings, VigDue: right.Vigorish, VigTaken: d.Vigorish, AtLock: st.Amount,
		AtSettlement: d.Amount,
		Lead:         3e9 + t.noise.Int64N(20e9),
	}
	if st.Late {
		out.Lead = 1e8 + t.noise.Int64N(18e8)
	}
	if percent := h.TiePercent(c); percent > 0 && st.Spot == schema.SpotBanker {
		out.VigDue = (st.Amount - st.Coupon) * percent / 100
		out.VigTaken = out.VigDue
	}
	if u, v := t.noise.Float64(), t.noise.Int64N(2); u < stakeRead && !t.o.Clear {
		out.AtSettlement += 2*100*v - 100
	}
	switch d.Outcome {
	case shoe.Won:
		out.Net = d.Winnings - out.VigTaken
	case shoe.Lost:
		out.Net = -d.Amount
	case shoe.Pushed:
		out.Net = -out.VigTaken
	}
	return out
}

func fate(o shoe.Outcome) Fate {
	return [...]Fate{shoe.Lost: FateCollected, shoe.Won: FatePaid, shoe.Pushed: FateReturned}[o]
}
