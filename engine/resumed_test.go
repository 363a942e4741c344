package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// openings of a table that a system publishes again when it starts again: none, that of before as it was, and one of
// what is so now.
var openings = []string{"no opening", "the same opening", "a new opening"}

// resumed are the events of a table whose numbers begin again with event k, after an opening.
func resumed(events []schema.Event, k int, opening string) []schema.Event {
	out := make([]schema.Event, 0, len(events)+1)
	for i := range events {
		if i == k && opening != openings[0] {
			again := events[slices.IndexFunc(events, isOpening)].Clone()
			again.EventID, again.At = "again", events[k].At
			if opening == openings[2] {
				asNow(again.Payload.(*schema.TableOpened), events[:k], again.At)
			}
			out = append(out, again)
		}
		out = append(out, events[i].Clone())
	}
	for i := k; i < len(out); i++ {
		out[i].Seq = uint64(i - k + 1)
	}
	return out
}

func isOpening(ev schema.Event) bool { return ev.Payload.Kind() == schema.KindTableOpened }

// asNow opens a table as it is after events.
func asNow(p *schema.TableOpened, events []schema.Event, now int64) {
	for i := range events {
		switch e := events[i].Payload.(type) {
		case *schema.TableConfigured:
			if e.EffectiveAt <= now {
				p.Config = e.Config
			}
		case *schema.SeatOccupied:
			p.OccupiedSeats = append(p.OccupiedSeats, e.Seat)
		case *schema.SeatVacated:
			p.OccupiedSeats = slices.DeleteFunc(p.OccupiedSeats, func(seat uint32) bool { return seat == e.Seat })
		default: // not in an opening
		}
	}
}

// twoShoes is a table with two shoes of some rounds.
func twoShoes(t *testing.T, kind string, seed uint64, first, second int) []schema.Event {
	t.Helper()
	config, err := deal.Config(kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	table := deal.NewTable(deal.Options{Config: config, Seed: seed})
	return slices.Concat(table.Open(), table.ShoeOf(first), table.ShoeOf(second), table.Close())
}

// accusation is the first finding of a rule that is not about the feed, and accuses; nil if none does.
func accusation(findings []finding.Finding) *finding.Finding {
	i := slices.IndexFunc(findings, func(f finding.Finding) bool {
		accuses := f.Verdict == finding.Breach || f.Verdict == finding.Suspect
		return accuses && !strings.HasPrefix(f.Rule, "feed.")
	})
	if i < 0 {
		return nil
	}
	return &findings[i]
}

// A system that starts to number its events again, within a round or a preparation, with or without another opening of
// the table, accuses no one.
func TestResumed(t *testing.T) {
	for i, kind := range deal.Kinds() {
		for _, seed := range enginetest.Seeds(i, 1, 4) {
			for _, opening := range openings {
				t.Run(fmt.Sprintf("%s %d %s", kind, seed, opening), func(t *testing.T) {
					t.Parallel()
					events, step := twoShoes(t, kind, seed, 25, 5), enginetest.Stride(41, 5)
					for k := slices.IndexFunc(events, isOpening) + 1 + int(seed)%step; k < len(events); k += step {
						f := accusation(findingsOf(enginetest.Encode(resumed(events, k, opening))))
						if f != nil {
							t.Errorf("resumed with %T, event %d of %d: %s", events[k].Payload, k+1, len(events), line(f))
						}
					}
				})
			}
		}
	}
}

// An opening that is repeated as it was names the patrons of that time, and the next cut is not offered to them.
func TestResumedWithFormerSeats(t *testing.T) {
	for _, kind := range []string{"nj-mini", "nj-punto"} {
		events := twoShoes(t, kind, 1, 60, 10)
		k := slices.IndexFunc(events, func(ev schema.Event) bool { return ev.Round == 5 })
		if f := accusation(findingsOf(enginetest.Encode(resumed(events, k, openings[1])))); f != nil {
			t.Errorf("%s: %s", kind, line(f))
		}
	}
}

// Numbers begin again when the shoe that is next is shuffled in the device. The shoe in play, which goes on, is not the
// next one, and was not seen from its beginning.
func TestResumedWithNextShoe(t *testing.T) {
	events, tried := twoShoes(t, "ny-shuffler", 15, 25, 5), 0
	for k := range events {
		if p, ok := events[k].Payload.(*schema.ShoeShuffled); !ok || p.Method != schema.ShuffleMethodDevice {
			continue
		}
		tried++
		for _, opening := range openings[1:] {
			for _, f := range findingsOf(enginetest.Encode(resumed(events, k, opening))) {
				if f.Severity != finding.Info && f.Rule != "feed.reset" {
					t.Errorf("resumed with event %d and %s: %s", k+1, opening, line(&f))
				}
			}
		}
	}
	if tried < 2 {
		t.Errorf("%d shuffles in a device, want two", tried)
	}
}

// A system that is installed while a table plays publishes an opening of the table first, as event 1, and accuses no
// one.
func TestOpenedInPlay(t *testing.T) {
	for i, kind := range deal.Kinds() {
		for _, seed := range enginetest.Seeds(i, 1, 4) {
			for _, opening := range openings[1:] {
				t.Run(fmt.Sprintf("%s %d %s", kind, seed, opening), func(t *testing.T) {
					t.Parallel()
					events, step := twoShoes(t, kind, seed, 25, 5), enginetest.Stride(41, 5)
					for k := int(seed) % step; k < len(events); k += step {
						if events[k].Round < 2 {
							continue
						}
						if f := accusation(findingsOf(enginetest.Encode(resumed(events, k, opening)[k:]))); f != nil {
							t.Errorf("opened with %T, event %d of %d: %s", events[k].Payload, k+1, len(events), line(f))
						}
					}
				})
			}
		}
	}
}
