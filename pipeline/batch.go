package pipeline

import (
	"time"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// Batch is the rows of one range of a partition: one flush, one token.
type Batch struct {
	Range Range
	// Began is when the first record was applied, by RunOptions.Now; zero without records. No row depends on it.
	Began time.Time

	rows.Set
}

// Range is the records that a batch covers: offsets From to To, both inclusive.
type Range struct {
	Topic     string
	Partition int32
	From, To  int64
	// Low is the first offset that must be read to make this batch again, with the snapshots of tables from before From;
	// Clock is the partition's clock before it.
	Low, Clock int64
	// Generation identifies the owner of a partition: each new owner has a higher one.
	Generation int32
	// Epoch is how often the log has been truncated. The first range after a truncation has the offsets Cut to Lost,
	// which were audited and are lost: the log has other records there now. In other ranges they are 0.
	Epoch     uint32
	Cut, Lost int64
	// Released are the tables whose holes were given up after the record To, in order. The batch has the rows of the
	// last of them: the range was made durable before, and its rows are not part of this batch.
	Released []Table
	// Beside is the number of findings about the machine and of earlier snapshots in a range that is written again: Rows
	// and Hash exclude them.
	Beside  int
	Records uint64
	// CRC is CRC-32C over offsets and values of the records, Rows and Hash are the number and the SHA-256, in
	// hex, of the rows. A Run without a journal leaves them out.
	CRC  uint32
	Rows uint64
	Hash string
	// Archived and ArchivedSum are the number and the digest of the records that the range archives. After a release they
	// are those of the range, whose rows the batch does not have. A Run without a journal leaves them to the sink.
	Archived    uint64
	ArchivedSum string
	// DerivedSum is the digest of what is derived from these records.
	DerivedSum string
}

// Table names a table of a partition.
type Table struct{ PropertyID, TableID string }

// Reset empties the batch and keeps the storage of its rows.
func (b *Batch) Reset() {
	b.Range, b.Began = Range{}, time.Time{}
	b.Set.Reset()
}
