package schema

import (
	"bytes"
	"strings"
	"testing"
)

// Reasons are logged, and people without the right to see patrons read them: the reason for an unreadable record never
// quotes a patron, whichever byte of the record is wrong.
func TestReasonsNameNoPatron(t *testing.T) {
	const canary = "PATRON-CANARY-7"
	var ev Event
	line := []byte(
		`{"event_id":"e1","property_id":"p","table_id":"t","seq":4,"at":"2026-11-19T23:14:05.120Z","round":1,` +
			`"wager_placed":{"wager_id":"w","seat":5,"spot":"PLAYER","amount":100,"patron_ref":"` + canary + `"}}`,
	)
	d := NewDecoder()
	if err := d.Decode(JSON, line, &ev); err != nil {
		t.Fatal(err)
	}
	proto := AppendProto(nil, &ev)
	rejected := 0
	for format, record := range map[Format][]byte{JSON: line, Protobuf: proto} {
		if !bytes.Contains(record, []byte(canary)) {
			t.Fatalf("no canary in %v", format)
		}
		try := func(b []byte) {
			var out Event
			if err := d.Decode(format, b, &out); err != nil {
				rejected++
				if strings.Contains(err.Error(), "CANARY") {
					t.Errorf("%v: %q: %v", format, b, err)
				}
			}
		}
		try(append(bytes.Clone(record), record...))
		for i := range record {
			try(record[:i])
			try(append(bytes.Clone(record[:i]), record[i+1:]...))
			for _, c := range []byte("\"\\{}[],:0a\xff\x00\n") {
				try(append(append(bytes.Clone(record[:i]), c), record[i:]...))
				changed := bytes.Clone(record)
				changed[i] = c
				try(changed)
			}
		}
	}
	if rejected < 5000 {
		t.Errorf("%d records rejected, want thousands", rejected)
	}
}
