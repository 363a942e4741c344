package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// Rules of wagers are evaluated at no more bets, and again when the round is settled for the wagers that
// came later.
var wagerFamily = []*Rule{
	{
		Name:     "wager.type-permitted",
		Doc:      "A wager is accepted only on the spots that the rulebook permits and the table offers.",
		Breach:   "Unlisted side bet accepted.",
		Severity: finding.Critical, At: Betting, Again: true, Check: checkPermitted,
		Needs:  baccarat.FeedWagers,
		Covers: []string{"vig.only-on-banker-win"},
	},
	{
		Name: "wager.after-no-more-bets", Doc: "No wager is made, changed or withdrawn after no more bets.",
		Breach:   "Late bet or withdrawal.",
		Severity: finding.Critical, At: Settled, Needs: baccarat.FeedWagers, Check: checkLateWager,
		Covers: []string{"wager.touched-after-first-card"},
	},
	{
		Name:     "wager.touched-after-first-card",
		Doc:      "No patron handles a wager between the first card and its settlement.",
		Breach:   "Player touches his chips mid-round.",
		Severity: finding.Major, At: Settled, Check: checkHandled,
		Needs: baccarat.FeedBetSpots | baccarat.FeedWagers | baccarat.FeedSettlement,
	},
	{
		Name: "wager.medium", Doc: "A wager is made with chips, plaques or what else the rulebook permits.",
		Breach:   "Cash plays at a NY table.",
		Severity: finding.Major, At: Betting, Again: true, Needs: baccarat.FeedWagers, Check: checkMedium,
	},
	{
		Name: "wager.area", Doc: "A wager lies on the layout area of its spot.",
		Breach:   "Chips between two boxes.",
		Severity: finding.Minor, At: Betting, Again: true, Check: checkArea,
		Needs: baccarat.FeedBetSpots | baccarat.FeedWagers,
	},
	{
		Name:     "wager.verbal-cash.confirmed",
		Doc:      "A verbal cash wager is confirmed by the dealer and by a supervisor before the first card.",
		Breach:   "Only one of the two confirmed.",
		Severity: finding.Major, At: Dealt, Needs: baccarat.FeedWagers, Check: checkVerbalConfirmed,
	},
	{
		Name:     "wager.verbal-cash.converted",
		Doc:      "The cash of a verbal wager is exchanged for chips before the wager is settled.",
		Breach:   "Cash never exchanged.",
		Severity: finding.Major, At: Settled, Needs: baccarat.FeedWagers, Check: checkVerbalConverted, Compares: ofSeat,
	},
	{
		Name: "wager.ez-insurance-at-ez-only", Doc: "Dragon 7 and panda 8 insurance is taken only at EZ tables.",
		Breach:   "Insurance bet at a commission table.",
		Severity: finding.Critical, At: Betting, Again: true, Check: checkInsurance,
		Needs:  baccarat.FeedWagers,
		Covers: []string{"wager.type-permitted"},
	},
	{
		Name: "wager.dragon-bonus-hand", Doc: "A dragon bonus is taken only on the hands that the table offers.",
		Breach:   "Banker-side bonus where only the player side is offered.",
		Severity: finding.Minor, At: Betting, Again: true, Needs: baccarat.FeedWagers, Check: checkBonusHand,
		Covers: []string{"wager.type-permitted"},
	},
}

func (p *Pass) reportWager(w *record.Wager, expected, observed string, evidence ...record.Seq) {
	p.Report(Finding{
		Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: w.Amount, Expected: expected, Observed: observed,
		Evidence: append([]record.Seq{w.Placed}, evidence...),
	})
}

// unjudged reports a permitted wager for whose payment the rulebook has no rule.
func (p *Pass) unjudged(w *record.Wager) {
	judged := p.Law.Judges(w.Spot)
	if b := p.bet(w); b != nil {
		judged = p.Law.JudgesWager(b)
	}
	if !judged {
		p.CannotJudge(fmt.Sprintf("no rule of the rulebook judges what a %s wager is paid", p.spot(w)), w.Placed)
	}
}

