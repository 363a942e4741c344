package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// Irregularities. N.J.A.C. 19:47-3.12, as state machines over the card beyond those due. A card that
// stays in its hand is a wrong draw, not a wrong remedy.
var irregFamily = []*Rule{
	{
		Name: "irreg.error-remedied", Doc: "An irregularity was handled as prescribed.",
		Breach:   "Irregularity present, remedy right.",
		Severity: finding.Info, At: Settled, Needs: baccarat.FeedBurn, Check: checkRemedied,
	},
	{
		Name:     "irreg.player-extra.to-banker",
		Doc:      "An errant player card goes to a banker hand that is obliged to draw.",
		Breach:   "Errant card burned and a fresh card dealt to the banker.",
		Severity: finding.Critical, At: Settled, Needs: baccarat.FeedBurn, Check: wrongRemedy(remedyToBanker),
		Covers: []string{"draw.banker.no-third"},
	},
	{
		Name:     "irreg.player-extra.undisclosed-next-hand",
		Doc:      "An undisclosed errant player card is kept for the next hand.",
		Breach:   "Unseen card burned.",
		Severity: finding.Major, At: Settled, Needs: baccarat.FeedBurn, Check: wrongRemedy(remedyPlayerCarry),
		Covers: []string{"irreg.carryover-first-card"},
	},
	{
		Name:     "irreg.player-extra.disclosed-burn",
		Doc:      "An errant player card that was seen is burned with its number of cards, face up.",
		Breach:   "Wrong number burned.",
		Severity: finding.Major, At: Settled, Check: wrongRemedy(remedyPlayerBurn), Covers: []string{"shoe.burn.count"},
		Needs: baccarat.FeedBurn,
	},
	{
		Name:     "irreg.excess.undisclosed-next-hand",
		Doc:      "An undisclosed excess card is the first card of the next hand.",
		Breach:   "Unseen excess card put in the discards.",
		Severity: finding.Major, At: Settled, Needs: baccarat.FeedBurn, Check: wrongRemedy(remedyExcessCarry),
		Covers: []string{"irreg.carryover-first-card"},
	},
	{
		Name:     "irreg.excess.disclosed-burn",
		Doc:      "An excess card that was seen is burned with its number of cards, face up.",
		Breach:   "Excess card simply discarded.",
		Severity: finding.Major, At: Settled, Check: wrongRemedy(remedyExcessBurn), Covers: []string{"shoe.burn.count"},
		Needs: baccarat.FeedBurn,
	},
	{
		Name: "irreg.carryover-first-card", Doc: "A card kept for the next hand is its player card one.",
		Breach:   "Carried card given to the banker.",
		Severity: finding.Critical, At: Settled, Check: checkCarryover, Covers: []string{"deal.initial-order"},
	},
	{
		Name: "irreg.faceup.not-used", Doc: "A card found face up in the shoe is not used.",
		Breach:   "Face-up card dealt.",
		Severity: finding.Critical, At: Settled, Check: checkFaceUpUsed,
	},
	{
		Name: "irreg.faceup.discarded", Doc: "A card found face up is placed in the discard bucket.",
		Breach:   "Put back into the shoe.",
		Severity: finding.Critical, At: Settled, Check: checkFaceUpAside,
	},
	{
		Name: "irreg.faceup.burn-count", Doc: "For each card found face up as many further cards are burned as its rank.",
		Breach:   "Five instead of six.",
		Severity: finding.Major, At: Settled, Needs: baccarat.FeedBurn, Check: checkFaceUpBurn,
	},
	{
		Name: "irreg.insufficient.void", Back: WholeShoe, Doc: "A round that the shoe cannot finish is void.",
		Breach:   "Result declared on an incomplete hand.",
		Severity: finding.Critical, At: Settled, Again: true, Check: checkInsufficient,
		Needs:  baccarat.FeedBurn,
		Covers: []string{"draw.banker.must-draw", "draw.player.third-card", "draw.banker.no-third"},
	},
	{
		Name: "irreg.insufficient.full-reshuffle", Back: WholeShoe,
		Doc:      "After a void for lack of cards the entire set is reshuffled.",
		Breach:   "Only the discards reloaded.",
		Severity: finding.Critical, At: Prepared, Needs: baccarat.FeedPreparation, Check: checkFullReshuffle,
	},
	{
		Name: "irreg.insufficient.reshuffle-first", Back: WholeShoe,
		Doc:      "After a void for lack of cards no card is dealt before the entire set is reshuffled.",
		Breach:   "Play goes on from the same shoe.",
		Severity: finding.Critical, At: Settled, Needs: baccarat.FeedBurn, Check: checkReshuffleFirst,
	},
	{
		Name: "irreg.insufficient.false-claim", Back: WholeShoe,
		Doc:      "A round is not voided for lack of cards while enough are left.",
		Breach:   "A losing round cancelled under a pretext.",
		Severity: finding.Critical, At: Settled, Check: checkFalseClaim, Covers: []string{"draw.player.third-card"},
		Needs: baccarat.FeedBurn,
	},
}

