// Package shoe has the parts of simulated play that the packages of simulate share: cards and the drawing table, what a
// wager wins, the plan of a shoe, and the Writer that turns a plan into events.
//
// Nothing is chosen here. The Writer draws only the pauses between events from its generator.
package shoe
