package rules

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// astrayCard is a card that was moved from its hand to the other one and back again: the two moves, and what was
// called, instructed or dealt while it lay there, empty if nothing was.
type astrayCard struct {
	card     *record.DealtCard
	out, in  record.Seq
	at       baccarat.Hand
	followed string
}

// movedBack are the cards of the first four, or the third cards, that were moved to the other hand and back. Of several
// excursions of a card it is the first during which something followed, otherwise the first one.
func movedBack(r *record.Round, thirds bool) (list []astrayCard) {
	if len(r.Moves) < 2 {
		return nil
	}
	for i := range r.Cards {
		c := &r.Cards[i]
		if c.Final != c.Hand || (c.Index > 2) != thirds {
			continue
		}
		found := astrayCard{}
		for out, in := range excursions(r, c) {
			if a := (astrayCard{c, out, in, c.Hand.Other(), follows(r, out, in)}); found.card == nil ||
				found.followed == "" && a.followed != "" {
				found = a
			}
		}
		if found.card != nil {
			list = append(list, found)
		}
	}
	return list
}

// excursions are the moves of a card to the other hand, each with the next one to its own hand.
func excursions(r *record.Round, c *record.DealtCard) func(yield func(out, in record.Seq) bool) {
	return func(yield func(out, in record.Seq) bool) {
		out := record.Seq(0)
		for _, m := range r.Moves {
			to := m.Hand()
			switch {
			case m.CardSeq != c.CardSeq || to == baccarat.NoHand:
			case to != c.Hand && out == 0:
				out = m.Seq
			case to == c.Hand && out != 0:
				if !yield(out, m.Seq) {
					return
				}
				out = 0
			}
		}
	}
}

// follows is the first call about the hands, instruction or third card between two events, empty if there is none.
func follows(r *record.Round, from, to record.Seq) (what string) {
	first := to
	note := func(seq record.Seq, name string) {
		if seq > from && seq < first {
			first, what = seq, name
		}
	}
	for i := range r.Calls {
		switch c := &r.Calls[i]; c.Code {
		case baccarat.NoMoreBets, baccarat.CardsCommand, baccarat.LastHand:
		case baccarat.PointCount, baccarat.FinalCount:
			note(c.Seq, fmt.Sprintf("the %v count was called", c.Hand))
		default:
			note(c.Seq, "the result was called")
		}
	}
	for _, in := range r.Instructions {
		note(in.Seq, fmt.Sprintf("the instruction for the %v hand was given", in.Hand))
	}
	for i := range r.Cards {
		if c := &r.Cards[i]; c.Index > 2 {
			note(c.Seq, cardName(c)+" was dealt")
		}
	}
	return what
}

// initialMovedBack judges cards of the first four that were moved to the other hand and back: they constitute the hand
// to which they were dealt. N.J.A.C. 19:47-3.7(c), 7.7(c); 9 NYCRR 5324.21(f)(3). What was decided meanwhile may have
// been decided by the wrong hands.
func (p *Pass) initialMovedBack() {
	f := Finding{Expected: "PLAYER BANKER PLAYER BANKER", Verdict: finding.Information}
	for _, a := range movedBack(p.Round, false) {
		if f.Observed != "" {
			f.Observed += ", "
		}
		f.Observed += fmt.Sprintf("%v moved to %v and back", a.card.Card, a.at)
		f.Evidence = append(f.Evidence, a.card.Seq, a.out, a.in)
		if a.followed != "" {
			f.Observed += ", there when " + a.followed
			f.Verdict = finding.Suspect
		}
	}
	byPatron := slices.ContainsFunc(p.Round.Touches, func(t record.Touched) bool {
		return slices.Contains(f.Evidence, t.Seq) // is a finding of its own
	})
	if f.Evidence != nil && (f.Verdict == finding.Suspect || !byPatron) {
		p.Report(f)
	}
}

// thirdMovedBack suspects third cards that lay at the other hand while something was called or dealt.
func (p *Pass) thirdMovedBack() {
	for _, a := range movedBack(p.Round, true) {
		if a.followed == "" || !p.lawful(a.card.Hand) {
			continue
		}
		p.Suspect(Finding{
			Subject: finding.OfCard(a.card.CardSeq), Evidence: []record.Seq{a.card.Seq, a.out, a.in},
			Expected: fmt.Sprintf("%s at the %v hand", cardName(a.card), a.card.Hand),
			Observed: fmt.Sprintf("moved to %v and back, there when %s", a.at, a.followed),
			Cites:    p.exactly(ofThird(a.card.Hand)...),
		})
	}
}
