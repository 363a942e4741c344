package rules

import "slices"

// All are the rules, family by family. The order is that of a report.
func All() []*Rule {
	return slices.Concat(
		shoeFamily, countFamily, wagerFamily, dealFamily, drawFamily, lasthandFamily,
		outcomeFamily, payoutFamily, vigFamily, orderFamily,
	)
}
