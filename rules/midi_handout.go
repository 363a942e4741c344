package rules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// handout is the handing of cards to a patron, how they came back, and whether the patron gave up the right to them
// meanwhile.
type handout struct {
	out      *record.Squeeze
	backs    []*record.Squeeze
	gaveUp   record.Seq
	returned []uint32
	again    record.Seq // the handout of cards that were not named, and may be these
	before   record.Seq // the return of the cards, if it was recorded before their handout, and none after it
	beforeBy uint32     // the seat that returned them then
}

// handouts lists the handouts of a round. A handout ends where one of its cards is handed out again, or may be.
func (p *Pass) handouts() []handout {
	r, list := p.Round, p.scratch.handouts[:0]
	backs, cards := p.backs[:0], p.numbers[:0] // of all handouts, one after the other
	for i := range r.Squeezes {
		s := &r.Squeezes[i]
		if s.Kind != record.SqueezeHanded {
			continue
		}
		o, firstBack, firstCard := handout{out: s}, len(backs), len(cards)
		for j := i + 1; j < len(r.Squeezes); j++ {
			next := &r.Squeezes[j]
			shares := len(s.Cards) == 0 || len(next.Cards) == 0 ||
				slices.ContainsFunc(next.Cards, func(c uint32) bool { return slices.Contains(s.Cards, c) })
			if next.Hand != s.Hand || next.Kind == record.SqueezeHanded && !shares {
				continue
			}
			if next.Kind == record.SqueezeHanded {
				if len(next.Cards) == 0 && initial(r, next) {
					o.again = next.Seq
				}
				break
			}
			switch {
			case next.Kind == record.SqueezeReturned && !shares && handedOut(r, next):
			case next.Kind == record.SqueezeReturned && (len(o.returned) < len(s.Cards) || len(s.Cards) == 0):
				backs = append(backs, next)
				for _, card := range next.Cards {
					if !handedApart(r, s, card) {
						cards = append(cards, card)
					}
				}
				o.backs, o.returned = backs[firstBack:], cards[firstCard:]
			case next.Kind == record.SqueezeRelinquished && next.Seat == s.Seat && o.gaveUp == 0 &&
				!allUp(o.backs, len(s.Cards)):
				o.gaveUp = next.Seq
			}
		}
		slices.Sort(o.returned)
		if len(o.backs) == 0 && o.gaveUp == 0 {
			o.before, o.beforeBy = backBefore(r, s)
		}
		list = append(list, o)
	}
	p.scratch.handouts, p.backs, p.numbers = list, backs, cards
	return list
}

// backBefore is the return, face up, of the cards of a handout that was recorded before it, while no one had them, and
// the seat that returned them; 0 if there is none.
func backBefore(r *record.Round, out *record.Squeeze) (back record.Seq, seat uint32) {
	for i := range r.Squeezes {
		s := &r.Squeezes[i]
		if s.Seq >= out.Seq || s.Hand != out.Hand || !slices.Equal(s.Cards, out.Cards) || len(s.Cards) == 0 {
			continue
		}
		if s.Kind == record.SqueezeHanded {
			return 0, 0
		}
		if s.Kind == record.SqueezeReturned && s.Face == baccarat.FaceUp {
			back, seat = s.Seq, s.Seat
		}
	}
	return back, seat
}

// handedApart reports whether a card belongs to another handout of the hand to the same patron, and not to this one,
// which names its cards. The cards of both may come back together.
func handedApart(r *record.Round, out *record.Squeeze, card uint32) bool {
	return len(out.Cards) > 0 && !slices.Contains(out.Cards, card) && record.Any(r.Squeezes, func(s *record.Squeeze) bool {
		return s.Kind == record.SqueezeHanded && s.Hand == out.Hand && s.Seat == out.Seat && slices.Contains(s.Cards, card)
	})
}

// handedOut reports whether the first card that came back was handed out before.
func handedOut(r *record.Round, back *record.Squeeze) bool {
	return record.Any(r.Squeezes, func(s *record.Squeeze) bool {
		return s.Kind == record.SqueezeHanded && s.Hand == back.Hand && s.Seq < back.Seq && len(back.Cards) > 0 &&
			slices.Contains(s.Cards, back.Cards[0])
	})
}

// allUp reports whether so many cards came back face up.
func allUp(backs []*record.Squeeze, cards int) bool {
	n := 0
	for _, b := range backs {
		if b.Face == baccarat.FaceUp {
			n += len(b.Cards)
		}
	}
	return n >= cards
}

// ends is when the cards of a handout came back, or the patron gave them up; endOfTime if never.
func (o *handout) ends() record.Seq {
	if o.gaveUp != 0 || o.before != 0 {
		return max(o.gaveUp, o.before)
	}
	if o.again != 0 && len(o.returned) < len(o.out.Cards) && !o.unnamed() {
		return o.again
	}
	if len(o.backs) == 0 || len(o.returned) < len(o.out.Cards) && !o.unnamed() {
		return endOfTime
	}
	return o.backs[len(o.backs)-1].Seq
}

// uncertain is the event from which on it is not known which of the cards the patron has, 0 if it is known: it names no
// cards.
func (o *handout) uncertain() record.Seq {
	switch {
	case o.unnamed():
		return o.backs[0].Seq
	case len(o.returned) < len(o.out.Cards):
		return o.again
	}
	return 0
}

