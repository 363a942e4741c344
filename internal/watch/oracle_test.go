//go:build unix

package watch

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/oracle"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// patrons bet at random on a side.
func patrons(n int) func(*rand.Rand, int, int, []int) []oracle.Bet {
	return func(rng *rand.Rand, _, _ int, _ []int) (bets []oracle.Bet) {
		for i := range n {
			bets = append(bets, oracle.Bet{
				Patron: i + 1, Name: fmt.Sprint("p", i+1), Side: [2]string{"PLAYER", "BANKER"}[rng.IntN(2)],
				Amount: 100_00 * (1 + rng.IntN(3)),
			})
		}
		return bets
	}
}

// high is true for a card that helps its hand.
func high(card int) bool { v := card/4 + 1; return v >= 6 && v <= 9 }

// firstCard has the patron of seat 1 know the first card.
func firstCard(rng *rand.Rand, shoe, round int, next []int) []oracle.Bet {
	bets := patrons(5)(rng, shoe, round, next)
	bets[0].Side = "BANKER"
	if high(next[0]) {
		bets[0].Side = "PLAYER"
	}
	return bets
}

// The tables of an independent dealing program, through engine, store and watch: honest tables raise no page
// and accuse no person; the cheats are found, and no innocent is a subject.
func TestOracle(t *testing.T) {
	once := func(_, round int, kind string) bool { return round == 30 && kind == "wager_placed" }
	for _, c := range []struct {
		name  string
		cheat bool // by the patron of seat 1
		play  oracle.Options
		shoes int
	}{
		{"honest", false, oracle.Options{Bets: patrons(5)}, 6},
		{"vigorish of a round forgotten, seven bettors", false, oracle.Options{Bets: patrons(7), Forgotten: .004}, 10},
		{"misreads", false, oracle.Options{Bets: patrons(5), Misread: .001}, 8},
		{"couples with opposite habits", false, oracle.Options{Bets: func(*rand.Rand, int, int, []int) []oracle.Bet {
			return []oracle.Bet{
				{Patron: 1, Name: "p1", Side: "PLAYER", Amount: 100_00}, {Patron: 2, Name: "p2", Side: "BANKER", Amount: 100_00},
			}
		}}, 6},
		{"one lost event a shoe", false, oracle.Options{Bets: patrons(5), Lost: func(_, round int, kind string) bool {
			return round == 30 && kind == "round_ended"
		}}, 6},
		{"first card known", true, oracle.Options{Bets: firstCard}, 3},
		{"first card known, one lost event a shoe", true, oracle.Options{Bets: firstCard, Lost: once}, 3},
		{"first card known, a rota of dealers", true, oracle.Options{
			Bets: firstCard, Dealer: func(round int) string { return fmt.Sprint("d", round/20%4) },
		}, 3},
		{"stake by the first card", true, oracle.Options{Bets: func(rng *rand.Rand, s, r int, next []int) []oracle.Bet {
			bets := patrons(5)(rng, s, r, next)
			bets[0].Side, bets[0].Amount = "PLAYER", 50_00
			if high(next[0]) {
				bets[0].Amount = 1000_00
			}
			return bets
		}}, 3},
		{"winner known", true, oracle.Options{Bets: func(rng *rand.Rand, s, r int, next []int) []oracle.Bet {
			bets := patrons(5)(rng, s, r, next)
			if coup := oracle.Deal(next); coup.Winner() != "TIE" {
				bets[0].Side = coup.Winner()
			}
			return bets
		}}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := database(t)
			c.play.Table, c.play.Seed, c.play.Shoes = "o-1", 5, c.shoes
			events := played(t, &c.play)
			b := &pipeline.Batch{}
			if err := auditor.New(options()).Replay(auditor.Records(events), &b.Set, nil); err != nil {
				t.Fatal(err)
			}
			b.Range = pipeline.Range{Topic: "o", To: int64(len(events) - 1), Records: uint64(len(events))}
			if err := s.Write(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			step, err := newWatcher(s, Options{Property: "ac-1", Patience: time.Hour, Engine: options()}).Pass(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			all, err := s.Findings(t.Context(), clickhouse.Filter{})
			if err != nil {
				t.Fatal(err)
			}
			cases := map[string]int{}
			for i := range all {
				if f := &all[i]; f.Kind == finding.Anomaly && (f.Severity == finding.Major || f.Severity == finding.Critical) {
					cases[f.Subject]++
					t.Logf("%s about %s: %s", f.Rule, f.Subject, f.Observed)
				}
			}
			t.Logf("%d rounds, cases %v", step.Rounds, cases)
			if c.cheat != (len(cases) == 1) || !c.cheat && len(cases) > 0 {
				t.Errorf("cases %v, want one of a cheat: %t", cases, c.cheat)
			}
			for subject, n := range cases {
				if bets := count(t, s, fmt.Sprintf("SELECT count() FROM %s FINAL WHERE seat = 1 AND 'patron:' || patron = '%s'",
					s.Table("wagers"), subject)); bets == 0 || n != 1 {
					t.Errorf("%d cases about %s, who made %d wagers at the seat of the cheat", n, subject, bets)
				}
			}
		})
	}
}
