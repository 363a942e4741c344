package cheat

import (
	"slices"
	"strconv"
)

// All lists what can be played: the cheats, weakest last in each scenario, then the honest oddities.
func All() []Cheat {
	return slices.Concat(knowledge(), stacking(), counting(), lateBets(), dealerErrors(), rigged(), money(), honest())
}

func nameOf(scenario string, strength float64) string {
	return scenario + "-" + strconv.FormatFloat(strength, 'g', -1, 64)
}
