//go:build unix

package exporter_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
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

// conflictAlone runs the audit of the day and exports it: one event is contested, and what is found without it was not
// proven.
func (h *house) conflictAlone() {
	h.t.Helper()
	run := h.night()
	conflicts := 0
	for i := range run.Findings {
		f := &run.Findings[i]
		if f.Rule == "feed.conflict" {
			conflicts++
		}
		if f.Severity != finding.Info && (f.Verdict == finding.Breach || f.Rule == "feed.reconcile") {
			h.t.Errorf("%s %s at round %d, %s: expected %s, observed %s", f.Verdict, f.Rule, f.Round, f.Subject, f.Expected,
				f.Observed)
		}
	}
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
