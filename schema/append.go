package schema

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// AppendProto appends the event as binary Protobuf: fields in the order of the contract, without zero values and Has
// fields that are false, maps sorted by key. Decode returns the same event if Decode could have made it.
func AppendProto(dst []byte, ev *Event) []byte { return ev.appendProto(dst) }

// AppendJSON appends the event as JSON on one line, with the guarantees of AppendProto. Words have no prefix, 64-bit
// integers are numbers, times end in Z with 0, 3, 6 or 9 decimals.
func AppendJSON(dst []byte, ev *Event) []byte { return ev.appendJSON(dst) }

// closeChunk inserts the length of dst[n:] before n, where one byte is reserved for it.
func closeChunk(dst []byte, n int) []byte {
	size := len(dst) - n
	if size < 0x80 {
		dst[n-1] = byte(size)
		return dst
	}
	var length [binary.MaxVarintLen64]byte
	wide := binary.PutUvarint(length[:], uint64(size))
	dst = append(dst, length[1:wide]...)
	copy(dst[n-1+wide:], dst[n:n+size])
	copy(dst[n-1:], length[:wide])
	return dst
}

func protoText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendProtoFraction(dst []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
}

// appendProtoMoment appends a google.protobuf.Timestamp with its length.
func appendProtoMoment(dst []byte, ns int64) []byte {
	seconds, nanos := split(ns)
	dst = append(dst, 0)
	n := len(dst)
	if seconds != 0 {
		dst = binary.AppendUvarint(append(dst, 1<<3), uint64(seconds))
	}
	if nanos != 0 {
		dst = binary.AppendUvarint(append(dst, 2<<3), uint64(nanos))
	}
	return closeChunk(dst, n)
}

func appendProtoNumbers[N ~uint32 | ~uint8](dst []byte, list []N) []byte {
	dst = append(dst, 0)
	n := len(dst)
	for _, v := range list {
		dst = binary.AppendUvarint(dst, uint64(v))
	}
	return closeChunk(dst, n)
}

// appendProtoPair appends an entry of a map with its length.
func appendProtoPair(dst []byte, key, val string) []byte {
	dst = append(dst, 0)
	n := len(dst)
	dst = protoText(append(dst, 1<<3|2), key)
	dst = protoText(append(dst, 2<<3|2), val)
	return closeChunk(dst, n)
}

func keys(m map[string]string) []string {
	list := make([]string, 0, len(m))
	for key := range m {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}

// closeObject replaces the comma at start by the opening brace, and closes the object.
func closeObject(dst []byte, start int) []byte {
	if len(dst) == start {
		return append(dst, '{', '}')
	}
	dst[start] = '{'
	return append(dst, '}')
}

func appendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			char, n := utf8.DecodeRuneInString(s[i:])
			if char == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\ufffd"...)
				start = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			const hex = "0123456789abcdef"
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

func appendFraction(dst []byte, v float64) []byte {
	layout := byte('f')
	if v != 0 && v < 1e-6 {
		layout = 'e'
	}
	return strconv.AppendFloat(dst, v, layout, -1, 64)
}

func appendTime(dst []byte, ns int64) []byte {
	return append(appendMoment(append(dst, '"'), ns), '"')
}

func appendNumbers(dst []byte, list []uint32) []byte {
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendUint(dst, uint64(v), 10)
	}
	return append(dst, ']')
}

func appendWords[W interface {
	~uint8
	String() string
}](dst []byte, list []W) []byte {
	dst = append(dst, '[')
	for i, w := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), w.String()...), '"')
	}
	return append(dst, ']')
}

func appendTexts(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendText(dst, s)
	}
	return append(dst, ']')
}

func appendPairs(dst []byte, m map[string]string) []byte {
	dst = append(dst, '{')
	for i, key := range keys(m) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendText(append(appendText(dst, key), ':'), m[key])
	}
	return append(dst, '}')
}

// AppendConfigJSON writes a table's configuration as canonical JSON.
func AppendConfigJSON(dst []byte, c *TableConfig) []byte { return c.appendJSON(dst) }
