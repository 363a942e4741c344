package detectors

import (
	"math"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/internal/testkit"
)

func (w *watch) take() {
	for i := range w.host.Factors {
		f := &w.host.Factors[i]
		e := math.Exp(f.LnE)
		w.n[f.Key.Kind]++
		w.sum[f.Key.Kind] += e
		w.square[f.Key.Kind] += e * e
	}
	w.alarms = append(w.alarms, w.host.Alarms...)
}

// Under honest play the mean of every factor is at most 1, and no alarm is raised.
func TestHonestPlay(t *testing.T) {
	shoes := testkit.Soak(150, 400)
	if testing.Short() {
		shoes = 40
	}
	var watches []*watch
	var hosts []*Host
	for _, d := range All() {
		w := newWatch(d)
		watches, hosts = append(watches, w), append(hosts, w.host)
	}
	tb, calls := newTable(t, 11), 0
	tb.hook = func() { // of each host in turn
		watches[calls%len(watches)].take()
		calls++
	}
	for range shoes {
		tb.play(hosts...)
	}
	for i, d := range All() {
		t.Run(d.ID, func(t *testing.T) {
			w := watches[i]
			for kind, n := range w.n {
				mean := w.sum[kind] / float64(n)
				se := math.Sqrt((w.square[kind]/float64(n) - mean*mean) / float64(n))
				t.Logf("%v: mean of %d factors %.5f, standard error %.5f", kind, n, mean, se)
				if mean > 1+4*se+1e-9 {
					t.Errorf("%v: mean of %d factors is %.5f, standard error %.5f", kind, n, mean, se)
				}
			}
			if len(w.alarms) > 0 {
				a := w.alarms[0]
				t.Errorf("%d alarms, the first about %v, ln e %.1f: %s", len(w.alarms), a.Key, a.LnE, a.Observed(""))
			}
		})
	}
}

// A patron who knows every outcome is detected near the limit that information sets.
func TestForeknowledgeDelay(t *testing.T) {
	total, runs := 0, 40
	for seed := range uint64(runs) {
		tb := newTable(t, 100+seed)
		w := newWatch(d07)
		tb.hook = w.take
		honest := tb.bets
		tb.bets = func(r *Round, next []baccarat.Card) {
			honest(r, next)
			r.Wagers[0].Spot = tb.winner(next)
		}
		for first := 0; first == 0; {
			tb.play(w.host)
			for _, a := range w.alarms {
				if a.Key.Kind == OfPatron && a.Key.ID == "p0" {
					first = a.Rounds
					break
				}
			}
		}
		for _, a := range w.alarms {
			if a.Key.Kind == OfPatron && a.Key.ID == "p0" {
				total += a.Rounds
				break
			}
			if a.Key.Kind == OfPatron {
				t.Errorf("seed %d: alarm about %v", seed, a.Key)
			}
		}
	}
	mean := float64(total) / float64(runs)
	t.Logf("mean delay %.1f rounds", mean)
	if mean > 37*1.25 {
		t.Errorf("mean delay %.1f rounds, reference 37", mean)
	}
}
