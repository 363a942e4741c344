package rules

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// The money of a wager is judged by what all its motions come to before the next round's first card. No clause demands
// one motion.

// motions are the steps of the settlement of a wager, in order.
func motions(w *record.Wager, r *record.Round) iter.Seq[*record.Step] {
	return func(yield func(*record.Step) bool) {
		for i := range r.Steps {
			s := &r.Steps[i]
			if s.Kind <= record.StepReturned && s.Wager >= 0 && &r.Wagers[s.Wager] == w && !yield(s) {
				return
			}
		}
	}
}

var motionWords = [...]string{
	record.StepCollected: "collected", record.StepPaid: "paid", record.StepReturned: "returned",
}

// settled describes the settlement of a wager: each motion, and what they come to if there are several.
func (p *Pass) settled(w *record.Wager) string {
	var moves []string
	for s := range motions(w, p.Round) {
		moves = append(moves, motionWords[s.Kind]+" "+p.money(s.Amount))
	}
	switch len(moves) {
	case 0:
		return "not settled"
	case 1:
		return moves[0]
	}
	net, sum := w.Net(), "nothing"
	switch {
	case net.Paid > 0:
		sum = "paid " + p.money(net.Paid)
	case net.Collected > 0:
		sum = "collected " + p.money(net.Collected)
	case net.Returned > 0:
		sum = "returned " + p.money(net.Returned)
	}
	return strings.Join(moves, ", ") + "; in all " + sum
}

// dueOnce is the amount of one settlement of a wager as it was settled, 0 if that is not known.
func (p *Pass) dueOnce(w *record.Wager) int64 {
	if w.Disposition() != baccarat.Pay {
		return w.Amount
	}
	if d, due := p.Due(w); d == baccarat.Pay {
		return due
	}
	odds := p.Law.Odds[w.Spot]
	if b := p.bet(w); b != nil {
		odds = b.Odds
	}
	if odds.Known() {
		return odds.Winnings(w.Amount)
	}
	return 0
}

// paidTwice reports whether a wager was paid, and settled twice.
func (p *Pass) paidTwice(w *record.Wager) bool {
	return w.Disposition() == baccarat.Pay && p.settledTwice(w)
}

// partsUnknown reports whether what a wager was paid twice over may be one payment in parts: the kind of vigorish gives
// a minimum, no odds are posted for the hand, and the sum is within the odds posted for the banker wager.
func (p *Pass) partsUnknown(w *record.Wager) bool {
	reduced, posted := p.reduced(), p.Config.Posted[baccarat.SpotBanker]
	return w.Spot == baccarat.SpotBanker && reduced.Known() && reduced.Floor && posted.Known() &&
		!p.Law.PostedReduced(p.Config, reduced).Known() && posted.Compare(w.Net().Paid, w.Amount) <= 0
}

// settledTwice reports whether two motions of a wager each settle it in full, and none of them was put right: 100 and
// 100 on a wager that is paid 100, not 50 and 50.
func (p *Pass) settledTwice(w *record.Wager) bool {
	net := w.Net()
	if w.Settlements() < 2 || w.Gone {
		return false
	}
	kind, sum := record.StepReturned, net.Returned
	switch w.Disposition() {
	case baccarat.Pay:
		kind, sum = record.StepPaid, net.Paid
	case baccarat.Collect:
		kind, sum = record.StepCollected, net.Collected
	}
	due, full := p.dueOnce(w), 0
	for s := range motions(w, p.Round) {
		if s.Kind == kind && s.Amount >= due {
			full++
		}
	}
	return due > 0 && full > 1 && sum >= 2*due
}

// takenBack reports whether a step is no payment of a winning wager and no collection of a losing stake, but a mistake
// that was put right: the wager is not collected in the end, or its stake was collected before, so that the step takes
// back what was paid by mistake; or it does not win, or is collected or returned in the end, and the step paid it.
func (p *Pass) takenBack(s *record.Step) bool {
	w := &p.Round.Wagers[s.Wager]
	got := w.Disposition()
	switch {
	case s.Kind != record.StepCollected:
		want := p.disposition(w)
		lost := got == baccarat.Undetermined && (want == baccarat.Collect || want == baccarat.Return)
		return s.Kind == record.StepPaid && (lost || got == baccarat.Collect || got == baccarat.Return)
	case got != baccarat.Collect:
		return true
	}
	taken := int64(0)
	for i := range p.Round.Steps {
		switch before := &p.Round.Steps[i]; {
		case before.Wager != s.Wager || before.Seq >= s.Seq:
		case before.Kind == record.StepCollected:
			taken += before.Amount
		case before.Kind == record.StepReturned:
			taken -= before.Amount
		}
	}
	return taken >= w.Amount
}

