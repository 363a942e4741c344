package schema

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// The readers of binary Protobuf. b ends where the message ends, i is the position in the record.

// varint reads a number; next is -1 without one.
func varint(b []byte, i int) (v uint64, next int) {
	if i < len(b) && b[i] < 0x80 {
		return uint64(b[i]), i + 1
	}
	return longVarint(b, i)
}

// longVarint is not inlined, so that varint, its only caller, can be inlined.
//
//go:noinline
func longVarint(b []byte, i int) (uint64, int) {
	var v uint64
	for shift := uint(0); shift < 64 && i < len(b); shift += 7 {
		c := b[i]
		i++
		if c < 0x80 {
			if shift == 63 && c > 1 {
				return 0, -1
			}
			return v | uint64(c)<<shift, i
		}
		v |= uint64(c&0x7f) << shift
	}
	return 0, -1
}

// chunk reads a length; end is -1 if fewer bytes follow.
func chunk(b []byte, i int) (start, end int) {
	n, start := varint(b, i)
	if start < 0 || n > uint64(len(b)-start) {
		return 0, -1
	}
	return start, start + int(n)
}

func rejectShort(field string, at int) *RejectError {
	return reject(field, at, "the record ends, or the number does not, within the value")
}

func rejectTwice(field string, at int) *RejectError {
	return reject(field, at, "given twice, expected once")
}

// rejectTag rejects a tag that is unknown or repeated.
// fields is " 1=name 2=name ".
func rejectTag(b []byte, at int, tag uint64, fields string, twice bool) *RejectError {
	number := strconv.FormatUint(tag>>3, 10)
	_, rest, known := strings.Cut(fields, " "+number+"=")
	name, _, _ := strings.Cut(rest, " ")
	switch {
	case known && twice:
		return rejectTwice(name, at)
	case known:
		return reject(name, at, "wire type %d is not the contract's", tag&7)
	case at >= len(b):
		return rejectShort("", at)
	}
	return reject("", at, "unknown field number %s (wire type %d)", number, tag&7)
}

func rejectUint32(field string, at int, v uint64) *RejectError {
	return reject(field, at, "%d is too large, expected at most %d", v, uint32(math.MaxUint32))
}

func rejectFlag(field string, at int, v uint64) *RejectError {
	return reject(field, at, "%d is no bool, expected 0 or 1", v)
}

func rejectNumber(field string, at int, v uint64, words string) *RejectError {
	return reject(field, at, "%d is the number of no word, expected one of %s", int64(v), words)
}

func rejectNegative(field string, at int, v int64) *RejectError {
	return reject(field, at, "%d is negative, expected 0 or more", v)
}

// MaxAmount is the largest amount of money of an event, in minor units. The amounts of all events of a shoe, of which
// there are at most 2^20, have a sum below 2^63.
const MaxAmount = 8_000_000_000_000

// beyond reports whether an amount is larger than any of an event, in either direction.
func beyond(v int64) bool { return v > MaxAmount || v < -MaxAmount }

func rejectMoney(field string, at int, v int64) *RejectError {
	return reject(field, at, "%d minor units, expected at most %d", v, MaxAmount)
}

func rejectFraction(field string, at int, v float64) *RejectError {
	return reject(field, at, "%v is out of range, expected 0 to 1", v)
}

func rejectCard(field string, at int, b []byte) *RejectError {
	return reject(field, at, "%s is no card, %s", shown(b), wantCard)
}

func rejectText(field string, at int, b []byte, id bool) *RejectError {
	if id && len(b) > maxID {
		return reject(field, at, "an id of %d bytes, expected at most %d", len(b), maxID)
	}
	return reject(field, at, "not valid UTF-8") // the text may name a patron, and reasons are logged
}

