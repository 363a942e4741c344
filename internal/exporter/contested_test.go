//go:build unix

package exporter_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/exporter"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// A breach is contested after its shoe is gone: another event has the number of its payment. The run and the replay of
// the evidence take the second event where it arrived, as ingest did: they find what was found, and the facts agree.
func TestContestedAfterItsShoe(t *testing.T) {
	h, _, shoes := playedShoes(t, "contested", 3)
	paid := breach(shoes[2], 50)
	late := contest(&shoes[2][paid])
	var of topic
	of.append(slices.Concat(shoes[0], shoes[1], shoes[2], shoes[3][:500])...)
	h.ingest(&of)
	of.append(late)
	of.append(slices.Concat(shoes[3][500:], shoes[4])...)
	h.ingest(&of)
	h.agree(map[string]finding.Verdict{"payout.player.odds": finding.Breach, "feed.conflict": finding.Suspect})
}

// Events come again when what was received under their numbers is forgotten. The run compares them with the archive: it
// reports the event with other bytes.
func TestForgottenIsCompared(t *testing.T) {
	h, all, shoes := playedShoes(t, "forgotten", 4)
	breach(shoes[2], 50)
	var of topic
	of.append(slices.Concat(shoes[:4]...)...)
	h.ingest(&of)
	of.append(all[100:400]...)
	of.append(contest(&all[200]))
	of.append(slices.Concat(shoes[4:]...)...)
	h.ingest(&of)
	run := h.agree(map[string]finding.Verdict{
		"payout.player.odds": finding.Breach, "feed.dead-letters": finding.Unauditable,
	}, "feed.dead-letters")
	listed := strings.Count(string(unpack(t, h.bundle)["coverage.ndjson"]), rows.Forgotten)
	if run != 1 || listed != 1 {
		t.Errorf("%d dead letters of the run, %d in the bundle, want the one that repeats no event", run, listed)
	}
}

// The history of a table that was joined in mid-stream comes twice. The archive has each event once, where it first
// came, and is proven.
func TestHistoryComesTwice(t *testing.T) {
	h, all, _ := playedShoes(t, "twice", 2)
	var of topic
	of.append(all[1000:4000]...)
	of.append(all[:1000]...)
	of.append(all[:1000]...)
	of.append(all[4000:]...)
	h.ingest(&of)
	if err := h.exec(t.Context(), "OPTIMIZE TABLE %s FINAL", h.db.Table("events")); err != nil {
		t.Fatal(err)
	}
	if by, why := h.found(); len(by) > 0 {
		t.Errorf("%s", why)
	}
}

// playedShoes are the parts of what a table of a new house plays: its opening, shoes, its closing.
func playedShoes(t *testing.T, name string, shoes int) (h *house, all []schema.Event, parts [][]schema.Event) {
	t.Helper()
	h = openHouse(t, name)
	table := h.tableOf(deal.Options{Start: time.Date(2026, 11, 19, 15, 0, 0, 0, time.UTC)})
	parts = append(parts, table.Open())
	for range shoes {
		parts = append(parts, table.Shoe())
	}
	parts = append(parts, table.Close())
	return h, slices.Concat(parts...), parts
}

// contest is an event with other bytes.
func contest(ev *schema.Event) schema.Event {
	other := ev.Clone()
	other.At++
	return other
}

// agree compares the live audit, the run of the day and its bundle: each rule above info is found once. The findings
// of the run alone are not replayed. It returns the dead letters that the run counts.
func (h *house) agree(want map[string]finding.Verdict, ofRun ...string) (deadLetters uint64) {
	h.t.Helper()
	run := h.night()
	found := map[string]int{}
	for i := range run.Findings {
		f := &run.Findings[i]
		if f.Severity == finding.Info {
			continue
		}
		if found[f.Rule]++; want[f.Rule] != f.Verdict || found[f.Rule] > 1 {
			h.t.Errorf("%s %s at round %d, %s: expected %s, observed %s", f.Verdict, f.Rule, f.Round, f.Subject, f.Expected,
				f.Observed)
		}
	}
	if r := run.Run; len(found) != len(want) || r.Missing+r.Extra+r.Changed > 0 || len(run.Facts) > 0 {
		h.t.Errorf("found %v, want %v; the run differs from the live audit: %+v, %q", found, want, r, run.Facts)
	}
	h.export()
	if m := h.manifest(); len(m.Unreplayed) != len(ofRun) || len(m.Extra) > 0 {
		h.t.Errorf("not given by the replay %v, given beside them %v", m.Unreplayed, m.Extra)
	}
	if v, err := h.verify(true); err != nil || v.Code != export.Good {
		h.t.Errorf("%+v, %v", v, err)
	}
	if by, why := h.found(); len(by) > 0 {
		h.t.Errorf("%s", why)
	}
	return run.Run.DeadLetters
}

// A table plays on a gaming day that was exported, without a deviation, and its events come afterwards. The next export
// has its rounds, and agrees with the database, which the first no longer does. A third would have nothing new.
func TestLegalPlayAfterTheExport(t *testing.T) {
	h := openHouse(t, "legal")
	var of topic
	events := h.shoeOf(property, "PB-01")
	breach(events, 3)
	of.append(events...)
	h.ingest(&of)
	h.night()
	h.export()
	h.verifies(export.Good)
	of.append(played(h.tableOf(deal.Options{
		Table: "PB-02", Seed: 4, Flawless: true, Start: time.Date(2026, 11, 19, 20, 0, 0, 0, time.UTC),
	}), 1)...)
	h.ingest(&of)
	h.missing("run", day)
	h.night()
	h.missing("export", day)
	h.verifies(export.Differs)
	h.export()
	if m := h.manifest(); m.Export != 2 || m.Findings+m.Amendments != 0 {
		t.Errorf("export %d has %d findings and %d amendments", m.Export, m.Findings, m.Amendments)
	}
	h.verifies(export.Good)
	h.missing("")
	done, err := exporter.Run(t.Context(), &h.settings, exporter.Options{
		Property: property, GamingDay: day, Out: t.TempDir(), Actor: "test", Engine: h.law, Store: h.db,
	})
	if done != nil || err != nil {
		t.Errorf("exported once more: %+v, %v", done, err)
	}
}
