package schema_test

import (
	"fmt"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
)

// A record from a table becomes an event, or an error that names the field.
func ExampleDecoder_Decode() {
	d := schema.NewDecoder()
	var ev schema.Event
	record := `{"event_id":"e1","property_id":"ac-1","table_id":"mb-07","seq":4711,"at":"2026-11-19T23:14:05.12Z",` +
		`"shoe_id":"mb-07-318","round":12,"wager_placed":{"wager_id":"w1","seat":3,"spot":"BANKER","amount":2500,` +
		`"medium":"CHIPS"}}`
	if err := d.Decode(schema.JSON, []byte(record), &ev); err != nil {
		fmt.Println(err)
	}
	if wager, ok := ev.Payload.(*schema.WagerPlaced); ok {
		fmt.Println(ev.TableID, ev.Seq, ev.Payload.Kind(), wager.Spot, schema.Money(wager.Amount, "USD"))
	}

	bad := strings.Replace(record, `"seat":3`, `"seat":3,"chair":3`, 1)
	fmt.Println(d.Decode(schema.JSON, []byte(bad), &ev))
	// Output:
	// mb-07 4711 wager_placed BANKER USD 25.00
	// wager_placed at byte 173: unknown field "chair"
}

// A file of events is read record by record; a damaged line does not end it.
func ExampleReader() {
	in := strings.NewReader("{\"seq\":1}\n\n{\"seq\":2}\n")
	r := schema.NewReader(in, schema.JSON, "floor.ndjson")
	for {
		record, err := r.Next()
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(record, string(record.Value))
	}
	// Output:
	// floor.ndjson:1 {"seq":1}
	// floor.ndjson:3 {"seq":2}
	// EOF
}
