//go:build unix

package exporter_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/export/archive"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/nightly"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// A payment that is too high is contested, and nothing was judged by it: it came after it was given up, or the other
// event of its number came before its turn. The live audit, the run of the day and its bundle report the conflict,
// and accuse no one.
func TestContestedBeforeItIsJudged(t *testing.T) {
	for name, c := range map[string]func(of, next []schema.Event, paid int) [][]schema.Event{
		"late": func(of, next []schema.Event, paid int) [][]schema.Event {
			return [][]schema.Event{
				of[:paid], of[paid+1 : paid+300], {of[paid], contest(&of[paid]), of[paid]}, of[paid+300:], next,
			}
		},
		"late, the breach last": func(of, next []schema.Event, paid int) [][]schema.Event {
			return [][]schema.Event{
				of[:paid], of[paid+1 : paid+300], {contest(&of[paid]), of[paid]}, of[paid+300:], next,
			}
		},
		"after its shoe": func(of, next []schema.Event, paid int) [][]schema.Event {
			return [][]schema.Event{
				of[:paid], of[paid+1 : paid+300], {of[paid]}, of[paid+300:], next[:500], {contest(&of[paid])}, next[500:],
			}
		},
		"late after its shoe": func(of, next []schema.Event, paid int) [][]schema.Event {
			return [][]schema.Event{
				of[:paid], of[paid+1:], next[:500], {of[paid]}, next[500:600], {contest(&of[paid])}, next[600:],
			}
		},
		"before its turn": func(of, next []schema.Event, paid int) [][]schema.Event {
			return [][]schema.Event{
				of[:paid-1], {of[paid], of[paid+1], contest(&of[paid]), of[paid-1]}, of[paid+2:], next,
			}
		},
		"before its turn, behind a gap": func(of, next []schema.Event, paid int) [][]schema.Event {
			return [][]schema.Event{of[:paid-1], {of[paid], contest(&of[paid])}, of[paid+1:], next}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, _, shoes := playedShoes(t, "contested_"+strings.NewReplacer(" ", "_", ",", "").Replace(name), 2)
			paid := breach(shoes[1], 20)
			var of topic
			of.append(shoes[0]...)
			of.append(slices.Concat(c(shoes[1], slices.Concat(shoes[2:]...), paid)...)...)
			h.ingest(&of)
			h.conflictAlone()
		})
	}
}

// Time gives up a payment that is too high: it comes a few events later, which is late, and is contested. The bundle
// has the release, without which its events would show no late one.
func TestContestedAfterARelease(t *testing.T) {
	h, _, shoes := playedShoes(t, "released", 2)
	paid := breach(shoes[1], 20)
	var of topic
	of.append(slices.Concat(shoes[0], shoes[1][:paid], shoes[1][paid+1:paid+4])...)
	h.ingestWith(&of, func(o *pipeline.RunOptions) { o.ReleaseAtEnd = true })
	of.append(slices.Concat(shoes[1][paid:paid+1], shoes[1][paid+4:paid+20], []schema.Event{contest(&shoes[1][paid])},
		shoes[1][paid+20:], slices.Concat(shoes[2:]...))...)
	h.ingest(&of)
	h.conflictAlone()
	if m := h.manifest(); len(m.Extra) > 0 {
		t.Errorf("the bundle gives besides: %v", m.Extra)
	}
	const forget = "ALTER TABLE %s UPDATE released = '' WHERE released != '' SETTINGS mutations_sync = 1"
	if err := h.exec(t.Context(), forget, h.db.Table("journal")); err != nil {
		t.Fatal(err)
	}
	v, err := h.verify(false)
	if err != nil || v.Code != export.Differs ||
		!strings.Contains(v.Message, "1 release of missing events of table "+shoes[1][0].TableID+" not as in the journal") {
		t.Errorf("a journal without the release: %+v, %v", v, err)
	}
}

// A payment that is too high comes late, or is in another partition, and is contested by an event that cannot be
// compared with it any more, since the numbers have begun again: it is a dead letter. The run and the bundle of the day
// report the conflict, and accuse no one.
func TestContestedByADeadLetter(t *testing.T) {
	h, _, shoes := playedShoes(t, "letter", 2)
	paid := breach(shoes[1], 20)
	again := played(h.tableOf(deal.Options{Seed: 2, Start: time.Date(2026, 11, 19, 21, 0, 0, 0, time.UTC)}), 1)
	var of topic
	of.append(slices.Concat(shoes[0], shoes[1][:paid], shoes[1][paid+1:paid+300], shoes[1][paid:paid+1],
		shoes[1][paid+300:], slices.Concat(shoes[2:]...), again, []schema.Event{contest(&shoes[1][paid])})...)
	h.ingest(&of)
	h.contestedByALetter()
	h.readsLettersOnce(again[0].TableID)
}

// readsLettersOnce reads the events of a table and then its epochs, without the dead letters.
func (h *house) readsLettersOnce(table string) {
	t, m := h.t, h.manifest()
	t.Helper()
	day := &export.Day{}
	reader := archive.Reader{Store: h.db, Property: m.Property, GamingDay: m.GamingDay, Calendar: h.law.Calendar}
	if err := reader.Fill(t.Context(), day); err != nil {
		t.Fatal(err)
	}
	for ev, err := range day.Events(table, 1, 9) {
		if err != nil {
			t.Fatalf("%v: %v", ev, err)
		}
	}
	const away = "RENAME TABLE %s TO %[1]s_away"
	if err := h.exec(t.Context(), away, h.db.Table("dead_letters")); err != nil {
		t.Fatal(err)
	}
	if _, err := day.Epochs(table); err != nil {
		t.Errorf("the dead letters are read again: %v", err)
	}
}

