//go:build unix

package exporter_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// The numbers of a table begin again. The evidence of one epoch has the numbers of the other, whose events were not
// added since; an event of its own epoch that is added is named.
func TestDatabaseAfterReset(t *testing.T) {
	h := openHouse(t, "reset")
	var of topic
	var late schema.Event
	for i := range 2 {
		events := played(h.tableOf(deal.Options{
			Seed: uint64(i) + 1, Start: time.Date(2026, 11, 19, 16+6*i, 0, 0, 0, time.UTC),
		}), 1)
		paid := breach(events, 3)
		if i == 1 {
			late = events[paid-1].Clone()
			late.EventID = events[paid-1].EventID[:25] + "X"
		}
		of.append(events...)
	}
	h.ingest(&of)
	h.night()
	h.export()
	h.verifies(export.Good)
	of.append(late)
	h.ingest(&of)
	h.verifies(export.Differs)
}

// Three days begin their numbers at 1. The evidence of each proves all of its exceptions: the epochs before are in it
// to their end, and their shoes are not counted as shoes that follow.
func TestEvidenceOfEachRestart(t *testing.T) {
	h := openHouse(t, "restarts")
	var of topic
	for i := range 3 {
		events := played(h.tableOf(deal.Options{
			Seed: uint64(i) + 1, Start: time.Date(2026, 11, 17+i, 16, 0, 0, 0, time.UTC),
		}), 1)
		breach(events, 30)
		of.append(events...)
	}
	h.ingest(&of)
	h.night()
	h.export()
	if m := h.manifest(); m.Findings < 2 || len(m.Unreplayed)+len(m.Extra) > 0 {
		t.Errorf("%d findings, not given by the replay %v, given beside them %v", m.Findings, m.Unreplayed, m.Extra)
	}
}

// An event comes late after the numbers began again, and the epoch before has its number, too. The evidence has all
// events, since they are evaluated in the order of their numbers, and none was added since.
func TestDatabaseAfterResetAndLateEvent(t *testing.T) {
	h := openHouse(t, "resetlate")
	var of topic
	for i := range 2 {
		table := h.tableOf(deal.Options{Seed: uint64(i) + 1, Start: time.Date(2026, 11, 19, 16+6*i, 0, 0, 0, time.UTC)})
		first, second := append(table.Open(), table.Shoe()...), append(table.Shoe(), table.Close()...)
		breach(second, 30)
		if i == 1 {
			first = slices.Concat(first[:300], first[301:], []schema.Event{first[300]})
		}
		of.append(slices.Concat(first, second)...)
	}
	h.ingest(&of)
	h.night()
	h.export()
	h.verifies(export.Good)
	if m := h.manifest(); len(m.Unreplayed)+len(m.Extra) > 0 {
		t.Errorf("not given by the replay %v, given beside them %v", m.Unreplayed, m.Extra)
	}
}

// A table is joined in mid-stream, before its numbers begin again. The first event 1 begins another epoch: events with
// the numbers of the earlier epoch were not added since, and its shoes do not end the evidence.
func TestDatabaseAfterJoining(t *testing.T) {
	h := openHouse(t, "joined")
	var of topic
	for i, from := range []int{500, 0} {
		events := played(h.tableOf(deal.Options{
			Seed: uint64(i) + 1, Start: time.Date(2026, 11, 19, 16+6*i, 0, 0, 0, time.UTC),
		}), 2)[from:]
		breach(events, 30)
		of.append(events...)
	}
	h.ingest(&of)
	h.night()
	h.export()
	if m := h.manifest(); len(m.Unreplayed)+len(m.Extra) > 0 {
		t.Errorf("not given by the replay %v, given beside them %v", m.Unreplayed, m.Extra)
	}
	v, err := h.verify(true)
	if err != nil || v.Code != export.Good {
		t.Errorf("%+v, %v", v, err)
	}
}

