package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

var dealFamily = []*Rule{
	{
		Name:     "deal.dealer-duties",
		Doc:      "The dealer calls, instructs, offers the shoe, collects and pays wagers, and takes the vigorish.",
		Breach:   "A patron pays a winning wager.",
		Severity: finding.Major, At: Closed, Check: checkPlayedByDealer,
		Reads: baccarat.FeedAnnouncements | baccarat.FeedSettlement | baccarat.FeedVigorish,
	},
	{
		Name: "deal.no-more-bets-first", Doc: "No more bets is announced before the first card.",
		Breach:   "Silent deal.",
		Severity: finding.Major, At: Dealt, Needs: baccarat.FeedAnnouncements, Check: checkNoMoreBets,
		Covers: []string{"deal.cards-command"},
	},
	{
		Name: "deal.cards-command", Doc: "The dealer calls for cards after no more bets and before the first card.",
		Breach:   "Command missing.",
		Severity: finding.Minor, At: Dealt, Needs: baccarat.FeedAnnouncements, Check: checkCardsCommand,
	},
	{
		Name: "deal.initial-order", Doc: "The first four cards go to player, banker, player, banker.",
		Breach:   "Two cards in a row to one hand.",
		Severity: finding.Critical, At: Dealt, Check: checkInitialOrder,
	},
	{
		Name: "deal.place-face-up", Doc: "The four cards lie face up before the dealer when the counts are called.",
		Breach:   "A card left face down.",
		Severity: finding.Major, At: Dealt, Needs: baccarat.FeedCardFaces, Check: checkPlaceFaceUp,
	},
	{
		Name:     "deal.style-consistent",
		Doc:      "The deal follows the elected dealing option, and face-down banker cards are turned.",
		Breach:   "Banker cards turned before the player hand is called.",
		Severity: finding.Minor, At: Dealt, Again: true, Check: checkStyle,
		Needs: baccarat.FeedCardFaces, Reads: baccarat.FeedAnnouncements, Covers: []string{"midi.squeeze.recipient"},
	},
	{
		Name: "deal.left-hand-draw", Doc: "The dealer draws with the left hand and places with the right.",
		Breach:   "Right-hand draw.",
		Severity: finding.Info, At: Dealt, Needs: baccarat.FeedDealerHands, Check: checkLeftHand,
	},
	{
		Name: "deal.by-dealer", Doc: "At mini and midi tables the dealer draws every card.",
		Breach:   "Player draws from the shoe.",
		Severity: finding.Critical, At: Dealt, Again: true, Needs: baccarat.FeedShoeCamera, Check: checkByDealer,
	},
	{
		Name: "deal.third-card-face", Doc: "A third card is placed as the game prescribes.",
		Breach:   "Third card face down at a mini table.",
		Severity: finding.Minor, At: Settled, Needs: baccarat.FeedCardFaces, Check: checkThirdCardFace,
		Covers: []string{"midi.third-card-same-player"},
	},
	{
		Name: "deal.third-card-order", Doc: "The player's third card is dealt before the banker's.",
		Breach:   "Order reversed.",
		Severity: finding.Critical, At: Dealt, Check: checkThirdCardOrder,
	},
	{
		Name: "deal.max-one-extra", Doc: "A hand takes at most one additional card.",
		Breach:   "Fourth card.",
		Severity: finding.Critical, At: Settled, Check: checkMaxOneExtra,
		Covers: []string{"irreg.excess.disclosed-burn", "irreg.excess.undisclosed-next-hand"},
	},
	{
		Name:     "deal.instruction-conformity",
		Doc:      "The dealer's instruction to the curator is what the drawing rules call for.",
		Breach:   "Wrong call, right cards.",
		Severity: finding.Minor, At: Dealt, Needs: baccarat.FeedAnnouncements, Check: checkInstructions,
	},
	{
		Name:     "deal.instruction-followed",
		Doc:      "A third card is dealt on the dealer's instruction, and every instruction to draw is followed.",
		Breach:   "Curator draws unasked.",
		Severity: finding.Minor, At: Settled, Needs: baccarat.FeedAnnouncements, Check: checkInstructionFollowed,
		Covers: []string{"deal.instruction-conformity"},
	},
	{
		Name: "deal.participant-touched-cards", Doc: "Only the dealer touches the cards at a mini table.",
		Breach:   "Player lifts a card.",
		Severity: finding.Major, At: Settled, Needs: baccarat.FeedTableCamera, Check: checkTouched,
	},
	{
		Name: "deal.touch-permitted", Doc: "No employee permits a patron to touch the cards of a mini table.",
		Breach:   "The dealer lets a patron turn a card.",
		Severity: finding.Major, At: Settled, Needs: baccarat.FeedTableCamera, Check: checkTouchPermitted,
	},
}

