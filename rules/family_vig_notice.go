package rules

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// noticed reports whether patrons were notified of a change before it took effect, and, where the law
// wants it, the commission. The matter had last changed at a time before.
func (p *Pass) noticed(topic record.NoticeTopic, last, effective int64) (ok bool, evidence []record.Seq) {
	var patrons, commission bool
	lead, err := strconv.ParseInt(p.option("notice_lead_minutes"), 10, 64)
	if err != nil {
		lead = 0
	}
	for _, n := range p.Table.Notices {
		if n.Topic != topic || !n.Of(last) || n.At > effective-lead*int64(time.Minute) {
			continue
		}
		patrons = patrons || !n.Filed
		commission = commission || (n.Filed && n.ToCommission)
		evidence = append(evidence, n.Seq)
	}
	return patrons && (commission || !p.Law.NoticeToCommission), evidence
}

// changes lists the configurations that came into use since they were last judged and differ from the one in use before
// in a matter, with the time at which it had last changed between rounds; never is math.MinInt64. A configuration under
// which no card was dealt changed nothing.
func (p *Pass) changes(
	differ func(before, now *law.Config) bool, each func(before, now *record.ConfigChange, last int64),
) {
	last := int64(math.MinInt64)
	var before *record.ConfigChange
	for i := range p.Table.Changes {
		now := &p.Table.Changes[i]
		if !now.Used {
			continue
		}
		if before != nil && differ(before.Config, now.Config) {
			if !now.Judged {
				each(before, now, last)
			}
			if !now.InRound {
				last = now.At
			}
		}
		before = now
	}
}

func checkIncreaseNotice(p *Pass) {
	p.changes(func(before, now *law.Config) bool {
		return before.Percent != now.Percent
	}, func(before, now *record.ConfigChange, last int64) {
		if before.Config.Mode != baccarat.Commission || now.Config.Mode != baccarat.Commission ||
			now.Config.Percent <= before.Config.Percent {
			return
		}
		if ok, evidence := p.noticed(record.TopicVigorishPercent, last, now.At); !ok {
			p.Report(Finding{
				Expected: "notice before the increase",
				Observed: fmt.Sprintf("%d to %d percent without it", before.Config.Percent, now.Config.Percent),
				Evidence: append(evidence, now.Seq),
			})
		}
	})
}

func checkTypeNotice(p *Pass) {
	p.changes(func(before, now *law.Config) bool {
		return before.Mode != now.Mode
	}, func(before, now *record.ConfigChange, last int64) {
		if now.InRound {
			return
		}
		if ok, evidence := p.noticed(record.TopicVigorishType, last, now.At); !ok {
			p.Report(Finding{
				Expected: "notice before the change",
				Observed: fmt.Sprintf("%v to %v without it", before.Config.Mode, now.Config.Mode),
				Evidence: append(evidence, now.Seq),
			})
		}
	})
}

// filed finds a written notice to the commission and to surveillance, at least the lead before
// a change takes effect, of a matter that had last changed at a time before. It returns those on file that fall short.
func (p *Pass) filed(
	topic record.NoticeTopic, last, effective int64, lead time.Duration,
) (ok bool, short []record.Seq) {
	for _, n := range p.Table.Notices {
		if n.Topic != topic || !n.Filed || !n.Of(last) {
			continue
		}
		if n.Writ && n.ToCommission && n.ToSurveillance && n.At <= effective-int64(lead) {
			return true, nil
		}
		short = append(short, n.Seq)
	}
	return false, short
}

// 19:47-3.10(c)2.
func checkProcedureNotice(p *Pass) {
	p.judgeNotice(record.TopicPaymentProcedure, "payment procedure", func(before, now *law.Config) bool {
		return before == nil || before.Procedure != now.Procedure
	})
}
