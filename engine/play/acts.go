package play

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// maxActs bounds the acts of a shoe that are kept.
const maxActs = 64

// act keeps an act of the dealer that another role did.
func (t *Table) act(c *turn, s *Shoe) {
	role := baccarat.Role(t.now.Actor.Role)
	what, clause := dealersAct(t.now.Payload)
	another := role == baccarat.RoleDealer && t.calledByAnother(s.Live(c.round))
	if what == "" || role == baccarat.RoleDealer && !another || len(s.Acts) == maxActs {
		return
	}
	if clause != "" && !s.cites(clause, s.Live(c.round)) {
		return
	}
	unknown := role == baccarat.NoRole || role == baccarat.RoleDevice || role == baccarat.RoleSurveillance
	if (unknown || another) && slices.ContainsFunc(s.Acts, func(a record.Act) bool {
		return a.Role == role && (a.Round == 0) == (c.round == 0)
	}) {
		return
	}
	act := record.Act{Seq: c.seq, Role: role, Round: c.round, What: what}
	switch p := t.now.Payload.(type) {
	case *schema.Announced:
		act.Call = baccarat.Code(p.Code)
	case *schema.WagerPaid:
		act.Spot = s.spotOf(p.WagerID, c.round)
	default: // its What is enough
	}
	s.Acts = append(s.Acts, act)
}

// calledByAnother reports whether an event is a call or an instruction that a text gives to "the dealer calling the
// game", by a dealer who has another position: N.J.A.C. 19:47-3.7(b), 3.8(a), (b) and (e), 7.7(b); 9 NYCRR
// 5324.21(f)(2). One with the position BASE may do both.
func (t *Table) calledByAnother(r *record.Round) bool {
	by, punto := t.now.Actor.ID, r != nil && r.Config != nil && r.Config.Game == baccarat.PuntoBanco
	if t.Calling == "" || by == "" || by == t.Calling || by == t.Dealer {
		return false
	}
	switch p := t.now.Payload.(type) {
	case *schema.Announced:
		return p.Code == schema.CallNoMoreBets || p.Code == schema.CallCards ||
			punto && (p.Code == schema.CallPointCount || p.Code == schema.CallLastHand)
	case *schema.DealInstructed:
		return punto
	default:
		return false
	}
}

// spotOf is the spot of a wager of a round, NoSpot if it is not on record.
func (s *Shoe) spotOf(wager string, round uint32) baccarat.Spot {
	r := s.Live(round)
	if r == nil {
		return baccarat.NoSpot
	}
	w := r.WagerIndex(wager)
	if w < 0 {
		return baccarat.NoSpot
	}
	return r.Wagers[w].Spot
}

// cites reports whether the text of a round, or of the shoe if r is nil, has a clause, by the rule that cites it.
func (s *Shoe) cites(clause string, r *record.Round) bool {
	if s.Law == nil {
		return false
	}
	_, ok := s.LawOf(r).Cited(clause)
	return ok
}

// dealersAct is what an event does if the words of a text give it to the dealer, otherwise empty. Clause is the rule
// whose clause gives it to the dealer, empty if every text does: New York has none on the lacing, the cut, the cutting
// cards and the last hand, New Jersey none on who picks up the cards, and only midi baccarat has the dealer place
// cards. What the texts have in the passive anyone may do: the wash, the spread, the stacking, the cut, the loading.
func dealersAct(p schema.Payload) (what, clause string) {
	switch p := p.(type) {
	case *schema.ShoeShuffled:
		if p.Method == schema.ShuffleMethodDevice {
			return "", ""
		}
		return "shuffle", ""
	case *schema.ShoeLaced:
		return "lacing", "shuffle.lacing"
	case *schema.CutOffered:
		return "offer of the cut", "cut.offer-order"
	case *schema.ShoeTransposed:
		return "cards moved to the back", "cut.front-to-back"
	case *schema.CutcardPlaced:
		return "cutting card inserted", "cut.cutting-cards-placed"
	case *schema.ShoeBurned:
		if p.Reason == schema.BurnReasonOpening {
			return record.OpeningBurn, ""
		}
	case *schema.CuratorOffered:
		return "offer of the shoe", "curator.next-offer"
	case *schema.Announced:
		if p.Code == schema.CallLastHand {
			return "call", "lasthand.announced"
		}
		return "call", ""
	case *schema.DealInstructed:
		return "instruction", "deal.instruction-followed"
	case *schema.WagerCollected:
		return "losing wager collected", ""
	case *schema.WagerPaid:
		return "winning wager paid", ""
	case *schema.VigorishMarked:
		return "vigorish marked", ""
	case *schema.VigorishCollected:
		return "vigorish collected", ""
	case *schema.DiscardPlaced:
		return "cards picked up", "discard.order-preserved"
	case *schema.CardsHanded:
		return "cards handed out", "midi.squeeze.recipient"
	case *schema.SqueezeOffered:
		return "offer of a hand", "midi.squeeze.recipient"
	case *schema.CardMoved:
		if p.From != schema.MovePlacePlayer && p.From != schema.MovePlaceBanker || p.To == schema.MovePlaceUnderShoeRight {
			return "cards placed", "midi.banker-under-shoe"
		}
	default: // anyone may do it
	}
	return "", ""
}

