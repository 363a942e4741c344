package order

import "bytes"

// Log has the events of a table from the oldest shoe that is still open: their ids for evidence, their hashes to
// distinguish a repetition from a conflict, and their times. It is a few columns without pointers, about 70 bytes an
// event.
type Log struct {
	LogState
	// slots find an entry by its id: 1 + its index, at the hash of the id or the next free slot behind it. Their number
	// is a power of two, and at least half of them are 0.
	slots []uint32
	used  int
}

// LogState is the log of a snapshot.
type LogState struct {
	Base uint64 // seq of the first entry
	IDs  []byte
	Ends []uint32
	Sums [][16]byte
	At   []int64
}

// sparse is the number of missing events for which the log keeps empty entries. A longer gap empties the log, so that a
// wild seq takes no memory.
const sparse = 1 << 12

// Next is the seq after the last entry.
func (l *Log) Next() uint64 { return l.Base + uint64(len(l.Ends)) }

// has is true if the log has an entry for a seq.
func (l *Log) has(seq uint64) bool { return seq >= l.Base && seq-l.Base < uint64(len(l.Ends)) }

// skip leaves entries for missing events, so that the log stays indexed by seq.
func (l *Log) skip(to uint64) {
	if to-l.Next() > sparse {
		l.reset(to)
		return
	}
	for l.Next() < to {
		l.append("", [16]byte{}, 0)
	}
}

func (l *Log) append(id string, sum [16]byte, at int64) {
	l.IDs = append(l.IDs, id...)
	l.Ends = append(l.Ends, uint32(len(l.IDs)))
	l.Sums = append(l.Sums, sum)
	l.At = append(l.At, at)
	if id == "" {
		return
	}
	if 2*(l.used+1) > len(l.slots) {
		l.index(max(64, 2*len(l.slots)))
		return
	}
	l.put(len(l.Ends) - 1)
}

// index fills the slots.
func (l *Log) index(size int) {
	if size > len(l.slots) {
		l.slots = make([]uint32, size)
	}
	clear(l.slots)
	l.used = 0
	for i := range l.Ends {
		if len(l.bytes(i)) > 0 {
			l.put(i)
		}
	}
}

// put enters the latest entry of an id; it takes the place of an older one of the same id.
func (l *Log) put(entry int) {
	id := l.bytes(entry)
	mask := uint32(len(l.slots) - 1)
	at := hashID(id) & mask
	for l.slots[at] != 0 {
		if bytes.Equal(l.bytes(int(l.slots[at]-1)), id) {
			l.slots[at] = uint32(entry + 1)
			return
		}
		at = (at + 1) & mask
	}
	l.slots[at] = uint32(entry + 1)
	l.used++
}

// seqOf is the seq of an event id, if the log has it.
func (l *Log) seqOf(id string) (uint64, bool) {
	if len(l.slots) == 0 {
		return 0, false
	}
	mask := uint32(len(l.slots) - 1)
	for at := hashID(id) & mask; l.slots[at] != 0; at = (at + 1) & mask {
		if entry := int(l.slots[at] - 1); string(l.bytes(entry)) == id {
			return l.Base + uint64(entry), true
		}
	}
	return 0, false
}

// bytes are the id of an entry.
func (l *Log) bytes(entry int) []byte {
	start := uint32(0)
	if entry > 0 {
		start = l.Ends[entry-1]
	}
	return l.IDs[start:l.Ends[entry]]
}

// ID is the id of an event, empty if the log does not have it.
func (l *Log) ID(seq uint64) string {
	if !l.has(seq) {
		return ""
	}
	return string(l.bytes(int(seq - l.Base)))
}

// sum is the hash of an event that the log has.
func (l *Log) sum(seq uint64) [16]byte { return l.Sums[seq-l.Base] }

// Time is the event time of an event in ns UTC, 0 if the log does not have it.
func (l *Log) Time(seq uint64) int64 {
	if !l.has(seq) {
		return 0
	}
	return l.At[seq-l.Base]
}

// Forget drops the entries below a seq.
func (l *Log) Forget(below uint64) {
	if below <= l.Base {
		return
	}
	n := min(below-l.Base, uint64(len(l.Ends)))
	var cut uint32
	if n > 0 {
		cut = l.Ends[n-1]
	}
	l.IDs = append(l.IDs[:0], l.IDs[cut:]...)
	l.Ends = append(l.Ends[:0], l.Ends[n:]...)
	for i := range l.Ends {
		l.Ends[i] -= cut
	}
	l.Sums = append(l.Sums[:0], l.Sums[n:]...)
	l.At = append(l.At[:0], l.At[n:]...)
	l.Base += n
	l.index(0)
}

// reset empties the log; its next entry has this seq.
func (l *Log) reset(seq uint64) {
	l.Base = seq
	l.IDs, l.Ends, l.Sums, l.At = l.IDs[:0], l.Ends[:0], l.Sums[:0], l.At[:0]
	clear(l.slots)
	l.used = 0
}

// hashID is FNV-1a, folded to 32 bits: the same in every process.
func hashID[T string | []byte](id T) uint32 {
	h := uint64(14695981039346656037)
	for i := range len(id) {
		h = (h ^ uint64(id[i])) * 1099511628211
	}
	return uint32(h ^ h>>32)
}
