package rules

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// bet is the definition of a side bet in the rulebook, nil if it has none.
func (p *Pass) bet(w *record.Wager) *law.Wager { return p.Law.Wager(w.Spot, w.SpotName) }

// spot is the word of the spot of a wager.
func (p *Pass) spot(w *record.Wager) string {
	if b := p.bet(w); b != nil {
		return b.Name
	}
	return w.Spot.String()
}

// generic is a side bet that the rules on lines judge, since no rule is about it by name; nil for other wagers.
func (p *Pass) generic(w *record.Wager) *law.Wager {
	b := p.bet(w)
	if b == nil || b.Posted || p.Law.lines == nil || p.Law.payoutOf(b) != p.Law.lines {
		return nil
	}
	return b
}

// outcomeOf is what becomes of a wager on a coup, other wagers of the patron aside.
func (p *Pass) outcomeOf(w *record.Wager, c *baccarat.Coup) baccarat.Disposition {
	return outcomeUnder(p.Law.Law, p.Config, w, c)
}

func outcomeUnder(l *law.Law, config *law.Config, w *record.Wager, c *baccarat.Coup) baccarat.Disposition {
	if b := l.Wager(w.Spot, w.SpotName); b != nil {
		return l.Settle(config, b, c)
	}
	if w.Spot == baccarat.SpotBanker && l.WinOrPush(config.Kind(), c) {
		if w.Disposition() == baccarat.Return {
			return baccarat.Return
		}
		return baccarat.Pay // not collected under any kind of vigorish, and paid in full if it is paid
	}
	return l.Disposition(config, w.Spot, c)
}

// oddsOf are what a wager is paid if it wins on a coup.
func (p *Pass) oddsOf(w *record.Wager, c *baccarat.Coup) baccarat.Odds {
	return oddsUnder(p.Law.Law, p.Config, w, c)
}

func oddsUnder(l *law.Law, config *law.Config, w *record.Wager, c *baccarat.Coup) baccarat.Odds {
	if b := l.Wager(w.Spot, w.SpotName); b != nil {
		return l.Paid(config, b, c)
	}
	return l.PaidOdds(config, w.Spot, c)
}

// The rules on side bets that a rulebook defines by lines, where no rule is about the wager by name.
var betFamily = []*Rule{
	{
		Name:     "outcome.side-bet",
		Doc:      "A side bet is paid, collected or returned by the lines of the rulebook.",
		Breach:   "A side bet collected that a line of its pay table wins.",
		Severity: finding.Critical, At: Settled, Check: checkBetOutcome,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
	},
	{
		Name:     linesRule,
		Doc:      "A winning side bet is paid the odds of its line; where they are a minimum, the posted odds.",
		Breach:   "The odds of another line.",
		Severity: finding.Critical, At: Settled, Check: checkBetOdds, Compares: ofWager,
		Needs: baccarat.FeedWagers | baccarat.FeedSettlement,
	},
}

// linesRule is the rule on what a side bet is paid by its lines.
const linesRule = "payout.side-bet.odds"

func checkBetOutcome(p *Pass) {
	for i := range p.Round.Wagers {
		if w := &p.Round.Wagers[i]; p.generic(w) != nil {
			p.judgeOutcome(w)
		}
	}
}

func checkBetOdds(p *Pass) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Spot == baccarat.SpotOther {
			p.judgePosted(w)
		}
		b := p.generic(w)
		if b == nil || !p.payable(w) {
			continue
		}
		if !p.Law.Prints(p.Config, b) {
			table := fmt.Sprintf("pay table %q of %s", p.Config.PayTable(b.PayTable), b.Name)
			p.judgeUnprinted(w, table, p.Law.PrintedOdds(p.Config, b, p.coup()))
			continue
		}
		line := p.Law.Line(p.Config, b, p.coup())
		odds := p.Law.LineOdds(p.Config, b, line)
		posted := p.Config.PostedOdds(b, line)
		if odds.Floor && posted.Known() && odds.Compare(posted.To, posted.For) > 0 {
			odds = law.SpotOdds{Odds: posted}
		}
		p.judgeOdds(w, odds)
	}
}

// judgePosted judges by the posted lines what a side bet of the rulebook is paid whose odds are not in the text.
func (p *Pass) judgePosted(w *record.Wager) {
	switch b := p.bet(w); {
	case b == nil || !b.Posted || w.Disposition() != baccarat.Pay:
	case len(p.rowsOf(w)) == 0:
		p.CannotJudge("no odds are posted for "+b.Name, w.Placed)
	default:
		p.checkPostedRow(w, linesRule)
	}
}
