package engine_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/engine/enginetest"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// Legal shoes of every kind of table give no finding, with all the lawful acts that are rare; the long form deals a
// million. SHOEPROOF_SEED is the first seed and SHOEPROOF_SHOES about how many shoes are dealt, so that another run
// deals other shoes or goes on where one ended: the log has the next seed after each few seeds.
func TestLegalShoesAreSilent(t *testing.T) {
	const seedsAtOnce = 4
	kinds := deal.Kinds()
	first, _ := strconv.ParseUint(os.Getenv("SHOEPROOF_SEED"), 10, 64)
	shoes := enginetest.Soak(600, 1_000_000)
	if n, err := strconv.Atoi(os.Getenv("SHOEPROOF_SHOES")); err == nil {
		shoes = n
	}
	end := first + uint64(shoes/(shoesPerTable*len(kinds))) + 1
	began, total := time.Now(), legalTally{}
	for seed := first; seed < end && !t.Failed(); seed += seedsAtOnce {
		jobs := make(chan dealtTable)
		var workers sync.WaitGroup
		var mu sync.Mutex
		for range runtime.GOMAXPROCS(0) {
			workers.Go(func() {
				b := &rows.Set{}
				for job := range jobs {
					played := job.play(t, b)
					mu.Lock()
					total.add(played)
					mu.Unlock()
				}
			})
		}
		for _, kind := range kinds {
			for s := seed; s < min(seed+seedsAtOnce, end); s++ {
				jobs <- dealtTable{kind, s}
			}
		}
		close(jobs)
		workers.Wait()
		t.Logf("next seed %d: %v, %.1f shoes a second", min(seed+seedsAtOnce, end), &total,
			float64(total.shoes)/time.Since(began).Seconds())
	}
}

// shoesPerTable is how many shoes each table of a run plays.
const shoesPerTable = 2

// dealtTable is a table of legal play.
type dealtTable struct {
	kind string
	seed uint64
}

// legalTally is what a run of legal tables counts.
type legalTally struct {
	shoes, rounds, events, put, wrong int
	// paid is what was paid, which is what was due.
	paid int64
}

func (l *legalTally) add(of legalTally) {
	l.shoes, l.rounds, l.events = l.shoes+of.shoes, l.rounds+of.rounds, l.events+of.events
	l.put, l.wrong, l.paid = l.put+of.put, l.wrong+of.wrong, l.paid+of.paid
}

func (l *legalTally) String() string {
	return fmt.Sprintf(
		"%d shoes, %d rounds, %d events, %d irregularities and mistakes put right as the law demands, %d findings, "+
			"%d.%02d paid as due",
		l.shoes, l.rounds, l.events, l.put, l.wrong, l.paid/100, l.paid%100,
	)
}

// play deals the table and audits it. Each finding about lawful conduct is an error.
func (l dealtTable) play(t *testing.T, b *rows.Set) (tally legalTally) {
	config, err := deal.Config(l.kind, l.seed)
	if err != nil {
		t.Error(err)
		return tally
	}
	table := deal.NewTable(deal.Options{Config: config, Seed: l.seed, Varied: true})
	parts := [][]schema.Event{table.Open()}
	for range shoesPerTable {
		parts = append(parts, table.Shoe())
	}
	events := slices.Concat(append(parts, table.Close())...)
	options := enginetest.Options()
	options.NoArchive = true
	b.Reset()
	replayInto(t, options, events, b)
	for i := range b.Findings {
		if lawful(&b.Findings[i]) {
			tally.put++
			continue
		}
		tally.wrong++
		t.Errorf("%s, seed %d: %s", l.kind, l.seed, line(&b.Findings[i]))
	}
	tally.paid = addUp(t, l.seed, b)
	tally.shoes, tally.rounds, tally.events = len(b.Shoes), len(b.Rounds.Round), len(events)
	return tally
}

// lawful reports whether a finding is about lawful conduct: information about a mistake that was put right.
func lawful(f *finding.Finding) bool {
	return f.Rule == "irreg.error-remedied" || f.Rule == "payout.corrected" ||
		f.Verdict == finding.Information && strings.Contains(f.Observed, "put right")
}

// addUp compares what was paid with what was due, round by round, and what the rounds staked with their wagers: a
// withdrawn wager counts nowhere. What chemin de fer pays is not in the texts: nothing is due there.
func addUp(t *testing.T, seed uint64, b *rows.Set) (paid int64) {
	t.Helper()
	var staked, stakes int64
	chemin := slices.Contains(b.Wagers.Spot, "AGAINST_BANKER")
	for i := range b.Rounds.Round {
		if due := b.Rounds.ExpectedPay[i]; due != b.Rounds.Paid[i] && !chemin {
			t.Errorf("seed %d, round %d: %d was due and %d paid", seed, b.Rounds.Round[i], due, b.Rounds.Paid[i])
		}
		paid += b.Rounds.Paid[i]
		staked += b.Rounds.Staked[i]
	}
	for i := range b.Wagers.Stake {
		stakes += b.Wagers.Stake[i]
		withdrawn := b.Wagers.Disposition[i] == "withdrawn"
		if withdrawn && b.Wagers.Stake[i]+b.Wagers.ExpectedPaid[i]+b.Wagers.Paid[i]+b.Wagers.Collected[i] != 0 {
			t.Errorf("seed %d: a withdrawn wager counts", seed)
		}
	}
	if staked != stakes {
		t.Errorf("seed %d: rounds staked %d, wagers %d", seed, staked, stakes)
	}
	return paid
}

func line(f *finding.Finding) string {
	return fmt.Sprintf("%s %s %s round %d seat %d %s: want %s, got %s (seqs %v)",
		f.Severity, f.Verdict, f.Rule, f.Round, f.Seat, f.Subject, f.Expected, f.Observed, f.Evidence.Seqs)
}

// The vigorish collected by the facts equals that of the events, shoe by shoe.
func TestVigorishAddsUp(t *testing.T) {
	for _, kind := range deal.Kinds() {
		config, err := deal.Config(kind, 3)
		if err != nil {
			t.Fatal(err)
		}
		table := deal.NewTable(deal.Options{Config: config, Seed: 3})
		events := append(append(table.Open(), table.Shoe()...), table.Shoe()...)
		events = append(events, table.Close()...)
		b := &rows.Set{}
		replayInto(t, enginetest.Options(), events, b)
		marked, kept := map[string]int64{}, map[string]int64{}
		for i := range events {
			if v, ok := events[i].Payload.(*schema.VigorishCollected); ok {
				marked[events[i].ShoeID] += v.Amount
			}
		}
		for i := range b.Vigorish {
			kept[b.Vigorish[i].ShoeID] += b.Vigorish[i].Collected
		}
		for shoe, amount := range marked {
			if kept[shoe] != amount {
				t.Errorf("%s, shoe %s: the facts have %d collected, the events %d", kind, shoe, kept[shoe], amount)
			}
		}
	}
}
