// Package simulate deals legal baccarat shoes from a seed and breaks exactly one rule on request:
// the labelled truth that tests, the demo and the benchmarks share.
//
// A shoe is first a plan (who sits, what they stake, how the shoe is cut, which cards each round
// gets) and is then written as events. The same seed always writes the same bytes. Faults bend the
// plan, so that everything downstream is settled for the cards as dealt, or edit the events in the
// language of ParseEdits.
//
// The drawing table, the pay tables and the vigorish here are this package's own, not those of
// package rules: a mistake in one shows as a disagreement between the two.
package simulate