// A wager that was withdrawn, or handed back before a card was dealt, was not accepted, and is no wager: the rules on
// how a wager is made do not judge it.

func checkPermitted(p *Pass) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Gone {
			continue
		}
		if w.Spot >= baccarat.SpotBanker && w.Spot <= baccarat.SpotTie {
			p.unjudged(w)
			continue
		}
		if w.Spot == baccarat.NoSpot {
			p.CannotJudge("where the wager was moved to was not reported", w.Placed)
			continue
		}
		if b := p.bet(w); b != nil && p.Law.Permits(b) && p.onOffer(w, b) {
			continue
		}
		approval := p.approval(w)
		if approval != 0 && p.Law.Approvals {
			p.CannotJudge("a side bet approval is on file, its terms are not in the texts", w.Placed, approval)
			continue
		}
		name := p.spot(w)
		from := len(p.Findings)
		p.reportWager(w, "a spot that the rulebook permits and the table offers", name, approval)
		if approval != 0 {
			p.suspectFrom(from)
		}
	}
}

// onOffer reports whether the table offers a side bet that the rulebook permits, or does not report what it offers: no
// text forbids the wager.
func (p *Pass) onOffer(w *record.Wager, b *law.Wager) bool {
	switch {
	case p.Config.OffersWager(b):
		p.unjudged(w)
	case p.barredInsurance(w): // wager.ez-insurance-at-ez-only
	case len(p.Config.SideBets)+len(p.Config.Further) == 0:
		p.CannotJudge("the table does not report which side bets it offers", p.Round.ConfigAt, w.Placed)
	default:
		return false
	}
	return true
}

// approval is the approval of a wager on file when it was placed, 0 if there is none: in effect by then, and about this
// wager if it names one.
func (p *Pass) approval(w *record.Wager) record.Seq {
	for _, n := range p.Table.Notices {
		if n.Topic == record.TopicSideBetApproval && n.Filed && n.Seq < w.Placed && n.Effective <= w.PlacedAt &&
			(n.Spot == baccarat.NoSpot || n.Spot == w.Spot) {
			return n.Seq
		}
	}
	return 0
}

func checkLateWager(p *Pass) {
	r := p.Round
	first, call := r.FirstCard(), r.CallOf(baccarat.NoMoreBets)
	closed := betsClosed(r)
	if closed == 0 {
		return
	}
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if w.Placed > closed {
			late := lateness{closed: closed, at: w.Placed, uncalled: uncalled(r)}
			before := first == 0 || w.Placed < first
			if stands, _ := w.StoodAt(first); before && stands == 0 && call != nil && w.Gone {
				late.verdict = finding.Information // not accepted
			}
			observed := fmt.Sprintf("%s %s placed", p.spot(w), p.money(w.Amount))
			if p.settledBefore(w) {
				late.verdict = finding.Suspect // it may have been placed in time, and reported late
				observed += " after its settlement and"
			}
			p.reportLate(w, observed, late)
			continue
		}
		p.lateChange(w, closed)
		if by := p.raisePaid(w); by != 0 {
			p.reportLate(
				w, "raised by "+p.money(by)+" and paid,",
				lateness{closed: closed, at: w.RaisedAt, by: by, uncalled: uncalled(r)},
			)
		}
	}
}

// settledBefore reports whether a motion of the settlement of a wager was reported before the wager.
func (p *Pass) settledBefore(w *record.Wager) bool {
	for m := range motions(w, p.Round) {
		return m.Seq < w.Placed
	}
	return false
}

