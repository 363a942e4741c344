package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

var payoutFamily = []*Rule{
	{
		Name: "payout.player.odds", Doc: "A winning player wager is paid 1 to 1; in New York at least.",
		Breach:   "Short or over payment.",
		Severity: finding.Critical, At: Settled, Check: payoutOf(baccarat.SpotPlayer), Compares: ofWager,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
	},
	{
		Name:     "payout.banker.odds",
		Doc:      "A winning banker wager is paid 1 to 1 gross, the vigorish apart; in New York at least.",
		Breach:   "Paid 95% without a vigorish record.",
		Severity: finding.Critical, At: Settled, Check: checkBankerOdds, Compares: ofWager,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
		Covers: []string{
			"vig.amount.over", "vig.amount.under", "vig.rounding.invalid", "vig.uniform-table", "payout.matches-posted",
		},
	},
	{
		Name: "payout.tie.min-odds", Doc: "A winning tie bet is paid at least 8 to 1.",
		Breach:   "Paid 7:1.",
		Severity: finding.Critical, At: Settled, Check: payoutOf(baccarat.SpotTie), Compares: ofWager,
		Needs:  baccarat.FeedWagers | baccarat.FeedSettlement,
		Covers: []string{"payout.matches-posted"},
	},
	{
		Name:     "payout.banker-six.min-odds",
		Doc:      "In the no-vigorish variation a banker win on 6 is paid at least 1 to 2.",
		Breach:   "Banker six paid less than half.",
		Severity: finding.Critical, At: Settled, Check: checkBankerSix, Compares: ofWager,
		Needs:  baccarat.FeedWagers | baccarat.FeedSettlement,
		Covers: []string{"payout.matches-posted", "payout.banker.odds"},
	},
	{
		Name: "payout.pair.odds", Doc: "A winning pair wager is paid 11 to 1.",
		Breach:   "Paid 12:1 or 10:1.",
		Severity: finding.Critical, At: Settled, Check: payoutOf(baccarat.SpotPlayerPair, baccarat.SpotBankerPair),
		Compares: ofWager,
		Needs:    baccarat.FeedWagers | baccarat.FeedSettlement,
	},
	{
		Name: "payout.dragon-bonus.table", Doc: "A dragon bonus is paid by the elected pay table.",
		Breach:   "Natural 9 over 0 paid as a win by nine.",
		Severity: finding.Critical, At: Settled, Check: checkBonusTable, Compares: ofWager,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
	},
	{
		Name: "payout.dragon-7.min-odds", Doc: "Dragon 7 insurance is paid at least 40 to 1.",
		Breach:   "Paid 30:1.",
		Severity: finding.Critical, At: Settled, Check: payoutOf(baccarat.SpotDragon7), Compares: ofWager,
		Needs:  baccarat.FeedWagers | baccarat.FeedSettlement,
		Covers: []string{"payout.matches-posted"},
	},
	{
		Name: "payout.panda-8.odds", Doc: "Panda 8 insurance is paid 25 to 1.",
		Breach:   "Paid 30:1.",
		Severity: finding.Critical, At: Settled, Check: payoutOf(baccarat.SpotPanda8), Compares: ofWager,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
	},
	{
		Name:     "payout.matches-posted",
		Doc:      "Where the law gives a floor, the odds posted at the table are paid exactly.",
		Breach:   "Tie posted 9:1 and paid 8:1.",
		Severity: finding.Major, At: Settled, Check: checkPosted, Compares: ofWager,
		Needs:  baccarat.FeedWagers | baccarat.FeedSettlement,
		Covers: []string{"vig.amount.over", "vig.amount.under", "vig.rounding.invalid", "vig.uniform-table"},
	},
	{
		Name: "payout.posted-odds", Doc: "The odds posted at a table are the odds of the law, or above its floor.",
		Breach:   "Pairs posted at 10:1.",
		Severity: finding.Major, At: Changed, Check: checkPostedOdds,
	},
	{
		Name:     "payout.unsettled",
		Doc:      "Each wager is settled before the next round's first card, in one motion or in several, and not twice.",
		Breach:   "Winning bet forgotten, or paid twice.",
		Severity: finding.Critical, At: Settled, Check: checkUnsettled, Compares: ofWager,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
		// The last is ours: a wager that a patron took off is not there to be settled.
		Covers: []string{
			"vig.amount.over", "vig.amount.under", "vig.rounding.invalid", "wager.touched-after-first-card",
		},
	},
	{
		Name: "payout.corrected",
		Doc: "A stake taken by mistake is put back, and winnings paid by mistake are taken back, " +
			"before the next first card.",
		Breach:   "Mistake of the settlement, put right.",
		Severity: finding.Info, At: Settled, Check: checkCorrected, Compares: ofWager,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
	},
	{
		Name: "payout.return-intact", Doc: "A void or pushed wager is returned in full.",
		Breach:   "Stake returned short.",
		Severity: finding.Critical, At: Settled, Check: checkReturnIntact, Compares: ofWager,
		Needs:  baccarat.FeedWagers | baccarat.FeedSettlement,
		Covers: []string{"vig.tie25.amount"},
	},
	{
		Name: "payout.collect-intact", Doc: "A losing stake is collected in full.",
		Breach:   "Part of a losing bet left on the layout.",
		Severity: finding.Critical, At: Settled, Check: checkCollectIntact, Compares: ofWager,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
	},
}

