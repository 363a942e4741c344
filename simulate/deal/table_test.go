package deal

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/legal"
)

func play(t testing.TB, kind string, seed uint64, shoes, rounds int) []schema.Event {
	t.Helper()
	cfg, err := Config(kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	table := NewTable(Options{Config: cfg, Seed: seed, Table: kind})
	events := table.Open()
	for range shoes {
		events = append(events, table.ShoeOf(rounds)...)
	}
	return append(events, table.Close()...)
}

func TestSameSeedSameEvents(t *testing.T) {
	for _, kind := range Kinds() {
		a, b := play(t, kind, 7, 2, 0), play(t, kind, 7, 2, 0)
		if d := cmp.Diff(a, b); d != "" {
			t.Fatalf("%s: %s", kind, d)
		}
		if other := play(t, kind, 8, 2, 0); cmp.Equal(a, other) {
			t.Fatalf("%s: two seeds, the same events", kind)
		}
	}
}

func TestLegalShoes(t *testing.T) {
	for _, kind := range Kinds() {
		for seed := range uint64(4) {
			legal.Check(t, kind, play(t, kind, seed, 2, 0))
			legal.Check(t, kind, play(t, kind, seed, 2, 9))
		}
	}
}

// What seldom happens at a legal table does happen.
func TestLegalPlayHasEverything(t *testing.T) {
	seen := map[string]int{}
	for _, kind := range []string{"nj-punto", "ny-midi", "nj-chemin", "ny-dragon-bonus", "ny-shuffler"} {
		for seed := range uint64(30) {
			events := play(t, kind, seed, 4, 0)
			for i := range events {
				seen[events[i].Payload.Kind().String()]++
				switch p := events[i].Payload.(type) {
				case *schema.ShoeBurned:
					seen["burn "+p.Reason.String()]++
				case *schema.CardMoved:
					seen["moved from "+p.From.String()]++
				case *schema.RoundVoided:
					seen["void "+p.Cause.String()]++
				case *schema.BancoAnnounced:
					seen["call "+p.Call.String()]++
				case *schema.NoticePosted:
					seen["notice "+p.Topic.String()]++
				case *schema.SqueezeRelinquished:
					seen["squeeze "+p.Cause.String()]++
				}
			}
		}
	}
	for _, what := range []string{
		"burn IRREGULARITY", "moved from PLAYER", "card_carried_over", "card_found_faceup", "void INSUFFICIENT_CARDS",
		"recut_ordered", "call SUIVI",
		"call SEUL", "call BANCO", "banker_relinquished", "squeeze VOLUNTARY", "squeeze ORDERED", "batch_state",
		"notice VIGORISH_TYPE",
		"notice VIGORISH_PERCENT", "notice PAYMENT_PROCEDURE", "notice RESHUFFLE_OPTION", "notice PAY_TABLE",
		"notice TABLE_LIMITS", "table_configured",
	} {
		if seen[what] == 0 {
			t.Errorf("never: %s", what)
		}
	}
}

func BenchmarkShoe(b *testing.B) {
	cfg, err := Config("nj-punto", 3)
	if err != nil {
		b.Fatal(err)
	}
	table := NewTable(Options{Config: cfg, Seed: 3})
	table.Open()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n += len(table.Shoe())
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}