type remedy uint8

const (
	noRemedy remedy = iota
	remedyToBanker
	remedyPlayerCarry
	remedyPlayerBurn
	remedyExcessCarry
	remedyExcessBurn
)

// burns reports whether the card is burned with further cards.
func (r remedy) burns() bool { return r == remedyPlayerBurn || r == remedyExcessBurn }

// errant is a card beyond those due, with the remedy that the law wants for it.
type errant struct {
	card *record.DealtCard
	want remedy
	// unseen means that it was not reported whether the card was disclosed. The remedy is then that of the two by which
	// the act is judged.
	unseen bool
}

// irregular reports whether the round has more cards than its hands finally hold, or moved ones.
func irregular(r *record.Round) bool {
	return record.Any(r.Cards, func(c *record.DealtCard) bool { return c.Fate != record.Kept || c.Final != c.Hand })
}

// unread reports whether a card of the round was not read: what was due after it is not known.
func unread(r *record.Round) bool {
	return record.Any(r.Cards, func(c *record.DealtCard) bool { return c.Card == baccarat.Unread })
}

// errants are the cards of the round that were not due. Only an irregular round has any.
func (p *Pass) errants() []errant {
	if !irregular(p.Round) || unread(p.Round) {
		return nil
	}
	_, list := redeal(p.Law.Law, p.Round)
	return list
}

// redeal deals the round again as the law calls for: the coup, and the cards that were not due. Under
// player_extra_column value a card that the player hand should not have had is the column all the same.
func redeal(l *law.Law, r *record.Round) (baccarat.Coup, []errant) {
	var player, banker []baccarat.Card
	var list []errant
	obliged, column := false, baccarat.NoThird
	deal := func() baccarat.Coup {
		c := baccarat.NewCoup(player, banker)
		if c.Third == baccarat.NoThird {
			c.Third = column
		}
		return c
	}
	var few [8]*record.DealtCard // no allocation for a round
	for _, c := range shoeOrder(few[:0], r) {
		co := deal()
		extra := c.Hand == baccarat.Player && len(player) == 2 && len(banker) >= 2 &&
			!l.Drawing.PlayerDraws(co.P2, co.B2)
		if extra && l.ExtraCounts {
			column, co.Third = c.Card.Value(), c.Card.Value()
		}
		due, hand := baccarat.NoHand, c.Hand
		switch {
		case len(player) < 2 || len(banker) < 2:
			hand = c.Placed()
			due = hand
		case len(player) == 2 && l.Drawing.PlayerDraws(co.P2, co.B2):
			due = baccarat.Player
		case len(banker) == 2 && !obliged && l.Drawing.BankerDraws(co.P2, co.B2, co.Third):
			due = baccarat.Banker
		}
		if !extra && c.Fate == record.MovedAway && c.Final == due {
			hand = due // dealt to the wrong hand, and put right
		}
		if hand == due {
			if due == baccarat.Player {
				player = append(player, c.Card)
			} else {
				banker = append(banker, c.Card)
			}
			continue
		}
		disclosed := c.Face == baccarat.FaceUp || (c.Revealed != 0 && (c.FateAt <= c.Seq || c.Revealed < c.FateAt))
		e := errant{card: c, unseen: !disclosed && c.Face == baccarat.NoFace}
		disclosed = disclosed || e.unseen
		switch {
		case extra && due == baccarat.Banker:
			e.want, e.unseen, obliged = remedyToBanker, false, true
			banker = append(banker, c.Card)
		case extra && disclosed:
			e.want = remedyPlayerBurn
		case extra:
			e.want = remedyPlayerCarry
		case disclosed:
			e.want = remedyExcessBurn
		default:
			e.want = remedyExcessCarry
		}
		list = append(list, e)
	}
	return deal(), list
}

