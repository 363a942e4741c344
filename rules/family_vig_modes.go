package rules

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// The checks of tables that charge otherwise than by a commission: ties, EZ, no vigorish.

func checkTieExclusive(p *Pass) {
	r := p.Round
	if p.Config.Mode != baccarat.Tie25 || !slices.Contains(p.Law.Modes, baccarat.Tie25) || p.cancelled() ||
		!p.coup().Complete || p.coup().Result() != baccarat.BankerWon {
		return
	}
	if p.option("ny_tie25_exclusive") == "false" {
		return // both charges are read to stand side by side
	}
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Kind == record.StepVigMarked || s.Kind == record.StepVigCollected {
			p.Report(Finding{
				Subject: finding.OfSeat(s.Seat), Seat: s.Seat, Amount: s.Amount,
				Evidence: append(cardEvidence(r), s.Seq),
				Expected: "no commission, the tie charge is elected", Observed: p.money(s.Amount) + " taken",
			})
		}
	}
}

func checkTieAmount(p *Pass) {
	r := p.Round
	if p.Config.Mode != baccarat.Tie25 || p.cancelled() || !p.coup().Complete || p.coup().Result() != baccarat.Tie {
		return
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Kind != record.StepTieCharge || !p.namesBanker(s) {
			continue
		}
		var floor, ceil int64
		for w := range r.Wagers {
			if wager := &r.Wagers[w]; s.Covers(r, w) && wager.Spot == baccarat.SpotBanker {
				stake := wager.Amount - wager.Coupon
				if p.option("tie25_coupon_in_base") == "true" {
					stake = wager.Amount
				}
				// No rounding clause: of a stake that four does not divide either neighbour is accepted,
				// unless the option names one.
				low, high := stake/4, (stake+3)/4
				switch p.option("tie25_fraction") {
				case "floor":
					high = low
				case "ceil":
					low = high
				}
				floor += low
				ceil += high
			}
		}
		if s.Amount < floor || s.Amount > ceil {
			p.Report(Finding{
				Subject: finding.OfSeat(s.Seat), Seat: s.Seat, Amount: abs(floor - s.Amount),
				Evidence: append(cardEvidence(r), s.Seq),
				Expected: "25 percent of the banker wager: " + p.money(floor), Observed: p.money(s.Amount),
			})
		}
	}
}

func checkTieTiming(p *Pass) {
	for i := range p.Shoe.Dues {
		d := &p.Shoe.Dues[i]
		if d.Tie && !d.Unproved && !d.AtOnce && (d.CollectedAt != 0 || d.Marked != 0) {
			p.reportDue(d, "collected before the next first card", "deferred", max(d.CollectedAt, d.MarkedAt))
		}
	}
}

func checkTieAll(p *Pass) {
	for i := range p.Shoe.Dues {
		if d := &p.Shoe.Dues[i]; d.Tie && !d.Unproved && d.CollectedAt == 0 && d.Marked == 0 {
			p.reportDue(d, "charged 25 percent", "not charged")
		}
	}
}

func checkTieAuthorised(p *Pass) {
	if p.Config.Mode == baccarat.Tie25 && !slices.Contains(p.Law.Modes, baccarat.Tie25) {
		p.Report(Finding{
			Expected: fmt.Sprintf("one of %v", p.Law.Modes), Observed: "TIE25", Evidence: p.configEvidence(),
		})
	}
}

func checkNoVigorish(mode baccarat.VigorishMode) func(*Pass) {
	return func(p *Pass) {
		if p.Config.Mode != mode || p.cancelled() {
			return
		}
		for i := range p.Round.Steps {
			if s := &p.Round.Steps[i]; s.Kind >= record.StepVigMarked && !p.dragonCharge() {
				p.Report(Finding{
					Subject: finding.OfSeat(s.Seat), Seat: s.Seat, Amount: s.Amount, Evidence: []record.Seq{s.Seq},
					Expected: fmt.Sprintf("no vigorish under %v", mode), Observed: p.money(s.Amount) + " taken",
				})
			}
		}
	}
}

// dragonCharge reports whether the round is an EZ dragon 7, whose charge has a separate rule.
func (p *Pass) dragonCharge() bool {
	c := p.coup()
	return p.Config.Mode == baccarat.EZ && c.Complete && c.Dragon7()
}

func checkDragonCharge(p *Pass) {
	r := p.Round
	if !p.dragonCharge() || p.cancelled() {
		return
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Kind < record.StepVigMarked {
			continue
		}
		if p.option("ez_dragon7_charge") == "pct25" && p.quarterOfStake(s) {
			continue
		}
		p.Report(Finding{
			Subject: finding.OfSeat(s.Seat), Seat: s.Seat, Amount: s.Amount, Evidence: append(cardEvidence(r), s.Seq),
			Expected: "a dragon 7 is a pure push", Observed: p.money(s.Amount) + " charged",
		})
	}
}

func (p *Pass) quarterOfStake(s *record.Step) bool {
	var stake int64
	for w := range p.Round.Wagers {
		if wager := &p.Round.Wagers[w]; s.Covers(p.Round, w) && wager.Spot == baccarat.SpotBanker {
			stake += wager.Amount
		}
	}
	return 4*s.Amount == stake
}

func checkOneMode(p *Pass) {
	p.changedInRound(func(now *law.Config) bool { return now.Mode != p.Config.Mode }, "kind of vigorish")
}