// movesMoney reports whether an event settles a wager, or a part of it.
func movesMoney(p schema.Payload) bool {
	_, ok := settles(p)
	return ok
}

// settles is the wager that an event settles, or a part of it; ok is false for other events.
func settles(p schema.Payload) (wager string, ok bool) {
	switch p := p.(type) {
	case *schema.WagerPaid:
		return p.WagerID, true
	case *schema.WagerCollected:
		return p.WagerID, true
	case *schema.WagerReturned:
		return p.WagerID, true
	default:
		return "", false
	}
}

// bets reports whether an event is a new wager or card of a round, a call or an instruction about it, a squeeze, or the
// cutting card.
func bets(p schema.Payload, r *record.Round) bool {
	switch p := p.(type) {
	case *schema.WagerPlaced:
		return r.WagerIndex(p.WagerID) < 0
	case *schema.CardDealt:
		return r.Card(p.CardSeq) == nil
	case *schema.CardMoved:
		return r.Card(p.CardSeq) == nil
	case *schema.CardCarriedOver:
		return r.Card(p.CardSeq) == nil
	case *schema.Announced:
		return p.Code != schema.CallLastHand
	case *schema.BankerWagered:
		return r.WagerIndex(p.WagerID) < 0
	case *schema.CardsHanded, *schema.CardsReturned, *schema.DealInstructed, *schema.CutcardSeen, *schema.BancoAnnounced,
		*schema.WageringOpened:
		return true
	default:
		return false
	}
}

// handles reports whether an event moves or turns a card of a round.
func handles(p schema.Payload, r *record.Round) bool {
	switch p := p.(type) {
	case *schema.CardMoved:
		return r.Card(p.CardSeq) != nil
	case *schema.CardRevealed:
		return r.Card(p.CardSeq) != nil
	default:
		return false
	}
}

// opensNext reports whether an event of the time before the first card names a round that is dealt, though the next one
// has begun: a call, or, once money moved for the round that it names, a wager.
func opensNext(p schema.Payload, named, next *record.Round) bool {
	if next.Begun == 0 || named.FirstCard() == 0 {
		return false
	}
	switch p := p.(type) {
	case *schema.WagerPlaced, *schema.BankerWagered, *schema.WageringOpened, *schema.BancoAnnounced:
		return len(named.Steps) > 0
	case *schema.Announced:
		return p.Code == schema.CallNoMoreBets || p.Code == schema.CallCards
	default:
		return false
	}
}

// owedHere reports whether a collection of outstanding vigorish that names an earlier shoe is for wagers that owe it in
// the present one. The ids of wagers may begin again in each shoe: then the shoe that is named is the one. If the shoe
// before lacks events, it may be.
func (t *Table) owedHere(p *schema.VigorishCollected) bool {
	again := func(id string) bool { return slices.Contains(t.Last.Wagers, id) }
	return t.Shoe != nil && slices.Contains(t.Used, t.now.ShoeID) && len(p.WagerIDs) > 0 &&
		!slices.ContainsFunc(p.WagerIDs, again) &&
		p.VigorishKind == schema.VigorishKindOutstanding && !slices.ContainsFunc(p.WagerIDs, func(id string) bool {
		return !record.Any(t.Shoe.Dues, func(d *record.Due) bool { return d.Wager == id && d.Seat == p.Seat })
	})
}

// ofPlay reports whether an event is of the dealing of a round in play with this number, the call of the last hand, or
// a card that leaves the shoe in play by an irregularity, whatever shoe it names.
func (t *Table) ofPlay(round uint32) bool {
	if t.Shoe == nil {
		return false
	}
	dealt, r := t.Shoe.LastCard != 0, t.Shoe.Live(round)
	switch p := t.now.Payload.(type) {
	case *schema.Announced:
		if p.Code == schema.CallLastHand {
			return dealt
		}
	case *schema.ShoeBurned:
		return dealt && p.Reason == schema.BurnReasonIrregularity
	case *schema.CardFoundFaceup:
		return dealt
	case *schema.CardMoved:
		return r != nil && r.Card(p.CardSeq) != nil
	case *schema.CardCarriedOver:
		return r != nil && r.Card(p.CardSeq) != nil
	case *schema.DiscardPlaced:
		return r != nil && r.HasCards(p.CardSeqs)
	default: // of a round, if at all
	}
	return r != nil && bets(t.now.Payload, r)
}

