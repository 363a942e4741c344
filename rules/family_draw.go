package rules

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// Rules of drawing. They judge the hands as dealt; a card that was handled as an irregularity has
// left its hand. One wrong draw is one finding: the banker hand is not judged after a wrong player
// hand.
var drawFamily = []*Rule{
	{
		Name: "draw.natural.no-more-cards", Doc: "When either hand has a natural 8 or 9 no hand takes another card.",
		Breach:   "Player on 5 draws against a banker natural.",
		Severity: finding.Critical, At: Dealt, Again: true, Check: checkNatural,
		Covers: []string{
			"draw.player.must-stay", "draw.banker.no-third", "draw.banker.must-stay", "irreg.player-extra.to-banker",
			"irreg.player-extra.disclosed-burn",
		},
	},
	{
		Name: "draw.player.third-card", Doc: "The player hand on 0 to 5 takes a third card.",
		Breach:   "Player stands on 5.",
		Severity: finding.Critical, At: Dealt, Again: true, Check: checkPlayerDraws,
		Covers: []string{"draw.banker.no-third"},
	},
	{
		Name:     "draw.player.must-stay",
		Doc:      "The player hand on 6 or 7 takes no card; one dealt in error does not stay in the hand.",
		Breach:   "Unauthorised card counted in the player hand.",
		Severity: finding.Critical, At: Dealt, Again: true, Check: checkPlayerStays,
		Covers: []string{"draw.banker.no-third"},
	},
	{
		Name:     "draw.banker.no-third",
		Doc:      "When the player hand took no card the banker hand draws on 0 to 5 and stays on 6 and 7.",
		Breach:   "Banker stands on 5, or draws on 6 or 7.",
		Severity: finding.Critical, At: Dealt, Again: true, Check: checkBankerAlone,
	},
	{
		Name:     "draw.banker.must-draw",
		Doc:      "The banker hand draws where the drawing table requires it against the player's third card.",
		Breach:   "Banker 5 stands against a 4.",
		Severity: finding.Critical, At: Dealt, Again: true, Check: checkBankerDraws,
	},
	{
		Name:     "draw.banker.must-stay",
		Doc:      "The banker hand stays where the drawing table requires it against the player's third card.",
		Breach:   "Banker 6 draws against a king.",
		Severity: finding.Critical, At: Dealt, Again: true, Check: checkBankerStays,
	},
}

// drawn is the round's coup when its drawing can be judged.
func (p *Pass) drawn() (*baccarat.Coup, bool) {
	c := p.Round.Coup()
	if p.Law.ExtraCounts && c.Third == baccarat.NoThird {
		as := *c
		again, _ := redeal(p.Law.Law, p.Round)
		as.Third, as.Complete, c = again.Third, c.Complete && !unread(p.Round), &as
	}
	return c, c.Complete && !p.cancelled() && !p.ranShort()
}

// kept reports whether a third card beyond what the rules call for stands in the hand: the round is
// over, or the declared result counts it. Until then its remedy is still possible.
func (p *Pass) kept(h baccarat.Hand) bool {
	r := p.Round
	if p.stage != Dealt {
		return true
	}
	with := *r.Coup()
	var player, banker []baccarat.Card
	for i := range r.Cards {
		c := &r.Cards[i]
		if c.Final == h && c.Index > 2 {
			continue
		}
		switch c.Final {
		case baccarat.Player:
			player = append(player, c.Card)
		case baccarat.Banker:
			banker = append(banker, c.Card)
		}
	}
	without := baccarat.NewCoup(player, banker)
	return declares(r, &with) && !declares(r, &without)
}

// declares reports whether the calls so far, and the recorded end if there is one, agree with a coup.
func declares(r *record.Round, c *baccarat.Coup) bool {
	if r.Ended.Seq != 0 {
		return r.Ended.Matches(c)
	}
	for i := range r.Calls {
		call := &r.Calls[i]
		switch {
		case call.Code == baccarat.FinalCount && call.Hand == baccarat.Player && call.Value != uint32(c.P),
			call.Code == baccarat.FinalCount && call.Hand == baccarat.Banker && call.Value != uint32(c.B),
			call.Code == baccarat.PlayerWins && c.Result() != baccarat.PlayerWon,
			call.Code == baccarat.BankerWins && c.Result() != baccarat.BankerWon,
			call.Code == baccarat.TieHand && c.Result() != baccarat.Tie:
			return false
		}
	}
	return true
}