func checkNoMoreBets(p *Pass) {
	r, first := p.Round, p.Round.FirstCard()
	c := r.CallOf(baccarat.NoMoreBets)
	observed := "NO_MORE_BETS not called"
	if c != nil {
		observed = "NO_MORE_BETS called after the first card"
	}
	if first != 0 && (c == nil || c.Seq > first) {
		p.Report(Finding{
			Expected: "NO_MORE_BETS called before the first card", Observed: observed,
			Evidence: []record.Seq{first},
		})
	}
}

func checkCardsCommand(p *Pass) {
	r, first := p.Round, p.Round.FirstCard()
	if first == 0 {
		return
	}
	bets := r.CallOf(baccarat.NoMoreBets)
	observed := "CARDS not called"
	for i := range r.Calls {
		switch c := &r.Calls[i]; {
		case c.Code != baccarat.CardsCommand:
		case c.Seq > first:
			observed = "CARDS called after the first card"
		case bets != nil && c.Seq < bets.Seq && bets.Seq < first:
			observed = "CARDS called before NO_MORE_BETS"
		default:
			return
		}
	}
	if p.instructs() {
		p.Report(Finding{
			Expected: "CARDS called after NO_MORE_BETS and before the first card", Observed: observed,
			Evidence: []record.Seq{first},
		})
	}
}

// shoeOrder appends the round's cards as they left the shoe, a carried one first.
func shoeOrder(cards []*record.DealtCard, r *record.Round) []*record.DealtCard {
	for i := range r.Cards {
		cards = append(cards, &r.Cards[i])
	}
	slices.SortStableFunc(cards, func(a, b *record.DealtCard) int {
		if a.Carried != b.Carried {
			if a.Carried {
				return -1
			}
			return 1
		}
		return int(a.CardSeq) - int(b.CardSeq)
	})
	return cards
}

// inInitialOrder checks the cards in the order of the deal. It allocates nothing, since most rounds pass.
func inInitialOrder(r *record.Round) bool {
	var last uint32
	for i := range r.Cards {
		c := &r.Cards[i]
		if i < 4 && (c.Hand != baccarat.Hand(i%2)+baccarat.Player || c.Index != uint8(i/2)+1 || c.Placed() != c.Hand) {
			return false
		}
		if !c.Carried && c.CardSeq <= last {
			return false
		}
		if !c.Carried {
			last = c.CardSeq
		}
	}
	return true
}

func checkInitialOrder(p *Pass) {
	if inInitialOrder(p.Round) {
		p.initialMovedBack()
		return
	}
	cards := shoeOrder(nil, p.Round)
	cards = cards[:min(4, len(cards))]
	var observed []string
	var evidence []record.Seq
	wrong, lost, moved, mixed := false, record.Seq(0), record.Seq(0), record.Seq(0)
	for i, c := range cards {
		if i > 0 && c.Seq < cards[i-1].Seq {
			mixed = c.Seq
		}
		if i > 0 && !cards[i-1].Carried && c.CardSeq > cards[i-1].CardSeq+1 {
			lost = c.Seq
		}
		hand := c.Placed()
		if c.Fate == record.MovedAway { // also one with the index of a third card
			hand = c.Final
		}
		wrong = wrong || hand != baccarat.Hand(i%2)+baccarat.Player
		observed = append(observed, fmt.Sprintf("%v %v", c.Card, hand))
		evidence = append(evidence, c.Seq)
		if hand != c.Hand {
			observed[i] += fmt.Sprintf(" (dealt to %v)", c.Hand)
			moved, evidence = max(moved, c.FateAt), append(evidence, c.FateAt)
		}
	}
	f := Finding{Expected: "PLAYER BANKER PLAYER BANKER", Observed: strings.Join(observed, " "), Evidence: evidence}
	switch {
	case wrong && lost != 0:
		p.CannotJudge("a card before this one was not reported", lost)
	case wrong:
		p.Report(f)
	case moved != 0 && p.decidedBefore(moved, cards):
		p.Suspect(f) // what followed may have been decided by the wrong hands
	case moved != 0:
		f.Verdict = finding.Information
		p.Report(f)
	case mixed != 0:
		p.CannotJudge("the cards were reported in another order than that of their numbers", mixed)
	}
}

// decidedBefore reports whether a count was announced, or a third card dealt that is not one of the first four cards,
// before an event.
func (p *Pass) decidedBefore(at record.Seq, first []*record.DealtCard) bool {
	return record.Any(p.Round.Calls, func(c *record.Call) bool {
		return c.Seq < at && c.Code != baccarat.NoMoreBets && c.Code != baccarat.CardsCommand
	}) || record.Any(p.Round.Cards, func(c *record.DealtCard) bool {
		return c.Index > 2 && c.Seq < at && !slices.Contains(first, c)
	})
}

