package script

import (
	"github.com/shoeproof/shoeproof/schema"
)

// newPayload returns an empty payload of a kind of event.
func newPayload(kind string) (schema.Payload, bool) {
	for _, p := range []schema.Payload{
		&schema.TableOpened{}, &schema.TableConfigured{}, &schema.TableClosed{}, &schema.NoticeFiled{},
		&schema.NoticePosted{},
		&schema.LayoutAttested{}, &schema.DealerAssigned{}, &schema.SeatOccupied{}, &schema.SeatVacated{},
		&schema.DeckReceived{},
		&schema.CardsInspected{}, &schema.CardsVerified{}, &schema.CardsSpread{}, &schema.CardsViewed{},
		&schema.CardsWashed{},
		&schema.CardsStacked{}, &schema.BatchReported{}, &schema.ShoeShuffled{}, &schema.ShoeLaced{},
		&schema.CutOffered{},
		&schema.ShoeCut{}, &schema.RecutOrdered{}, &schema.ShoeTransposed{}, &schema.CutcardPlaced{},
		&schema.ShoeLoaded{},
		&schema.ShoeBurned{}, &schema.CuratorOffered{}, &schema.CuratorAssigned{}, &schema.CuratorPassed{},
		&schema.CutcardSeen{},
		&schema.ShoeEnded{}, &schema.RoundStarted{}, &schema.WagerPlaced{}, &schema.WagerChanged{},
		&schema.WagerHandled{},
		&schema.VerbalConfirmed{}, &schema.CashConverted{}, &schema.Announced{}, &schema.DealInstructed{},
		&schema.CardDealt{},
		&schema.CardRevealed{}, &schema.CardMoved{}, &schema.CardCarriedOver{}, &schema.CardFoundFaceup{},
		&schema.CardTouched{},
		&schema.SqueezeOffered{}, &schema.SqueezeRelinquished{}, &schema.CardsHanded{}, &schema.CardsReturned{},
		&schema.WagerCollected{}, &schema.WagerPaid{}, &schema.WagerReturned{}, &schema.VigorishMarked{},
		&schema.VigorishCollected{},
		&schema.VigorishMarkerRemoved{}, &schema.DiscardPlaced{}, &schema.RoundVoided{}, &schema.RoundEnded{},
		&schema.BidOffered{},
		&schema.BankerAssigned{}, &schema.BankerWagered{}, &schema.BancoAnnounced{}, &schema.BankerRelinquished{},
		&schema.WageringOpened{},
		&schema.ChipsFilled{}, &schema.ChipsCredited{}, &schema.TrayCounted{}, &schema.DropRemoved{},
		&schema.StakeRead{},
		&schema.DeviceReported{}, &schema.FloorAssigned{},
	} {
		if p.Kind().String() == kind {
			return p, true
		}
	}
	return nil, false
}
