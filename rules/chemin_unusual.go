package rules

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
)

// What is in 19:47-4.8 to 4.14, of which the text was not found: the announcements and the irregularities of chemin de
// fer. Nothing is judged by the sentences of the other games.

// checkUnusualCall finds a call that the cards do not bear out and that was not put right. It cannot be judged.
func checkUnusualCall(p *Pass) {
	c, ok := p.called()
	if !ok {
		return
	}
	wrong := func(s *spoken) bool { return s.wrong != nil && !s.corrected(p.Round) }
	cannot := func(s *spoken, want string) {
		p.CannotJudge(fmt.Sprintf("%s; by the cards: %s", p.rule.Unknown, want), s.wrong.Seq)
	}
	for h, want := range map2(c.P2, c.B2) {
		if s := countsHeard(p.Round, baccarat.PointCount, h, want); wrong(&s) {
			cannot(&s, fmt.Sprintf("%v point count %d", h, want))
			return
		}
	}
	for h, want := range map2(c.P, c.B) {
		if s := countsHeard(p.Round, baccarat.FinalCount, h, want); wrong(&s) {
			cannot(&s, fmt.Sprintf("%v final count %d", h, want))
			return
		}
	}
	want := baccarat.TieHand
	switch c.Result() {
	case baccarat.PlayerWon:
		want = baccarat.PlayerWins
	case baccarat.BankerWon:
		want = baccarat.BankerWins
	}
	if s := winnersHeard(p.Round, want); wrong(&s) {
		cannot(&s, callName(want))
	}
}

// checkUnusualIrregularity finds a card found face up, a card that was taken out of its hand, and a burn in play. None
// can be judged.
func checkUnusualIrregularity(p *Pass) {
	r, s := p.Round, p.Shoe
	within := func(no uint32) bool { return no == r.No || no > r.No && r.Next == 0 }
	if irregular(r) {
		p.CannotJudge(p.rule.Unknown, cardEvidence(r)...)
		return
	}
	if i := record.Index(s.FaceUps, func(f *record.FoundFaceUp) bool { return within(f.Round) }); i >= 0 {
		p.CannotJudge(p.rule.Unknown, s.FaceUps[i].Seq)
		return
	}
	if i := record.Index(s.Burns, func(b *record.Burn) bool { return !b.Opening && within(b.Round) }); i >= 0 {
		p.CannotJudge(p.rule.Unknown, s.Burns[i].Seq)
	}
}