func TestContestedByADeadLetterBeside(t *testing.T) {
	h, all, shoes := playedShoes(t, "letterbeside", 2)
	paid := breach(shoes[1], 20)
	of, beside := topic{}, topic{partition: 2}
	of.append(all...)
	for i := range 2 {
		beside.append(played(h.tableOf(deal.Options{
			Seed: uint64(i) + 2, Start: time.Date(2026, 11, 19, 21+4*i, 0, 0, 0, time.UTC),
		}), 1)...)
	}
	beside.append(contest(&shoes[1][paid]))
	h.ingest(&of)
	h.ingest(&beside)
	h.contestedByALetter()
}

// moved reports whether a finding names the partitions of a table.
func moved(f finding.Finding) bool { return f.Rule == "feed.partition" }

// contestedByALetter runs the audit of the day and exports it: a dead letter contests an event, and nothing is proven.
func (h *house) contestedByALetter() {
	t := h.t
	t.Helper()
	run := h.night()
	conflicts := h.conflicts(run, !slices.ContainsFunc(run.Findings, moved))
	if conflicts != 1 || run.Run.DeadLetters != 1 {
		t.Errorf("%d conflicts, %d dead letters, want one of each", conflicts, run.Run.DeadLetters)
	}
	h.export()
	if v, err := h.verify(true); err != nil || v.Code != export.Good {
		t.Errorf("%+v, %v", v, err)
	}
	for _, f := range leaves[finding.Finding](t, h.bundle, "findings.ndjson") {
		if f.Verdict == finding.Breach && f.Severity != finding.Info {
			t.Errorf("the bundle has %s %s", f.Verdict, f.Rule)
		}
	}
	if m := h.manifest(); len(m.Extra) > 0 {
		t.Errorf("the bundle gives besides: %v", m.Extra)
	}
}

// conflicts counts the conflicts of a run, which proves nothing. If it is to agree, the live audit gave the same.
func (h *house) conflicts(run *nightly.Night, agrees bool) (conflicts int) {
	h.t.Helper()
	for i := range run.Findings {
		f := &run.Findings[i]
		if f.Rule == "feed.conflict" {
			conflicts++
		}
		differs := agrees && f.Rule == "feed.reconcile"
		if f.Severity != finding.Info && (f.Verdict == finding.Breach || differs) {
			h.t.Errorf("%s %s at round %d, %s: expected %s, observed %s", f.Verdict, f.Rule, f.Round, f.Subject, f.Expected,
				f.Observed)
		}
	}
	return conflicts
}

// conflictAlone runs the audit of the day and exports it: one event is contested, and what is found without it was not
// proven.
func (h *house) conflictAlone() {
	h.t.Helper()
	run := h.night()
	conflicts := h.conflicts(run, true)
	if conflicts != 1 || run.Run.DeadLetters > 0 || len(run.Facts) > 0 {
		h.t.Errorf("%d conflicts, %d dead letters, %q", conflicts, run.Run.DeadLetters, run.Facts)
	}
	h.export()
	if v, err := h.verify(true); err != nil || v.Code != export.Good {
		h.t.Errorf("%+v, %v", v, err)
	}
	if by, why := h.found(); len(by) > 0 && run.Run.Gaps == 0 {
		h.t.Errorf("%s", why)
	}
}

// The two versions of an event are in different partitions, or the table moves to another one, with events that came
// out of order. Each live audit has a part. The run of the day has all, and its bundle gives the same.
func TestEvidenceOfTwoPartitions(t *testing.T) {
	for name, split := range map[string]func(of []schema.Event, paid int) (home, beside []schema.Event){
		"contested": func(of []schema.Event, paid int) (home, beside []schema.Event) {
			return of, []schema.Event{contest(&of[paid])}
		},
		"moved": func(of []schema.Event, paid int) (home, beside []schema.Event) {
			of = slices.Insert(slices.Clone(of), paid+40, contest(&of[paid-1]))
			return of[:paid+200], of[paid+200:]
		},
	} {
		for _, partition := range []int32{0, 2} {
			t.Run(fmt.Sprint(name, partition), func(t *testing.T) {
				h, _, shoes := playedShoes(t, fmt.Sprintf("evidence_%s_%d", name, partition), 2)
				paid := len(shoes[0]) + breach(shoes[1], 20)
				breach(shoes[2], 20)
				home, beside := split(slices.Concat(shoes...), paid)
				of, other := topic{partition: 1}, topic{partition: partition}
				of.append(home...)
				other.append(beside...)
				h.ingest(&of)
				h.ingest(&other)
				run := h.night()
				ofRun := map[string]bool{}
				accuses := 0
				for i := range run.Findings {
					f := &run.Findings[i]
					ofRun[f.ID] = f.Rule == "feed.reconcile" || f.Rule == "feed.partition"
					if f.Verdict == finding.Breach && f.Severity != finding.Info {
						accuses++
					}
				}
				h.export()
				told := 0
				for _, f := range leaves[finding.Finding](t, h.bundle, "findings.ndjson") {
					if f.Verdict == finding.Breach && f.Severity != finding.Info {
						told++
					}
				}
				if want := map[string]int{"contested": 1, "moved": 2}[name]; accuses != want || told != want {
					t.Errorf("the run accuses %d times, the bundle %d, want %d", accuses, told, want)
				}
				v, err := h.verify(true)
				if err != nil || v.Code != export.Good {
					t.Errorf("%+v, %v", v, err)
				}
				m := h.manifest()
				m.Unreplayed = slices.DeleteFunc(m.Unreplayed, func(id string) bool { return ofRun[id] })
				if len(m.Unreplayed)+len(m.Extra) > 0 {
					t.Errorf("not given by the replay %v, given beside them %v", m.Unreplayed, m.Extra)
				}
			})
		}
	}
}
