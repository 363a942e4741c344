package rules

import (
	"fmt"
	"math"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

var paytableFamily = []*Rule{
	{
		Name: "paytable.dragon-bonus.change-window", Doc: "The dragon bonus pay table is changed only between rounds.",
		Breach:   "Pay table switched mid-round.",
		Severity: finding.Major, At: Settled, Check: func(p *Pass) {
			p.changedInRound(func(now *law.Config) bool { // to withdraw the bonus, or to leave the table out, changes none
				return now.BonusTable != "" && p.Config.BonusTable != "" && now.BonusTable != p.Config.BonusTable
			}, "dragon bonus pay table")
		},
	},
	{
		Name:     "paytable.dragon-bonus.notice",
		Doc:      "The commission is notified before the dragon bonus pay table changes.",
		Breach:   "No notice.",
		Severity: finding.Major, At: Changed, Check: checkPaytableNotice,
	},
}

// checkPaytableNotice compares with the pay table last in use at the table: to introduce the bonus or to withdraw it
// changes no table. 9 NYCRR 5324.21(c)(7).
func checkPaytableNotice(p *Pass) {
	last, again := int64(math.MinInt64), false
	table := ""
	for i := range p.Table.Changes {
		now := &p.Table.Changes[i]
		c := now.Config
		if !now.Used || c.BonusTable == "" || !c.Offers(baccarat.SideDragonBonus) {
			continue
		}
		before := table
		if table = c.BonusTable; before == "" || before == table {
			continue
		}
		var notice proof
		for j := range p.Table.Notices {
			n := &p.Table.Notices[j]
			prior := n.At < now.At || n.At == now.At && n.Seq < now.Seq
			switch {
			case n.Topic != record.TopicPayTable || !n.Filed || !n.Of(last) || !prior:
			case n.ToCommission:
				notice.spend(n, now.At, last)
			case !n.ToSurveillance:
				notice.unaddressed = n.Seq
			}
		}
		from := len(p.Findings)
		p.reportNotice(
			notice, now, "the commission notified before the change", fmt.Sprintf("pay table %s to %s", before, table),
		)
		again = p.tellApart(from, now, again)
		last = now.At
	}
}