// counted is the first announcement of a hand's two-card count, 0 if none.
func counted(r *record.Round, h baccarat.Hand) record.Seq {
	for i := range r.Calls {
		if c := &r.Calls[i]; c.Code == baccarat.PointCount && c.Hand == h {
			return c.Seq
		}
	}
	return 0
}

func checkPlaceFaceUp(p *Pass) {
	r := p.Round
	called := counted(r, baccarat.Banker)
	if p.cancelled() && called == 0 && !drawn(r) {
		return // void before the cards of both hands lay there
	}
	for i := range r.Cards {
		c := &r.Cards[i]
		if c.Index > 2 || c.Final == baccarat.NoHand {
			continue
		}
		up := c.Face == baccarat.FaceUp || (c.Revealed != 0 && (called == 0 || c.Revealed < called))
		if c.Face == baccarat.NoFace && c.Revealed == 0 {
			p.CannotJudge("the face of a card was not reported", c.Seq)
			return
		}
		if up && (c.Place == baccarat.DealerFront || c.Place == baccarat.NoPlace) {
			continue
		}
		if at := placedLater(r, c, called); up && at != 0 {
			p.CannotJudge("whether a card that was moved to its hand lay before the dealer was not reported", c.Seq, at)
			continue
		}
		p.Report(Finding{
			Subject: finding.OfCard(c.CardSeq), Evidence: []record.Seq{c.Seq},
			Expected: fmt.Sprintf("%v face UP at DEALER_FRONT when the banker count is called", cardName(c)),
			Observed: fmt.Sprintf("face %v at %v", c.Face, placeName(c.Place)),
		})
	}
}

// drawn reports whether a third card was dealt after the first two of both hands.
func drawn(r *record.Round) bool {
	player, banker := r.CardAt(baccarat.Player, 2), r.CardAt(baccarat.Banker, 2)
	return player != nil && banker != nil && record.Any(r.Cards, func(c *record.DealtCard) bool {
		return c.Index > 2 && c.Seq > max(player.Seq, banker.Seq)
	})
}

// placedLater is the move of a card to the hand to which it was dealt before an event, or at any time if that is 0: the
// curator deals, and the dealer places the cards. N.J.A.C. 19:47-3.7(c).
func placedLater(r *record.Round, c *record.DealtCard, before record.Seq) record.Seq {
	for _, m := range r.Moves {
		own := m.To == record.MovedToPlayer && c.Final == baccarat.Player ||
			m.To == record.MovedToBanker && c.Final == baccarat.Banker
		if m.CardSeq == c.CardSeq && own && (before == 0 || m.Seq < before) {
			return m.Seq
		}
	}
	return 0
}

// dealtAs is how the elected option deals one of the first four cards. At midi baccarat all four are dealt face down,
// 9 NYCRR 5324.21(f)(3)(ii)(a); the banker cards may lie under the shoe from the first.
func (p *Pass) dealtAs(c *record.DealtCard) (baccarat.Face, baccarat.Place) {
	switch {
	case p.Law.Game == baccarat.Midibaccarat && c.Hand == baccarat.Banker && c.Place == baccarat.UnderShoeRight:
		return baccarat.FaceDown, baccarat.UnderShoeRight
	case p.Law.Game == baccarat.Midibaccarat:
		return baccarat.FaceDown, baccarat.HandArea
	case p.Config.FaceDown && c.Hand == baccarat.Banker:
		return baccarat.FaceDown, baccarat.UnderShoeRight
	case p.Config.FaceDown:
		return baccarat.FaceDown, baccarat.HandArea
	}
	return baccarat.FaceUp, baccarat.HandArea
}