// beyondDue reports whether a step pays a wager that was paid its full winnings before: nothing is due, and the amount
// is the error.
func (p *Pass) beyondDue(s *record.Step) bool {
	if s.Kind != record.StepPaid {
		return false
	}
	paid, full := p.paidBefore(s)
	return paid > 0 && full && !p.settledTogether(&p.Round.Wagers[s.Wager])
}

// paidBefore is what a wager was paid before a step, and whether that is known to be its full winnings.
func (p *Pass) paidBefore(s *record.Step) (paid int64, full bool) {
	w := &p.Round.Wagers[s.Wager]
	for before := range motions(w, p.Round) {
		switch {
		case before.Seq >= s.Seq:
		case before.Kind == record.StepPaid:
			paid = baccarat.Add(paid, before.Amount)
		case before.Kind == record.StepCollected:
			paid -= before.Amount
		}
	}
	odds := p.oddsOf(w, p.coup())
	return paid, odds.Known() && odds.Compare(paid, w.Amount) >= 0
}

func checkUnsettled(p *Pass) {
	r := p.Round
	var named []record.Seq // motions that may be of a wager that has a finding
	p.exchangedNames()
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if p.settledTogether(w) {
			p.onePlayer(w)
			continue
		}
		if by := p.sweeper(w); by != nil {
			p.suspectSwept(w, by)
			continue
		}
		observed := p.unsettled(w)
		if undealt(r) {
			observed = p.moved(w)
		}
		if observed != "" && p.couponLeft(w) {
			continue
		}
		if observed != "" {
			f := Finding{
				Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: w.Amount, Evidence: moneyEvidence(w, r),
				Expected: p.settleOnce(w), Observed: observed,
			}
			switch {
			case undealt(r) && w.Settlements() == 0:
				f.Verdict = finding.Unauditable // it may have been taken back
			case w.Gone && w.Net().Paid == 0 && w.Net().Collected == 0:
				f.Amount = w.Net().Returned - w.Most()
				f.Verdict = finding.Suspect // the return may have been published twice
			case undealt(r) && r.Next == 0, w.Settlements() == 0 && p.lesser(w):
				f.Verdict = finding.Suspect // the last cards of a shoe may not have been published
			case p.paidTwice(w) && p.partsUnknown(w):
				f.Verdict = finding.Suspect
			}
			if s := p.otherName(w); s != nil && w.Settlements() == 0 && f.Verdict == "" {
				f.Verdict, f.Evidence = finding.Suspect, append(f.Evidence, s.Seq)
				f.Observed += ", and " + p.unplaced(s)
				named = append(named, s.Seq)
			}
			if p.paidTwice(w) {
				f.Amount = w.Net().Paid - p.dueOnce(w)
			}
			if p.citeVoid(&f) && !w.Gone {
				f.Expected = fmt.Sprintf("%s wager of %s returned, the round is void", p.spot(w), p.money(w.Amount))
				if w.Settlements() > 0 {
					f.Expected = fmt.Sprintf("%s wager of %s returned once, the round is void", p.spot(w), p.money(w.Amount))
				}
			}
			p.citeOdds(w, &f)
			p.Report(f)
			continue
		}
		p.settledElsewhere(w)
		if sum := w.Lowered(); w.PartBack > sum {
			p.Suspect(Finding{ // the return may have been published twice
				Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: w.PartBack - sum,
				Evidence: []record.Seq{w.Placed, w.PartBackAt},
				Expected: fmt.Sprintf("%s wager lowered by %s, and at most that returned", p.spot(w), p.money(sum)),
				Observed: fmt.Sprintf("returned %s before a card was dealt", p.money(w.PartBack)),
			})
		}
	}
	p.settledUnknown(named)
}

// settledUnknown suspects motions of wagers that are not on record, but for those that a finding names: the wager may
// have been placed and not reported.
func (p *Pass) settledUnknown(named []record.Seq) {
	for i := range p.Round.Steps {
		if s := &p.Round.Steps[i]; s.Unplaced() && !slices.Contains(named, s.Seq) {
			p.Suspect(Finding{
				Subject: finding.OfSeat(s.Seat), Seat: s.Seat, Amount: s.Amount, Evidence: []record.Seq{s.Seq},
				Expected: "settlement of a wager of the round", Observed: p.unplaced(s),
			})
		}
	}
}

