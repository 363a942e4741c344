package rules

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// The squeeze at midi baccarat. 9 NYCRR 5324.21(f)(3)(ii), (g)(2).
var midiFamily = []*Rule{
	{
		Name: "midi.squeeze.recipient", Doc: "A hand is given to the patron with the highest wager on it.",
		Breach:   "Second-highest bettor squeezes.",
		Severity: finding.Minor, At: Settled, Needs: baccarat.FeedWagers, Check: checkRecipient(false),
	},
	{
		Name:     "midi.squeeze.tie-break",
		Doc:      "Of equal highest wagers the one nearest the dealer counterclockwise is chosen.",
		Breach:   "Higher seat number chosen.",
		Severity: finding.Minor, At: Settled, Check: checkRecipient(true), Covers: []string{"midi.squeeze.recipient"},
		Needs: baccarat.FeedWagers,
	},
	{
		Name: "midi.squeeze.faces", Doc: "Cards are handed face down and come back face up, from the same patron.",
		Breach:   "Cards not returned, or returned face down.",
		Severity: finding.Major, At: Settled, Needs: baccarat.FeedCardFaces, Check: checkSqueezeFaces,
	},
	{
		Name:     "midi.squeeze.order",
		Doc:      "The banker hand is handed out only after the player hand was returned and called.",
		Breach:   "Both hands out at once.",
		Severity: finding.Minor, At: Settled, Needs: baccarat.FeedAnnouncements, Check: checkSqueezeOrder,
	},
	{
		Name: "midi.banker-under-shoe", Doc: "The banker hand waits under the right corner of the shoe.",
		Breach:   "Banker hand left on the layout.",
		Severity: finding.Info, At: Settled, Needs: baccarat.FeedTableCamera, Check: checkUnderShoe,
	},
	{
		Name: "midi.third-card-same-player", Doc: "A third card goes to the patron who had the hand.",
		Breach:   "Another bettor gets the third card.",
		Severity: finding.Minor, At: Settled, Check: checkThirdSqueeze,
	},
	{
		Name:     "midi.relinquish-order",
		Doc:      "A relinquished hand is offered counterclockwise, beginning at the right-hand neighbour.",
		Breach:   "A seat is skipped.",
		Severity: finding.Info, At: Settled, Check: checkSqueezeOffers,
	},
	{
		Name: "midi.dealer-turns-when-none", Doc: "The dealer turns a hand that no patron is entitled to or wants.",
		Breach:   "Hand given to a player without a wager.",
		Severity: finding.Minor, At: Settled, Needs: baccarat.FeedWagers, Check: checkDealerTurns,
		Covers: []string{"midi.squeeze.recipient"},
	},
	{
		Name:     "midi.compulsory-relinquish-authority",
		Doc:      "The squeeze is withdrawn only for unreasonable delay, by the dealer or a floorperson.",
		Breach:   "Withdrawn by a spectator or without ground.",
		Severity: finding.Info, At: Settled, Check: checkSqueezeWithdrawn,
	},
}

// stakes are what each seat wagers on a hand, ascending by seat; coupons do not count.
func stakes(r *record.Round, h baccarat.Hand) []record.SeatChange {
	list := make([]record.SeatChange, 0, len(r.Wagers))
	spot := baccarat.SpotPlayer
	if h == baccarat.Banker {
		spot = baccarat.SpotBanker
	}
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if w.Spot != spot || w.Gone {
			continue
		}
		at, found := slices.BinarySearchFunc(
			list, w.Seat, func(s record.SeatChange, seat uint32) int { return int(s.Seat) - int(seat) },
		)
		if !found {
			list = slices.Insert(list, at, record.SeatChange{Seat: w.Seat})
		}
		list[at].Amount += w.Amount - w.Coupon
	}
	return list
}

// handed is the first time that a hand was handed out, nil if never.
func handed(r *record.Round, h baccarat.Hand) *record.Squeeze {
	for i := range r.Squeezes {
		if s := &r.Squeezes[i]; s.Kind == record.SqueezeHanded && s.Hand == h {
			return s
		}
	}
	return nil
}

