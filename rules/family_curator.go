package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// The curator of punto banco. N.J.A.C. 19:47-3.6, 3.11. Counterclockwise is as the table declares its seats,
// seat_ring.go.
var curatorFamily = []*Rule{
	{
		Name: "curator.initial-offer", Back: Seating,
		Doc:      "The shoe is first offered to seat one and then counterclockwise, and the first who accepts is curator.",
		Breach:   "Offer starts at another seat or skips one.",
		Severity: finding.Minor, At: Dealt, Check: bySeats(checkCuratorOffers(false)),
	},
	{
		Name: "curator.only-curator-deals", Doc: "The curator draws every card.",
		Breach:   "Dealer or another player draws.",
		Severity: finding.Major, At: Settled, Needs: baccarat.FeedShoeCamera, Check: checkCuratorDeals,
	},
	{
		Name: "curator.must-pass", Back: Seating, Doc: "The curator passes the shoe when the banker hand has lost.",
		Breach:   "Same curator deals on.",
		Severity: finding.Major, At: Settled, Check: checkMustPass,
	},
	{
		Name: "curator.ordered-pass-grounds", Back: Seating,
		Doc:      "A curator is removed only on a listed ground, by the dealer or a floorperson.",
		Breach:   "Curator ordered off without a ground.",
		Severity: finding.Minor, At: Dealt, Check: checkPassGrounds,
	},
	{
		Name: "curator.pass-between-rounds", Doc: "The shoe is passed voluntarily only between rounds.",
		Breach:   "Change of curator between card 2 and card 3.",
		Severity: finding.Minor, At: Settled, Check: checkPassBetween, Covers: []string{"curator.only-curator-deals"},
	},
	{
		Name: "curator.next-offer", Back: Seating,
		Doc: "A released shoe is offered counterclockwise, beginning at the right-hand neighbour, and the first who " +
			"accepts is curator.",
		Breach:   "A seat is skipped.",
		Severity: finding.Minor, At: Dealt, Check: bySeats(checkCuratorOffers(true)),
	},
}

// handover is how the shoe went from one seat to the next: the offers and the assignment that follow a release. The
// first handover of a shoe follows none.
type handover struct {
	// released is true after a curator; from is that seat, pass the recorded release, if there was one.
	released bool
	from     uint32
	pass     record.Seq
	// lost means that the release followed a lost banker hand.
	lost     bool
	offers   []*record.CuratorStep
	assigned *record.CuratorStep
}

// handovers lists the handovers of a shoe. An offer after an assignment begins the next one also if no release was
// recorded; the offer or the assignment of a seat that has the shoe repeats what was done.
func (p *Pass) handovers() []handover {
	steps := p.Shoe.Curators
	list := append(p.scratch.handovers[:0], handover{})
	offers := slices.Grow(p.offers[:0], len(steps)) // of all handovers, one after the other
	for i := range steps {
		step, h := &steps[i], &list[len(list)-1]
		if h.assigned != nil && step.Kind != record.CuratorPassed {
			if step.Seat == h.assigned.Seat {
				continue
			}
			list = append(list, handover{released: true, from: h.assigned.Seat})
			h = &list[len(list)-1]
		}
		switch step.Kind {
		case record.CuratorPassed:
			if h.pass == 0 || h.assigned != nil || len(h.offers) > 0 {
				list = append(list, handover{
					released: true, from: step.Seat, pass: step.Seq, lost: step.Cause == record.PassBankerLost,
				})
			}
		case record.CuratorOffered:
			offers = append(offers, step)
			h.offers = offers[len(offers)-len(h.offers)-1:]
		case record.CuratorAssigned:
			h.assigned = step
		}
	}
	p.scratch.handovers, p.offers = list, offers
	return list
}

// checkCuratorOffers judges the handovers after a release, or those that follow none.
func checkCuratorOffers(released bool) func(*Pass) {
	return func(p *Pass) {
		if !released && p.newShoeWrong(p.Shoe.Curators) {
			return
		}
		for _, h := range p.handovers() {
			if h.released == released && !p.handedOver(&h) {
				return
			}
		}
		if released {
			p.curatorReplaced()
		}
	}
}

