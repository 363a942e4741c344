// Package detectors weighs what is legal but too unlikely. A rule proves; a detector suspects.
//
// A Host takes the rounds of a table, or of a floor, in order:
//
//	host := detectors.NewHost(detectors.DefaultPromise(), detectors.All())
//	host.Begin(&shoe)            // before its first card
//	host.Round(&round)           // once it is settled
//	host.End(&shoe)              // when no more cards come
//	for _, f := range host.Factors { ... }   // evidence: of the last call
//	for _, a := range host.Alarms { ... }    // findings
//
// A detector is a value in one list (All), as a rule is in its family. For each round and key it gives a
// Factor: how much likelier what was seen is under its alternative than under honest play. The null hypothesis of
// tier Exact is the game itself: the next cards are a uniform draw from the cards not yet seen, and bets were made
// without knowing them. Given all that went before, the mean of each factor is at most 1, so the product of a key's
// factors is a test martingale, whatever the habits of patrons and the dependence between tables.
//
// The Ledger decides. Under each detector and key it runs R <- (start + R) * e and raises an alarm when R reaches the
// threshold, then begins again at 0. The expected number of false alarms up to any moment is at most the sum of the
// start weights divided by the threshold: that is the promise, and thresholds follow from it (Promise).
//
// Live detectors have keys that end with the shoe; they run where events are folded. The others follow a patron, a
// dealer, a pair, a device or a pit, and run over stored facts. All of them are pure: no clock, no map order; what
// is randomised draws from a generator that is seeded with a hash of key and round.
package detectors
