package engine_test

import (
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/internal/scenario"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/script"
)

var update = flag.Bool("update", false, "rewrite the findings of the scenarios")

// A scenario is a story, a legal shoe, what goes wrong in it, and the findings that it must give.
func TestScenarios(t *testing.T) {
	const folder = "../testdata/scenarios/"
	files, err := filepath.Glob(folder + "*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	legal, err := filepath.Glob(folder + "legal/*.txtar")
	if err != nil || len(legal) == 0 {
		t.Fatalf("no legal scenarios: %v", err)
	}
	law, err := filepath.Glob(folder + "law/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range slices.Concat(files, legal, law) {
		if enginetest.Skips(i) {
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), folder), ".txtar")
		t.Run(name, func(t *testing.T) { runScenario(t, file) })
	}
}

func runScenario(t *testing.T, file string) {
	s, err := scenario.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(enginetest.Options(), rules.ShippedWith)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := s.Update(r.Findings); err != nil {
			t.Fatal(err)
		}
	} else if d := cmp.Diff(s.Want(), scenario.Text(r.Findings)); d != "" {
		t.Errorf("findings differ (-want +got):\n%s", d)
	}
	for _, problem := range s.Problems(r) {
		t.Error(problem)
	}
}

// What is due of a last round is reported alike at the end of the stream and with the next shoe: a nightly run that
// ends with the shoe gives the finding of the live audit.
func TestLastRoundIsReportedAlike(t *testing.T) {
	sc, err := scenario.Read("../testdata/scenarios/law/X801-settled-after-end.breach.txtar")
	if err != nil {
		t.Fatal(err)
	}
	r, err := sc.Run(enginetest.Options(), rules.ShippedWith)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 {
		t.Fatalf("%d findings", len(r.Findings))
	}
	played := r.Findings[0].ShoeID
	next := slices.IndexFunc(r.Events, func(e schema.Event) bool { return e.ShoeID != "" && e.ShoeID != played })
	if next < 0 {
		t.Fatal("no shoe follows")
	}
	short := replayWith(t, enginetest.Options(), r.Events[:next])
	if d := cmp.Diff(r.Findings, short.Findings); d != "" {
		t.Errorf("findings without the next shoe differ (-with +without):\n%s", d)
	}
}

// A wager that was lowered during the deal, which the dealer refused, is not one that was raised when it was settled.
func TestRefusedLoweringIsNotLate(t *testing.T) {
	sc, err := scenario.Read("../testdata/scenarios/law/X920-lowering-refused.breach.txtar")
	if err != nil {
		t.Fatal(err)
	}
	r, err := sc.Run(enginetest.Options(), rules.ShippedWith)
	if err != nil {
		t.Fatal(err)
	}
	wagers := &replay(t, r.Events).Wagers
	if i := slices.Index(wagers.Late, true); i >= 0 {
		t.Errorf("wager at seat %d in round %d is late", wagers.Seat[i], wagers.Round[i])
	}
}

// A wager that was moved to another spot after the first card is late as it is settled; one whose move the dealer
// refused is not.
func TestMovedAfterTheFirstCardIsLate(t *testing.T) {
	for _, refused := range []bool{false, true} {
		events, err := script.Fixture("S-NY")
		if err != nil {
			t.Fatal(err)
		}
		events = slices.Clone(events)
		var moved *schema.WagerPlaced
		first := slices.IndexFunc(events, func(e schema.Event) bool {
			if p, ok := e.Payload.(*schema.WagerPlaced); ok && moved == nil && p.Spot <= schema.SpotPlayer {
				moved = p
			}
			_, dealt := e.Payload.(*schema.CardDealt)
			return dealt
		})
		change := events[first].Clone()
		change.EventID = "moved"
		change.Payload = &schema.WagerChanged{
			WagerID: moved.WagerID, Change: schema.WagerChangeMoved, ToSpot: schema.SpotBanker + schema.SpotPlayer - moved.Spot,
		}
		events = slices.Insert(events, first+1, change)
		for i := range events {
			events[i].Seq = uint64(i + 1)
			switch p := events[i].Payload.(type) {
			case *schema.WagerPaid:
				if p.WagerID == moved.WagerID && !refused {
					events[i].Payload = &schema.WagerCollected{WagerID: p.WagerID, Seat: p.Seat, Amount: moved.Amount}
				}
			case *schema.WagerCollected:
				if p.WagerID == moved.WagerID && !refused {
					events[i].Payload = &schema.WagerPaid{WagerID: p.WagerID, Seat: p.Seat, Amount: moved.Amount}
				}
			}
		}
		wagers := &replay(t, events).Wagers
		for i, late := range wagers.Late {
			is := string(wagers.WagerID.At(i)) == moved.WagerID && wagers.ShoeID[i] == change.ShoeID && !refused
			if late != is {
				t.Errorf("refused %t: wager %s is late: %t", refused, wagers.WagerID.At(i), late)
			}
		}
	}
}

func ruleNamed(name string) *rules.Rule {
	for _, r := range rules.All() {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// A file in testdata/scenarios/law is named after a line of the review of the law: A02-two-batches.lawful.txtar accuses
// no one, A02-two-batches.breach.txtar shows that the nearby violation is still found.
func TestLawScenarios(t *testing.T) {
	files, err := filepath.Glob("../testdata/scenarios/law/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		s, err := scenario.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		kind := name[strings.LastIndex(name, ".")+1:]
		accuses := slices.ContainsFunc(strings.Split(s.Want(), "\n"), func(line string) bool {
			return !strings.HasPrefix(line, " ") && line != "" && !strings.HasPrefix(line, "info ")
		})
		switch {
		case kind != "lawful" && kind != "breach" && kind != "unauditable":
			t.Errorf("%s: want the ending .lawful, .breach or .unauditable", name)
		case kind == "breach" && !accuses:
			t.Errorf("%s: no finding above info", name)
		case kind != "breach" && accuses:
			t.Errorf("%s: a finding above info", name)
		case kind == "unauditable" && !strings.Contains(s.Want(), " UNAUDITABLE"):
			t.Errorf("%s: nothing is UNAUDITABLE", name)
		}
	}
}

// Every rule that can be judged has a scenario; any other rule states the reason.
func TestEveryRuleHasAScenario(t *testing.T) {
	for _, r := range rules.All() {
		files, _ := filepath.Glob("../testdata/scenarios/" + r.Name + ".txtar")
		switch {
		case r.Check == nil && r.Floor == nil && r.Unknown == "":
			t.Errorf("%s has neither a check nor a word on what is unknown", r.Name)
		case r.Unknown != "" && len(files) > 0:
			t.Errorf("%s has a scenario, but cannot be judged: %s", r.Name, r.Unknown)
		case r.Unknown == "" && len(files) == 0:
			t.Errorf("%s has no scenario in testdata/scenarios", r.Name)
		}
	}
}
