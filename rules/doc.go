// Package rules knows baccarat and the law of it: cards, hands, the drawing table, wagers, odds,
// vigorish, rounds and shoes as they were played, and what must hold of them.
//
// A [Rule] is one row of a family's table: name, severity, the [Stage] at which it is asked, and one
// function that looks at a [Pass] and reports. Everything that differs between regulators is data:
// a [Rulebook] in rulebooks/*.yaml with decks, drawing table, odds, vigorish, the rules that apply
// and the citation of each.
//
// The package is pure: no clock, no random numbers, no goroutine, no map order in a result. It
// imports the standard library and one strict YAML decoder.
package rules
