// Package law has the differences between regulations as data.
//
// Rulebook files (rulebooks/*.yaml, and the files of a house) go in; a [Rulebook] comes out, with one [Law] for each
// game: decks, drawing table, odds, pay tables, vigorish, interpretive options, dates in force, and the citation of
// each rule that applies. [Config] is what a house has elected within its rulebook.
//
// The package decides nothing about a round. Requirements are code, in package rules. A file with an unknown key, word
// or rule is refused, with file, line and key.
package law