// lateChange reports the first change of a wager after the end of the betting. Changes that were undone before the
// first card were not accepted: a change that follows the first card goes before them.
func (p *Pass) lateChange(w *record.Wager, closed record.Seq) {
	first, refused := p.Round.FirstCard(), record.WagerChange{}
	for _, c := range w.Changes {
		if c.Seq > closed && c.GivenBack && (first == 0 || p.cancelled()) {
			break // no hand was dealt, or none counts
		}
		if c.Seq > closed && c.Seq < first && differs(w, &c) && undone(w, closed, first) {
			if refused.Seq == 0 {
				refused = c
			}
			continue
		}
		if c.Seq > closed {
			late := lateness{closed: closed, at: c.Seq, by: changedSince(w, closed), uncalled: uncalled(p.Round)}
			if c.GivenBack || c.Withdrawn && p.pushed(w, c.Seq) { // the dealer may have refused it, or the patron took it back
				late.verdict = finding.Suspect
			}
			touched := p.cited(first != 0 && c.Seq > first, "wager.touched-after-first-card")
			p.reportLate(w, p.changed(w, &c), late, touched...)
			return
		}
	}
	if refused.Seq != 0 {
		late := lateness{closed: closed, at: refused.Seq, by: changedSince(w, closed), verdict: finding.Information}
		p.reportLate(w, p.changed(w, &refused), late)
	}
}

// changedSince is the most by which a wager was raised or lowered after the end of the betting, in one change or in
// several. A withdrawal, or a move, at first is about the whole wager: 0.
func changedSince(w *record.Wager, closed record.Seq) (most int64) {
	by := int64(0)
	for _, c := range w.Changes {
		if c.Seq <= closed {
			continue
		}
		if c.Withdrawn {
			break
		}
		by += c.Amount
		most = max(most, abs(by))
	}
	return most
}

// differs reports whether a change of a wager changed its amount or its spot.
func differs(w *record.Wager, c *record.WagerChange) bool {
	_, to := w.StoodAt(c.Seq)
	return c.Amount != 0 || c.Spot != to
}

// undone reports whether a wager that was changed after the end of the betting lay there as before when the first card
// was dealt.
func undone(w *record.Wager, closed, first record.Seq) bool {
	before, spot := w.StoodAt(closed)
	after, now := w.StoodAt(first)
	return before == after && spot == now
}

// betsClosed is the end of the betting: the call, or the first card where no call was reported before it. It is 0
// before both.
func betsClosed(r *record.Round) record.Seq {
	if call := r.CallOf(baccarat.NoMoreBets); call != nil && !uncalled(r) {
		return call.Seq
	}
	return r.FirstCard()
}

// uncalled reports whether no call of no more bets was reported before the first card.
func uncalled(r *record.Round) bool {
	call, first := r.CallOf(baccarat.NoMoreBets), r.FirstCard()
	return call == nil || first != 0 && first < call.Seq
}

// changed describes a change of a wager.
func (p *Pass) changed(w *record.Wager, c *record.WagerChange) string {
	_, to := w.StoodAt(c.Seq)
	switch {
	case c.Withdrawn:
		return "withdrawn"
	case c.Amount > 0:
		return "raised by " + p.money(c.Amount)
	case c.Amount < 0:
		return "lowered by " + p.money(-c.Amount)
	case c.Spot != to:
		return fmt.Sprintf("moved from %v to %v", c.Spot, to)
	}
	return "changed"
}

// lateness is an act after the end of the betting: the call, or the first card where no call was reported.
// By is by how much a wager was raised or lowered, 0 for another act: it is about the whole wager.
type lateness struct {
	closed, at record.Seq
	by         int64
	uncalled   bool
	verdict    finding.Verdict
}

// refused reports whether a wager that was made after the end of the betting, or a verbal one that was not confirmed,
// was handed back as a whole, as one that was not accepted.
func (p *Pass) refused(w *record.Wager) bool {
	closed := betsClosed(p.Round)
	judged := p.judges("wager.after-no-more-bets")
	late := judged && closed != 0 && w.Placed > closed
	return (late || p.unconfirmed(w)) && w.Disposition() == baccarat.Return && w.Net().Returned == w.Amount
}

// unconfirmed reports whether a verbal wager was not confirmed by both before the first card: such a wager may not be
// accepted. N.J.A.C. 19:47-3.2(c), 7.2(c).
func (p *Pass) unconfirmed(w *record.Wager) bool {
	if w.Medium != baccarat.VerbalCash {
		return false
	}
	judged := p.judges("wager.verbal-cash.confirmed")
	c := confirmations(p.Round, w)
	return judged && (!c.dealer || !c.supervisor)
}