func (p *Pass) reportDraw(h baccarat.Hand, expected, observed string) {
	p.Report(Finding{
		Subject: finding.OfHand(h.String()), Expected: expected, Observed: observed, Evidence: cardEvidence(p.Round),
	})
}

// cardEvidence are the events of the round's cards and of its recorded end.
func cardEvidence(r *record.Round) []record.Seq {
	seqs := make([]record.Seq, 0, len(r.Cards)+1)
	for i := range r.Cards {
		seqs = append(seqs, r.Cards[i].Seq)
	}
	if r.Ended.Seq != 0 {
		seqs = append(seqs, r.Ended.Seq)
	}
	return seqs
}

func checkNatural(p *Pass) {
	c, ok := p.drawn()
	if !ok || !c.Natural() || c.Cards() == 4 {
		return
	}
	for _, h := range []baccarat.Hand{baccarat.Player, baccarat.Banker} {
		if _, _, n := c.Hand(h); n > 2 && p.kept(h) {
			p.reportDraw(
				h, fmt.Sprintf("natural, player %d and banker %d: no further card", c.P2, c.B2),
				fmt.Sprintf("%v hand took a card", h),
			)
			return
		}
	}
}

func checkPlayerDraws(p *Pass) {
	c, ok := p.drawn()
	if ok && c.NP == 2 && p.Law.Drawing.PlayerDraws(c.P2, c.B2) {
		p.reportDraw(baccarat.Player, fmt.Sprintf("player hand on %d draws", c.P2), "stood")
	}
}

func checkPlayerStays(p *Pass) {
	c, ok := p.drawn()
	if ok && c.NP > 2 && !c.Natural() && !p.Law.Drawing.PlayerDraws(c.P2, c.B2) && p.kept(baccarat.Player) {
		p.reportDraw(baccarat.Player, fmt.Sprintf("player hand on %d stays", c.P2), "took a card and kept it")
	}
}

func checkBankerAlone(p *Pass) {
	c, ok := p.drawn()
	if !ok || c.Natural() || c.NP != 2 || p.Law.Drawing.PlayerDraws(c.P2, c.B2) {
		return
	}
	p.judgeBanker(c, true)
	p.judgeBanker(c, false)
}

func checkBankerDraws(p *Pass) {
	if c, ok := p.afterPlayerCard(); ok {
		p.judgeBanker(c, true)
	}
}

func checkBankerStays(p *Pass) {
	if c, ok := p.afterPlayerCard(); ok {
		p.judgeBanker(c, false)
	}
}

// afterPlayerCard is the coup when the player hand lawfully took a card.
func (p *Pass) afterPlayerCard() (*baccarat.Coup, bool) {
	c, ok := p.drawn()
	return c, ok && !c.Natural() && c.NP > 2 && p.Law.Drawing.PlayerDraws(c.P2, c.B2)
}

func (p *Pass) judgeBanker(c *baccarat.Coup, must bool) {
	expected := func(does string) string {
		against := "no third card"
		if c.Third != baccarat.NoThird {
			against = fmt.Sprintf("a third card of %d", c.Third)
		}
		return fmt.Sprintf("banker hand on %d against %s %s", c.B2, against, does)
	}
	due := p.Law.Drawing.BankerDraws(c.P2, c.B2, c.Third)
	switch {
	case must && due && c.NB == 2:
		p.reportDraw(baccarat.Banker, expected("draws"), "stood")
	case !must && !due && c.NB > 2 && p.kept(baccarat.Banker):
		p.reportDraw(baccarat.Banker, expected("stays"), "took a card and kept it")
	}
}

// lawful reports whether a hand's draw follows the drawing table, so that announcements about it can be judged.
func (p *Pass) lawful(h baccarat.Hand) bool {
	c, ok := p.drawn()
	if !ok { // of a hand that the shoe could not complete, the player's third card can still be judged
		return h == baccarat.Player && p.stoppedAfterCounts() && c.NP > 2 && p.Law.Drawing.PlayerDraws(c.P2, c.B2)
	}
	player := (c.NP > 2) == p.Law.Drawing.PlayerDraws(c.P2, c.B2)
	if h == baccarat.Player || !player {
		return player
	}
	return (c.NB > 2) == p.Law.Drawing.BankerDraws(c.P2, c.B2, c.Third)
}
