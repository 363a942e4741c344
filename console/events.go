package console

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/schema"
)

// decodedEvent is an event of the archive with its decoded content.
type decodedEvent struct {
	store.Event
	Cited       bool // by the finding
	Body        schema.Event
	Err         error
	HashMatches bool
}

func decode(events []store.Event, f *store.Finding) []decodedEvent {
	d := schema.NewDecoder()
	d.AcceptAny()
	all := make([]decodedEvent, len(events))
	for i := range events {
		e := &all[i]
		e.Event = events[i]
		e.Body, e.Err = e.Event.Decode(d)
		sum := sha256.Sum256([]byte(e.Raw))
		e.HashMatches = string(sum[:]) == e.SHA256
		e.Cited = slices.Contains(f.Seqs, e.Seq)
	}
	return all
}

// shownEvent is an event with the fields masked that identify a patron.
type shownEvent struct {
	Seq, Offset string
	At          time.Time
	Kind        string
	Text        string
	Device      string
	Cited       bool
	HashMatches bool
	Hash        string
	Bytes       int
	EventID     string
	Partition   int32
	Raw         string // unmasked; set for users with the permission Unmask only
	Clip        clip
}

func (c *Console) show(events []decodedEvent, table string) []shownEvent {
	all, camera, spots := make([]shownEvent, len(events)), cameraOf(events), c.Law.Books.Words()
	for i := range events {
		e := &events[i]
		all[i] = shownEvent{
			Seq: strconv.FormatUint(e.Seq, 10), Offset: strconv.FormatInt(e.Offset, 10), At: e.At, Kind: e.Kind,
			Cited: e.Cited, HashMatches: e.HashMatches, Hash: hex.EncodeToString([]byte(e.SHA256)), Bytes: len(e.Raw),
			EventID: e.EventID, Partition: e.Partition, Device: e.Body.Source.DeviceID, Clip: c.clipOf(e, camera, table),
		}
		if e.Err != nil {
			all[i].Text = "not decodable: " + e.Err.Error()
			continue
		}
		engine.Plain(&e.Body, c.Law.PatronKey, spots)
		all[i].Text = payloadText(&e.Body)
	}
	return all
}

// masked reports whether a field of a payload can identify a patron: a reference does, free text may, and so may the id
// of whoever ordered a recut or verified cards.
func masked(field string) bool {
	return slices.Contains([]string{
		"patron_ref", "by_id", "verifier_id", "detail", "reason", "ground", "spot_name", "evenness",
	}, field)
}

// payloadText is the payload of an event on one line, with the field names of the contract and masked values.
func payloadText(ev *schema.Event) string { return strings.Join(payload(ev), "  ") }

// payload is the fields of a payload as "name value" texts.
func payload(ev *schema.Event) []string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(schema.AppendJSON(nil, ev), &fields); err != nil || ev.Payload == nil {
		return nil
	}
	dec := json.NewDecoder(strings.NewReader(string(fields[ev.Payload.Kind().String()])))
	dec.UseNumber()
	return pairs(dec)
}

// pairs reads a JSON object as "name value" texts in the order of the object.
func pairs(dec *json.Decoder) []string {
	const maxValue = 120
	var out []string
	if _, err := dec.Token(); err != nil {
		return nil
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return out
		}
		var value any
		if err := dec.Decode(&value); err != nil {
			return out
		}
		name := fmt.Sprint(key)
		if masked(name) {
			out = append(out, name+" ▒▒▒▒")
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			continue
		}
		s := strings.Trim(string(text), `"`)
		if len(s) > maxValue {
			s = s[:maxValue] + "…"
		}
		out = append(out, name+" "+s)
	}
	return out
}
