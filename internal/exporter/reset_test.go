//go:build unix

package exporter_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/internal/exporter"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// The numbers of a table begin again. The evidence of one epoch has the numbers of the other, whose events were not
// added since; an event of its own epoch that is added is named.
func TestDatabaseAfterReset(t *testing.T) {
	h := openHouse(t, "reset")
	config, err := deal.Config(deal.Kinds()[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	var of topic
	var late schema.Event
	for i := range 2 {
		table := deal.NewTable(deal.Options{
			Property: property, Pit: "p1", Table: "PB-01", Seed: uint64(i) + 1, Config: config,
			Start: time.Date(2026, 11, 19, 16+6*i, 0, 0, 0, time.UTC),
		})
		events := slices.Concat(table.Open(), table.Shoe(), table.Close())
		paid := slices.IndexFunc(events, func(ev schema.Event) bool {
			_, paid := ev.Payload.(*schema.WagerPaid)
			return paid && ev.Round > 3
		})
		events[paid].Payload.(*schema.WagerPaid).Amount += 500
		if i == 1 {
			late = events[paid-1].Clone()
			late.EventID = events[paid-1].EventID[:25] + "X"
		}
		of.append(events...)
	}
	verify := func(want int) {
		t.Helper()
		v, err := export.Verify(t.Context(), h.bundle, export.VerifyOptions{
			Policy: h.policy, Engine: h.law.Version, Database: exporter.Database(h.db, &h.law, ""),
		})
		if err != nil || v.Code != want {
			t.Fatalf("%+v, %v, want code %d", v, err, want)
		}
	}
	h.ingest(&of)
	h.night()
	h.export()
	verify(export.Good)
	of.append(late)
	h.ingest(&of)
	verify(export.Differs)
}

// Three days begin their numbers at 1. The evidence of each proves all of its exceptions: the epochs before are in it
// to their end, and their shoes are not counted as shoes that follow.
func TestEvidenceOfEachRestart(t *testing.T) {
	h := openHouse(t, "restarts")
	config, err := deal.Config(deal.Kinds()[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	var of topic
	for i := range 3 {
		table := deal.NewTable(deal.Options{
			Property: property, Pit: "p1", Table: "PB-01", Seed: uint64(i) + 1, Config: config,
			Start: time.Date(2026, 11, 17+i, 16, 0, 0, 0, time.UTC),
		})
		events := slices.Concat(table.Open(), table.Shoe(), table.Close())
		paid := slices.IndexFunc(events, func(ev schema.Event) bool {
			_, paid := ev.Payload.(*schema.WagerPaid)
			return paid && ev.Round > 30
		})
		events[paid].Payload.(*schema.WagerPaid).Amount += 500
		of.append(events...)
	}
	h.ingest(&of)
	h.night()
	done, err := exporter.Run(t.Context(), &h.settings, exporter.Options{
		Property: property, GamingDay: day, Out: t.TempDir(), Actor: "test", Engine: h.law, Store: h.db,
	})
	if err != nil {
		t.Fatal(err)
	}
	if m := done.Manifest; m.Findings < 2 || len(m.Unreplayed)+len(m.Extra) > 0 {
		t.Errorf("%d findings, not given by the replay %v, given beside them %v", m.Findings, m.Unreplayed, m.Extra)
	}
}

// A table is joined in mid-stream, before its numbers begin again. The first event 1 begins another epoch: events with
// the numbers of the earlier epoch were not added since, and its shoes do not end the evidence.
func TestDatabaseAfterJoining(t *testing.T) {
	h := openHouse(t, "joined")
	config, err := deal.Config(deal.Kinds()[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	var of topic
	for i, from := range []int{500, 0} {
		table := deal.NewTable(deal.Options{
			Property: property, Pit: "p1", Table: "PB-01", Seed: uint64(i) + 1, Config: config,
			Start: time.Date(2026, 11, 19, 16+6*i, 0, 0, 0, time.UTC),
		})
		events := slices.Concat(table.Open(), table.Shoe(), table.Shoe(), table.Close())[from:]
		paid := slices.IndexFunc(events, func(ev schema.Event) bool {
			_, paid := ev.Payload.(*schema.WagerPaid)
			return paid && ev.Round > 30
		})
		events[paid].Payload.(*schema.WagerPaid).Amount += 500
		of.append(events...)
	}
	h.ingest(&of)
	h.night()
	done, err := exporter.Run(t.Context(), &h.settings, exporter.Options{
		Property: property, GamingDay: day, Out: t.TempDir(), Actor: "test", Engine: h.law, Store: h.db,
	})
	if err != nil {
		t.Fatal(err)
	}
	if m := done.Manifest; len(m.Unreplayed)+len(m.Extra) > 0 {
		t.Errorf("not given by the replay %v, given beside them %v", m.Unreplayed, m.Extra)
	}
	v, err := export.Verify(t.Context(), done.Path, export.VerifyOptions{
		Policy: h.policy, Engine: h.law.Version, Database: exporter.Database(h.db, &h.law, ""), Replay: true,
	})
	if err != nil || v.Code != export.Good {
		t.Errorf("%+v, %v", v, err)
	}
}

// Events of the end of a shoe and of the shoe after the next come late, and the export has them. The evidence of the
// shoe between them has its own events and, beside them, the late ones before it: no other was added since.
func TestDatabaseAfterLateEvents(t *testing.T) {
	h := openHouse(t, "latecomers")
	config, err := deal.Config(deal.Kinds()[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	table := deal.NewTable(deal.Options{
		Property: property, Pit: "p1", Table: "PB-01", Seed: 1, Config: config,
		Start: time.Date(2026, 11, 19, 16, 0, 0, 0, time.UTC),
	})
	first := append(table.Open(), table.Shoe()...)
	second, third := table.Shoe(), table.Shoe()
	paid := slices.IndexFunc(second, func(ev schema.Event) bool {
		_, paid := ev.Payload.(*schema.WagerPaid)
		return paid && ev.Round > 30
	})
	second[paid].Payload.(*schema.WagerPaid).Amount += 500
	end, mid := len(first)-60, len(third)/2
	var of topic
	of.append(slices.Concat(first[:end], second, third[:mid], third[mid+20:], table.Close())...)
	of.append(slices.Concat(first[end:], third[mid:mid+20])...)
	h.ingest(&of)
	h.night()
	h.export()
	verify := func(want int) {
		t.Helper()
		v, err := export.Verify(t.Context(), h.bundle, export.VerifyOptions{
			Policy: h.policy, Engine: h.law.Version, Database: exporter.Database(h.db, &h.law, ""),
		})
		if err != nil || v.Code != want {
			t.Fatalf("%+v, %v, want code %d", v, err, want)
		}
	}
	verify(export.Good)
	events := h.db.Table("events")
	err = h.exec(t.Context(), "INSERT INTO %s SELECT * REPLACE (offset + 100000 AS offset, 'added' AS event_id) FROM "+
		"(SELECT * FROM "+events+" WHERE seq = "+fmt.Sprint(second[paid-1].Seq)+")", events)
	if err != nil {
		t.Fatal(err)
	}
	verify(export.Differs)
}
