package rules

import "slices"

// All are the rules, family by family. The order is that of a report.
func All() []*Rule {
	return slices.Concat(
		shoeFamily, batchFamily, countFamily, openFamily, shuffleFamily, cutFamily, curatorFamily,
		wagerFamily, supplementalFamily, dealFamily, midiFamily, drawFamily, announceFamily, lasthandFamily,
		outcomeFamily, payoutFamily, treasuresFamily, vigFamily, orderFamily, irregFamily, discardFamily,
		cheminFamily, layoutFamily, paytableFamily, externalFamily, floorFamily,
	)
}