// checkStyle judges how the first four cards lie. Dealt face down, the banker cards are turned once the player hand is
// called. N.J.A.C. 19:47-7.7(c)2; 9 NYCRR 5324.21(f)(3)(i)(b).
func checkStyle(p *Pass) {
	r := p.Round
	if p.styleUnknown() {
		return
	}
	called := counted(r, baccarat.Player)
	for i := range r.Cards {
		c := &r.Cards[i]
		if c.Index > 2 || c.Carried || c.Final == baccarat.NoHand {
			continue
		}
		face, place := p.dealtAs(c)
		waits, early := p.waitsDown(c), p.beforeCall(c, called)
		if c.Face == baccarat.NoFace && !early {
			p.CannotJudge("the face of a card was not reported", c.Seq)
			return
		}
		f := Finding{Subject: finding.OfCard(c.CardSeq)}
		switch {
		case early:
			f.Expected = cardName(c) + " turned after the player count is called"
			f.Observed, f.Evidence = "turned before the call", []record.Seq{c.Seq, c.Revealed, called}
		case liesElse(c, face, place):
			f.Expected = fmt.Sprintf("%s dealt face %v", cardName(c), face)
			if place != baccarat.NoPlace {
				f.Expected += fmt.Sprintf(" at %v", place)
			}
			f.Observed, f.Evidence = fmt.Sprintf("dealt face %v at %v", c.Face, placeName(c.Place)), []record.Seq{c.Seq}
			f.Parts = dealtUp(r, baccarat.NoHand)
		case waits && c.Revealed == 0 && p.stage == Settled && !p.cancelled():
			f.Expected, f.Observed = cardName(c)+" turned after the player count is called", "not turned"
			f.Evidence = []record.Seq{c.Seq}
		case waits && p.stage == Settled && !p.cancelled() && p.turnedLate(c, &f):
		case waits && p.stage == Settled && !p.cancelled() && p.Config.Reports(baccarat.FeedTableCamera):
			if p.placedLate(c, called) {
				return
			}
			p.afterCall(c, called)
			continue
		case p.laidAway(c, called):
			return
		default:
			continue
		}
		p.Report(f)
		return
	}
}

// waitsDown reports whether a card is one of the banker cards that wait face down for the call of the player hand.
func (p *Pass) waitsDown(c *record.DealtCard) bool {
	face, _ := p.dealtAs(c)
	return c.Hand == baccarat.Banker && face == baccarat.FaceDown && p.Law.Game != baccarat.Midibaccarat
}

// beforeCall reports whether a banker card that waits face down was turned before the player hand was called.
func (p *Pass) beforeCall(c *record.DealtCard, called record.Seq) bool {
	return p.waitsDown(c) && c.Revealed != 0 && called != 0 && c.Revealed < called
}

// liesElse reports whether a card was dealt with another face than its style has, or at another place.
func liesElse(c *record.DealtCard, face baccarat.Face, place baccarat.Place) bool {
	return c.Face != face || place != baccarat.NoPlace && c.Place != baccarat.NoPlace && c.Place != place
}

// turnedEarly reports whether deal.style-consistent reports a banker card that was turned before the player hand was
// called.
func (p *Pass) turnedEarly() bool {
	r, called := p.Round, counted(p.Round, baccarat.Player)
	if p.Config.StyleUnknown || !p.Config.Reports(baccarat.FeedCardFaces) ||
		!p.judges("deal.style-consistent") {
		return false
	}
	for i := range r.Cards {
		c := &r.Cards[i]
		if c.Index > 2 || c.Carried || c.Final == baccarat.NoHand {
			continue
		}
		if p.beforeCall(c, called) {
			return true
		}
		if face, place := p.dealtAs(c); liesElse(c, face, place) {
			return false // that is reported
		}
	}
	return false
}

// turnedLate reports whether a banker card that waits face down was turned after the step that follows it: the cards
// are turned when the player hand is called, and the banker hand is called once they are positioned.
// N.J.A.C. 19:47-7.7(c)2, 7.8(a); 9 NYCRR 5324.21(f)(3)(i)(b), (g). No one calls or draws by a card that lies face
// down: the turn may be recorded late.
func (p *Pass) turnedLate(c *record.DealtCard, f *Finding) bool {
	what, at := afterBanker(p.Round)
	if at == 0 || c.Revealed < at {
		return false
	}
	f.Expected = cardName(c) + " turned when the player count is called"
	f.Observed, f.Evidence, f.Verdict = "turned after "+what, []record.Seq{c.Seq, at, c.Revealed}, finding.Suspect
	return true
}

// afterBanker is the first step of a round for which the banker cards lie face up on the area of their hand: the call
// of their count, a third card, the result; 0 without one.
func afterBanker(r *record.Round) (what string, at record.Seq) {
	if called := counted(r, baccarat.Banker); called != 0 {
		what, at = "the BANKER point count was called", called
	}
	for i := range r.Cards {
		if c := &r.Cards[i]; c.Index > 2 && !c.Carried && c.Final == c.Hand && (at == 0 || c.Seq < at) {
			what, at = cardName(c)+" was dealt", c.Seq
		}
	}
	if call := resultCalled(r); call != nil && (at == 0 || call.Seq < at) {
		what, at = "the result was called", call.Seq
	}
	return what, at
}