// done reports whether an errant card was handled as the law wants; kept that it stayed in its hand.
func (p *Pass) done(e *errant) (done, kept bool, observed string) {
	c := e.card
	switch e.want {
	case remedyToBanker:
		if c.Final == baccarat.Banker && c.Hand == baccarat.Player {
			return true, false, ""
		}
	case remedyPlayerCarry, remedyExcessCarry:
		if p.carriedAway(e) {
			return true, false, ""
		}
	case remedyPlayerBurn, remedyExcessBurn:
		if c.Fate == record.Burned {
			wrong := p.burnWrong(&p.Shoe.Burns[c.Burn], p.burnValue(c.Card))
			return wrong == "", false, wrong
		}
	}
	switch c.Fate {
	case record.Kept:
		return false, c.Final == c.Hand, "left in the hand"
	case record.MovedAway:
		return false, false, "moved to the other hand"
	case record.Burned:
		return false, false, "burned"
	case record.CarriedOver:
		return false, false, "kept for the next hand"
	case record.DiscardedCard:
		return false, false, "put away"
	case record.KeptOrDiscarded:
		return false, false, "put away, or kept and misread: the next hand begins with the number of the card"
	}
	return false, false, ""
}

func (p *Pass) burnValue(c baccarat.Card) int {
	if c.Rank() >= 10 && p.option("irregular_burn_ten") == "0" {
		return 0
	}
	return c.BurnValue()
}

// burnWrong describes what is wrong with the burn for an irregularity, empty if it is right.
func (p *Pass) burnWrong(b *record.Burn, want int) string {
	switch {
	case b.Further() != want && !(b.Further() < want && p.emptied(b)):
		return "burned with " + furtherCards(b.Further())
	case b.Shown != baccarat.ShownAll:
		return "shown " + b.Shown.String()
	case b.Destination != baccarat.Bucket && b.Destination != p.Law.BurnTo && p.Law.BurnTo != baccarat.NoDestination:
		return "to " + b.Destination.String()
	}
	return ""
}

// emptied reports whether a burn took the last card of the shoe: no more could be drawn.
func (p *Pass) emptied(b *record.Burn) bool {
	l := &p.Shoe.Loaded
	return l.Seq != 0 && b.First+uint32(b.Further()) > 52*l.Decks
}

func furtherCards(n int) string { return schema.Count(n, "further card") }

// vague reports whether the burn of an errant card was not described.
func (p *Pass) vague(e *errant) bool {
	return e.card.Fate == record.Burned && !described(&p.Shoe.Burns[e.card.Burn])
}

// mayHaveEmptied reports whether the burn of an errant card, which took too few, may have taken the last card of a shoe
// whose record is not whole.
func (p *Pass) mayHaveEmptied(e *errant) bool {
	if e.card.Fate != record.Burned || !e.want.burns() || !p.mayBeEmpty() {
		return false
	}
	b := &p.Shoe.Burns[e.card.Burn]
	return b.Further() < p.burnValue(e.card.Card) && b.Seq > p.Shoe.LastCard
}

// counted reports whether an errant card is in the other hand by the final counts alone.
func (p *Pass) counted(e *errant) bool {
	return e.card.Fate == record.MovedAway &&
		!record.Any(p.Round.Moves, func(m *record.Move) bool { return m.CardSeq == e.card.CardSeq })
}

// described reports whether it was reported what a burn showed and where it went.
func described(b *record.Burn) bool {
	return b.Shown != baccarat.NoShown && b.Destination != baccarat.NoDestination
}

func (r remedy) String() string {
	return [...]string{
		"", "to the banker hand", "kept for the next hand", "burned with its number of cards face up",
		"first card of the next hand", "burned with its number of cards face up",
	}[r]
}

