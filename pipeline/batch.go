package pipeline

import "github.com/shoeproof/shoeproof/schema/rows"

// Batch is all that one range of a partition gave: one flush, one token.
type Batch struct {
	Range Range

	rows.Set
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

// Reset empties the batch and keeps the storage of its rows.
func (b *Batch) Reset() {
	b.Range = Range{}
	b.Set.Reset()
}
