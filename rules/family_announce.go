package rules

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// What the dealer calls. N.J.A.C. 19:47-3.8(a), 3.10(a); 9 NYCRR 5324.21(g), (i)(1).
var announceFamily = []*Rule{
	{
		Name:     "announce.initial-counts",
		Doc:      "Both two-card counts are announced rightly, before an instruction and a third card.",
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
		Needs: baccarat.FeedSettlement | baccarat.FeedAnnouncements,
	},
}

// called is the coup of a round whose calls can be judged.
func (p *Pass) called() (*baccarat.Coup, bool) {
	c := p.Round.Coup()
	return c, c.Complete && !p.cancelled()
}

// stoppedAfterCounts reports whether a hand that the shoe could not complete had a third card: its point counts were
// due.
func (p *Pass) stoppedAfterCounts() bool {
	c := p.Round.Coup()
	return p.ranShort() && !unread(p.Round) && c.NP > 1 && c.NB > 1 && c.NP+c.NB > 4
}

// lone is the last call of a code for a hand, and how many there are. It allocates nothing.
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

// spoken are the calls about one matter. A call that repeats the content of the one before changes nothing.
type spoken struct {
	// first is the first right call, wrong the first wrong call; nil without such a call.
	first, wrong *record.Call
	// again is the first right call after a wrong one, right whether the last call is right.
	again *record.Call
	right bool
}

// heard gathers the calls about a matter.
func heard(r *record.Round, about, right func(*record.Call) bool) spoken {
	var s spoken
	for i := range r.Calls {
		c := &r.Calls[i]
		if !about(c) {
			continue
		}
		s.right = right(c)
		switch {
		case !s.right && s.wrong == nil:
			s.wrong = c
		case s.right && s.first == nil:
			s.first = c
		}
		if s.right && s.wrong != nil && s.again == nil {
			s.again = c
		}
	}
	return s
}

// countsHeard are the calls of a count of a hand.
func countsHeard(r *record.Round, code baccarat.Code, h baccarat.Hand, want uint8) spoken {
	return heard(r,
		func(c *record.Call) bool { return c.Code == code && (h == baccarat.NoHand || c.Hand == h) },
		func(c *record.Call) bool { return c.Value == uint32(want) },
	)
}

// corrected reports whether a wrong call was put right before anything followed from it: an instruction or a third card
// from a count of the first two cards, money from any call.
func (s *spoken) corrected(r *record.Round) bool {
	if !s.right || s.wrong == nil {
		return false
	}
	within := func(seq record.Seq) bool { return seq > s.wrong.Seq && seq < s.again.Seq }
	if r.MovedMoney(s.wrong.Seq, s.again.Seq) {
		return false
	}
	return s.wrong.Code != baccarat.PointCount ||
		!slices.ContainsFunc(r.Instructions, func(in record.Instructed) bool { return within(in.Seq) }) &&
			!record.Any(r.Cards, func(c *record.DealtCard) bool { return within(c.Seq) })
}

// valueless reports whether the values of the counts that were called were not reported: all are 0, and two of them
// or more are wrong.
func (p *Pass) valueless(call *record.Call) bool {
	c, wrong := p.coup(), 0
	for i := range p.Round.Calls {
		o := &p.Round.Calls[i]
		player, banker := c.P, c.B
		switch o.Code {
		case baccarat.PointCount:
			player, banker = c.P2, c.B2
		case baccarat.FinalCount:
		default:
			continue
		}
		if o.Value != 0 {
			return false
		}
		if o.Hand == baccarat.Player && player != 0 || o.Hand == baccarat.Banker && banker != 0 {
			wrong++
		}
	}
	if wrong < 2 {
		return false
	}
	p.CannotJudge("the values of the counts that were called were not reported", call.Seq)
	return true
}

