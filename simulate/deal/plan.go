package deal

import (
	"fmt"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// Wish makes one round of a plan come out as a caller needs it.
type Wish struct {
	Round int
	// Wagers adds the wagers that the round needs, Accept reports whether its cards will do; nil accepts all.
	Wagers func(*shoe.Round)
	Accept func(*shoe.Round) bool
	// CardsBehind is the number of cards behind the cutting card, 0 to leave it to chance.
	CardsBehind int
}

// Trials is how many deals are tried until the cards of a round are as wanted.
const Trials = 400_000

// planning is the plan of a shoe in the making.
type planning struct {
	*Table
	plan *shoe.Plan
	// rounds is the number of rounds, below 2 for as many as the cutting card leaves.
	rounds int
	wish   *Wish
	deck   []shoe.Card // cards not yet dealt
	error  irregularity
	last   int // number of rounds once it is known, else -1
}

// Plan chooses everything about the next shoe. rounds is as for ShoeOf; without a wish Plan cannot fail.
func (t *Table) Plan(rounds int, wish *Wish) (*shoe.Plan, error) {
	t.shoes++
	clear(t.owed)
	p := &planning{Table: t, rounds: rounds, wish: wish, last: -1}
	p.planPreparation()
	for k := 0; k != p.last; k++ {
		r, err := p.planRound(k)
		if err != nil {
			return nil, err
		}
		t.noteRound(p.plan, r)
		p.plan.Rounds = append(p.plan.Rounds, *r)
		switch {
		case rounds > 1:
			p.last = rounds
		case p.last < 0 && len(p.deck) < p.plan.Behind:
			p.last = k + 2
		}
	}
	s := p.plan
	if rounds > 1 {
		s.PlaceCuttingCard(int(t.o.Config.Decks)*52, t.rng.IntN(s.Rounds[len(s.Rounds)-2].Coup.Cards()))
	}
	s.Rest = p.deck
	if t.o.Scheme != nil {
		t.o.Scheme.EndShoe(s)
	}
	return s, nil
}

// planPreparation plans the shoe up to its first round.
func (p *planning) planPreparation() {
	if p.early == "" {
		p.early = p.shoeID()
	}
	s := &shoe.Plan{ID: p.early, Laced: 47 + p.rng.Uint32N(11)}
	p.early = ""
	roundsUp := p.w.House.Mode == schema.VigorishModeCommission && p.rng.IntN(8) == 0
	s.RoundsUpOutstanding = roundsUp && p.o.Config.Vigorish.Unit != 0
	s.CutDepth = uint32(20 + p.rng.IntN(int(p.o.Config.Decks)*52-40))
	p.offerCut(s)
	for _, x := range p.patrons {
		if x.DeclinesShoe {
			s.Declining = append(s.Declining, x.Seat)
		}
	}
	if p.w.House.Punto {
		s.KeepsCurator = p.curator > 0 && p.PatronAt(p.curator) != nil && p.rng.IntN(2) == 0
		if !s.KeepsCurator {
			p.pickCurator(s, 0)
		}
	}
	deck := shoe.NewPack(p.o.Config.Decks)
	shoe.Shuffle(p.rng, deck)
	if p.o.Scheme != nil {
		deck = p.o.Scheme.Stack(s.ID, deck)
	}
	n := 1 + deck[0].Burns()
	s.Burn, p.deck = deck[:n:n], deck[n:]
	p.error = p.chooseIrregularity(s, p.rounds, p.wish == nil)
	if s.Recut != nil && s.Recut.After > 3 {
		n = 1 + p.deck[0].Burns()
		s.Recut.Burn, p.deck = p.deck[:n:n], p.deck[n:]
	}
	s.Behind = 14 + p.rng.IntN(20)
	switch {
	case p.rounds > 1:
		s.Behind = 0
	case p.wish != nil && p.wish.CardsBehind > 0:
		s.Behind = p.wish.CardsBehind
	}
	p.plan = s
}

// planRound plans the round with index k and takes its cards.
func (p *planning) planRound(k int) (*shoe.Round, error) {
	r := &shoe.Round{
		EndedFirst: p.rng.IntN(3) > 0, SideBetsFirst: p.rng.IntN(3) == 0, VigorishTogether: p.rng.IntN(3) == 0,
	}
	if k > 0 {
		p.betweenRounds(p.plan, r)
	}
	if p.w.House.Chemin {
		p.bankBets(r, k)
	} else {
		p.bets(r, k)
	}
	if p.wish == nil && !p.o.Flawless {
		if k > 0 && p.rng.IntN(300) == 0 && !p.w.Pending() {
			p.changePayTable(r)
		}
		if p.w.House.Midi && p.rng.IntN(15) == 0 {
			p.relinquish(r)
		}
	}
	if p.wish != nil && p.wish.Round == k {
		if err := p.grant(p.wish, r, p.deck); err != nil {
			return nil, err
		}
	}
	if p.o.Scheme != nil {
		p.o.Scheme.Bet(r, p.deck)
		p.numberWagers(r, k)
	}
	p.takeCards(r, k)
	if p.o.Scheme != nil {
		p.o.Scheme.Settle(p.plan, r, k)
	}
	return r, nil
}

// grant finds cards for a wish among those left, by trial.
func (t *Table) grant(want *Wish, r *shoe.Round, deck []shoe.Card) error {
	if want.Wagers != nil {
		want.Wagers(r)
		t.numberWagers(r, want.Round)
	}
	if want.Accept == nil {
		return nil
	}
	for range Trials {
		r.Coup = shoe.DealCoup(deck)
		if want.Accept(r) {
			return nil
		}
		for i := range 6 {
			j := i + t.rng.IntN(len(deck)-i)
			deck[i], deck[j] = deck[j], deck[i]
		}
	}
	return fmt.Errorf("round %d: no such cards in %d trials", want.Round+1, Trials)
}

// offerCut offers the cut clockwise from the highest seat; on a reshuffle from the last curator at punto banco, from
// the seat to the left of the Banker at chemin de fer.
func (t *Table) offerCut(s *shoe.Plan) {
	n := len(t.patrons)
	first := n - 1
	if t.w.House.Bucket && t.shoes > 1 {
		for i, p := range t.patrons {
			switch {
			case p.Seat != t.curator:
			case t.w.House.Chemin:
				first = (i - 1 + n) % n
			default:
				first = i
			}
		}
	}
	for k := range n {
		o := shoe.Offer{Seat: t.patrons[(first-k+n)%n].Seat, Accepted: t.rng.IntN(2) == 0}
		s.CutOffers = append(s.CutOffers, o)
		if o.Accepted {
			s.CutBy = o.Seat
			return
		}
	}
}

func (t *Table) pickCurator(s *shoe.Plan, after uint32) {
	for _, o := range shoe.CuratorOffers(t.seated(), s.Declining, after) {
		if o.Accepted {
			t.curator = o.Seat
		}
	}
}

func (t *Table) seated() []shoe.Occupant {
	out := make([]shoe.Occupant, len(t.patrons))
	for i, p := range t.patrons {
		out[i] = shoe.Occupant{Seat: p.Seat, Patron: p.Ref}
	}
	return out
}

// noteRound updates the state of the table that the following rounds depend on.
func (t *Table) noteRound(s *shoe.Plan, r *shoe.Round) {
	result := r.Coup.Result()
	if t.o.Scheme != nil {
		t.noteLosses(r)
	}
	if result == t.streak {
		t.length++
	} else if result != schema.ResultTie {
		t.streak, t.length = result, 1
	}
	for i := range r.Stakes {
		st := &r.Stakes[i]
		owes := result == schema.ResultBanker && (!t.w.House.Names() || t.w.House.Takes(&r.Coup))
		if st.Deferred && !st.Withdrawn && st.Spot == schema.SpotBanker && owes {
			t.owed[st.Seat]++
		}
	}
	if t.w.House.Chemin {
		t.noteBank(r)
	}
	if t.w.House.Punto && result == schema.ResultPlayer {
		t.pickCurator(s, t.curator)
	}
}
