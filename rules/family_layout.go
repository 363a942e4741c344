package rules

import (
	"fmt"
	"strconv"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// The layout is attested, not observed.
var layoutFamily = []*Rule{
	layout("layout.vig-numbered-areas", "Numbered areas for marking vigorish.", "vig-areas", finding.Minor, nil),
	layout("layout.ny.minimum", "Name, card areas and wager areas.", "ny-minimum", finding.Minor, nil),
	layout("layout.ny.payout-odds", "Payout odds on the layout or a sign.", "payout-odds", finding.Major, nil),
	layout(
		"layout.ny.dragon-bonus-area", "A dragon bonus area for each patron.", "dragon-bonus-area", finding.Minor,
		offering(baccarat.SideDragonBonus),
	),
	layout("layout.ny.ez-areas", "Dragon 7 and panda 8 areas.", "ez-areas", finding.Minor, inMode(baccarat.EZ)),
	layout(
		"layout.ny.ez-push-notice", "Patrons are notified that a dragon 7 pushes.", "ez-push-notice", finding.Major,
		inMode(baccarat.EZ),
	),
	layout(
		"layout.ny.novig-notice", "Notice of the no-vigorish variation.", "novig-notice", finding.Major,
		inMode(baccarat.NoVig6),
	),
	layout("layout.midi-discard-rack", "A discard rack on the dealer's side.", "midi-discard-rack", finding.Minor, nil),
	layout(
		"layout.nj.total-card-odds", "Total card odds inscribed.", "total-card-odds", finding.Major,
		offering(baccarat.SideTotalCard),
	),
	layout(
		"layout.nj.bonus-odds", "Bonus odds inscribed or on a sign.", "bonus-odds", finding.Major,
		offering(baccarat.SideBonus),
	),
	layout(
		"layout.nj.pair-areas", "Pair areas inscribed with their odds.", "pair-areas", finding.Major,
		offering(baccarat.SidePair),
	),
	layout(
		"layout.nj.treasures-areas", "Five treasure areas for each position.", "treasures-areas", finding.Minor,
		offering(baccarat.SideTreasures),
	),
	layout(
		"layout.nj.treasures-odds", "Treasure odds inscribed or on a sign.", "treasures-odds", finding.Major,
		offering(baccarat.SideTreasures),
	),
	layout("layout.nj.approved", "A layout that the regulator approved.", "layout-approval", finding.Major, nil),
}

func offering(s baccarat.SideBet) func(*law.Config) bool {
	return func(c *law.Config) bool { return c.Offers(s) }
}

func inMode(m baccarat.VigorishMode) func(*law.Config) bool {
	return func(c *law.Config) bool { return c.Mode == m }
}

func layout(name, doc, item string, severity finding.Severity, needed func(*law.Config) bool) *Rule {
	return &Rule{
		Name: name, Doc: doc, Breach: "Attested as not present.", Severity: severity, At: Prepared,
		Needs: baccarat.FeedAttestation, Standing: true,
		Check: func(p *Pass) {
			if needed == nil || needed(p.Config) {
				p.attested(item, needed)
			}
		},
	}
}

// attested reports an item that is attested as not present. The texts demand the item, not its attestation: an
// attestation that is missing, too old, or older than the configuration before the first that needs the item leaves it
// unjudged. So does an attestation, before it was needed, that the item was not present.
func (p *Pass) attested(item string, needed func(*law.Config) bool) {
	a, ok := p.Table.Attested[item]
	days, err := strconv.Atoi(p.option("layout_attestation_days"))
	if err != nil {
		days = 0
	}
	const day = 24 * 3600 * 1e9
	switch {
	case !ok && !p.Table.Whole:
		p.CannotJudge("the record of the table begins after an attestation may have been filed", p.configEvidence()...)
	case !ok:
		p.CannotJudge("no attestation of "+item+" is on file", p.configEvidence()...)
	case a.Seq < p.introduced(needed) && !(a.Present && p.attestedAhead(a.Seq, needed)):
		p.CannotJudge("the attestation of "+item+" is older than the offer that needs it", a.Seq)
	case !a.Present:
		p.Report(Finding{
			Expected: item + " attested as present", Observed: "attested as not present", Evidence: []record.Seq{a.Seq},
		})
	case days > 0 && p.Shoe.At-a.At > int64(days)*day:
		p.CannotJudge(fmt.Sprintf("the attestation of %s is %s old, and is valid for %d", item,
			schema.Count((p.Shoe.At-a.At)/day, "day"), days), a.Seq)
	}
}

// attestedAhead reports whether an item was attested after the latest configuration that did not need it had come:
// for the next one.
func (p *Pass) attestedAhead(at record.Seq, needed func(*law.Config) bool) bool {
	changes := p.Table.Changes
	for i := len(changes) - 1; i > 0; i-- {
		if needed(changes[i].Config) && !needed(changes[i-1].Config) {
			return at > changes[i-1].Seq
		}
	}
	return false
}

// introduced is the configuration since which the table continuously needs an item; 0 if that was always so. Before the
// opening of a table its layout may already be attested.
func (p *Pass) introduced(needed func(*law.Config) bool) record.Seq {
	if needed == nil {
		return 0
	}
	changes := p.Table.Changes
	for i := len(changes) - 1; i > 0; i-- {
		switch {
		case needed(changes[i-1].Config):
		case changes[i].Opened:
			return changes[i-1].Seq
		default:
			return changes[i].Seq
		}
	}
	return 0
}
