package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// inUse is the configuration that came into use with this card, and the event that brought it.
func (p *Pass) inUse(check func(c *law.Config, at record.Seq)) {
	for i := range p.Table.Changes {
		if now := &p.Table.Changes[i]; now.Used && !now.Judged {
			check(now.Config, now.Seq)
		}
	}
}

// inscribed are the clauses that want the odds of a wager on the layout or on a sign, and whether the text itself has
// them; none in New Jersey for the player, banker and tie wagers.
func (p *Pass) inscribed(s baccarat.Spot) (clauses []string, text bool) {
	rule := "layout.ny.payout-odds"
	switch s.SideBet() {
	case baccarat.SidePair:
		rule = "layout.nj.pair-areas"
	case baccarat.SideTreasures:
		rule = "layout.nj.treasures-odds"
	default: // New York wants all of them
	}
	cited, ok := p.Law.Cited(rule)
	return cited.Citations, ok && cited.Assumed == ""
}

// paidUnder are the clauses that set what a spot pays where no clause wants its odds posted.
func (p *Pass) paidUnder(s baccarat.Spot) []string {
	rule := "payout.player.odds"
	switch s {
	case baccarat.SpotBanker:
		rule = "payout.banker.odds"
	case baccarat.SpotTie:
		rule = "payout.tie.min-odds"
	default:
	}
	cited, _ := p.Law.Cited(rule)
	return cited.Citations
}

// lawfulOdds are the odds that the law sets for a spot under a configuration, unknown where they depend on the hand.
func (p *Pass) lawfulOdds(c *law.Config, s baccarat.Spot) law.SpotOdds {
	switch s {
	case baccarat.SpotFortune7:
		return law.SpotOdds{Odds: p.Law.Treasures[c.TreasuresTable][baccarat.Fortune7]}
	case baccarat.SpotGolden8:
		return law.SpotOdds{Odds: p.Law.Treasures[c.TreasuresTable][baccarat.Golden8]}
	case baccarat.SpotCoverAll:
		return law.SpotOdds{Odds: p.Law.CoverAll[c.TreasuresTable]}
	default:
		return p.Law.Odds[s]
	}
}

// checkPostedOdds compares the odds posted with those of the law. Above a floor they are lawful; above an exact value
// they may promise what another text allows.
func checkPostedOdds(p *Pass) {
	p.inUse(func(c *law.Config, at record.Seq) {
		var proved, suspected, expected []string
		var cites, other []string
		for s := baccarat.SpotBanker; s < baccarat.Spots; s++ {
			posted, want := c.Posted[s], p.lawfulOdds(c, s)
			side := s.SideBet()
			if !posted.Known() || !want.Known() || side != baccarat.NoSideBet && !c.Offers(side) {
				continue
			}
			compared := want.Compare(posted.To, posted.For)
			if compared == 0 || compared > 0 && want.Floor {
				continue
			}
			relation := ""
			if want.Floor {
				relation = "at least "
			}
			expected = append(expected, fmt.Sprintf("%v %s%v", s, relation, want.Odds))
			text := fmt.Sprintf("%v posted %v", s, posted)
			if clauses, ok := p.inscribed(s); ok && compared < 0 {
				proved, cites = append(proved, text), union(cites, clauses)
			} else {
				suspected = append(suspected, text)
				if clauses == nil {
					clauses = p.paidUnder(s)
				}
				other = union(other, clauses)
			}
		}
		f := Finding{Expected: strings.Join(expected, "; "), Evidence: []record.Seq{at}}
		if len(proved) > 0 {
			f.Subject, f.Observed, f.Cites = finding.OfRange(uint64(at), uint64(at)), strings.Join(proved, "; "), cites
			p.Report(f)
		}
		if len(suspected) > 0 {
			f.Subject, f.Observed, f.Cites = finding.Subject{}, strings.Join(suspected, "; "), other
			p.Suspect(f)
		}
	})
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// checkPosted judges payments by the odds posted. What is expected is never below the floor of the law: where less is
// posted, the posting is the breach.
func checkPosted(p *Pass) {
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		floor := p.Law.Odds[w.Spot]
		if !p.payable(w) || !floor.Floor || below(floor, w.Net().Paid, w.Amount) ||
			(w.Spot == baccarat.SpotBanker && p.bankerSix()) {
			continue
		}
		switch posted := p.Config.Posted[w.Spot]; {
		case !posted.Known():
			p.CannotJudge(fmt.Sprintf("no odds are posted for %v", w.Spot), w.Placed)
		case floor.Compare(posted.To, posted.For) < 0, posted.Compare(w.Net().Paid, w.Amount) == 0:
		default:
			p.reportPayout(w, posted, false)
		}
	}
}
