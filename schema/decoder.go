package schema

import "strconv"

// Format is the encoding of an event.
type Format uint8

// The two formats of the contract.
const (
	Protobuf Format = iota + 1
	JSON
)

func (f Format) String() string {
	switch f {
	case Protobuf:
		return "protobuf"
	case JSON:
		return "json"
	}
	return "Format(" + strconv.Itoa(int(f)) + ")"
}

// Decoder decodes events. A reused decoder is fast: it keeps one payload of each kind and the strings that repeat. It
// is not safe for concurrent use.
type Decoder struct {
	interner
	heads
	payloads payloads
	// scratch is a JSON string with its escapes resolved.
	scratch []byte
	// further are the words of rulebooks, see Accept and AcceptAny.
	further    map[string]bool
	anyFurther bool
}

// NewDecoder returns a Decoder. It uses about 250 KiB.
func NewDecoder() *Decoder { return &Decoder{interner: newInterner()} }

// Decode decodes one event into ev. Its strings are copies. ev.Payload belongs to the decoder and is valid until the
// next Decode; Event.Clone copies it.
//
// Decoding is strict, so that an accepted event has one meaning. Decode rejects unknown fields and words, enum zero,
// enum numbers in JSON, a field that is given twice, no payload or two, text that is not UTF-8, numbers out of range,
// negative money (except delta), times outside an int64 of nanoseconds, unknown cards and odds, ids of more than 256
// bytes, an event without event_id, property_id, table_id, seq or at, a configuration event without configuration, and
// a payload without the field that it is about. JSON field names are the names of the contract, a JSON null is an
// absent field, and a JSON time may have an offset.
//
// The error is a *RejectError; ev is empty then.
func (d *Decoder) Decode(format Format, value []byte, ev *Event) error {
	return d.decode(format, value, ev, true)
}

// DecodeUnnumbered is Decode for an event that has no seq yet: one with a seq is rejected.
func (d *Decoder) DecodeUnnumbered(format Format, value []byte, ev *Event) error {
	return d.decode(format, value, ev, false)
}

func (d *Decoder) decode(format Format, value []byte, ev *Event, numbered bool) error {
	*ev = Event{}
	var r *RejectError
	switch format {
	case Protobuf:
		r = d.protoEvent(value, 0, ev)
	case JSON:
		r = d.jsonRecord(value, ev)
	default:
		r = reject("", 0, "unknown format %d", format)
	}
	if r == nil {
		r = missing(ev, len(value), numbered)
	}
	if r != nil {
		*ev = Event{}
		return r
	}
	return nil
}

// missing rejects an event without a required field.
func missing(ev *Event, end int, numbered bool) *RejectError {
	switch {
	case ev.EventID == "":
		return reject("event_id", end, "missing or empty")
	case ev.PropertyID == "":
		return reject("property_id", end, "missing or empty")
	case ev.TableID == "":
		return reject("table_id", end, "missing or empty")
	case !numbered && ev.Seq != 0:
		return reject("seq", end, "is %d, expected none: the gateway numbers the events", ev.Seq)
	case numbered && ev.Seq == 0:
		return reject("seq", end, "missing or 0, expected 1 or more")
	case ev.At == 0:
		return reject("at", end, `missing, expected a time such as "2026-11-19T23:14:05.120Z"`)
	case ev.Payload == nil:
		return reject("", end, "no payload, expected one such as card_dealt")
	}
	if ev.Round == 0 && ofRound(ev.Payload) {
		return reject("round", end, "missing or 0: %v belongs to a round", ev.Payload.Kind())
	}
	if _, shuffled := ev.Payload.(*ShoeShuffled); shuffled && ev.ShoeID == "" {
		return reject("shoe_id", end, "missing: a shoe begins with its first shuffle")
	}
	if name := needed(ev.Payload); name != "" {
		return reject(ev.Payload.Kind().String()+"."+name, end, "%s", absent(name))
	}
	return nil
}