// curatorReplaced judges another patron in the seat of the curator who dealt on. A curator who leaves gives up the
// shoe, and it is offered to each of the other participants before it comes round. N.J.A.C. 19:47-3.11(b).
func (p *Pass) curatorReplaced() {
	taken, seat := p.Round.Replaced, p.Round.Curator
	if taken.Taken == 0 {
		return
	}
	var refused []uint32
	for i := range p.Shoe.Curators {
		if s := &p.Shoe.Curators[i]; s.Kind == record.CuratorOffered && !s.Accepted && s.Seq > taken.Left {
			refused = append(refused, s.Seat)
		}
	}
	skipped := inTurn(p.Table.Occupied, seat, 0, refused, p.counterclockwise)
	switch {
	case len(skipped) == 0:
	case !taken.Another:
		p.CannotJudge(fmt.Sprintf("which patron has the seat of the curator, seat %d, was not reported", seat), taken.Taken)
	case !p.Table.CuratorOffers:
		p.CannotJudge(
			fmt.Sprintf("the shoe stayed at seat %d, offers to %s were not reported", seat, numbered("seat", skipped)),
			taken.Taken,
		)
	default:
		p.Suspect(Finding{
			Seat: seat, Evidence: taken.Evidence(), Expected: "first offered to " + numbered("seat", skipped),
			Observed: fmt.Sprintf("dealt by another patron at seat %d of the curator who left", seat),
		})
	}
}

// handedOver judges a handover; false if something is wrong with it.
func (p *Pass) handedOver(h *handover) bool {
	last := h.from
	var accepted *record.CuratorStep
	for i, step := range h.offers {
		if p.seatingUnknown(step.Occupied, step.Seat, step.Seq) {
			return true
		}
		if unseated(step) {
			p.offeredToUnseated(step, last)
			continue
		}
		occupied := step.Occupied
		if step.Accepted { // who accepts the shoe sits there, whether that was reported or not
			occupied = withSeat(occupied, step.Seat)
		}
		want := p.counterclockwise(occupied, last)
		if i == 0 && !h.released && !p.Shoe.Prep.First && // the curator of the shoe before may have passed it
			step.Seat == p.counterclockwise(occupied, p.Shoe.Prep.LastDealer) {
			want = step.Seat
		}
		if want != step.Seat && p.offersAgain(h, step) {
			want = step.Seat
		}
		ownLoss := h.lost && step.Seat == h.from // the rule that the curator must pass
		if accepted == nil && step.Seat != want && (i == 0 || step.Seat != last) && !ownLoss {
			p.reportCurator(
				step, fmt.Sprintf("offered to seat %d", want), fmt.Sprintf("offered to seat %d", step.Seat), h.pass,
			)
			return false
		}
		if last = step.Seat; step.Accepted && accepted == nil {
			accepted = step
		}
	}
	to := h.assigned
	switch {
	case to == nil || h.lost && to.Seat == h.from:
	case accepted != nil && accepted.Seat != to.Seat:
		p.reportCurator(
			to, fmt.Sprintf("assigned to seat %d, the first that accepted", accepted.Seat),
			fmt.Sprintf("assigned to seat %d", to.Seat), accepted.Seq,
		)
		return false
	case accepted == nil && len(h.offers) > 0 && last == to.Seat:
		p.Suspect(curatorFinding(
			to, "assigned to a seat that accepted", fmt.Sprintf("seat %d declined, assigned to it", to.Seat),
			h.offers[len(h.offers)-1].Seq,
		))
		return false
	case accepted == nil:
		return p.nextInTurn(h, last)
	}
	return true
}

// unseated reports whether the shoe was offered to a seat at which no participant is on record, and was not accepted:
// it was offered to no one, or to a participant who was not reported.
func unseated(step *record.CuratorStep) bool {
	return !step.Accepted && !slices.Contains(step.Occupied, step.Seat)
}

// offeredToUnseated judges an offer to an unseated seat after a seat. In turn it is lawful in either case.
func (p *Pass) offeredToUnseated(step *record.CuratorStep, last uint32) {
	if p.counterclockwise(withSeat(step.Occupied, step.Seat), last) != step.Seat {
		p.CannotJudge(
			fmt.Sprintf("the shoe was offered to seat %d, at which no participant is on record", step.Seat), step.Seq,
		)
	}
}

