package order

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Log has the events of a table from the oldest shoe that is still open: their ids for evidence, their hashes to
// distinguish a repetition from a conflict, and their times. It is bytes without pointers, about 70 an event.
type Log struct {
	LogState
	// slots find an entry by its id, at the hash of the id or the next free slot behind it. Their number is a power of
	// two, and at least half of them are free. tags has a byte of the hash of each slot, 0 if it is free: of a table that
	// comes round again the tags are still in the cache of the processor, when the slots, four times as many bytes, are
	// not. An id that is new mostly reads tags alone.
	slots []uint32
	tags  []uint8
	used  int
}

// tagOf is a byte of a hash that is not 0, from bits that do not choose the slot.
func tagOf(hash uint64) uint8 { return uint8(hash>>56) | 1 }

// LogState is the log of a snapshot: the encoder copies its bytes, while numbers cost it a call each.
type LogState struct {
	Base uint64 // seq of the first entry
	IDs  []byte
	// Entries has entrySize bytes of each event: its hash, its time, and where its id ends in IDs, little-endian.
	Entries []byte
	// Past has the first pastSize bytes of the hashes of the latest events before the first entry, at most maxPast.
	Past []byte
}

const (
	entryTime = 16
	entryEnd  = entryTime + 8
	entrySize = entryEnd + 4
)

// The events that are forgotten leave a few bytes of their hashes, so that a repetition with other bytes is a conflict
// also after its shoe is gone. They are copied when the log forgets, so that they cost nothing an event.
const (
	pastSize = 4
	maxPast  = 2048
)

// size is the number of entries.
func (l *LogState) size() int { return len(l.Entries) / entrySize }

// entry is the bytes of an entry.
func (l *LogState) entry(i int) []byte { return l.Entries[i*entrySize:][:entrySize] }

// end is where the id of an entry ends, which is where that of the next one starts.
func (l *LogState) end(i int) uint32 {
	if i < 0 {
		return 0
	}
	return binary.LittleEndian.Uint32(l.entry(i)[entryEnd:])
}

// sparse is the number of missing events for which the log keeps empty entries. A longer gap empties the log, so that a
// wild seq takes no memory.
const sparse = 1 << 12

// Next is the seq after the last entry.
func (l *Log) Next() uint64 { return l.Base + uint64(l.size()) }

// has is true if the log has an entry for a seq.
func (l *Log) has(seq uint64) bool { return seq >= l.Base && seq < l.Next() }

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

// enter appends an event. If the log has an event of this id, it returns the seq of that event and true, and the new
// entry has no id.
func (l *Log) enter(id string, sum [16]byte, at int64) (uint64, bool) {
	if 2*(l.used+1) > len(l.slots) {
		l.index(max(64, 2*len(l.slots)))
	}
	hash := hashID([]byte(id))
	free := l.find(hash, []byte(id))
	if l.tags[free] != 0 {
		l.append("", sum, at)
		return l.Base + uint64(l.slots[free]), true
	}
	l.append(id, sum, at)
	l.set(free, hash, l.size()-1)
	return 0, false
}

// append adds an entry that no slot finds.
func (l *Log) append(id string, sum [16]byte, at int64) {
	l.IDs = append(l.IDs, id...)
	l.Entries = append(l.Entries, sum[:]...)
	l.Entries = binary.LittleEndian.AppendUint64(l.Entries, uint64(at))
	l.Entries = binary.LittleEndian.AppendUint32(l.Entries, uint32(len(l.IDs)))
}

// index fills the slots. The latest entry of an id takes the place of an older one.
func (l *Log) index(size int) {
	if size > len(l.slots) {
		l.slots, l.tags = make([]uint32, size), make([]uint8, size)
	}
	clear(l.tags)
	l.used = 0
	for i := range l.size() {
		id := l.bytes(i)
		if len(id) == 0 {
			continue
		}
		hash := hashID(id)
		l.set(l.find(hash, id), hash, i)
	}
}

