package deal

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// irregularity is a dealing error that is remedied as the regulation requires.
type irregularity struct {
	from int // index of the first round in which it may happen
	kind irregularityKind
}

type irregularityKind uint8

const (
	noIrregularity irregularityKind = iota
	cardMoved
	cardBurned
	cardCarried
	cardFound
	shoeTooShort
	irregularityKinds
)

// chooseIrregularity chooses the irregularity of the next shoe, and whether the shoe is cut a second time.
func (t *Table) chooseIrregularity(s *shoe.Plan, rounds int, legal bool) irregularity {
	if t.o.Flawless || !legal {
		return irregularity{}
	}
	if s.CutBy > 0 && !t.w.House.NewYork && t.rng.IntN(15) == 0 {
		s.Recut = &shoe.Recut{Seat: s.CutBy, Depth: uint32(20 + t.rng.IntN(int(t.o.Config.Decks)*52-40))}
		s.Recut.After = int(s.Recut.Depth % 4)
		if t.variety != nil {
			s.Recut.After = min(t.variety.IntN(8), 4)
		}
		// Either person may cut again, unless the house has elected one.
		if t.o.Config.Options["recut_by"] == "next-entitled" || s.Recut.Depth%2 == 0 {
			s.Recut.Seat = t.nextEntitled(s)
		}
	}
	if t.w.House.Chemin || t.rng.IntN(5) > 0 {
		return irregularity{}
	}
	out := irregularity{
		from: t.rng.IntN(30),
		kind: cardMoved + irregularityKind(t.rng.IntN(int(irregularityKinds-cardMoved))),
	}
	if rounds > 1 {
		out.from = t.rng.IntN(rounds)
	}
	return out
}

// nextEntitled returns the seat that cuts the second time under the option next-entitled: the next seat clockwise
// after the last offer, 0 for the dealer if no seat is left.
func (t *Table) nextEntitled(s *shoe.Plan) uint32 {
	n := len(t.patrons)
	if len(s.CutOffers) == n {
		return 0
	}
	last := s.CutOffers[len(s.CutOffers)-1].Seat
	for i, p := range t.patrons {
		if p.Seat == last {
			return t.patrons[(i-1+n)%n].Seat
		}
	}
	return 0
}

// takeCards deals the round with index k, with the irregularity of the shoe if it is due.
func (p *planning) takeCards(r *shoe.Round, k int) {
	var over []shoe.Card
	if k > 0 {
		if m := p.plan.Rounds[k-1].Misdraw; m != nil && m.Remedy == shoe.CarriedOver {
			r.Carried, over = true, []shoe.Card{m.Card}
		}
	}
	last := k+1 == p.last
	if p.error.kind == shoeTooShort && last && p.plan.Behind > 0 {
		p.error.kind = noIrregularity
		p.deck = p.RunShort(r, p.deck)
		return
	}
	// Near its end a shoe has no cards to spare.
	spare := len(p.deck) > p.plan.Behind+30
	due := p.error.kind != noIrregularity && p.error.kind != shoeTooShort && k >= p.error.from && spare
	if due && p.error.kind == cardFound && !r.Carried && k > 0 {
		at := p.rng.IntN(4)
		end := at + 1 + p.deck[at].Burns()
		r.FaceUpAt, r.FaceUp = at, []shoe.FaceUpCard{{Card: p.deck[at], Burned: slices.Clone(p.deck[at+1 : end])}}
		p.deck = slices.Concat(p.deck[:at], p.deck[end:])
		p.error.kind, due = noIrregularity, false
	}
	from := p.deck
	if len(over) > 0 {
		from = slices.Concat(over, p.deck)
	}
	r.Coup = shoe.DealCoup(from)
	p.deck = p.deck[r.Coup.Cards()-len(over):]
	if !due || !p.misdraw(r, p.error.kind, p.deck[0], last) {
		return
	}
	p.error.kind = noIrregularity
	switch r.Misdraw.Remedy {
	case shoe.BurnedWithCount:
		n := 1 + r.Misdraw.Card.Burns()
		r.Misdraw.Burned, p.deck = p.deck[1:n:n], p.deck[n:]
	case shoe.CarriedOver:
		p.deck = p.deck[1:]
	}
}

// misdraw draws a card in error if the hands allow it.
func (t *Table) misdraw(r *shoe.Round, kind irregularityKind, next shoe.Card, last bool) bool {
	c := &r.Coup
	sl := &shoe.Misdraw{Card: next, Hand: t.rng.IntN(2)}
	if c.Size(shoe.Player) == 2 {
		// The player's hand drew a card although it stood.
		sl.Hand = shoe.Player
	}
	switch {
	case kind == cardMoved && c.Size(shoe.Player) == 2 && c.Size(shoe.Banker) == 3:
		sl.Remedy, sl.Hand, sl.Card = shoe.MovedToBanker, shoe.Player, c.Hands[shoe.Banker][2]
	case kind == cardBurned && (c.Size(shoe.Player) == 3 || c.Size(shoe.Banker) == 2):
		sl.Remedy = shoe.BurnedWithCount
	case kind == cardCarried && (c.Size(shoe.Player) == 3 || c.Size(shoe.Banker) == 2) && !last:
		sl.Remedy = shoe.CarriedOver
	default:
		return false
	}
	r.Misdraw = sl
	return true
}

// RunShort lets cards lie face up before the last round until the rest may be too few for it, and returns the cards
// left. A round that cannot be completed is void. 19:47-3.12(d).
func (t *Table) RunShort(r *shoe.Round, deck []shoe.Card) []shoe.Card {
	for {
		i := slices.IndexFunc(deck, func(c shoe.Card) bool { return c.Burns()+1 <= len(deck)-4 })
		if i < 0 {
			break
		}
		deck[0], deck[i] = deck[i], deck[0]
		n := 1 + deck[0].Burns()
		r.FaceUp = append(r.FaceUp, shoe.FaceUpCard{Card: deck[0], Burned: slices.Clone(deck[1:n])})
		deck = deck[n:]
	}
	pad := slices.Concat(deck, []shoe.Card{13, 13, 13, 13})
	r.Coup = shoe.DealCoup(pad)
	missing := r.Coup.Cards() - len(deck)
	if missing <= 0 {
		return deck[r.Coup.Cards():]
	}
	for _, h := range []int{shoe.Banker, shoe.Player} {
		if missing > 0 && r.Coup.Size(h) == 3 {
			r.Coup.Hands[h] = r.Coup.Hands[h][:2]
			missing--
		}
	}
	r.Void = schema.VoidCauseInsufficientCards
	return deck[len(deck):]
}

// relinquish lets a patron relinquish the right to turn over a hand.
func (t *Table) relinquish(r *shoe.Round) {
	h := t.rng.IntN(2)
	seat := r.EntitledSeat(h)
	if seat == 0 {
		return
	}
	g := &shoe.Relinquishment{Seat: seat, Ordered: t.rng.IntN(3) == 0}
	n := len(t.patrons)
	first := slices.IndexFunc(t.patrons, func(p *Patron) bool { return p.Seat == seat })
	for i := 1; i < n; i++ {
		o := shoe.Offer{Seat: t.patrons[(first+i)%n].Seat, Accepted: t.rng.IntN(2) == 0}
		g.Offers = append(g.Offers, o)
		if o.Accepted {
			break
		}
	}
	r.Relinquished[h] = g
}