// relinquished reports whether the right to a hand was given up before an event.
func relinquished(r *record.Round, h baccarat.Hand, before record.Seq) bool {
	return slices.ContainsFunc(r.Squeezes, func(s record.Squeeze) bool {
		return s.Kind == record.SqueezeRelinquished && s.Hand == h && s.Seq < before
	})
}

func checkRecipient(tie bool) func(*Pass) {
	return func(p *Pass) {
		for _, h := range []baccarat.Hand{baccarat.Player, baccarat.Banker} {
			handed := handed(p.Round, h)
			if handed == nil || relinquished(p.Round, h, handed.Seq) {
				continue
			}
			stakes := stakes(p.Round, h)
			highest := int64(0)
			for _, s := range stakes {
				highest = max(highest, s.Amount)
			}
			var among []uint32
			for _, s := range stakes {
				if s.Amount == highest {
					among = append(among, s.Seat)
				}
			}
			if len(among) == 0 || slices.Contains(among, handed.Seat) != tie || among[0] == handed.Seat {
				continue
			}
			p.Report(Finding{
				Subject: finding.OfHand(h.String()), Seat: handed.Seat, Evidence: []record.Seq{handed.Seq},
				Expected: fmt.Sprintf("seat %d, %s on %v", among[0], p.money(highest), h),
				Observed: fmt.Sprintf("seat %d", handed.Seat),
			})
		}
	}
}

func checkSqueezeFaces(p *Pass) {
	sq := p.Round.Squeezes
	for i := range sq {
		s := &sq[i]
		if s.Kind != record.SqueezeHanded {
			continue
		}
		var back *record.Squeeze
		for j := i + 1; j < len(sq); j++ {
			if sq[j].Kind == record.SqueezeHanded {
				break
			}
			if sq[j].Kind == record.SqueezeReturned && sq[j].Hand == s.Hand {
				back = &sq[j]
				break
			}
		}
		if s.Face == baccarat.NoFace || back != nil && back.Face == baccarat.NoFace {
			p.CannotJudge("the face of the cards was not reported", s.Seq)
			continue
		}
		observed := ""
		switch {
		case s.Face != baccarat.FaceDown:
			observed = "handed face " + s.Face.String()
		case back == nil:
			observed = "not returned"
		case back.Seat != s.Seat || !slices.Equal(back.Cards, s.Cards):
			observed = fmt.Sprintf("other cards, or from seat %d", back.Seat)
		case back.Face != baccarat.FaceUp:
			observed = "returned face " + back.Face.String()
		}
		if observed != "" {
			evidence := []record.Seq{s.Seq}
			if back != nil {
				evidence = append(evidence, back.Seq)
			}
			p.Report(Finding{
				Subject: finding.OfHand(s.Hand.String()), Seat: s.Seat,
				Expected: "handed face down and returned face up", Observed: observed, Evidence: evidence,
			})
		}
	}
}

func checkSqueezeOrder(p *Pass) {
	r := p.Round
	banker := handed(r, baccarat.Banker)
	called, n := lone(r, baccarat.PointCount, baccarat.Player)
	if banker == nil || n == 0 {
		return
	}
	if banker.Seq < called.Seq {
		p.Report(Finding{
			Expected: "banker hand out after the player count is called", Observed: "before it",
			Evidence: []record.Seq{banker.Seq, called.Seq},
		})
	}
}

func checkUnderShoe(p *Pass) {
	r := p.Round
	called, n := lone(r, baccarat.PointCount, baccarat.Player)
	if n == 0 {
		return
	}
	for i := range r.Cards {
		c := &r.Cards[i]
		if c.Hand != baccarat.Banker || c.Index > 2 {
			continue
		}
		place, at := record.NoMovePlace, c.Seq
		if c.Place == baccarat.UnderShoeRight {
			place = record.MovedUnderShoe
		}
		for _, m := range r.Moves {
			if m.CardSeq == c.CardSeq && m.Seq < called.Seq {
				place, at = m.To, m.Seq
			}
		}
		if place != record.MovedUnderShoe {
			p.Report(Finding{
				Subject:  finding.OfCard(c.CardSeq),
				Expected: "under the right corner of the shoe until the player count", Observed: "elsewhere",
				Evidence: []record.Seq{at, called.Seq},
			})
			return
		}
	}
}

