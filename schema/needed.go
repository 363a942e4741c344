package schema

// needed returns the first absent field that a payload is meaningless without: its hand, wager, seat or kind. A field
// that only describes how something was done may be absent; the rules that need it are unauditable then.
func needed(p Payload) (lacks string) {
	need := func(name string, given bool) {
		if lacks == "" && !given {
			lacks = name
		}
	}
	switch p := p.(type) {
	case *NoticeFiled:
		need("topic", p.Topic != 0)
	case *NoticePosted:
		need("topic", p.Topic != 0)
	case *LayoutAttested:
		need("item", p.Item != "")
	case *SeatOccupied:
		need("seat", p.Seat != 0)
	case *SeatVacated:
		need("seat", p.Seat != 0)
	case *ShoeShuffled:
		need("phase", p.Phase != 0)
	case *VigorishMarkerRemoved:
		need("seat", p.Seat != 0)
	case *CutOffered:
		need("seat", p.Seat != 0)
	case *ShoeLoaded:
		need("deck_count", p.DeckCount != 0)
	case *ShoeBurned:
		need("reason", p.Reason != 0)
	case *CuratorOffered:
		need("seat", p.Seat != 0)
	case *CuratorAssigned:
		need("seat", p.Seat != 0)
	case *CuratorPassed:
		need("seat", p.Seat != 0)
	case *BidOffered:
		need("seat", p.Seat != 0)
	case *BankerAssigned:
		need("seat", p.Seat != 0)
	case *BankerWagered:
		need("wager_id", p.WagerID != "")
		need("seat", p.Seat != 0)
	case *BancoAnnounced:
		need("seat", p.Seat != 0)
		need("call", p.Call != 0)
	default:
		neededInRound(p, need)
	}
	return lacks
}

// absent describes a required field that is absent or has the value that an absent field has.
func absent(name string) string {
	switch name {
	case "seat", "card_seq", "deck_count":
		return "missing or 0, expected 1 or more"
	case "wager_id", "item":
		return "missing or empty"
	}
	return "missing"
}

func neededInRound(p Payload, need func(name string, given bool)) {
	switch p := p.(type) {
	case *WagerPlaced:
		need("wager_id", p.WagerID != "")
		need("seat", p.Seat != 0)
		need("spot", p.Spot != 0)
	case *WagerChanged:
		need("wager_id", p.WagerID != "")
		need("change", p.Change != 0)
	case *WagerHandled:
		need("wager_id", p.WagerID != "")
	case *VerbalConfirmed:
		need("wager_id", p.WagerID != "")
	case *CashConverted:
		need("wager_id", p.WagerID != "")
	case *Announced:
		counts := p.Code == CallPointCount || p.Code == CallFinalCount
		need("code", p.Code != 0)
		need("hand", p.Hand != 0 || !counts)
	case *DealInstructed:
		need("hand", p.Hand != 0)
		need("instruction", p.Instruction != 0)
	case *CardDealt:
		need("hand", p.Hand != 0)
		need("card_seq", p.CardSeq != 0)
	case *CardRevealed:
		need("card_seq", p.CardSeq != 0)
	case *CardMoved:
		need("card_seq", p.CardSeq != 0)
		need("to", p.To != 0)
	case *CardCarriedOver:
		need("card_seq", p.CardSeq != 0)
	case *SqueezeOffered:
		need("hand", p.Hand != 0)
		need("seat", p.Seat != 0)
	case *SqueezeRelinquished:
		need("hand", p.Hand != 0)
		need("seat", p.Seat != 0)
	case *CardsHanded:
		need("hand", p.Hand != 0)
		need("seat", p.Seat != 0)
	case *CardsReturned:
		need("hand", p.Hand != 0)
		need("seat", p.Seat != 0)
	case *WagerCollected:
		need("wager_id", p.WagerID != "")
	case *WagerPaid:
		need("wager_id", p.WagerID != "")
	case *WagerReturned:
		need("wager_id", p.WagerID != "")
	case *VigorishMarked:
		need("wager_id", p.WagerID != "")
	case *VigorishCollected:
		need("seat", p.Seat != 0)
		need("kind", p.VigorishKind != 0)
	default: // no required field
	}
}

// ofRound is true for a payload that is meaningless outside a round.
func ofRound(p Payload) bool {
	switch p := p.(type) {
	case *RoundStarted, *RoundVoided, *RoundEnded, *BankerWagered, *BancoAnnounced, *WageringOpened, *CardDealt,
		*CardMoved,
		*DealInstructed, *DiscardPlaced,
		*WagerPlaced, *WagerChanged, *WagerCollected, *WagerPaid, *WagerReturned, *VerbalConfirmed, *CashConverted,
		*SqueezeOffered, *SqueezeRelinquished, *CardsHanded, *CardsReturned, *VigorishMarked:
		return true
	case *Announced:
		return p.Code != CallLastHand
	case *VigorishCollected:
		return p.VigorishKind != VigorishKindOutstanding
	default:
		return false
	}
}
