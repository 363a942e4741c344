package baccarat

// Disposition is what becomes of a wager.
type Disposition uint8

// Dispositions.
const (
	Undetermined Disposition = iota
	Collect
	Pay
	Return
	// Withdrawn: the wager was taken back before it was settled.
	Withdrawn
)

var dispositionWords = words{"undetermined", "collected", "paid", "returned", "withdrawn"}

func (d Disposition) String() string { return dispositionWords.at(uint8(d)) }

// ParseDisposition reads a disposition's word, Undetermined if it is none.
func ParseDisposition(word string) Disposition { return Disposition(dispositionWords.number(word)) }

// PayIf is Pay for a won wager, Collect for a lost one.
func PayIf(won bool) Disposition {
	if won {
		return Pay
	}
	return Collect
}

// BonusHand is the hand on which a dragon bonus spot bets.
func BonusHand(s Spot) Hand {
	if s == SpotDragonBonusPlayer {
		return Player
	}
	return Banker
}