// judgeWrong reports a wrong call: an info if it was put right at once.
func (p *Pass) judgeWrong(s *spoken, expected, observed string) {
	f := Finding{
		Expected: expected, Observed: observed, Evidence: append(cardEvidence(p.Round), s.wrong.Seq),
	}
	if s.corrected(p.Round) {
		f.Verdict, f.Observed = finding.Information, observed+", put right"
	}
	p.Report(f)
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
	if !ok && !p.stoppedAfterCounts() {
		return
	}
	for h, want := range map2(c.P2, c.B2) {
		s := countsHeard(p.Round, baccarat.PointCount, h, want)
		switch {
		case s.wrong != nil && p.valueless(s.wrong):
			return
		case s.wrong != nil:
			p.judgeWrong(
				&s, fmt.Sprintf("%v point count %d announced", h, want), fmt.Sprintf("%d announced", s.wrong.Value),
			)
			return
		case s.first == nil:
			p.reportCall(
				nil, finding.Subject{}, fmt.Sprintf("%v point count %d announced", h, want), "not announced",
			)
			return
		case p.countEarly(h, s.first), p.countLate(h, s.first):
			return
		}
	}
}

// countEarly reports a count that was announced before the first four cards were dealt, and not repeated after them:
// "after the initial four cards have been dealt", "after the dealer positions the cards". N.J.A.C. 19:47-3.8(a),
// 7.8(a); 9 NYCRR 5324.21(g). That a hand is called before it is handed out is another finding.
func (p *Pass) countEarly(h baccarat.Hand, call *record.Call) bool {
	var fourth *record.DealtCard
	for i := range p.Round.Cards {
		c := &p.Round.Cards[i]
		if c.Index <= 2 && c.Final != baccarat.NoHand && (fourth == nil || c.Seq > fourth.Seq) {
			fourth = c
		}
	}
	if fourth == nil || p.calledAfter(baccarat.PointCount, h, fourth.Seq) || firstOut(p.Round, h) != nil {
		return false
	}
	p.Report(Finding{
		Expected: fmt.Sprintf("%v point count announced after the four cards were dealt", h),
		Observed: "announced before " + cardName(fourth) + " was dealt", Evidence: []record.Seq{call.Seq, fourth.Seq},
	})
	return true
}

// countLate reports a count that was announced after an instruction or a third card. At punto banco the counts come
// first, N.J.A.C. 19:47-3.8(b). 19:47-7.8(a) and 9 NYCRR 5324.21(g) give the earliest time of the counts alone. A card
// that was drawn without an instruction is the curator's act, and one that did not stay in its hand an irregularity: no
// count can come before them.
func (p *Pass) countLate(h baccarat.Hand, call *record.Call) bool {
	if h == baccarat.Player && p.turnedEarly() {
		return true // deal.style-consistent has it
	}
	var f Finding
	instructed := false
	for _, in := range p.Round.Instructions {
		if in.Seq < call.Seq {
			instructed = true
			f.Expected = fmt.Sprintf("%v point count announced before an instruction", h)
			f.Observed = fmt.Sprintf("announced after the instruction %s to the %v hand", drawWord(in.Draw), in.Hand)
			f.Evidence = append(f.Evidence, in.Seq)
			break
		}
	}
	for i := range p.Round.Cards {
		c := &p.Round.Cards[i]
		if c.Index > 2 && !c.Carried && c.Seq < call.Seq && c.Final == c.Hand && !p.unasked(c) &&
			!p.bankerFirst(c) && !ofFirstFour(p.Round, c) {
			f.Expected = fmt.Sprintf("%v point count announced before the third card", h)
			f.Observed = "announced after " + cardName(c) + " was dealt"
			f.Evidence = append(f.Evidence, c.Seq)
			break
		}
	}
	if f.Expected == "" {
		return p.countAfterResult(h, call)
	}
	f.Evidence = append([]record.Seq{call.Seq}, f.Evidence...)
	_, second := countedSecond(p.Round)
	switch {
	case p.Law.Game == baccarat.PuntoBanco && instructed:
		p.Report(f)
	case h == baccarat.Player && second != 0 && p.judges("announce.count-order"):
		// announce.count-order has it
	default:
		p.Suspect(f)
	}
	return true
}

// ofFirstFour reports whether a third card is one of the first four of its round: deal.initial-order has it.
func ofFirstFour(r *record.Round, third *record.DealtCard) bool {
	before := 0
	for i := range r.Cards {
		if r.Cards[i].CardSeq < third.CardSeq {
			before++
		}
	}
	return before < 4
}