// offersAgain reports whether an offer begins another turn, after every participant declined and the dealer dealt:
// no sentence says whether at the right of the curator before, or from seat one as at the commencement of play.
// N.J.A.C. 19:47-3.6(b), 3.11(b).
func (p *Pass) offersAgain(h *handover, step *record.CuratorStep) bool {
	begins := step.Seat == p.counterclockwise(step.Occupied, 0) || step.Seat == p.counterclockwise(step.Occupied, h.from)
	return begins && len(h.offers) > 0 && step != h.offers[0] && p.allDeclined(step.Seq-1)
}

// nextInTurn judges an assignment that no accepted offer explains. Handing the shoe to the first seat in turn is an
// offer by conduct; so is leaving it with the curator of the shoe before.
func (p *Pass) nextInTurn(h *handover, last uint32) bool {
	to := h.assigned
	if !h.released && !p.Shoe.Prep.First && to.Seat == p.Shoe.Prep.LastDealer {
		return true
	}
	if p.seatingUnknown(to.Occupied, to.Seat, to.Seq) {
		return true
	}
	seats := withSeat(to.Occupied, to.Seat)
	without := []uint32{h.from}
	for _, offer := range h.offers {
		without = append(without, offer.Seat)
	}
	passedOver := inTurn(seats, last, to.Seat, without, p.counterclockwise)
	if len(passedOver) == 0 {
		return true
	}
	if !p.Table.CuratorOffers {
		p.CannotJudge(
			fmt.Sprintf("the shoe went to seat %d, offers to %s were not reported", to.Seat, numbered("seat", passedOver)),
			to.Seq,
		)
		return true
	}
	p.reportCurator(
		to, "first offered to "+numbered("seat", passedOver),
		fmt.Sprintf("assigned to seat %d without such an offer", to.Seat), h.pass,
	)
	return false
}

// numbered names things by their numbers, such as seats 3, 5.
func numbered(thing string, numbers []uint32) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = fmt.Sprint(n)
	}
	if len(words) > 1 {
		thing += "s"
	}
	return thing + " " + strings.Join(words, ", ")
}

// newShoeWrong judges how a later shoe finds its curator, where the rulebook requires more than that
// either will do: by an offer from seat one, or by keeping the one before.
func (p *Pass) newShoeWrong(steps []record.CuratorStep) bool {
	prep := &p.Shoe.Prep
	if prep.First || p.Round.No != 1 {
		return false
	}
	offered := len(steps) > 0 && steps[0].Round == 0 && steps[0].Kind == record.CuratorOffered
	seated := slices.Contains(p.Table.Occupied, prep.LastDealer)
	switch want := p.option("curator_new_shoe"); {
	case want == "seat-1" && !offered:
		p.Report(Finding{
			Expected: "a new shoe is offered from seat 1", Observed: "not offered",
			Evidence: []record.Seq{p.Shoe.First, p.Round.FirstCard()},
		})
		return true
	case want == "keep" && offered && prep.LastDealer != 0 && seated:
		p.reportCurator(
			&steps[0], fmt.Sprintf("seat %d keeps the shoe", prep.LastDealer),
			fmt.Sprintf("offered to seat %d", steps[0].Seat),
		)
		return true
	}
	return false
}

func (p *Pass) reportCurator(step *record.CuratorStep, expected, observed string, besides ...record.Seq) {
	p.Report(curatorFinding(step, expected, observed, besides...))
}

func curatorFinding(step *record.CuratorStep, expected, observed string, besides ...record.Seq) Finding {
	return Finding{
		Round: max(step.Round, 1), Seat: step.Seat, Expected: expected, Observed: observed,
		Evidence: append(besides, step.Seq),
	}
}