// unplaced describes a motion of a wager that is not on record.
func (p *Pass) unplaced(s *record.Step) string {
	return motionWords[s.Kind] + " " + p.money(s.Amount) + " for a wager that is not on record"
}

// settledTogether reports whether a wager was settled with others of its player on its spot by motions that do not name
// all of them: all are due the same, and what moved is what is due for all. No clause wants a motion for each.
func (p *Pass) settledTogether(w *record.Wager) bool {
	want := p.disposition(w)
	if p.cancelled() {
		want = baccarat.Return
	}
	odds := p.oddsOf(w, p.coup())
	return p.inOneMotion(w, want, func(sum, stake int64) bool {
		if want == baccarat.Pay {
			return odds.Known() && odds.Pays(sum, stake)
		}
		return (want == baccarat.Collect || want == baccarat.Return) && sum == stake
	})
}

// inOneMotion is settledTogether for what is to become of the wager, and whether a sum is due for a stake.
func (p *Pass) inOneMotion(w *record.Wager, want baccarat.Disposition, due func(sum, stake int64) bool) bool {
	if w.Gone || w.Settlements() > 0 && due(moved(w), w.Amount) {
		return false
	}
	var stake, sum int64
	unnamed := false
	for i := range p.Round.Wagers {
		switch o := &p.Round.Wagers[i]; {
		case !besides(w, o):
		case o.Settlements() == 0:
			unnamed = true
			stake = baccarat.Add(stake, o.Amount)
		case o.Disposition() != want:
			return false
		default:
			stake, sum = baccarat.Add(stake, o.Amount), baccarat.Add(sum, moved(o))
		}
	}
	return unnamed && sum > 0 && due(sum, stake)
}

// onePlayer says that it cannot be judged whether wagers that were settled together with one are of one player, if a
// wager does not name its own.
func (p *Pass) onePlayer(w *record.Wager) {
	if record.Any(p.Round.Wagers, func(o *record.Wager) bool { return besides(w, o) && o.Patron == "" }) {
		p.CannotJudge("whether wagers that were settled together are of one player is not known", w.Placed)
	}
}

// besides reports whether two wagers are on one spot of a seat and may be of one player.
func besides(w, o *record.Wager) bool {
	return !o.Gone && o.Spot == w.Spot && o.SpotName == w.SpotName && o.MayBeOf(w)
}

// couponLeft reports whether a wager of a coupon alone that is not paid was not settled, which cannot be judged.
func (p *Pass) couponLeft(w *record.Wager) bool {
	want := p.disposition(w)
	lies := want == baccarat.Collect || want == baccarat.Return || p.cancelled()
	return lies && w.Settlements() == 0 && w.Coupon == w.Amount && p.lacksCoupon(w, 0)
}

// otherName is a motion at the seat of a wager that settles it exactly, and names a wager that is not on record: the
// name may be wrong. It is nil if there is none.
func (p *Pass) otherName(w *record.Wager) *record.Step {
	want := p.disposition(w)
	for i := range p.Round.Steps {
		s := &p.Round.Steps[i]
		if !s.Unplaced() || s.Seat != w.Seat {
			continue
		}
		switch {
		case want == baccarat.Pay && s.Kind == record.StepPaid && p.oddsOf(w, p.coup()).Pays(s.Amount, w.Amount),
			want == baccarat.Collect && s.Kind == record.StepCollected && s.Amount == w.Amount,
			want == baccarat.Return && s.Kind == record.StepReturned && s.Amount == w.Amount:
			return s
		}
	}
	return nil
}

// settledElsewhere suspects a wager that was settled at another seat: another patron may have won or lost the money, or
// a device may have reported the wrong seat or the wrong wager.
func (p *Pass) settledElsewhere(w *record.Wager) {
	for s := range motions(w, p.Round) {
		if p.Round.Elsewhere(s) {
			// The other one is of the same finding, unless it has one about what was settled.
			if b := exchangedStep(p.Round, s, p.Round.Steps); b != nil {
				with := &p.Round.Wagers[b.Wager]
				if p.unsettled(with) == "" && !p.settledTogether(with) {
					if with.Placed > w.Placed {
						p.suspectExchange(w, with, s.Kind, s.Seat)
					}
					return
				}
			}
			f := Finding{
				Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: s.Amount, Evidence: []record.Seq{w.Placed, s.Seq},
				Expected: fmt.Sprintf("%s wager settled at seat %d", p.spot(w), w.Seat),
				Observed: fmt.Sprintf("%s %s at seat %d", motionWords[s.Kind], p.money(s.Amount), s.Seat),
			}
			p.citeVoid(&f)
			p.Suspect(f)
			return
		}
	}
}

