package cheat

import (
	"fmt"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// Cheat is a way to cheat at one strength, or an honest way of play that looks odd. Unless it is a Breach, its events
// break no rule.
type Cheat struct {
	// Name is the scenario with its strength, such as "s1-0.5"; Doc says it in a few words.
	Name, Scenario, Doc string
	// Strength is a share of rounds, late bets, changes or settlements, a number of cards, or one of riffles.
	Strength float64
	// Honest says that no page may come of it, Breach that its single acts are findings of rules too.
	Honest, Breach bool
	// Detectors name the cause, the first of them most directly. Key is the kind of what they must accuse.
	Detectors []string
	Key       string
	// Kind of table, see Kinds.
	Kind string
	// Trays says that the tray is counted at each shoe's end, Reads that stakes are read at lock and settlement.
	Trays, Reads bool
	// Misread and Drop are the chances that a card is read wrongly and not at all.
	Misread, Drop float64

	tune        func(*schema.TableConfig)
	stack       func(*crook, []shoe.Card) []shoe.Card
	bets        func(*crook, *shoe.Round, []shoe.Card)
	rig         func(*crook, []shoe.Card)
	settle      func(*crook, *shoe.Round)
	habits      func(*crook)
	reconfigure func(*crook)
	// twoPatrons seats a second patron in the know; tray is what comes to the tray on paper only, and what leaves it unseen.
	twoPatrons bool
	// regulars stay five times as long as patrons of other simulated tables.
	regulars bool
	tray     func(*crook) (fill, gone int64)
}

// Find finds a cheat by its name.
func Find(name string) (*Cheat, error) {
	for _, c := range All() {
		if c.Name == name {
			return &c, nil
		}
	}
	return nil, fmt.Errorf("cheat %q: none of that name, such as s1-0.5", name)
}

// Honest is no cheat: a table of a kind as all others are, to measure what comes of none.
func Honest(kind string) *Cheat {
	return &Cheat{Name: "n0", Scenario: "N0", Doc: "nobody cheats", Honest: true, Kind: kind, Key: "table", regulars: true}
}

// TableConfig is the configuration of a table at which the cheat is played: 8 decks, 5 percent, dealt face up.
func (c *Cheat) TableConfig() schema.TableConfig {
	config, err := deal.Config(c.Kind, 1)
	if err != nil {
		panic("simulate: cheat " + c.Name + ": " + err.Error()) // a wrong word in Cheats
	}
	config.Decks, config.DealingStyle, config.ReshuffleAfterLacing = 8, schema.DealingStyleFaceUp, false
	config.PostedOdds["TIE"] = "8:1"
	if config.Vigorish.Mode == schema.VigorishModeCommission {
		config.Vigorish = schema.Vigorish{Mode: schema.VigorishModeCommission, Percent: 5, Timing: schema.VigorishTimingImmediate}
	}
	if c.tune != nil {
		c.tune(&config)
	}
	return config
}
