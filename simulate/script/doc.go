// Package script has the language in which scenarios are written: fixtures, which are short shoes with chosen cards,
// and edits, which change their events. docs/scenarios.md describes both for auditors.
//
// In: the name of a fixture and the text of the edits. Out: events. Fixture plays the table; Parse reads the edits
// and names the line of a mistake; Edits.Apply makes them. An edit of cards or wagers reads the plan of the shoe back
// from its events, changes the plan and writes the shoe again, so that announcements, settlement and vigorish follow.
//
// The package does not judge: what an audit reports about the events is not its concern.
package script
