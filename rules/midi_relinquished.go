package rules

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

func checkSqueezeOffers(p *Pass) {
	var from [baccarat.Banker + 1]uint32 // by hand
	var gave [baccarat.Banker + 1][]uint32
	for i := range p.Round.Squeezes {
		s := &p.Round.Squeezes[i]
		switch s.Kind {
		case record.SqueezeRelinquished:
			if slices.Contains(gave[s.Hand], s.Seat) {
				continue // reported again
			}
			from[s.Hand], gave[s.Hand] = s.Seat, append(gave[s.Hand], s.Seat)
		case record.SqueezeHanded:
			from[s.Hand], gave[s.Hand] = 0, nil
		case record.SqueezeOffered:
			last := from[s.Hand]
			if last == 0 && p.givesUp(s) {
				from[s.Hand] = s.Seat
			}
			if last == 0 || last == s.Seat {
				continue
			}
			if p.seatingUnknown(s.Occupied, s.Seat, s.Seq) {
				return
			}
			occupied := s.Occupied
			// Who accepts the hand or has a wager sits there, whether that was reported or not.
			if s.Accepted || record.Any(p.Round.Wagers, func(w *record.Wager) bool { return w.Seat == s.Seat && !w.Gone }) {
				occupied = withSeat(occupied, s.Seat)
			}
			if want := p.nextSeat(occupied, last); s.Seat != want {
				p.suspectIf(s.Seat == counterclockwise(occupied, last), Finding{
					Subject: finding.OfHand(s.Hand.String()), Seat: s.Seat, Evidence: []record.Seq{s.Seq},
					Expected: fmt.Sprintf("%v hand offered to seat %d", s.Hand, want),
					Observed: fmt.Sprintf("offered to seat %d", s.Seat),
				})
				return
			}
			from[s.Hand] = s.Seat
		}
	}
}

// givesUp reports whether an offer is declined by the patron who has the right to the hand: that patron relinquishes it
// voluntarily, 9 NYCRR 5324.21(f)(3)(ii)(g)(1).
func (p *Pass) givesUp(offer *record.Squeeze) bool {
	if offer.Accepted {
		return false
	}
	by := p.rankings(offer.Hand)
	return anyRanked(&by, func(r ranked) bool { return r.first(offer.Seat) })
}

// checkAcceptor follows a relinquished hand to the patron who gets it. To hand it to the next in turn is an offer by
// conduct.
func checkAcceptor(p *Pass) {
	r := p.Round
	for _, h := range []baccarat.Hand{baccarat.Player, baccarat.Banker} {
		var gave, accepted *record.Squeeze
		var refused, givers []uint32
		for i := range r.Squeezes {
			s := &r.Squeezes[i]
			if s.Hand != h {
				continue
			}
			switch s.Kind {
			case record.SqueezeRelinquished:
				if slices.Contains(givers, s.Seat) {
					continue // reported again
				}
				gave, accepted, refused, givers = s, nil, nil, append(givers, s.Seat)
			case record.SqueezeOffered:
				switch {
				case s.Accepted && accepted == nil:
					accepted = s
				case gave == nil && p.givesUp(s):
					gave = s
				case !s.Accepted:
					refused = append(refused, s.Seat)
				}
			case record.SqueezeHanded:
				switch {
				case gave == nil && accepted == nil:
				case accepted != nil && accepted.Seat != s.Seat:
					p.Report(Finding{
						Subject: finding.OfHand(h.String()), Seat: s.Seat, Evidence: []record.Seq{accepted.Seq, s.Seq},
						Expected: fmt.Sprintf("%v hand handed to seat %d, the first that accepted", h, accepted.Seat),
						Observed: fmt.Sprintf("handed to seat %d", s.Seat),
					})
				case accepted == nil:
					p.unoffered(s, gave, refused)
				}
				gave, accepted, refused, givers = nil, nil, nil, nil
			}
		}
		if gave != nil {
			p.turnedByDealer(gave, accepted, refused)
		}
	}
}

// unoffered judges a relinquished hand that is handed to a seat without an accepted offer.
func (p *Pass) unoffered(s, gave *record.Squeeze, refused []uint32) {
	from := gave.Seat
	if s.Seat != from && p.seatingUnknown(s.Occupied, s.Seat, s.Seq) {
		return
	}
	occupied := withSeat(s.Occupied, s.Seat)
	skipped := inTurn(occupied, from, s.Seat, refused, p.nextSeat)
	if len(skipped) == 0 || s.Seat == from {
		p.unwanted(s, gave, refused)
		return
	}
	if !p.Table.SqueezeOffers {
		seats := numbered("seat", skipped)
		p.CannotJudge(
			fmt.Sprintf("the %v hand went to seat %d, offers to %s were not reported", s.Hand, s.Seat, seats),
			s.Seq,
		)
		return
	}
	p.suspectIf(len(inTurn(occupied, from, s.Seat, refused, counterclockwise)) == 0, Finding{
		Subject: finding.OfHand(s.Hand.String()), Seat: s.Seat, Evidence: []record.Seq{s.Seq},
		Expected: fmt.Sprintf("%v hand first offered to %s", s.Hand, numbered("seat", skipped)),
		Observed: fmt.Sprintf("handed to seat %d without such an offer", s.Seat),
	})
}

