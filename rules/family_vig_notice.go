package rules

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// proof is what the notices on file show of a notice that the law wants before a change.
type proof struct {
	// given means that it was given in time; late that each record which shows it came after the change: the notice may
	// have been given, and nothing but its own date shows it.
	given, late bool
	evidence    []record.Seq
	// spent counts the notices without a time of effect that were recorded before an earlier change that needed one: they
	// may be of that change. unspent means that there is another notice.
	spent   int
	unspent bool
	// unaddressed is a notice in time of which the recipients were not reported, 0 if there is none.
	unaddressed record.Seq
}

// weigh adds a notice that was given in time for a change.
func (f *proof) weigh(n *record.Notice, change int64) {
	f.late = n.Recorded > change && (f.late || !f.given)
	f.given = true
	f.evidence = append(f.evidence, n.Seq)
}

// spend is weigh where the last change that needed such a notice came at a time before.
func (f *proof) spend(n *record.Notice, change, before int64) {
	if f.weigh(n, change); n.Effective == 0 && n.Recorded <= before {
		f.spent++
	} else {
		f.unspent = true
	}
}

// again reports whether the one notice is of an earlier change, or of both: it names no time.
func (f *proof) again() bool { return f.spent == 1 && !f.unspent }

// and is both proofs.
func (f proof) and(g proof) proof {
	both := proof{
		given: f.given && g.given, late: f.late || g.late, evidence: slices.Concat(f.evidence, g.evidence),
		unspent: !f.again() && !g.again(), spent: 1,
	}
	if f.given {
		both.unaddressed = g.unaddressed
	}
	return both
}

// noticed is the notice to patrons of a change before it took effect, and, where the law wants it, that to the
// commission. The matter had last changed at a time before, and with need of a notice at another one.
func (p *Pass) noticed(topic record.NoticeTopic, last, needed, effective int64) proof {
	lead, err := strconv.ParseInt(p.option("notice_lead_minutes"), 10, 64)
	if err != nil {
		lead = 0
	}
	var patrons, commission proof
	for i := range p.Table.Notices {
		n := &p.Table.Notices[i]
		switch {
		case n.Topic != topic || !n.Of(last) || n.At > effective-lead*int64(time.Minute):
		case !n.Filed:
			patrons.spend(n, effective, needed)
		case n.ToCommission:
			commission.spend(n, effective, needed)
		case !n.ToSurveillance:
			commission.unaddressed = n.Seq
		}
	}
	if !p.Law.NoticeToCommission {
		return patrons
	}
	return patrons.and(commission)
}

// reportNotice reports a change that no notice preceded, or none that was recorded before it.
func (p *Pass) reportNotice(f proof, now *record.ConfigChange, expected, change string) {
	found := Finding{Expected: expected, Evidence: append(f.evidence, now.Seq)}
	switch {
	case !f.given && f.unaddressed != 0:
		p.CannotJudge("the recipients of a notice were not reported", f.unaddressed, now.Seq)
	case !f.given:
		found.Observed = change + " without it"
		p.Report(found)
	case f.late:
		found.Observed = change + "; the notice was recorded after the change"
		p.Suspect(found)
	case f.again():
		found.Observed = change + "; its one notice was recorded before an earlier change, and names no time"
		p.Suspect(found)
	}
}

// changes judges each configuration in use that differs in a matter from the one in use before; last is the time at
// which the matter had last changed between rounds, math.MinInt64 if it had not. A configuration under which no card
// was dealt changed nothing, and a table that left the matter out is not known to have changed it.
func (p *Pass) changes(
	unknown func(*law.Config) bool, differ func(before, now *law.Config) bool,
	each func(before, now *record.ConfigChange, last int64),
) {
	last, again := int64(math.MinInt64), false
	var before *record.ConfigChange
	for i := range p.Table.Changes {
		now := &p.Table.Changes[i]
		if !now.Used || !p.governs(now.Config) || unknown(now.Config) {
			continue
		}
		if before != nil && differ(before.Config, now.Config) {
			from := len(p.Findings)
			each(before, now, last)
			again = p.tellApart(from, now, again)
			if !now.InRound {
				last = now.At
			}
		}
		before = now
	}
}

// governs reports whether the law in force is about the game of a configuration: its clauses on notices are about the
// tables of its game. A table that opens as another game changes nothing of it. 9 NYCRR 5324.21 has mini and midi as
// one.
func (p *Pass) governs(c *law.Config) bool {
	mini := func(g baccarat.Game) bool { return g == baccarat.Minibaccarat || g == baccarat.Midibaccarat }
	return c.Game == p.Law.Game || mini(c.Game) && mini(p.Law.Game)
}

// tellApart drops the findings of a change, which are those at from and later, if the change was judged before. Again
// means that an earlier change in the shoe has a finding of the rule. A shoe has one such finding without a subject, so
// the findings of this change get its configuration as their subject. The change that governs the preparation of a shoe
// is one in the shoe. It returns again for the next change.
func (p *Pass) tellApart(from int, now *record.ConfigChange, again bool) bool {
	found := p.Findings[from:]
	if now.Judged {
		p.Findings = p.Findings[:from]
		return again || len(found) > 0 && now.Seq >= p.Shoe.ConfigAt
	}
	for i := range found {
		if again && found[i].Verdict != finding.Unauditable {
			found[i].Subject = finding.OfRange(uint64(now.Seq), uint64(now.Seq))
		}
	}
	return again
}

