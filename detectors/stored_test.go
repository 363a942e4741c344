package detectors

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
)

// oneStored runs the detectors of NewStored in one host.
func oneStored(b Budget) *Host { return newHost(b, withKeys(false), outlives) }

// readOne is ReadState for oneStored.
func readOne(b Budget, r io.Reader) (*Host, error) {
	h := oneStored(b)
	return h, hosts{h}.read(r)
}

func writeOne(h *Host, w io.Writer) error { return hosts{h}.write(w) }

// A host of stored facts that is restored between two shoes behaves as a host that was never stopped.
func TestRestoredStoredHost(t *testing.T) {
	for name, cheat := range map[string]func(*table){
		"missed vigorish": missVig(.1), "one against two": oneAgainstTwo,
		"two against two": group(0, 100_00, 200_00, -50_00, -250_00),
	} {
		t.Run(name, func(t *testing.T) { comparedWithRestored(t, cheat) })
	}
}

func comparedWithRestored(t *testing.T, cheat func(*table)) {
	tb := newTable(t, 31)
	cheat(tb)
	budget := DefaultBudget()
	kept, stopped := oneStored(budget), oneStored(budget)
	calls := 0
	tb.hook = func() {
		if calls++; calls%2 == 0 && !slices.Equal(kept.Factors, stopped.Factors) {
			t.Fatalf("call %d: the factors differ", calls)
		}
	}
	for range 6 {
		tb.play(kept, stopped)
		kept.Forget(tb.at)
		stopped.Forget(tb.at)
		var state, second bytes.Buffer
		if err := writeOne(stopped, &state); err != nil {
			t.Fatal(err)
		}
		again, err := readOne(budget, bytes.NewReader(state.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := writeOne(again, &second); err != nil || !bytes.Equal(state.Bytes(), second.Bytes()) {
			t.Fatalf("the state of the restored host differs: %v", err)
		}
		*stopped = *again
	}
	if n, again := kept.ledger.size(), stopped.ledger.size(); n == 0 || n != again {
		t.Errorf("%d accounts, %d after restarts", n, again)
	}
}

// Two hosts find what one finds, and have its state.
func TestTwoHosts(t *testing.T) {
	for name, cheat := range map[string]func(*table){
		"honest": func(*table) {}, "missed vigorish": missVig(.1), "one against two": oneAgainstTwo,
		"winner known": func(tb *table) { foreknow(tb, 1) }, "late and knows": pastPost, "stakes changed": capStakes(1),
		"suspected reader": func(tb *table) {
			firstCard(tb, 1)
			tb.settle = func(r *Round) {
				tb.misread(r)
				r.Misread = tb.rng.IntN(10) == 0
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			play := func(hosts ...*Host) (found []string) {
				tb := newTable(t, 31)
				cheat(tb)
				calls := 0
				tb.hook = func() {
					h := hosts[calls%len(hosts)]
					for i := range h.Factors {
						f := &h.Factors[i]
						found = append(found, fmt.Sprint(f.Detector.ID, f.Key, f.Location, f.LnE, f.Start))
					}
					for i := range h.Alarms {
						a := &h.Alarms[i]
						found = append(found, fmt.Sprint(a.Detector.ID, a.Key, a.Location, a.LnE, a.Rounds, a.Top, a.Note))
					}
					calls++
				}
				for range 6 {
					tb.play(hosts...)
					for _, h := range hosts {
						h.Forget(tb.at)
					}
				}
				slices.Sort(found)
				return found
			}
			one, two := oneStored(DefaultBudget()), NewStored(DefaultBudget())
			if want, got := play(one), play(two[:]...); !slices.Equal(want, got) {
				t.Errorf("%d factors and alarms of one host, %d of two, or others", len(want), len(got))
			}
			var want, got bytes.Buffer
			if err := errors.Join(writeOne(one, &want), two.WriteState(&got)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want.Bytes(), got.Bytes()) {
				t.Errorf("the states differ: %d bytes of one host, %d of two", want.Len(), got.Len())
			}
			again, err := ReadState(DefaultBudget(), &want)
			if err != nil {
				t.Fatal(err)
			}
			var second bytes.Buffer
			if err := again.WriteState(&second); err != nil || !bytes.Equal(got.Bytes(), second.Bytes()) {
				t.Errorf("the state differs after a restart: %v", err)
			}
		})
	}
}

// size is the number of accounts.
func (l *ledger) size() (n int) {
	for _, a := range l.accounts {
		for ; a != nil; a = a.next {
			n++
		}
	}
	return n
}

// What is known of patrons whose visit has ended is dropped: the state is bounded by the play of some hours. Strong and
// recent evidence is kept.
func TestForget(t *testing.T) {
	tb := newTable(t, 33)
	h := oneStored(DefaultBudget())
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
		return n + h.ledger.size()
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
		for ; a != nil; a = a.next {
			found = found || key.ID == "p0" && !a.resting
		}
	}
	t.Logf("%d keys after the first day, at most %d later; evidence about p0 kept: %t", first, most, found)
}

// goldenStored is a stored state after two shoes of a fixed stream, in which vigorish is missed.
func goldenStored(t *testing.T) []byte {
	tb := newTable(t, 35)
	missed := missVig(.1)
	missed(tb)
	h := oneStored(DefaultBudget())
	tb.play(h)
	tb.play(h)
	var state bytes.Buffer
	if err := writeOne(h, &state); err != nil {
		t.Fatal(err)
	}
	return state.Bytes()
}

// The format is that of the golden file. SHOEPROOF_UPDATE=1 writes it; a new format needs a new version.
func TestStoredStateFormat(t *testing.T) {
	path := fmt.Sprintf("testdata/stored-state-%d.cbor.gz", storedVersion)
	made := goldenStored(t)
	if os.Getenv("SHOEPROOF_UPDATE") != "" {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(made); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Close(), os.WriteFile(path, packed.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	golden := unpacked(t, path)
	if !bytes.Equal(made, golden) {
		t.Errorf("the state of the fixed stream differs from %s", path)
	}
}

// A state of an earlier version is read, and written in the present format.
func TestStoredStateOfEarlierVersions(t *testing.T) {
	for version := storedOldest; version < storedVersion; version++ {
		h, err := readOne(DefaultBudget(), bytes.NewReader(
			unpacked(t, fmt.Sprintf("testdata/stored-state-%d.cbor.gz", version))))
		if err != nil {
			t.Fatal(err)
		}
		var state, second bytes.Buffer
		if err := writeOne(h, &state); err != nil || h.ledger.size() == 0 {
			t.Fatalf("version %d: %d accounts, %v", version, h.ledger.size(), err)
		}
		again, err := readOne(DefaultBudget(), bytes.NewReader(state.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := writeOne(again, &second); err != nil || !bytes.Equal(state.Bytes(), second.Bytes()) {
			t.Errorf("version %d: the state differs after another restart: %v", version, err)
		}
	}
}

func unpacked(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
