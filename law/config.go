package law

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
)

// PostedRow are the odds that are posted for a wager on a line of its hands.
type PostedRow struct {
	Spot baccarat.Spot
	// Name is the word of a spot OTHER.
	Name string `cbor:",omitempty"`
	Line string
	Odds baccarat.Odds
}

// Config is what is in force at a table: the elections of the house within its rulebook.
type Config struct {
	ID       string
	Ruleset  string
	Game     baccarat.Game
	Currency string
	Decks    uint32
	Seats    []uint32
	Mode     baccarat.VigorishMode
	// ModeName is the word of a kind of vigorish of the rulebook, with the mode OTHER.
	ModeName       string `cbor:",omitempty"`
	Percent        int64
	Procedure      uint32
	SideBets       []baccarat.SideBet
	BonusTable     string
	TreasuresTable string
	Posted         [baccarat.Spots]baccarat.Odds
	Rows           []PostedRow
	// Further are the side bets on offer that are words of the rulebook, PostedNames the odds posted for such words,
	// PayTables the elected pay tables of further kinds.
	Further                  []string                 `cbor:",omitempty"`
	PostedNames              map[string]baccarat.Odds `cbor:",omitempty"`
	PayTables                map[string]string        `cbor:",omitempty"`
	SupplementalRequiresMain bool
	ReshuffleAfterLacing     bool
	FaceDown                 bool
	StyleUnknown             bool // how cards are dealt was not reported
	AutomatedShuffler        bool
	PreShuffled              bool
	MinWager, MaxWager       int64
	Feeds                    baccarat.Feeds
	Options                  map[string]string
}

// Reports reports whether the table reports all of these feeds.
func (c *Config) Reports(feeds baccarat.Feeds) bool { return feeds&^c.Feeds == 0 }

// Offers reports whether a side bet is on offer.
func (c *Config) Offers(s baccarat.SideBet) bool {
	return slices.Contains(c.SideBets, s)
}
