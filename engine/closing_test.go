package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/scenario"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// eventsOf are the events and the findings of a scenario of the law.
func eventsOf(t *testing.T, name string) ([]schema.Event, []finding.Finding) {
	t.Helper()
	sc, err := scenario.Read("../testdata/scenarios/law/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	r, err := sc.Run(enginetest.Options(), rules.ShippedWith)
	if err != nil {
		t.Fatal(err)
	}
	return r.Events, r.Findings
}

// What is due when a table closes is reported alike at the end of the stream, when the table opens again, and by an
// engine that resumes from a snapshot after the closing.
func TestMoneyDueAtClosingIsReportedAlike(t *testing.T) {
	events, want := eventsOf(t, "X902-settled-after-closing.breach")
	if len(want) != 1 {
		t.Fatalf("%d findings", len(want))
	}
	last := events[len(events)-1]
	opens := slices.IndexFunc(events, func(e schema.Event) bool { return e.Payload.Kind() == schema.KindTableOpened })
	again := events[opens]
	again.EventID, again.Seq, again.At = "opened-again", last.Seq+1, last.At+int64(1e12)
	values := enginetest.Encode(append(slices.Clone(events), again))
	closes := slices.IndexFunc(events, func(e schema.Event) bool { return e.Payload.Kind() == schema.KindTableClosed })
	for _, resumed := range []bool{false, true} {
		opt := enginetest.Options()
		opt.Stretch = 1
		e, b, restarts := engine.New(opt), &rows.Set{}, 0
		for i := range values {
			applyAt(e, values, i, b)
			snapshots := newest(b.Snapshots, int64(i+1))
			if !resumed || i <= closes || snapshots[0].Offset != int64(i) {
				continue
			}
			restarts++
			if e = engine.New(opt); e.Restore(snapshots, 0) != nil {
				t.Fatalf("no engine resumes after record %d", i)
			}
		}
		if d := cmp.Diff(want, finding.Latest(b.Findings)); d != "" {
			t.Errorf("resumed %v: findings of a table that opens again differ (-want +got):\n%s", resumed, d)
		}
		if len(b.Shoes) != 2 || resumed != (restarts > 1) {
			t.Errorf("resumed %v: %d shoes, %d restarts", resumed, len(b.Shoes), restarts)
		}
	}
}

// However a stream is cut, a round is judged as in the whole stream, or reported as not judged.
func TestCutStreamIsReportedAlike(t *testing.T) {
	events, whole := eventsOf(t, "X909-cut.breach")
	if len(whole) < 3 {
		t.Fatalf("%d findings", len(whole))
	}
	inWhole := map[string]finding.Finding{}
	for _, f := range whole {
		inWhole[f.ID] = f
	}
	round := func(shoe string, no uint32) string { return fmt.Sprint(shoe, " round ", no) }
	for cut := range events {
		b, err := scenario.Audit(enginetest.Options(), events[:cut])
		if err != nil {
			t.Fatal(err)
		}
		found, open, begun := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, e := range events[:cut] {
			if e.Payload.Kind() == schema.KindWagerPlaced {
				begun[round(e.ShoeID, e.Round)] = true
			}
		}
		for _, f := range finding.Latest(b.Findings) {
			if found[f.ID] = true; f.Rule == "feed.stream-ended" {
				open[round(f.ShoeID, f.Round)] = true
			} else if d := cmp.Diff(inWhole[f.ID], f); d != "" {
				t.Errorf("cut at %d (-whole +cut):\n%s", cut, d)
			}
		}
		for _, f := range whole {
			if at := round(f.ShoeID, f.Round); begun[at] && !found[f.ID] && !open[at] {
				t.Errorf("cut at %d: %s of %s is neither found nor open", cut, f.Rule, at)
			}
		}
	}
}

// A table of punto banco closes and opens again as minibaccarat, which has no calling dealer: who called the game
// before need not inspect the cards. Where a dealer is assigned to call it again, another one who inspects is found.
func TestCallingDealerOfBeforeTheClosing(t *testing.T) {
	for kind, want := range map[string]bool{"nj-mini": false, "nj-punto": true} {
		var events []schema.Event
		for i, kind := range []string{"nj-punto", kind} {
			config, err := deal.Config(kind, 1)
			if err != nil {
				t.Fatal(err)
			}
			table := deal.NewTable(deal.Options{
				Table: "t-1", Config: config, Seed: uint64(i + 1), Flawless: true,
				Start: time.Date(2026, 11, 19+i, 15, 0, 0, 0, time.UTC),
			})
			for _, ev := range slices.Concat(table.Open(), table.ShoeOf(3), table.Close()) {
				if p, ok := ev.Payload.(*schema.CardsInspected); ok && i == 1 && want {
					p.DealerID = "other"
				}
				ev.Seq, ev.EventID = uint64(len(events))+1, fmt.Sprint("e-", len(events))
				events = append(events, ev)
			}
		}
		found := slices.ContainsFunc(replay(t, events).Findings, func(f finding.Finding) bool {
			return f.Rule == "open.inspector-calls"
		})
		if found != want {
			t.Errorf("%s: open.inspector-calls is found: %t, want %t", kind, found, want)
		}
	}
}

// The floorperson of before a closing, or of before lost events, is not the one who is assigned after it. One who is
// assigned again verifies new cards.
func TestFloorpersonOfBefore(t *testing.T) {
	assigned := func(like *schema.Event, who string) schema.Event {
		ev := like.Clone()
		ev.Payload = &schema.FloorAssigned{FloorpersonID: who}
		return ev
	}
	for name, c := range map[string]struct {
		again, lost, want bool
	}{
		"closed":           {},
		"assigned again":   {again: true, want: true},
		"lost, not closed": {lost: true},
	} {
		t.Run(name, func(t *testing.T) {
			events := reopens(t, [2]string{"nj-punto", "nj-punto"}, 1, func(day int, events []schema.Event) []schema.Event {
				who := fmt.Sprint("floorperson ", day)
				for i := range events {
					if p, ok := events[i].Payload.(*schema.CardsVerified); ok {
						p.VerifierID = who
					}
				}
				if day == 0 {
					events = slices.Insert(events, 0, assigned(&events[0], who))
				} else if c.again {
					events = slices.Insert(events, 0, assigned(&events[0], "another"))
				}
				return events
			})
			if c.lost { // somebody is assigned in the first shoe, and the table is not closed
				closing := slices.IndexFunc(events, func(ev schema.Event) bool {
					return ev.Payload.Kind() == schema.KindTableClosed
				})
				events[closing].Payload = &schema.LayoutAttested{Item: "vig-areas", Present: true}
				lost := 1 + slices.IndexFunc(events, func(ev schema.Event) bool { return ev.Round == 2 })
				events = slices.Delete(events, lost, lost+1)
			}
			found := slices.ContainsFunc(replay(t, events).Findings, func(f finding.Finding) bool {
				return f.Rule == "open.floor-verification" && f.Verdict != finding.Unauditable
			})
			if found != c.want {
				t.Errorf("open.floor-verification is found: %t, want %t", found, c.want)
			}
		})
	}
}
