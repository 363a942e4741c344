package rules

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// What the dealer calls. N.J.A.C. 19:47-3.8(a), 3.10(a); 9 NYCRR 5324.21(g), (i)(1).
var announceFamily = []*Rule{
	{
		Name: "announce.initial-counts", Doc: "Both two-card counts are announced, once and rightly.",
		Breach:   "Missing or false call.",
		Severity: finding.Minor, At: Settled, Needs: baccarat.FeedAnnouncements, Check: checkInitialCounts,
	},
	{
		Name: "announce.count-order", Doc: "The player count is announced before the banker count.",
		Breach:   "Order reversed.",
		Severity: finding.Info, At: Settled, Needs: baccarat.FeedAnnouncements, Check: checkCountOrder,
	},
	{
		Name: "announce.final-counts", Doc: "Both final counts are announced rightly after the last card.",
		Breach:   "Missing or false final call.",
		Severity: finding.Major, At: Settled, Needs: baccarat.FeedAnnouncements, Check: checkFinalCounts,
	},
	{
		Name: "announce.winner", Doc: "The winning hand is announced.",
		Breach:   "Wrong hand called.",
		Severity: finding.Major, At: Settled, Needs: baccarat.FeedAnnouncements, Check: checkWinnerCall,
	},
	{
		Name: "announce.tie-hand", Doc: "A tie is announced as a tie hand, and nothing else is.",
		Breach:   "Tie not called.",
		Severity: finding.Minor, At: Settled, Needs: baccarat.FeedAnnouncements, Check: checkTieCall,
	},
	{
		Name: "announce.total-cards", Doc: "Where total card wagers are offered the number of cards is announced.",
		Breach:   "Missing or wrong number.",
		Severity: finding.Minor, At: Settled, Needs: baccarat.FeedAnnouncements, Check: checkTotalCall,
	},
	{
		Name: "announce.pair", Doc: "Where pair wagers are offered each pair is announced, and nothing else is.",
		Breach:   "Pair not called, or called on K Q.",
		Severity: finding.Minor, At: Settled, Needs: baccarat.FeedAnnouncements, Check: checkPairCalls,
	},
	{
		Name: "announce.dragon-7", Doc: "A dragon 7 is announced, and nothing else is.",
		Breach:   "Not called.",
		Severity: finding.Minor, At: Settled, Needs: baccarat.FeedAnnouncements, Check: checkDragonCall,
	},
	{
		Name: "announce.panda-8", Doc: "A panda 8 is announced, and nothing else is.",
		Breach:   "Not called.",
		Severity: finding.Minor, At: Settled, Needs: baccarat.FeedAnnouncements, Check: checkPandaCall,
	},
	{
		Name: "announce.royal-highest", Doc: "The hand with the highest Royal Bonus payout is announced.",
		Breach:   "Announcement missing.",
		Severity: finding.Minor, At: Settled, Needs: baccarat.FeedAnnouncements,
		Unknown: "the qualifying hands of the Royal Bonus are not in the texts",
	},
	{
		Name: "announce.treasures-highest", Doc: "The qualifying hand of 5 Treasures is announced.",
		Breach:   "Heavenly 9 called for one hand when both qualify.",
		Severity: finding.Minor, At: Settled, Needs: baccarat.FeedAnnouncements, Check: checkTreasureCall,
	},
	{
		Name: "announce.before-settlement", Doc: "The result is announced before anything is settled.",
		Breach:   "Losing bets swept before the call.",
		Severity: finding.Minor, At: Settled, Check: checkCallsFirst, Covers: []string{"order.losing-first"},
		Needs: baccarat.FeedSettlement,
	},
}

// called is the coup of a round whose calls can be judged.
func (p *Pass) called() (*baccarat.Coup, bool) {
	c := p.Round.Coup()
	return c, c.Complete && !p.cancelled()
}

// lone is the one call of a code for a hand, and how many there are. It allocates nothing.
func lone(r *record.Round, code baccarat.Code, h baccarat.Hand) (*record.Call, int) {
	var call *record.Call
	n := 0
	for i := range r.Calls {
		if c := &r.Calls[i]; c.Code == code && (h == baccarat.NoHand || c.Hand == h) {
			call = c
			n++
		}
	}
	return call, n
}

