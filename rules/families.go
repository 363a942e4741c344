package rules

import "slices"

// All are the rules, family by family. The order is that of a report.
func All() []*Rule {
	return slices.Concat(
		shoeFamily, batchFamily, countFamily, openFamily, shuffleFamily, cutFamily, curatorFamily,
		wagerFamily, supplementalFamily, dealFamily, midiFamily, drawFamily, announceFamily, lasthandFamily,
		outcomeFamily, payoutFamily, betFamily, treasuresFamily, vigFamily, orderFamily, irregFamily, discardFamily,
		cheminFamily, layoutFamily, paytableFamily, externalFamily, floorFamily,
	)
}

// Versions are the versions of the rules above 1, by name.
func Versions() map[string]uint32 {
	versions := map[string]uint32{}
	for _, r := range All() {
		if r.Version > 1 {
			versions[r.Name] = r.Version
		}
	}
	return versions
}