// ofPreparation reports whether an event is a step of the preparation of the present shoe, of which no card was dealt,
// whatever shoe it names.
func (t *Table) ofPreparation() bool {
	if t.Shoe == nil || t.Shoe.LastCard != 0 {
		return false
	}
	_, shuffles := t.now.Payload.(*schema.ShoeShuffled)
	return !shuffles && prepares(t.now.Payload)
}

// prepares reports whether an event is a step of the preparation of a shoe.
func prepares(p schema.Payload) bool {
	switch p := p.(type) {
	case *schema.ShoeShuffled, *schema.ShoeLaced, *schema.CutOffered, *schema.ShoeCut, *schema.RecutOrdered,
		*schema.ShoeTransposed, *schema.CutcardPlaced, *schema.ShoeLoaded:
		return true
	case *schema.ShoeBurned:
		return p.Reason == schema.BurnReasonOpening
	default:
		return false
	}
}

// follows reports whether an event can only come after others of its round.
func follows(p schema.Payload) bool {
	switch p := p.(type) {
	case *schema.Announced:
		return p.Code != schema.CallNoMoreBets && p.Code != schema.CallCards && p.Code != schema.CallLastHand
	case *schema.RoundEnded, *schema.VigorishMarked, *schema.CardsHanded, *schema.CardsReturned, *schema.DealInstructed,
		*schema.CardMoved, *schema.CardRevealed, *schema.CardCarriedOver:
		return true
	default:
		return movesMoney(p)
	}
}

// isElsewhere reports whether an event settles, charges or alters a wager of a round in play, or a wager that owes
// vigorish, though it names another round, or the same round of another shoe, which is nil if it is gone.
func (t *Table) isElsewhere(named *Shoe, round uint32) bool {
	elsewhere := func(id string) bool { return t.hasElsewhere(id, named, round) }
	switch p := t.now.Payload.(type) {
	case *schema.VigorishMarked:
		return elsewhere(p.WagerID)
	case *schema.VigorishCollected:
		return p.VigorishKind != schema.VigorishKindOutstanding && slices.ContainsFunc(p.WagerIDs, elsewhere)
	case *schema.WagerChanged:
		return elsewhere(p.WagerID)
	case *schema.WagerHandled:
		return elsewhere(p.WagerID)
	case *schema.VerbalConfirmed:
		return elsewhere(p.WagerID)
	case *schema.CashConverted:
		return elsewhere(p.WagerID)
	default:
		id, ok := settles(p)
		return ok && elsewhere(id)
	}
}

// misplace notes that an event named another round or shoe than its own. The settlement of a wager on record is about
// that wager and about the round that it names: nothing else about the round of the wager is open.
func (t *Table) misplace(c *turn) {
	found := false
	if id, ok := settles(t.now.Payload); ok && t.Shoe != nil {
		s := t.Shoe
		for _, r := range [2]*record.Round{s.Settling, s.Round} {
			if r == nil {
				continue
			}
			if w := r.WagerIndex(id); w >= 0 {
				r.Wagers[w].Astray, found = c.seq, true
			} else if r.No == c.round && s.Name == t.now.ShoeID {
				r.Missing = true
			}
		}
	}
	if !found {
		t.misplaced(c)
	}
}

func (t *Table) hasElsewhere(id string, named *Shoe, round uint32) bool {
	switch {
	case t.Shoe == nil || named != nil && named.hasWager(id, round):
		return false
	case named == t.Shoe && record.Any(named.Dues, func(d *record.Due) bool { return d.Wager == id }):
		return true
	}
	return slices.ContainsFunc([]*record.Round{t.Shoe.Settling, t.Shoe.Round}, func(r *record.Round) bool {
		return r != nil && r.WagerIndex(id) >= 0 && (named == t.Shoe || r.No == round)
	})
}

// hasWager reports whether a round of the shoe has a wager, as far as it is known: a round that is settled has those
// that owe vigorish.
func (s *Shoe) hasWager(id string, round uint32) bool {
	if r := s.Live(round); r != nil {
		return r.WagerIndex(id) >= 0
	}
	return record.Any(s.Dues, func(d *record.Due) bool { return d.Wager == id && d.Round == round })
}
