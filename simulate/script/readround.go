package script

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// roundReader reads the plan of a round back from its events.
type roundReader struct {
	*shoe.Round
	// settled: money moved; sided: a side bet was announced.
	settled, sided bool
	last           int // hand of the latest card
}

// habit is how a wager's vigorish was collected: marked or at once.
type habit struct{ marks bool }

// readHabits returns for each wager, and for each seat, how its vigorish was collected.
func readHabits(events []schema.Event) map[string]habit {
	out := map[string]habit{}
	put := func(id string, seat uint32, h habit) {
		out[id] = h
		out[fmt.Sprintf("seat %d", seat)] = h
	}
	for i := range events {
		switch p := events[i].Payload.(type) {
		case *schema.VigorishMarked:
			put(p.WagerID, p.Seat, habit{true})
		case *schema.VigorishCollected:
			if p.VigorishKind == schema.VigorishKindRound {
				for _, id := range p.WagerIDs {
					put(id, p.Seat, habit{false})
				}
			}
		}
	}
	return out
}

func (r *roundReader) readBets(habits map[string]habit) {
	for i := range r.Bets {
		switch p := r.Bets[i].Payload.(type) {
		case *schema.WagerPlaced:
			h, ok := habits[p.WagerID]
			if !ok {
				h = habits[fmt.Sprintf("seat %d", p.Seat)]
			}
			r.Stakes = append(r.Stakes, shoe.Stake{
				ID: p.WagerID, Seat: p.Seat, Patron: p.PatronRef, Spot: p.Spot, Name: p.SpotName, Amount: p.Amount,
				Coupon: p.Coupon, Medium: p.Medium, Deferred: h.marks,
			})
		case *schema.BankerWagered, *schema.BancoAnnounced:
			r.readBank(p)
		case *schema.WagerChanged:
			for j := range r.Stakes {
				if r.Stakes[j].ID == p.WagerID {
					changeStake(&r.Stakes[j], p)
				}
			}
		}
	}
}

func changeStake(st *shoe.Stake, p *schema.WagerChanged) {
	delta := max(p.Delta, -p.Delta)
	switch p.Change {
	case schema.WagerChangeRaised:
		st.Amount += delta
	case schema.WagerChangeLowered:
		st.Amount -= delta
	case schema.WagerChangeMoved:
		st.Spot = p.ToSpot
	case schema.WagerChangeWithdrawn:
		st.Withdrawn = true
	}
}

func (r *roundReader) readRound(ev *schema.Event) error {
	settling := false
	switch p := ev.Payload.(type) {
	case *schema.CardDealt:
		c, err := shoe.ParseCard(p.Card)
		if err != nil {
			return err
		}
		if p.Hand == schema.HandUnspecified {
			return fmt.Errorf("card %d: no hand", p.CardSeq)
		}
		h := int(p.Hand) - 1
		r.last = h
		r.BankerFirst = r.BankerFirst || h == shoe.Player && p.Index == 3 && len(r.Coup.Hands[shoe.Banker]) == 3
		r.Coup.Hands[h] = append(r.Coup.Hands[h], c)
	case *schema.Announced:
		switch p.Code {
		case schema.CallPlayerWins, schema.CallBankerWins, schema.CallTieHand:
			r.SideBetsFirst = r.sided
		case schema.CallPlayerPair, schema.CallBankerPair, schema.CallDragon7, schema.CallPanda8, schema.CallTreasure,
			schema.CallTotalCards:
			r.sided = true
		}
	case *schema.CardMoved, *schema.CardCarriedOver, *schema.CardFoundFaceup, *schema.ShoeBurned:
		return r.readMisdraw(p)
	case *schema.SqueezeRelinquished:
		r.Relinquished[p.Hand-1] = &shoe.Relinquishment{Seat: p.Seat, Ordered: p.Cause == schema.PassCauseOrdered}
	case *schema.SqueezeOffered:
		if g := r.Relinquished[p.Hand-1]; g != nil {
			g.Offers = append(g.Offers, shoe.Offer{Seat: p.Seat, Accepted: p.Accepted})
		}
	case *schema.RoundVoided:
		r.Void = p.Cause
	case *schema.RoundEnded:
		r.EndedFirst = !r.settled
	case *schema.WagerCollected, *schema.WagerPaid, *schema.WagerReturned, *schema.VigorishMarked:
		settling = true
	case *schema.VigorishCollected:
		settling = true
		r.VigorishTogether = r.VigorishTogether || len(p.WagerIDs) > 1
		if len(p.WagerIDs) == 1 {
			r.took(p.WagerIDs[0], p.Amount)
		}
	}
	if p, ok := ev.Payload.(*schema.VigorishMarked); ok {
		r.took(p.WagerID, p.Amount)
	}
	r.settled = r.settled || settling
	return nil
}