// set lets a slot find an entry.
func (l *Log) set(at int, hash uint64, entry int) {
	if l.tags[at] == 0 {
		l.used++
	}
	l.tags[at], l.slots[at] = tagOf(hash), uint32(entry)
}

// find is the slot of an id, or the free slot for it.
func (l *Log) find(hash uint64, id []byte) int {
	tags, tag := l.tags, tagOf(hash)
	mask := len(tags) - 1
	at := int(uint32(hash)) & mask
	for ; tags[at] != 0; at = (at + 1) & mask {
		if tags[at] == tag && string(l.bytes(int(l.slots[at]))) == string(id) {
			break
		}
	}
	return at
}

// bytes are the id of an entry.
func (l *Log) bytes(entry int) []byte { return l.IDs[l.end(entry-1):l.end(entry)] }

// ID is the id of an event, empty if the log does not have it.
func (l *Log) ID(seq uint64) string {
	if !l.has(seq) {
		return ""
	}
	return string(l.bytes(int(seq - l.Base)))
}

// sum is the hash of an event that the log has.
func (l *Log) sum(seq uint64) [16]byte { return [16]byte(l.entry(int(seq - l.Base))) }

// Time is the event time of an event in ns UTC, 0 if the log does not have it.
func (l *Log) Time(seq uint64) int64 {
	if !l.has(seq) {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(l.entry(int(seq - l.Base))[entryTime:]))
}

// past is the beginning of the hash of an event that the log has without its id or has forgotten, nil if it does not
// know.
func (l *Log) past(seq uint64) []byte {
	n := uint64(len(l.Past) / pastSize)
	var was []byte
	switch {
	case l.has(seq):
		was = l.entry(int(seq - l.Base))[:pastSize]
	case seq < l.Base && l.Base-seq <= n:
		was = l.Past[(n-(l.Base-seq))*pastSize:][:pastSize]
	}
	if was == nil || bytes.Equal(was, make([]byte, pastSize)) {
		return nil
	}
	return was
}

// pass keeps the beginnings of the hashes of the first n entries.
func (l *Log) pass(n int) {
	if over := len(l.Past)/pastSize + n - maxPast; over > 0 {
		l.Past = append(l.Past[:0], l.Past[min(over*pastSize, len(l.Past)):]...)
	}
	for i := max(n-maxPast, 0); i < n; i++ {
		l.Past = append(l.Past, l.entry(i)[:pastSize]...)
	}
}

// Forget drops the entries below a seq.
func (l *Log) Forget(below uint64) {
	if below <= l.Base {
		return
	}
	n := min(below, l.Next()) - l.Base
	cut := l.end(int(n) - 1)
	l.pass(int(n))
	l.IDs = append(l.IDs[:0], l.IDs[cut:]...)
	l.Entries = append(l.Entries[:0], l.Entries[n*entrySize:]...)
	for i := range l.size() {
		binary.LittleEndian.PutUint32(l.entry(i)[entryEnd:], l.end(i)-cut)
	}
	l.Base += n
	l.index(0)
}

// reset empties the log; its next entry has this seq.
func (l *Log) reset(seq uint64) {
	l.Base = seq
	l.IDs, l.Entries, l.Past = l.IDs[:0], l.Entries[:0], l.Past[:0]
	clear(l.tags)
	l.used = 0
}

// hashID mixes eight bytes at a time: the same in every process.
func hashID(id []byte) uint64 {
	const k = 0x9e3779b97f4a7c15
	h := uint64(len(id)) * k
	for ; len(id) >= 8; id = id[8:] {
		h = mix(h^binary.LittleEndian.Uint64(id), k)
	}
	var tail uint64
	for i, b := range id {
		tail |= uint64(b) << (8 * i)
	}
	return mix(h^tail, k)
}

func mix(x, y uint64) uint64 {
	high, low := bits.Mul64(x, y)
	return high ^ low
}
