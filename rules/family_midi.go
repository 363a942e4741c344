package rules

import (
	"cmp"
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
		Covers: []string{"midi.squeeze.faces"},
	},
	{
		Name:     "midi.squeeze.tie-break",
		Doc:      "Of equal highest wagers the one nearest the dealer counterclockwise is chosen.",
		Breach:   "Higher seat number chosen.",
		Severity: finding.Minor, At: Settled, Check: checkRecipient(true),
		Covers: []string{"midi.squeeze.recipient", "midi.squeeze.faces"}, Needs: baccarat.FeedWagers,
	},
	{
		Name: "midi.squeeze.acceptor", Doc: "A relinquished hand goes to the first patron in turn who accepts it.",
		Breach:   "One patron accepts, and another one is handed the cards.",
		Severity: finding.Minor, At: Settled, Check: checkAcceptor, Covers: []string{"midi.relinquish-order"},
	},
	{
		Name: "midi.squeeze.faces", Doc: "Cards are handed face down and come back face up, from the same patron.",
		Breach:   "Cards not returned, or returned face down.",
		Severity: finding.Major, At: Settled, Needs: baccarat.FeedCardFaces, Check: checkSqueezeFaces,
		Covers: []string{"midi.squeeze.order"},
	},
	{
		Name:     "midi.squeeze.order",
		Doc:      "A hand is called after its return, and the banker hand is handed out after the player hand was called.",
		Breach:   "Both hands out at once.",
		Severity: finding.Minor, At: Settled, Needs: baccarat.FeedAnnouncements, Check: checkSqueezeOrder,
	},
	{
		Name: "midi.banker-under-shoe", Doc: "The banker hand waits under the right corner of the shoe.",
		Breach:   "Banker hand left on the layout.",
		Severity: finding.Info, At: Settled, Check: checkUnderShoe,
		Needs: baccarat.FeedTableCamera, Reads: baccarat.FeedAnnouncements,
	},
	{
		Name: "midi.third-card-same-player", Doc: "A third card is handed to the patron who had the hand.",
		Breach:   "Another bettor gets the third card.",
		Severity: finding.Minor, At: Settled, Check: checkThirdSqueeze, Covers: []string{"midi.squeeze.faces"},
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

// ranked are who has the highest wager on a hand, in the order of the seats counterclockwise, and that wager.
type ranked struct {
	bettors []bettor
	highest int64
}

// bettor is a seat with a wager. The patron is empty if unknown, or if the reading is not about patrons.
type bettor struct {
	seat   uint32
	patron string
}

// spotOf is the spot of the wagers on a hand.
func spotOf(h baccarat.Hand) baccarat.Spot {
	if h == baccarat.Banker {
		return baccarat.SpotBanker
	}
	return baccarat.SpotPlayer
}

// unreadOn is a wager on a hand whose amount was not read, which may be the highest one; nil if there is none.
func unreadOn(r *record.Round, h baccarat.Hand) *record.Wager {
	for i := range r.Wagers {
		if w := &r.Wagers[i]; w.Spot == spotOf(h) && !w.Gone && w.Unread() {
			return w
		}
	}
	return nil
}

// reading is whose wagers are added up to find the highest wager, which the text leaves open.
type reading int

const (
	bySeat reading = iota
	byWager
	byPatron // who may have several seats, or share one
)

// rankings rank the wagers on a hand by each reading, and in each by four counts: without and with coupons, which the
// text does not name, as the wagers are and as they were when the betting ended. A later change is itself the breach.
func (p *Pass) rankings(h baccarat.Hand) [12]ranked {
	r, spot := p.Round, spotOf(h)
	closed := cmp.Or(betsClosed(r), endOfTime)
	var few [16]stake // no allocation for a table
	stakes := few[:0]
	for i := range r.Wagers {
		w := &r.Wagers[i]
		was, spotWas := w.StoodAt(closed)
		s := stake{seat: w.Seat, patron: w.Patron}
		if w.Spot == spot && !w.Gone {
			s.in[0], s.in[1], s.amount[0], s.amount[1] = true, true, w.Amount-w.Coupon, w.Amount
		}
		if spotWas == spot && was > 0 {
			s.in[2], s.in[3], s.amount[2], s.amount[3] = true, true, was-w.Coupon, was
		}
		if s.in[0] || s.in[2] {
			stakes = append(stakes, s)
		}
	}
	slices.SortStableFunc(stakes, func(a, b stake) int { return cmp.Compare(p.ring(a.seat), p.ring(b.seat)) })
	var by [12]ranked
	for k := range by {
		by[k].bettors = p.ranked[k][:0]
		as, count := reading(k/4), k%4
		for i := range stakes {
			if s := &stakes[i]; s.in[count] {
				b := bettor{seat: s.seat}
				if as == byPatron {
					b.patron = s.patron
				}
				by[k].add(b, s.ranks(stakes, as, count))
			}
		}
		p.ranked[k] = by[k].bettors
	}
	return by
}

// stake is a wager on a hand: its amount by each count, and whether it is in that count.
type stake struct {
	seat   uint32
	patron string
	amount [4]int64
	in     [4]bool
}

// ranks is the amount for which a wager ranks by a reading and a count.
func (s *stake) ranks(stakes []stake, as reading, count int) int64 {
	amount := s.amount[count]
	for i := range stakes {
		o := &stakes[i]
		same := as == bySeat && o.seat == s.seat || as == byPatron && s.patron != "" && o.patron == s.patron
		if o != s && same && o.in[count] {
			amount += o.amount[count]
		}
	}
	return amount
}

// add ranks a bettor. Bettors are added in the order of their seats.
func (r *ranked) add(b bettor, amount int64) {
	switch {
	case len(r.bettors) == 0 || amount > r.highest:
		r.bettors, r.highest = append(r.bettors[:0], b), amount
	case amount == r.highest && !slices.Contains(r.bettors, b):
		r.bettors = append(r.bettors, b)
	}
}

// first reports whether a seat is the first of the seats with the highest wager, or another seat of a patron there.
func (r ranked) first(seat uint32) bool {
	return slices.ContainsFunc(r.bettors, func(b bettor) bool {
		there := b.patron != "" && slices.Contains(r.bettors, bettor{r.due(), b.patron})
		return b.seat == seat && (b.seat == r.due() || there)
	})
}

// due is the first of the seats with the highest wager.
func (r ranked) due() uint32 { return r.bettors[0].seat }

// lowest is the lowest of the seats with the highest wager.
func (r ranked) lowest() uint32 {
	return slices.MinFunc(r.bettors, func(a, b bettor) int { return cmp.Compare(a.seat, b.seat) }).seat
}

func (r ranked) has(seat uint32) bool {
	return slices.ContainsFunc(r.bettors, func(b bettor) bool { return b.seat == seat })
}

// anyRanked reports whether a condition holds in one of the rankings.
func anyRanked(by *[12]ranked, holds func(ranked) bool) bool {
	for k := range by {
		if holds(by[k]) {
			return true
		}
	}
	return false
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

// firstOut is the first time that the first two cards of a hand were handed out, nil if never.
func firstOut(r *record.Round, h baccarat.Hand) *record.Squeeze {
	for i := range r.Squeezes {
		if s := &r.Squeezes[i]; s.Kind == record.SqueezeHanded && s.Hand == h && initial(r, s) {
			return s
		}
	}
	return nil
}

// relinquished reports whether the right to a hand was given up before an event, by a patron who may have had it: with
// the highest wager, or to whom the hand was offered. A wager that is not known may be the highest.
func relinquished(r *record.Round, h baccarat.Hand, by *[12]ranked, before record.Seq) bool {
	return record.Any(r.Squeezes, func(s *record.Squeeze) bool {
		return s.Kind == record.SqueezeRelinquished && s.Hand == h && s.Seq < before &&
			(anyRanked(by, func(k ranked) bool { return k.has(s.Seat) }) || unreadOn(r, h) != nil ||
				unreported(r, s.Seat) || offered(r, h, s.Seat, s.Seq))
	})
}

// offered reports whether a hand was offered to a seat before an event.
func offered(r *record.Round, h baccarat.Hand, seat uint32, before record.Seq) bool {
	return record.Any(r.Squeezes, func(s *record.Squeeze) bool {
		return s.Kind == record.SqueezeOffered && s.Hand == h && s.Seat == seat && s.Seq < before
	})
}

// leadsWithBonus reports whether a seat has the highest wager on a hand if bonus wagers on it count as well: "an
// optional bonus wager on either or both the player's hand and banker's hand". 9 NYCRR 5324.21(b)(1)(iv).
func leadsWithBonus(r *record.Round, h baccarat.Hand, seat uint32) bool {
	on := func(w *record.Wager, of uint32) bool {
		bonus := w.Spot.SideBet() == baccarat.SideDragonBonus && baccarat.BonusHand(w.Spot) == h
		return w.Seat == of && !w.Gone && (w.Spot == spotOf(h) || bonus)
	}
	sum := func(of uint32) (total int64) {
		for i := range r.Wagers {
			if w := &r.Wagers[i]; on(w, of) {
				total += w.Amount
			}
		}
		return total
	}
	own := sum(seat)
	return own > 0 && !record.Any(r.Wagers, func(w *record.Wager) bool {
		other := sum(w.Seat)
		return w.Seat != seat && (other > own || other == own && w.Seat < seat)
	})
}

// declined reports whether a seat, or for seat 0 any seat, was offered a hand before an event and declined it, and no
// seat accepted it.
func declined(r *record.Round, h baccarat.Hand, seat uint32, before record.Seq) bool {
	refused := false
	for i := range r.Squeezes {
		if s := &r.Squeezes[i]; s.Kind == record.SqueezeOffered && s.Hand == h && s.Seq < before {
			if s.Accepted && seat == 0 {
				return false
			}
			refused = refused || !s.Accepted && (seat == 0 || s.Seat == seat)
		}
	}
	return refused
}

// ofHand are the clauses of 9 NYCRR 5324.21 on the first two cards of a hand, or on its third one.
func ofHand(h baccarat.Hand, card uint8) []string {
	switch {
	case h == baccarat.Player && card < 3:
		return []string{"(f)(3)(ii)(b)"}
	case card < 3:
		return []string{"(f)(3)(ii)(c)"}
	case h == baccarat.Player:
		return []string{"(f)(3)(ii)(d)", "(g)(2)", "(g)(2)(i)"}
	}
	return []string{"(f)(3)(ii)(e)", "(g)(2)", "(g)(2)(iv)"}
}

// endOfTime is after every event.
const endOfTime = ^record.Seq(0)

func checkRecipient(tie bool) func(*Pass) {
	return func(p *Pass) {
		for _, h := range []baccarat.Hand{baccarat.Player, baccarat.Banker} {
			by := p.rankings(h)
			wanted := by[0]
			if len(wanted.bettors) == 0 {
				wanted = by[2]
			}
			if len(wanted.bettors) == 0 {
				continue
			}
			due := wanted.due()
			handed, second := firstOut(p.Round, h), p.Round.CardAt(h, 2)
			// What comes after the dealer turned the hand is its third card.
			turned := second != nil && second.RevealedBy == baccarat.RoleDealer
			if handed == nil || turned && second.Revealed < handed.Seq {
				if !tie && len(by[0].bettors) > 0 && len(by[2].bettors) > 0 {
					p.neverHanded(h, due, &by)
				}
				continue
			}
			to := handed.Seat
			if anyRanked(&by, func(r ranked) bool { return r.first(to) }) ||
				relinquished(p.Round, h, &by, handed.Seq) || declined(p.Round, h, due, handed.Seq) {
				continue
			}
			if unreported(p.Round, handed.Seat) {
				p.CannotJudge(fmt.Sprintf("a wager of seat %d was not reported", handed.Seat), handed.Seq)
				continue
			}
			if w := unreadOn(p.Round, h); w != nil {
				p.CannotJudge(fmt.Sprintf("the amount of a wager of seat %d was not reported", w.Seat), w.Placed)
				continue
			}
			if anyRanked(&by, func(r ranked) bool { return r.has(to) }) != tie {
				continue
			}
			if p.seatOff(h, due, handed.Seq) {
				continue
			}
			f := Finding{
				Subject: finding.OfHand(h.String()), Seat: handed.Seat, Evidence: []record.Seq{handed.Seq},
				Expected: fmt.Sprintf("%v hand handed to seat %d, %s on it", h, due, p.money(wanted.highest)),
				Observed: fmt.Sprintf("handed to seat %d", handed.Seat), Cites: p.exactly(ofHand(h, 2)...),
			}
			if right := p.correctedTo(handed, &by); right != 0 {
				f.Verdict = finding.Information
				f.Observed += fmt.Sprintf(", taken back unseen and handed to seat %d", right)
			}
			// The seats may have been declared in no order: the number of a seat is its place then.
			byNumber := anyRanked(&by, func(r ranked) bool { return r.has(to) && to == r.lowest() })
			p.suspectIf(f.Verdict == "" && (byNumber || leadsWithBonus(p.Round, h, to)), f)
		}
	}
}

// seatOff reports whether the patron to whom a hand is due had left the seat, or the table does not have that seat:
// then it is not known who had to get it.
func (p *Pass) seatOff(h baccarat.Hand, due uint32, before record.Seq) bool {
	left := record.Index(p.Round.Wagers, func(w *record.Wager) bool {
		return w.Seat == due && w.Spot == spotOf(h) && w.Left != 0 && w.Left < before
	})
	switch {
	case left >= 0:
		p.CannotJudge(
			fmt.Sprintf("the patron of seat %d, with the highest wager, left before", due), p.Round.Wagers[left].Left,
		)
	case p.foreignSeat(due):
		p.CannotJudge(notOfTable(due), p.Round.ConfigAt)
	default:
		return false
	}
	return true
}

// neverHanded judges a hand with a wager on it that was not handed out. The dealer turns the cards if no patron accepts
// them, (f)(3)(ii)(g)(3); what was not reported may have been.
func (p *Pass) neverHanded(h baccarat.Hand, due uint32, by *[12]ranked) {
	r := p.Round
	second := r.CardAt(h, 2)
	if second == nil || p.cancelled() || relinquished(r, h, by, endOfTime) || declined(r, h, 0, endOfTime) {
		return
	}
	if p.Config.Feeds&baccarat.FeedCardFaces == 0 {
		p.CannotJudge("the table does not report to whom cards are handed", second.Seq)
		return
	}
	for i := range r.Squeezes {
		if s := &r.Squeezes[i]; s.Kind == record.SqueezeReturned && s.Hand == h && initial(r, s) {
			p.CannotJudge(fmt.Sprintf("seat %d returned cards, their hand-out was not reported", s.Seat), s.Seq)
			return
		}
	}
	if p.seatOff(h, due, cmp.Or(counted(r, h), endOfTime)) {
		return
	}
	f := Finding{
		Subject: finding.OfHand(h.String()), Parts: dealtUp(r, h), Seat: due, Evidence: []record.Seq{second.Seq},
		Expected: fmt.Sprintf("%v hand handed to seat %d, the highest wager on it", h, due), Observed: "not handed out",
		Cites: p.exactly(ofHand(h, 2)...),
	}
	if second.RevealedBy == baccarat.RoleDealer {
		f.Observed, f.Evidence = "not handed out, turned by DEALER", append(f.Evidence, second.Revealed)
	}
	p.Suspect(f)
}