func wrongRemedy(want remedy) func(*Pass) {
	return func(p *Pass) {
		for _, e := range p.errants() {
			if e.want != want {
				continue
			}
			if p.vague(&e) {
				p.CannotJudge("how a card was burned was not reported", e.card.Seq, e.card.FateAt)
				continue
			}
			if p.mayHaveEmptied(&e) {
				p.CannotJudge("whether the burn took the last card is not on record", e.card.Seq, e.card.FateAt)
				continue
			}
			if p.counted(&e) {
				p.CannotJudge(fmt.Sprintf("final counts have %v in the %v hand, its move was not reported",
					e.card.Card, e.card.Final), e.card.Seq, e.card.FateAt)
				continue
			}
			done, kept, observed := p.done(&e)
			if e.unseen && (done || p.carriedAway(&e)) {
				p.judgeUnseen(&e, done)
				continue
			}
			if done || kept {
				continue
			}
			expected := fmt.Sprintf("%v %v", e.card.Card, e.want)
			if e.want.burns() && e.card.Card != baccarat.Unread {
				expected = fmt.Sprintf("%v burned, and %s face up", e.card.Card, furtherCards(p.burnValue(e.card.Card)))
			}
			doubtful := e.card.Fate == record.Burned && e.want.burns() &&
				p.doubtful(&p.Shoe.Burns[e.card.Burn], e.card.Card) || e.card.Fate == record.KeptOrDiscarded
			p.suspectIf(doubtful, Finding{
				Subject: finding.OfCard(e.card.CardSeq), Parts: []finding.Subject{finding.OfHand(e.card.Hand.String())},
				Evidence: append(cardEvidence(p.Round), e.card.FateAt), Expected: expected, Observed: observed,
			})
		}
	}
}

// doubtful reports whether a burn with a card may be right: no card was burned with a picture, or its number
// contradicts its list, and the list is right.
func (p *Pass) doubtful(b *record.Burn, c baccarat.Card) bool {
	return b.Further() == 0 && pictureValue(c) == 0 || listed(b, p.burnValue(c))
}

// listed reports whether the number of a burn contradicts its list, which has as many cards as are due.
func listed(b *record.Burn, want int) bool {
	return b.More == 0 && b.Cards > 0 && b.Cards == want && b.Shown == baccarat.ShownAll && int(b.Count) != b.Cards
}

// pictureValue is how many cards are burned with a card if a jack, a queen and a king have no number: 19:47-3.12 burns
// "the amount on this card", and that face cards count as tens is in the sentence of the opening burn alone, 3.5(d).
func pictureValue(c baccarat.Card) int {
	if c.Rank() > 10 {
		return 0
	}
	return c.BurnValue()
}

// carriedAway reports whether a card was handled as the law demands of an undisclosed one. With no further hand in the
// shoe the card goes with the rest.
func (p *Pass) carriedAway(e *errant) bool {
	return e.card.Fate == record.CarriedOver || e.card.Fate == record.DiscardedCard && p.Round.Next == 0
}

// judgeUnseen judges a card that was handled as the law demands of a disclosed one, or of an undisclosed one, while it
// was not reported which it was. The third card of punto banco is dealt face upwards: keeping it is suspected.
// N.J.A.C. 19:47-3.8(c).
func (p *Pass) judgeUnseen(e *errant, burned bool) {
	if burned || e.card.Fate != record.CarriedOver || e.card.Index < 3 || p.Config.Game != baccarat.PuntoBanco {
		p.CannotJudge("whether a card drawn in error was disclosed was not reported", e.card.Seq, e.card.FateAt)
		return
	}
	p.Suspect(Finding{
		Subject: finding.OfCard(e.card.CardSeq), Parts: []finding.Subject{finding.OfHand(e.card.Hand.String())},
		Evidence: append(cardEvidence(p.Round), e.card.FateAt),
		Expected: fmt.Sprintf("%v %v, since a third card is dealt face upwards", e.card.Card, e.want),
		Observed: "kept for the next hand; whether it was disclosed was not reported",
	})
}

