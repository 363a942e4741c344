package shoe

import (
	"github.com/shoeproof/shoeproof/schema"
)

// dealRound emits the cards of a round with the announcements between them.
func (w *Writer) dealRound(s *Plan, r *Round) {
	w.deal.seqs = w.deal.seqs[:0]
	w.squeezer = [2]uint32{}
	var first [2][2]uint32
	for n := range 4 {
		h, i := n%2, n/2
		if r.InRow {
			h, i = i, h
		}
		if n > 0 && n == r.FaceUpAt {
			w.burnFaceUp(r, w.RoundNumber)
		}
		if n > 0 && n == r.PassAt {
			w.Emit(&schema.CuratorPassed{Seat: w.Curator, Cause: schema.PassCauseVoluntary})
			w.chooseCurator(s, w.Curator)
		}
		first[h][i] = w.card(r, h, i)
	}
	if w.House.Midi {
		for _, seq := range first[Banker] {
			w.Emit(&schema.CardMoved{CardSeq: seq, From: schema.MovePlaceBanker, To: schema.MovePlaceUnderShoeRight})
		}
	}
	for h := range 2 {
		w.showHand(r, h, first[h][:])
		w.announceCount(schema.CallPointCount, h, r.Coup.First(h))
	}
	if r.Void != schema.VoidCauseUnspecified {
		for h := range 2 {
			if r.Coup.Size(h) > 2 {
				w.thirdCard(r, h)
			}
		}
		return
	}
	order := [2]int{Player, Banker}
	if r.BankerFirst {
		order = [2]int{Banker, Player}
	}
	slipped := r.Misdraw == nil
	for _, h := range order {
		w.thirdCard(r, h)
		if !slipped && h == Player && r.Misdraw.Hand == Player && r.Coup.Size(Player) == 2 {
			w.misdraw(r)
			slipped = true
		}
	}
	for h := range 2 {
		for i := 3; i < r.Coup.Size(h); i++ {
			w.card(r, h, i)
		}
	}
	if !slipped {
		w.misdraw(r)
	}
}

// showHand turns over the first two cards of a hand if they lie face down.
func (w *Writer) showHand(r *Round, h int, seqs []uint32) {
	switch {
	case w.House.Midi:
		w.squeeze(r, h, seqs)
		for _, seq := range seqs {
			if h == Banker {
				w.Emit(&schema.CardMoved{
					CardSeq: seq, From: schema.MovePlaceUnderShoeRight,
					To: schema.MovePlaceBanker,
				})
			}
		}
	case w.House.faceDown && !w.House.Bucket:
		for _, seq := range seqs {
			w.Emit(&schema.CardRevealed{CardSeq: seq, ByRole: schema.RoleDealer})
			if h == Banker {
				w.Emit(&schema.CardMoved{
					CardSeq: seq, From: schema.MovePlaceUnderShoeRight,
					To: schema.MovePlaceBanker,
				})
			}
		}
	}
}

func (w *Writer) thirdCard(r *Round, h int) {
	c := &r.Coup
	if w.House.Punto {
		instruction := schema.InstructionStay
		if c.Size(h) > 2 {
			instruction = schema.InstructionDraw
		}
		w.Emit(&schema.DealInstructed{Hand: HandOf(h), Instruction: instruction})
	}
	if c.Size(h) < 3 {
		return
	}
	seq := w.cardSeq
	if h == Banker && r.Misdraw != nil && r.Misdraw.Remedy == MovedToBanker {
		w.Emit(&schema.CardMoved{CardSeq: uint32(seq), From: schema.MovePlacePlayer, To: schema.MovePlaceBanker})
	} else {
		seq = int(w.card(r, h, 2))
	}
	if w.House.Midi {
		w.turn(h, []uint32{uint32(seq)})
	}
}

// card emits the next card of the shoe, or the card carried over, and returns its number.
func (w *Writer) card(r *Round, h, i int) uint32 {
	seq := w.carried
	if r.CarriedToBanker && h == Player {
		seq = 0
	}
	if seq > 0 {
		w.carried = 0
	} else {
		w.cuttingCardBefore()
		w.cardSeq++
		seq = uint32(w.cardSeq)
	}
	face := schema.FaceUp
	if w.House.Midi || w.House.faceDown && !w.House.Bucket && i < 2 {
		face = schema.FaceDown
	}
	now := w.cardSeq
	w.cardSeq = int(seq)
	x := r.Coup.Hands[h][i]
	if w.Reader != nil {
		x = w.Reader(x)
	}
	w.emitCard(h, i, x, face)
	w.cardSeq = now
	w.deal.seqs = append(w.deal.seqs, seq)
	return seq
}

// emitCard emits the card with the latest number.
func (w *Writer) emitCard(h, i int, x Card, face schema.Face) {
	d := &schema.CardDealt{
		Hand: HandOf(h), Index: uint32(i) + 1, Card: x.String(), CardSeq: uint32(w.cardSeq), Face: face,
		PlacedAt: schema.CardPlaceHandArea, ByRole: schema.RoleDealer, DrawingHand: schema.DealerHandLeft,
		ReportedValue: uint32(x.Value()), HasReportedValue: x > 0, BackColor: w.BackColor,
	}
	actor := w.dealer
	switch {
	case w.House.Bucket:
		d.DrawingHand, d.ByRole, d.BySeat = schema.DealerHandUnspecified, schema.RoleCurator, w.Curator
		if w.House.Chemin {
			d.ByRole, d.BySeat = schema.RoleBanker, w.Banker
		}
		actor = schema.Actor{Role: d.ByRole, ID: w.patronAt(d.BySeat)}
		if i < 2 {
			d.PlacedAt = schema.CardPlaceDealerFront
		}
	case w.House.faceDown && i < 2 && h == Banker && !w.House.Midi:
		d.PlacedAt = schema.CardPlaceUnderShoeRight
	}
	w.emitBy(d, actor)
}

// cuttingCardBefore emits the cutting card if it lies in front of the next card.
func (w *Writer) cuttingCardBefore() {
	if w.cuttingCardAt != w.cardSeq {
		return
	}
	w.Emit(&schema.CutcardSeen{AfterCardSeq: uint32(w.cardSeq), SetAside: true})
	w.cuttingCardAt, w.cuttingCardRound = -1, w.RoundNumber
}