// laidAway suspects a card that was dealt on the area of its hand and laid under the shoe, where the banker cards wait
// that are dealt face down: "the dealer shall place the banker's hand underneath the right corner of the dealing shoe".
// N.J.A.C. 19:47-7.7(c)2; 9 NYCRR 5324.21(f)(3)(i)(a)-(b), (ii)(a)-(c).
func (p *Pass) laidAway(c *record.DealtCard, called record.Seq) bool {
	waits := c.Hand == baccarat.Banker && (p.Config.FaceDown || p.Law.Game == baccarat.Midibaccarat)
	if len(p.Round.Moves) == 0 || waits || p.cancelled() {
		return false
	}
	place, at := lies(p.Round, c, p.firstHanded(c, called))
	if place != record.MovedUnderShoe && p.stage == Settled {
		place, at = lies(p.Round, c, endOfTime)
	}
	switch place {
	case record.MovedUnderShoe:
		p.Suspect(Finding{
			Subject: finding.OfCard(c.CardSeq), Evidence: []record.Seq{c.Seq, at},
			Expected: fmt.Sprintf("%s on the area of the %v hand", cardName(c), c.Hand), Observed: "laid under the shoe",
		})
	case record.MovedToLayout:
		p.CannotJudge("on which area of the layout "+cardName(c)+" was placed was not reported", at)
	default:
		return false
	}
	return true
}

// firstHanded is the event at which a card was handed to a patron, or else the call of its hand.
func (p *Pass) firstHanded(c *record.DealtCard, called record.Seq) record.Seq {
	for i := range p.Round.Squeezes {
		if s := &p.Round.Squeezes[i]; s.Kind == record.SqueezeHanded && slices.Contains(s.Cards, c.CardSeq) {
			return s.Seq
		}
	}
	return cmp.Or(called, endOfTime)
}

// dealtUp are the initial cards of a hand, of NoHand those of both, that were dealt face up.
func dealtUp(r *record.Round, h baccarat.Hand) (up []finding.Subject) {
	for i := range r.Cards {
		if c := &r.Cards[i]; c.Index <= 2 && c.Face == baccarat.FaceUp && (h == baccarat.NoHand || c.Hand == h) {
			up = append(up, finding.OfCard(c.CardSeq))
		}
	}
	return up
}

// afterCall wants a banker card that lay under the shoe on the area of its hand once the player hand was called.
func (p *Pass) afterCall(c *record.DealtCard, called record.Seq) {
	if place, at := lies(p.Round, c, endOfTime); place == record.MovedUnderShoe {
		p.CannotJudge("where "+cardName(c)+" was placed after the PLAYER point count was not reported", at, called)
	}
}

// placedLate suspects a banker card that lay under the shoe until the step that follows its placing: "place the cards
// face up on the area designated for the banker's hand and announce the point count". N.J.A.C. 19:47-7.7(c)2, 7.8(a);
// 9 NYCRR 5324.21(f)(3)(i)(b), (ii)(c), (g).
func (p *Pass) placedLate(c *record.DealtCard, called record.Seq, clauses ...string) bool {
	what, next := afterBanker(p.Round)
	_, at := lies(p.Round, c, endOfTime)
	place, _ := lies(p.Round, c, next)
	if called == 0 || next < max(called, 1) || at < next || place != record.MovedUnderShoe {
		return false
	}
	p.Suspect(Finding{
		Subject: finding.OfCard(c.CardSeq), Evidence: []record.Seq{next, at}, Cites: p.exactly(clauses...),
		Expected: cardName(c) + " on the area of the BANKER hand when the PLAYER point count is called",
		Observed: "placed there after " + what,
	})
	return true
}

// cardName names a card by its place in its hand.
func cardName(c *record.DealtCard) string { return fmt.Sprintf("%v card %d", c.Hand, c.Index) }

// placeName names the place of a card.
func placeName(place baccarat.Place) string {
	if place == baccarat.NoPlace {
		return "a place that was not reported"
	}
	return place.String()
}

// styleUnknown reports whether the configuration does not name the style of dealing, of which the text has two.
func (p *Pass) styleUnknown() bool {
	if !p.Config.StyleUnknown || p.Law.Game != baccarat.Minibaccarat {
		return false
	}
	p.CannotJudge("the style of dealing was not reported", p.configEvidence()...)
	return true
}

func checkLeftHand(p *Pass) {
	if p.Config.FaceDown || p.styleUnknown() {
		return
	}
	for i := range p.Round.Cards {
		c := &p.Round.Cards[i]
		switch {
		case c.Carried || c.LeftHand:
		case !c.Handed:
			p.CannotJudge("with which hand a card was drawn was not reported", c.Seq)
		default:
			p.Report(Finding{
				Subject: finding.OfCard(c.CardSeq), Expected: cardName(c) + " drawn with the left hand",
				Observed: "drawn with the right hand", Evidence: []record.Seq{c.Seq},
			})
		}
	}
}

