// Package detectors tests whether legal play is improbable. A rule proves a breach; a detector reports an anomaly.
//
// # Input
//
// A Host takes the rounds of a table, or of all tables of a property, in order:
//
//	host := detectors.NewHost(detectors.DefaultBudget(), detectors.All())
//	host.Begin(&shoe)            // before the first card of the shoe
//	host.Round(&round)           // when the round is settled
//	host.End(&shoe)              // after the last card of the shoe
//	for _, f := range host.Factors { ... }   // evidence of the last call
//	for _, a := range host.Alarms { ... }    // findings of the last call
//
// A round holds what was known before its first card and its outcome: the cards not seen, their exact probabilities
// (package exact), cards, wagers and their settlement.
//
// # Output
//
// For each round and key (a shoe, table, patron, dealer, ...) a detector returns a Factor: the probability of the
// observation under an alternative, divided by that under the null hypothesis. For tier Exact the null hypothesis is
// the game: the next cards are a uniform draw from the cards not seen, and bets are made without knowledge of them.
// Given the past, the mean of each factor is at most 1 under the null hypothesis, so the product of the factors of a
// key is a test martingale, whatever the habits of patrons and the dependence between tables.
//
// A ledger decides. For each detector and key it updates R <- (start + R) * e, where e is the factor, and raises an
// Alarm when R reaches the threshold; then R starts again at 0. At any time the expected number of false alarms is at
// most the sum of the start weights divided by the threshold. Thresholds follow from the false-alarm budget (Budget).
//
// # Where they run
//
// Live detectors (NewLive) have keys that end with the shoe, and run in the stream of a table. Their state can be saved
// (AppendState) and restored (RestoreLive); a restored host behaves as the saved one. The other detectors (NewStored)
// follow a patron, dealer, pair, device or pit over stored facts.
//
// # What they never do
//
// Detectors are pure: they read no clock, and no result depends on the order of a map. Random numbers come from a
// generator that is seeded with a hash of key and round. They never accuse a person: an alarm names what to review.
// Under a fault of the feed (Frozen) they collect no evidence.
package detectors