func checkRemedied(p *Pass) {
	if irregular(p.Round) && unread(p.Round) {
		p.CannotJudge("a card of the round was not read", cardEvidence(p.Round)...)
	}
	for _, e := range p.errants() {
		if done, _, _ := p.done(&e); done && !e.unseen && !p.vague(&e) && !p.counted(&e) {
			p.Report(Finding{
				Subject: finding.OfCard(e.card.CardSeq), Evidence: []record.Seq{e.card.Seq, e.card.FateAt},
				Expected: "irregularities handled as prescribed", Observed: fmt.Sprintf("%v %v", e.card.Card, e.want),
			})
		}
	}
	for i := range p.Shoe.FaceUps {
		f := &p.Shoe.FaceUps[i]
		if f.Round == p.Round.No && p.answerable(f) && !p.used(f) && p.foundBurned(f) && p.putAside(f) == asideRight {
			p.Report(Finding{
				Subject: finding.OfCard(f.CardSeq), Evidence: []record.Seq{f.Seq, p.Shoe.Burns[f.Burn].Seq},
				Expected: "irregularities handled as prescribed",
				Observed: fmt.Sprintf("%v found face up and burned", f.Card),
			})
		}
	}
	if v := p.Round.Voided; v.Seq != 0 && p.ground() == ShortOfCards {
		p.Report(Finding{
			Expected: "irregularities handled as prescribed", Observed: "void for lack of cards",
			Evidence: []record.Seq{v.Seq},
		})
	}
}

func checkCarryover(p *Pass) {
	r := p.Round
	if r.Carried == 0 || len(r.Cards) == 0 {
		return
	}
	for i := range r.Cards {
		c := &r.Cards[i]
		if c.CardSeq != r.Carried {
			continue
		}
		if c.Hand != baccarat.Player || c.Index != 1 {
			p.Report(Finding{
				Expected: "the kept card is player card one", Observed: fmt.Sprintf("%v card %d", c.Hand, c.Index),
				Evidence: []record.Seq{c.Seq},
			})
		}
		return
	}
	if r.CarriedDue {
		return // that it was taken out of its hand is the finding about the round before
	}
	if n := len(p.Shoe.Rounds); n > 1 && p.Shoe.Rounds[n-1].No == r.No && p.Shoe.Rounds[n-2].Missing {
		p.CannotJudge("whether the card was due in the round before is not on record", cardEvidence(r)...)
		return
	}
	p.Report(Finding{Expected: "the kept card is player card one", Observed: "not used", Evidence: cardEvidence(r)})
}

// used reports whether a card found face up was dealt into the round.
func (p *Pass) used(f *record.FoundFaceUp) bool {
	return p.Round.Card(f.CardSeq) != nil
}

// startedOver reports whether no card of the round has a number beyond those of the cards that left the shoe before it.
func (p *Pass) startedOver() bool {
	return !record.Any(p.Round.Cards, func(c *record.DealtCard) bool { return int(c.CardSeq) > p.Round.Before })
}

func checkFaceUpUsed(p *Pass) {
	for i := range p.Shoe.FaceUps {
		f := &p.Shoe.FaceUps[i]
		if !p.used(f) {
			continue
		}
		at := append(cardEvidence(p.Round), f.Seq)
		if p.startedOver() {
			p.Report(Finding{
				Subject: finding.OfCard(f.CardSeq), Verdict: finding.Unauditable, Evidence: at,
				Observed: "the card numbers of the shoe began again, so that two cards have this one",
			})
			continue
		}
		p.Report(Finding{
			Subject: finding.OfCard(f.CardSeq), Expected: fmt.Sprintf("%v discarded", f.Card),
			Observed: "dealt into a hand", Evidence: at,
		})
	}
}

// answerable reports whether a card found face up requires a burn. A card that was being burned itself does
// only under option faceup_recursive.
func (p *Pass) answerable(f *record.FoundFaceUp) bool {
	return !f.AmongBurned || p.option("faceup_recursive") == "true"
}

// foundValue is how many cards the cards found face up together burn; not known if one was not read. Least is the
// number if face cards have none.
func (p *Pass) foundValue(burn int) (sum, least int, known bool) {
	known = true
	for i := range p.Shoe.FaceUps {
		if f := &p.Shoe.FaceUps[i]; f.Burn == burn && p.answerable(f) {
			sum, least = sum+p.burnValue(f.Card), least+pictureValue(f.Card)
			known = known && f.Card != baccarat.Unread
		}
	}
	return sum, least, known
}

// foundBurned reports whether a card found face up was burned as the law wants.
func (p *Pass) foundBurned(f *record.FoundFaceUp) bool {
	if f.Burn < 0 {
		return false
	}
	want, _, known := p.foundValue(f.Burn)
	return known && p.burnWrong(&p.Shoe.Burns[f.Burn], want) == ""
}

// aside is what became of a card found face up.
type aside uint8

