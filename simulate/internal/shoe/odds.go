package shoe

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
)

// Odds pay To for each Per staked.
type Odds struct{ To, Per int64 }

// StandardOdds returns the odds of a spot that a table pays unless it posts others.
func StandardOdds(spot schema.Spot) Odds {
	switch spot {
	case schema.SpotTie:
		return Odds{8, 1}
	case schema.SpotPlayerPair, schema.SpotBankerPair:
		return Odds{11, 1}
	case schema.SpotDragon7, schema.SpotFortune7:
		return Odds{40, 1}
	case schema.SpotPanda8, schema.SpotGolden8:
		return Odds{25, 1}
	case schema.SpotCoverAll:
		return Odds{6, 1}
	}
	return Odds{1, 1}
}

func parseOdds(s string) (Odds, error) {
	to, per, ok := strings.Cut(s, ":")
	a, err1 := strconv.ParseInt(to, 10, 32)
	b, err2 := strconv.ParseInt(per, 10, 32)
	if !ok || err1 != nil || err2 != nil || b < 1 || a < 0 {
		return Odds{}, fmt.Errorf("odds %q: want two whole numbers such as 8:1", s)
	}
	return Odds{a, b}, nil
}

func (o Odds) pay(stake int64) int64 { return stake * o.To / o.Per }
