package schema

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
)

// Explain is the reason why a record cannot be decoded, for its publisher: the field, what was found, and what the
// bytes resemble. Records with the same mistake have the same text.
func Explain(format Format, value []byte, err error) string {
	text := err.Error()
	if r, ok := errors.AsType[*RejectError](err); ok {
		text = cmp.Or(r.Field, "event") + ": " + r.Reason
	}
	if hint := Hint(format, value); hint != "" {
		text += "; this looks like " + hint
	}
	return text
}

// Hint is what the bytes of a record that cannot be decoded resemble, and what to change; empty if they resemble
// nothing known. It reads the start of the record only.
func Hint(format Format, value []byte) string {
	for _, k := range otherFormats {
		if bytes.HasPrefix(value, []byte(k.start)) {
			return k.hint
		}
	}
	if hint := registryFraming(value); hint != "" {
		return hint
	}
	if format == Protobuf {
		return protobufHint(value)
	}
	return jsonHint(value)
}

const (
	packed  = " data: give a file the name .gz or .zst; in Kafka, leave compression to the producer (compression.type)"
	notUTF8 = "UTF-16 text: encode it as UTF-8 without a byte order mark"
	framed  = ": publish the bytes of the event alone, with a serializer of bytes"
	mapped  = "an event within another object: publish the event itself"
)

// otherFormats are formats by their first bytes.
var otherFormats = []struct{ start, hint string }{
	{"\x1f\x8b", "gzip" + packed},
	{"\x28\xb5\x2f\xfd", "zstd" + packed},
	{"\x04\x22\x4d\x18", "LZ4" + packed},
	{"\xff\x06\x00\x00sNaPpY", "Snappy" + packed},
	{"PK\x03\x04", "a ZIP archive: unpack it"},
	{"\xff\xfe", notUTF8},
	{"\xfe\xff", notUTF8},
	{"{\x00", notUTF8},
	{"\x00{", notUTF8},
	{"\xef\xbb\xbf", "a byte order mark before the event: leave it out"},
	{"Obj\x01", "an Avro file: events are JSON or Protobuf"},
	{"\xc3\x01", "an Avro record: events are JSON or Protobuf"},
	{"\xac\xed\x00\x05", "a serialized Java object: events are JSON or Protobuf"},
	{"<", "XML: events are JSON or Protobuf"},
}

// registryFraming recognizes the prefixes of schema registries: a zero, the number of a schema, for Protobuf the path
// of the message, and of AWS Glue a version, a compression and a UUID.
func registryFraming(b []byte) string {
	switch {
	case len(b) > 6 && b[0] == 0 && (b[5] == '{' || b[5] == 0 || b[5] == 2):
		return "the framing of a schema registry, 5 bytes or more before the event" + framed
	case len(b) > 18 && b[0] == 3 && (b[1] == 0 || b[1] == 5):
		return "the framing of AWS Glue, 18 bytes before the event" + framed
	}
	return ""
}

func protobufHint(b []byte) string {
	text := bytes.TrimLeft(b, " \t\r\n")
	size, n := binary.Uvarint(b)
	switch {
	case bytes.HasPrefix(text, []byte(`{"`)) || bytes.HasPrefix(text, []byte("{\n")) ||
		bytes.HasPrefix(text, []byte("{ ")):
		return "JSON without the header content-type: application/json"
	case n > 0 && size == uint64(len(b)-n) && size > 0:
		return "a length before the event, as in .pb files" + framed
	case bytes.HasPrefix(b, []byte("eyJ")):
		return "JSON in base64" + framed
	}
	return ""
}

func jsonHint(b []byte) string {
	start := b[:min(len(b), 4096)]
	has := func(key string) bool { return bytes.Contains(start, []byte(`"`+key+`"`)) }
	switch {
	case len(b) > 1 && b[0] == '\n' && int(b[1]) < len(b) && b[1] < 0x80 && !bytes.ContainsRune(b, '{'):
		return "Protobuf under the header content-type: application/json"
	case bytes.HasPrefix(b, []byte("[{")):
		return "a list of events: publish each event as a record, in a file as a line"
	case bytes.HasPrefix(b, []byte(`"{`)):
		return "JSON encoded twice: publish the object, not a string of it"
	case bytes.HasPrefix(b, []byte("eyJ")) || bytes.HasPrefix(b, []byte(`"eyJ`)):
		return "JSON in base64" + framed
	case has("specversion"):
		return "CloudEvents, " + mapped + " (of the property data)"
	case has("schema") && has("payload"):
		return "the envelope of Kafka Connect, " + mapped + " (value.converter.schemas.enable=false)"
	case has("eventId") || has("tableId") || has("propertyId"):
		return "names in camel case: use the names of the contract, such as event_id (in protobuf libraries, the option " +
			"that preserves field names)"
	case bytes.Contains(start, []byte("}\n{")) || bytes.Contains(start, []byte("}{")):
		return "several events in one record: publish each as a record"
	case bytes.HasPrefix(b, []byte("{'")):
		return "a Python dictionary: use json.dumps"
	case bytes.Equal(bytes.TrimSpace(start), []byte("{")):
		return "JSON over several lines: write each event on one line"
	case bytes.HasPrefix(b, []byte("event_id,")) || bytes.HasPrefix(b, []byte("event_id;")):
		return "CSV: events are JSON or Protobuf"
	}
	return ""
}
