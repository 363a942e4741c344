// Package fault plants one breach of one rule in a legal shoe.
//
// In: a Fault of All and a seed. Out: Plant returns the events of a table that plays a short shoe with the breach and
// a legal shoe after it, and the finding that an audit must report. The same fault and seed give the same events.
//
// A fault changes the configuration, the wagers, the cards, the plan of the round or the events, in this order, and
// only what its rule is about: everything that follows from the change is settled as dealt. So an audit that reports
// a second finding of severity minor or above is wrong, or the fault is.
//
// Each family of rules has a file: draw.go, payout.go, vigorish.go and so on.
package fault
