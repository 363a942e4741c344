package shoe

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// squeeze lets the entitled patron turn over the first two cards of a hand.
func (w *Writer) squeeze(r *Round, h int, seqs []uint32) {
	seat := r.EntitledSeat(h)
	if g := r.Relinquished[h]; g != nil && seat == g.Seat {
		p := &schema.SqueezeRelinquished{Hand: HandOf(h), Seat: seat, Cause: schema.PassCauseVoluntary}
		by := schema.Actor{Role: schema.RolePatron, ID: w.patronAt(seat)}
		if g.Ordered {
			p.Cause, p.Ground, p.OrderedByRole = schema.PassCauseOrdered, "unreasonable delay", schema.RoleFloorperson
			by = schema.Actor{}
		}
		w.emitBy(p, by)
		seat = 0
		for _, o := range g.Offers {
			w.Emit(&schema.SqueezeOffered{Hand: HandOf(h), Seat: o.Seat, Accepted: o.Accepted})
			if o.Accepted {
				seat = o.Seat
			}
		}
	}
	if r.HandTo[h] > 0 {
		seat = r.HandTo[h]
	}
	w.squeezer[h] = seat
	w.turn(h, seqs)
}

// turn emits the turning over of cards by the patron who has the hand, or by the dealer.
func (w *Writer) turn(h int, seqs []uint32) {
	seat := w.squeezer[h]
	if seat == 0 {
		for _, seq := range seqs {
			w.Emit(&schema.CardRevealed{CardSeq: seq, ByRole: schema.RoleDealer})
		}
		return
	}
	w.Emit(&schema.CardsHanded{Hand: HandOf(h), Seat: seat, CardSeqs: slices.Clone(seqs), Face: schema.FaceDown})
	w.Wait(3000)
	w.emitBy(&schema.CardsReturned{Hand: HandOf(h), Seat: seat, CardSeqs: slices.Clone(seqs), Face: schema.FaceUp},
		schema.Actor{Role: schema.RolePatron, ID: w.patronAt(seat)})
}
