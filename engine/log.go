package engine

import "bytes"

// tableLog remembers the events of a table from the oldest shoe that is still open: their ids for
// evidence, their hashes to tell a repeated event from a conflicting one, and their times. It is a
// few columns without pointers, about 70 bytes an event.
type tableLog struct {
	base uint64 // seq of the first entry
	ids  []byte
	ends []uint32
	sums [][16]byte
	at   []int64
	// slots find an entry by its id: 1 + its index, at the hash of the id or the next free slot
	// behind it. Their number is a power of two, at least half of them 0.
	slots []uint32 `memory:"-"`
	used  int      `memory:"-"`
}

// sparse is the number of missing events that the log keeps empty entries for; a longer hole starts
// it anew, so that a wild seq takes no memory.
const sparse = 1 << 12

// next is the seq after the last entry.
func (l *tableLog) next() uint64 { return l.base + uint64(len(l.ends)) }

// has says whether a seq is remembered.
func (l *tableLog) has(seq uint64) bool { return seq >= l.base && seq-l.base < uint64(len(l.ends)) }

// skip leaves entries for missing events, so that the log stays indexed by seq.
func (l *tableLog) skip(to uint64) {
	if to-l.next() > sparse {
		l.reset(to)
		return
	}
	for l.next() < to {
		l.append("", [16]byte{}, 0)
	}
}

func (l *tableLog) append(id string, sum [16]byte, at int64) {
	l.ids = append(l.ids, id...)
	l.ends = append(l.ends, uint32(len(l.ids)))
	l.sums = append(l.sums, sum)
	l.at = append(l.at, at)
	if id == "" {
		return
	}
	if 2*(l.used+1) > len(l.slots) {
		l.index(max(64, 2*len(l.slots)))
		return
	}
	l.put(len(l.ends) - 1)
}

// index makes the slots anew.
func (l *tableLog) index(size int) {
	if size > len(l.slots) {
		l.slots = make([]uint32, size)
	}
	clear(l.slots)
	l.used = 0
	for i := range l.ends {
		if len(l.bytes(i)) > 0 {
			l.put(i)
		}
	}
}

// put enters the latest entry of an id; it takes the place of an older one of the same id.
func (l *tableLog) put(entry int) {
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

// seqOf is the seq of an event id, if it is remembered.
func (l *tableLog) seqOf(id string) (uint64, bool) {
	if len(l.slots) == 0 {
		return 0, false
	}
	mask := uint32(len(l.slots) - 1)
	for at := hashID(id) & mask; l.slots[at] != 0; at = (at + 1) & mask {
		if entry := int(l.slots[at] - 1); string(l.bytes(entry)) == id {
			return l.base + uint64(entry), true
		}
	}
	return 0, false
}

// bytes are the id of an entry.
func (l *tableLog) bytes(entry int) []byte {
	start := uint32(0)
	if entry > 0 {
		start = l.ends[entry-1]
	}
	return l.ids[start:l.ends[entry]]
}

func (l *tableLog) id(seq uint64) string {
	if !l.has(seq) {
		return ""
	}
	return string(l.bytes(int(seq - l.base)))
}

// sum is the hash of an event that is remembered.
func (l *tableLog) sum(seq uint64) [16]byte { return l.sums[seq-l.base] }

func (l *tableLog) time(seq uint64) int64 {
	if !l.has(seq) {
		return 0
	}
	return l.at[seq-l.base]
}

// forget drops the entries below a seq.
func (l *tableLog) forget(below uint64) {
	if below <= l.base {
		return
	}
	n := min(below-l.base, uint64(len(l.ends)))
	var cut uint32
	if n > 0 {
		cut = l.ends[n-1]
	}
	l.ids = append(l.ids[:0], l.ids[cut:]...)
	l.ends = append(l.ends[:0], l.ends[n:]...)
	for i := range l.ends {
		l.ends[i] -= cut
	}
	l.sums = append(l.sums[:0], l.sums[n:]...)
	l.at = append(l.at[:0], l.at[n:]...)
	l.base += n
	l.index(0)
}

// reset starts the log anew at a seq.
func (l *tableLog) reset(seq uint64) {
	l.base = seq
	l.ids, l.ends, l.sums, l.at = l.ids[:0], l.ends[:0], l.sums[:0], l.at[:0]
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
