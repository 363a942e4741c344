package rules

import (
	"cmp"
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// Wagers of chemin de fer after the deal began, wagers beside the two that the text has, and draws. 19:47-4.8 to 4.14
// were not found.

// judgeBankStands judges a Banker's wager that was placed before the first card: there has to be one when the cards are
// dealt, and "immediately prior to dealing" leaves no part of it for later. N.J.A.C. 19:47-4.6(a).
func (p *Pass) judgeBankStands(bank *record.Wager, first record.Seq) {
	const expected = "the Banker's wager placed before the first card"
	if stands, _ := bank.StoodAt(first); stands == 0 && (bank.Gone || !bank.Unread()) {
		p.reportWager(bank, expected, "withdrawn before it", first)
		return
	}
	for i := range bank.Changes {
		c := &bank.Changes[i]
		if c.Seq < first || c.GivenBack {
			continue
		}
		from := len(p.Findings)
		p.reportWager(bank, expected, p.changed(bank, c)+" after it", first, c.Seq)
		p.Findings[from].Amount = cmp.Or(abs(c.Amount), bank.Amount)
		if c.Amount <= 0 { // it was placed in time, and no sentence that was found says how long it has to stay
			p.suspectFrom(from)
		}
		return
	}
}

// checkLateChemin judges wagers against the Banker that were made or changed after the first card. The Banker wagers
// "immediately prior to dealing the cards", and the opportunity of the others follows that, N.J.A.C. 19:47-4.6(a),
// 4.7(a). The sentences on a call of no more bets at this game were not found.
func checkLateChemin(p *Pass) {
	r := p.Round
	first, call := r.FirstCard(), r.CallOf(baccarat.NoMoreBets)
	if first == 0 {
		return
	}
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if w.Spot != baccarat.SpotAgainstBanker {
			continue
		}
		at, what := w.Placed, "placed"
		for j := range w.Changes {
			c := &w.Changes[j]
			afterCall := call != nil && at < call.Seq && c.Seq > call.Seq
			if at < first && (c.Seq > first || afterCall) && !c.GivenBack {
				at, what = c.Seq, p.changed(w, c)
			}
		}
		if at < first {
			if call != nil && at > call.Seq {
				p.CannotJudge("no sentence on wagers after no more bets at chemin de fer was found", call.Seq, at)
			}
			continue
		}
		f := Finding{
			Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: w.Amount, Evidence: []record.Seq{w.Placed, first, at},
			Expected: "wagers against the Banker before the first card", Observed: what + " after it",
		}
		if at == w.Placed && p.handedBack(w) {
			f.Verdict, f.Observed = finding.Information, f.Observed+", and given back"
			p.Report(f)
			continue
		}
		p.Suspect(f)
	}
}

// handedBack reports whether a wager was withdrawn, or returned though the round was no stand-off.
func (p *Pass) handedBack(w *record.Wager) bool {
	return w.Gone || w.Disposition() == baccarat.Return && p.Round.Coup().Result() != baccarat.Tie
}

// checkOtherWager finds wagers that are neither the Banker's nor made against it, and wagers against it that are not of
// chips or plaques. No sentence that was found permits or forbids them: 19:47-3.2(b) and (c) and 7.2(b) and (c) are
// about other games, 4.6(c) about the Banker's wager.
func checkOtherWager(p *Pass) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		switch {
		case i+1 == p.Round.Bank || w.Gone:
		case w.Spot != baccarat.SpotAgainstBanker:
			p.CannotJudge(fmt.Sprintf("%s (%v)", p.rule.Unknown, w.Spot), w.Placed)
			return
		case w.Medium != baccarat.NoMedium && w.Medium != baccarat.Chips && w.Medium != baccarat.Plaques:
			p.CannotJudge(fmt.Sprintf("no sentence on a wager against the Banker by %v was found", w.Medium), w.Placed)
			return
		}
	}
}

// checkUnusualDeal says that the order of a deal cannot be judged which the other games do not permit.
func checkUnusualDeal(p *Pass) {
	from := len(p.Findings)
	checkInitialOrder(p)
	checkThirdCardOrder(p)
	p.cannotJudgeFrom(from)
}

// cannotJudgeFrom leaves of the findings from an index on that what the first of them found cannot be judged.
func (p *Pass) cannotJudgeFrom(from int) {
	if len(p.Findings) == from {
		return
	}
	f := p.Findings[from]
	p.Findings = p.Findings[:from]
	if f.Verdict == finding.Unauditable {
		return // a card was not reported, or reported late: nothing shows another order
	}
	p.CannotJudge(fmt.Sprintf("%s; other sources: %s; %s", p.rule.Unknown, f.Expected, f.Observed), f.Evidence...)
}

// checkUnusualDraw says that a draw cannot be judged which neither the drawing table of the other games nor the sources
// on chemin de fer have, unless the rulebook judges it.
func checkUnusualDraw(p *Pass) {
	from := len(p.Findings)
	checkMaxOneExtra(p)
	if p.cannotJudgeFrom(from); len(p.Findings) > from || p.judges("chemin.draw.optional-cells") {
		return
	}
	c, ok := p.drawn()
	if !ok {
		return
	}
	switch {
	case !c.Natural():
		p.judgeCells(c)
	case c.NP > 2:
		p.reportDraw(baccarat.Player, "no card after an 8 or 9", "the player hand took one")
	case c.NB > 2:
		p.reportDraw(baccarat.Banker, "no card after an 8 or 9", "the banker hand took one")
	}
	p.cannotJudgeFrom(from)
}
