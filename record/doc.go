// Package record is what happened at a table: a [Shoe] with its preparation, its [Round]s with cards, wagers,
// settlement steps and announcements, and the [Table] that outlives both. Each fact names the event that shows it,
// by its [Seq].
//
// The engine writes a record from events; rules and detectors read it. The package judges nothing.
package record