func checkByDealer(p *Pass) {
	unknown := record.Seq(0)
	for i := range p.Round.Cards {
		c := &p.Round.Cards[i]
		switch {
		case c.Carried || c.ByRole == baccarat.RoleDealer:
		case c.ByRole == baccarat.NoRole || c.ByRole == baccarat.RoleDevice || c.ByRole == baccarat.RoleSurveillance:
			unknown = cmp.Or(unknown, c.Seq)
		default:
			relief := c.ByRole == baccarat.RoleFloorperson || c.ByRole == baccarat.RoleSupervisor
			p.suspectIf(relief, Finding{ // who may deal in place of the dealer is not in the text
				Subject: finding.OfCard(c.CardSeq), Seat: c.BySeat, Evidence: []record.Seq{c.Seq},
				Expected: cardName(c) + " drawn by DEALER", Observed: "drawn by " + drawer(c),
			})
		}
	}
	if unknown != 0 {
		p.CannotJudge("who drew the card was not reported", unknown)
	}
}

func checkThirdCardFace(p *Pass) {
	for i := range p.Round.Cards {
		c := &p.Round.Cards[i]
		if c.Index != 3 || c.Final != c.Hand || p.Law.ThirdCardFace == baccarat.NoFace {
			continue
		}
		area, at := "", ""
		switch {
		case c.Face == baccarat.NoFace:
			p.CannotJudge("the face of a third card was not reported", c.Seq)
			continue
		case c.Face != p.Law.ThirdCardFace:
		case p.Law.ThirdCardPlace != baccarat.NoPlace && c.Place != baccarat.NoPlace && c.Place != p.Law.ThirdCardPlace:
			// "on the area designated for the player's hand": 9 NYCRR 5324.21(f)(3)(i)(c)-(d), (ii)(d)-(e).
			area, at = fmt.Sprintf(" at %v", p.Law.ThirdCardPlace), fmt.Sprintf(" at %v", c.Place)
		default:
			p.thirdUnderShoe(c)
			continue
		}
		p.Report(Finding{
			Subject: finding.OfCard(c.CardSeq), Evidence: []record.Seq{c.Seq},
			Expected: fmt.Sprintf("%v dealt face %v%s", cardName(c), p.Law.ThirdCardFace, area),
			Observed: fmt.Sprintf("dealt face %v%s", c.Face, at), Cites: p.exactly(ofThird(c.Hand)...),
		})
	}
	p.thirdMovedBack()
}

// thirdUnderShoe suspects a third card that lay under the shoe when it was handed out or the final count was called.
// New Jersey names no area for it, but has it dealt to its hand, which lies before the dealer or on its area. N.J.A.C.
// 19:47-3.8(c), 7.7(c).
func (p *Pass) thirdUnderShoe(c *record.DealtCard) {
	final := record.Seq(0)
	if call := p.Round.CallOf(baccarat.FinalCount); call != nil {
		final = call.Seq
	}
	place, at := lies(p.Round, c, p.firstHanded(c, final))
	if place != record.MovedUnderShoe || p.cancelled() {
		return
	}
	p.Suspect(Finding{
		Subject: finding.OfCard(c.CardSeq), Evidence: []record.Seq{c.Seq, at}, Cites: p.exactly(ofThird(c.Hand)...),
		Expected: fmt.Sprintf("%s at the %v hand", cardName(c), c.Hand), Observed: "laid under the shoe",
	})
}

// ofThird are the clauses of 9 NYCRR 5324.21 on how the third card of a hand is placed.
func ofThird(h baccarat.Hand) []string {
	if h == baccarat.Player {
		return []string{"(f)(3)(i)(c)", "(g)(1)(i)", "(f)(3)(ii)(d)"}
	}
	return []string{"(f)(3)(i)(d)", "(g)(1)(ii)", "(f)(3)(ii)(e)"}
}

func checkThirdCardOrder(p *Pass) {
	if !p.thirdCardsReversed() {
		return
	}
	player, banker := p.Round.CardAt(baccarat.Player, 3), p.Round.CardAt(baccarat.Banker, 3)
	f := Finding{
		Expected: "the player's third card before the banker's", Observed: "the banker's third card came first",
		Evidence: []record.Seq{banker.Seq, player.Seq},
	}
	if player.Seq < banker.Seq {
		p.CannotJudge("the cards were reported in another order than that of their numbers", banker.Seq)
		return
	}
	switch c := p.Round.Coup(); {
	case !p.Law.ThirdCardOrderDerived:
	case p.Law.Drawing.BankerAlways(c.B2):
		f.Verdict = finding.Information
		f.Observed += fmt.Sprintf(", but the banker hand on %d draws against any card", c.B2)
	case !p.Law.Drawing.PlayerDraws(c.P2, c.B2):
		f.Verdict = finding.Information
		f.Observed += fmt.Sprintf(", but the player hand on %d stands: no third card of it was due", c.P2)
	}
	p.Report(f)
}

