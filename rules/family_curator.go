package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// The curator of punto banco. N.J.A.C. 19:47-3.6, 3.11. Counterclockwise is ascending by seat number.
var curatorFamily = []*Rule{
	{
		Name: "curator.initial-offer", Back: Seating,
		Doc:      "The shoe is first offered to seat one and then counterclockwise.",
		Breach:   "Offer starts at another seat or skips one.",
		Severity: finding.Minor, At: Dealt, Check: checkCuratorOffers(false),
	},
	{
		Name: "curator.only-curator-deals", Doc: "The curator draws every card.",
		Breach:   "Dealer or another player draws.",
		Severity: finding.Major, At: Settled, Needs: baccarat.FeedShoeCamera, Check: checkCuratorDeals,
	},
	{
		Name: "curator.must-pass", Back: Seating, Doc: "The curator passes the shoe when the banker hand has lost.",
		Breach:   "Same curator deals on.",
		Severity: finding.Major, At: Settled, Check: checkMustPass,
	},
	{
		Name: "curator.ordered-pass-grounds", Back: Seating,
		Doc:      "A curator is removed only on a listed ground, by the dealer or a floorperson.",
		Breach:   "Curator ordered off without a ground.",
		Severity: finding.Minor, At: Dealt, Check: checkPassGrounds,
	},
	{
		Name: "curator.pass-between-rounds", Doc: "The shoe is passed voluntarily only between rounds.",
		Breach:   "Change of curator between card 2 and card 3.",
		Severity: finding.Minor, At: Settled, Check: checkPassBetween, Covers: []string{"curator.only-curator-deals"},
	},
	{
		Name: "curator.next-offer", Back: Seating,
		Doc:      "A released shoe is offered counterclockwise, beginning at the right-hand neighbour.",
		Breach:   "A seat is skipped.",
		Severity: finding.Minor, At: Dealt, Check: checkCuratorOffers(true),
	},
}

// checkCuratorOffers judges each run of offers: after a release from the seat that released the
// shoe, otherwise from seat one.
func checkCuratorOffers(released bool) func(*Pass) {
	return func(p *Pass) {
		steps := p.Shoe.Curators
		if !released && p.newShoeWrong(steps) {
			return
		}
		after, from, pass := false, uint32(0), record.Seq(0)
		for i := range steps {
			step := &steps[i]
			switch step.Kind {
			case record.CuratorPassed:
				after, from, pass = true, step.Seat, step.Seq
			case record.CuratorOffered:
				want := counterclockwise(step.Occupied, from)
				if after == released && step.Seat != want {
					p.reportCurator(
						step, fmt.Sprintf("offered to seat %d", want), fmt.Sprintf("offered to seat %d", step.Seat),
						pass,
					)
					return
				}
				from = step.Seat
			case record.CuratorAssigned:
				if after == released && i > 0 && steps[i-1].Kind == record.CuratorOffered &&
					(!steps[i-1].Accepted || steps[i-1].Seat != step.Seat) {
					p.reportCurator(
						step, "assigned to the first who accepts", fmt.Sprintf("assigned to seat %d", step.Seat),
					)
					return
				}
				after, from = false, 0
			}
		}
	}
}

// newShoeWrong judges how a later shoe finds its curator, where the rulebook requires more than that
// either will do: by an offer from seat one, or by keeping the one before.
func (p *Pass) newShoeWrong(steps []record.CuratorStep) bool {
	prep := &p.Shoe.Prep
	if prep.First || p.Round.No != 1 {
		return false
	}
	offered := len(steps) > 0 && steps[0].Round == 0 && steps[0].Kind == record.CuratorOffered
	seated := slices.Contains(p.Table.Occupied, prep.LastDealer)
	switch want := p.option("curator_new_shoe"); {
	case want == "seat-1" && !offered:
		p.Report(Finding{
			Expected: "a new shoe is offered from seat 1", Observed: "not offered",
			Evidence: []record.Seq{p.Shoe.First, p.Round.FirstCard()},
		})
		return true
	case want == "keep" && offered && prep.LastDealer != 0 && seated:
		p.reportCurator(
			&steps[0], fmt.Sprintf("seat %d keeps the shoe", prep.LastDealer),
			fmt.Sprintf("offered to seat %d", steps[0].Seat),
		)
		return true
	}
	return false
}