// payable reports whether a wager was paid, not twice, and rightly so: only then its amount is judged.
func (p *Pass) payable(w *record.Wager) bool {
	return w.Disposition() == baccarat.Pay && p.disposition(w) == baccarat.Pay && !p.settledTwice(w) &&
		p.raisePaid(w) == 0 && p.read(w) && !p.settledTogether(w) && !p.sweeps(w)
}

// raisePaid is by how much a wager was raised after a motion of its settlement, then paid, and paid in all as if the
// raise counted; 0 otherwise. The raise is the error then, not the payment. Of two raises of one amount the second may
// be the first published again.
func (p *Pass) raisePaid(w *record.Wager) int64 {
	if !p.judges("wager.after-no-more-bets") || w.RaisedBy == 0 || w.Paid.Seq < w.RaisedAt ||
		w.Disposition() != baccarat.Pay || p.disposition(w) != baccarat.Pay || p.settledTwice(w) {
		return 0
	}
	odds, paid := p.oddsOf(w, p.coup()), w.Net().Paid
	if !odds.Known() || odds.Pays(paid, w.Amount) {
		return 0
	}
	for _, by := range [2]int64{w.RaisedBy, w.RaisedOnce} {
		if odds.Pays(paid, baccarat.Add(w.Amount, by)) {
			return by
		}
	}
	return 0
}

// read reports whether the amounts of a wager and of its motions were reported. An amount of 0 was not.
func (p *Pass) read(w *record.Wager) bool {
	if w.Amount == 0 {
		p.CannotJudge("the amount of a wager was not reported", w.Placed)
		return false
	}
	for s := range motions(w, p.Round) {
		if s.Amount == 0 {
			p.CannotJudge("the amount "+motionWords[s.Kind]+" was not reported", w.Placed, s.Seq)
			return false
		}
	}
	return true
}

func payoutOf(on ...baccarat.Spot) func(*Pass) {
	return func(p *Pass) {
		for i := range p.Round.Wagers {
			if w := &p.Round.Wagers[i]; slices.Contains(on, w.Spot) && p.payable(w) {
				p.judgeOdds(w, p.Law.Odds[w.Spot])
			}
		}
	}
}

// below reports whether winnings break odds: another amount, or with a floor a smaller one.
func below(o law.SpotOdds, winnings, stake int64) bool {
	if o.Floor {
		return o.Compare(winnings, stake) < 0
	}
	return !o.Pays(winnings, stake)
}

func (p *Pass) judgeOdds(w *record.Wager, o law.SpotOdds) {
	if o.Known() && below(o, w.Net().Paid, w.Amount) {
		p.reportPayout(w, o.Odds, o.Floor)
	}
}

