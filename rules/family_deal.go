package rules

import (
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
	},
	{
		Name: "deal.no-more-bets-first", Doc: "No more bets is announced before the first card.",
		Breach:   "Silent deal.",
		Severity: finding.Major, At: Dealt, Needs: baccarat.FeedAnnouncements, Check: checkNoMoreBets,
		Covers: []string{"deal.cards-command", "wager.after-no-more-bets"},
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
		Name: "deal.style-consistent", Doc: "The deal follows the elected dealing option.",
		Breach:   "Banker cards turned before the player hand is called.",
		Severity: finding.Minor, At: Dealt, Needs: baccarat.FeedCardFaces, Check: checkStyle,
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
}

func checkNoMoreBets(p *Pass) {
	r, first := p.Round, p.Round.FirstCard()
	if c := r.CallOf(baccarat.NoMoreBets); first != 0 && (c == nil || c.Seq > first) {
		p.Report(Finding{
			Expected: "no more bets before the first card", Observed: "first card without it",
			Evidence: []record.Seq{first},
		})
	}
}

func checkCardsCommand(p *Pass) {
	r, first := p.Round, p.Round.FirstCard()
	bets, cards := r.CallOf(baccarat.NoMoreBets), r.CallOf(baccarat.CardsCommand)
	if first != 0 && (cards == nil || cards.Seq > first || (bets != nil && cards.Seq < bets.Seq)) {
		p.Report(Finding{
			Expected: "cards called after no more bets and before the first card", Observed: "first card without it",
			Evidence: []record.Seq{first},
		})
	}
}

// shoeOrder lists the round's cards as they left the shoe, a carried one first.
func shoeOrder(r *record.Round) []*record.DealtCard {
	cards := make([]*record.DealtCard, 0, 8)
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
		if i < 4 && (c.Hand != baccarat.Hand(i%2)+baccarat.Player || c.Index != uint8(i/2)+1) {
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
		return
	}
	cards := shoeOrder(p.Round)
	var observed []string
	var evidence []record.Seq
	wrong := false
	for i, c := range cards[:min(4, len(cards))] {
		want := baccarat.Hand(i%2) + baccarat.Player
		wrong = wrong || c.Hand != want
		observed = append(observed, fmt.Sprintf("%v %v", c.Card, c.Hand))
		evidence = append(evidence, c.Seq)
	}
	if wrong {
		p.Report(Finding{
			Expected: "PLAYER BANKER PLAYER BANKER", Observed: strings.Join(observed, " "), Evidence: evidence,
		})
	}
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
		p.Report(Finding{
			Subject: finding.OfCard(c.CardSeq), Evidence: []record.Seq{c.Seq},
			Expected: "face up before the dealer", Observed: fmt.Sprintf("face %v at %v", c.Face, c.Place),
		})
	}
}

func checkStyle(p *Pass) {
	r := p.Round
	called := counted(r, baccarat.Player)
	for i := range r.Cards {
		c := &r.Cards[i]
		if c.Index > 2 || c.Carried || c.Final == baccarat.NoHand {
			continue
		}
		want, place := baccarat.FaceUp, baccarat.HandArea
		if p.Config.FaceDown {
			want = baccarat.FaceDown
			if c.Hand == baccarat.Banker {
				place = baccarat.UnderShoeRight
			}
		}
		early := p.Config.FaceDown && c.Hand == baccarat.Banker && c.Revealed != 0 && called != 0 && c.Revealed < called
		if c.Face == baccarat.NoFace && !early {
			p.CannotJudge("the face of a card was not reported", c.Seq)
			return
		}
		if c.Face == want && (c.Place == place || c.Place == baccarat.NoPlace) && !early {
			continue
		}
		f := Finding{
			Subject: finding.OfCard(c.CardSeq), Evidence: []record.Seq{c.Seq},
			Expected: fmt.Sprintf("face %v at %v", want, place),
			Observed: fmt.Sprintf("face %v at %v", c.Face, c.Place),
		}
		if early {
			f.Expected, f.Observed = "banker card turned after the player count is called", "turned before"
			f.Evidence = append(f.Evidence, c.Revealed, called)
		}
		p.Report(f)
		return
	}
}

func checkLeftHand(p *Pass) {
	if p.Config.FaceDown {
		return
	}
	for i := range p.Round.Cards {
		c := &p.Round.Cards[i]
		if c.Handed && !c.LeftHand && !c.Carried {
			p.Report(Finding{
				Subject: finding.OfCard(c.CardSeq), Expected: "drawn with the left hand", Observed: "right hand",
				Evidence: []record.Seq{c.Seq},
			})
		}
	}
}