// reportLate reports a late wager or change. Where no call was reported, either it was made before the first card, and
// the act came after it, or it was not made, which breaks the clause on the call: both are cited.
func (p *Pass) reportLate(w *record.Wager, observed string, late lateness, more ...string) {
	amount, _ := w.StoodAt(late.at) // a refused change is taken back
	f := Finding{
		Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: cmp.Or(abs(late.by), amount, w.Amount),
		Expected: "no wager made or changed after no more bets", Observed: observed + " after the call",
		Evidence: []record.Seq{w.Placed, late.closed, late.at}, Verdict: late.verdict,
	}
	if late.verdict == finding.Information {
		f.Observed += ", and given back before the first card"
	}
	if late.uncalled {
		f.Observed = observed + " after the first card"
		more = append(p.cited(true, "deal.no-more-bets-first"), more...)
	}
	if len(more) > 0 {
		f.Cites = append(p.cited(true, p.rule.Name), more...)
	}
	p.Report(f)
}

// cited are the citations of a rule in the rulebook, none unless they apply.
func (p *Pass) cited(applies bool, rule string) []string {
	c, ok := p.Law.Cited(rule)
	if !applies || !ok {
		return nil
	}
	return slices.Clone(c.Citations)
}

// exactly are the citations of the rule that end in one of the given clauses; none if the rulebook has none of them, so
// that all citations of the rule stand.
func (p *Pass) exactly(clauses ...string) (exact []string) {
	c, _ := p.Law.Cited(p.rule.Name)
	for _, cite := range c.Citations {
		if slices.ContainsFunc(clauses, func(clause string) bool { return strings.HasSuffix(cite, clause) }) {
			exact = append(exact, cite)
		}
	}
	return exact
}

func checkHandled(p *Pass) {
	first := p.Round.FirstCard()
	if first == 0 {
		return
	}
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		settled := max(w.Paid.Seq, w.Collected.Seq, w.Returned.Seq)
		for _, h := range w.Handled {
			if h.Seq < first || settled != 0 && h.Seq > settled {
				continue
			}
			switch h.Role {
			case baccarat.RolePatron:
				from := len(p.Findings)
				p.reportWager(w, "not handled between the first card and settlement", "handled by PATRON", first, h.Seq)
				if p.decided(w, h.Seq) {
					p.suspectFrom(from)
				}
			case baccarat.NoRole:
				p.CannotJudge("who handled a wager was not reported", w.Placed, h.Seq)
			default: // the text forbids it to players
			}
		}
	}
}

// decided reports whether the decision about a wager was rendered, and may have been implemented, before an event: the
// round was declared void, the result by which the wager is a push was announced, or a part of the settlement was made.
// 9 NYCRR 5324.21(b)(4): "until a decision has been rendered and implemented with respect to such wager".
func (p *Pass) decided(w *record.Wager, at record.Seq) bool {
	r := p.Round
	for s := range motions(w, r) {
		if s.Seq < at {
			return true
		}
	}
	return p.pushed(w, at)
}

// pushed reports whether the decision that a wager is returned was rendered before an event.
func (p *Pass) pushed(w *record.Wager, at record.Seq) bool {
	r, c := p.Round, p.coup()
	if r.Voided.Seq != 0 && r.Voided.Seq < at {
		return true
	}
	return c.Complete && !p.cancelled() && p.outcomeOf(w, c) == baccarat.Return &&
		record.Any(r.Calls, func(c *record.Call) bool { return c.Code.Declares() && c.Seq < at })
}

func checkMedium(p *Pass) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		coupon := w.Coupon > 0 && !slices.Contains(p.Law.Media, baccarat.ChipsAndCoupon)
		switch {
		case w.Gone:
		case coupon:
			p.reportWager(w, fmt.Sprintf("one of %v", p.Law.Media), "a coupon of "+p.money(w.Coupon))
		case slices.Contains(p.Law.Media, w.Medium):
		case w.Medium == baccarat.NoMedium:
			p.CannotJudge("what the wager was made with was not reported", w.Placed)
		default:
			p.reportWager(w, fmt.Sprintf("one of %v", p.Law.Media), w.Medium.String())
		}
	}
}

