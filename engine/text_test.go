package engine_test

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// A patron's name in any free text of any event is in no row that the engine writes, except the archive's bytes: events
// of all faults, with the canary in every string that is no identifier and no word, found by reflection.
func TestFreeTextStaysInTheArchive(t *testing.T) {
	kinds, planted := map[string]bool{}, 0
	for i, f := range fault.All() {
		events, _, err := fault.Plant(deal.Options{Table: fmt.Sprintf("t-%02d", i)}, f, 1)
		if err != nil {
			t.Fatal(err)
		}
		e := auditor.New(enginetest.Options())
		var out rows.Set
		for j := range events {
			if n := enginetest.PlantText(events[j].Payload); n > 0 {
				kinds[events[j].Payload.Kind().String()], planted = true, planted+n
			}
			e.Apply(&auditor.Record{Offset: int64(j), Format: schema.JSON, Value: schema.AppendJSON(nil, &events[j])}, "t", 0,
				&out)
		}
		e.Finish(&out)
		if len(out.DeadLetters) > 0 {
			t.Fatalf("%s: %s", f.Rule, out.DeadLetters[0].Reason)
		}
		out.Events.Raw = rows.Text{}
		if at := leak(reflect.ValueOf(&out), "rows"); at != "" {
			t.Errorf("%s: the canary is in %s", f.Rule, at)
		}
	}
	if planted < 1000 {
		t.Errorf("%d texts in %d kinds of events", planted, len(kinds))
	}
	t.Logf("%d texts in %d kinds of events", planted, len(kinds))
}

// Each text of every kind of event is reduced, also of the kinds that no fault has.
func TestPlain(t *testing.T) {
	kinds := 0
	lines, err := os.ReadFile("../schema/testdata/events.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(lines) {
		var ev schema.Event
		if err := schema.NewDecoder().Decode(schema.JSON, bytes.TrimSpace(line), &ev); err != nil {
			continue // a note between the events
		}
		p, kind := ev.Payload, ev.Payload.Kind()
		switch p.(type) {
		case *schema.SeatOccupied, *schema.SeatVacated, *schema.BankerWagered: // a reference, which has a pseudonym
			continue
		}
		enginetest.PlantText(p)
		if w, ok := p.(*schema.WagerPlaced); ok {
			w.PatronRef = ""
		}
		kinds++
		auditor.Plain(&ev, nil, nil)
		if at := leak(reflect.ValueOf(p), kind.String()); at != "" {
			t.Errorf("the canary is in %s", at)
		}
	}
	if kinds < 40 {
		t.Errorf("%d kinds of events", kinds)
	}
}

// What replaces texts does not depend on the order of a map, also beside a key that is the replacement.
func TestPlainFollowsNoOrder(t *testing.T) {
	for range 50 {
		c := &schema.TableConfigured{Config: schema.TableConfig{PayTables: map[string]string{
			"unknown": "free text", "a patron": "1-a", "zz patron": "2-b",
		}}}
		auditor.Plain(&schema.Event{Payload: c}, nil, nil)
		if got := fmt.Sprint(c.Config.PayTables); got != "map[unknown:1-a]" {
			t.Fatalf("%s", got)
		}
	}
}

// leak is a place with the canary.
func leak(v reflect.Value, at string) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return leak(v.Elem(), at)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if found := leak(v.Field(i), at+"."+v.Type().Field(i).Name); found != "" {
				return found
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			if v.Kind() == reflect.Slice && strings.Contains(string(v.Bytes()), enginetest.TextCanary) {
				return at
			}
			return ""
		}
		for i := range v.Len() {
			if found := leak(v.Index(i), fmt.Sprintf("%s[%d]", at, i)); found != "" {
				return found
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			if leak(k, at)+leak(v.MapIndex(k), at) != "" {
				return at
			}
		}
	case reflect.String:
		if strings.Contains(v.String(), enginetest.TextCanary) {
			return at
		}
	default:
	}
	return ""
}
