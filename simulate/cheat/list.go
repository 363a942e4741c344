package cheat

import (
	"slices"
	"strconv"
)

// All returns the cheats, the weakest last in each scenario, and then the honest tables that look odd.
func All() []Cheat {
	return slices.Concat(knowledge(), stacking(), counting(), lateBets(), dealerErrors(), rigged(), money(), honest())
}

func nameOf(scenario string, strength float64) string {
	return scenario + "-" + strconv.FormatFloat(strength, 'g', -1, 64)
}