func checkArea(p *Pass) {
	for i := range p.Round.Wagers {
		// A verbal wager is not placed on an area: 19:47-3.2(c), 7.2(c).
		switch w := &p.Round.Wagers[i]; {
		case w.Gone:
		case !w.AreaOK && w.Medium != baccarat.VerbalCash:
			p.reportWager(w, fmt.Sprintf("on the area of %s", p.spot(w)), "outside it")
		case p.foreignSeat(w.Seat): // there is no area of it
			p.CannotJudge(notOfTable(w.Seat), w.Placed)
		}
	}
}

// confirmed is who confirmed a verbal wager before the first card; unknown are confirmations without a role.
type confirmed struct {
	dealer, supervisor, floorperson bool
	unknown                         int
}

func confirmations(r *record.Round, w *record.Wager) (by confirmed) {
	first := r.FirstCard()
	for _, c := range w.Confirmed {
		if first != 0 && c.Seq > first {
			continue
		}
		by.dealer = by.dealer || c.Role == baccarat.RoleDealer
		by.supervisor = by.supervisor || c.Role == baccarat.RoleSupervisor
		by.floorperson = by.floorperson || c.Role == baccarat.RoleFloorperson
		if c.Role == baccarat.NoRole {
			by.unknown++
		}
	}
	return by
}

// confirmedAt are the confirmations of a verbal wager before the first card.
func confirmedAt(r *record.Round, w *record.Wager) (at []record.Seq) {
	for _, c := range w.Confirmed {
		if first := r.FirstCard(); first == 0 || c.Seq <= first {
			at = append(at, c.Seq)
		}
	}
	return at
}

func checkVerbalConfirmed(p *Pass) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Medium != baccarat.VerbalCash || w.Gone {
			continue
		}
		by := confirmations(p.Round, w)
		if by.dealer && by.supervisor {
			continue
		}
		switch at := confirmedAt(p.Round, w); {
		case by.dealer && by.floorperson:
			p.CannotJudge("whether a FLOORPERSON is a casino supervisor is not in the text", append(at, w.Placed)...)
		case (by.dealer || by.supervisor || by.floorperson) && by.unknown >= 1, by.unknown >= 2:
			p.CannotJudge("who confirmed a verbal wager was not reported", append(at, w.Placed)...)
		default:
			p.reportWager(w, "confirmed by DEALER and SUPERVISOR before the first card", by.String(), at...)
		}
	}
}

// stood reports whether a wager had an amount after an event.
func stood(w *record.Wager, at record.Seq, amount int64) bool {
	was, _ := w.StoodAt(at)
	return was == amount
}

func checkVerbalConverted(p *Pass) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Medium != baccarat.VerbalCash || w.Gone || !slices.Contains(p.Law.Media, baccarat.VerbalCash) ||
			p.unconfirmed(w) && p.refused(w) {
			continue
		}
		deadline, what := max(w.Paid.Seq, w.Collected.Seq, w.Returned.Seq), "settlement"
		took, late := (w.ConvertedAt-w.PlacedAt)/int64(time.Second), false
		switch option := p.option("cash_conversion_deadline"); option {
		case "before-settlement", "expeditiously":
		case "before-next-round":
			deadline, what = p.Round.Next, "the next round"
		default:
			if seconds, err := strconv.ParseInt(option, 10, 64); err == nil {
				deadline, what, late = 0, option+" seconds are over", took > seconds
			}
		}
		switch {
		case w.Converted.Seq == 0:
			p.reportWager(w, fmt.Sprintf("%s exchanged for chips before %s", p.money(w.Amount), what), "not exchanged")
		case w.Converted.Amount != w.Amount && !stood(w, w.Placed, w.Converted.Amount) &&
			!stood(w, w.Converted.Seq, w.Converted.Amount): // a raise may be of chips
			p.reportWager(w, p.money(w.Amount)+" exchanged", p.money(w.Converted.Amount)+" exchanged", w.Converted.Seq)
		case deadline != 0 && w.Converted.Seq > deadline && what == "settlement":
			// The text demands it "expeditiously".
			p.Suspect(Finding{
				Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: w.Amount, Expected: "exchanged before settlement",
				Observed: "exchanged after it", Evidence: []record.Seq{w.Placed, w.Converted.Seq, deadline},
			})
		case deadline != 0 && w.Converted.Seq > deadline:
			p.reportWager(w, "exchanged before "+what, "exchanged after it", w.Converted.Seq, deadline)
		case late:
			p.reportWager(w, "exchanged before "+what, "exchanged after "+schema.Count(took, "second"), w.Converted.Seq)
		}
	}
}