// allDeclined reports whether every participant was offered the shoe before an event and declined it.
func (p *Pass) allDeclined(before record.Seq) bool {
	var offers []record.CuratorStep
	for _, s := range p.Shoe.Curators {
		switch {
		case s.Seq > before:
		case s.Kind == record.CuratorOffered:
			offers = append(offers, s)
		default:
			offers = offers[:0]
		}
	}
	if len(offers) == 0 {
		return false
	}
	passed := uint32(0) // the curator who released the shoe does not get it back
	for _, s := range p.Shoe.Curators {
		if s.Kind == record.CuratorPassed && s.Seq < offers[0].Seq {
			passed = s.Seat
		}
	}
	return !slices.ContainsFunc(offers[len(offers)-1].Occupied, func(seat uint32) bool {
		return seat != passed && !record.Any(
			offers, func(s *record.CuratorStep) bool { return s.Seat == seat && !s.Accepted },
		)
	})
}

// instructs reports whether a curator deals the round, so that the dealer has somebody to instruct. N.J.A.C.
// 19:47-3.7(b) and 3.8(b) are about the curator. The dealer deals if every participant declined the shoe; if that was
// not reported, the rule cannot be judged.
func (p *Pass) instructs() bool {
	r := p.Round
	if p.Law.DealtBy != baccarat.RoleCurator || r.Curator != 0 {
		return true
	}
	first := r.FirstCard()
	i := record.Index(r.Cards, func(c *record.DealtCard) bool { return c.Seq == first })
	switch {
	case i < 0 || r.Cards[i].ByRole == baccarat.RoleCurator:
		return true
	case r.Cards[i].ByRole == baccarat.RoleDealer && p.allDeclined(first):
	case r.Cards[i].ByRole == baccarat.RoleDealer:
		p.CannotJudge("the dealer dealt, and that every participant declined the shoe was not reported", first)
	default:
		p.CannotJudge("who has the shoe was not reported", first)
	}
	return false
}

func checkCuratorDeals(p *Pass) {
	for i := range p.Round.Cards {
		c := &p.Round.Cards[i]
		byDealer := c.Curator == 0 && c.ByRole == baccarat.RoleDealer
		switch {
		case byDealer && p.option("curator_none") == "stop" && !p.leftWithin(c):
			p.Report(Finding{
				Subject: finding.OfCard(c.CardSeq), Expected: "no card while no participant takes the shoe",
				Observed: "drawn by DEALER", Evidence: []record.Seq{c.Seq},
			})
			return
		case c.Carried:
		case byDealer && p.allDeclined(c.Seq):
		case byDealer:
			const why = "the dealer dealt, and that every participant declined the shoe was not reported"
			p.CannotJudge(p.noDrawer(c, why), c.Seq)
			return
		case c.ByRole == baccarat.NoRole || c.ByRole == baccarat.RoleCurator && c.BySeat == 0:
			p.CannotJudge("who drew the card was not reported", c.Seq)
			return
		case c.Curator == 0 && c.ByRole == baccarat.RoleCurator && p.passedWithin(c):
		case c.Curator == 0:
			p.CannotJudge(p.noDrawer(c, "who has the shoe was not reported"), c.Seq)
			return
		case c.ByRole != baccarat.RoleCurator || c.BySeat != c.Curator:
			f := Finding{
				Subject: finding.OfCard(c.CardSeq), Seat: c.BySeat, Evidence: []record.Seq{c.Seq},
				Expected: fmt.Sprintf("drawn by the curator, seat %d", c.Curator), Observed: "drawn by " + drawer(c),
			}
			if seat := p.Round.DealtBy(); seat != 0 {
				if p.dealtBefore(seat) {
					return
				}
				if !p.justAccepted(c.Curator) {
					f.Verdict = finding.Suspect // the shoe may have been passed to the seat, and that not reported
					f.Observed += ", as every card of the round"
				}
			}
			p.Report(f)
			return
		}
	}
}

// leftWithin reports whether a card was drawn by another one after the curator, or the Banker, left the seat within the
// round: no sentence says who completes the round.
func (p *Pass) leftWithin(c *record.DealtCard) bool {
	return c.Curator == 0 && p.Round.Cards[0].Curator != 0 && p.Round.Curator != 0
}

// noDrawer is why the seat that has to draw a card is not known, if the curator, or the Banker, did not leave it.
func (p *Pass) noDrawer(c *record.DealtCard, why string) string {
	if p.leftWithin(c) {
		return "the shoe was given up within the round, or its seat left: no sentence says who completes the round"
	}
	return why
}