const (
	asideUnknown aside = iota
	asideRight
	asideWrong
)

// putAside judges where a card found face up went. The words of the contract are BUCKET, RACK, SHOE and LAYOUT; others
// that contain one of them are read alike.
func (p *Pass) putAside(f *record.FoundFaceUp) aside {
	switch to := strings.ToUpper(f.Destination); {
	case f.AmongBurned, strings.Contains(to, "BUCKET"):
		return asideRight
	case strings.Contains(to, "RACK"):
		if p.Law.BurnTo == baccarat.Bucket {
			return asideWrong
		}
		return asideRight
	case strings.Contains(to, "SHOE"), strings.Contains(to, "LAYOUT"):
		return asideWrong
	}
	return asideUnknown
}

// dealtOn reports whether a card found face up was dealt into a hand, and not put aside before: irreg.faceup.not-used
// has it.
func (p *Pass) dealtOn(f *record.FoundFaceUp) bool {
	return p.used(f) && p.putAside(f) != asideRight && p.judges("irreg.faceup.not-used")
}

// putBack reports whether a card found face up was put back into the shoe, of which it is a part again.
func putBack(f *record.FoundFaceUp) bool {
	return !f.AmongBurned && strings.Contains(strings.ToUpper(f.Destination), "SHOE")
}

func checkFaceUpAside(p *Pass) {
	for i := range p.Shoe.FaceUps {
		f := &p.Shoe.FaceUps[i]
		if f.Round != p.Round.No || p.dealtOn(f) {
			continue
		}
		switch p.putAside(f) {
		case asideUnknown:
			p.CannotJudge("where a card found face up was put was not reported", f.Seq)
		case asideWrong:
			p.Report(Finding{
				Subject: finding.OfCard(f.CardSeq), Expected: fmt.Sprintf("%v placed in the discard bucket", f.Card),
				Observed: "placed in " + f.Destination, Evidence: []record.Seq{f.Seq},
			})
		}
	}
}

// burnedLate reports whether a burn is for a card that was not due in an earlier round and was put away without one:
// the finding about that card reports it.
func (p *Pass) burnedLate(b *record.Burn) bool {
	return record.Any(p.Shoe.Rounds, func(r *record.RoundSummary) bool {
		return r.No < b.Round && slices.Contains(r.Beyond, b.Indicator)
	})
}

// checkIdleBurns suspects a burn in play for which no card was drawn in error or found face up: no text burns a card
// after the opening burn without one.
func (p *Pass) checkIdleBurns() {
	if p.Shoe.Joined || p.Shoe.Missing {
		return
	}
	var idle []string
	f := Finding{Expected: "cards burned for a card drawn in error or found face up"}
	for i := range p.Shoe.Burns {
		// A burn after the last round has the number of the next one, which is not played.
		b := &p.Shoe.Burns[i]
		of := b.Round == p.Round.No || b.Round > p.Round.No && p.Round.Next == 0
		if b.Idle && of && !p.burnedLate(b) {
			idle = append(idle, fmt.Sprintf("%v and %s", b.Indicator, furtherCards(b.Further())))
			f.Evidence = append(f.Evidence, b.Seq)
		}
	}
	switch {
	case len(idle) == 0:
	case p.Round.Ended.Seq == 0 && p.Round.Voided.Seq == 0:
		p.CannotJudge("the end of the round was not reported: a card of it may not have been", f.Evidence...)
	default: // one finding, since a round has one of a rule without a subject
		f.Observed = strings.Join(idle, ", ") + ", and no such card is on record"
		p.Suspect(f)
	}
}

