package deal

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// irregularity is what goes wrong in a shoe and is put right.
type irregularity struct {
	from int // the first round in which it may
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

// chooseIrregularity chooses what goes wrong in the next shoe, and whether it is cut again.
func (t *Table) chooseIrregularity(s *shoe.Plan, rounds int, legal bool) *irregularity {
	if t.o.Flawless || !legal {
		return &irregularity{}
	}
	if s.CutBy > 0 && !t.w.House.NewYork && t.rng.IntN(15) == 0 {
		s.Recut = &shoe.Recut{Seat: s.CutBy, Depth: uint32(20 + t.rng.IntN(int(t.o.Config.Decks)*52-40))}
		if t.o.Config.Options["recut_by"] == "next-entitled" {
			s.Recut.Seat = t.nextEntitled(s)
		}
	}
	if t.w.House.Chemin || t.rng.IntN(5) > 0 {
		return &irregularity{}
	}
	tr := &irregularity{from: t.rng.IntN(30), kind: cardMoved + irregularityKind(t.rng.IntN(int(irregularityKinds-cardMoved)))}
	if rounds > 1 {
		tr.from = t.rng.IntN(rounds)
	}
	return tr
}

// nextEntitled is who cuts again when it is not who cut last: the next seat clockwise after the last
// offer, the dealer when nobody is left.
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

// deal gives a round its cards, with what goes wrong, and returns those left in the shoe. last is the
// number of rounds once it is known.
func (t *Table) deal(s *shoe.Plan, r *shoe.Round, deck []shoe.Card, tr *irregularity, k, last int) []shoe.Card {
	var over []shoe.Card
	if k > 0 {
		if sl := s.Rounds[k-1].Misdraw; sl != nil && sl.Remedy == shoe.CarriedOver {
			r.Carried, over = true, []shoe.Card{sl.Card}
		}
	}
	due := tr.kind != noIrregularity && k >= tr.from
	if tr.kind == shoeTooShort && k+1 == last && s.Behind > 0 {
		tr.kind = noIrregularity
		return t.RunShort(r, deck)
	}
	// Near its end a shoe has no cards to spare.
	due = due && tr.kind != shoeTooShort && len(deck) > s.Behind+30
	if due && tr.kind == cardFound && !r.Carried && k > 0 {
		at := t.rng.IntN(4)
		end := at + 1 + deck[at].Burns()
		r.FaceUpAt, r.FaceUp = at, []shoe.FaceUpCard{{Card: deck[at], Burned: slices.Clone(deck[at+1 : end])}}
		deck = slices.Concat(deck[:at], deck[end:])
		tr.kind, due = noIrregularity, false
	}
	from := deck
	if len(over) > 0 {
		from = slices.Concat(over, deck)
	}
	r.Coup = shoe.DealCoup(from)
	deck = deck[r.Coup.Cards()-len(over):]
	if due && t.misdraw(r, tr.kind, deck[0], k+1 == last) {
		tr.kind = noIrregularity
		switch r.Misdraw.Remedy {
		case shoe.BurnedWithCount:
			n := 1 + r.Misdraw.Card.Burns()
			r.Misdraw.Burned, deck = deck[1:n:n], deck[n:]
		case shoe.CarriedOver:
			deck = deck[1:]
		}
	}
	return deck
}

// misdraw draws a card in error where the hands allow it.
func (t *Table) misdraw(r *shoe.Round, kind irregularityKind, next shoe.Card, last bool) bool {
	c := &r.Coup
	sl := &shoe.Misdraw{Card: next, Hand: t.rng.IntN(2)}
	if c.Size(shoe.Player) == 2 {
		// The player's hand was given a card though it stood.
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

// RunShort lets cards lie face up before the last round until the rest may not be enough for it. A
// round that cannot be finished is void. 19:47-3.12(d).
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

// relinquish lets a patron give up the right to turn a hand over.
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