// unnamed reports whether cards came back that were not named: they may be all of them.
func (o *handout) unnamed() bool {
	return slices.ContainsFunc(o.backs, func(b *record.Squeeze) bool { return len(b.Cards) == 0 })
}

// handedOn is the seat to which a hand went next after it came back unseen, 0 if it did not.
func handedOn(list []handout, i int) uint32 {
	o := &list[i]
	if len(o.backs) == 0 || slices.ContainsFunc(o.backs, func(b *record.Squeeze) bool {
		return b.Face != baccarat.FaceDown || b.Seat != o.out.Seat
	}) {
		return 0
	}
	for _, next := range list[i+1:] {
		if next.out.Hand == o.out.Hand {
			return next.out.Seat
		}
	}
	return 0
}

// correctedTo is the seat with the highest wager to which a hand went that came back unseen from another patron, 0 if
// none: a mistake that was put right.
func (p *Pass) correctedTo(out *record.Squeeze, by *[12]ranked) uint32 {
	list := p.handouts()
	i := slices.IndexFunc(list, func(o handout) bool { return o.out == out })
	if i < 0 || anyRanked(by, func(r ranked) bool { return r.first(out.Seat) }) {
		return 0
	}
	if to := handedOn(list, i); to != 0 && anyRanked(by, func(r ranked) bool { return r.first(to) }) {
		return to
	}
	return 0
}

// corrected reports whether a hand that was handed to the wrong patron came back unseen and went to the right one.
func (p *Pass) corrected(out *record.Squeeze) bool {
	by := p.rankings(out.Hand)
	return p.correctedTo(out, &by) != 0
}

func checkSqueezeFaces(p *Pass) {
	list := p.handouts()
	for i, o := range list {
		s := o.out
		unseen := len(o.backs) > 0 && o.backs[0].Face == baccarat.FaceDown
		tooEarly := p.outBeforeCall(s) && handedOn(list, i) != 0
		if unseen && (errantOnly(p.Round, s) || initial(p.Round, s) && (tooEarly || p.corrected(s))) {
			continue
		}
		if len(s.Cards) == 0 {
			p.CannotJudge("the cards that were handed out were not named", s.Seq)
			continue
		}
		unknown := s.Face == baccarat.NoFace ||
			slices.ContainsFunc(o.backs, func(b *record.Squeeze) bool { return b.Face == baccarat.NoFace })
		if unknown && o.gaveUp == 0 {
			p.CannotJudge("the face of the cards was not reported", s.Seq)
			continue
		}
		observed, at := p.wrongHandout(&o)
		switch {
		case observed != "" || o.gaveUp != 0:
		case o.unnamed():
			p.CannotJudge("the cards that were returned were not named", s.Seq)
		case o.uncertain() != 0:
			p.CannotJudge("the cards that were handed out were not named", o.again)
		}
		if observed == "" {
			p.returnedByOther(&o)
			continue
		}
		if p.backTogether(&o) {
			continue // that the hand was divided is the one mistake: see handedInPart
		}
		if o.before != 0 && s.Face != baccarat.FaceUp {
			observed, at = "returned before they were handed out", o.before
			if o.beforeBy != s.Seat {
				observed = fmt.Sprintf("returned by seat %d before they were handed out", o.beforeBy)
			}
		}
		evidence := []record.Seq{s.Seq}
		if at != 0 {
			evidence = append(evidence, at)
		}
		p.suspectIf(o.before != 0 && at == o.before, Finding{ // one of the two may be recorded late
			Subject: finding.OfHand(s.Hand.String()), Seat: s.Seat, Evidence: evidence,
			Expected: fmt.Sprintf("%s handed to seat %d face DOWN and returned face UP", numbered("card", s.Cards), s.Seat),
			Observed: observed, Cites: p.citedOut(s), Apart: !p.backFromDue(&o),
		})
	}
	p.handedInPart()
	p.backDown()
	p.turnedBefore()
	p.touchedByOthers()
}

// backDown suspects cards that a patron returned face down, who did not give them up and to whom no hand-out is on
// record: "the player shall return the two cards, face up". 9 NYCRR 5324.21(f)(3)(ii)(b)-(e).
func (p *Pass) backDown() {
	r := p.Round
	for i := range r.Squeezes {
		back := &r.Squeezes[i]
		if back.Kind != record.SqueezeReturned || back.Face != baccarat.FaceDown || len(back.Cards) == 0 ||
			errantOnly(r, back) || p.afterVoid(back) || record.Any(r.Squeezes, func(s *record.Squeeze) bool {
			gaveUp := s.Kind == record.SqueezeRelinquished && s.Seat == back.Seat
			return s.Hand == back.Hand && (gaveUp || s.Kind == record.SqueezeHanded && (len(s.Cards) == 0 ||
				slices.ContainsFunc(s.Cards, func(c uint32) bool { return slices.Contains(back.Cards, c) })))
		}) {
			continue
		}
		p.Suspect(Finding{
			Subject: finding.OfHand(back.Hand.String()), Seat: back.Seat, Evidence: []record.Seq{back.Seq},
			Expected: fmt.Sprintf("%s returned face UP", numbered("card", back.Cards)),
			Observed: "returned face DOWN, their hand-out was not reported", Cites: p.citedOut(back),
		})
	}
}

