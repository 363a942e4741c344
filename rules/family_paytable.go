package rules

import (
	"fmt"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

var paytableFamily = []*Rule{
	{
		Name: "paytable.dragon-bonus.change-window", Doc: "The dragon bonus pay table is changed only between rounds.",
		Breach:   "Pay table switched mid-round.",
		Severity: finding.Major, At: Settled, Check: func(p *Pass) {
			p.changedInRound(
				func(now *law.Config) bool { return now.BonusTable != p.Config.BonusTable }, "dragon bonus pay table",
			)
		},
	},
	{
		Name:     "paytable.dragon-bonus.notice",
		Doc:      "The commission is notified before the dragon bonus pay table changes.",
		Breach:   "No notice.",
		Severity: finding.Major, At: Changed, Check: checkPaytableNotice,
	},
}

func checkPaytableNotice(p *Pass) {
	p.changes(func(before, now *law.Config) bool {
		return before.BonusTable != now.BonusTable
	}, func(before, now *record.ConfigChange, last int64) {
		for _, n := range p.Table.Notices {
			if n.Topic == record.TopicPayTable && n.Filed && n.ToCommission && n.Of(last) && n.At < now.At {
				return
			}
		}
		p.Report(Finding{
			Expected: "the commission notified before the change",
			Observed: fmt.Sprintf("%s to %s without notice", before.Config.BonusTable, now.Config.BonusTable),
			Evidence: []record.Seq{now.Seq},
		})
	})
}
