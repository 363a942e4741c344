// Package cheat plays tables with a cheat at work, and honest tables that look odd.
//
// In: a Cheat of All, the shoe from which it acts, and the options of a table. Out: NewTable returns a deal.Table whose
// shoes have the cheat in them, and a Label that names what was done, by whom and in which rounds. A twin of the table
// has the same chance without the cheat, so that the gain of the cheat is the difference of the two.
//
// Unless Cheat.Breach is set the events break no rule: only a detector can notice the cheat.
package cheat