// backTogether reports whether a hand of which each card was handed to another patron came back face up from one of the
// two, at least in part.
func (p *Pass) backTogether(o *handout) bool {
	r, s := p.Round, o.out
	if !initial(r, s) || s.Face == baccarat.FaceUp || len(s.Cards) != 1 || len(o.backs) == 0 || p.cancelled() ||
		record.Any(r.Squeezes, func(s *record.Squeeze) bool {
			return s.Kind == record.SqueezeRelinquished && s.Hand == o.out.Hand
		}) {
		return false
	}
	at := record.Index(r.Squeezes, func(other *record.Squeeze) bool {
		return other.Kind == record.SqueezeHanded && other.Hand == s.Hand && other.Seat != s.Seat && initial(r, other) &&
			len(other.Cards) == 1 && other.Cards[0] != s.Cards[0]
	})
	return at >= 0 && !slices.ContainsFunc(o.backs, func(b *record.Squeeze) bool {
		other := &r.Squeezes[at]
		return b.Face != baccarat.FaceUp || b.Seat != s.Seat && b.Seat != other.Seat ||
			slices.ContainsFunc(b.Cards, func(c uint32) bool { return c != s.Cards[0] && c != other.Cards[0] })
	})
}

// outBeforeCall reports whether a banker hand was handed out before the player hand was called: midi.squeeze.order has
// it.
func (p *Pass) outBeforeCall(out *record.Squeeze) bool {
	return out.Hand == baccarat.Banker && out.Seq < counted(p.Round, baccarat.Player) && p.judges("midi.squeeze.order")
}

// errantOnly reports whether the cards of a hand-out were all drawn in error, and left the hand afterwards: that they
// were taken back unseen is a part of the remedy.
func errantOnly(r *record.Round, out *record.Squeeze) bool {
	return len(out.Cards) > 0 && !slices.ContainsFunc(out.Cards, func(number uint32) bool {
		c := r.Card(number)
		return c == nil || c.Index < 3 || c.Fate == record.Kept || c.FateAt < out.Seq
	})
}

// returnedByOther suspects a spectator who returned cards in the place of the patron to whom they were handed: "the
// player shall return the two cards". 9 NYCRR 5324.21(f)(3)(ii)(b)-(e).
func (p *Pass) returnedByOther(o *handout) {
	for _, back := range o.backs {
		if back.By == baccarat.RoleSpectator {
			p.Suspect(Finding{
				Subject: finding.OfHand(o.out.Hand.String()), Seat: o.out.Seat, Evidence: []record.Seq{o.out.Seq, back.Seq},
				Expected: fmt.Sprintf("%s viewed and returned by seat %d", numbered("card", o.out.Cards), o.out.Seat),
				Observed: fmt.Sprintf("returned by %v", back.By), Cites: p.citedOut(o.out),
			})
			return
		}
	}
}

// backFromDue reports whether cards that were handed to one patron came back face up from the one to whom they were
// due: that they were handed to the wrong patron, if it is found, is the one mistake.
func (p *Pass) backFromDue(o *handout) bool {
	r, due := p.Round, func(seat uint32) bool { return seat == turnedBy(p.Round, o.out.Hand) }
	if initial(r, o.out) {
		by := p.rankings(o.out.Hand)
		due = func(seat uint32) bool { return anyRanked(&by, func(k ranked) bool { return k.first(seat) }) }
	}
	other := func(b *record.Squeeze) bool {
		return b.Face != baccarat.FaceUp || b.Seat == o.out.Seat || !due(b.Seat)
	}
	return o.out.Face != baccarat.FaceUp && len(o.backs) > 0 && !slices.ContainsFunc(o.backs, other)
}

// turnedBy is the seat that returned the first two cards of a hand last, 0 if none did.
func turnedBy(r *record.Round, h baccarat.Hand) (seat uint32) {
	third := r.CardAt(h, 3)
	for i := range r.Squeezes {
		if s := &r.Squeezes[i]; s.Kind == record.SqueezeReturned && s.Hand == h &&
			(third == nil || !slices.Contains(s.Cards, third.CardSeq)) {
			seat = s.Seat
		}
	}
	return seat
}

// citedOut are the clauses on the cards that were handed out.
func (p *Pass) citedOut(out *record.Squeeze) []string {
	if initial(p.Round, out) {
		return p.exactly(ofHand(out.Hand, 2)...)
	}
	return p.exactly(ofHand(out.Hand, 3)...)
}

// touchedByOthers suspects who touched a card, or turned it, and had not been handed the hand: "the player with the
// highest wager" views the cards, 9 NYCRR 5324.21(f)(3)(ii)(b)-(e), and the sentence against handling them names mini
// baccarat alone, (i)(5).
func (p *Pass) touchedByOthers() {
	r := p.Round
	for i := range r.Touches {
		t := &r.Touches[i]
		if placed(r, t.Seq) || t.Role != baccarat.RoleSpectator && (t.Role != baccarat.RolePatron || p.out(t)) {
			continue
		}
		p.Suspect(Finding{
			Subject: finding.OfSeat(t.Seat), Seat: t.Seat, Evidence: []record.Seq{t.Seq},
			Expected: "cards touched by the patron to whom they were handed", Observed: "touched by " + person(t.Role, t.Seat),
		})
	}
	for i := range r.Cards {
		c := &r.Cards[i]
		if c.RevealedBy != baccarat.RoleSpectator {
			continue
		}
		at := record.Index(r.Squeezes, func(s *record.Squeeze) bool {
			return s.Kind == record.SqueezeHanded && s.Seq < c.Revealed && slices.Contains(s.Cards, c.CardSeq)
		})
		if at < 0 {
			continue // turnedBefore has it
		}
		out := &r.Squeezes[at]
		p.Suspect(Finding{
			Subject: finding.OfCard(c.CardSeq), Seat: out.Seat, Evidence: []record.Seq{out.Seq, c.Revealed},
			Expected: fmt.Sprintf("%s viewed and returned by seat %d", cardName(c), out.Seat),
			Observed: fmt.Sprintf("turned by %v", c.RevealedBy), Cites: p.exactly(ofHand(c.Hand, c.Index)...),
		})
	}
}

