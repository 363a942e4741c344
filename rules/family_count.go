package rules

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

var countFamily = []*Rule{
	{
		Name:     "count.card-values",
		Doc:      "A value reported with a card is the value of its rank: ace 1, 2 to 9 face, tens and faces 0.",
		Breach:   "A queen reported as 10 or an ace as 11.",
		Severity: finding.Major, At: Dealt, Again: true, Check: checkCardValues,
	},
	{
		Name: "count.point-count", Doc: "The recorded counts and result follow from the cards.",
		Breach:   "System of record stores 6 for a hand of 7.",
		Severity: finding.Critical, At: Settled, Check: checkPointCount,
	},
	readerSuspected,
}

// readerSuspected has no Check: [Pass.Reread] finds the card, and the finding covers what it explains.
var readerSuspected = &Rule{
	Name: "count.reader-suspected", Doc: "The cards as read agree with the calls, counts, draws, result and payments.",
	Breach:   "One card misread: everything else agrees on another one.",
	Severity: finding.Major, At: Settled, Check: func(*Pass) {},
}

func checkCardValues(p *Pass) {
	for i := range p.Round.Cards {
		c := &p.Round.Cards[i]
		if c.HasReported && c.Card != baccarat.Unread && c.Reported != uint32(c.Card.Value()) {
			p.Report(Finding{
				Subject: finding.OfCard(c.CardSeq), Evidence: []record.Seq{c.Seq},
				Expected: fmt.Sprintf("%v counts %d", c.Card, c.Card.Value()),
				Observed: fmt.Sprintf("reported as %d", c.Reported),
			})
		}
	}
}

// oneUnread reports whether a count that was recorded is 0, and the other one is right: 0 is also a count that was not
// read.
func oneUnread(e record.Ended, c *baccarat.Coup) bool {
	return e.Player == 0 && e.Banker == uint32(c.B) || e.Banker == 0 && e.Player == uint32(c.P)
}

func checkPointCount(p *Pass) {
	r := p.Round
	c := r.Coup()
	if r.Ended.Seq == 0 || r.Voided.Seq != 0 || r.Ended.Result == baccarat.Void {
		return
	}
	if !c.Complete {
		p.CannotJudge("a card of the round was not read or not dealt", cardEvidence(r)...)
		return
	}
	if r.Ended.Result == baccarat.NoResult && (r.Ended.Uncounted() || r.Ended.MatchesCounts(c)) {
		p.CannotJudge("the result was not recorded", r.Ended.Seq)
		return
	}
	wrong := !r.Ended.Matches(c)
	if !wrong && (r.Corrected.Seq == 0 || r.Corrected.Matches(c)) {
		if !r.Ended.MatchesCounts(c) {
			p.CannotJudge("the counts of the round were not recorded", r.Ended.Seq)
		}
		if n := r.Ended.Cards; n != 0 && n != uint32(c.Cards()) && len(r.Cards) == c.Cards() {
			p.CannotJudge(fmt.Sprintf("the recorded end counts %s, %d were reported", schema.Count(n, "card"), c.Cards()),
				r.Ended.Seq)
		}
		return
	}
	f := Finding{
		Evidence: cardEvidence(r), Expected: fmt.Sprintf("player %d, banker %d, %v", c.P, c.B, c.Result()),
		Observed: recordedResult(r.Ended),
	}
	switch {
	case wrong && r.Ended.Result == c.Result() && oneUnread(r.Ended, c):
		p.CannotJudge("a count of the round was not recorded, or is 0; found: "+f.Observed, r.Ended.Seq)
	case wrong && r.Begun == 0: // an event of the round was not published, so that its correction may be lost as well
		f.Unprove()
		p.Report(f)
	case wrong: // two counts of 0 may not have been reported
		p.suspectIf(r.Ended.Player == 0 && r.Ended.Banker == 0 && r.Ended.Result == c.Result(), f)
	case r.MovedMoney(r.Corrected.Seq, r.Ended.Seq):
		f.Evidence = append(f.Evidence, r.Corrected.Seq)
		f.Observed = recordedResult(r.Corrected) + ", corrected after money moved"
		p.Report(f)
	default:
		f.Evidence = append(f.Evidence, r.Corrected.Seq)
		f.Verdict, f.Observed = finding.Information, recordedResult(r.Corrected)+", put right"
		p.Report(f)
	}
}

func recordedResult(e record.Ended) string {
	return fmt.Sprintf("player %d, banker %d, %v", e.Player, e.Banker, e.Result)
}
