package rules

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// Requirements found outside the texts, or known only because a text names them. Most are off until
// a house rulebook switches them on. What is not published cannot be judged.
var externalFamily = []*Rule{
	{
		Name: "external.table-limits", Doc: "A wager lies within the posted minimum and maximum.",
		Breach:   "Below minimum accepted.",
		Severity: finding.Info, At: Settled, Needs: baccarat.FeedWagers, Check: checkLimits,
	},
	{
		Name: "external.limit-change-notice", Doc: "A change of limits is posted before it takes effect.",
		Breach:   "No sign.",
		Severity: finding.Info, At: Changed, Check: checkLimitNotice,
	},
	{
		Name:     "external.match-play.one-per-round",
		Doc:      "A patron uses at most one match play coupon a round, with chips at least its value.",
		Breach:   "Two coupons.",
		Severity: finding.Info, At: Settled, Needs: baccarat.FeedWagers, Check: checkOneCoupon,
	},
	{
		Name: "external.ny.table-inspection", Doc: "Each deck is sorted into new-deck sequence when it is inspected.",
		Breach:   "Inspection without sorting.",
		Severity: finding.Major, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkSorted,
	},
	{
		Name: "external.ny.unsuitable-deck", Doc: "A deck with an unsuitable card is replaced and reported.",
		Breach:   "Deck kept in use.",
		Severity: finding.Critical, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkUnsuitable,
	},
	{
		Name: "external.nj.preshuffled-cards", Doc: "Pre-shuffled cards are used under the alternative procedure.",
		Breach:   "No receipt.",
		Severity: finding.Major, At: Prepared, Check: checkPreShuffled,
	},
	{
		Name: "external.nj.total-card-odds", Doc: "Total card wagers are settled by their odds.",
		Severity: finding.Info, At: Settled, Unknown: "the odds of total card wagers are not in the texts",
		Needs: baccarat.FeedWagers,
		Check: unknownOdds(baccarat.SpotTotalCards),
	},
	{
		Name: "external.nj.bonus-wager-odds", Doc: "Bonus wagers are settled by their odds.",
		Severity: finding.Info, At: Settled, Unknown: "the bonus wager and its odds are not in the texts",
		Needs: baccarat.FeedWagers,
		Check: unknownOdds(baccarat.SpotBonus),
	},
	{
		Name: "external.nj.royal-bonus-odds", Doc: "Royal Baccarat Bonus wagers are settled by their odds.",
		Severity: finding.Info, At: Settled, Needs: baccarat.FeedWagers,
		Unknown: "the qualifying hands and odds of the Royal Bonus are not in the texts",
		Check:   unknownOdds(baccarat.SpotRoyal),
	},
	{
		Name: "external.nj.novig-dragon-7", Doc: "The New Jersey no-vigorish variation is settled by its terms.",
		Severity: finding.Info, At: Settled, Unknown: "the terms of the no-vigorish variation are not in the texts",
	},
}

func checkLimits(p *Pass) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Gone {
			continue
		}
		if (p.Config.MinWager > 0 && w.Amount < p.Config.MinWager) ||
			(p.Config.MaxWager > 0 && w.Amount > p.Config.MaxWager) {
			limits := p.money(p.Config.MinWager) + " to " + p.money(p.Config.MaxWager)
			if p.Config.MaxWager == 0 {
				limits = "at least " + p.money(p.Config.MinWager)
			}
			p.reportWager(w, limits, p.money(w.Amount))
		}
	}
}

func checkLimitNotice(p *Pass) {
	reported := func(*law.Config) bool { return false }
	p.changes(reported, func(before, now *law.Config) bool {
		return before.MinWager != now.MinWager || before.MaxWager != now.MaxWager
	}, func(_, now *record.ConfigChange, last int64) {
		for _, n := range p.Table.Notices {
			if n.Topic == record.TopicTableLimits && !n.Filed && n.Of(last) && n.At <= now.At {
				return
			}
		}
		p.Report(Finding{
			Expected: "limits posted before the change", Observed: "no sign", Evidence: []record.Seq{now.Seq},
		})
	})
}

func checkOneCoupon(p *Pass) {
	r := p.Round
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if w.Coupon == 0 || w.Gone {
			continue
		}
		if w.Amount-w.Coupon < w.Coupon {
			p.reportWager(w, "chips of at least "+p.money(w.Coupon)+" beside the coupon", p.money(w.Amount-w.Coupon))
		}
		for j := range r.Wagers[:i] {
			if o := &r.Wagers[j]; o.Coupon > 0 && !o.Gone && o.Seat == w.Seat && o.Patron == w.Patron {
				p.reportWager(w, "one coupon a round", "a second one", o.Placed)
				break
			}
		}
	}
}

func checkSorted(p *Pass) {
	if b := p.opened(); b != nil && b.Inspected != 0 && !b.NewDeckOrder {
		p.reportBatch(b, "sorted into new-deck sequence", "not sorted")
	}
}

func checkUnsuitable(p *Pass) {
	if b := p.opened(); b != nil && b.Missing+b.Extra > 0 {
		p.reportBatch(
			b, "the deck replaced and reported", fmt.Sprintf("%d missing, %d extra, and shuffled", b.Missing, b.Extra),
		)
	}
}

func checkPreShuffled(p *Pass) {
	b := p.newBatch()
	if b == nil || !b.PreShuffled {
		return
	}
	for _, n := range p.Table.Notices {
		if n.Topic == record.TopicPreShuffled && n.Filed {
			return
		}
	}
	p.reportBatch(b, "a receipt or vendor attestation filed", "none")
}

// unknownOdds reports wagers on a spot as unauditable.
func unknownOdds(spot baccarat.Spot) func(*Pass) {
	return func(p *Pass) {
		for i := range p.Round.Wagers {
			if w := &p.Round.Wagers[i]; w.Spot == spot {
				why := p.rule.Unknown
				if len(p.rowsOf(w)) == 0 {
					why += ", and none are posted"
				}
				p.CannotJudge(why, w.Placed)
				return
			}
		}
	}
}
