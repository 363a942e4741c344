// Package rows declares the tables of ClickHouse that the audit fills. Each table is declared once, as a struct whose
// fields are its columns: the tag column names the column, its conversion where the Go type does not imply it, and
// whether it is part of the row's key. The encoder of an insert, the readers, the hash of a batch and the memory sink
// all follow that declaration.
//
// Tables with a row for each event, round or wager are structs of columns, so that a batch is appended and written
// without an allocation per row. The other tables are lists of plain structs. Times are Unix nanoseconds UTC, money is
// minor units.
package rows

import "github.com/shoeproof/shoeproof/finding"

// Set is the rows of all tables for one flush.
type Set struct {
	Events      Events
	Rounds      Rounds
	Wagers      Wagers
	Vigorish    []Vigorish
	Shoes       []Shoe
	Configs     []Config
	Notices     []Notice
	Snapshots   []Snapshot
	Findings    []finding.Finding
	Evidence    []Evidence
	DeadLetters []DeadLetter

	scratch []byte // of Hash
}

// Len is the number of rows of all tables.
func (s *Set) Len() int {
	return len(s.Events.Seq) + len(s.Rounds.Round) + len(s.Wagers.Seat) + len(s.Vigorish) + len(s.Shoes) +
		len(s.Configs) + len(s.Notices) + len(s.Snapshots) + len(s.Findings) + len(s.Evidence) + len(s.DeadLetters)
}

// Reset empties the set. It keeps the storage of the rows, but nothing that the rows point to.
func (s *Set) Reset() {
	resetEvents(&s.Events)
	resetRounds(&s.Rounds)
	resetWagers(&s.Wagers)
	s.Vigorish, s.Shoes, s.Configs, s.Notices = emptied(s.Vigorish), emptied(s.Shoes), emptied(s.Configs), emptied(s.Notices)
	s.Snapshots, s.Findings, s.Evidence, s.DeadLetters = emptied(s.Snapshots), emptied(s.Findings), emptied(s.Evidence), emptied(s.DeadLetters)
}

func emptied[R any](rows []R) []R {
	clear(rows)
	return rows[:0]
}

func resetEvents(e *Events) {
	e.PropertyID, e.PitID, e.TableID, e.Seq = e.PropertyID[:0], e.PitID[:0], e.TableID[:0], e.Seq[:0]
	e.EventID.Reset()
	e.At, e.GamingDay, e.ShoeID, e.Round, e.Kind = e.At[:0], e.GamingDay[:0], e.ShoeID[:0], e.Round[:0], e.Kind[:0]
	e.Format, e.Partition, e.Offset = e.Format[:0], e.Partition[:0], e.Offset[:0]
	e.Raw.Reset()
	e.SHA256.Reset()
}

func resetRounds(r *Rounds) {
	r.PropertyID, r.PitID, r.TableID, r.ShoeID = r.PropertyID[:0], r.PitID[:0], r.TableID[:0], r.ShoeID[:0]
	r.Round, r.At, r.GamingDay, r.Shift, r.DealerID = r.Round[:0], r.At[:0], r.GamingDay[:0], r.Shift[:0], r.DealerID[:0]
	r.Ruleset, r.ConfigID, r.Result = r.Ruleset[:0], r.ConfigID[:0], r.Result[:0]
	r.PlayerCount, r.BankerCount, r.PlayerCards, r.BankerCards = r.PlayerCount[:0], r.BankerCount[:0], r.PlayerCards[:0], r.BankerCards[:0]
	r.Cards.Reset()
	r.Wagers, r.Staked, r.Paid, r.ExpectedPay = r.Wagers[:0], r.Staked[:0], r.Paid[:0], r.ExpectedPay[:0]
	r.Collected, r.Returned, r.Vigorish, r.Auditable = r.Collected[:0], r.Returned[:0], r.Vigorish[:0], r.Auditable[:0]
	r.FirstSeq, r.EndSeq = r.FirstSeq[:0], r.EndSeq[:0]
	r.Decks, r.ChancePlayer, r.ChanceBanker, r.ChanceTie = r.Decks[:0], r.ChancePlayer[:0], r.ChanceBanker[:0], r.ChanceTie[:0]
	r.Unseen.Reset()
	r.LockedAt, r.CardAt, r.EndAt = r.LockedAt[:0], r.CardAt[:0], r.EndAt[:0]
	r.BatchID, r.Shuffler, r.Reader = r.BatchID[:0], r.Shuffler[:0], r.Reader[:0]
}

func resetWagers(w *Wagers) {
	w.PropertyID, w.TableID, w.ShoeID, w.Round = w.PropertyID[:0], w.TableID[:0], w.ShoeID[:0], w.Round[:0]
	w.At, w.GamingDay = w.At[:0], w.GamingDay[:0]
	w.WagerID.Reset()
	w.Seat, w.Spot, w.Stake, w.Coupon, w.Medium = w.Seat[:0], w.Spot[:0], w.Stake[:0], w.Coupon[:0], w.Medium[:0]
	w.Patron, w.Disposition, w.Expected = w.Patron[:0], w.Disposition[:0], w.Expected[:0]
	w.Paid, w.ExpectedPaid, w.Collected, w.Returned, w.PlacedSeq = w.Paid[:0], w.ExpectedPaid[:0], w.Collected[:0], w.Returned[:0], w.PlacedSeq[:0]
	w.PlacedAt, w.Late, w.EV, w.LockStake, w.SettleStake = w.PlacedAt[:0], w.Late[:0], w.EV[:0], w.LockStake[:0], w.SettleStake[:0]
}