func (p *Pass) reportCall(call *record.Call, subject finding.Subject, expected, observed string) {
	evidence := cardEvidence(p.Round)
	if call != nil {
		evidence = append(evidence, call.Seq)
	}
	p.Report(Finding{Subject: subject, Expected: expected, Observed: observed, Evidence: evidence})
}

func checkInitialCounts(p *Pass) {
	c, ok := p.called()
	if !ok {
		return
	}
	for h, want := range map2(c.P2, c.B2) {
		call, n := lone(p.Round, baccarat.PointCount, h)
		switch {
		case n != 1:
			p.reportCall(
				call, finding.Subject{}, fmt.Sprintf("%v point count %d announced once", h, want),
				fmt.Sprintf("announced %d times", n),
			)
			return
		case call.Value != uint32(want):
			p.reportCall(call, finding.Subject{}, fmt.Sprintf("%v point count %d", h, want), fmt.Sprint(call.Value))
			return
		}
	}
}

// map2 walks the two hands in their order with a number for each.
func map2(player, banker uint8) func(func(baccarat.Hand, uint8) bool) {
	return func(yield func(baccarat.Hand, uint8) bool) {
		if yield(baccarat.Player, player) {
			yield(baccarat.Banker, banker)
		}
	}
}

func checkCountOrder(p *Pass) {
	player, n := lone(p.Round, baccarat.PointCount, baccarat.Player)
	banker, m := lone(p.Round, baccarat.PointCount, baccarat.Banker)
	if n == 1 && m == 1 && banker.Seq < player.Seq {
		p.Report(Finding{
			Expected: "player count first", Observed: "banker count first",
			Evidence: []record.Seq{banker.Seq, player.Seq},
		})
	}
}

func checkFinalCounts(p *Pass) {
	c, ok := p.called()
	if !ok {
		return
	}
	last := lastCard(p.Round)
	for h, want := range map2(c.P, c.B) {
		call, n := lone(p.Round, baccarat.FinalCount, h)
		switch {
		case n == 0:
			p.reportCall(nil, finding.Subject{}, fmt.Sprintf("%v final count %d announced", h, want), "not announced")
			return
		case call.Value != uint32(want):
			p.reportCall(call, finding.Subject{}, fmt.Sprintf("%v final count %d", h, want), fmt.Sprint(call.Value))
			return
		case call.Seq < last:
			p.reportCall(call, finding.Subject{}, "announced after the last card", "announced before it")
			return
		}
	}
}

// lastCard is the event of the last card that stayed in a hand.
func lastCard(r *record.Round) record.Seq {
	var last record.Seq
	for i := range r.Cards {
		if c := &r.Cards[i]; c.Final != baccarat.NoHand {
			last = max(last, c.Seq)
		}
	}
	return last
}

func checkWinnerCall(p *Pass) {
	c, ok := p.called()
	if !ok || c.Result() == baccarat.Tie {
		return
	}
	right, wrong := baccarat.PlayerWins, baccarat.BankerWins
	if c.Result() == baccarat.BankerWon {
		right, wrong = wrong, right
	}
	_, good := lone(p.Round, right, baccarat.NoHand)
	call, bad := lone(p.Round, wrong, baccarat.NoHand)
	_, tie := lone(p.Round, baccarat.TieHand, baccarat.NoHand)
	switch {
	case bad > 0:
		p.reportCall(call, finding.Subject{}, fmt.Sprintf("%v wins", c.Result()), "the other hand announced")
	case good == 0 && tie == 0:
		p.reportCall(nil, finding.Subject{}, fmt.Sprintf("%v wins", c.Result()), "no winner announced")
	}
}

func checkTieCall(p *Pass) {
	c, ok := p.called()
	if !ok {
		return
	}
	tie := c.Result() == baccarat.Tie
	call, n := lone(p.Round, baccarat.TieHand, baccarat.NoHand)
	won, m := lone(p.Round, baccarat.PlayerWins, baccarat.NoHand)
	if m == 0 {
		won, m = lone(p.Round, baccarat.BankerWins, baccarat.NoHand)
	}
	switch {
	case tie && n == 0:
		p.reportCall(nil, finding.Subject{}, "tie hand announced", "not announced")
	case !tie && n > 0:
		p.reportCall(call, finding.Subject{}, fmt.Sprintf("no tie hand at %d to %d", c.P, c.B), "tie hand announced")
	case tie && m > 0:
		p.reportCall(won, finding.Subject{}, "no winner of a tie", "a winner announced")
	}
}