// placed reports whether an event placed a card on the layout, which is an act of the dealer, and did not put it to the
// other hand.
func placed(r *record.Round, seq record.Seq) bool {
	return record.Any(r.Moves, func(m *record.Move) bool {
		c := r.Card(m.CardSeq)
		other := c != nil && (m.To == record.MovedToPlayer && c.Hand == baccarat.Banker ||
			m.To == record.MovedToBanker && c.Hand == baccarat.Player)
		return m.Seq == seq && !other
	})
}

// out reports whether a patron who touched a card had been handed a hand that was not returned yet. A patron whose seat
// was not reported may be any of them.
func (p *Pass) out(t *record.Touched) bool {
	for _, o := range p.handouts() {
		if o.out.Seq < t.Seq && t.Seq < o.ends() && (t.Seat == 0 || t.Seat == o.out.Seat) {
			return true
		}
	}
	return false
}

// turnedBefore suspects a card that was turned before it was handed to a patron face down: "the dealer shall then hand
// the two cards of the player's hand, face down". 9 NYCRR 5324.21(f)(3)(ii)(b)-(e).
func (p *Pass) turnedBefore() {
	r := p.Round
	for i := range r.Cards {
		c := &r.Cards[i]
		at := slices.IndexFunc(r.Squeezes, func(s record.Squeeze) bool {
			return s.Kind == record.SqueezeHanded && slices.Contains(s.Cards, c.CardSeq)
		})
		if c.Revealed == 0 || at < 0 || c.Revealed > r.Squeezes[at].Seq || r.Squeezes[at].Face == baccarat.FaceUp ||
			c.Face != baccarat.FaceDown {
			continue
		}
		if back, _ := backBefore(r, &r.Squeezes[at]); back == c.Revealed {
			continue
		}
		p.Suspect(Finding{
			Subject: finding.OfCard(c.CardSeq), Seat: r.Squeezes[at].Seat,
			Evidence: []record.Seq{c.Revealed, r.Squeezes[at].Seq},
			Expected: fmt.Sprintf("%s handed to seat %d face DOWN", cardName(c), r.Squeezes[at].Seat),
			Observed: fmt.Sprintf("turned by %v before", c.RevealedBy), Cites: p.exactly(ofHand(c.Hand, c.Index)...),
		})
	}
}

// secondDue reports whether a hand was due to the patron who got its other card, and not to the one who got the first.
func (p *Pass) secondDue(out *record.Squeeze, other uint32) bool {
	by := p.rankings(out.Hand)
	return !anyRanked(&by, func(r ranked) bool { return r.first(out.Seat) }) &&
		anyRanked(&by, func(r ranked) bool { return r.first(other) })
}

// handedInPart finds a hand of which one card was handed to a patron, who did not give it up, and the other one to
// another patron, or to no one: "the two cards of the player's hand". 9 NYCRR 5324.21(f)(3)(ii)(b)-(c).
func (p *Pass) handedInPart() {
	r := p.Round
	for i := range r.Cards {
		c := &r.Cards[i]
		out := firstOut(r, c.Hand)
		if c.Index > 2 || c.Final != c.Hand || out == nil || len(out.Cards) == 0 || slices.Contains(out.Cards, c.CardSeq) ||
			p.cancelled() || record.Any(r.Squeezes, func(s *record.Squeeze) bool {
			unnamed := s.Kind == record.SqueezeHanded && len(s.Cards) == 0 && initial(r, s)
			return s.Hand == c.Hand && (s.Kind == record.SqueezeRelinquished && s.Seq > out.Seq || unnamed)
		}) {
			continue
		}
		f := Finding{
			Subject: finding.OfCard(c.CardSeq), Seat: out.Seat, Evidence: []record.Seq{out.Seq, c.Seq},
			Expected: fmt.Sprintf("both cards of the %v hand handed to seat %d", c.Hand, out.Seat),
			Observed: cardName(c) + " not handed out", Cites: p.exactly(ofHand(c.Hand, c.Index)...),
		}
		other := record.Index(r.Squeezes, func(s *record.Squeeze) bool {
			return s.Kind == record.SqueezeHanded && slices.Contains(s.Cards, c.CardSeq)
		})
		switch {
		case other >= 0 && r.Squeezes[other].Seat == out.Seat, c.Revealed != 0 && c.Revealed < out.Seq:
			continue
		case other >= 0 && p.secondDue(out, r.Squeezes[other].Seat):
			continue // the first card went to the wrong patron: the rule about the recipient has it
		case other >= 0:
			f.Observed = fmt.Sprintf("%s handed to seat %d", cardName(c), r.Squeezes[other].Seat)
			f.Evidence[1] = r.Squeezes[other].Seq
			p.Report(f)
			continue
		case c.RevealedBy == baccarat.RoleDealer:
			f.Observed, f.Evidence[1] = cardName(c)+" turned by DEALER", c.Revealed
		case c.Revealed != 0:
			continue
		}
		p.Suspect(f)
	}
}