func (p *Pass) thirdCardsReversed() bool {
	player, banker := p.Round.CardAt(baccarat.Player, 3), p.Round.CardAt(baccarat.Banker, 3)
	return player != nil && banker != nil && player.Final == baccarat.Player && banker.Final == baccarat.Banker &&
		(player.Seq > banker.Seq || player.CardSeq > banker.CardSeq)
}

func checkMaxOneExtra(p *Pass) {
	for i := range p.Round.Cards {
		if c := &p.Round.Cards[i]; c.Index > 3 && c.Final == c.Hand {
			p.Report(Finding{
				Subject: finding.OfHand(c.Hand.String()), Evidence: []record.Seq{c.Seq},
				Expected: fmt.Sprintf("at most three cards in the %v hand", c.Hand),
				Observed: fmt.Sprintf("card %d of the hand, %v", c.Index, c.Card),
			})
			return
		}
	}
	p.checkReplaced()
}

// checkReplaced finds a third card that was due and was taken out of its hand, and another one dealt in its place.
// N.J.A.C. 19:47-3.8(d).
func (p *Pass) checkReplaced() {
	errants := p.errants()
	for _, e := range errants {
		if e.card.Fate != record.Kept || e.card.Final != e.card.Hand {
			continue
		}
		for i := range p.Round.Cards {
			c := &p.Round.Cards[i]
			out := c.Fate != record.Kept && c.Fate != record.MovedAway
			if !out || c.Index < 3 || c.Hand != e.card.Hand || p.Shoe.IsFaceUp(c.CardSeq) ||
				slices.ContainsFunc(errants, func(o errant) bool { return o.card == c }) {
				continue
			}
			p.Report(Finding{
				Subject: finding.OfHand(c.Hand.String()), Evidence: []record.Seq{c.Seq, c.FateAt, e.card.Seq},
				Expected: fmt.Sprintf("at most one card beyond the first two of the %v hand", c.Hand),
				Observed: fmt.Sprintf("%v was due, and %v dealt in its place", c.Card, e.card.Card),
			})
			return
		}
	}
}

func checkInstructions(p *Pass) {
	c, ok := p.drawn()
	if !ok {
		return
	}
	for _, in := range p.Round.Instructions {
		if !p.lawful(in.Hand) {
			continue // the draw itself is the finding
		}
		due := p.Law.Draws(c, in.Hand)
		if in.Draw == due || !p.instructs() {
			continue
		}
		f := Finding{
			Subject: finding.OfHand(in.Hand.String()), Evidence: []record.Seq{in.Seq},
			Expected: fmt.Sprintf("%v hand: %s", in.Hand, drawWord(due)),
			Observed: fmt.Sprintf("%v hand: %s", in.Hand, drawWord(in.Draw)),
		}
		if right := p.putRight(in, due); right != 0 {
			f.Verdict, f.Evidence = finding.Information, append(f.Evidence, right)
			f.Observed += ", put right before a card was dealt"
		}
		p.Report(f)
	}
}

// putRight finds the instruction that corrects a wrong one before a third card was dealt to the hand, 0 if none does.
func (p *Pass) putRight(wrong record.Instructed, due bool) record.Seq {
	card := p.Round.CardAt(wrong.Hand, 3)
	right := record.Seq(0)
	for _, in := range p.Round.Instructions {
		if in.Hand != wrong.Hand || in.Seq < wrong.Seq || card != nil && in.Seq > card.Seq {
			continue
		}
		if right = 0; in.Draw == due {
			right = in.Seq
		}
	}
	return right
}

func drawWord(draw bool) string {
	if draw {
		return "DRAW"
	}
	return "STAY"
}

