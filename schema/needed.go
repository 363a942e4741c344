package schema

// needed names the first field without which a payload says nothing: of which hand, wager, seat or kind it
// is. What only describes how something was done (a face, a place, who looked on) may be absent; the rules
// that ask for it then cannot judge.
func needed(p Payload) string {
	type field struct {
		name  string
		given bool
	}
	first := func(fields ...field) string {
		for _, f := range fields {
			if !f.given {
				return f.name
			}
		}
		return ""
	}
	switch p := p.(type) {
	case *NoticeFiled:
		return first(field{"topic", p.Topic != 0})
	case *NoticePosted:
		return first(field{"topic", p.Topic != 0})
	case *LayoutAttested:
		return first(field{"item", p.Item != ""})
	case *SeatOccupied:
		return first(field{"seat", p.Seat != 0})
	case *SeatVacated:
		return first(field{"seat", p.Seat != 0})
	case *ShoeShuffled:
		return first(field{"phase", p.Phase != 0})
	case *VigorishMarkerRemoved:
		return first(field{"seat", p.Seat != 0})
	case *CutOffered:
		return first(field{"seat", p.Seat != 0})
	case *ShoeLoaded:
		return first(field{"deck_count", p.DeckCount != 0})
	case *ShoeBurned:
		return first(field{"reason", p.Reason != 0})
	case *CuratorOffered:
		return first(field{"seat", p.Seat != 0})
	case *CuratorAssigned:
		return first(field{"seat", p.Seat != 0})
	case *CuratorPassed:
		return first(field{"seat", p.Seat != 0})
	case *WagerPlaced:
		return first(field{"wager_id", p.WagerID != ""}, field{"seat", p.Seat != 0}, field{"spot", p.Spot != 0})
	case *WagerChanged:
		return first(field{"wager_id", p.WagerID != ""}, field{"change", p.Change != 0})
	case *WagerHandled:
		return first(field{"wager_id", p.WagerID != ""})
	case *VerbalConfirmed:
		return first(field{"wager_id", p.WagerID != ""})
	case *CashConverted:
		return first(field{"wager_id", p.WagerID != ""})
	case *Announced:
		counts := p.Code == CallPointCount || p.Code == CallFinalCount
		return first(field{"code", p.Code != 0}, field{"hand", p.Hand != 0 || !counts})
	case *DealInstructed:
		return first(field{"hand", p.Hand != 0}, field{"instruction", p.Instruction != 0})
	case *CardDealt:
		return first(field{"hand", p.Hand != 0}, field{"card_seq", p.CardSeq != 0})
	case *CardRevealed:
		return first(field{"card_seq", p.CardSeq != 0})
	case *CardMoved:
		return first(field{"card_seq", p.CardSeq != 0}, field{"to", p.To != 0})
	case *CardCarriedOver:
		return first(field{"card_seq", p.CardSeq != 0})
	case *SqueezeOffered:
		return first(field{"hand", p.Hand != 0}, field{"seat", p.Seat != 0})
	case *SqueezeRelinquished:
		return first(field{"hand", p.Hand != 0}, field{"seat", p.Seat != 0})
	case *CardsHanded:
		return first(field{"hand", p.Hand != 0}, field{"seat", p.Seat != 0})
	case *CardsReturned:
		return first(field{"hand", p.Hand != 0}, field{"seat", p.Seat != 0})
	case *WagerCollected:
		return first(field{"wager_id", p.WagerID != ""})
	case *WagerPaid:
		return first(field{"wager_id", p.WagerID != ""})
	case *WagerReturned:
		return first(field{"wager_id", p.WagerID != ""})
	case *VigorishMarked:
		return first(field{"wager_id", p.WagerID != ""})
	case *VigorishCollected:
		return first(field{"seat", p.Seat != 0}, field{"kind", p.VigorishKind != 0})
	case *BidOffered:
		return first(field{"seat", p.Seat != 0})
	case *BankerAssigned:
		return first(field{"seat", p.Seat != 0})
	case *BankerWagered:
		return first(field{"wager_id", p.WagerID != ""}, field{"seat", p.Seat != 0})
	case *BancoAnnounced:
		return first(field{"seat", p.Seat != 0}, field{"call", p.Call != 0})
	default:
		return ""
	}
}

// ofRound says whether a payload is of a round: it says nothing outside of one.
func ofRound(p Payload) bool {
	switch p := p.(type) {
	case *RoundStarted, *RoundVoided, *RoundEnded, *BankerWagered, *BancoAnnounced, *CardDealt, *CardMoved, *DealInstructed, *DiscardPlaced,
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