// unwanted suspects a relinquished hand that is handed to the patron who gave it up, or to one who declined it and
// accepted no further offer: it is for the next in turn, or the dealer turns it if "no player accepts the cards". The
// patron may have thought better of it. 9 NYCRR 5324.21(f)(3)(ii)(g)(1)-(3).
func (p *Pass) unwanted(s, gave *record.Squeeze, refused []uint32) {
	why := "declined"
	switch {
	case slices.Contains(refused, s.Seat):
	case s.Seat == gave.Seat && gave.Kind == record.SqueezeRelinquished:
		why = "gave up"
	default:
		return
	}
	if p.seatingUnknown(s.Occupied, s.Seat, s.Seq) {
		return
	}
	f := Finding{
		Subject: finding.OfHand(s.Hand.String()), Seat: s.Seat, Evidence: []record.Seq{gave.Seq, s.Seq},
		Observed: fmt.Sprintf("handed to seat %d, which %s the hand", s.Seat, why),
	}
	if next := inTurn(s.Occupied, gave.Seat, 0, refused, p.nextSeat); len(next) > 0 {
		f.Expected = fmt.Sprintf("%v hand offered to seat %d", s.Hand, next[0])
	} else {
		f.Expected = fmt.Sprintf("%v hand turned by DEALER", s.Hand)
		f.Cites = p.cited(true, "midi.dealer-turns-when-none")
	}
	p.Suspect(f)
}

// inTurn lists the seats between two seats, counterclockwise, without the ones given; to 0 goes all the way round.
func inTurn(
	occupied []uint32, from, to uint32, without []uint32, next func(occupied []uint32, seat uint32) uint32,
) []uint32 {
	var seats []uint32
	seat := from
	for range occupied {
		if seat = next(occupied, seat); seat == to || seat == from {
			break
		}
		if !slices.Contains(without, seat) {
			seats = append(seats, seat)
		}
	}
	return seats
}

// ring is the place of a seat counterclockwise around the table. A seat that the table does not declare comes last.
func (p *Pass) ring(seat uint32) int {
	if at := slices.Index(p.Config.Seats, seat); at >= 0 {
		return at
	}
	return len(p.Config.Seats) + int(seat)
}

// nextSeat is the first occupied seat counterclockwise from a seat, as the table declares its seats.
func (p *Pass) nextSeat(occupied []uint32, seat uint32) uint32 { return nextBy(p.ring, occupied, seat) }

// turnedByDealer judges a relinquished hand that was handed to no one afterwards.
func (p *Pass) turnedByDealer(gave, accepted *record.Squeeze, refused []uint32) {
	open := record.Any(p.Round.Cards, func(c *record.DealtCard) bool {
		return c.Final == gave.Hand && (c.Revealed == 0 && c.Face == baccarat.FaceDown || c.Revealed > gave.Seq)
	})
	if !open || p.cancelled() {
		return
	}
	f := Finding{Subject: finding.OfHand(gave.Hand.String()), Evidence: []record.Seq{gave.Seq}}
	skipped := inTurn(gave.Occupied, gave.Seat, 0, refused, p.nextSeat)
	switch {
	case accepted != nil:
		f.Seat, f.Evidence = accepted.Seat, append(f.Evidence, accepted.Seq)
		f.Expected = fmt.Sprintf("%v hand handed to seat %d, the first that accepted", gave.Hand, accepted.Seat)
	case len(skipped) == 0:
		return
	case !p.Table.SqueezeOffers:
		p.CannotJudge(
			fmt.Sprintf("offers of the %v hand to %s were not reported", gave.Hand, numbered("seat", skipped)), gave.Seq,
		)
		return
	default:
		f.Expected = fmt.Sprintf("%v hand offered to %s before the dealer turns it", gave.Hand, numbered("seat", skipped))
	}
	f.Observed = "not handed out again"
	p.Suspect(f)
}

func checkDealerTurns(p *Pass) {
	r := p.Round
	for _, h := range []baccarat.Hand{baccarat.Player, baccarat.Banker} {
		handed := handed(r, h)
		if handed == nil {
			if !p.turnedByOthers(h) {
				p.turnedInTime(h)
			}
			continue
		}
		by := p.rankings(h)
		if len(by[0].bettors)+len(by[2].bettors) > 0 { // who is handed the cards accepts them
			continue
		}
		// The hand is offered to others than those who wagered on it, so that the wager may be of any seat.
		if at := slices.IndexFunc(r.Steps, func(s record.Step) bool { return unreported(r, s.Seat) }); at >= 0 {
			p.CannotJudge(fmt.Sprintf("a wager of seat %d was not reported", r.Steps[at].Seat), handed.Seq)
			continue
		}
		p.suspectIf(leadsWithBonus(r, h, handed.Seat), Finding{
			Subject: finding.OfHand(h.String()), Seat: handed.Seat, Evidence: []record.Seq{handed.Seq},
			Expected: fmt.Sprintf("%v hand turned by DEALER", h),
			Observed: fmt.Sprintf("handed to seat %d", handed.Seat),
		})
	}
}

