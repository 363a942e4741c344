package detectors

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
)

// A host of stored facts that is restored between two shoes behaves as a host that was never stopped.
func TestRestoredStoredHost(t *testing.T) {
	tb := newTable(t, 31)
	missed := missVig(.1)
	missed(tb)
	budget := DefaultBudget()
	kept, stopped := NewStored(budget), NewStored(budget)
	calls := 0
	tb.hook = func() {
		if calls++; calls%2 == 0 && !slices.Equal(kept.Factors, stopped.Factors) {
			t.Fatalf("call %d: the factors differ", calls)
		}
	}
	for range 6 {
		tb.play(kept, stopped)
		var state, second bytes.Buffer
		if err := stopped.WriteState(&state); err != nil {
			t.Fatal(err)
		}
		again, err := ReadState(budget, bytes.NewReader(state.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := again.WriteState(&second); err != nil || !bytes.Equal(state.Bytes(), second.Bytes()) {
			t.Fatalf("the state of the restored host differs: %v", err)
		}
		*stopped = *again
		kept.Forget(tb.at)
		stopped.Forget(tb.at)
	}
	if len(kept.ledger.accounts) == 0 || len(kept.ledger.accounts) != len(stopped.ledger.accounts) {
		t.Errorf("%d accounts, %d after restarts", len(kept.ledger.accounts), len(stopped.ledger.accounts))
	}
}

// What is known of patrons whose visit has ended is dropped: the state is bounded by the play of some hours. Strong and
// recent evidence is kept.
func TestForget(t *testing.T) {
	tb := newTable(t, 33)
	h := NewStored(DefaultBudget())
	honest := tb.bets
	day, most, first := 0, 0, 0
	tb.bets = func(r *Round, next []baccarat.Card) {
		honest(r, next)
		for i := range r.Wagers {
			if w := &r.Wagers[i]; w.Patron == "p0" { // half of the winners are known to one patron
				if tb.rng.IntN(2) == 0 && w.Spot <= baccarat.SpotPlayer {
					w.Spot = tb.winner(next)
				}
			} else {
				w.Patron = fmt.Sprint(w.Patron, "-", day)
			}
		}
	}
	size := func() (n int) {
		for _, p := range h.processes {
			switch x := p.(type) {
			case *dependence:
				n += len(x.keys)
			case *results:
				n += len(x.states)
			}
		}
		return n + len(h.ledger.accounts)
	}
	for day = range 20 {
		tb.play(h)
		tb.at += 20 * 3600e9
		h.Forget(tb.at)
		if n := size(); day == 0 {
			first = n
		} else {
			most = max(most, n)
		}
	}
	if most > first+40 {
		t.Errorf("%d keys after the first day, up to %d later", first, most)
	}
	found := false
	for key, a := range h.ledger.accounts {
		found = found || key.id == "p0" && !a.resting
	}
	t.Logf("%d keys after the first day, at most %d later; evidence about p0 kept: %t", first, most, found)
}