// passedWithin reports whether a card was drawn by a curator who had passed the shoe in the round, in which it cannot
// be passed: curator.pass-between-rounds has it.
func (p *Pass) passedWithin(c *record.DealtCard) bool {
	return record.Any(p.Shoe.Curators, func(s *record.CuratorStep) bool {
		return s.Kind == record.CuratorPassed && s.Cause == record.PassVoluntary && s.InRound && s.Round == p.Round.No &&
			s.Seat == c.BySeat && s.Seq < c.Seq
	}) && p.judges("curator.pass-between-rounds")
}

// justAccepted reports whether a seat accepted the shoe, or was assigned it, after the first card of the round before.
func (p *Pass) justAccepted(seat uint32) bool {
	before, since := roundBefore(p.Shoe, p.Round.No), record.Seq(0)
	if before != nil {
		since = before.Card
	}
	return record.Any(p.Shoe.Curators, func(s *record.CuratorStep) bool {
		taken := s.Kind == record.CuratorAssigned || s.Kind == record.CuratorOffered && s.Accepted
		return s.Seat == seat && taken && s.Seq > since && s.Seq < p.Round.FirstCard()
	})
}

// dealtBefore reports whether a seat drew the cards of the round before as it drew those of this one, and another seat
// had the shoe, or the bank, in both: the finding about that round has it.
func (p *Pass) dealtBefore(seat uint32) bool {
	for _, r := range slices.Backward(p.Shoe.Rounds) {
		if r.No < p.Round.No && r.Card != 0 {
			return r.DealtBy == seat && r.Curator == p.Round.Curator
		}
	}
	return false
}

// drawer names who drew a card.
func drawer(c *record.DealtCard) string { return person(c.ByRole, c.BySeat) }

// person names somebody by role and seat, as far as there is one.
func person(role baccarat.Role, seat uint32) string {
	if seat == 0 {
		return role.String()
	}
	return fmt.Sprintf("%v, seat %d", role, seat)
}

// checkMustPass wants the next round dealt by another seat, or by the dealer after all declined. Where no other
// participant is seated the shoe comes back.
func checkMustPass(p *Pass) {
	r := p.Round
	p.bySeats((*Pass).keptIntoShoe)
	c := r.Coup()
	if r.Next == 0 || p.cancelled() || !c.Complete || c.Result() != baccarat.PlayerWon || len(r.Cards) == 0 {
		return
	}
	curator, next := r.Curator, r.NextBy
	if first := &r.Cards[0]; curator == 0 && first.ByRole == baccarat.RoleCurator {
		curator = first.BySeat
	}
	seat, last := next.Curator, r.Cards[len(r.Cards)-1].Seq
	if next.Role == baccarat.RoleCurator && next.Seat != 0 {
		seat = next.Seat
	}
	switch {
	case curator == 0: // no participant took the shoe
	case next.Role == baccarat.RoleDealer && next.Curator == 0:
		if !p.allDeclined(r.Next) {
			p.CannotJudge("the dealer dealt, and that every participant declined the shoe was not reported", r.Next)
		}
	case next.Role == baccarat.RoleDealer: // another finding
	case seat == 0:
		p.CannotJudge("who has the shoe was not reported", r.Next)
	case record.Any(p.Shoe.Curators, func(s *record.CuratorStep) bool { // who may have passed it on
		return s.Kind == record.CuratorAssigned && s.Seat != curator && s.Seq > last && s.Seq < r.Next
	}):
	case seat == curator && next.Replaced.Taken != 0: // he left; curator.next-offer judges who has the shoe
	case seat == curator && p.othersSeated(curator, last):
		p.Report(Finding{
			Seat: curator, Expected: fmt.Sprintf("seat %d passes the shoe, the banker hand lost", curator),
			Observed: fmt.Sprintf("seat %d deals the next round", curator), Evidence: append(cardEvidence(r), r.Next),
		})
	}
}

