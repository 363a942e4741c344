package deal

import (
	"fmt"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// A wish makes a round of a plan come out as a fault needs it.
type Wish struct {
	Round int
	// Wagers adds what must be staked, accept says which cards will do.
	Wagers func(*shoe.Round)
	Accept func(*shoe.Round) bool
	// CardsBehind is the number of cards behind the cutting card, 0 to leave it to chance.
	CardsBehind int
}

const WishTries = 400_000

// Plan chooses everything about the next shoe.
func (t *Table) Plan(rounds int, want *Wish) (*shoe.Plan, error) {
	t.shoes++
	clear(t.owed)
	s := &shoe.Plan{ID: t.shoeID(), Laced: 47 + t.rng.Uint32N(11), RoundsUpOutstanding: t.w.House.Mode == schema.VigorishModeCommission && t.rng.IntN(8) == 0}
	if t.o.Config.Vigorish.Unit == 0 {
		s.RoundsUpOutstanding = false
	}
	total := int(t.o.Config.Decks) * 52
	s.CutDepth = uint32(20 + t.rng.IntN(total-40))
	t.offerCut(s)
	for _, p := range t.patrons {
		if p.DeclinesShoe {
			s.Declining = append(s.Declining, p.Seat)
		}
	}
	if t.w.House.Punto {
		s.KeepsCurator = t.curator > 0 && t.PatronAt(t.curator) != nil && t.rng.IntN(2) == 0
		if !s.KeepsCurator {
			t.pickCurator(s, 0)
		}
	}
	deck := shoe.NewPack(t.o.Config.Decks)
	shoe.Shuffle(t.rng, deck)
	if t.o.Scheme != nil {
		deck = t.o.Scheme.Stack(s.ID, deck)
	}
	n := 1 + deck[0].Burns()
	s.Burn, deck = deck[:n:n], deck[n:]
	tr := t.chooseIrregularity(s, rounds, want == nil)
	s.Behind = 14 + t.rng.IntN(20)
	if want != nil && want.CardsBehind > 0 {
		s.Behind = want.CardsBehind
	}
	if rounds > 1 {
		s.Behind = 0
	}
	for k, last := 0, -1; k != last; k++ {
		r := shoe.Round{EndedFirst: t.rng.IntN(3) > 0, SideBetsFirst: t.rng.IntN(3) == 0, VigorishTogether: t.rng.IntN(3) == 0}
		if k > 0 {
			t.betweenRounds(s, &r)
		}
		if t.w.House.Chemin {
			t.bankBets(&r, k)
		} else {
			t.bets(&r, k)
		}
		if want == nil && !t.o.Flawless {
			if k > 0 && t.rng.IntN(300) == 0 {
				t.changePayTable(&r)
			}
			if t.w.House.Midi && t.rng.IntN(15) == 0 {
				t.relinquish(&r)
			}
		}
		if want != nil && want.Round == k {
			if err := t.grant(want, &r, deck); err != nil {
				return nil, err
			}
		}
		if t.o.Scheme != nil {
			t.o.Scheme.Bet(&r, deck)
			t.numberWagers(&r, k)
		}
		deck = t.deal(s, &r, deck, tr, k, last)
		if t.o.Scheme != nil {
			t.o.Scheme.Settle(s, &r, k)
		}
		t.noteRound(s, &r)
		s.Rounds = append(s.Rounds, r)
		switch {
		case rounds > 1:
			last = rounds
		case last < 0 && len(deck) < s.Behind:
			last = k + 2
		}
		if k+1 == last {
			break
		}
	}
	if rounds > 1 {
		k := s.Rounds[len(s.Rounds)-2].Coup.Cards()
		s.PlaceCuttingCard(total, t.rng.IntN(k))
	}
	s.Rest = deck
	if t.o.Scheme != nil {
		t.o.Scheme.EndShoe(s)
	}
	return s, nil
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
	for range WishTries {
		r.Coup = shoe.DealCoup(deck)
		if want.Accept(r) {
			return nil
		}
		for i := range 6 {
			j := i + t.rng.IntN(len(deck)-i)
			deck[i], deck[j] = deck[j], deck[i]
		}
	}
	return fmt.Errorf("round %d: no such cards in %d trials", want.Round+1, WishTries)
}

// offerCut goes clockwise from the highest seat, on a reshuffle at punto banco from the last curator, at
// chemin de fer from the left of the Banker.
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

// noteRound keeps what the following rounds depend on.
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
		if st.Deferred && !st.Withdrawn && st.Spot == schema.SpotBanker && result == schema.ResultBanker {
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