// turnedByOthers reports a hand that no patron wagered on, and that another than the dealer turned, if there is one.
// 9 NYCRR 5324.21(f)(3)(ii)(g)(3)(i).
func (p *Pass) turnedByOthers(h baccarat.Hand) bool {
	r := p.Round
	if !p.unwagered(h) {
		return false
	}
	for i := range r.Cards {
		c := &r.Cards[i]
		if c.Final == h && (c.RevealedBy == baccarat.RolePatron || c.RevealedBy == baccarat.RoleSpectator) {
			bonus := record.Any(r.Wagers, func(w *record.Wager) bool { return leadsWithBonus(r, h, w.Seat) })
			p.suspectIf(bonus, Finding{
				Subject: finding.OfHand(h.String()), Parts: []finding.Subject{finding.OfCard(c.CardSeq)},
				Evidence: []record.Seq{c.Seq, c.Revealed},
				Expected: fmt.Sprintf("%v hand turned by DEALER", h),
				Observed: fmt.Sprintf("%s turned by %v", cardName(c), c.RevealedBy),
			})
			return true
		}
	}
	return false
}

// turnedInTime suspects a hand that is the dealer's to turn, and that was called while a card of it lay face down: "the
// dealer shall turn the cards over and place the cards on the designated areas", and the counts are announced after the
// dealer positions the cards. 9 NYCRR 5324.21(f)(3)(ii)(g)(3), (g), (i)(1).
func (p *Pass) turnedInTime(h baccarat.Hand) {
	if p.cancelled() || !p.Config.Reports(baccarat.FeedCardFaces) || !p.dealersToTurn(h) {
		return
	}
	r := p.Round
	final, _ := lone(r, baccarat.FinalCount, h)
	for i := range r.Cards {
		c := &r.Cards[i]
		if c.Hand != h || c.Final != h || c.Carried || c.Face != baccarat.FaceDown {
			continue
		}
		called, what := counted(r, h), "point count"
		if c.Index > 2 {
			called, what = 0, "final count"
			if final != nil {
				called = final.Seq
			}
		}
		late := called != 0 && c.Revealed > called
		if c.Revealed != 0 && !late {
			continue
		}
		f := Finding{
			Subject: finding.OfCard(c.CardSeq), Evidence: []record.Seq{c.Seq}, Observed: "not turned",
			Expected: fmt.Sprintf("%s turned by DEALER before the %v %s is called", cardName(c), h, what),
		}
		if late {
			f.Observed, f.Evidence = "turned after the call", append(f.Evidence, called, c.Revealed)
		}
		p.Suspect(f)
		return
	}
}

// dealersToTurn reports whether no patron wagered on a hand, or those who were asked gave it up or declined it.
func (p *Pass) dealersToTurn(h baccarat.Hand) bool {
	r := p.Round
	declined, accepted := false, false
	for i := range r.Squeezes {
		if s := &r.Squeezes[i]; s.Hand == h {
			declined = declined || s.Kind == record.SqueezeRelinquished || s.Kind == record.SqueezeOffered && !s.Accepted
			accepted = accepted || s.Kind == record.SqueezeOffered && s.Accepted
		}
	}
	return !accepted && (declined || p.unwagered(h))
}

// unwagered reports whether no patron wagered on a hand, as far as all wagers are reported.
func (p *Pass) unwagered(h baccarat.Hand) bool {
	by := p.rankings(h)
	return len(by[0].bettors)+len(by[2].bettors) == 0 &&
		!record.Any(p.Round.Steps, func(s *record.Step) bool { return unreported(p.Round, s.Seat) })
}

// checkSqueezeWithdrawn judges who withdrew a hand from a patron, and on what ground.
func checkSqueezeWithdrawn(p *Pass) {
	for i := range p.Round.Squeezes {
		s := &p.Round.Squeezes[i]
		if s.Kind != record.SqueezeRelinquished || s.Cause != record.PassOrdered {
			continue
		}
		f := Finding{
			Subject: finding.OfHand(s.Hand.String()), Seat: s.Seat, Evidence: []record.Seq{s.Seq},
			Expected: "ordered for " + groundDelay,
		}
		switch word := GroundWord(s.Ground); word {
		case groundDelay:
			p.checkOrderedBy(s.By, f)
			continue
		case groundInvalid, groundViolation, groundOther:
			f.Observed = "ground " + word
		case "":
			p.CannotJudge("the ground of an order was not reported", s.Seq)
			f.Verdict, f.Observed = finding.Information, "the ground was not reported"
		default:
			p.CannotJudge("the ground is no word of the event contract", s.Seq)
			p.checkOrderedBy(s.By, f)
			continue
		}
		p.Report(f)
	}
}
