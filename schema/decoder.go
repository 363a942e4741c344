package schema

import "strconv"

// Format is how an event is written.
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

// Decoder reads events. It can be reused, which makes it fast: it keeps one payload of each kind and
// the strings that come again and again. It is not safe for concurrent use.
type Decoder struct {
	interner
	payloads payloads
	// scratch holds a JSON string whose escapes were resolved.
	scratch []byte
}

// NewDecoder makes a Decoder. It takes about 150 KiB.
func NewDecoder() *Decoder { return &Decoder{interner: newInterner()} }

// Decode reads one event into ev. Every string of it is a copy and may be kept; ev.Payload is the
// decoder's own and holds until the next Decode (Event.Clone makes it last).
//
// Both formats are read strictly, so that what is accepted means the same to everyone. Rejected are:
// unknown fields and words, enum zero, enum numbers in JSON, anything given twice, no payload or
// two, text that is not UTF-8, numbers out of range, negative money (but for delta), times that an
// int64 of nanoseconds cannot hold, cards that are no cards, odds that are no odds, ids of more
// than 256 bytes, an event without event_id, property_id, table_id, seq or at, and a configuration
// event without configuration, a payload without what it is about (needed). JSON field names are the contract's, a JSON null is a field that is
// absent, and a JSON time may carry an offset.
//
// The error is a *RejectError, and ev is then empty.
func (d *Decoder) Decode(format Format, value []byte, ev *Event) error {
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
		r = missing(ev, len(value))
	}
	if r != nil {
		*ev = Event{}
		return r
	}
	return nil
}

// missing names the first field that every event must have and this one has not.
func missing(ev *Event, end int) *RejectError {
	switch {
	case ev.EventID == "":
		return reject("event_id", end, "missing or empty")
	case ev.PropertyID == "":
		return reject("property_id", end, "missing or empty")
	case ev.TableID == "":
		return reject("table_id", end, "missing or empty")
	case ev.Seq == 0:
		return reject("seq", end, "missing or 0, expected 1 or more")
	case ev.At == 0:
		return reject("at", end, "missing")
	case ev.Payload == nil:
		return reject("", end, "no payload, expected one such as card_dealt")
	}
	if ev.Round == 0 && ofRound(ev.Payload) {
		return reject("round", end, "missing, and %v is of one", ev.Payload.Kind())
	}
	if _, shuffled := ev.Payload.(*ShoeShuffled); shuffled && ev.ShoeID == "" {
		return reject("shoe_id", end, "missing: a shoe begins with its first shuffle")
	}
	if name := needed(ev.Payload); name != "" {
		return reject(ev.Payload.Kind().String()+"."+name, end, "missing")
	}
	return nil
}
