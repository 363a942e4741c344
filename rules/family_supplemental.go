package rules

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

var supplementalFamily = []*Rule{
	{
		Name: "supplemental.one-of-three", Doc: "A table offers at most one of the total card, bonus and pair wagers.",
		Breach:   "Pair and total-card bets at one table.",
		Severity: finding.Major, At: Changed, Check: checkOneOfThree,
	},
	{
		Name:     "supplemental.base-wager-required",
		Doc:      "Where the house requires it, a supplemental wager needs a banker or player wager of the patron.",
		Breach:   "Side bet alone, or with a tie bet only.",
		Severity: finding.Minor, At: Betting, Needs: baccarat.FeedWagers, Check: checkBaseWager,
	},
}

func checkOneOfThree(p *Pass) {
	p.inUse(func(c, since *law.Config, at record.Seq) {
		n, more := 0, false
		for _, s := range []baccarat.SideBet{baccarat.SideTotalCard, baccarat.SideBonus, baccarat.SidePair} {
			if c.Offers(s) {
				n++
				more = more || since == nil || !since.Offers(s)
			}
		}
		if n > 1 && more && p.option("supplemental_exclusive") != "false" {
			p.Report(Finding{
				Expected: "one of TOTAL_CARD, BONUS, PAIR", Observed: fmt.Sprint(c.SideBets), Evidence: []record.Seq{at},
			})
		}
	})
}

func checkBaseWager(p *Pass) {
	if !p.Config.SupplementalRequiresMain && p.option("supplemental_requires_main") != "true" {
		return
	}
	r := p.Round
	for i := range r.Wagers {
		w := &r.Wagers[i]
		side := w.Spot.SideBet()
		if w.Gone || (side != baccarat.SidePair && side != baccarat.SideTotalCard && side != baccarat.SideBonus) {
			continue
		}
		main := false
		for j := range r.Wagers {
			m := &r.Wagers[j]
			same := m.Patron == w.Patron && m.Patron != "" ||
				m.Seat == w.Seat && (m.Patron == "" || w.Patron == "")
			main = main || (same && !m.Gone && (m.Spot == baccarat.SpotBanker || m.Spot == baccarat.SpotPlayer))
		}
		if !main {
			// Whether it is demanded is at the licensee's discretion.
			p.Suspect(Finding{
				Subject: finding.OfWager(w.ID), Seat: w.Seat, Amount: w.Amount, Evidence: []record.Seq{w.Placed},
				Expected: "a banker or player wager of the same patron", Observed: "none",
			})
		}
	}
}
