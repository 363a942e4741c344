package shoe

import (
	"github.com/shoeproof/shoeproof/schema"
)

// burnFaceUp burns the cards that lie face up in front of the next card.
func (w *Writer) burnFaceUp(r *Round, round uint32) {
	to := w.House.discards()
	for _, f := range r.FaceUp {
		w.cuttingCardWithin(1+len(f.Burned), round)
		w.cardSeq++
		w.Emit(&schema.CardFoundFaceup{CardSeq: uint32(w.cardSeq), Card: f.Card.String(), Destination: to})
		seq := uint32(w.cardSeq)
		w.burnMore(f.Card, f.Burned, schema.BurnShownAll)
		if f.Dealt {
			w.carried = seq
		}
	}
}

// burnMore burns the cards that the rank of a disclosed card demands.
func (w *Writer) burnMore(indicator Card, cards []Card, shown schema.BurnShown) {
	w.Emit(&schema.ShoeBurned{
		Reason: schema.BurnReasonIrregularity, Indicator: indicator.String(), Count: uint32(len(cards)),
		Cards: cardNames(cards),
		Shown: shown, Destination: w.House.burnedTo(),
	})
	w.cardSeq += len(cards)
}

// cuttingCardWithin emits the cutting card if it lies among the next cards, which leave the shoe together.
func (w *Writer) cuttingCardWithin(cards int, round uint32) {
	if w.cuttingCardAt < w.cardSeq || w.cuttingCardAt >= w.cardSeq+cards {
		return
	}
	w.Emit(&schema.CutcardSeen{AfterCardSeq: uint32(w.cuttingCardAt), SetAside: true})
	w.cuttingCardAt, w.cuttingCardRound = -1, round
}

// misdraw draws the card in error and applies its remedy.
func (w *Writer) misdraw(r *Round) {
	sl := r.Misdraw
	face, shown := schema.FaceUp, schema.BurnShownAll
	if sl.Hidden {
		face, shown = schema.FaceDown, schema.BurnShownNone
	}
	if sl.Remedy >= CarriedOver || sl.Remedy == MovedToBanker && w.House.Midi {
		face = schema.FaceDown
	}
	w.cuttingCardBefore()
	w.cardSeq++
	seq := uint32(w.cardSeq)
	w.emitCard(sl.Hand, r.Coup.Size(sl.Hand), sl.Card, face)
	switch sl.Remedy {
	case MovedToBanker:
		w.deal.seqs = append(w.deal.seqs, seq)
	case BurnedWithCount:
		w.cuttingCardWithin(len(sl.Burned), w.RoundNumber)
		w.burnMore(sl.Card, sl.Burned, shown)
	case CarriedOver:
		w.Emit(&schema.CardCarriedOver{CardSeq: seq, ToRound: w.RoundNumber + 1})
		w.carried = seq
	case PutAway:
		w.Emit(&schema.DiscardPlaced{CardSeqs: []uint32{seq}, Destination: w.House.discards(), OrderPreserved: true})
	}
}