// afterVoid reports whether cards were taken back after their round was declared void: they may be unseen.
func (p *Pass) afterVoid(back *record.Squeeze) bool {
	voided := p.Round.Voided.Seq
	return p.cancelled() && voided != 0 && back.Seq > voided
}

// wrongHandout describes what is wrong with a handout, empty if it is right. Cards that the patron gave up are taken
// back unseen, (f)(3)(ii)(g).
func (p *Pass) wrongHandout(o *handout) (string, record.Seq) {
	s := o.out
	if s.Face == baccarat.FaceUp {
		return "handed out face UP", 0
	}
	if o.gaveUp != 0 {
		return "", 0
	}
	turned := record.Index(p.Round.Cards, func(c *record.DealtCard) bool {
		return slices.Contains(s.Cards, c.CardSeq) && c.RevealedBy == baccarat.RoleDealer && c.Revealed > s.Seq
	})
	for _, b := range o.backs {
		switch {
		case b.Seat != s.Seat:
			return fmt.Sprintf("returned by seat %d", b.Seat), b.Seq
		case b.Face == baccarat.FaceDown && !p.afterVoid(b):
			return "returned face DOWN", b.Seq
		}
	}
	var few [8]uint32 // no allocation for a hand
	cards := append(few[:0], s.Cards...)
	slices.Sort(cards)
	switch {
	case turned >= 0 && p.Round.Cards[turned].Revealed < cmp.Or(o.uncertain(), o.ends()):
		return "turned by DEALER while the patron had them", p.Round.Cards[turned].Revealed
	case o.uncertain() != 0:
		return "", 0
	case len(o.returned) > 0 && !slices.Equal(o.returned, cards):
		return "returned " + numbered("card", o.returned), o.backs[0].Seq
	case len(o.returned) == 0 && !p.cancelled():
		return "not returned", 0
	}
	return "", 0
}

// initial reports whether a handout has a card of the first two, or came before the third card if its cards were not
// named.
func initial(r *record.Round, out *record.Squeeze) bool {
	for _, index := range []uint8{1, 2} {
		if c := r.CardAt(out.Hand, index); c != nil && slices.Contains(out.Cards, c.CardSeq) {
			return true
		}
	}
	third := r.CardAt(out.Hand, 3)
	return len(out.Cards) == 0 && (third == nil || out.Seq < third.Seq)
}

func checkSqueezeOrder(p *Pass) {
	r := p.Round
	list := p.handouts()
	p.thirdsInTurn(list)
	p.bankerPlacedLate()
	p.bankerTurnedEarly()
	for i := range list {
		out := list[i].out
		if c := notYetDealt(r, out); c != nil && c.Index > 2 {
			p.CannotJudge(cardName(c)+" was recorded as handed out before it was dealt", out.Seq, c.Seq)
		}
	}
	exchanged, called := p.countsExchanged(list), counted(r, baccarat.Player)
	banker := handed(r, baccarat.Banker)
	late := !exchanged && banker != nil && called != 0 && banker.Seq < called // the player's count
	if late {
		f := Finding{
			Expected: "BANKER hand handed out after the PLAYER point count is called",
			Observed: fmt.Sprintf("handed to seat %d before the call", banker.Seat),
			Evidence: []record.Seq{banker.Seq, called},
		}
		i := slices.IndexFunc(list, func(o handout) bool { return o.out == banker })
		if handedOn(list, i) != 0 && list[i].ends() < called {
			f.Verdict, f.Observed = finding.Information, f.Observed+", and taken back unseen"
		}
		suspectEarly(r, banker, &f)
		p.Report(f)
	}
	if out, fourth := firstOut(r, baccarat.Player), r.CardAt(baccarat.Banker, 2); out != nil && fourth != nil &&
		out.Seq < fourth.Seq {
		f := Finding{
			Subject: finding.OfHand(baccarat.Player.String()), Seat: out.Seat, Evidence: []record.Seq{out.Seq, fourth.Seq},
			Expected: "PLAYER hand handed out after the four cards were dealt",
			Observed: fmt.Sprintf("handed to seat %d before %s was dealt", out.Seat, cardName(fourth)),
		}
		suspectEarly(r, out, &f)
		p.Report(f)
	}
	for _, h := range []baccarat.Hand{baccarat.Player, baccarat.Banker} {
		called := counted(r, h)
		if called == 0 || exchanged {
			continue
		}
		i := slices.IndexFunc(list, func(o handout) bool {
			before := o.out.Seq < called && !(late && h == baccarat.Player)
			return o.out.Hand == h && o.ends() > called && (before || initial(r, o.out))
		})
		if i < 0 {
			continue
		}
		out := list[i].out
		f := Finding{
			Subject: finding.OfHand(h.String()), Seat: out.Seat, Evidence: []record.Seq{out.Seq, called},
			Expected: fmt.Sprintf("%v point count called after the hand was returned", h),
		}
		f.Observed = fmt.Sprintf("called before the hand was handed to seat %d", out.Seat)
		if out.Seq < called {
			f.Observed = fmt.Sprintf("called while seat %d had the cards", out.Seat)
		}
		p.Report(f)
	}
}

