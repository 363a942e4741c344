package rules

import "fmt"

// Rules of drawing. They judge the hands as dealt; a card that was handled as an irregularity has
// left its hand. One wrong draw is one finding: the banker hand is not judged after a wrong player
// hand.
var drawFamily = []*Rule{
	{
		Name: "draw.natural.no-more-cards", Doc: "When either hand has a natural 8 or 9 no hand takes another card.",
		Breach:   "Player on 5 draws against a banker natural.",
		Severity: Critical, At: Dealt, Again: true, Check: checkNatural,
		Suppresses: []string{"draw.player.must-stay", "draw.banker.no-third", "draw.banker.must-stay", "irreg.player-extra.to-banker", "irreg.player-extra.disclosed-burn"},
	},
	{
		Name: "draw.player.third-card", Doc: "The player hand on 0 to 5 takes a third card.",
		Breach:   "Player stands on 5.",
		Severity: Critical, At: Dealt, Again: true, Check: checkPlayerDraws,
		Suppresses: []string{"draw.banker.no-third"},
	},
	{
		Name: "draw.player.must-stay", Doc: "The player hand on 6 or 7 takes no card; one dealt in error does not stay in the hand.",
		Breach:   "Unauthorised card counted in the player hand.",
		Severity: Critical, At: Dealt, Again: true, Check: checkPlayerStays,
		Suppresses: []string{"irreg.player-extra.to-banker", "irreg.player-extra.disclosed-burn", "irreg.player-extra.undisclosed-next-hand", "draw.banker.no-third"},
	},
	{
		Name: "draw.banker.no-third", Doc: "When the player hand took no card the banker hand draws on 0 to 5 and stays on 6 and 7.",
		Breach:   "Banker stands on 5, or draws on 6 or 7.",
		Severity: Critical, At: Dealt, Again: true, Check: checkBankerAlone,
	},
	{
		Name: "draw.banker.must-draw", Doc: "The banker hand draws where the table says draw against the player's third card.",
		Breach:   "Banker 5 stands against a 4.",
		Severity: Critical, At: Dealt, Again: true, Check: checkBankerDraws,
	},
	{
		Name: "draw.banker.must-stay", Doc: "The banker hand stays where the table says stay against the player's third card.",
		Breach:   "Banker 6 draws against a king.",
		Severity: Critical, At: Dealt, Again: true, Check: checkBankerStays,
		Suppresses: []string{"irreg.excess.disclosed-burn", "irreg.excess.undisclosed-next-hand"},
	},
}

// drawn is the round's coup when its drawing can be judged.
func (p *Pass) drawn() (*Coup, bool) {
	c := p.Round.Coup()
	if p.Law.ExtraCounts && c.Third == NoThird {
		as := *c
		again, _ := redeal(p.Law, p.Round)
		as.Third, as.Complete, c = again.Third, c.Complete && !p.Round.unread(), &as
	}
	return c, c.Complete && p.Round.Voided.Seq == 0
}

// kept says whether a third card beyond what the rules call for stands in the hand: the round is
// over, or the declared result counts it. Until then its remedy is still possible.
func (p *Pass) kept(h Hand) bool {
	r := p.Round
	if p.stage != Dealt {
		return true
	}
	with := *r.Coup()
	var player, banker []Card
	for i := range r.Cards {
		c := &r.Cards[i]
		if c.Final == h && c.Index > 2 {
			continue
		}
		switch c.Final {
		case Player:
			player = append(player, c.Card)
		case Banker:
			banker = append(banker, c.Card)
		}
	}
	without := NewCoup(player, banker)
	return r.declares(&with) && !r.declares(&without)
}

// declares says whether the calls so far, and the recorded end if there is one, agree with a coup.
func (r *Round) declares(c *Coup) bool {
	if r.Ended.Seq != 0 {
		return r.Ended.Result == c.Result() && r.Ended.Player == uint32(c.P) && r.Ended.Banker == uint32(c.B)
	}
	for i := range r.Calls {
		call := &r.Calls[i]
		switch {
		case call.Code == FinalCount && call.Hand == Player && call.Value != uint32(c.P),
			call.Code == FinalCount && call.Hand == Banker && call.Value != uint32(c.B),
			call.Code == PlayerWins && c.Result() != PlayerWon,
			call.Code == BankerWins && c.Result() != BankerWon,
			call.Code == TieHand && c.Result() != Tie:
			return false
		}
	}
	return true
}

func (p *Pass) reportDraw(h Hand, expected, observed string) {
	p.Report(Finding{Subject: OfHand(h), Expected: expected, Observed: observed, Evidence: p.Round.cardEvidence()})
}

// cardEvidence are the events of the round's cards and of its recorded end.
func (r *Round) cardEvidence() []Seq {
	seqs := make([]Seq, 0, len(r.Cards)+1)
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
	for _, h := range []Hand{Player, Banker} {
		if _, _, n := c.hand(h); n > 2 && p.kept(h) {
			p.reportDraw(h, fmt.Sprintf("natural, player %d and banker %d: no further card", c.P2, c.B2), fmt.Sprintf("%v hand took a card", h))
			return
		}
	}
}

func checkPlayerDraws(p *Pass) {
	c, ok := p.drawn()
	if ok && c.NP == 2 && p.Law.Drawing.PlayerDraws(c.P2, c.B2) {
		p.reportDraw(Player, fmt.Sprintf("player hand on %d draws", c.P2), "stood")
	}
}

func checkPlayerStays(p *Pass) {
	c, ok := p.drawn()
	if ok && c.NP > 2 && !c.Natural() && !p.Law.Drawing.PlayerDraws(c.P2, c.B2) && p.kept(Player) {
		p.reportDraw(Player, fmt.Sprintf("player hand on %d stays", c.P2), "took a card and kept it")
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
func (p *Pass) afterPlayerCard() (*Coup, bool) {
	c, ok := p.drawn()
	return c, ok && !c.Natural() && c.NP > 2 && p.Law.Drawing.PlayerDraws(c.P2, c.B2)
}

func (p *Pass) judgeBanker(c *Coup, must bool) {
	due := p.Law.Drawing.BankerDraws(c.P2, c.B2, c.Third)
	against := "no third card"
	if c.Third != NoThird {
		against = fmt.Sprintf("a third card of %d", c.Third)
	}
	switch {
	case must && due && c.NB == 2:
		p.reportDraw(Banker, fmt.Sprintf("banker hand on %d against %s draws", c.B2, against), "stood")
	case !must && !due && c.NB > 2 && p.kept(Banker):
		p.reportDraw(Banker, fmt.Sprintf("banker hand on %d against %s stays", c.B2, against), "took a card and kept it")
	}
}

// lawful says whether a hand's draw is as the table says, so that calls about it can be judged.
func (p *Pass) lawful(h Hand) bool {
	c, ok := p.drawn()
	if !ok {
		return false
	}
	player := (c.NP > 2) == p.Law.Drawing.PlayerDraws(c.P2, c.B2)
	if h == Player || !player {
		return player
	}
	return (c.NB > 2) == p.Law.Drawing.BankerDraws(c.P2, c.B2, c.Third)
}
