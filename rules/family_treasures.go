package rules

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// The paytables of 5 Treasures. N.J.A.C. 13:69F-3.3(m), 7.3(m).
var treasuresFamily = []*Rule{
	treasurePays(
		"treasures.payout.fortune-7", "Fortune 7 is paid by the elected paytable.", "Other odds.",
		baccarat.SpotFortune7, "FORTUNE_7",
	),
	treasurePays(
		"treasures.payout.golden-8", "Golden 8 is paid by the elected paytable.", "Other odds.", baccarat.SpotGolden8,
		"GOLDEN_8",
	),
	treasurePays(
		"treasures.payout.heavenly-9-both", "Heavenly 9 in both hands is paid by the elected paytable.",
		"Paid the single-hand odds.", baccarat.SpotHeavenly9, "BOTH",
	),
	treasurePays(
		"treasures.payout.heavenly-9-one", "Heavenly 9 in one hand is paid by the elected paytable.",
		"Paid the both-hands odds.", baccarat.SpotHeavenly9, "ONE",
	),
	treasurePays(
		"treasures.payout.blazing-three-card", "Three-card Blazing 7s are paid by the elected paytable.",
		"Odds of the other paytable.", baccarat.SpotBlazing7s, "THREE",
	),
	{
		Name:     "treasures.payout.blazing-two-card",
		Doc:      "Two-card Blazing 7s are paid by the elected paytable, or lose under it.",
		Breach:   "Paid under paytable 1, or unpaid under paytable 2.",
		Severity: finding.Critical, At: Settled, Check: checkBlazingTwo, Covers: []string{"outcome.treasures"},
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
	},
	{
		Name: "treasures.payout.cover-all", Doc: "Cover All is paid 6 to 1 once, on any recognised event.",
		Breach:   "Paid twice or at other odds.",
		Severity: finding.Critical, At: Settled, Check: checkCoverAll, Covers: []string{"treasures.highest-single"},
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
	},
	{
		Name: "treasures.highest-single", Doc: "Only the highest row of a treasure wager is paid, not the sum of rows.",
		Breach:   "Both Heavenly 9 rows added up.",
		Severity: finding.Critical, At: Settled, Check: checkHighestSingle,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
	},
	{
		Name: "treasures.paytable-preselected", Doc: "One paytable is elected, and changed only between rounds.",
		Breach:   "Paytable switched during a round.",
		Severity: finding.Major, At: Settled, Check: checkPaytableFixed,
	},
}

func treasurePays(name, doc, breach string, spot baccarat.Spot, event string) *Rule {
	return &Rule{
		Name: name, Doc: doc, Breach: breach, Severity: finding.Critical, At: Settled,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
		Check: func(p *Pass) {
			if p.treasure(p.Round.Coup(), spot) == event {
				p.judgeTreasure(spot)
			}
		},
	}
}

// treasure is the line of a treasure wager that a coup reaches under any pay table, empty if none.
func (p *Pass) treasure(c *baccarat.Coup, spot baccarat.Spot) string {
	return p.Law.Reached(p.Law.Wager(spot, ""), c)
}

func (p *Pass) judgeTreasure(spot baccarat.Spot) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Spot != spot || !p.payable(w) || p.paidBothRows(w) {
			continue
		}
		p.judgeOdds(w, law.SpotOdds{Odds: p.treasureOdds(spot)})
	}
}

// paidBothRows reports whether a Heavenly 9 was paid the sum of its two rows.
func (p *Pass) paidBothRows(w *record.Wager) bool {
	bet := p.bet(w)
	if w.Spot != baccarat.SpotHeavenly9 || p.treasure(p.coup(), w.Spot) != "BOTH" {
		return false
	}
	both, one := p.Law.OddsOfLine(p.Config, bet, "BOTH"), p.Law.OddsOfLine(p.Config, bet, "ONE")
	return both.For == one.For && baccarat.Odds{To: both.To + one.To, For: both.For}.Compare(w.Net().Paid, w.Amount) == 0
}

func checkHighestSingle(p *Pass) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		switch {
		case p.payable(w) && p.paidBothRows(w):
			p.reportPayout(w, p.treasureOdds(w.Spot), false)
		case w.Net().Paid > 0 && p.outshone(w):
			p.Report(Finding{
				Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: w.Net().Paid, Evidence: evidence(w, p.Round),
				Expected: "only the wager of the patron that pays most",
				Observed: fmt.Sprintf("%v paid %s beside it", w.Spot, p.money(w.Net().Paid)),
			})
		}
	}
}

// outshone reports, under the reading that a patron is paid one treasure wager a hand, whether another of
// his pays more than this one.
func (p *Pass) outshone(w *record.Wager) bool {
	return p.option("treasures_scope") == "per-player" && p.lesser(w)
}

