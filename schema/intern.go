package schema

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

const (
	// maxID is the max length of an id in bytes.
	maxID = 256
	// maxInterned is the max length of an interned string in bytes.
	maxInterned = 64
	// internSets is the number of pairs of strings that a decoder interns, a power of two.
	internSets = 4096
	// arenaChunk is the size of one allocation for ids.
	arenaChunk = 4096
)

// interner converts input bytes to strings that are valid UTF-8 and safe to keep, without an allocation if the same
// string was seen lately. It interns plain strings only: short, without quote, backslash or control character. So a
// JSON reader that finds its raw bytes here needs no other check.
type interner struct {
	sets [][2]string
	// The strings of a chunk share its memory. Interned strings have separate chunks: one interned string among ids
	// that are dropped would keep about a hundred of them alive.
	passing, interned []byte
}

func newInterner() interner { return interner{sets: make([][2]string, internSets)} }

// recall returns the interned string of these bytes, or "" with the set for it.
func (t *interner) recall(b []byte) (string, *[2]string) {
	set := &t.sets[hash(b)&(internSets-1)]
	if set[0] == string(b) {
		return set[0], set
	}
	if set[1] == string(b) {
		return set[1], set
	}
	return "", set
}

// learn converts the bytes to a string and interns it if it is plain. Fresh strings share chunks. It returns false if
// the bytes are not UTF-8.
func (t *interner) learn(b []byte, set *[2]string, fresh bool) (string, bool) {
	plain := len(b) <= maxInterned
	for _, c := range b {
		if c < ' ' || c == '"' || c == '\\' {
			plain = false
			break
		}
	}
	if !utf8.Valid(b) {
		return "", false
	}
	var s string
	if fresh {
		s = chunked(&t.interned, b)
	} else {
		s = string(b)
	}
	if plain {
		set[1], set[0] = set[0], s
	}
	return s, true
}

// intern returns the string of these bytes, or false if they are not UTF-8.
func (t *interner) intern(b []byte, fresh bool) (string, bool) {
	if len(b) == 0 {
		return "", true
	}
	s, set := t.recall(b)
	if s != "" {
		return s, true
	}
	return t.learn(b, set, fresh)
}

// fresh copies an id that is unlikely to repeat.
func (t *interner) fresh(b []byte) string { return chunked(&t.passing, b) }

// chunked copies an id into a chunk. The id keeps the whole chunk of 4 KiB alive.
func chunked(chunk *[]byte, b []byte) string {
	if len(b) > maxID {
		return string(b)
	}
	if len(b) > len(*chunk) {
		*chunk = make([]byte, arenaChunk)
	}
	n := copy(*chunk, b)
	s := view((*chunk)[:n:n])
	*chunk = (*chunk)[n:]
	return s
}

func hash(b []byte) uint64 {
	const k0, k1 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	n := len(b)
	var x, y uint64
	switch {
	case n > 16:
		var h uint64 = k0
		for i := 0; i+16 < n; i += 16 {
			h = mix(binary.LittleEndian.Uint64(b[i:])^h, binary.LittleEndian.Uint64(b[i+8:])^k1)
		}
		x, y = binary.LittleEndian.Uint64(b[n-16:])^h, binary.LittleEndian.Uint64(b[n-8:])
	case n >= 8:
		x, y = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		x, y = uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[n-4:]))
	case n > 0:
		x, y = uint64(b[0])|uint64(b[n/2])<<8, uint64(b[n-1])
	}
	return mix(x^k0, y^k1^uint64(n))
}

func mix(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}
