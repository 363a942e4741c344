package rules

import "slices"

// Config is what is in force at a table: the elections of the house within its rulebook.
type Config struct {
	ID                       string
	Ruleset                  string
	Game                     Game
	Currency                 string
	Decks                    uint32
	Seats                    []uint32
	Mode                     VigorishMode
	Percent                  int64
	Procedure                uint32
	SideBets                 []SideBet
	BonusTable               string
	TreasuresTable           string
	Posted                   [spots]Odds
	SupplementalRequiresMain bool
	ReshuffleAfterLacing     bool
	FaceDown                 bool
	AutomatedShuffler        bool
	PreShuffled              bool
	MinWager, MaxWager       int64
	Feeds                    Feeds
	Options                  map[string]string
}

// Offers says whether a side bet is on offer.
func (c *Config) Offers(s SideBet) bool {
	return slices.Contains(c.SideBets, s)
}
