//go:build unix

package exporter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/schema"
)

// After an export, rows of events are changed, and rows of the day are added, in the evidence and beside it.
func TestChangedAndAddedEvents(t *testing.T) {
	const partitions, mutations = "1 partition with events added", " SETTINGS mutations_sync = 1"
	const other = "1 event of table PB-01 with other content"
	n := 0
	for name, c := range map[string]struct {
		replace, of string // of what, a column by an expression; the row of the evidence if empty
		change      bool   // the row itself, not a copy
		want        string
	}{
		"another payment": {
			replace: `replaceOne(raw, '"amount":', '"amount":1') AS raw`, change: true, want: other,
		},
		"another time":                  {replace: "at + 1 AS at", change: true, want: other},
		"another number":                {replace: "seq + 1 AS seq", change: true, want: other},
		"behind the log":                {replace: "offset + 100000 AS offset", of: "seq = 2", want: partitions},
		"in front of the log":           {replace: "offset - 1000 AS offset", of: "seq = 2", want: partitions},
		"at the offset of another":      {replace: "seq + 1 AS seq", of: "seq = 2", want: partitions},
		"of another table":              {replace: "'PB-09' AS table_id", of: "seq = 2", want: partitions},
		"behind the log, of the breach": {replace: "offset + 100000 AS offset", want: "1 event of table PB-01 added since"},
	} {
		t.Run(name, func(t *testing.T) {
			n++
			h := openHouse(t, fmt.Sprint("added", n))
			events := h.shoeOf(property, "PB-01")
			at := breach(events, 30)
			var of topic
			of.append(events...)
			h.ingest(&of)
			h.night()
			h.export()
			table := h.db.Table("events")
			row := c.of
			if row == "" {
				row = fmt.Sprintf("event_id = '%s'", events[at].EventID)
			}
			id := "concat(event_id, 'x') AS event_id"
			if c.change {
				id = "event_id AS event_id"
			}
			statements := []string{
				"CREATE TABLE copies ENGINE = Memory AS SELECT * FROM " + table + " WHERE " + row,
				"ALTER TABLE " + table + " DELETE WHERE " + row + mutations,
				"INSERT INTO " + table + " SELECT * REPLACE (" + c.replace + ", " + id + ") FROM copies",
				"DROP TABLE copies",
			}
			if !c.change {
				statements[1] = "SELECT 1"
			}
			for _, s := range statements {
				if err := h.exec(t.Context(), "%s", s); err != nil {
					t.Fatal(err)
				}
			}
			v, err := h.verify(false)
			if err != nil || v.Code != export.Differs || !strings.Contains(v.Message, c.want) {
				t.Errorf("%+v, %v, want %q", v, err, c.want)
			}
		})
	}
}

// breach makes a payment of a round after another too high.
func breach(events []schema.Event, after uint32) (at int) {
	for at = range events {
		if paid, ok := events[at].Payload.(*schema.WagerPaid); ok && events[at].Round > after {
			paid.Amount += 500
			break
		}
	}
	return at
}
