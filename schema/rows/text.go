package rows

// Text is a column of byte strings in one buffer.
type Text struct {
	data []byte
	ends []int
}

// Append adds a value, copying it.
func (t *Text) Append(v []byte) {
	t.data = append(t.data, v...)
	t.ends = append(t.ends, len(t.data))
}

// AppendString adds a value, copying it.
func (t *Text) AppendString(v string) {
	t.data = append(t.data, v...)
	t.ends = append(t.ends, len(t.data))
}

// Len is the number of values.
func (t *Text) Len() int { return len(t.ends) }

// Size is the number of bytes of all values.
func (t *Text) Size() int { return len(t.data) }

// All are the bytes of all values. They are valid until Reset.
func (t *Text) All() []byte { return t.data }

// At returns a value. It is valid until Reset.
func (t *Text) At(i int) []byte {
	start := 0
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.data[start:t.ends[i]:t.ends[i]]
}

// Reset empties the column and keeps its storage.
func (t *Text) Reset() { t.data, t.ends = t.data[:0], t.ends[:0] }