// keptIntoShoe judges a curator who lost the last round of the shoe before and deals the first one of this shoe, which
// was offered to no one. The first seat in turn is not judged: the commencement of play offers the shoe to that seat.
// N.J.A.C. 19:47-3.6(b), 3.11(a)1.
func (p *Pass) keptIntoShoe() {
	r, last := p.Round, p.Shoe.Prep.LastDealer
	if !p.Shoe.Prep.LastKept || len(p.Shoe.Rounds) != 1 || len(r.Cards) == 0 || r.Curator != last || last == 0 ||
		r.Replaced.Taken != 0 {
		return
	}
	first := &r.Cards[0]
	occupied := p.Table.Occupied
	for i := range p.Shoe.Curators {
		s := &p.Shoe.Curators[i]
		if s.Seq > first.Seq {
			break
		}
		if s.Kind != record.CuratorAssigned || s.Seat != last {
			return // it was offered
		}
		occupied = s.Occupied
	}
	other := slices.ContainsFunc(occupied, func(s uint32) bool { return s != last })
	if first.ByRole != baccarat.RoleCurator || first.BySeat != last || !other || p.counterclockwise(occupied, 0) == last {
		return
	}
	if !p.Table.CuratorOffers {
		p.CannotJudge(fmt.Sprintf("the shoe stayed with seat %d, offers were not reported", last), first.Seq)
		return
	}
	p.Report(Finding{
		Seat: last, Expected: fmt.Sprintf("seat %d passes the shoe, the banker hand lost the round before", last),
		Observed: fmt.Sprintf("seat %d deals the next shoe, which was offered to no one", last),
		Evidence: append(cardEvidence(r), p.Shoe.First),
	})
}

// othersSeated reports whether another participant than the one of a seat was at the table when the shoe was offered or
// assigned after an event; if it was neither, now.
func (p *Pass) othersSeated(seat uint32, after record.Seq) bool {
	occupied := p.Table.Occupied
	for _, s := range slices.Backward(p.Shoe.Curators) {
		if s.Seq > after && s.Seq < p.Round.Next && s.Kind != record.CuratorPassed {
			occupied = s.Occupied
		}
	}
	if len(p.Table.Occupied) == 0 { // not reported: the wagers show it
		return record.Any(p.Round.Wagers, func(w *record.Wager) bool { return w.Seat != seat })
	}
	return slices.ContainsFunc(occupied, func(s uint32) bool { return s != seat })
}

// The words of ground in the event contract.
const (
	groundDelay     = "UNREASONABLE_DELAY"
	groundInvalid   = "REPEATED_INVALID_DEALS"
	groundViolation = "ACT_OR_REGULATION_VIOLATION"
	groundOther     = "OTHER"
)

// Grounds are the words of ground in the event contract.
func Grounds() []string { return []string{groundDelay, groundInvalid, groundViolation, groundOther} }

// GroundWord folds the ways in which a word of the contract is written.
func GroundWord(s string) string {
	switch s {
	case "", groundDelay, groundInvalid, groundViolation, groundOther: // as nearly all are
		return s
	}
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToUpper(strings.TrimSpace(s)))
}

// checkPassGrounds judges who ordered a curator off, and on what ground, each by itself.
func checkPassGrounds(p *Pass) {
	for i := range p.Shoe.Curators {
		s := &p.Shoe.Curators[i]
		if s.Kind != record.CuratorPassed {
			continue
		}
		if s.Cause == record.PassBankerLost {
			p.lostIndeed(s)
		}
		if s.Cause == record.PassOrdered && p.checkGround(s) {
			p.checkOrderedBy(s.By, curatorFinding(s, "", ""))
		}
	}
}

// checkOrderedBy judges who ordered a right to be given up: the dealer or the floorperson of the table. A supervisor
// stands above them.
func (p *Pass) checkOrderedBy(by baccarat.Role, f Finding) {
	f.Expected, f.Observed = "ordered by DEALER or FLOORPERSON", fmt.Sprintf("ordered by %v", by)
	switch by {
	case baccarat.RoleDealer, baccarat.RoleFloorperson:
	case baccarat.NoRole, baccarat.RoleDevice:
		p.CannotJudge("who gave the order was not reported", f.Evidence...)
	case baccarat.RoleSupervisor:
		p.Suspect(f)
	default:
		p.Report(f)
	}
}

