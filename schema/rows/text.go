package rows

import "sync"

// Text is a column of byte strings. They are in blocks of memory, none of which is copied when the column grows.
type Text struct {
	from   *Blocks // shared with other columns, or its own
	blocks [][]byte
	ends   []place
}

// place is where a value ends: the next one begins there, or at the start of the next block.
type place struct{ block, end uint32 }

// Append adds a value, copying it.
func (t *Text) Append(v []byte) {
	block := t.room(len(v))
	*block = append(*block, v...)
	t.ends = append(t.ends, place{uint32(len(t.blocks) - 1), uint32(len(*block))})
}

// AppendString adds a value, copying it.
func (t *Text) AppendString(v string) {
	block := t.room(len(v))
	*block = append(*block, v...)
	t.ends = append(t.ends, place{uint32(len(t.blocks) - 1), uint32(len(*block))})
}

// room is a block that has room for n more bytes.
func (t *Text) room(n int) *[]byte {
	if last := len(t.blocks) - 1; last >= 0 {
		if block := &t.blocks[last]; cap(*block)-len(*block) >= n {
			return block
		}
	}
	return t.another(n)
}

func (t *Text) another(n int) *[]byte {
	if t.from == nil {
		t.from = &Blocks{}
	}
	t.blocks = append(t.blocks, t.from.take(n))
	return &t.blocks[len(t.blocks)-1]
}

// Len is the number of values.
func (t *Text) Len() int { return len(t.ends) }

// At returns a value. It is valid until Reset.
func (t *Text) At(i int) []byte {
	to, start := t.ends[i], uint32(0)
	if i > 0 && t.ends[i-1].block == to.block {
		start = t.ends[i-1].end
	}
	return t.blocks[to.block][start:to.end:to.end]
}

// Reset empties the column and gives its blocks back.
func (t *Text) Reset() {
	for i, block := range t.blocks {
		t.from.give(block)
		t.blocks[i] = nil
	}
	t.blocks, t.ends = t.blocks[:0], t.ends[:0]
}

// Blocks are the memory of the texts of several sets: what one set does not need any more, the next one uses. Their
// methods may be called concurrently.
type Blocks struct {
	mu   sync.Mutex
	free [][]byte
}

// blockSize is small beside a full batch, because the last block of each column is partly empty.
const blockSize = 64 << 10

// take returns an empty block for at least n bytes.
func (b *Blocks) take(n int) []byte {
	if n > blockSize {
		return make([]byte, 0, n)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if last := len(b.free) - 1; last >= 0 {
		block := b.free[last]
		b.free[last], b.free = nil, b.free[:last]
		return block
	}
	return make([]byte, 0, blockSize)
}

// give takes a block back, unless it was made for one long value.
func (b *Blocks) give(block []byte) {
	if cap(block) != blockSize {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free = append(b.free, block[:0])
}