func (p *Pass) reportPayout(w *record.Wager, o baccarat.Odds, floor bool) {
	due := o.Winnings(w.Amount)
	least := ""
	if floor {
		least = "at least "
		if o.Compare(due, w.Amount) < 0 && due < baccarat.MaxAmount {
			due++ // half a cent is not paid: the next one is the least amount that is not below the odds
		}
	}
	once := w.ChangedOnce()
	fits := once != w.Amount && o.Pays(w.Net().Paid, once) // a change of the wager may have been published twice
	f := Finding{
		Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: abs(due - w.Net().Paid), Evidence: evidence(w, p.Round),
		Expected: fmt.Sprintf("%s %s paid %s%v: %s", p.spot(w), p.money(w.Amount), least, o, p.money(due)),
		Observed: p.settled(w), Cites: p.citedBanker(),
	}
	if fits || !p.exchanged(&f, w, w.Net().Paid-due) {
		p.suspectIf(fits, f)
	}
}

// citedBanker is the clause on winning banker wagers for the kind of vigorish of the table, none if another rule
// reports.
func (p *Pass) citedBanker() []string {
	switch {
	case p.rule.Name != "payout.banker.odds":
		return nil
	case p.Config.Mode == baccarat.NoVig6:
		return p.exactly("(c)(6)")
	case p.Config.Mode == baccarat.Commission || p.Config.Mode == baccarat.Tie25:
		return p.exactly("5324.21(c)(3)")
	}
	return nil
}

func abs(n int64) int64 { return max(n, -n) }

// reduced are the odds that the kind of vigorish sets for a banker wager that wins on these hands, unknown if it sets
// none: in the no-vigorish variation, for a win on 6. 9 NYCRR 5324.21(c)(6).
func (p *Pass) reduced() law.SpotOdds { return p.Law.Reduced(p.Config.Kind(), p.coup()) }

func checkBankerOdds(p *Pass) {
	switch {
	case !p.reduced().Known():
		payoutOf(baccarat.SpotBanker)(p)
	case p.Config.Kind().Named():
		p.judgeReduced()
	}
}

func checkBankerSix(p *Pass) {
	if !p.Config.Kind().Named() {
		p.judgeReduced()
	}
}

// judgeReduced judges what banker wagers are paid where the kind of vigorish sets their odds.
func (p *Pass) judgeReduced() {
	odds := p.reduced()
	if !odds.Known() {
		return
	}
	for i := range p.Round.Wagers {
		if w := &p.Round.Wagers[i]; w.Spot == baccarat.SpotBanker && p.payable(w) {
			p.judgeOdds(w, odds)
		}
	}
}

func checkBonusTable(p *Pass) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Spot.SideBet() != baccarat.SideDragonBonus || !p.payable(w) {
			continue
		}
		bet := p.bet(w)
		odds := p.Law.Paid(p.Config, bet, p.coup())
		if !odds.Known() {
			printed := p.Law.PrintedOdds(p.Config, bet, p.coup())
			p.judgeUnprinted(w, fmt.Sprintf("dragon bonus pay table %q", p.Config.BonusTable), printed)
			continue
		}
		from := len(p.Findings)
		if p.judgeOdds(w, law.SpotOdds{Odds: odds}); p.paidByNext(w, bet) {
			p.suspectFrom(from)
		}
	}
}

// paidByNext reports whether a bonus was paid by a pay table that came into force after the recorded end of its round
// and before the payment. The table may change "following the conclusion of a round of play": the text does not state
// whether that is the result or its settlement. 9 NYCRR 5324.21(c)(7).
func (p *Pass) paidByNext(w *record.Wager, bet *law.Wager) bool {
	ended := p.Round.Ended.Seq
	return ended != 0 && record.Any(p.Table.Changes, func(c *record.ConfigChange) bool {
		return c.Seq > ended && c.Seq < w.Paid.Seq && c.Config.BonusTable != p.Config.BonusTable &&
			p.Law.Paid(c.Config, bet, p.coup()).Pays(w.Net().Paid, w.Amount)
	})
}

