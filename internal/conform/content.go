package conform

import (
	"iter"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/schema"
)

// each yields the feeds of a set one by one, in the order of the contract.
func each(f baccarat.Feeds) iter.Seq[baccarat.Feeds] {
	return func(yield func(baccarat.Feeds) bool) {
		for ; f != 0; f &= f - 1 {
			if !yield(f & -f) {
				return
			}
		}
	}
}

// content are the feeds that an event has content of. It is a statement about the event, not about what a rule needs:
// a feed that is declared and has no content at all is an error of the configuration or of the publisher.
func content(ev *schema.Event) baccarat.Feeds {
	if f := schema.FeedOf(ev.Payload.Kind()); f != schema.FeedUnspecified {
		return basic(ev, 1<<f)
	}
	switch p := ev.Payload.(type) {
	case *schema.DeckReceived, *schema.CardsInspected, *schema.CardsVerified, *schema.CardsViewed, *schema.CardsWashed,
		*schema.CardsStacked, *schema.BatchReported, *schema.ShoeShuffled, *schema.ShoeLaced, *schema.ShoeCut,
		*schema.ShoeTransposed, *schema.CutcardPlaced:
		return baccarat.FeedPreparation
	case *schema.CutOffered:
		if p.BacksAwayFromDealer {
			return baccarat.FeedPreparation | baccarat.FeedTableCamera
		}
		return baccarat.FeedPreparation
	case *schema.CardsSpread:
		return baccarat.FeedPreparation | baccarat.FeedOverhead
	case *schema.LayoutAttested:
		return baccarat.FeedAttestation
	case *schema.Announced, *schema.DealInstructed:
		return baccarat.FeedAnnouncements
	case *schema.CardDealt:
		return cardContent(p)
	case *schema.CardTouched, *schema.CardMoved, *schema.CardsHanded, *schema.CardsReturned:
		return baccarat.FeedTableCamera
	case *schema.CutcardSeen:
		return baccarat.FeedShoeCamera
	case *schema.DiscardPlaced:
		return baccarat.FeedRack
	case *schema.ChipsFilled, *schema.ChipsCredited, *schema.TrayCounted:
		return baccarat.FeedChipTray
	default:
		return 0
	}
}

// basic adds what events of the feeds WAGERS, SETTLEMENT, VIGORISH and BURN have content of besides.
func basic(ev *schema.Event, f baccarat.Feeds) baccarat.Feeds {
	switch p := ev.Payload.(type) {
	case *schema.ShoeBurned:
		if p.Indicator != "" || len(p.Cards) > 0 {
			f |= baccarat.FeedBurnFaces
		}
		if p.Destination != 0 {
			f |= baccarat.FeedTableCamera
		}
	case *schema.WagerPlaced:
		if p.AreaOK {
			f |= baccarat.FeedBetSpots
		}
		if p.Coupon > 0 {
			f |= baccarat.FeedDropBox
		}
	case *schema.WagerHandled:
		f |= baccarat.FeedBetSpots
	case *schema.VigorishMarked, *schema.VigorishMarkerRemoved:
		f |= baccarat.FeedMarkers
	default: // nothing besides
	}
	return f
}

func cardContent(p *schema.CardDealt) (f baccarat.Feeds) {
	if p.Card != "" && p.Card != "??" {
		f |= baccarat.FeedCardFaces
	}
	if p.BackColor != "" || p.BackDesign != "" {
		f |= baccarat.FeedCardBacks
	}
	if p.ByRole != 0 {
		f |= baccarat.FeedShoeCamera
	}
	if p.DrawingHand != 0 {
		f |= baccarat.FeedDealerHands
	}
	return f
}
