// Package rules has the requirements of the regulations: one [Rule] for each.
//
// A rule is one row of a family's table: name, severity, the [Stage] at which it is evaluated, and a function that
// reads a [Pass] and reports. A [Set] is the rules that one law cites. Numbers and citations come from package law,
// facts from package record.
//
// The package is pure: no clock, no random numbers, no goroutine, no map order in a result.
package rules
