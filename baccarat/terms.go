package baccarat

// The words below have the numbers of the enums of the event contract, so that a fold converts them
// by a cast; a test compares the two.

// Game is one of the five games of the rulebooks.
type Game uint8

// Games.
const (
	NoGame Game = iota
	PuntoBanco
	Minibaccarat
	Midibaccarat
	Baccarat
	CheminDeFer
)

var gameWords = words{"UNSPECIFIED", "PUNTO_BANCO", "MINIBACCARAT", "MIDIBACCARAT", "BACCARAT", "CHEMIN_DE_FER"}

func (g Game) String() string { return gameWords.at(uint8(g)) }

// Hand is the Player's or the Banker's hand.
type Hand uint8

// Hands.
const (
	NoHand Hand = iota
	Player
	Banker
)

var handWords = words{"NONE", "PLAYER", "BANKER"}

func (h Hand) String() string { return handWords.at(uint8(h)) }

// Other is the opposite hand.
func (h Hand) Other() Hand { return 3 - h }

// Result is how a round came out.
type Result uint8

// Results.
const (
	NoResult Result = iota
	PlayerWon
	BankerWon
	Tie
	Void
)

var resultWords = words{"NONE", "PLAYER", "BANKER", "TIE", "VOID"}

func (r Result) String() string { return resultWords.at(uint8(r)) }

// Spot is what a wager is on.
type Spot uint8

// Spots.
const (
	NoSpot Spot = iota
	SpotBanker
	SpotPlayer
	SpotTie
	SpotPlayerPair
	SpotBankerPair
	SpotDragonBonusPlayer
	SpotDragonBonusBanker
	SpotDragon7
	SpotPanda8
	SpotFortune7
	SpotGolden8
	SpotHeavenly9
	SpotBlazing7s
	SpotCoverAll
	SpotTotalCards
	SpotBonus
	SpotRoyal
	SpotAgainstBanker
	SpotOther
	Spots
)

var spotWords = words{
	"NONE", "BANKER", "PLAYER", "TIE", "PLAYER_PAIR", "BANKER_PAIR", "DRAGON_BONUS_PLAYER",
	"DRAGON_BONUS_BANKER", "DRAGON_7", "PANDA_8", "FORTUNE_7", "GOLDEN_8", "HEAVENLY_9", "BLAZING_7S",
	"COVER_ALL", "TOTAL_CARDS", "BONUS", "ROYAL", "AGAINST_BANKER", "OTHER",
}

func (s Spot) String() string { return spotWords.at(uint8(s)) }

// ParseSpot reads a spot's word, NoSpot if it is none.
func ParseSpot(word string) Spot { return Spot(spotWords.number(word)) }

// SideBet is a kind of wager that a table may offer beside the main ones.
type SideBet uint8

// Side bets.
const (
	NoSideBet SideBet = iota
	SidePair
	SideTotalCard
	SideBonus
	SideDragonBonus
	SideDragon7
	SidePanda8
	SideTreasures
	SideRoyal
)

var sideBetWords = words{
	"NONE", "PAIR", "TOTAL_CARD", "BONUS", "DRAGON_BONUS", "DRAGON_7", "PANDA_8", "TREASURES", "ROYAL",
}

func (s SideBet) String() string { return sideBetWords.at(uint8(s)) }

// ParseSideBet reads a side bet's word, NoSideBet if it is none.
func ParseSideBet(word string) SideBet { return SideBet(sideBetWords.number(word)) }

// sideBet is the kind of wager to which each spot belongs; main wagers have none.
var sideBetOf = [Spots]SideBet{
	SpotPlayerPair: SidePair, SpotBankerPair: SidePair,
	SpotDragonBonusPlayer: SideDragonBonus, SpotDragonBonusBanker: SideDragonBonus,
	SpotDragon7: SideDragon7, SpotPanda8: SidePanda8,
	SpotFortune7: SideTreasures, SpotGolden8: SideTreasures, SpotHeavenly9: SideTreasures,
	SpotBlazing7s: SideTreasures, SpotCoverAll: SideTreasures,
	SpotTotalCards: SideTotalCard, SpotBonus: SideBonus, SpotRoyal: SideRoyal,
}

// SideBet is the side bet to which a spot belongs, NoSideBet for a main wager.
func (s Spot) SideBet() SideBet {
	if s < Spots {
		return sideBetOf[s]
	}
	return NoSideBet
}

// VigorishMode is how a table charges, see notes on Vigorish.
type VigorishMode uint8

// Vigorish modes.
const (
	NoVigorishMode VigorishMode = iota
	Commission
	Tie25
	EZ
	NoVig6
	VigorishNone
	// VigorishOther is a kind that is a word of the rulebook.
	VigorishOther
)

var vigorishModeWords = words{"UNSPECIFIED", "COMMISSION", "TIE25", "EZ", "NOVIG6", "NONE", "OTHER"}

func (m VigorishMode) String() string { return vigorishModeWords.at(uint8(m)) }

// Feeds is a set of what a table can report.
type Feeds uint32

// Feed numbers follow the contract: bit n is feed n.
const (
	FeedPreparation Feeds = 1 << (iota + 1)
	FeedAttestation
	FeedAnnouncements
	FeedCardFaces
	FeedCardBacks
	FeedBurnFaces
	FeedShoeCamera
	FeedTableCamera
	FeedOverhead
	FeedDealerHands
	FeedBetSpots
	FeedMarkers
	FeedRack
	FeedDropBox
	FeedChipTray
	FeedWagers
	FeedSettlement
	FeedVigorish
	FeedBurn
)

