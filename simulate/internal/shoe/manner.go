package shoe

import (
	"github.com/shoeproof/shoeproof/schema"
)

// Manner returns the usual role and source of each kind of event, and the pause before it: a minimum and a spread in
// milliseconds.
func Manner(k schema.Kind) (role schema.Role, source schema.SourceKind, minPause, spread uint64) {
	switch k {
	case schema.KindCardDealt:
		return schema.RoleDealer, schema.SourceKindShoe, 900, 1200
	case schema.KindCutcardSeen, schema.KindShoeLoaded:
		return schema.RoleDealer, schema.SourceKindShoe, 400, 600
	case schema.KindShoeBurned:
		return schema.RoleDealer, schema.SourceKindShoe, 9000, 6000
	case schema.KindWagerPlaced, schema.KindWagerChanged, schema.KindBankerWagered:
		return schema.RolePatron, schema.SourceKindChips, 400, 2500
	case schema.KindWagerCollected, schema.KindWagerPaid, schema.KindWagerReturned, schema.KindVigorishCollected,
		schema.KindVigorishMarked, schema.KindVigorishMarkerRemoved:
		return schema.RoleDealer, schema.SourceKindChips, 700, 1500
	case schema.KindStakeRead, schema.KindTrayCounted:
		return schema.RoleDealer, schema.SourceKindChips, 10, 20
	case schema.KindAnnounced, schema.KindDealInstructed:
		return schema.RoleDealer, schema.SourceKindConsole, 500, 700
	case schema.KindBidOffered, schema.KindBancoAnnounced:
		return schema.RolePatron, schema.SourceKindConsole, 900, 1500
	case schema.KindRoundStarted:
		return schema.RoleDealer, schema.SourceKindConsole, 1500, 3000
	case schema.KindRoundEnded, schema.KindRoundVoided, schema.KindVerbalConfirmed, schema.KindCashConverted:
		return schema.RoleDealer, schema.SourceKindConsole, 300, 400
	case schema.KindCardRevealed, schema.KindCardMoved, schema.KindDiscardPlaced, schema.KindCardTouched,
		schema.KindCardsHanded,
		schema.KindCardsReturned, schema.KindCardCarriedOver, schema.KindCardFoundFaceup:
		return schema.RoleDealer, schema.SourceKindCamera, 400, 700
	case schema.KindShoeShuffled:
		return schema.RoleDealer, schema.SourceKindCamera, 60_000, 60_000
	case schema.KindShoeLaced, schema.KindCardsWashed, schema.KindCardsSpread, schema.KindCardsStacked:
		return schema.RoleDealer, schema.SourceKindCamera, 30_000, 30_000
	case schema.KindCutOffered, schema.KindShoeCut, schema.KindShoeTransposed, schema.KindCutcardPlaced,
		schema.KindCuratorOffered, schema.KindCuratorAssigned, schema.KindCuratorPassed:
		return schema.RoleDealer, schema.SourceKindCamera, 1500, 2500
	case schema.KindSeatOccupied, schema.KindSeatVacated, schema.KindTableOpened, schema.KindTableConfigured,
		schema.KindTableClosed, schema.KindNoticeFiled, schema.KindNoticePosted, schema.KindDealerAssigned,
		schema.KindLayoutAttested, schema.KindRecutOrdered, schema.KindBatchState,
		schema.KindFloorAssigned:
		return schema.RoleFloorperson, schema.SourceKindPit, 500, 2000
	}
	return schema.RoleDealer, schema.SourceKindConsole, 500, 1500
}
