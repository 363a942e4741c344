// Package baccarat is the game: cards, hands, the drawing table, wagers, odds and vigorish.
//
// Two hands become a [Coup], the counts that every rule reads. A [DrawingTable] gives the third cards, [Odds] compare
// a payment with a stake, and [Vig] judges a commission. The numbers of the enums are the numbers of the event
// contract.
//
// The package imports the standard library alone and knows no regulator, no table and no event. Money is int64 minor
// units.
package baccarat