func checkByDealer(p *Pass) {
	for i := range p.Round.Cards {
		c := &p.Round.Cards[i]
		switch {
		case c.Carried || c.ByRole == baccarat.RoleDealer:
		case c.ByRole == baccarat.NoRole:
			p.CannotJudge("who drew the card was not reported", c.Seq)
			return
		default:
			p.Report(Finding{
				Subject: finding.OfCard(c.CardSeq), Seat: c.BySeat, Evidence: []record.Seq{c.Seq},
				Expected: "drawn by DEALER", Observed: fmt.Sprintf("drawn by %v", c.ByRole),
			})
		}
	}
}

func checkThirdCardFace(p *Pass) {
	for i := range p.Round.Cards {
		c := &p.Round.Cards[i]
		if c.Index != 3 || c.Final != c.Hand || c.Face == p.Law.ThirdCardFace ||
			p.Law.ThirdCardFace == baccarat.NoFace {
			continue
		}
		if c.Face == baccarat.NoFace {
			p.CannotJudge("the face of a third card was not reported", c.Seq)
			continue
		}
		p.Report(Finding{
			Subject: finding.OfCard(c.CardSeq), Evidence: []record.Seq{c.Seq},
			Expected: fmt.Sprintf("face %v", p.Law.ThirdCardFace), Observed: fmt.Sprintf("face %v", c.Face),
		})
	}
}

func checkThirdCardOrder(p *Pass) {
	if p.thirdCardsReversed() {
		p.Report(Finding{
			Expected: "player's third card first", Observed: "banker's third card first",
			Evidence: []record.Seq{p.Round.CardAt(baccarat.Banker, 3).Seq, p.Round.CardAt(baccarat.Player, 3).Seq},
		})
	}
}

func (p *Pass) thirdCardsReversed() bool {
	player, banker := p.Round.CardAt(baccarat.Player, 3), p.Round.CardAt(baccarat.Banker, 3)
	return player != nil && banker != nil && player.Final == baccarat.Player && banker.Final == baccarat.Banker &&
		player.Seq > banker.Seq
}

func checkMaxOneExtra(p *Pass) {
	for i := range p.Round.Cards {
		if c := &p.Round.Cards[i]; c.Index > 3 && c.Final == c.Hand {
			p.Report(Finding{
				Subject: finding.OfHand(c.Hand.String()), Evidence: []record.Seq{c.Seq},
				Expected: "at most three cards", Observed: fmt.Sprintf("card %d, %v", c.Index, c.Card),
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
		due := p.Law.Drawing.PlayerDraws(c.P2, c.B2)
		if in.Hand == baccarat.Banker {
			due = p.Law.Drawing.BankerDraws(c.P2, c.B2, c.Third)
		}
		if in.Draw != due {
			p.Report(Finding{
				Subject: finding.OfHand(in.Hand.String()), Expected: drawWord(due), Observed: drawWord(in.Draw),
				Evidence: []record.Seq{in.Seq},
			})
		}
	}
}

func drawWord(draw bool) string {
	if draw {
		return "DRAW"
	}
	return "STAY"
}

func checkInstructionFollowed(p *Pass) {
	reversed := p.thirdCardsReversed() // the order of the cards is a finding of its own; a missing instruction is another
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
		switch {
		case card != nil && (instructed == 0 || instructed > card.Seq && !reversed) && contrary == 0:
			p.Report(Finding{
				Subject: finding.OfHand(h.String()), Expected: "third card on the dealer's instruction",
				Observed: "no instruction", Evidence: []record.Seq{card.Seq},
			})
		case card == nil && instructed != 0 && contrary == 0 && !p.remedied(h):
			p.Report(Finding{
				Subject: finding.OfHand(h.String()), Expected: "a card after the instruction to draw",
				Observed: "no card", Evidence: []record.Seq{instructed},
			})
		}
	}
}

// remedied reports whether the hand's third card was dealt and then taken away as an irregularity, or
// came to it from the other hand.
func (p *Pass) remedied(h baccarat.Hand) bool {
	for i := range p.Round.Cards {
		if c := &p.Round.Cards[i]; c.Final != c.Hand && (c.Hand == h || c.Final == h) {
			return true
		}
	}
	return false
}

func checkTouched(p *Pass) {
	for _, t := range p.Round.Touches {
		if t.Role == baccarat.RolePatron || t.Role == baccarat.RoleSpectator {
			p.Report(Finding{
				Subject: finding.OfSeat(t.Seat), Seat: t.Seat, Expected: "no patron touches the cards",
				Observed: fmt.Sprintf("touched by %v", t.Role), Evidence: []record.Seq{t.Seq},
			})
		}
	}
}
