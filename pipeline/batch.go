package pipeline

import "github.com/shoeproof/shoeproof/schema"

// Batch is all that one range of a partition gave: one flush, one token.
type Batch struct {
	Range Range

	Events     schema.EventRows
	Rounds     schema.RoundRows
	Wagers     schema.WagerRows
	Vigorish   []schema.VigorishRow
	Shoes      []schema.ShoeRow
	Configs    []schema.ConfigRow
	Notices    []schema.NoticeRow
	Memory     []schema.MemoryRow
	Findings   []schema.Finding
	Evidence   []schema.EvidenceRow
	DeadLetter []schema.DeadLetter

	scratch []byte // of Hash
}

// Range is the records that a batch covers: offsets From to To, both inclusive.
type Range struct {
	Topic     string
	Partition int32
	From, To  int64
	// Low is the first offset that must be read to make this batch again, with the memories of tables
	// that were written before From; Clock is the partition's clock before it.
	Low, Clock int64
	// Generation tells the owners of a partition apart: each has a higher one than those before.
	Generation int32
	// Epoch is how often the log had been cut back before. The first range since has offsets Cut to Lost, which
	// were audited and are gone: what the log has there by now are other records. Otherwise they are 0.
	Epoch     uint32
	Cut, Lost int64
	// Told is the number of findings about the machine, and of memories of before, in a range that is made
	// again: they are no part of Rows and Hash.
	Told    int
	Records uint64
	// CRC is CRC-32C over offsets and values of the records, Rows and Hash are the number and the SHA-256, in
	// hex, of the rows. A Run without a journal leaves them out.
	CRC  uint32
	Rows uint64
	Hash string
}

// Rows is the number of rows of all tables.
func (b *Batch) Rows() int {
	return len(b.Events.Seq) + len(b.Rounds.Round) + len(b.Wagers.Seat) + len(b.Vigorish) + len(b.Shoes) +
		len(b.Configs) + len(b.Notices) + len(b.Memory) + len(b.Findings) + len(b.Evidence) + len(b.DeadLetter)
}

// Reset empties the batch and keeps its storage, but nothing that its rows point to.
func (b *Batch) Reset() {
	b.Range = Range{}
	resetEvents(&b.Events)
	resetRounds(&b.Rounds)
	resetWagers(&b.Wagers)
	b.Vigorish, b.Shoes, b.Configs, b.Notices = emptied(b.Vigorish), emptied(b.Shoes), emptied(b.Configs), emptied(b.Notices)
	b.Memory, b.Findings, b.Evidence, b.DeadLetter = emptied(b.Memory), emptied(b.Findings), emptied(b.Evidence), emptied(b.DeadLetter)
}

func emptied[R any](rows []R) []R {
	clear(rows)
	return rows[:0]
}

func resetEvents(e *schema.EventRows) {
	e.PropertyID, e.PitID, e.TableID, e.Seq = e.PropertyID[:0], e.PitID[:0], e.TableID[:0], e.Seq[:0]
	e.EventID.Reset()
	e.At, e.GamingDay, e.ShoeID, e.Round, e.Kind = e.At[:0], e.GamingDay[:0], e.ShoeID[:0], e.Round[:0], e.Kind[:0]
	e.Format, e.Partition, e.Offset = e.Format[:0], e.Partition[:0], e.Offset[:0]
	e.Raw.Reset()
	e.SHA256.Reset()
}

func resetRounds(r *schema.RoundRows) {
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

func resetWagers(w *schema.WagerRows) {
	w.PropertyID, w.TableID, w.ShoeID, w.Round = w.PropertyID[:0], w.TableID[:0], w.ShoeID[:0], w.Round[:0]
	w.At, w.GamingDay = w.At[:0], w.GamingDay[:0]
	w.WagerID.Reset()
	w.Seat, w.Spot, w.Stake, w.Coupon, w.Medium = w.Seat[:0], w.Spot[:0], w.Stake[:0], w.Coupon[:0], w.Medium[:0]
	w.Patron, w.Disposition, w.Expected = w.Patron[:0], w.Disposition[:0], w.Expected[:0]
	w.Paid, w.ExpectedPaid, w.Collected, w.Returned, w.PlacedSeq = w.Paid[:0], w.ExpectedPaid[:0], w.Collected[:0], w.Returned[:0], w.PlacedSeq[:0]
	w.PlacedAt, w.Late, w.EV, w.LockStake, w.SettleStake = w.PlacedAt[:0], w.Late[:0], w.EV[:0], w.LockStake[:0], w.SettleStake[:0]
}
