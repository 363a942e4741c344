package cheat

import (
	"fmt"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// Cheat is a way to cheat at one strength, or an honest way of play that looks odd. Unless Breach is set its events
// break no rule.
type Cheat struct {
	// Name is the scenario with its strength, such as "s1-0.5"; Doc describes it in a few words.
	Name, Scenario, Doc string
	// Strength is a share of rounds, of late wagers, of changes or of settlements, a number of cards, or a number of
	// riffles.
	Strength float64
	// Honest: no page may be raised. Breach: its single acts are findings of rules too.
	Honest, Breach bool
	// Detectors are the detectors of the cause, the most direct one first. Key is the kind of key that they must
	// accuse.
	Detectors []string
	Key       string
	// Kind is the kind of table, see deal.Kinds.
	Kind string
	// Trays: the tray is counted at each shoe's end. Reads: stakes are read at lock and settlement.
	Trays, Reads bool
	// Misread and Drop are the shares of cards that are misread and not read.
	Misread, Drop float64

	tune        func(*schema.TableConfig)
	stack       func(*crook, []shoe.Card) []shoe.Card
	bets        func(*crook, *shoe.Round, []shoe.Card)
	rig         func(*crook, []shoe.Card)
	settle      func(*crook, *shoe.Round)
	habits      func(*crook)
	reconfigure func(*crook)
	// twoPatrons seats a second patron in the know. tray returns what is added to the tray on paper only, and what
	// leaves it without a record.
	twoPatrons bool
	// regulars: the patrons stay five times as long as at other simulated tables.
	regulars bool
	tray     func(*crook) (fill, missing int64)
}

// Find returns the cheat with a name.
func Find(name string) (*Cheat, error) {
	for _, c := range All() {
		if c.Name == name {
			return &c, nil
		}
	}
	return nil, fmt.Errorf("cheat %q: unknown name; want a name such as s1-0.5", name)
}

// Honest returns a table of a kind without a cheat, to measure false alarms.
func Honest(kind string) *Cheat {
	return &Cheat{
		Name: "n0", Scenario: "N0", Doc: "no cheat", Honest: true, Kind: kind, Key: "table",
		regulars: true,
	}
}

// TableConfig returns the configuration of the table at which the cheat is played: 8 decks, 5 percent, dealt face up.
func (c *Cheat) TableConfig() schema.TableConfig {
	config, err := deal.Config(c.Kind, 1)
	if err != nil {
		panic("cheat " + c.Name + ": " + err.Error()) // All names an unknown kind
	}
	config.Decks, config.DealingStyle, config.ReshuffleAfterLacing = 8, schema.DealingStyleFaceUp, false
	config.PostedOdds["TIE"] = "8:1"
	if config.Vigorish.Mode == schema.VigorishModeCommission {
		config.Vigorish = schema.Vigorish{
			Mode: schema.VigorishModeCommission, Percent: 5,
			Timing: schema.VigorishTimingImmediate,
		}
	}
	if c.tune != nil {
		c.tune(&config)
	}
	return config
}
