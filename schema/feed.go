package schema

// ParseFeed reads the word of a feed, FeedUnspecified for other words.
func ParseFeed(word string) Feed {
	feed, _ := Feed(0).parse([]byte(word))
	return feed
}

// ParseSideBet reads the word of a side bet, SideBetUnspecified for other words.
func ParseSideBet(word string) SideBet {
	bet, _ := SideBet(0).parse([]byte(word))
	return bet
}

// FeedOf is the feed to which a kind of event belongs: one of the feeds that a table reports unless its configuration
// says otherwise, WAGERS, SETTLEMENT, VIGORISH and BURN. It is FeedUnspecified for all other kinds.
func FeedOf(kind Kind) Feed {
	switch kind {
	case KindWagerPlaced, KindWagerChanged, KindWagerHandled, KindVerbalConfirmed, KindCashConverted,
		KindBankerWagered, KindBancoAnnounced:
		return FeedWagers
	case KindWagerCollected, KindWagerPaid, KindWagerReturned:
		return FeedSettlement
	case KindVigorishMarked, KindVigorishCollected, KindVigorishMarkerRemoved:
		return FeedVigorish
	case KindShoeBurned:
		return FeedBurn
	default:
		return FeedUnspecified
	}
}
