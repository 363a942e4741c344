package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
	"github.com/shoeproof/shoeproof/simulate/script"
)

// findingsOf folds values and returns the findings alone.
func findingsOf(values ...[][]byte) []finding.Finding {
	opt := enginetest.Options()
	opt.NoArchive = true
	_, b := folded(opt, values...)
	return b.Findings
}

func folded(opt engine.Options, values ...[][]byte) (*engine.Engine, *rows.Set) {
	e := engine.New(opt)
	b := &rows.Set{}
	offset := int64(0)
	for _, part := range values {
		for _, v := range part {
			e.Apply(&engine.Record{Offset: offset, Format: schema.Protobuf, Value: v}, "test", 0, b)
			offset++
		}
	}
	e.Finish(b)
	return e, b
}

// legalTables are the fixtures, and a table of each kind with two shoes.
func legalTables(t *testing.T, seed uint64) map[string][]schema.Event {
	t.Helper()
	tables := map[string][]schema.Event{}
	for _, name := range script.Fixtures() {
		events, err := script.Fixture(name)
		if err != nil {
			t.Fatal(err)
		}
		tables[name] = events
	}
	for _, kind := range deal.Kinds() {
		tables[kind] = legalTable(t, kind, "", seed, 12)
	}
	return tables
}

// legalTable is a table with two shoes.
func legalTable(t *testing.T, kind, name string, seed uint64, rounds int) []schema.Event {
	t.Helper()
	config, err := deal.Config(kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	table := deal.NewTable(deal.Options{Table: name, Config: config, Seed: seed})
	events := table.Open()
	events = append(events, table.ShoeOf(rounds)...)
	events = append(events, table.ShoeOf(rounds)...)
	return append(events, table.Close()...)
}

// oneGap wants exactly one finding of level minor or above: the gap that names the range.
func oneGap(t *testing.T, findings []finding.Finding, from, to uint64) {
	t.Helper()
	gaps := 0
	for i := range findings {
		f := &findings[i]
		switch {
		case f.Severity == finding.Info && f.Verdict != "BREACH":
		case f.Rule == "feed.gap" && f.Subject == fmt.Sprintf("range:%d-%d", from, to):
			gaps++
		default:
			t.Errorf("without events %d to %d: %s", from, to, line(f))
		}
	}
	if gaps != 1 {
		t.Errorf("without events %d to %d: %d gaps, want one", from, to, gaps)
	}
}

// A lost event is a gap and accuses no one.
func TestOneLostEvent(t *testing.T) {
	for name, events := range legalTables(t, 3) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values := enginetest.Encode(events)
			step := enginetest.Stride(5, 1)
			if len(values) > 400 {
				step = enginetest.Stride(37, 1)
			}
			// Nothing shows that the last event is missing.
			for i := 0; i < len(values)-1; i += step {
				oneGap(t, findingsOf(values[:i], values[i+1:]), uint64(i+1), uint64(i+1))
			}
		})
	}
}

// Ranges of lost events likewise.
func TestLostRanges(t *testing.T) {
	for name, events := range legalTables(t, 4) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values := enginetest.Encode(events)
			rng := rand.New(rand.NewPCG(1, uint64(len(values))))
			for range enginetest.Soak(8, 5000) {
				n := 2 + rng.IntN(39)
				i := rng.IntN(len(values) - n)
				oneGap(t, findingsOf(values[:i], values[i+n:]), uint64(i+1), uint64(i+n))
			}
		})
	}
}

// Two holes are two gaps.
func TestTwoHoles(t *testing.T) {
	events, err := script.Fixture("S-PB")
	if err != nil {
		t.Fatal(err)
	}
	v := enginetest.Encode(events)
	var gaps []string
	for _, f := range findingsOf(v[:80], v[90:150], v[151:]) {
		if f.Verdict == "BREACH" {
			t.Error(line(&f))
		}
		if f.Rule == "feed.gap" && f.Severity != finding.Info {
			gaps = append(gaps, f.Subject)
		}
	}
	same(t, "gaps", []string{"range:81-90", "range:151-151"}, gaps)
}

// A stream that begins in the middle reports what cannot be known, and accuses no one.
func TestJoined(t *testing.T) {
	for name, events := range legalTables(t, 5) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values := enginetest.Encode(events)
			step := max(1, len(values)/enginetest.Soak(8, 5000))
			last := len(values) - 1
			for i := 65; i < last; i += step {
				unauditable := 0
				for _, f := range findingsOf(values[i:]) {
					switch {
					case f.Severity != finding.Info || f.Verdict == "BREACH":
						t.Errorf("joined at %d: %s", i+1, line(&f))
					case f.Verdict == "UNAUDITABLE":
						unauditable++
					}
				}
				if unauditable == 0 && events[i].ShoeID != "" {
					t.Errorf("joined at %d in shoe %s: no notice", i+1, events[i].ShoeID)
				}
			}
		})
	}
}

// A hole in one round hides nothing in another.
func TestFaultOutsideTheHole(t *testing.T) {
	for i, broken := range fault.All() {
		if enginetest.Skips(i) {
			continue
		}
		t.Run(broken.Rule, func(t *testing.T) {
			t.Parallel()
			tried := 0
			for seed := enginetest.Seeds(i, 1, 20)[0]; seed < 30 && tried < enginetest.Soak(1, 20); seed++ {
				events, want, err := fault.Plant(deal.Options{}, broken, seed)
				if err != nil {
					t.Fatal(err)
				}
				if want[0].Round < 5 {
					continue
				}
				at := middleOf(events, want[0].Round-3)
				if at < 0 {
					continue
				}
				values := enginetest.Encode(events)
				found := false
				for _, f := range findingsOf(values[:at], values[at+1:]) {
					found = found || f.Rule == want[0].Rule && f.Round == want[0].Round && f.Verdict == "BREACH"
				}
				breach := false
				for _, f := range findingsOf(values) {
					breach = breach || f.Rule == want[0].Rule && f.Round == want[0].Round && f.Verdict == "BREACH"
				}
				if !breach {
					continue // of level info
				}
				tried++
				if provable := ruleNamed(broken.Rule).Back != rules.WholeShoe; found != provable {
					t.Errorf(
						"seed %d: round %d, hole at event %d in round %d: accused %t, want %t", seed, want[0].Round,
						at+1, events[at].Round, found, provable,
					)
				}
			}
		})
	}
}

// middleOf is the index of a wager or card in the middle of a round of the first shoe, -1 if there is none.
func middleOf(events []schema.Event, round uint32) int {
	first := ""
	var in []int
	for i := range events {
		if first == "" {
			first = events[i].ShoeID
		}
		if events[i].ShoeID == first && events[i].Round == round {
			in = append(in, i)
		}
	}
	if len(in) < 5 {
		return -1
	}
	return in[len(in)/2]
}
