package shoe

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
)

type odds struct{ To, Per int64 }

func StandardOdds(spot schema.Spot) odds {
	switch spot {
	case schema.SpotTie:
		return odds{8, 1}
	case schema.SpotPlayerPair, schema.SpotBankerPair:
		return odds{11, 1}
	case schema.SpotDragon7, schema.SpotFortune7:
		return odds{40, 1}
	case schema.SpotPanda8, schema.SpotGolden8:
		return odds{25, 1}
	case schema.SpotCoverAll:
		return odds{6, 1}
	}
	return odds{1, 1}
}

func parseOdds(s string) (odds, error) {
	to, per, ok := strings.Cut(s, ":")
	a, err1 := strconv.ParseInt(to, 10, 32)
	b, err2 := strconv.ParseInt(per, 10, 32)
	if !ok || err1 != nil || err2 != nil || b < 1 || a < 0 {
		return odds{}, fmt.Errorf("odds %q: want two whole numbers such as 8:1", s)
	}
	return odds{a, b}, nil
}

func (o odds) pay(stake int64) int64 { return stake * o.To / o.Per }