// notYetDealt is a card of a hand-out that was dealt after it, nil if there is none: one of the two was recorded at
// another time.
func notYetDealt(r *record.Round, out *record.Squeeze) *record.DealtCard {
	for _, number := range out.Cards {
		if c := r.Card(number); c != nil && c.Seq > out.Seq {
			return c
		}
	}
	return nil
}

// suspectEarly makes a finding about a hand-out that was recorded before one of its cards a suspicion.
func suspectEarly(r *record.Round, out *record.Squeeze, f *Finding) {
	if c := notYetDealt(r, out); c != nil && f.Verdict == "" {
		f.Verdict, f.Observed = finding.Suspect, f.Observed+", and recorded before "+cardName(c)+", which it names"
	}
}

// bankerTurnedEarly suspects a banker hand that the dealer turned, without handing it out, before the player hand was
// called: it waits under the shoe until then, and the banker hand comes after it.
func (p *Pass) bankerTurnedEarly() {
	r := p.Round
	called := counted(r, baccarat.Player)
	if called == 0 || p.cancelled() || firstOut(r, baccarat.Banker) != nil {
		return
	}
	for i := range r.Cards {
		c := &r.Cards[i]
		if c.Hand != baccarat.Banker || c.Index > 2 || c.RevealedBy != baccarat.RoleDealer || c.Revealed > called {
			continue
		}
		p.Suspect(Finding{
			Subject: finding.OfCard(c.CardSeq), Evidence: []record.Seq{c.Revealed, called},
			Cites:    p.exactly("(ii)(a)", "(ii)(c)"),
			Expected: cardName(c) + " turned after the PLAYER point count is called", Observed: "turned before the call",
		})
		return
	}
}

// bankerPlacedLate suspects a banker hand that was called, or followed by a third card, before its cards were placed.
func (p *Pass) bankerPlacedLate() {
	if p.cancelled() || !p.Config.Reports(baccarat.FeedTableCamera) {
		return
	}
	called := counted(p.Round, baccarat.Player)
	if _, next := afterBanker(p.Round); next < counted(p.Round, baccarat.Banker) && p.judges("announce.initial-counts") {
		return // the count is late as well: that is the one mistake
	}
	for i := range p.Round.Cards {
		c := &p.Round.Cards[i]
		if c.Hand == baccarat.Banker && c.Index <= 2 && p.placedLate(c, called, "(ii)(c)") {
			return
		}
	}
}

// countsExchanged reports the point counts that were called in each other's place, which is one deviation: the banker's
// when the player hand had come back, the player's when the banker hand had.
func (p *Pass) countsExchanged(list []handout) bool {
	r := p.Round
	player, banker := counted(r, baccarat.Player), counted(r, baccarat.Banker)
	out, back := firstOut(r, baccarat.Banker), [3]record.Seq{}
	for i := range list {
		if o := &list[i]; initial(r, o.out) {
			back[o.out.Hand] = max(back[o.out.Hand], o.ends())
		}
	}
	if out == nil || back[baccarat.Player] == 0 || back[baccarat.Player] > banker || banker > out.Seq ||
		back[baccarat.Banker] > player {
		return false
	}
	p.Report(Finding{
		Expected: "PLAYER point count called before the BANKER hand is handed out, BANKER point count after its return",
		Observed: "each called in place of the other", Evidence: []record.Seq{banker, out.Seq, player},
	})
	return true
}

// thirdsInTurn finds what follows a third card while a patron has it: the banker hand takes its card after the player's
// came back, and the final count is announced after the return. 9 NYCRR 5324.21(f)(3)(ii)(d)-(e), (g)(2), (i)(1).
func (p *Pass) thirdsInTurn(list []handout) {
	r := p.Round
	banker := r.CardAt(baccarat.Banker, 3)
	for i := range list {
		o, h := &list[i], list[i].out.Hand
		third := r.CardAt(h, 3)
		if third == nil || third.Final != h || o.ends() == endOfTime || !slices.Contains(o.out.Cards, third.CardSeq) {
			continue
		}
		f := Finding{Subject: finding.OfCard(third.CardSeq), Seat: o.out.Seat}
		final := record.Index(r.Calls, func(c *record.Call) bool { return c.Code == baccarat.FinalCount && c.Hand == h })
		switch {
		case h == baccarat.Player && banker != nil && banker.Seq > third.Seq && banker.Seq < o.ends():
			f.Expected = fmt.Sprintf("%s dealt after %s was returned", cardName(banker), cardName(third))
			f.Observed = fmt.Sprintf("dealt before its return by seat %d", o.out.Seat)
			if f.Evidence = []record.Seq{banker.Seq}; p.Law.Drawing.BankerAlways(r.Coup().B2) {
				f.Verdict = finding.Information
				f.Observed += fmt.Sprintf(", but the banker hand on %d draws against any card", r.Coup().B2)
			}
		case final >= 0 && r.Calls[final].Seq < o.ends() && !p.calledAfter(baccarat.FinalCount, h, o.ends()) &&
			!p.finalEarly(h):
			f.Expected = fmt.Sprintf("%v final count announced after %s was returned", h, cardName(third))
			f.Observed = fmt.Sprintf("announced before its return by seat %d", o.out.Seat)
			f.Evidence = []record.Seq{r.Calls[final].Seq}
		default:
			continue
		}
		f.Evidence = append(f.Evidence, o.out.Seq, o.ends())
		f.Cites = p.cited(true, "midi.third-card-same-player")
		p.Report(f)
	}
}

