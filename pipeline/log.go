package pipeline

// tableLog remembers the events of a table from the oldest shoe that is still open: their ids for
// evidence, their hashes to tell a repeated event from a conflicting one, and their times.
type tableLog struct {
	base  uint64 // seq of the first entry
	ids   []byte
	ends  []uint32
	sums  [][16]byte
	at    []int64
	known map[uint64]uint64 // hash of an event id -> seq
}

// next is the seq after the last entry.
func (l *tableLog) next() uint64 { return l.base + uint64(len(l.ends)) }

// has says whether a seq is remembered.
func (l *tableLog) has(seq uint64) bool { return seq >= l.base && seq < l.next() }

// skip leaves entries for missing events, so that the log stays indexed by seq.
func (l *tableLog) skip(to uint64) {
	if to-l.next() > 1<<16 {
		l.reset(to)
		return
	}
	for l.next() < to {
		l.append("", [16]byte{}, 0)
	}
}

func (l *tableLog) append(id string, sum [16]byte, at int64) {
	if id != "" {
		if l.known == nil {
			l.known = map[uint64]uint64{}
		}
		l.known[hashID(id)] = l.next()
	}
	l.ids = append(l.ids, id...)
	l.ends = append(l.ends, uint32(len(l.ids)))
	l.sums = append(l.sums, sum)
	l.at = append(l.at, at)
}

func (l *tableLog) id(seq uint64) string {
	if !l.has(seq) {
		return ""
	}
	i := seq - l.base
	start := uint32(0)
	if i > 0 {
		start = l.ends[i-1]
	}
	return string(l.ids[start:l.ends[i]])
}

func (l *tableLog) time(seq uint64) int64 {
	if !l.has(seq) {
		return 0
	}
	return l.at[seq-l.base]
}

// seqOf is the seq of an event id, if it is remembered.
func (l *tableLog) seqOf(id string) (uint64, bool) {
	seq, ok := l.known[hashID(id)]
	return seq, ok && l.id(seq) == id
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
	clear(l.known)
	for i := range l.ends {
		if id := l.id(l.base + uint64(i)); id != "" {
			l.known[hashID(id)] = l.base + uint64(i)
		}
	}
}

// reset starts the log anew at a seq.
func (l *tableLog) reset(seq uint64) {
	l.base = seq
	l.ids, l.ends, l.sums, l.at = l.ids[:0], l.ends[:0], l.sums[:0], l.at[:0]
	clear(l.known)
}

// hashID is FNV-1a: the same in every process.
func hashID(id string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(id) {
		h = (h ^ uint64(id[i])) * 1099511628211
	}
	return h
}