// BasicFeeds are the feeds that a table reports unless its configuration names some of them, or names them as absent.
const BasicFeeds = FeedWagers | FeedSettlement | FeedVigorish | FeedBurn

var feedWords = words{
	"NONE", "PREPARATION", "ATTESTATION", "ANNOUNCEMENTS", "CARD_FACES", "CARD_BACKS", "BURN_FACES",
	"SHOE_CAMERA", "TABLE_CAMERA", "OVERHEAD", "DEALER_HANDS", "BET_SPOTS", "MARKERS", "RACK", "DROP_BOX", "CHIP_TRAY",
	"WAGERS", "SETTLEMENT", "VIGORISH", "BURN",
}

func (f Feeds) String() string {
	s := ""
	for i := range feedWords {
		if i > 0 && f&(1<<i) != 0 {
			if s != "" {
				s += "+"
			}
			s += feedWords[i]
		}
	}
	return s
}

// Role is who acted.
type Role uint8

// Roles.
const (
	NoRole Role = iota
	RoleDealer
	RoleCurator
	RoleBanker
	RolePatron
	RoleSpectator
	RoleFloorperson
	RoleSupervisor
	RoleSurveillance
	RoleDevice
)

var roleWords = words{
	"UNSPECIFIED", "DEALER", "CURATOR", "BANKER", "PATRON", "SPECTATOR", "FLOORPERSON", "SUPERVISOR", "SURVEILLANCE",
	"DEVICE",
}

func (r Role) String() string { return roleWords.at(uint8(r)) }

// Face is how a card lies.
type Face uint8

// Faces.
const (
	NoFace Face = iota
	FaceUp
	FaceDown
)

var faceWords = words{"UNSPECIFIED", "UP", "DOWN"}

func (f Face) String() string { return faceWords.at(uint8(f)) }

// Place is where a dealt card is put.
type Place uint8

// Places.
const (
	NoPlace Place = iota
	DealerFront
	HandArea
	UnderShoeRight
	OnLayout
)

var placeWords = words{"UNSPECIFIED", "DEALER_FRONT", "HAND_AREA", "UNDER_SHOE_RIGHT", "LAYOUT"}

func (p Place) String() string { return placeWords.at(uint8(p)) }

// Code is an announcement of the dealer.
type Code uint8

// Announcements.
const (
	NoCode Code = iota
	NoMoreBets
	CardsCommand
	PointCount
	FinalCount
	PlayerWins
	BankerWins
	TieHand
	TotalCards
	PlayerPair
	BankerPair
	Dragon7
	Panda8
	Royal
	TreasureCall
	LastHand
)

// Declares reports whether an announcement declares the result of the hand.
func (c Code) Declares() bool { return c == PlayerWins || c == BankerWins || c == TieHand }

// Medium is what a wager is made with.
type Medium uint8

// Media.
const (
	NoMedium Medium = iota
	Chips
	Plaques
	ChipsAndCoupon
	VerbalCash
	Cash
)

var mediumWords = words{"UNSPECIFIED", "CHIPS", "PLAQUES", "CHIPS_AND_COUPON", "VERBAL_CASH", "CASH"}

func (m Medium) String() string { return mediumWords.at(uint8(m)) }

// Shown is how burned cards were shown.
type Shown uint8

// Ways of showing a burn.
const (
	NoShown Shown = iota
	ShownAll
	ShownFirst
	ShownNone
)

var shownWords = words{"UNSPECIFIED", "ALL", "FIRST_ONLY", "NONE"}

func (s Shown) String() string { return shownWords.at(uint8(s)) }

// Destination is where burned cards go.
type Destination uint8

// Destinations.
const (
	NoDestination Destination = iota
	Bucket
	Rack
)

var destinationWords = words{"UNSPECIFIED", "BUCKET", "RACK"}

func (d Destination) String() string { return destinationWords.at(uint8(d)) }

// Marker is what evidences a deferred vigorish.
type Marker uint8

// Markers.
const (
	NoMarker Marker = iota
	Coin
	Lammer
	Button
)

var markerWords = words{"UNSPECIFIED", "COIN", "LAMMER", "BUTTON"}

func (m Marker) String() string { return markerWords.at(uint8(m)) }

// Treasure is the qualifying event of 5 Treasures that a dealer announces.
type Treasure uint8

// Treasures.
const (
	TreasureUnsaid Treasure = iota
	Fortune7
	Golden8
	Heavenly9Both
	Heavenly9One
	Blazing7sThree
	Blazing7sTwo
	NoTreasure
)

var treasureWords = words{
	"UNSPECIFIED", "FORTUNE_7", "GOLDEN_8", "HEAVENLY_9_BOTH", "HEAVENLY_9_ONE", "BLAZING_7S_THREE", "BLAZING_7S_TWO",
	"NONE",
}

func (t Treasure) String() string { return treasureWords.at(uint8(t)) }

// words are the contract's words of an enum, by number.
type words []string

func (w words) at(i uint8) string {
	if int(i) < len(w) {
		return w[i]
	}
	return "UNKNOWN"
}

// number is the number of a word, 0 if none.
func (w words) number(word string) uint8 {
	for i, s := range w {
		if i > 0 && s == word {
			return uint8(i)
		}
	}
	return 0
}

// ParseGame reads a game's word, NoGame if it is none.
func ParseGame(word string) Game { return Game(gameWords.number(word)) }

// ParseVigorishMode reads a mode's word, NoVigorishMode if it is none.
func ParseVigorishMode(word string) VigorishMode { return VigorishMode(vigorishModeWords.number(word)) }