func checkInstructionFollowed(p *Pass) {
	// the order of the cards is a finding of its own; a missing instruction is another
	reversed := p.thirdCardsReversed()
	for _, h := range []baccarat.Hand{baccarat.Player, baccarat.Banker} {
		if !p.lawful(h) {
			continue
		}
		var instructed, contrary record.Seq
		for _, in := range p.Round.Instructions {
			switch {
			case in.Hand == h && in.Draw && instructed == 0:
				instructed = in.Seq
			case in.Hand == h && in.Draw: // of a card beyond the third
			case in.Hand == h:
				contrary = in.Seq
			}
		}
		card := p.Round.CardAt(h, 3)
		if card != nil && card.Final != h {
			card = nil
		}
		if c, ok := p.drawn(); ok && card == nil && instructed != 0 && !p.Law.Draws(c, h) {
			continue // the instruction to draw is the finding
		}
		f := Finding{Subject: finding.OfHand(h.String())}
		switch {
		case card != nil && (instructed == 0 || instructed > card.Seq && !reversed) && contrary == 0:
			f.Expected = fmt.Sprintf("the third card of the %v hand on the dealer's instruction", h)
			f.Observed, f.Evidence = "no instruction before the card", []record.Seq{card.Seq}
		case card == nil && instructed != 0 && contrary == 0 && !p.remedied(h):
			f.Expected = fmt.Sprintf("a card to the %v hand after the instruction to draw", h)
			f.Observed, f.Evidence = "no card", []record.Seq{instructed}
		case card == nil && instructed == 0 && contrary == 0 && !p.Round.Coup().Natural() && !p.remedied(h):
			f.Verdict, f.Evidence = finding.Information, cardEvidence(p.Round)
			f.Expected, f.Observed = fmt.Sprintf("%v hand: STAY instructed", h), "no instruction"
		default:
			continue
		}
		if p.instructs() {
			p.Report(f)
		}
	}
}

// remedied reports whether the hand's third card was dealt and then taken away as an irregularity, or
// came to it from the other hand.
func (p *Pass) remedied(h baccarat.Hand) bool {
	return record.Any(p.Round.Cards, func(c *record.DealtCard) bool {
		return c.Final != c.Hand && (c.Hand == h || c.Final == h)
	})
}

func checkTouched(p *Pass) {
	for _, t := range p.Round.Touches {
		if t.Role == baccarat.NoRole {
			p.CannotJudge("who touched the cards was not reported", t.Seq)
		}
		if t.Role == baccarat.RolePatron || t.Role == baccarat.RoleSpectator {
			p.Report(Finding{
				Subject: finding.OfSeat(t.Seat), Seat: t.Seat, Expected: "no patron touches the cards",
				Observed: "touched by " + person(t.Role, t.Seat), Evidence: []record.Seq{t.Seq},
			})
		}
	}
	p.handedOut()
}

// handedOut finds patrons who were given cards, or turned them, where no patron may touch a card.
func (p *Pass) handedOut() {
	r := p.Round
	for i := range r.Squeezes {
		if s := &r.Squeezes[i]; s.Kind == record.SqueezeHanded || s.Kind == record.SqueezeReturned {
			verb := "handed to"
			if s.Kind == record.SqueezeReturned {
				verb = "returned by"
			}
			p.Report(Finding{
				Subject: finding.OfSeat(s.Seat), Seat: s.Seat, Expected: "no patron touches the cards",
				Observed: fmt.Sprintf("%s %s seat %d", numbered("card", s.Cards), verb, s.Seat), Evidence: []record.Seq{s.Seq},
			})
		}
	}
	p.turnedBy(baccarat.RolePatron)
	p.turnedBy(baccarat.RoleSpectator)
}

// turnedBy reports the cards that someone turned who may not touch them.
func (p *Pass) turnedBy(role baccarat.Role) {
	r, f := p.Round, Finding{Expected: "no patron touches the cards"}
	for i := range r.Cards {
		c := &r.Cards[i]
		if c.RevealedBy != role || slices.ContainsFunc(r.Squeezes, func(s record.Squeeze) bool {
			return slices.Contains(s.Cards, c.CardSeq)
		}) {
			continue
		}
		if card := finding.OfCard(c.CardSeq); f.Evidence == nil {
			f.Subject, f.Observed = card, cardName(c)
		} else {
			f.Parts, f.Observed = append(f.Parts, card), f.Observed+", "+cardName(c)
		}
		f.Evidence = append(f.Evidence, c.Revealed)
	}
	if f.Evidence != nil {
		f.Observed += fmt.Sprintf(" turned by %v", role)
		p.Report(f)
	}
}

// checkTouchPermitted finds an employee who let a patron handle the cards. It accuses no one of whom it was not
// reported.
func checkTouchPermitted(p *Pass) {
	for _, t := range p.Round.Touches {
		if t.Role != baccarat.RolePatron && t.Role != baccarat.RoleSpectator {
			continue
		}
		switch t.PermittedBy {
		case baccarat.RoleDealer, baccarat.RoleFloorperson, baccarat.RoleSupervisor, baccarat.RoleSurveillance:
			p.Report(Finding{
				Subject: finding.OfSeat(t.Seat), Seat: t.Seat, Evidence: []record.Seq{t.Seq},
				Expected: fmt.Sprintf("no employee permits a %v to touch the cards", t.Role),
				Observed: fmt.Sprintf("permitted by %v", t.PermittedBy),
			})
		}
	}
}
