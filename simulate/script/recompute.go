package script

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// recompute writes a shoe again from its plan, changed by the edit.
func (e *edit) recompute(events []schema.Event) ([]schema.Event, error) {
	r, err := reread(events, max(e.what.shoe, 1))
	if err != nil {
		return nil, err
	}
	s, n := r.plan, e.what.round()
	round, after := r.cuttingCard()
	switch e.verb {
	case "burn":
		err = burnOther(s, e.words)
	case "deal":
		if n == len(s.Rounds)+1 {
			s.AddRound()
		}
		if n < 1 || n > len(s.Rounds) {
			return nil, fmt.Errorf("deal round=%d, want 1 to %d", n, len(s.Rounds))
		}
		s.Rounds[n-1].BankerFirst = false
		s.Rounds[n-1].Coup, err = parseHands(e.words)
	case "stake":
		if n < 1 || n > len(s.Rounds) {
			return nil, fmt.Errorf("stake round=%d, want 1 to %d", n, len(s.Rounds))
		}
		err = addStake(&s.Rounds[n-1], e.set, n)
	}
	if err == nil {
		err = r.playable()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.verb, err)
	}
	r.moveCuttingCard(round, after)
	again := r.write()
	return slices.Concat(events[:r.from], again, events[r.to:]), nil
}

// parseHands reads "P 2c 3h 4c B 8d Ks".
func parseHands(words []string) (shoe.Coup, error) {
	var c shoe.Coup
	h := -1
	for _, word := range words {
		switch {
		case word == "P":
			h = shoe.Player
		case word == "B":
			h = shoe.Banker
		case h < 0:
			return c, fmt.Errorf("%q: want P or B before the cards", word)
		default:
			x, err := shoe.ParseCard(word)
			if err != nil {
				return c, err
			}
			c.Hands[h] = append(c.Hands[h], x)
		}
	}
	return c, nil
}

// playable is an error if a round lacks one of the first four cards, or the Banker's wager at chemin de fer.
func (r *rereading) playable() error {
	for i := range r.plan.Rounds {
		round := &r.plan.Rounds[i]
		if r.w.House.Chemin && (round.Bank == nil || round.Bank.Wager.ID == "") {
			return fmt.Errorf("round %d: no banker_wagered", i+1)
		}
		for h := range 2 {
			if n := round.Coup.Size(h); n < 2 {
				return fmt.Errorf("round %d: cards of hand %s: %d, want two or more", i+1, shoe.HandOf(h), n)
			}
		}
	}
	return nil
}

// cuttingCard is the index of the round in which the first cutting card appears, and after how many of its cards; -1 if
// it appears in none.
func (r *rereading) cuttingCard() (round, after int) {
	before, at := r.plan.CardsBefore(), r.cards()-r.plan.Behind
	for i := range r.plan.Rounds {
		if before[i] <= at && at < before[i+1] {
			return i, at - before[i]
		}
	}
	return -1, 0
}

// cards is the number of cards of the shoe.
func (r *rereading) cards() int { return int(r.w.Config.Decks) * 52 }

// moveCuttingCard places the first cutting card so that it appears in the round in which it appeared before the edit.
func (r *rereading) moveCuttingCard(round, after int) {
	if round < 0 {
		return
	}
	s := r.plan
	before := s.CardsBefore()
	behind := r.cards() - before[round] - min(after, before[round+1]-before[round]-1)
	if behind == s.Behind {
		return
	}
	s.Behind = behind
	for i := range slices.Backward(s.Preparation) {
		if p, ok := s.Preparation[i].Payload.(*schema.CutcardPlaced); ok && p.Which == 1 {
			placed := *p
			placed.CardsBehind = uint32(behind)
			s.Preparation[i].Payload = &placed
			return
		}
	}
}

func burnOther(s *shoe.Plan, words []string) error {
	cards, err := shoe.ParseCards(words)
	if err != nil {
		return err
	}
	for i := range s.Preparation {
		if p, ok := s.Preparation[i].Payload.(*schema.ShoeBurned); ok {
			b := *p
			b.Indicator, b.Count, b.Cards = words[0], uint32(len(words)-1), slices.Clone(words[1:])
			if b.Shown == schema.BurnShownFirstOnly {
				for k := range b.Cards {
					b.Cards[k] = "??"
				}
			}
			s.Preparation[i].Payload, s.Burn = &b, cards
			return nil
		}
	}
	return fmt.Errorf("the shoe has no burn")
}

func addStake(r *shoe.Round, set []assignment, n int) error {
	p := &schema.WagerPlaced{
		WagerID: fmt.Sprintf("w%d+%d", n, len(r.Stakes)+1), Medium: schema.WagerMediumChips, AreaOK: true,
	}
	ev := schema.Event{Payload: p, Round: uint32(n)}
	if err := assignAll(&ev, set); err != nil {
		return err
	}
	if p.Spot == schema.SpotUnspecified || p.Amount <= 0 || p.Seat == 0 {
		return fmt.Errorf("want seat, spot and amount")
	}
	if r.Bets != nil {
		last := r.Bets[len(r.Bets)-1]
		ev.EventID, ev.At, ev.Source, ev.Video = last.EventID+"+", last.At, last.Source, last.Video
		ev.Actor = schema.Actor{Role: schema.RolePatron, ID: p.PatronRef}
		r.Bets = append(r.Bets, ev)
	}
	r.Stakes = append(r.Stakes, shoe.Stake{
		ID: p.WagerID, Seat: p.Seat, Patron: p.PatronRef, Spot: p.Spot, Name: p.SpotName, Amount: p.Amount,
		Coupon: p.Coupon, Medium: p.Medium,
	})
	return nil
}
