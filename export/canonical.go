package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// encode writes a value as canonical JSON on one line: keys in the order of the type, minimal escapes, no line feed.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// encodeIndented is encode with an indent of two spaces and a line feed at the end.
func encodeIndented(v any) ([]byte, error) {
	line, err := encode(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, line, "", "  "); err != nil {
		return nil, fmt.Errorf("indent JSON: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

var errNotCanonical = errors.New("is not canonical: Shoeproof writes this content in other bytes")

// decode reads canonical JSON of the form that encode writes.
func decode[T any](data []byte, v *T, encode func(any) ([]byte, error)) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		if other, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // its text names types of Go
			return fmt.Errorf("has a JSON %s at byte %d (key %q), want another kind of value", other.Value, other.Offset,
				other.Field)
		}
		return fmt.Errorf("is not the JSON that Shoeproof writes: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errNotCanonical
	}
	again, err := encode(v)
	if err != nil {
		return err
	}
	if !bytes.Equal(again, data) {
		return errNotCanonical
	}
	return nil
}
