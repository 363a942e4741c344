// Package deal plays legal baccarat from a seed and emits it as events of package schema.
//
// In: Options, that is the configuration of one table (Config makes one for each of Kinds), a seed and a start time.
// Out: the events of the table, in order: Open, then Shoe as often as wanted, then Close. Play returns the same shoe as
// plain values instead of events, which is what a benchmark of millions of rounds can afford. The same options give the
// same bytes every time.
//
// A shoe is planned first (who sits where, the wagers, the cut, the cards of each round) and written second; everything
// that follows from the plan, such as announcements, settlement and vigorish, is computed when it is written. Package
// fault changes a plan before it is written; package cheat acts while it is made, as a Scheme.
//
// The package reads no clock, draws no number but from the seed, and imports nothing of this module but schema. The
// drawing table, the pay tables and the vigorish are its own reading of the regulations, not that of package rules, so
// that a mistake in either shows as a disagreement between the two.
package deal