func checkTotalCall(p *Pass) {
	c, ok := p.called()
	if !ok || !p.Config.Offers(baccarat.SideTotalCard) {
		return
	}
	call, n := lone(p.Round, baccarat.TotalCards, baccarat.NoHand)
	switch {
	case n == 0:
		p.reportCall(nil, finding.Subject{}, fmt.Sprintf("%d cards announced", c.Cards()), "not announced")
	case call.Value != uint32(c.Cards()):
		p.reportCall(call, finding.Subject{}, fmt.Sprintf("%d cards", c.Cards()), fmt.Sprint(call.Value))
	}
}

func checkPairCalls(p *Pass) {
	c, ok := p.called()
	if !ok || !p.Config.Offers(baccarat.SidePair) {
		return
	}
	p.judgePresence(baccarat.PlayerPair, c.PlayerPair, finding.OfHand(baccarat.Player.String()), "player pair")
	p.judgePresence(baccarat.BankerPair, c.BankerPair, finding.OfHand(baccarat.Banker.String()), "banker pair")
}

// judgePresence wants a call exactly when its event is there.
func (p *Pass) judgePresence(code baccarat.Code, due bool, subject finding.Subject, what string) {
	call, n := lone(p.Round, code, baccarat.NoHand)
	switch {
	case due && n == 0:
		p.reportCall(nil, subject, what+" announced", "not announced")
	case !due && n > 0:
		p.reportCall(call, subject, "no "+what, what+" announced")
	}
}

func checkDragonCall(p *Pass) {
	if c, ok := p.called(); ok && p.Config.Mode != baccarat.Commission && p.Config.Mode != baccarat.Tie25 &&
		(p.Law.Game == baccarat.PuntoBanco || p.Config.Mode == baccarat.EZ || len(p.Law.Treasures) > 0) {
		p.judgePresence(baccarat.Dragon7, c.Dragon7(), finding.Subject{}, "dragon 7")
	}
}

func checkPandaCall(p *Pass) {
	if c, ok := p.called(); ok && p.Config.Mode == baccarat.EZ {
		p.judgePresence(baccarat.Panda8, c.Panda8(), finding.Subject{}, "panda 8")
	}
}

func checkTreasureCall(p *Pass) {
	c, ok := p.called()
	if !ok || !p.Config.Offers(baccarat.SideTreasures) {
		return
	}
	want := c.Treasure()
	recognised := p.Law.Treasures[p.Config.TreasuresTable][want].Known()
	call, n := lone(p.Round, baccarat.TreasureCall, baccarat.NoHand)
	switch {
	case n == 0 && want != baccarat.NoTreasure && recognised:
		p.reportCall(nil, finding.Subject{}, want.String()+" announced", "not announced")
	case n > 0 && call.Treasure == baccarat.TreasureUnsaid:
		p.CannotJudge("which treasure was announced was not reported", call.Seq)
	case n > 0 && call.Treasure != want && (recognised || call.Treasure != baccarat.NoTreasure):
		p.reportCall(call, finding.Subject{}, want.String(), call.Treasure.String())
	}
}

// isResult reports whether a call is part of the announcement of the result.
func isResult(c baccarat.Code) bool {
	switch c {
	case baccarat.FinalCount, baccarat.PlayerWins, baccarat.BankerWins, baccarat.TieHand, baccarat.TotalCards,
		baccarat.PlayerPair, baccarat.BankerPair, baccarat.Dragon7, baccarat.Panda8, baccarat.Royal, baccarat.TreasureCall:
		return true
	}
	return false
}

func checkCallsFirst(p *Pass) {
	r := p.Round
	if p.cancelled() {
		return
	}
	var last, first record.Seq
	for i := range r.Calls {
		if isResult(r.Calls[i].Code) {
			last = max(last, r.Calls[i].Seq)
		}
	}
	for i := range r.Steps {
		if s := r.Steps[i].Seq; first == 0 || s < first {
			first = s
		}
	}
	if first != 0 && last != 0 && first < last {
		p.Report(Finding{
			Expected: "the result announced before settlement", Observed: "settlement began before",
			Evidence: []record.Seq{first, last},
		})
	}
}