func checkFaceUpBurn(p *Pass) {
	p.checkIdleBurns()
	for i := range p.Shoe.FaceUps {
		f := &p.Shoe.FaceUps[i]
		if f.Round != p.Round.No || !p.answerable(f) || (i > 0 && f.Burn >= 0 && p.Shoe.FaceUps[i-1].Burn == f.Burn) {
			continue
		}
		if f.Burn < 0 && (putBack(f) && p.judges("irreg.faceup.discarded") || p.dealtOn(f)) {
			continue // handled as no card found face up: another rule has it
		}
		if f.Burn < 0 {
			expected := furtherCards(p.burnValue(f.Card)) + " burned"
			if f.Card == baccarat.Unread {
				expected = "further cards burned"
			}
			p.suspectIf(f.Card != baccarat.Unread && pictureValue(f.Card) == 0, Finding{
				Subject: finding.OfCard(f.CardSeq), Expected: expected, Observed: "none", Evidence: []record.Seq{f.Seq},
			})
			continue
		}
		b := &p.Shoe.Burns[f.Burn]
		want, least, known := p.foundValue(f.Burn)
		if !known || !described(b) {
			p.CannotJudge("a card found face up was not read, or how it was burned not reported", f.Seq, b.Seq)
		} else if b.Further() < want && b.Seq > p.Shoe.LastCard && p.mayBeEmpty() {
			p.CannotJudge("whether the burn took the last card is not on record", f.Seq, b.Seq)
		} else if wrong := p.burnWrong(b, want); wrong != "" {
			p.suspectIf(b.Further() == least && least < want || listed(b, want), Finding{
				Subject: finding.OfCard(f.CardSeq), Expected: furtherCards(want) + " burned face up",
				Observed: wrong, Evidence: []record.Seq{f.Seq, b.Seq},
			})
		}
	}
}

// checkInsufficient finds a round that was settled with a card still due and none left. Where the record of the shoe is
// not whole, none may have been left: what is found is not proved, and no wrong draw that it would explain.
func checkInsufficient(p *Pass) {
	r := p.Round
	due := p.Law.CardsDue(r.Coup())
	if r.Voided.Seq != 0 || r.Ended.Result == baccarat.Void || len(r.Cards) < 4 || due == 0 {
		return
	}
	f := Finding{Observed: "a result declared", Evidence: cardEvidence(r)}
	switch {
	case p.mayBeEmpty():
		f.Expected = fmt.Sprintf("void, %s due, if fewer were left", schema.Count(due, "card"))
	case p.Shoe.Loaded.Seq == 0 || due <= r.Left:
		return
	default:
		f.Expected = fmt.Sprintf("void, %s due and %d left", schema.Count(due, "card"), r.Left)
	}
	p.Report(f)
}

// mayBeEmpty reports whether the shoe may have had no card left after the round, since its record is not whole: none is
// known to have followed.
func (p *Pass) mayBeEmpty() bool {
	s := p.Shoe
	return (s.Joined || s.Missing) && p.stage == Settled && p.Round.Next == 0 && s.Ended.Remaining == 0
}

func checkFullReshuffle(p *Pass) {
	s := p.Shoe
	if s.Prep.VoidBefore == 0 || s.Loaded.Seq == 0 {
		return
	}
	for _, c := range s.Prep.Cuts {
		if c.Stack == 0 {
			p.CannotJudge("of how many cards the stack was cut was not reported", c.Seq)
			continue
		}
		if want := 52 * s.Loaded.Decks; s.CutFrom(c) != want {
			p.Report(Finding{
				Expected: fmt.Sprintf("all %d cards reshuffled", want), Observed: fmt.Sprintf("a stack of %d", c.Stack),
				Evidence: []record.Seq{s.Prep.VoidBefore, c.Seq},
			})
			return
		}
	}
}

func checkFalseClaim(p *Pass) {
	if r := p.Round; r.Voided.Insufficient && p.ground() == CardsLeft {
		p.Report(Finding{
			Expected: "the round goes on, with " + schema.Count(r.Left, "card") + " left", Observed: "void for lack of cards",
			Evidence: append(cardEvidence(r), r.Voided.Seq),
		})
	}
}

// checkReshuffleFirst finds the first round that is dealt from the same shoe after a round was void for lack of cards.
func checkReshuffleFirst(p *Pass) {
	first := p.Round.FirstCard()
	if first == 0 {
		return
	}
	for _, before := range slices.Backward(p.Shoe.Rounds) {
		if before.No >= p.Round.No || before.Card == 0 {
			continue
		}
		if before.Short {
			p.Report(Finding{
				Expected: fmt.Sprintf("the entire set reshuffled before the next round, round %d is void", before.No),
				Observed: fmt.Sprintf("round %d dealt from the same shoe", p.Round.No),
				Evidence: []record.Seq{before.Ended, first},
			})
		}
		if before.MaybeShort {
			p.CannotJudge(fmt.Sprintf("the cards of round %d do not show whether the shoe could complete it", before.No), first)
		}
		return
	}
}