// checkUnderShoe follows the banker cards: under the shoe until the player hand is called, then on their area.
// 9 NYCRR 5324.21(f)(3)(ii)(a), (c).
func checkUnderShoe(p *Pass) {
	r := p.Round
	called := counted(r, baccarat.Player)
	if called == 0 {
		return
	}
	ordered := p.judges("midi.squeeze.order")
	if out := handed(r, baccarat.Banker); out != nil && ordered {
		called = min(called, out.Seq) // midi.squeeze.order reports a hand-out before the call
	}
	for i := range r.Cards {
		c := &r.Cards[i]
		if c.Hand != baccarat.Banker || c.Index > 2 {
			continue
		}
		if place, at := lies(r, c, called); place != record.MovedUnderShoe {
			p.Report(Finding{
				Subject:  finding.OfCard(c.CardSeq),
				Expected: cardName(c) + " under the right corner of the shoe until the PLAYER point count is called",
				Observed: "not under the shoe at the call", Evidence: []record.Seq{at, called},
			})
			return
		}
		if p.underShoeLate(c) {
			return
		}
		if !p.cancelled() {
			p.afterCall(c, called)
		}
	}
}

// underShoeLate reports a banker card that was placed under the shoe after the player hand was handed out: "the dealer
// shall then hand the two cards of the player's hand". 9 NYCRR 5324.21(f)(3)(ii)(a)-(b).
func (p *Pass) underShoeLate(c *record.DealtCard) bool {
	out, fourth := firstOut(p.Round, baccarat.Player), p.Round.CardAt(baccarat.Banker, 2)
	if out == nil || fourth == nil || out.Seq < fourth.Seq { // midi.squeeze.order has it
		return false
	}
	place, at := lies(p.Round, c, out.Seq)
	if place == record.MovedUnderShoe {
		return false
	}
	p.Report(Finding{
		Subject: finding.OfCard(c.CardSeq), Evidence: []record.Seq{at, out.Seq},
		Expected: cardName(c) + " under the right corner of the shoe before the PLAYER hand is handed out",
		Observed: fmt.Sprintf("the hand was handed to seat %d before that", out.Seat),
	})
	return true
}

// lies is where a card lies before an event, and the event that shows it.
func lies(r *record.Round, c *record.DealtCard, before record.Seq) (place record.MovePlace, at record.Seq) {
	place, at = record.NoMovePlace, c.Seq
	if c.Place == baccarat.UnderShoeRight {
		place = record.MovedUnderShoe
	}
	for _, m := range r.Moves {
		if m.CardSeq == c.CardSeq && m.Seq < before {
			place, at = m.To, m.Seq
		}
	}
	return place, at
}

// checkThirdSqueeze wants the third card handed to the patron who returned the hand, unless that patron gave up the
// right to it. Of a hand that the dealer turned, the dealer turns the third card as well.
func checkThirdSqueeze(p *Pass) {
	r := p.Round
	for _, h := range []baccarat.Hand{baccarat.Player, baccarat.Banker} {
		third := thirdOf(r, h)
		if third == nil || p.cancelled() {
			continue
		}
		o := holder{third: third}
		for i := range r.Squeezes {
			if s := &r.Squeezes[i]; s.Hand == h && o.next(s) {
				p.thirdHanded(&o, s)
			}
		}
		// A card of a hand without a wager is the dealer's to turn; that the hand was handed out is the error. Whether a card
		// that was drawn in error and moved to the hand is handed out is not in the text.
		dealers := third.RevealedBy == baccarat.RoleDealer && p.unwagered(h) && p.judges("midi.dealer-turns-when-none")
		if o.seat != 0 && o.handed == 0 && third.Hand == h && !dealers && !p.handedAnother(third, o.seat) {
			p.thirdNotHanded(third, o.seat, o.back.Seq)
		}
	}
}

// holder follows who has the right to the third card of a hand. Seats are 0 for none.
type holder struct {
	third *record.DealtCard
	// back is the last return of the hand, seat that of the patron who returned it and has not given it up.
	back *record.Squeeze
	seat uint32
	// half is the other seat, if two patrons returned a card each.
	half uint32
	// given is the seat that the hand was last handed to without the third card, handed the first with it.
	given, handed uint32
	gaveUp        uint32
}