// kindUnknown reports whether a configuration left out the kind of vigorish.
func kindUnknown(c *law.Config) bool { return c.Mode == baccarat.NoVigorishMode }

// vigorishUnknown reports whether a configuration left out the kind of vigorish, or its percentage.
func (p *Pass) vigorishUnknown(c *law.Config) bool {
	return kindUnknown(c) || c.Percent == 0 && p.Law.TakesEver(c).Elected
}

func checkIncreaseNotice(p *Pass) {
	raised := int64(math.MinInt64)
	p.changes(
		p.vigorishUnknown, func(before, now *law.Config) bool { return before.Percent != now.Percent },
		func(before, now *record.ConfigChange, last int64) {
			if before.Config.Kind() != now.Config.Kind() || !p.Law.TakesEver(now.Config).Elected ||
				now.Config.Percent <= before.Config.Percent {
				return
			}
			p.reportNotice(
				p.noticed(record.TopicVigorishPercent, last, raised, now.At), now, "notice before the increase",
				fmt.Sprintf("%d to %d percent", before.Config.Percent, now.Config.Percent),
			)
			raised = now.At
		},
	)
}

func checkTypeNotice(p *Pass) {
	changed := int64(math.MinInt64)
	p.changes(
		kindUnknown, func(before, now *law.Config) bool { return before.Kind() != now.Kind() },
		func(before, now *record.ConfigChange, last int64) {
			change := fmt.Sprintf("%v to %v", before.Config.Kind(), now.Config.Kind())
			switch {
			case now.InRound:
			case now.Config.Mode == baccarat.NoVig6 && slices.Contains(p.Law.Modes, baccarat.NoVig6):
				p.checkVariationNotice(now, last, change)
			default:
				from := len(p.Findings)
				p.reportNotice(
					p.noticed(record.TopicVigorishType, last, changed, now.At), now, "notice before the change", change,
				)
				changed = now.At
				if before.Config.Mode == baccarat.EZ || now.Config.Mode == baccarat.EZ {
					p.suspectFrom(from)
				}
			}
		},
	)
}

// suspectFrom makes the breaches from an index on SUSPECT. What cannot be judged stays so.
func (p *Pass) suspectFrom(index int) {
	for i := range p.Findings[index:] {
		if f := &p.Findings[index+i]; f.Verdict == "" {
			f.Verdict = finding.Suspect
		}
	}
}

// citeFrom sets the citations of the findings from an index on.
func (p *Pass) citeFrom(index int, cites []string) {
	for i := range p.Findings[index:] {
		p.Findings[index+i].Cites = cites
	}
}

// checkVariationNotice judges a change to the no-vigorish variation: "notwithstanding" the notice of a change of type
// it has one of its own, a posting. 9 NYCRR 5324.21(c)(6).
func (p *Pass) checkVariationNotice(now *record.ConfigChange, last int64, change string) {
	if p.Table.Attested["novig-notice"].Present {
		return
	}
	var posted proof
	for i := range p.Table.Notices {
		if n := &p.Table.Notices[i]; n.Topic == record.TopicVigorishType && !n.Filed && n.Of(last) && n.At <= now.At {
			posted.weigh(n, now.At)
		}
	}
	from := len(p.Findings)
	p.reportNotice(posted, now, "a posted notice of the no vigorish variation", change)
	if cited, ok := p.Law.Cited("layout.ny.novig-notice"); ok && len(p.Findings) > from {
		p.Findings[from].Cites = cited.Citations
	}
}

// filed is the written notice to the commission and to surveillance, in one paper or one to each, at least the lead
// before a change takes effect, of a matter that had last changed at a time before. It returns those on file if they
// fall short.
func (
	p *Pass,
) filed(topic record.NoticeTopic, last, effective int64, lead time.Duration) (f proof, short []record.Seq) {
	var commission, surveillance proof
	for i := range p.Table.Notices {
		n := &p.Table.Notices[i]
		if n.Topic != topic || !n.Filed || !n.Of(last) {
			continue
		}
		short = append(short, n.Seq)
		if !n.Writ || n.At > effective-int64(lead) {
			continue
		}
		if n.ToCommission && n.ToSurveillance {
			f.weigh(n, effective)
		}
		if n.ToCommission {
			commission.weigh(n, effective)
		}
		if n.ToSurveillance {
			surveillance.weigh(n, effective)
		}
	}
	if both := commission.and(surveillance); both.given && (!f.given || f.late && !both.late) {
		f = both
	}
	return f, short
}

// 19:47-3.10(c)2.
func checkProcedureNotice(p *Pass) {
	p.judgeNotice(record.TopicPaymentProcedure, "payment procedure", func(before, now *law.Config) bool {
		return now.Procedure != 0 && (before == nil || before.Procedure != now.Procedure)
	})
}
