//go:build unix

package exporter_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/internal/exporter"
	"github.com/shoeproof/shoeproof/internal/nightly"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// An export is refused until a finished run of the whole gaming day covers all events that have arrived, under the
// rulebooks that the bundle contains. A refused export signs, writes and lists nothing.
func TestExportNeedsAFinishedRun(t *testing.T) {
	h := openHouse(t, "covered")
	h.out = t.TempDir()
	events := h.shoeOf(property, "PB-01")
	late := len(events) / 2
	var of topic
	of.append(slices.Delete(slices.Clone(events), late, late+1)...)
	of.append(h.shoeOf("ac-2", "PB-02")...)
	h.ingest(&of)
	const none = "no finished run covers gaming day " + day

	h.refused("without a run", none)
	h.runs("a run of another property", nightly.Options{Property: "ac-2"})
	h.refused("after a run of another property", none)
	h.runs("a run of one shift", nightly.Options{Shift: h.law.Calendar.Shifts[0].Name})
	h.refused("after a run of one shift", none)
	h.runs("half of a run", nightly.Options{Worker: 1, Workers: 2})
	h.refused("after one of two workers", none)
	forget := h.unlogged()
	h.refused("with the row of a run that did not finish", none)
	forget()

	first := h.night().Run
	h.exported(&first, "")
	h.ingest(&of) // a restart writes the last range again
	h.missing("")

	of.append(events[late])
	h.ingest(&of)
	// ingest writes its last range again after migration 42: the rows of before it have another copy.
	const twice = "INSERT INTO %[1]s SELECT * REPLACE (copy + 1 AS copy) FROM %[1]s"
	if err := h.exec(t.Context(), twice, h.db.Table("events")); err != nil {
		t.Fatal(err)
	}
	h.refused("after a late event", "1 event of gaming day "+day+" arrived after run "+first.ID+" began")
	second := h.night().Run
	h.exported(&second, first.ID)

	own, other := h.law.Books, retitled(t, "nj-19-47")
	ref, otherRef := own["nj-19-47"].Ref(), other["nj-19-47"].Ref()
	h.law.Books = other
	h.refused("under a newer rulebook", "run "+second.ID+" applied rulebook "+ref+", and "+otherRef+" is loaded")
	h.law.Books = maps.Clone(other)
	delete(h.law.Books, "nj-19-47")
	h.refused("without the rulebook", "run "+second.ID+" applied rulebook "+ref+", which is not loaded")
	h.law.Books = other
	third := h.night().Run
	h.law.Books = own
	h.refused("under the rulebook of a superseded run", "run "+third.ID+" applied rulebook "+otherRef+", and "+ref+
		" is loaded")
}

// shoeOf is a shoe of punto banco under nj-19-47 on the gaming day.
func (h *house) shoeOf(property, name string) []schema.Event {
	h.t.Helper()
	start := time.Date(2026, 11, 19, 18, 0, 0, 0, time.UTC)
	return played(h.tableOf(deal.Options{Property: property, Table: name, Start: start}), 1)
}

// runs does a run, or a part of it: of the property of the house, by one worker, unless o differs.
func (h *house) runs(what string, o nightly.Options) {
	h.t.Helper()
	if o.Property == "" {
		o.Property = property
	}
	o.Days, o.Workers, o.Engine, o.Holder, o.Now = []string{day}, max(o.Workers, 1), h.law, "test", time.Now
	if _, err := nightly.Run(h.t.Context(), h.db, o); err != nil {
		h.t.Fatalf("%s: %v", what, err)
	}
}

// unlogged stores the row of a run that the console log does not have, until forget.
func (h *house) unlogged() (forget func()) {
	h.t.Helper()
	err := h.db.WriteRun(h.t.Context(), &clickhouse.AuditRun{
		Property: property, GamingDay: day, ID: "unlogged", Started: time.Now(), Ended: time.Now(), Rulebooks: []string{},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return func() {
		err := h.exec(h.t.Context(), "ALTER TABLE %s DELETE WHERE run_id = 'unlogged' SETTINGS mutations_sync = 1",
			h.db.Table("audit_runs"))
		if err != nil {
			h.t.Fatal(err)
		}
	}
}

// refused exports, which must give the reason and leave nothing, even if losses are accepted.
func (h *house) refused(when, why string) {
	h.t.Helper()
	left := func() (names []string) {
		for _, dir := range []string{h.out, h.settings.Export.Log} {
			files, err := os.ReadDir(dir)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				h.t.Fatal(err)
			}
			for _, f := range files {
				names = append(names, f.Name())
			}
		}
		listed, err := h.db.Exports(h.t.Context(), property)
		if err != nil {
			h.t.Fatal(err)
		}
		return append(names, fmt.Sprint(len(listed)))
	}
	before := left()
	done, err := exporter.Run(h.t.Context(), &h.settings, exporter.Options{
		Property: property, GamingDay: day, Out: h.out, Actor: "test", Accept: "a test", Engine: h.law, Store: h.db,
	})
	if done != nil || !errors.Is(err, exporter.ErrUncovered) || !strings.Contains(err.Error(), why) {
		h.t.Errorf("%s: %v, %v, want the refusal %q", when, done, err, why)
	}
	if after := left(); !slices.Equal(after, before) {
		h.t.Errorf("%s: a refused export leaves %v, and there was %v", when, after, before)
	}
}

// exported exports, and wants exactly the run in the manifest.
func (h *house) exported(run *clickhouse.AuditRun, supersedes string) {
	h.t.Helper()
	h.export()
	want := []export.Run{{
		ID: run.ID, Supersedes: supersedes, Tables: run.Tables, Events: run.Events, Findings: run.Findings, Gaps: run.Gaps,
		EventsSHA256: run.EventsSHA256, FindingsSHA256: run.FindingsSHA256, LiveSHA256: run.LiveSHA256,
	}}
	if diff := cmp.Diff(want, h.manifest().Runs); diff != "" || run.EventsSHA256 == "" {
		h.t.Errorf("runs of the manifest (-want +got):\n%s", diff)
	}
}

// retitled are the shipped rulebooks, one of them in another version.
func retitled(t *testing.T, name string) law.Books {
	t.Helper()
	files, err := law.ShippedFiles()
	if err != nil {
		t.Fatal(err)
	}
	path := "rulebooks/" + name + ".yaml"
	files[path] = bytes.Replace(files[path], []byte("\ntitle: "), []byte("\ntitle: Another version of "), 1)
	books, err := rules.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	return books
}