// protoMoment reads a google.protobuf.Timestamp.
func protoMoment(b []byte, i int, field string) (int64, *RejectError) {
	start := i
	if ns, ok := stamp(b, i); ok {
		return ns, nil
	}
	var seconds, nanos, v uint64
	var seen uint64
	for i < len(b) {
		at := i
		var tag uint64
		tag, i = varint(b, i)
		if i < 0 {
			return 0, rejectShort(field, at)
		}
		bit := uint64(1) << (tag >> 3)
		if seen&bit != 0 || (tag != 1<<3 && tag != 2<<3) {
			return 0, rejectTag(b, at, tag, " 1=seconds 2=nanos ", seen&bit != 0).in(field)
		}
		seen |= bit
		v, i = varint(b, i)
		if i < 0 {
			return 0, rejectShort(field, at)
		}
		if tag == 1<<3 {
			seconds = v
		} else {
			nanos = v
		}
	}
	if nanos >= uint64(second) {
		return 0, reject(field, start, "%d nanoseconds, expected 0 to 999999999", int64(nanos))
	}
	ns, ok := moment(int64(seconds), int64(nanos))
	if !ok {
		return 0, reject(field, start, "%d s %d ns: %s", int64(seconds), nanos, wantMoment)
	}
	return ns, nil
}

// stamp reads a Timestamp as it is nearly always written: seconds of five bytes, which they have from 1978 to 3058,
// then nanoseconds. It is false for any other form, and for a Timestamp that is rejected.
func stamp(b []byte, i int) (int64, bool) {
	if len(b)-i < 8 {
		return 0, false
	}
	x := binary.LittleEndian.Uint64(b[i:])
	if x&0xff_80_80808080_ff != 0x10_00_80808080_08 { // tag, five bytes of which one is the last, tag
		return 0, false
	}
	nanos, end := varint(b, i+7)
	if end != len(b) || nanos >= uint64(second) {
		return 0, false
	}
	x >>= 8
	return moment(int64(x&0x7f|x>>1&(0x7f<<7)|x>>2&(0x7f<<14)|x>>3&(0x7f<<21)|x>>4&(0x7f<<28)), int64(nanos))
}

// protoPair reads one entry of a map<string, string> into m.
func (d *Decoder) protoPair(b []byte, i int, field string, odds bool, m *map[string]string) *RejectError {
	start := i
	var key, val string
	var seen uint64
	for i < len(b) {
		at := i
		var tag uint64
		tag, i = varint(b, i)
		if i < 0 {
			return rejectShort(field, at)
		}
		bit := uint64(1) << (tag >> 3)
		if seen&bit != 0 || (tag != 1<<3|2 && tag != 2<<3|2) {
			return rejectTag(b, at, tag, " 1=key 2=value ", seen&bit != 0).in(field)
		}
		seen |= bit
		from, to := chunk(b, i)
		if to < 0 {
			return rejectShort(field, at)
		}
		s, ok := d.intern(b[from:to], false)
		if !ok {
			return rejectText(field, at, b[from:to], false)
		}
		if tag == 1<<3|2 {
			key = s
		} else {
			val = s
		}
		i = to
	}
	if r := put(m, key, val, field, start); r != nil || !odds {
		return r
	}
	return checkOdds(key, val, field, start)
}

// put adds an entry to a map, which may be nil.
func put(m *map[string]string, key, val, field string, at int) *RejectError {
	if _, twice := (*m)[key]; twice {
		return reject(field, at, "the key %q is given twice, expected once", key)
	}
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[key] = val
	return nil
}

func checkOdds(key, val, field string, at int) *RejectError {
	if !isOdds(val) {
		return reject(field+"."+key, at, "%q: %s", val, wantOdds)
	}
	return nil
}

// protoNumbers reads a packed list.
func protoNumbers(dst []uint32, b []byte, i int, field string) ([]uint32, *RejectError) {
	for i < len(b) {
		at := i
		var v uint64
		v, i = varint(b, i)
		if i < 0 {
			return dst, rejectShort(field, at)
		}
		if v > math.MaxUint32 {
			return dst, rejectUint32(field, at, v)
		}
		dst = append(dst, uint32(v))
	}
	return dst, nil
}

// protoWords reads a packed list of words, numbered 1 to last.
func protoWords[W word[W]](dst []W, b []byte, i int, field string, last uint64) ([]W, *RejectError) {
	for i < len(b) {
		at := i
		var v uint64
		v, i = varint(b, i)
		if i < 0 {
			return dst, rejectShort(field, at)
		}
		if v-1 >= last {
			return dst, rejectNumber(field, at, v, W(0).words())
		}
		dst = append(dst, W(v))
	}
	return dst, nil
}