// checkGround judges the ground of an order; false if it is a finding.
func (p *Pass) checkGround(s *record.CuratorStep) bool {
	expected := strings.Join([]string{groundDelay, groundInvalid, groundViolation}, ", ")
	switch word := GroundWord(s.Ground); word {
	case groundDelay, groundViolation:
	case groundInvalid:
		return p.checkInvalidDeals(s)
	case groundOther:
		p.reportCurator(s, "ordered on one of the grounds "+expected, "ground OTHER")
		return false
	case "":
		f := curatorFinding(s, "ordered on one of the grounds "+expected, "the ground was not reported")
		f.Verdict = finding.Information
		p.Report(f)
		p.CannotJudge("the ground of an order was not reported", s.Seq)
	default:
		p.CannotJudge("the ground is no word of the event contract", s.Seq)
	}
	return true
}

// checkInvalidDeals looks for an invalid deal of the curator who is ordered off for them. It reads back to the
// assignment of the shoe to the seat, and is false if none is on record.
func (p *Pass) checkInvalidDeals(s *record.CuratorStep) bool {
	since, known := uint32(0), p.Shoe.Prep.First
	for _, step := range p.Shoe.Curators {
		if step.Seq < s.Seq && step.Kind == record.CuratorAssigned && step.Seat == s.Seat {
			since, known = step.Round, true
		}
	}
	for _, r := range p.Shoe.Rounds {
		if r.No > since && r.No <= s.Round && r.Curator == s.Seat && r.Irregular {
			return true
		}
	}
	if r := p.Round; r.No == s.Round && IrregularDeal(p.Law.Law, r) {
		return true
	}
	if !known {
		p.CannotJudge("the curator's deals of the shoe before are not on record here", s.Seq)
		return true
	}
	p.Suspect(curatorFinding(
		s, "invalid deals of the curator on record", fmt.Sprintf("no invalid deal of seat %d on record", s.Seat),
	))
	return false
}

// IrregularDeal reports whether a card of the round was not due, or was dealt out of order.
func IrregularDeal(l *law.Law, r *record.Round) bool {
	if irregular(r) || !inInitialOrder(r) {
		return true
	}
	due, _ := redeal(l, r)
	return !unread(r) && due.Cards() != r.Coup().Cards()
}

// lostIndeed compares a release after a lost banker hand with the result of the round before.
func (p *Pass) lostIndeed(s *record.CuratorStep) {
	i := record.Index(p.Shoe.Rounds, func(r *record.RoundSummary) bool { return r.No == s.Round })
	if i < 0 || p.Shoe.Rounds[i].Missing {
		return
	}
	if r := &p.Shoe.Rounds[i]; r.Result == baccarat.BankerWon || r.Result == baccarat.Tie {
		p.Suspect(curatorFinding(
			s, "released as BANKER_LOST after a round that the player hand won",
			fmt.Sprintf("released as BANKER_LOST after round %d, result %v", r.No, r.Result), r.Ended,
		))
	}
}

func checkPassBetween(p *Pass) {
	for i := range p.Shoe.Curators {
		s := &p.Shoe.Curators[i]
		switch {
		case s.Kind != record.CuratorPassed || s.Cause != record.PassVoluntary || !s.InRound || s.Round != p.Round.No:
		case !p.wentOn(s.Seq):
			p.CannotJudge("that the round had ended when the shoe was passed may not be reported", s.Seq)
		default:
			p.Report(Finding{
				Seat: s.Seat, Expected: "passed between rounds",
				Observed: fmt.Sprintf("passed by seat %d while round %d was in progress", s.Seat, s.Round),
				Evidence: []record.Seq{s.Seq},
			})
		}
	}
}

// wentOn reports whether the round in which something happened went on after it: a card, a result or its end followed.
func (p *Pass) wentOn(after record.Seq) bool {
	r := p.Round
	return r.Ended.Seq > after || r.Voided.Seq > after ||
		record.Any(r.Cards, func(c *record.DealtCard) bool { return c.Seq > after }) ||
		record.Any(r.Calls, func(c *record.Call) bool { return c.Seq > after && isResult(c.Code) })
}