// countAfterResult suspects a count of the first two cards that was announced after the result of the round: the counts
// follow the positioning of the cards, and the result ends the dealing. N.J.A.C. 19:47-7.8(a), 7.10(a);
// 9 NYCRR 5324.21(g), (i)(1).
func (p *Pass) countAfterResult(h baccarat.Hand, call *record.Call) bool {
	result := resultCalled(p.Round)
	if result == nil || call.Seq < result.Seq {
		return false
	}
	p.Suspect(Finding{
		Expected: fmt.Sprintf("%v point count announced before the result", h),
		Observed: "announced after " + callName(result.Code), Evidence: []record.Seq{call.Seq, result.Seq},
	})
	return true
}

// resultCalled is the first call of a winner or a tie after the last card, nil without one.
func resultCalled(r *record.Round) *record.Call {
	last := lastCard(r)
	for i := range r.Calls {
		c := &r.Calls[i]
		if c.Seq > last && (c.Code == baccarat.PlayerWins || c.Code == baccarat.BankerWins || c.Code == baccarat.TieHand) {
			return c
		}
	}
	return nil
}

// bankerFirst reports whether a card is the third card of the banker hand and came before the player's, which the rule
// about their order has.
func (p *Pass) bankerFirst(c *record.DealtCard) bool {
	player := p.Round.CardAt(baccarat.Player, 3)
	return c.Hand == baccarat.Banker && player != nil && player.Seq > c.Seq && p.judges("deal.third-card-order")
}

// unasked reports whether the curator drew a third card before any instruction to draw for its hand, and the rule about
// instructions judges that.
func (p *Pass) unasked(c *record.DealtCard) bool {
	judged := p.judges("deal.instruction-followed")
	asked := record.Any(p.Round.Instructions, func(in *record.Instructed) bool {
		return in.Hand == c.Hand && in.Draw && in.Seq < c.Seq
	})
	return judged && c.ByRole == baccarat.RoleCurator && !asked
}

// map2 walks the two hands in their order with a number for each.
func map2(player, banker uint8) func(func(baccarat.Hand, uint8) bool) {
	return func(yield func(baccarat.Hand, uint8) bool) {
		if yield(baccarat.Player, player) {
			yield(baccarat.Banker, banker)
		}
	}
}

// countedSecond is the first call of the player count, and that of the banker count if it came before it; else 0.
func countedSecond(r *record.Round) (player, banker record.Seq) {
	player, banker = counted(r, baccarat.Player), counted(r, baccarat.Banker)
	if player == 0 || banker > player {
		return player, 0
	}
	return player, banker
}