func (p *Pass) reportCurator(step *record.CuratorStep, expected, observed string, besides ...record.Seq) {
	p.Report(Finding{
		Round: max(step.Round, 1), Seat: step.Seat, Expected: expected, Observed: observed,
		Evidence: append(besides, step.Seq),
	})
}

func checkCuratorDeals(p *Pass) {
	for i := range p.Round.Cards {
		c := &p.Round.Cards[i]
		switch {
		case c.Curator == 0 && c.ByRole == baccarat.RoleDealer && p.option("curator_none") == "stop":
			p.Report(Finding{
				Subject: finding.OfCard(c.CardSeq), Expected: "no card while no participant takes the shoe",
				Observed: "drawn by DEALER", Evidence: []record.Seq{c.Seq},
			})
			return
		case c.Carried || (c.Curator == 0 && c.ByRole == baccarat.RoleDealer):
		case c.ByRole == baccarat.NoRole || c.ByRole == baccarat.RoleCurator && c.BySeat == 0:
			p.CannotJudge("who drew the card was not reported", c.Seq)
			return
		case c.Curator == 0:
			p.CannotJudge("who holds the shoe was not reported", c.Seq)
			return
		case c.ByRole != baccarat.RoleCurator || c.BySeat != c.Curator:
			p.Report(Finding{
				Subject: finding.OfCard(c.CardSeq), Seat: c.BySeat, Evidence: []record.Seq{c.Seq},
				Expected: fmt.Sprintf("drawn by the curator, seat %d", c.Curator),
				Observed: fmt.Sprintf("drawn by %v seat %d", c.ByRole, c.BySeat),
			})
			return
		}
	}
}

func checkMustPass(p *Pass) {
	r := p.Round
	c := r.Coup()
	// no participant took the shoe
	dealt := len(r.Cards) > 0 && r.Curator == 0 && r.Cards[0].ByRole == baccarat.RoleDealer
	if dealt || r.Next == 0 || p.cancelled() || !c.Complete || c.Result() != baccarat.PlayerWon || len(r.Cards) == 0 {
		return
	}
	last := r.Cards[len(r.Cards)-1].Seq
	if slices.ContainsFunc(p.Shoe.Curators, func(s record.CuratorStep) bool {
		return s.Kind == record.CuratorPassed && s.Seq > last && s.Seq < r.Next
	}) {
		return
	}
	p.Report(Finding{
		Seat: r.Curator, Expected: fmt.Sprintf("seat %d passes the shoe, the banker hand lost", r.Curator),
		Observed: "kept it",
		Evidence: append(cardEvidence(r), r.Next),
	})
}

func checkPassGrounds(p *Pass) {
	grounds := []string{"unreasonable-delay", "repeated-invalid-deals", "act-or-regulation-violation"}
	for i := range p.Shoe.Curators {
		s := &p.Shoe.Curators[i]
		if s.Kind != record.CuratorPassed || s.Cause != record.PassOrdered {
			continue
		}
		if (s.By != baccarat.RoleDealer && s.By != baccarat.RoleFloorperson) ||
			!slices.Contains(grounds, dashed(s.Ground)) {
			p.reportCurator(
				s, "ordered by DEALER or FLOORPERSON for one of "+strings.Join(grounds, ", "),
				fmt.Sprintf("ordered by %v, ground %q", s.By, s.Ground),
			)
		}
	}
}

// dashed folds the ways in which a word of free text is written.
func dashed(s string) string {
	return strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(s))
}

func checkPassBetween(p *Pass) {
	for i := range p.Shoe.Curators {
		if s := &p.Shoe.Curators[i]; s.Kind == record.CuratorPassed && s.Cause == record.PassVoluntary && s.InRound &&
			s.Round == p.Round.No {
			p.Report(Finding{
				Seat: s.Seat, Expected: "passed between rounds", Observed: "passed while the round was in progress",
				Evidence: []record.Seq{s.Seq},
			})
		}
	}
}
