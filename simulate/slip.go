package simulate

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// slipKind is what becomes of a card drawn in error. N.J.A.C. 19:47-3.12(a), (b).
type slipKind uint8

const (
	// slipMoved becomes the banker's third card, which the coup counts.
	slipMoved slipKind = iota
	// slipBurned was seen, and is burned with its number of cards.
	slipBurned
	// slipCarried was not seen, and is the first card of the next round.
	slipCarried
	// slipDropped was not seen, and is put away at once, which no rule allows while rounds follow.
	slipDropped
)

// A slip is a card drawn in error for a hand, after the cards due to it.
type slip struct {
	kind   slipKind
	hand   int
	card   card
	burned []card
	// hidden was dealt face down and burned without being shown.
	hidden bool
}

// A stray is a card that lies face up in the shoe, with those burned for it. 19:47-3.12(c).
type stray struct {
	card   card
	burned []card
	used   bool // and is dealt nevertheless
}

// A give is a right to turn over cards that is given up before they are handed over.
type give struct {
	seat    uint32
	ordered bool
	offers  []offer
}

// faceUp discards the cards found face up in front of the next one.
func (w *writer) faceUp(r *roundPlan, round uint32) {
	to := w.house.discards()
	for _, f := range r.found {
		w.sightWithin(1+len(f.burned), round)
		w.cardSeq++
		w.emit(&schema.CardFoundFaceup{CardSeq: uint32(w.cardSeq), Card: f.card.String(), Destination: to})
		seq := uint32(w.cardSeq)
		w.burnMore(f.card, f.burned, schema.BurnShownAll)
		if f.used {
			w.carried = seq
		}
	}
}

// burnMore burns the cards that go with a card seen in error.
func (w *writer) burnMore(indicator card, cards []card, shown schema.BurnShown) {
	w.emit(&schema.ShoeBurned{
		Reason: schema.BurnReasonIrregularity, Indicator: indicator.String(), Count: uint32(len(cards)), Cards: names(cards),
		Shown: shown, Destination: w.house.burnedTo(),
	})
	w.cardSeq += len(cards)
}

// sightWithin writes the cutting card when it lies among the next cards, which leave the shoe together.
func (w *writer) sightWithin(cards int, round uint32) {
	if w.sighting < w.cardSeq || w.sighting >= w.cardSeq+cards {
		return
	}
	w.emit(&schema.CutcardSeen{AfterCardSeq: uint32(w.sighting), SetAside: true})
	w.sighting, w.sighted = -1, round
}

// err draws the card of a slip and does with it what is prescribed.
func (w *writer) err(r *roundPlan) {
	sl := r.slip
	face, shown := schema.FaceUp, schema.BurnShownAll
	if sl.hidden {
		face, shown = schema.FaceDown, schema.BurnShownNone
	}
	if sl.kind >= slipCarried || sl.kind == slipMoved && w.house.midi {
		face = schema.FaceDown
	}
	w.sight()
	w.cardSeq++
	seq := uint32(w.cardSeq)
	w.emitCard(sl.hand, r.coup.size(sl.hand), sl.card, face)
	switch sl.kind {
	case slipMoved:
		w.deal.seqs = append(w.deal.seqs, seq)
	case slipBurned:
		w.sightWithin(len(sl.burned), w.round)
		w.burnMore(sl.card, sl.burned, shown)
	case slipCarried:
		w.emit(&schema.CardCarriedOver{CardSeq: seq, ToRound: w.round + 1})
		w.carried = seq
	case slipDropped:
		w.emit(&schema.DiscardPlaced{CardSeqs: []uint32{seq}, Destination: w.house.discards(), OrderPreserved: true})
	}
}

// readSlip notes what a card drawn in error came to, from the events of its round. last is the hand to
// which the latest card was dealt.
func (r *roundReader) readSlip(p schema.Payload) error {
	take := func(kind slipKind) *slip {
		hand := &r.coup.hands[r.last]
		n := len(*hand) - 1
		r.slip = &slip{kind: kind, hand: r.last, card: (*hand)[n]}
		*hand = (*hand)[:n]
		return r.slip
	}
	switch p := p.(type) {
	case *schema.CardMoved:
		if p.From != schema.MovePlacePlayer || len(r.coup.hands[player]) != 3 {
			return nil
		}
		sl := take(slipMoved)
		r.coup.hands[banker] = append(r.coup.hands[banker], sl.card)
	case *schema.CardCarriedOver:
		take(slipCarried)
	case *schema.CardFoundFaceup:
		c, err := parseCard(p.Card)
		if err != nil {
			return err
		}
		r.found, r.foundAt = append(r.found, stray{card: c}), r.coup.cards()
	case *schema.ShoeBurned:
		cards, err := parseCards(p.Cards)
		if err != nil {
			return err
		}
		if n := len(r.found); n > 0 && r.found[n-1].burned == nil {
			r.found[n-1].burned = cards
			return nil
		}
		if r.coup.cards() > 4 {
			take(slipBurned).burned = cards
		}
	}
	return nil
}

// handed is the seat to which a hand goes to be turned over, 0 for the dealer: the highest stake on
// it, of equals the one met first counterclockwise. 9 NYCRR 5324.21(f)(3)(ii).
func (r *roundPlan) handed(h int) uint32 {
	var sums [16]int64
	spot := schema.SpotPlayer
	if h == banker {
		spot = schema.SpotBanker
	}
	for i := range r.stakes {
		if st := &r.stakes[i]; st.spot == spot && !st.withdrawn && int(st.seat) < len(sums) {
			sums[st.seat] += st.amount - st.coupon
		}
	}
	best := uint32(0)
	for seat, sum := range sums {
		if sum > sums[best] {
			best = uint32(seat)
		}
	}
	return best
}

// squeeze lets the patron entitled turn over the first two cards of a hand.
func (w *writer) squeeze(r *roundPlan, h int, seqs []uint32) {
	seat := r.handed(h)
	if g := r.gives[h]; g != nil && seat == g.seat {
		p := &schema.SqueezeRelinquished{Hand: handWord(h), Seat: seat, Cause: schema.PassCauseVoluntary}
		by := schema.Actor{Role: schema.RolePatron, ID: w.patronAt(seat)}
		if g.ordered {
			p.Cause, p.Ground, p.OrderedByRole = schema.PassCauseOrdered, "unreasonable delay", schema.RoleFloorperson
			by = schema.Actor{}
		}
		w.emitBy(p, by)
		seat = 0
		for _, o := range g.offers {
			w.emit(&schema.SqueezeOffered{Hand: handWord(h), Seat: o.seat, Accepted: o.accepted})
			if o.accepted {
				seat = o.seat
			}
		}
	}
	if r.handTo[h] > 0 {
		seat = r.handTo[h]
	}
	w.squeezer[h] = seat
	w.turn(h, seqs)
}

// turn has cards of a hand turned over by the patron who has it, or by the dealer.
func (w *writer) turn(h int, seqs []uint32) {
	seat := w.squeezer[h]
	if seat == 0 {
		for _, seq := range seqs {
			w.emit(&schema.CardRevealed{CardSeq: seq, ByRole: schema.RoleDealer})
		}
		return
	}
	w.emit(&schema.CardsHanded{Hand: handWord(h), Seat: seat, CardSeqs: slices.Clone(seqs), Face: schema.FaceDown})
	w.pass(3000)
	w.emitBy(&schema.CardsReturned{Hand: handWord(h), Seat: seat, CardSeqs: slices.Clone(seqs), Face: schema.FaceUp},
		schema.Actor{Role: schema.RolePatron, ID: w.patronAt(seat)})
}