// next takes in a step of the hand. It reports whether the step hands out the third card for the first time.
func (o *holder) next(s *record.Squeeze) bool {
	holds := slices.Contains(s.Cards, o.third.CardSeq) || len(s.Cards) == 0 && s.Seq > o.third.Seq
	switch {
	case s.Kind == record.SqueezeReturned && s.Seat == o.gaveUp && s.Face == baccarat.FaceDown:
	case s.Kind == record.SqueezeReturned && !holds:
		o.half = 0
		if o.back != nil && o.back.Seat != s.Seat && len(o.back.Cards) == 1 && len(s.Cards) == 1 {
			o.half = o.back.Seat
		}
		o.seat, o.back = s.Seat, s
	case s.Kind == record.SqueezeRelinquished && o.handed == 0 && (o.seat == 0 || s.Seat == o.seat || s.Seat == o.given):
		o.seat, o.gaveUp = 0, s.Seat
	case s.Kind == record.SqueezeHanded && !holds:
		o.given = s.Seat
	case s.Kind == record.SqueezeHanded && o.handed == 0:
		o.handed = s.Seat
		return true
	}
	return false
}

// thirdHanded judges to whom the third card was handed. If the patron who returned the hand is not the one who was
// given it, which midi.squeeze.faces reports, either of them may have the card.
func (p *Pass) thirdHanded(o *holder, s *record.Squeeze) {
	if o.seat == 0 || slices.Contains([]uint32{o.seat, o.given, o.half}, s.Seat) || p.hasLeft(o.back, s) {
		return
	}
	p.suspectIf(p.mayHaveThird(s), Finding{
		Subject: finding.OfHand(s.Hand.String()), Seat: s.Seat, Evidence: []record.Seq{o.back.Seq, s.Seq},
		Expected: fmt.Sprintf("third card of the %v hand handed to seat %d", s.Hand, o.seat),
		Observed: fmt.Sprintf("handed to seat %d", s.Seat), Cites: p.exactly(ofHand(s.Hand, 3)...),
	})
}

// mayHaveThird reports whether a third card went to the patron with the highest wager, who did not give up the hand:
// "to the player with the highest wager who was handed the card". 9 NYCRR 5324.21(g)(2)(i).
func (p *Pass) mayHaveThird(out *record.Squeeze) bool {
	by := p.rankings(out.Hand)
	return anyRanked(&by, func(r ranked) bool { return r.first(out.Seat) }) &&
		!declined(p.Round, out.Hand, out.Seat, out.Seq) && !record.Any(p.Round.Squeezes, func(s *record.Squeeze) bool {
		return s.Kind == record.SqueezeRelinquished && s.Hand == out.Hand && s.Seat == out.Seat && s.Seq < out.Seq
	})
}

// thirdOf is the third card of a hand, nil if it has none. A card that was drawn in error for the player hand and moved
// to the banker hand is one, unless its face was seen before.
func thirdOf(r *record.Round, h baccarat.Hand) *record.DealtCard {
	if c := r.CardAt(h, 3); c != nil && c.Final == h {
		return c
	}
	c := r.CardAt(baccarat.Player, 3)
	if c == nil || c.Final != h || c.Face != baccarat.FaceDown || c.Revealed != 0 && c.Revealed < c.FateAt {
		return nil
	}
	return c
}

// handedAnother reports whether a patron returned a third card after another card of the hand was handed out to him:
// midi.squeeze.faces has it.
func (p *Pass) handedAnother(third *record.DealtCard, seat uint32) bool {
	return p.judges("midi.squeeze.faces") && slices.ContainsFunc(p.handouts(), func(o handout) bool {
		return o.out.Hand == third.Final && o.out.Seat == seat && o.out.Seq > third.Seq && len(o.out.Cards) > 0 &&
			slices.Contains(o.returned, third.CardSeq)
	})
}

// hasLeft reports whether the patron who returned a hand left before the third card was handed out: to whom it is due
// then is not in the text.
func (p *Pass) hasLeft(back, out *record.Squeeze) bool {
	left := slices.Contains(back.Occupied, back.Seat) && !slices.Contains(out.Occupied, back.Seat)
	if !left && !record.Any(p.Round.Wagers, func(w *record.Wager) bool {
		return w.Seat == back.Seat && w.Left > back.Seq && w.Left < out.Seq
	}) {
		return false
	}
	p.CannotJudge(fmt.Sprintf("the patron of seat %d, who returned the hand, left before", back.Seat), back.Seq, out.Seq)
	return true
}

func (p *Pass) thirdNotHanded(third *record.DealtCard, had uint32, from record.Seq) {
	if p.Config.Feeds&baccarat.FeedCardFaces == 0 {
		p.CannotJudge("the table does not report to whom cards are handed", third.Seq)
		return
	}
	turned := cmp.Or(third.Revealed, endOfTime)
	if third.Face == baccarat.FaceUp {
		turned = third.Seq
	}
	if left := record.Index(p.Round.Wagers, func(w *record.Wager) bool {
		return w.Seat == had && w.Left > from && w.Left < turned
	}); left >= 0 {
		p.CannotJudge(
			fmt.Sprintf("the patron of seat %d, who returned the hand, left before", had), from, p.Round.Wagers[left].Left,
		)
		return
	}
	f := Finding{
		Subject: finding.OfHand(third.Final.String()), Parts: []finding.Subject{finding.OfCard(third.CardSeq)},
		Seat: had, Evidence: []record.Seq{from, third.Seq},
		Expected: fmt.Sprintf("third card of the %v hand handed to seat %d", third.Final, had),
		Observed: "not handed out", Cites: p.exactly(ofHand(third.Final, 3)...),
	}
	if third.RevealedBy == baccarat.RoleDealer {
		f.Observed, f.Evidence = "turned by DEALER", append(f.Evidence, third.Revealed)
	}
	p.Suspect(f)
}