// took records the vigorish of a wager.
func (r *roundReader) took(id string, amount int64) {
	for i := range r.Stakes {
		if r.Stakes[i].ID == id {
			r.Stakes[i].VigorishRead = amount
		}
	}
}

func (r *roundReader) readBetween(ev *schema.Event, s *shoe.Plan, marked *[]shoe.Marker) error {
	switch p := ev.Payload.(type) {
	case *schema.SeatOccupied:
		r.Seating = append(r.Seating, shoe.Seating{Seat: p.Seat, Patron: p.PatronRef, Leaves: false})
	case *schema.SeatVacated:
		r.Seating = append(r.Seating, shoe.Seating{Seat: p.Seat, Patron: p.PatronRef, Leaves: true})
	case *schema.DealerAssigned:
		r.Relief = p.DealerID
	case *schema.CuratorPassed:
		r.PassesShoe = r.PassesShoe || p.Cause == schema.PassCauseVoluntary
	case *schema.CuratorOffered:
		if !p.Accepted && !slices.Contains(s.Declining, p.Seat) {
			s.Declining = append(s.Declining, p.Seat)
		}
	case *schema.VigorishCollected:
		c := shoe.Collection{Seat: p.Seat}
		open, sum := 0, int64(0)
		keep := (*marked)[:0]
		for _, m := range *marked {
			if m.Seat == p.Seat {
				open++
			}
			if slices.Contains(p.WagerIDs, m.Wager) {
				sum += m.Amount
				continue
			}
			keep = append(keep, m)
		}
		*marked = keep
		if len(p.WagerIDs) < open {
			c.Markers = len(p.WagerIDs)
		}
		s.RoundsUpOutstanding = s.RoundsUpOutstanding || p.Amount > sum
		r.Collections = append(r.Collections, c)
	case *schema.CardFoundFaceup, *schema.ShoeBurned:
		return r.readMisdraw(p)
	case *schema.TableConfigured, *schema.NoticeFiled, *schema.NoticePosted, *schema.LayoutAttested:
		r.Notices = append(r.Notices, ev.Clone())
	case *schema.BankerRelinquished, *schema.BidOffered:
		r.readBank(p)
	case *schema.CuratorAssigned, *schema.BankerAssigned, *schema.VigorishMarkerRemoved, *schema.Announced,
		*schema.ShoeEnded:
	default:
		return fmt.Errorf("cannot write %s again: edit it after the shoe is written", ev.Payload.Kind())
	}
	return nil
}

// readMisdraw reads what happened to a card drawn in error. The latest card was dealt to hand last.
func (r *roundReader) readMisdraw(p schema.Payload) error {
	take := func(kind shoe.Remedy) *shoe.Misdraw {
		hand := &r.Coup.Hands[r.last]
		n := len(*hand) - 1
		r.Misdraw = &shoe.Misdraw{Remedy: kind, Hand: r.last, Card: (*hand)[n]}
		*hand = (*hand)[:n]
		return r.Misdraw
	}
	switch p := p.(type) {
	case *schema.CardMoved:
		if p.From != schema.MovePlacePlayer || len(r.Coup.Hands[shoe.Player]) != 3 {
			return nil
		}
		sl := take(shoe.MovedToBanker)
		r.Coup.Hands[shoe.Banker] = append(r.Coup.Hands[shoe.Banker], sl.Card)
	case *schema.CardCarriedOver:
		take(shoe.CarriedOver)
	case *schema.CardFoundFaceup:
		c, err := shoe.ParseCard(p.Card)
		if err != nil {
			return err
		}
		r.FaceUp, r.FaceUpAt = append(r.FaceUp, shoe.FaceUpCard{Card: c}), r.Coup.Cards()
	case *schema.ShoeBurned:
		cards, err := shoe.ParseCards(p.Cards)
		if err != nil {
			return err
		}
		if n := len(r.FaceUp); n > 0 && r.FaceUp[n-1].Burned == nil {
			r.FaceUp[n-1].Burned = cards
			return nil
		}
		if r.Coup.Cards() > 4 {
			take(shoe.BurnedWithCount).Burned = cards
		}
	}
	return nil
}

// readBank reads the Banker's part.
func (r *roundReader) readBank(p schema.Payload) {
	if r.Bank == nil {
		r.Bank = &shoe.Bank{}
	}
	switch p := p.(type) {
	case *schema.BankerRelinquished:
		r.Bank.Relinquishes = true
	case *schema.BidOffered:
		r.Bank.Bids = append(r.Bank.Bids, shoe.Bid{Seat: p.Seat, Amount: p.Amount})
	case *schema.BankerWagered:
		r.Bank.Wager = shoe.Stake{ID: p.WagerID, Seat: p.Seat, Amount: p.Amount, Medium: p.Medium}
	case *schema.BancoAnnounced:
		r.Bank.Calls = append(r.Bank.Calls, shoe.Banco{Seat: p.Seat, Call: p.Call})
	}
}
