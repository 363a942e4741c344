package rows

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"unsafe"

	"github.com/shoeproof/shoeproof/schema"
)

// ArchivedRecord is what the archive has of one record: the row of an event, or a dead letter.
type ArchivedRecord struct {
	Offset               int64
	Property, Pit, Table string
	Seq                  uint64
	EventID              string
	At                   int64
	Shoe                 string
	Round                uint32
	Kind                 string
	Format               schema.Format
	SHA256               []byte // of the stored bytes
	DeadLetter           bool
	// Derived is what ingest made of the record and the ArchiveDigest leaves out: the gaming day of an event, the place
	// and the reason of a dead letter.
	Derived [2]string
}

// ArchiveDigest is the SHA-256 of archived records in the order of their offsets. The journal keeps it, so its bytes
// never change for the same rows.
type ArchiveDigest struct {
	// Records is the number of records.
	Records uint64
	sum     sum
}

// DerivedDigest is the SHA-256 of what was derived from archived records, in the order of their offsets. The journal
// keeps it, too.
type DerivedDigest struct{ sum sum }

// sum is a SHA-256 of many short texts. A write of each would take as long as the hash.
type sum struct {
	hash    hash.Hash
	pending []byte
}

// maxPending is how many bytes wait for the hash.
const maxPending = 4 << 10

// add continues the sum with bytes that were appended to pending.
func (s *sum) add(pending []byte) {
	if s.pending = pending; len(pending) >= maxPending {
		s.flush()
	}
}

func (s *sum) flush() {
	if s.hash == nil {
		s.hash = sha256.New()
	}
	s.hash.Write(s.pending)
	s.pending = s.pending[:0]
}

// hex returns the sum.
func (s *sum) hex() string {
	s.flush()
	return hex.EncodeToString(s.hash.Sum(nil))
}

// Add continues the digest with the next record.
func (d *DerivedDigest) Add(r *ArchivedRecord) {
	b := binary.BigEndian.AppendUint64(d.sum.pending, uint64(r.Offset))
	for _, text := range r.Derived {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	d.sum.add(b)
}

// Sum is the digest in hex.
func (d *DerivedDigest) Sum() string { return d.sum.hex() }

// NoDay is the gaming day that the database has where none is known.
const NoDay = "1900-01-01"

// Add continues the digest with the next record.
func (d *ArchiveDigest) Add(r *ArchivedRecord) {
	b := binary.BigEndian.AppendUint64(d.sum.pending, uint64(r.Offset))
	for _, text := range [...]string{r.Property, r.Pit, r.Table, r.EventID, r.Shoe, r.Kind} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	b = binary.BigEndian.AppendUint64(b, r.Seq)
	b = binary.BigEndian.AppendUint64(b, uint64(r.At))
	b = binary.BigEndian.AppendUint32(b, r.Round)
	b = append(b, byte(r.Format), 0)
	if r.DeadLetter {
		b[len(b)-1] = 1
	}
	d.sum.add(append(b, r.SHA256...))
	d.Records++
}

// Sum is the digest in hex.
func (d *ArchiveDigest) Sum() string { return d.sum.hex() }

// Archived is the number and the digest of the records that a set archives, and the digest of what is derived from
// them. Records that repeat others are not archived.
func (s *Set) Archived() (records uint64, sum, derived string) {
	var d ArchiveDigest
	var of DerivedDigest
	e, dead := &s.Events, s.DeadLetters
	var r ArchivedRecord
	for i, k := 0, 0; i < len(e.Offset) || k < len(dead); {
		if i == len(e.Offset) || k < len(dead) && cmp.Less(dead[k].Offset, e.Offset[i]) {
			sha := sha256.Sum256(dead[k].Raw)
			r = ArchivedRecord{
				Offset: dead[k].Offset, SHA256: sha[:], DeadLetter: true, Derived: [2]string{dead[k].Where, dead[k].Reason},
			}
			k++
		} else {
			id := e.EventID.At(i)
			r = ArchivedRecord{
				Offset: e.Offset[i], Property: e.PropertyID.At(i), Pit: e.PitID.At(i), Table: e.TableID.At(i), Seq: e.Seq[i],
				EventID: unsafe.String(unsafe.SliceData(id), len(id)), At: e.At[i], Shoe: e.ShoeID.At(i), Round: e.Round[i],
				Kind: e.Kind.At(i), Format: e.Format[i], SHA256: e.SHA256.At(i),
				Derived: [2]string{cmp.Or(e.GamingDay.At(i), NoDay)},
			}
			i++
		}
		d.Add(&r)
		of.Add(&r)
	}
	return d.Records, d.Sum(), of.Sum()
}