// judgeUnprinted judges a payment under a pay table that the rulebook does not print: a breach if no printed table pays
// so on the hand, for then it is one under each table that may have been elected.
func (p *Pass) judgeUnprinted(w *record.Wager, table string, printed []baccarat.Odds) {
	matches := func(o baccarat.Odds) bool { return o.Known() && o.Pays(w.Net().Paid, w.Amount) }
	if w.Disposition() != baccarat.Pay || slices.ContainsFunc(printed, matches) {
		p.CannotJudge(table+" is not one of the rulebook's", w.Placed)
		return
	}
	var odds []string
	for _, o := range printed {
		if text := o.String(); o.Known() && !slices.Contains(odds, text) {
			odds = append(odds, text)
		}
	}
	f := Finding{
		Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: w.Net().Paid, Evidence: evidence(w, p.Round),
		Expected: fmt.Sprintf("%s %s paid as a printed pay table has it: %s", p.spot(w), p.money(w.Amount),
			cmp.Or(strings.Join(odds, ", "), "nothing")),
		Observed: fmt.Sprintf("paid %s under %s", p.money(w.Net().Paid), table),
	}
	if p.Law.Approvals && p.approval(w) != 0 {
		p.Suspect(f)
		return
	}
	p.Report(f)
}

func checkReturnIntact(p *Pass) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		want := p.disposition(w)
		if w.Disposition() == baccarat.Return && (want == baccarat.Return || p.cancelled()) &&
			w.Net().Returned != w.Amount && !p.settledTwice(w) && p.read(w) && !p.lacksCoupon(w, w.Net().Returned) &&
			!p.settledTogether(w) && !p.sweeps(w) {
			takes := p.takes()
			// A payment is reported in full beside its vigorish. Of a return the events do not tell that nothing was charged.
			charged := p.Round.PaidNet(p.Law.Law, i, &takes) ||
				w.Spot == baccarat.SpotBanker && p.keptQuarter(i, p.quarter()) && p.quarterTaken()
			p.reportIntact(w, "returned", w.Net().Returned, charged)
		}
	}
}

func checkCollectIntact(p *Pass) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Disposition() == baccarat.Collect && p.disposition(w) == baccarat.Collect &&
			w.Net().Collected != w.Amount && !p.settledTwice(w) && p.read(w) && !p.lacksCoupon(w, w.Net().Collected) &&
			!p.settledTogether(w) && !p.sweeps(w) {
			p.reportIntact(w, "collected", w.Net().Collected, false)
		}
	}
}

// lacksCoupon reports whether a wager was collected or returned without its coupon, and that this cannot be judged: the
// texts permit coupons, and have nothing on what becomes of them.
func (p *Pass) lacksCoupon(w *record.Wager, got int64) bool {
	if w.Coupon <= 0 || got != w.Amount-w.Coupon {
		return false
	}
	p.CannotJudge("what becomes of a coupon is not in the text", moneyEvidence(w, p.Round)...)
	return true
}

// ofStake are the clauses on a wager of a spot that loses, is void or a push, of each text that may be the table's.
func ofStake(spot baccarat.Spot) []string {
	switch spot {
	case baccarat.SpotBanker:
		return []string{"(b)(1)(i)(c)", ".2(a)1ii", ".2(a)1iii"}
	case baccarat.SpotPlayer:
		return []string{"(b)(1)(ii)(c)", ".2(a)2ii", ".2(a)2iii"}
	case baccarat.SpotTie:
		return []string{".2(a)3"}
	default: // a side bet
	}
	switch spot.SideBet() {
	case baccarat.SideDragonBonus:
		return []string{"(b)(1)(iv)(c)"}
	case baccarat.SidePair:
		return []string{".2(a)6"}
	case baccarat.SideTreasures:
		return []string{".2(a)8"}
	default:
		return nil
	}
}

func (p *Pass) reportIntact(w *record.Wager, verb string, got int64, doubtful bool) {
	f := Finding{
		Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: abs(w.Amount - got), Evidence: moneyEvidence(w, p.Round),
		Expected: verb + " " + p.money(w.Amount), Observed: p.settled(w),
	}
	if !p.citeVoid(&f) {
		f.Cites = p.exactly(ofStake(w.Spot)...)
	}
	doubtful = doubtful || got == w.ChangedOnce() // a change of the wager may have been published twice
	gain := got - w.Amount
	if verb == "collected" {
		gain = -gain
	}
	if doubtful || !p.exchanged(&f, w, gain) {
		p.suspectIf(doubtful, f)
	}
}