func checkThirdSqueeze(p *Pass) {
	r := p.Round
	for _, h := range []baccarat.Hand{baccarat.Player, baccarat.Banker} {
		third := r.CardAt(h, 3)
		if third == nil {
			continue
		}
		had, from := uint32(0), record.Seq(0)
		for i := range r.Squeezes {
			s := &r.Squeezes[i]
			if s.Hand != h {
				continue
			}
			switch {
			case s.Kind == record.SqueezeReturned:
				had, from = s.Seat, s.Seq
			case s.Kind == record.SqueezeRelinquished && from != 0:
				had = 0
			case s.Kind == record.SqueezeHanded && slices.Contains(s.Cards, third.CardSeq) && had != 0 && s.Seat != had:
				p.Report(Finding{
					Subject: finding.OfHand(h.String()), Seat: s.Seat,
					Expected: fmt.Sprintf("third card to seat %d", had), Observed: fmt.Sprintf("to seat %d", s.Seat),
					Evidence: []record.Seq{from, s.Seq},
				})
			}
		}
	}
}

func checkSqueezeOffers(p *Pass) {
	from := map[baccarat.Hand]uint32{}
	for i := range p.Round.Squeezes {
		s := &p.Round.Squeezes[i]
		switch s.Kind {
		case record.SqueezeRelinquished:
			from[s.Hand] = s.Seat
		case record.SqueezeOffered:
			if last := from[s.Hand]; last != 0 {
				if want := counterclockwise(s.Occupied, last); s.Seat != want {
					p.Report(Finding{
						Subject: finding.OfHand(s.Hand.String()), Seat: s.Seat,
						Expected: fmt.Sprintf("offered to seat %d", want), Observed: fmt.Sprintf("seat %d", s.Seat),
						Evidence: []record.Seq{s.Seq},
					})
					return
				}
				from[s.Hand] = s.Seat
			}
		}
	}
}

func checkDealerTurns(p *Pass) {
	r := p.Round
	for _, h := range []baccarat.Hand{baccarat.Player, baccarat.Banker} {
		handed := handed(r, h)
		if handed == nil {
			continue
		}
		offers, refused := 0, 0
		for i := range r.Squeezes {
			if s := &r.Squeezes[i]; s.Kind == record.SqueezeOffered && s.Hand == h && s.Seq < handed.Seq {
				offers++
				if !s.Accepted {
					refused++
				}
			}
		}
		if len(stakes(r, h)) == 0 || (offers > 0 && refused == offers) {
			p.Report(Finding{
				Subject: finding.OfHand(h.String()), Seat: handed.Seat, Expected: "turned by the dealer",
				Observed: fmt.Sprintf("handed to seat %d", handed.Seat), Evidence: []record.Seq{handed.Seq},
			})
		}
	}
}

func checkSqueezeWithdrawn(p *Pass) {
	for i := range p.Round.Squeezes {
		s := &p.Round.Squeezes[i]
		if s.Kind != record.SqueezeRelinquished || s.Cause != record.PassOrdered {
			continue
		}
		if (s.By != baccarat.RoleDealer && s.By != baccarat.RoleFloorperson) ||
			dashed(s.Ground) != "unreasonable-delay" {
			p.Report(Finding{
				Subject: finding.OfHand(s.Hand.String()), Seat: s.Seat,
				Expected: "ordered by DEALER or FLOORPERSON for unreasonable-delay",
				Observed: fmt.Sprintf("ordered by %v, ground %q", s.By, s.Ground), Evidence: []record.Seq{s.Seq},
			})
		}
	}
}
