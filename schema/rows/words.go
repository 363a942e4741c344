package rows

import (
	"slices"
	"unsafe"
)

// Words is a column of texts of which many are equal: it has each text once, and its number for each value.
type Words struct {
	texts []string
	keys  []uint32
	known map[string]uint32
	// recent are texts by their address: the rows of a table share the strings of their words.
	recent [64]recentWord
}

type recentWord struct {
	at  *byte
	n   int
	key uint32
}

// Append adds a value.
func (w *Words) Append(v string) { w.keys = append(w.keys, w.key(v)) }

// key is the number of a text, which it adds to the texts if it is new.
func (w *Words) key(v string) uint32 {
	at := unsafe.StringData(v)
	r := &w.recent[(uintptr(unsafe.Pointer(at))>>3^uintptr(len(v)))%uintptr(len(w.recent))]
	if r.at != at || r.n != len(v) || at == nil {
		*r = recentWord{at, len(v), w.find(v)}
	}
	return r.key
}

// AppendAll adds the values of another column.
func (w *Words) AppendAll(other *Words) {
	keys := make([]uint32, len(other.texts))
	for i, text := range other.texts {
		keys[i] = w.key(text)
	}
	w.keys = slices.Grow(w.keys, len(other.keys))
	for _, key := range other.keys {
		w.keys = append(w.keys, keys[key])
	}
}

func (w *Words) find(v string) uint32 {
	key, ok := w.known[v]
	if !ok {
		if w.known == nil {
			w.known = map[string]uint32{}
		}
		key = uint32(len(w.texts))
		w.known[v] = key
		w.texts = append(w.texts, v)
	}
	return key
}

// Len is the number of values.
func (w *Words) Len() int { return len(w.keys) }

// At returns a value.
func (w *Words) At(i int) string { return w.texts[w.keys[i]] }

// Texts are the texts, in the order in which they came. They are valid until Reset.
func (w *Words) Texts() []string { return w.texts }

// Keys has the number of each value among the texts. It is valid until Reset.
func (w *Words) Keys() []uint32 { return w.keys }

// Reset empties the column and keeps its storage, but not the texts: they may keep larger buffers alive.
func (w *Words) Reset() {
	clear(w.known)
	clear(w.texts)
	clear(w.recent[:])
	w.texts, w.keys = w.texts[:0], w.keys[:0]
}