// pushesDragon reports whether the table elects a kind of vigorish of the rulebook that returns banker wagers on a
// dragon 7, as EZ does.
func (p *Pass) pushesDragon() bool {
	dragon := baccarat.Coup{Complete: true, B: 7, NB: 3, NP: 2}
	return p.Config.Kind().Named() && p.Law.Pushes(p.Config.Kind(), &dragon)
}

// isInsurance reports whether a wager is one that only an EZ table takes.
func isInsurance(w *record.Wager) bool {
	return w.Spot == baccarat.SpotDragon7 || w.Spot == baccarat.SpotPanda8
}

// takesInsurance reports whether the table is an EZ table, or one that returns banker wagers on a dragon 7 as it does.
func (p *Pass) takesInsurance() bool { return p.Config.Mode == baccarat.EZ || p.pushesDragon() }

// barredInsurance reports whether a wager is an insurance wager that wager.ez-insurance-at-ez-only reports.
func (p *Pass) barredInsurance(w *record.Wager) bool {
	judged := p.judges("wager.ez-insurance-at-ez-only")
	return judged && isInsurance(w) && p.Config.Mode != baccarat.NoVigorishMode && !p.takesInsurance()
}

func checkInsurance(p *Pass) {
	if p.takesInsurance() {
		return
	}
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		switch {
		case !isInsurance(w) || w.Gone:
		case p.Config.Mode == baccarat.NoVigorishMode:
			p.CannotJudge("whether the table is an EZ table was not reported", p.Round.ConfigAt, w.Placed)
		default:
			from := len(p.Findings)
			p.reportWager(w, "insurance only at an EZ table", fmt.Sprintf("%v at a %v table", w.Spot, p.Config.Kind()))
			clause := "(b)(1)(v)"
			if w.Spot == baccarat.SpotPanda8 {
				clause = "(b)(1)(vi)"
			}
			p.citeFrom(from, p.exactly(clause))
		}
	}
}

func checkBonusHand(p *Pass) {
	if !p.Config.Offers(baccarat.SideDragonBonus) {
		return
	}
	both, hands := "[player, banker]", p.option("dragon_bonus_hands")
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Spot.SideBet() != baccarat.SideDragonBonus || hands == both || w.Gone {
			continue
		}
		if hand := baccarat.BonusHand(w.Spot).String(); !strings.Contains(strings.ToUpper(hands), hand) {
			p.reportWager(w, "a hand of "+strings.ToLower(hands), hand)
		}
	}
}

// option is an interpretive choice: the rulebook's, or the house's where the rulebook leaves it open.
func (p *Pass) option(key string) string {
	if v, ok := p.Config.Options[key]; ok {
		return v
	}
	return p.Law.Options[key]
}

// String names who confirmed a verbal wager, and who did not.
func (by *confirmed) String() string {
	switch {
	case by.unknown > 0:
		return "one confirmation, without a role"
	case by.dealer:
		return "confirmed by DEALER, not by SUPERVISOR"
	case by.supervisor:
		return "confirmed by SUPERVISOR, not by DEALER"
	}
	return "not confirmed"
}