// undealt reports whether a round has wagers and neither a card nor an end: nothing was won or lost in it, unless its
// cards were not published.
func undealt(r *record.Round) bool { return len(r.Cards) == 0 && r.Voided.Seq == 0 && r.Ended.Seq == 0 }

// moved describes the settlement of a wager in a round without cards. It is empty for a wager that was given back.
func (p *Pass) moved(w *record.Wager) string {
	if net := w.Net(); w.Settlements() > 0 && net.Paid == 0 && net.Collected == 0 || w.Gone && w.Settlements() == 0 {
		return ""
	}
	return p.settled(w) + ", and no card was dealt"
}

// citeOdds cites the clause on the odds of a side bet that won and was not settled, or was paid twice, where the text
// prints it and the clause on settlement is read from another text: "winning wagers shall be paid ... at the following
// odds".
func (p *Pass) citeOdds(w *record.Wager, f *Finding) {
	var rule *Rule
	if b := p.bet(w); b != nil {
		rule = p.Law.payoutOf(b)
	}
	if w.Settlements() > 0 && !p.paidTwice(w) || rule == nil || p.disposition(w) != baccarat.Pay {
		return
	}
	if c, ok := p.Law.Cited(rule.Name); ok && BasisOf(c).Proves() {
		f.Cites, f.Basis = slices.Clone(c.Citations), BasisOf(c)
	}
}

// unreported reports whether money of a seat moved for a wager of the round that was not reported.
func unreported(r *record.Round, seat uint32) bool {
	return record.Any(r.Steps, func(s *record.Step) bool {
		return s.Seat == seat && s.Wager < 0 && s.Kind <= record.StepVigMarked
	})
}

func (p *Pass) settleOnce(w *record.Wager) string {
	switch net := w.Net(); {
	case w.Gone && net.Paid == 0 && net.Collected == 0:
		return fmt.Sprintf("%s wager withdrawn, and at most %s returned", p.spot(w), p.money(w.Most()))
	case w.Gone:
		return fmt.Sprintf("%s wager of %s withdrawn, and nothing paid or collected", p.spot(w), p.money(w.Amount))
	}
	return fmt.Sprintf("%s wager of %s settled once", p.spot(w), p.money(w.Amount))
}

// unsettled describes what is wrong with the settlement of a wager whatever the cards: nothing in the end, twice, more
// than the stake returned, or a withdrawn wager settled. It is empty if nothing is.
func (p *Pass) unsettled(w *record.Wager) string {
	net := w.Net()
	switch {
	case w.Gone && net.Paid == 0 && net.Collected == 0 && net.Returned <= w.Most():
		return ""
	case w.Gone:
		return p.settled(w)
	case w.Disposition() == baccarat.Undetermined:
		return p.settled(w)
	case p.misjudged(w):
		return "" // the outcome is the error
	case p.settledTwice(w), w.Disposition() != baccarat.Return && net.Returned > w.Amount:
		return p.settled(w)
	}
	return ""
}

// checkCorrected reports mistakes of a settlement that were put right: a stake taken and put back, winnings paid and
// taken back, a stake returned and then collected, a part of a vigorish given back. What came to less than is due, or
// to more than the stake, was not put right: a winning stake that was collected.
func checkCorrected(p *Pass) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		turned := w.Collected.Times > 0 && (w.Paid.Times > 0 || w.Returned.Times > 0)
		corrected := turned && w.Disposition() != baccarat.Undetermined && !w.Gone && !p.misjudged(w) &&
			p.unsettled(w) == "" && !p.fellShort(w) && w.Net().Returned <= w.Amount
		if back, motions := p.refund(w); corrected || back > 0 {
			f := Finding{
				Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: w.Amount,
				Evidence: append(slices.Clone(moneyEvidence(w, p.Round)), motions...),
				Expected: "mistakes of the settlement put right", Observed: p.settled(w),
			}
			if back > 0 {
				f.Amount, f.Observed = back, f.Observed+", and "+p.money(back)+" of its vigorish given back"
			}
			p.Report(f)
		}
	}
}

// fellShort reports whether a wager that wins was paid less than its odds in the end.
func (p *Pass) fellShort(w *record.Wager) bool {
	odds, paid := p.oddsOf(w, p.coup()), w.Net().Paid
	return w.Disposition() == baccarat.Pay && odds.Known() && !odds.Pays(paid, w.Amount) &&
		odds.Compare(paid, w.Amount) < 0
}
