package schema

import (
	"math"
	"unicode/utf8"
)

// maxKnown is the max number of bytes of a span that the decoder knows again.
const maxKnown = 63

// span is the bytes of adjacent fields that often recur together.
type span struct {
	bytes [maxKnown]byte
	n     uint8
}

func (s *span) is(b []byte) bool { return string(s.bytes[:s.n&maxKnown]) == string(b) }

func (s *span) set(b []byte) { s.n = uint8(copy(s.bytes[:], b)) }

// place is property, pit and table of events, and the last shoe there.
type place struct {
	span
	property, pit, table, shoe string
}

// witness is actor and source of events, and the last camera there.
type witness struct {
	span
	actor  Actor
	source Source
	camera string
}

// heads holds what events repeat before their payloads, each at the hash of its span.
type heads struct {
	places    [256]place
	witnesses [512]witness
	spare     place // of an event whose place is not in its usual form
}

// head reads the fields in front of the payload as far as they are in their usual order and form. It returns where the
// next field begins, and a bit for each field that it read. It rejects nothing: protoEvent reads the field at which it
// stops, and has the reason.
func (d *Decoder) head(b []byte, m *Event) (i int, seen uint64) {
	if from, to := next(b, 0, 1<<3|2); to > 0 && utf8.Valid(b[from:to]) {
		m.EventID, i, seen = d.fresh(b[from:to]), to, 1<<1
	}
	p, i, seen := d.place(b, i, seen, m)
	if i < len(b) && b[i] == 5<<3 {
		if v, end := varint(b, i+1); end > 0 {
			m.Seq, i, seen = v, end, seen|1<<5
		}
	}
	at := b[:0]
	if from, to := next(b, i, 6<<3|2); to > 0 {
		if ns, ok := stamp(b[:to], from); ok {
			m.At, at, i, seen = ns, b[from:to], to, seen|1<<6
		}
	}
	if from, to := next(b, i, 7<<3|2); to > 0 {
		if p.shoe != string(b[from:to]) {
			v, ok := d.intern(b[from:to], false)
			if !ok {
				return i, seen
			}
			p.shoe = v
		}
		m.ShoeID, i, seen = p.shoe, to, seen|1<<7
	}
	if i < len(b) && b[i] == 8<<3 {
		if v, end := varint(b, i+1); end > 0 && v <= math.MaxUint32 {
			m.Round, i, seen = uint32(v), end, seen|1<<8
		}
	}
	return d.witness(b, i, seen, at, m)
}

// next is a field at i: where its text or message begins and ends. The end is 0 if another field is there, or a length
// of two bytes.
func next(b []byte, i int, tag byte) (from, to int) {
	if i+1 < len(b) && b[i] == tag && b[i+1] < 0x80 && int(b[i+1]) <= len(b)-i-2 {
		return i + 2, i + 2 + int(b[i+1])
	}
	return 0, 0
}

// place reads property, pit and table, and returns the place of their span. It reads all of them, or none.
func (d *Decoder) place(b []byte, i int, seen uint64, m *Event) (*place, int, uint64) {
	property, e2 := next(b, i, 2<<3|2)
	pit, e3 := next(b, e2, 3<<3|2)
	table, e4 := next(b, e3, 4<<3|2)
	if e2 == 0 || e3 == 0 || e4 == 0 || e4-i > maxKnown {
		return &d.spare, i, seen
	}
	p := &d.places[hash(b[i:e4])%uint64(len(d.places))]
	if !p.is(b[i:e4]) {
		v2, ok2 := d.intern(b[property:e2], false)
		v3, ok3 := d.intern(b[pit:e3], false)
		v4, ok4 := d.intern(b[table:e4], false)
		if !ok2 || !ok3 || !ok4 {
			return &d.spare, i, seen
		}
		p.set(b[i:e4])
		p.property, p.pit, p.table, p.shoe = v2, v3, v4, ""
	}
	m.PropertyID, m.PitID, m.TableID = p.property, p.pit, p.table
	return p, e4, seen | 1<<2 | 1<<3 | 1<<4
}

// witness reads actor, source and video, of which the last mostly has the time of the event. It reads actor and source,
// or none.
func (d *Decoder) witness(b []byte, i int, seen uint64, at []byte, m *Event) (int, uint64) {
	actor, e9 := next(b, i, 9<<3|2)
	source, e10 := next(b, e9, 10<<3|2)
	if e9 == 0 || e10 == 0 || e10-i > maxKnown {
		return i, seen
	}
	w := &d.witnesses[hash(b[i:e10])%uint64(len(d.witnesses))]
	if !w.is(b[i:e10]) {
		var a Actor
		var s Source
		if d.protoActor(b[:e9], actor, &a) != nil || d.protoSource(b[:e10], source, &s) != nil {
			return i, seen
		}
		w.set(b[i:e10])
		w.actor, w.source, w.camera = a, s, ""
	}
	m.Actor, m.Source = w.actor, w.source
	i, seen = e10, seen|1<<9|1<<10
	video, end := next(b, i, 11<<3|2)
	camera, to := next(b[:end], video, 1<<3|2)
	moment, last := next(b[:end], to, 2<<3|2)
	if end == 0 || to == 0 || last != end || string(b[moment:last]) != string(at) || len(at) == 0 {
		return i, seen
	}
	if w.camera != string(b[camera:to]) {
		v, ok := d.intern(b[camera:to], false)
		if !ok {
			return i, seen
		}
		w.camera = v
	}
	m.Video = Video{CameraID: w.camera, At: m.At}
	return end, seen | 1<<11
}
