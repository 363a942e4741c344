//go:build unix

package nightly

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// A table whose seq begins again files notices and opens under the numbers of before. Each is a fact of its own.
func TestFactsAfterReset(t *testing.T) {
	store := database(t)
	config, err := deal.Config("nj-mini", 1)
	if err != nil {
		t.Fatal(err)
	}
	var events []schema.Event
	for i := range 2 { // each numbers from 1
		table := deal.NewTable(deal.Options{
			Property: property, Pit: "p-000", Table: "t-000", Seed: uint64(i) + 1, Config: config,
			Start: opens.Add(time.Duration(i) * 6 * time.Hour),
		})
		events = append(append(append(events, table.Open()...), table.Shoe()...), table.Close()...)
	}
	var l log
	l.append(events...)
	ingest(t, store, &l)
	got := night(t, store, nil)
	resets := 0
	for i := range got.Findings {
		if got.Findings[i].Rule == "feed.reset" {
			resets++
		}
	}
	if resets != 1 || len(got.Facts) != 0 {
		t.Errorf("%d resets, facts that differ:\n%s", resets, strings.Join(got.Facts, "\n"))
	}
}

// The numbers of a table begin again which was read from mid-stream, or in a partition with a lower number than before.
// The replay takes the epochs in the order in which they were played, as the live audit did.
func TestRestartAfterJoining(t *testing.T) {
	config, err := deal.Config("nj-mini", 1)
	if err != nil {
		t.Fatal(err)
	}
	var epochs [2][]schema.Event
	for i := range epochs {
		table := deal.NewTable(deal.Options{
			Property: property, Pit: "p-000", Table: "t-000", Seed: uint64(i) + 1, Config: config,
			Start: opens.Add(time.Duration(i) * 6 * time.Hour),
		})
		epochs[i] = append(append(table.Open(), table.Shoe()...), table.Close()...)
	}
	for name, c := range map[string]struct {
		from  int // the first event that is received
		in    [2]int
		moved bool // the live audit joins the table in the other partition, and sees no restart
	}{
		"joined":               {from: 500, in: [2]int{1, 1}},
		"in a lower partition": {in: [2]int{1, 0}, moved: true},
	} {
		t.Run(name, func(t *testing.T) {
			store := database(t)
			var l log
			for i, at := range c.in {
				part := epochs[i]
				if i == 0 {
					part = part[c.from:]
				}
				for k := range part {
					p := &l.records[at]
					*p = append(*p, pipeline.Record{
						Offset: int64(len(*p)), Format: schema.Protobuf, Value: schema.AppendProto(nil, &part[k]),
					})
				}
			}
			ingest(t, store, &l)
			got := night(t, store, nil)
			resets, others := 0, []string{}
			for i := range got.Findings {
				switch f := &got.Findings[i]; {
				case f.Rule == "feed.reset":
					resets++
				case f.Rule == "feed.shoe-reused": // both epochs number from 1
				case c.moved && (f.Rule == "feed.reconcile" || f.Rule == "feed.partition"):
				case f.Severity != finding.Info:
					others = append(others, f.Rule+" "+f.Subject+" "+f.Observed)
				}
			}
			if resets != 1 || len(others) > 0 {
				t.Errorf("%d resets, and %d others: %s", resets, len(others), strings.Join(others, "\n"))
			}
		})
	}
}

// Event 1 comes late, and then another event 1. The run takes the second for a conflict, as the live audit does, not
// for the beginning of other numbers. An event 1 that is newer than all others does begin them.
func TestSecondFirstEventContests(t *testing.T) {
	config, err := deal.Config("nj-mini", 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		after             int // the number of events in front of the first event 1
		newer             bool
		resets, conflicts int
	}{
		"late":                     {after: 300, conflicts: 1},
		"out of order":             {after: 5, resets: 1},
		"late, and newer than all": {after: 300, newer: true, resets: 1},
	} {
		t.Run(name, func(t *testing.T) {
			table := deal.NewTable(deal.Options{
				Property: property, Pit: "p-000", Table: "t-000", Seed: 1, Config: config, Start: opens,
			})
			events := slices.Concat(table.Open(), table.ShoeOf(20), table.Close())
			other := events[0].Clone()
			other.EventID = "other"
			other.At += int64(time.Millisecond)
			if c.newer {
				other.At = events[c.after+40].At + int64(time.Millisecond)
			}
			var l log
			l.append(slices.Concat(events[1:c.after+1], events[:1], events[c.after+1:c.after+40], []schema.Event{other})...)
			if c.resets == 0 {
				l.append(events[c.after+40:]...)
			}
			store := database(t)
			ingest(t, store, &l)
			resets, conflicts := 0, 0
			run := night(t, store, nil)
			for i := range run.Findings {
				switch f := &run.Findings[i]; f.Rule {
				case "feed.reset":
					resets++
				case "feed.conflict":
					conflicts++
				case "feed.reconcile":
					t.Errorf("a difference: %s", brief(f))
				}
			}
			if resets != c.resets || conflicts != c.conflicts {
				t.Errorf("%d resets, %d conflicts", resets, conflicts)
			}
		})
	}
}