// checkCountOrder compares the calls of the counts. A player count that came too late for another step is one
// deviation: announce.initial-counts, deal.style-consistent or midi.squeeze.order has it.
func checkCountOrder(p *Pass) {
	player, banker := countedSecond(p.Round)
	out := handed(p.Round, baccarat.Banker)
	instructed := p.Law.Game == baccarat.PuntoBanco &&
		record.Any(p.Round.Instructions, func(in *record.Instructed) bool { return in.Seq < player })
	switch {
	case banker == 0:
	case instructed && p.judges("announce.initial-counts"):
	case out != nil && out.Seq < player && p.judges("midi.squeeze.order"), p.turnedEarly():
	default:
		p.Report(Finding{
			Expected: "PLAYER point count announced before the BANKER point count",
			Observed: "BANKER point count announced first", Evidence: []record.Seq{banker, player},
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
		s := countsHeard(p.Round, baccarat.FinalCount, h, want)
		expected := func() string { return fmt.Sprintf("%v final count %d announced", h, want) }
		switch {
		case s.wrong != nil && p.valueless(s.wrong):
			return
		case s.wrong != nil:
			p.judgeWrong(&s, expected(), fmt.Sprintf("%d announced", s.wrong.Value))
			return
		case s.first == nil:
			p.reportCall(nil, finding.Subject{}, expected(), "not announced")
			return
		case !p.calledAfter(baccarat.FinalCount, h, last):
			p.reportCall(s.first, finding.Subject{}, expected()+" after the last card", "announced before the last card")
			return
		}
	}
}

// finalEarly reports whether the final count of a hand was announced before the last card alone, which
// announce.final-counts has.
func (p *Pass) finalEarly(h baccarat.Hand) bool {
	_, ok := p.called()
	return ok && p.judges("announce.final-counts") && !p.calledAfter(baccarat.FinalCount, h, lastCard(p.Round))
}

// calledAfter reports whether a code was called for a hand after an event.
func (p *Pass) calledAfter(code baccarat.Code, h baccarat.Hand, after record.Seq) bool {
	call, n := lone(p.Round, code, h)
	return n > 0 && call.Seq > after
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

// callName is the word of the event contract for a call.
func callName(c baccarat.Code) string { return schema.Call(c).String() }

// winnersHeard are the calls of the result.
func winnersHeard(r *record.Round, want baccarat.Code) spoken {
	return heard(r,
		func(c *record.Call) bool {
			return c.Code == baccarat.PlayerWins || c.Code == baccarat.BankerWins || c.Code == baccarat.TieHand
		},
		func(c *record.Call) bool { return c.Code == want },
	)
}

func checkWinnerCall(p *Pass) {
	c, ok := p.called()
	if !ok || c.Result() == baccarat.Tie {
		return
	}
	want := baccarat.PlayerWins
	if c.Result() == baccarat.BankerWon {
		want = baccarat.BankerWins
	}
	s := winnersHeard(p.Round, want)
	switch {
	case s.wrong != nil && s.wrong.Code != baccarat.TieHand:
		p.judgeWrong(&s, callName(want)+" announced", callName(s.wrong.Code)+" announced")
	case s.first == nil && s.wrong == nil:
		p.noWinnerCalled(c, want)
	case s.first != nil:
		p.judgeEarly(want, callName(want))
		p.contradicts(want)
	}
}

// contradicts suspects a right call of the result with the other hand, or with another count than that of the hand that
// won: "the final point count of each hand". The calls of the final counts are the announcement, and such a count is
// their error if they have it, too. N.J.A.C. 19:47-3.10(a), 7.10(a); 9 NYCRR 5324.21(i)(1).
func (p *Pass) contradicts(want baccarat.Code) {
	c, r := p.coup(), p.Round
	call, _ := lone(r, want, baccarat.NoHand)
	hand, count := baccarat.NoHand, c.P
	switch want {
	case baccarat.PlayerWins:
		hand = baccarat.Player
	case baccarat.BankerWins:
		hand, count = baccarat.Banker, c.B
	}
	other := hand != baccarat.NoHand && call.Hand != baccarat.NoHand && call.Hand != hand
	wrong := call.Value != 0 && call.Value != uint32(count)
	same := func(o *record.Call) bool { return o.Code == baccarat.FinalCount && o.Value == call.Value }
	if call.Seq < lastCard(r) || !other && (!wrong || record.Any(r.Calls, func(o *record.Call) bool {
		return same(o) && (hand == baccarat.NoHand || o.Hand == hand)
	})) {
		return
	}
	f := Finding{Expected: callName(want), Observed: callName(want), Evidence: append(cardEvidence(r), call.Seq)}
	if other {
		f.Expected, f.Observed = fmt.Sprintf("%s of the %v hand", f.Expected, hand),
			fmt.Sprintf("%s of the %v hand", f.Observed, call.Hand)
	}
	if wrong {
		f.Expected = fmt.Sprintf("%s with %d", f.Expected, count)
		f.Observed = fmt.Sprintf("%s with %d", f.Observed, call.Value)
	}
	f.Expected, f.Observed = f.Expected+" announced", f.Observed+" announced"
	p.Suspect(f)
}

// noWinnerCalled reports a round of which no winner was announced. A dragon 7 and a panda 8 are hands that win: whether
// to announce one indicates "which hand has won the round" as well is not in 9 NYCRR 5324.21(i)(1).
func (p *Pass) noWinnerCalled(c *baccarat.Coup, want baccarat.Code) {
	var call *record.Call
	switch {
	case c.Dragon7():
		call, _ = lone(p.Round, baccarat.Dragon7, baccarat.NoHand)
	case c.Panda8():
		call, _ = lone(p.Round, baccarat.Panda8, baccarat.NoHand)
	}
	from := len(p.Findings)
	p.reportCall(call, finding.Subject{}, callName(want)+" announced", "no winner announced")
	if call != nil {
		p.suspectFrom(from)
	}
}

// judgeEarly reports a call of the result that was made before the last card and not repeated after it. The result is
// announced "after each hand has received all the cards to which it is entitled": of a card beyond those the draw is
// the error. N.J.A.C. 19:47-3.10(a), 7.10(a); 9 NYCRR 5324.21(i)(1).
func (p *Pass) judgeEarly(code baccarat.Code, what string) {
	if !p.lawful(baccarat.Player) || !p.lawful(baccarat.Banker) {
		return
	}
	last := lastCard(p.Round)
	if call, n := lone(p.Round, code, baccarat.NoHand); n > 0 && call.Seq < last {
		p.reportCall(call, finding.Subject{}, what+" announced after the last card", "announced before the last card")
	}
}

func checkTieCall(p *Pass) {
	c, ok := p.called()
	if !ok {
		return
	}
	want, tie := baccarat.TieHand, c.Result() == baccarat.Tie
	switch c.Result() {
	case baccarat.PlayerWon:
		want = baccarat.PlayerWins
	case baccarat.BankerWon:
		want = baccarat.BankerWins
	}
	s := winnersHeard(p.Round, want)
	switch {
	case tie && s.wrong != nil && s.first != nil:
		p.judgeWrong(&s, "TIE_HAND announced, no winner", callName(s.wrong.Code)+" announced")
	case tie && s.first == nil:
		p.reportCall(s.wrong, finding.Subject{}, "TIE_HAND announced", "not announced")
	case tie:
		p.judgeEarly(want, callName(want))
		p.contradicts(want)
	case !tie && s.wrong != nil && s.wrong.Code == baccarat.TieHand:
		p.judgeWrong(&s, fmt.Sprintf("%s announced at %d to %d", callName(want), c.P, c.B), "TIE_HAND announced")
	}
}

func checkTotalCall(p *Pass) {
	c, ok := p.called()
	if !ok || !p.Config.Offers(baccarat.SideTotalCard) {
		return
	}
	s := countsHeard(p.Round, baccarat.TotalCards, baccarat.NoHand, uint8(c.Cards()))
	announced := func(cards uint32) string { return schema.Count(cards, "card") + " announced" }
	unread := s.wrong != nil && s.wrong.Value == 0
	switch {
	case unread && !s.right:
		p.CannotJudge("how many cards were announced was not reported", s.wrong.Seq)
	case s.wrong != nil && !unread:
		p.judgeWrong(&s, announced(uint32(c.Cards())), announced(s.wrong.Value))
	case s.first == nil:
		p.reportCall(nil, finding.Subject{}, announced(uint32(c.Cards())), "not announced")
	default:
		p.judgeEarly(baccarat.TotalCards, schema.Count(c.Cards(), "card"))
	}
}

func checkPairCalls(p *Pass) {
	c, ok := p.called()
	if !ok || !p.Config.Offers(baccarat.SidePair) {
		return
	}
	p.judgePair(baccarat.PlayerPair, c.PlayerPair, baccarat.Player, "player pair")
	p.judgePair(baccarat.BankerPair, c.BankerPair, baccarat.Banker, "banker pair")
}

// judgePair wants the call of a pair exactly when the first two cards of a hand are one, and not before them.
func (p *Pass) judgePair(code baccarat.Code, due bool, h baccarat.Hand, what string) {
	subject := finding.OfHand(h.String())
	p.judgePresence(code, due, subject, what)
	call, n := lone(p.Round, code, baccarat.NoHand)
	if second := p.Round.CardAt(h, 2); due && n > 0 && second != nil && call.Seq < second.Seq {
		p.reportCall(call, subject, what+" announced after the first two cards", "announced before the second card")
	}
}

// judgePresence wants a call exactly when its event is there. A call that was made in place of another is one finding.
func (p *Pass) judgePresence(code baccarat.Code, due bool, subject finding.Subject, what string) {
	call, n := lone(p.Round, code, baccarat.NoHand)
	// A round has a dragon 7 or a panda 8, known with its last card; it may have both pairs.
	either := code == baccarat.Dragon7 || code == baccarat.Panda8
	if due && n > 0 {
		if either {
			p.judgeEarly(code, what)
		}
		return
	}
	if !due && n == 0 {
		return
	}
	other := p.counterpart(code)
	instead, said := lone(p.Round, other.code, baccarat.NoHand)
	switch {
	case !due && other.due && said == 0: // the missing call is the finding
	case !due && other.due && either && call.Seq < instead.Seq && !p.Round.MovedMoney(call.Seq, instead.Seq):
		p.judgeWrong(&spoken{wrong: call, again: instead, right: true}, "no "+what, what+" announced")
	case !due:
		p.reportCall(call, subject, "no "+what, what+" announced")
	case other.what != "" && !other.due && said > 0:
		p.reportCall(instead, subject, what+" announced", other.what+" announced")
	default:
		p.reportCall(nil, subject, what+" announced", "not announced")
	}
}

// counterpart is the announcement for which another is mistaken, and whether its event is there.
type counterpart struct {
	code baccarat.Code
	what string // empty without a counterpart
	due  bool
}

// counterpart is the pair of the other hand, or the other insurance at a table where both are announced.
func (p *Pass) counterpart(code baccarat.Code) counterpart {
	c := p.Round.Coup()
	insured := p.Config.Mode == baccarat.EZ || p.pushesDragon()
	switch {
	case code == baccarat.PlayerPair:
		return counterpart{baccarat.BankerPair, "banker pair", c.BankerPair}
	case code == baccarat.BankerPair:
		return counterpart{baccarat.PlayerPair, "player pair", c.PlayerPair}
	case code == baccarat.Dragon7 && insured:
		return counterpart{baccarat.Panda8, "panda 8", c.Panda8()}
	case code == baccarat.Panda8 && insured:
		return counterpart{baccarat.Dragon7, "dragon 7", c.Dragon7()}
	}
	return counterpart{}
}

func checkDragonCall(p *Pass) {
	if p.Config.Mode == baccarat.NoVigorishMode {
		p.CannotJudge("the kind of vigorish of the table was not reported", p.Round.ConfigAt)
		return
	}
	if p.Config.Kind().Named() && !p.pushesDragon() {
		return
	}
	if !p.Law.Allows(p.Config.Kind()) && !slices.Contains(p.Law.Unseen, p.Config.Mode) &&
		len(p.Law.Tables("treasures")) > 0 {
		p.CannotJudge("whether the table plays without vigorish is not known: it declares "+p.Config.Kind().String(),
			p.Round.ConfigAt)
		return
	}
	if c, ok := p.called(); ok && p.Config.Mode != baccarat.Commission && p.Config.Mode != baccarat.Tie25 &&
		(p.Law.Game == baccarat.PuntoBanco || p.Config.Mode == baccarat.EZ || len(p.Law.Tables("treasures")) > 0) {
		p.judgePresence(baccarat.Dragon7, c.Dragon7(), finding.Subject{}, "dragon 7")
	}
}

func checkPandaCall(p *Pass) {
	if c, ok := p.called(); ok && (p.Config.Mode == baccarat.EZ || p.pushesDragon()) {
		p.judgePresence(baccarat.Panda8, c.Panda8(), finding.Subject{}, "panda 8")
	}
}

func checkTreasureCall(p *Pass) {
	c, ok := p.called()
	if !ok || !p.Config.Offers(baccarat.SideTreasures) {
		return
	}
	want := c.Treasure()
	recognised := p.Law.Recognises(p.Config, "treasures", want.String())
	call, n := lone(p.Round, baccarat.TreasureCall, baccarat.NoHand)
	switch {
	case n == 0 && want != baccarat.NoTreasure && recognised:
		p.reportCall(nil, finding.Subject{}, want.String()+" announced", "not announced")
	case n > 0 && call.Treasure == baccarat.TreasureUnsaid:
		p.CannotJudge("which treasure was announced was not reported", call.Seq)
	case n > 0 && call.Treasure != want && (recognised || call.Treasure != baccarat.NoTreasure):
		p.reportCall(call, finding.Subject{}, want.String(), call.Treasure.String())
	case n > 0 && want != baccarat.NoTreasure && recognised:
		p.judgeEarly(baccarat.TreasureCall, want.String())
	}
}

// isResult reports whether a call is part of the announcement of the result.
func isResult(c baccarat.Code) bool {
	switch c {
	case baccarat.FinalCount, baccarat.TotalCards,
		baccarat.PlayerPair, baccarat.BankerPair, baccarat.Dragon7, baccarat.Panda8, baccarat.Royal, baccarat.TreasureCall:
		return true
	}
	return c.Declares()
}

// checkCallsFirst wants the announcement of the result complete before the settlement. To repeat it during the
// settlement is lawful, unless the content changes.
func checkCallsFirst(p *Pass) {
	if first, last := p.settledFirst(); first != 0 {
		r := p.Round
		i := record.Index(r.Calls, func(c *record.Call) bool { return c.Seq == last })
		p.Report(Finding{
			Expected: callName(r.Calls[i].Code) + " announced before the settlement",
			Observed: "the settlement began before this announcement", Evidence: []record.Seq{first, last},
		})
	}
}

// settledFirst finds the first step of the settlement and an announcement of the result after it, zero if none was.
func (p *Pass) settledFirst() (first, last record.Seq) {
	r := p.Round
	if p.cancelled() {
		return 0, 0
	}
	for i := range r.Calls {
		if isResult(r.Calls[i].Code) && !repeats(r, i) && !p.overturns(i) {
			last = max(last, r.Calls[i].Seq)
		}
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		// A wager that was withdrawn, or not accepted, is not settled.
		gone := s.Wager >= 0 && s.Kind == record.StepReturned &&
			(r.Wagers[s.Wager].Gone || p.refused(&r.Wagers[s.Wager]))
		if !gone && (first == 0 || s.Seq < first) {
			first = s.Seq
		}
	}
	if first == 0 || first > last {
		return 0, 0
	}
	return first, last
}

// overturns reports whether a call of a count or a winner contradicts the cards and follows a call that agreed with
// them: the result was announced before, and what is wrong has a rule of its own.
func (p *Pass) overturns(at int) bool {
	c, ok := p.called()
	if !ok || agrees(c, &p.Round.Calls[at]) {
		return false
	}
	call := &p.Round.Calls[at]
	return record.Any(p.Round.Calls[:at], func(before *record.Call) bool {
		same := call.Code != baccarat.FinalCount || before.Hand == call.Hand
		return same && matter(before.Code) == matter(call.Code) && agrees(c, before)
	})
}

// agrees reports whether a call of a count or a winner is that of the cards. Of other calls it is not asked.
func agrees(c *baccarat.Coup, call *record.Call) bool {
	switch call.Code {
	case baccarat.PlayerWins:
		return c.Result() == baccarat.PlayerWon
	case baccarat.BankerWins:
		return c.Result() == baccarat.BankerWon
	case baccarat.TieHand:
		return c.Result() == baccarat.Tie
	case baccarat.FinalCount:
		for h, count := range map2(c.P, c.B) {
			if h == call.Hand {
				return call.Value == uint32(count)
			}
		}
	default:
	}
	return true
}

// repeats reports whether a call has the content of the call before it about the same matter.
func repeats(r *record.Round, at int) bool {
	call := &r.Calls[at]
	for i := at - 1; i >= 0; i-- {
		before := &r.Calls[i]
		if matter(before.Code) != matter(call.Code) || call.Code == baccarat.FinalCount && before.Hand != call.Hand {
			continue
		}
		counts := call.Code == baccarat.FinalCount || call.Code == baccarat.TotalCards
		return before.Code == call.Code && before.Treasure == call.Treasure && (!counts || before.Value == call.Value)
	}
	return false
}

// matter is what a call is about: the three results are one matter.
func matter(c baccarat.Code) baccarat.Code {
	if c == baccarat.PlayerWins || c == baccarat.BankerWins {
		return baccarat.TieHand
	}
	return c
}