// Events of the end of a shoe and of the shoe after the next come late, and the export has them. The evidence of the
// shoe between them has its own events and, beside them, the late ones before it: no other was added since.
func TestDatabaseAfterLateEvents(t *testing.T) {
	h := openHouse(t, "latecomers")
	table := h.tableOf(deal.Options{Start: time.Date(2026, 11, 19, 16, 0, 0, 0, time.UTC)})
	first := append(table.Open(), table.Shoe()...)
	second, third := table.Shoe(), table.Shoe()
	paid := breach(second, 30)
	end, mid := len(first)-60, len(third)/2
	var of topic
	of.append(slices.Concat(first[:end], second, third[:mid], third[mid+20:], table.Close())...)
	of.append(slices.Concat(first[end:], third[mid:mid+20])...)
	h.ingest(&of)
	h.night()
	h.export()
	h.verifies(export.Good)
	events := h.db.Table("events")
	err := h.exec(t.Context(), "INSERT INTO %s SELECT * REPLACE (offset + 100000 AS offset, 'added' AS event_id) FROM "+
		"(SELECT * FROM "+events+" WHERE seq = "+fmt.Sprint(second[paid-1].Seq)+")", events)
	if err != nil {
		t.Fatal(err)
	}
	h.verifies(export.Differs)
}

// The clock of a table goes nine hours back over the border of the gaming day, long after the day seemed to be over.
// The run of the day reads what is dated in it, wherever it is.
func TestClockGoesBackOverTheDay(t *testing.T) {
	h := openHouse(t, "clockback")
	table := h.tableOf(deal.Options{Start: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)})
	day, next, back := append(table.Open(), table.Shoe()...), table.Shoe(), append(table.Shoe(), table.Close()...)
	breach(back, 30)
	shift := func(events []schema.Event, to time.Time) {
		by := to.UnixNano() - events[0].At
		for i := range events {
			events[i].At += by
		}
	}
	shift(day, time.Date(2026, 11, 20, 1, 0, 0, 0, time.UTC))
	shift(next, time.Date(2026, 11, 20, 11, 30, 0, 0, time.UTC))
	shift(back, time.Unix(0, next[len(next)-1].At).Add(-9*time.Hour))
	var of topic
	of.append(slices.Concat(day, next, back)...)
	h.ingest(&of)
	n := h.night()
	for i := range n.Findings {
		if f := &n.Findings[i]; f.Rule == "feed.reconcile" {
			t.Errorf("a difference: %s, %s", f.Expected, f.Observed)
		}
	}
	h.export()
	h.verifies(export.Good)
}

// A publisher sends events of a table again under another key: the same bytes are in two partitions. The archive has
// both records, so that the journal of each partition is proven.
func TestSameEventsInTwoPartitions(t *testing.T) {
	for name, span := range map[string][2]int{"some": {300, 600}, "all": {0, 1 << 20}} {
		t.Run(name, func(t *testing.T) {
			h := openHouse(t, "twice_"+name)
			events := played(h.tableOf(deal.Options{Start: time.Date(2026, 11, 19, 16, 0, 0, 0, time.UTC)}), 2)
			breach(events, 3)
			var of topic
			again := topic{partition: 1}
			of.append(events...)
			again.append(events[span[0]:min(span[1], len(events))]...)
			h.ingest(&of)
			h.ingest(&again)
			if err := h.exec(t.Context(), "OPTIMIZE TABLE %s FINAL", h.db.Table("events")); err != nil {
				t.Fatal(err)
			}
			h.night()
			h.export()
			h.verifies(export.Good)
		})
	}
}

// tableOf is a table of punto banco under nj-19-47, with defaults of its options.
func (h *house) tableOf(o deal.Options) *deal.Table {
	h.t.Helper()
	config, err := deal.Config(deal.Kinds()[0], 1)
	if err != nil {
		h.t.Fatal(err)
	}
	o.Property, o.Pit, o.Table = cmp.Or(o.Property, property), "p1", cmp.Or(o.Table, "PB-01")
	o.Seed, o.Config = cmp.Or(o.Seed, 1), config
	return deal.NewTable(o)
}

// played are the events of a table from its opening to its closing, with some shoes.
func played(table *deal.Table, shoes int) []schema.Event {
	events := table.Open()
	for range shoes {
		events = append(events, table.Shoe()...)
	}
	return append(events, table.Close()...)
}