// lesser reports whether a winning treasure wager is not the highest of its patron in the round: another pays more, or
// as much and was paid. "Winning wagers shall be paid ... for the highest single dollar payout" can be read to leave it
// unpaid. N.J.A.C. 13:69F-3.3(m), 7.3(m).
func (p *Pass) lesser(w *record.Wager) bool {
	odds := p.treasureOdds(w.Spot)
	if w.Spot.SideBet() != baccarat.SideTreasures || !odds.Known() || p.cancelled() {
		return false
	}
	due := odds.Winnings(w.Amount)
	for i := range p.Round.Wagers {
		o := &p.Round.Wagers[i]
		if o == w || o.Gone || o.Seat != w.Seat || o.Patron != w.Patron || o.Spot.SideBet() != baccarat.SideTreasures {
			continue
		}
		other := p.treasureOdds(o.Spot)
		if !other.Known() {
			continue
		}
		if most := other.Winnings(o.Amount); most > due || most == due && o.Net().Paid > 0 {
			return true
		}
	}
	return false
}

func checkCoverAll(p *Pass) {
	p.judgeTreasure(baccarat.SpotCoverAll)
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Disposition() != baccarat.Pay || !p.openCover(w) || p.cancelled() || p.settledTwice(w) || !p.read(w) {
			continue
		}
		if odds := p.Law.FlatOdds(p.Config, p.bet(w)); !odds.Pays(w.Net().Paid, w.Amount) {
			p.judgeOdds(w, odds)
			continue
		}
		p.CannotJudge("whether Cover All wins on two-card Blazing 7s without a row is open in the text", w.Placed)
	}
}

// openCover reports whether the text leaves open that a Cover All wins: on a qualifying hand for which the elected
// paytable has no row. One clause has every qualifying hand win, the other has the paytable decide what is paid.
// N.J.A.C. 13:69F-3.2(a)8, 7.2(a)8.
func (p *Pass) openCover(w *record.Wager) bool {
	if w.Spot != baccarat.SpotCoverAll || p.option("coverall_unrecognised") != "either" || !p.coup().Complete {
		return false
	}
	bet := p.bet(w)
	return p.Law.Prints(p.Config, bet) && p.Law.Reached(bet, p.coup()) == "BLAZING_7S_TWO" &&
		p.Law.Line(p.Config, bet, p.coup()) == nil
}

func checkBlazingTwo(p *Pass) {
	if p.treasure(p.coup(), baccarat.SpotBlazing7s) != "TWO" {
		return
	}
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Spot != baccarat.SpotBlazing7s {
			continue
		}
		want, got := p.disposition(w), w.Disposition()
		if want != baccarat.Undetermined && got != baccarat.Undetermined && want != got {
			p.reportOutcome(w, want, got)
		}
	}
	p.judgeTreasure(baccarat.SpotBlazing7s)
}

func checkPaytableFixed(p *Pass) {
	p.changedInRound(
		func(now *law.Config) bool { return now.TreasuresTable != p.Config.TreasuresTable }, "treasures paytable",
	)
	if p.Config.Offers(baccarat.SideTreasures) && !slices.Contains(p.Law.Tables("treasures"), p.Config.TreasuresTable) {
		p.checkUnprintedTreasures(fmt.Sprintf("treasures paytable %q", p.Config.TreasuresTable))
	}
}

func (p *Pass) checkUnprintedTreasures(table string) {
	p.CannotJudge(table+" is not one of the rulebook's", p.Round.Started)
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Spot.SideBet() != baccarat.SideTreasures || w.Disposition() != baccarat.Pay || p.cancelled() ||
			!p.coup().Complete {
			continue
		}
		p.judgeUnprinted(w, table, p.Law.PrintedOdds(p.Config, p.bet(w), p.coup()))
	}
}

// changedInRound reports a configuration that came into force within the round and changes what the law wants fixed
// before it. No more bets is announced "at the commencement of each round of play": N.J.A.C. 19:47-3.7(b), 7.7(b);
// 9 NYCRR 5324.21(f)(2).
func (p *Pass) changedInRound(changes func(*law.Config) bool, what string) {
	for i := range p.Table.Changes {
		c := &p.Table.Changes[i]
		if slices.Contains(p.Round.ConfigChanged, record.Change{Seq: c.Seq}) && changes(c.Config) {
			if p.Round.Ended.Seq == 0 && p.Round.Voided.Seq == 0 && p.Round.Coup().Complete {
				p.CannotJudge("when the round ended was not reported", c.Seq)
				return
			}
			f := Finding{
				Expected: what + " changed only between rounds", Observed: "changed within the round",
				Evidence: []record.Seq{c.Seq},
			}
			if !c.InRound {
				if !record.Any(p.Round.Wagers, func(w *record.Wager) bool { return w.Placed < c.Seq }) {
					return
				}
				f.Verdict, f.Observed = finding.Suspect, "changed after wagers were made, before no more bets"
			}
			p.Report(f)
			return
		}
	}
}