// Records that cannot be decoded have no time. Those between two days belong to both, and to a day that has no others.
func TestUnreadableBetweenDays(t *testing.T) {
	store := database(t)
	var l log
	l.append(play(t, 1, 0, 1).events...)
	of := slices.IndexFunc(l.records[:], func(r []pipeline.Record) bool { return len(r) > 0 })
	p := &l.records[of]
	first := len(*p)
	for range 3 {
		*p = append(*p, pipeline.Record{Offset: int64(len(*p)), Format: schema.Protobuf, Value: []byte("torn")})
	}
	next := playFrom(t, 1, 0, 1, opens.Add(48*time.Hour)).events
	for i := range next {
		next[i].Seq += uint64(first)
	}
	l.append(next...)
	ingest(t, store, &l)
	for _, day := range []string{day, "2026-11-21"} {
		n := night(t, store, func(o *Options) { o.Days = []string{day} })
		if n.Run.DeadLetters != 3 || n.Run.Missing+n.Run.Extra != 0 {
			t.Errorf("%s: %+v, want 3 dead letters and no difference", day, n.Run)
		}
	}
	_, err := Run(t.Context(), store, Options{
		Property: property, Days: []string{"2026-11-20"}, Workers: 1, Engine: options(), Holder: t.Name(), Now: time.Now,
	})
	want := fmt.Sprintf("3 records could not be decoded, table-events/%d offsets %d to %d", of, first, first+2)
	if !errors.Is(err, ErrNothing) || !strings.Contains(err.Error(), want) {
		t.Errorf("the day between: %v, want %s", err, want)
	}
}

// The numbers of a table begin again on the next day, and then its clock goes back to the day. These events are behind
// all that the replay of the day reads, with lower numbers than before the restart: it does not end
// before them.
func TestClockGoesBackAfterReset(t *testing.T) {
	store := database(t)
	config, err := deal.Config("nj-mini", 1)
	if err != nil {
		t.Fatal(err)
	}
	var events []schema.Event
	for i, start := range []time.Duration{0, 24 * time.Hour, 10 * time.Hour} {
		table := deal.NewTable(deal.Options{
			Property: property, Pit: "p-000", Table: "t-000", Seed: uint64(i) + 1, Config: config, Start: opens.Add(start),
		})
		part := slices.Concat(table.Open(), table.ShoeOf([]int{60, 30, 3}[i]), table.Close())
		for k := range part {
			part[k].EventID = fmt.Sprintf("%d-%d", i, k)
			if part[k].ShoeID != "" {
				part[k].ShoeID += fmt.Sprint("-", i)
			}
			if i == 2 {
				part[k].Seq += events[len(events)-1].Seq
			}
		}
		events = append(events, part...)
	}
	var l log
	l.append(events...)
	ingest(t, store, &l)
	got := night(t, store, nil)
	for i := range got.Findings {
		if f := &got.Findings[i]; f.Rule == "feed.reconcile" {
			t.Errorf("a difference: %s", brief(f))
		}
	}
	if len(got.Facts) > 0 {
		t.Errorf("facts that differ:\n%s", strings.Join(got.Facts, "\n"))
	}
	highest := func(from, to string) (seq uint64) {
		for i := range events {
			if id := events[i].EventID; id >= from && id < to {
				seq = max(seq, events[i].Seq)
			}
		}
		return seq
	}
	if before, after := highest("0-", "1-"), highest("1-", "3-"); before < after {
		t.Fatalf("%d events before the restart, %d after it", before, after)
	}
}
