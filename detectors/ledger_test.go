package detectors

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// Thresholds follow from the budget: a share of 10/14 false alarms in 1,000 table-years.
func TestThresholds(t *testing.T) {
	p := DefaultBudget()
	one := &Detector{ID: "d99", Keys: []KeyKind{OfShoe}, Starts: visits}
	for kind, want := range map[KeyKind]float64{OfShoe: 16.0, OfPatron: 16.1} {
		if got := p.LnThreshold(one, kind); math.Abs(got-want) > .1 {
			t.Errorf("%v: ln %.2f, want %.1f", kind, got, want)
		}
	}
	p.FalseAlarms = 1
	if got := p.LnThreshold(one, OfShoe); math.Abs(got-18.3) > .1 {
		t.Errorf("a tenth of the false alarms: ln %.2f, want 18.3", got)
	}
	if !math.IsInf(p.LnThreshold(d18, OfTable), 1) {
		t.Error("a detector outside the budget has a threshold")
	}
	if len(All()) != 20 {
		t.Errorf("%d detectors, want 20", len(All()))
	}
	counted := 0
	for _, d := range All() {
		if d.Starts != nil {
			counted++
		}
	}
	if counted != sharing {
		t.Errorf("%d detectors share the budget, want %d", counted, sharing)
	}
}

// Alarms on noise stay below starts over threshold, and close to it.
func TestLedgerBound(t *testing.T) {
	d := &Detector{ID: "d99", Keys: []KeyKind{OfShoe}, lnFixed: math.Log(100)}
	l := newLedger(DefaultBudget())
	rng := rand.New(rand.NewPCG(3, 9))
	n, alarms := 400_000, 0
	for i := range n { // each a visit, so that none rests
		at := Location{At: int64(i) * (visitGap + 1)}
		f := Factor{Detector: d, Key: Key{OfShoe, "s"}, Location: at, Start: 1, LnE: math.Log(.8)}
		if rng.IntN(2) == 0 {
			f.LnE = math.Log(1.2)
		}
		if l.add(&f) != nil {
			alarms++
		}
	}
	bound := float64(n) / 100
	t.Logf("%d alarms, bound %.0f", alarms, bound)
	if float64(alarms) > bound+3*math.Sqrt(bound) || float64(alarms) < bound/2 {
		t.Errorf("%d alarms, bound %.0f", alarms, bound)
	}
}

// Persistent evidence gives one finding a visit: after an alarm a key rests until its next visit, or for a day. A fact
// does not rest.
func TestRest(t *testing.T) {
	const minute = int64(60e9)
	d := &Detector{ID: "d99", Keys: []KeyKind{OfPatron}, lnFixed: math.Log(100)}
	for _, c := range []struct {
		name    string
		certain bool
		pause   int64 // after round 40
		rounds  int
		want    int
	}{
		{"one visit", false, 0, 600, 1},
		{"two visits", false, visitGap, 600, 2},
		{"a day and an hour without leaving", false, 0, 25 * 60, 2},
		{"facts", true, 0, 600, 600},
	} {
		l := newLedger(DefaultBudget())
		alarms := 0
		for i := range c.rounds {
			at := int64(i+1) * minute
			if i >= 40 {
				at += c.pause
			}
			f := Factor{
				Detector: d, Key: Key{OfPatron, "p"}, Location: Location{At: at},
				Start: .5, LnE: math.Log(2), Certain: c.certain,
			}
			if l.add(&f) != nil {
				alarms++
			}
		}
		if alarms != c.want {
			t.Errorf("%s: %d alarms, want %d", c.name, alarms, c.want)
		}
	}
}

// The interval of an effect is valid at all times at once.
func TestEffectInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	missed := 0
	for range 2000 {
		var e effect
		for range 300 {
			seen := 0.0
			if rng.Float64() < .6 {
				seen = 1
			}
			e.add(seen, .45, 1)
			if low, high := e.interval(); low > .15 || high < .15 {
				missed++
				break
			}
		}
	}
	if missed > 8 { // one in a thousand, and four standard deviations
		t.Errorf("%d of 2000 missed the effect at some moment", missed)
	}
	var e effect
	for i := range 5000 {
		e.add(float64(i%2), .3, 1)
	}
	if low, high := e.interval(); low < .1 || high > .3 {
		t.Errorf("after 5000 rounds the effect of 0.2 lies in %.3f to %.3f", low, high)
	}
}

// A day of the review returns the largest set whose weakest member has 31 K/(alpha (R + k)).
func TestReview(t *testing.T) {
	var all []Evidence
	for i, e := range []float64{31 * 300, 31 * 45, 31 * 21, 1, .5, .2, .1, .1, .1, .1} {
		all = append(all, Evidence{Detector: "d07", Key: Key{OfPatron, string(rune('a' + i))}, LnE: math.Log(e)})
	}
	r := Reviews{Alpha: .1}
	got := r.Day(all)
	if len(got) != 1 || got[0].Key.ID != "a" { // the limits are 31 times 100, 50, 33.3
		t.Errorf("review of %d: %v", len(got), got)
	}
	if got := r.Day(all); len(got) != 2 { // with one before, 31 times 50, 33.3, 25
		t.Errorf("the next day: %v", got)
	}
	all[1].LnE, all[2].LnE = math.Log(31*51), math.Log(31*34)
	r = Reviews{Alpha: .1}
	if got := r.Day(all); len(got) != 3 || got[2].Key.ID != "c" {
		t.Errorf("review: %v", got)
	}
	if got := r.Day(nil); got != nil {
		t.Errorf("review of nothing: %v", got)
	}
}

// Over a month the mean part of false ones is at most alpha, whether there are cheats or not, also where the e-values
// of a day depend on each other. Applied to each day by itself, alpha would be exceeded on an honest floor.
func TestReviewsOfAMonth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 19))
	for _, cheats := range []int{0, 1, 5} {
		for _, together := range []bool{false, true} {
			const months, keys, alpha = 300, 20, .5 // a large alpha, so that there are false ones to count
			part, days := 0.0, 0.0
			for range months {
				r := Reviews{Alpha: alpha}
				wrong := 0
				alone := false
				for range ReviewDays {
					all := make([]Evidence, keys)
					u, size := rng.Float64(), 0.0
					for i := range all {
						if !together {
							u = rng.Float64()
						}
						if size = keys / alpha; rng.IntN(2) == 0 {
							size *= ReviewDays
						}
						// The e-value is size with probability 1/size: the limit of the day alone, or of a day of a month.
						all[i] = Evidence{Detector: "d07", Key: Key{OfPatron, fmt.Sprint(i)}, LnE: -100 - float64(i)}
						if u*size < 1 {
							all[i].LnE = math.Log(size) + 1e-9
						}
						if i < cheats {
							all[i].LnE = 8 * rng.Float64()
						}
					}
					for _, e := range r.Day(all) {
						if i, _ := strconv.Atoi(e.Key.ID); i >= cheats {
							wrong++
						}
					}
					by := Reviews{Alpha: alpha * ReviewDays} // the day alone
					alone = alone || len(by.Day(all)) > 0
				}
				part += float64(wrong) / float64(max(r.Selected, 1)) / months
				if alone {
					days += 1.0 / months
				}
			}
			t.Logf("%d cheats, all at once %t: false part %.3f; months with an entry by the day alone %.3f", cheats, together,
				part, days)
			if part > alpha {
				t.Errorf("%d cheats: the false part is %.3f, want at most %.1f", cheats, part, alpha)
			}
			if cheats == 0 && days < alpha {
				t.Errorf("by the day alone only %.3f of honest months have an entry: the test shows nothing", days)
			}
		}
	}
}

// The tests of regulators compare the hold with the base level, not with the game.
func TestHold(t *testing.T) {
	h := Hold{
		Property: "ac-1", Table: "t1", Period: "2026-11",
		Drop: 1_000_000_00, Win: 60_000_00, Expected: 12_000_00, Variance: 1e13, Rounds: 40_000,
	}
	before := []Hold{{Drop: 10_000_000_00, Win: 250_000_00}}
	c := COMAR(&h, before)
	if c.Investigate || math.Abs(c.Statistic-3.5) > 1e-9 || math.Abs(c.Limit-6.198) > .001 {
		t.Errorf("COMAR: %+v", c)
	}
	k := KAR(&h, before)
	if !k.Investigate || k.Limit != 3 {
		t.Errorf("K.A.R.: %+v", k)
	}
	if !strings.Contains(k.Text, "+3.50 points") || !strings.Contains(c.Citation, "36.05.03.25") {
		t.Errorf("text %q, citation %q", k.Text, c.Citation)
	}
	if none := KAR(&h, nil); none.Investigate || !strings.Contains(none.Text, "no base period") {
		t.Errorf("without a base period: %+v", none)
	}
}

// lnR is the evidence about a key, -Inf without an account.
func lnR(h *Host, d *Detector, key Key) float64 {
	if a := h.ledger.find(d, key); a != nil {
		return a.lnR
	}
	return math.Inf(-1)
}

// A fault of the feed freezes the evidence and resets nothing.
func TestFrozen(t *testing.T) {
	tb := newTable(t, 1)
	w := newWatch(d07)
	foreknow(tb, 1)
	n, before := 0, 0.0
	tb.freeze = func(r *Round) {
		n++
		if n == 10 {
			before = lnR(w.host, d07, Key{OfPatron, "p0"})
		}
		r.Frozen = n >= 10 && n < 20
	}
	tb.hook = func() {
		if after := lnR(w.host, d07, Key{OfPatron, "p0"}); n >= 10 && n < 20 && after != before {
			t.Fatalf("round %d: ln %.2f, was %.2f", n, after, before)
		}
	}
	tb.play(w.host)
	if before < 2 {
		t.Errorf("ln %.2f before the feed went bad", before)
	}
}

// The texts of an alarm give the observation, its odds, the amount and the rounds to review, and accuse no person.
func TestWords(t *testing.T) {
	tb := newTable(t, 4)
	foreknow(tb, 1)
	w := newWatch(d07)
	tb.hook = w.take
	tb.play(w.host)
	if len(w.alarms) == 0 {
		t.Fatal("no alarm")
	}
	a := w.alarms[0]
	t.Log(a.Expected())
	t.Log(a.Observed("USD"))
	t.Log(a.Odds())
	for _, want := range []string{"review shoe s1 round", "money at issue USD ", " and 3 more", "expected"} {
		if !strings.Contains(a.Observed("USD"), want) {
			t.Errorf("%q does not contain %q", a.Observed("USD"), want)
		}
	}
	if !strings.Contains(a.Odds(), "table-years") || strings.Contains(strings.ToLower(a.Observed("USD")), "guilt") {
		t.Errorf("odds %q", a.Odds())
	}
	if len(a.Top) != topRounds || a.Top[0].LnE < a.Top[topRounds-1].LnE {
		t.Errorf("%d rounds listed", len(a.Top))
	}
}

// ParseKey reads what String writes.
func TestKeys(t *testing.T) {
	for k := range keyKinds {
		key := Key{k, "a:b+c"}
		if got, ok := ParseKey(key.String()); !ok || got != key {
			t.Errorf("%v read as %v", key, got)
		}
	}
	if _, ok := ParseKey("unknown:x"); ok {
		t.Error("an unknown kind of key")
	}
}

// An unbalanced tray raises an alarm, a balanced or incomplete one does not.
func TestTray(t *testing.T) {
	w := newWatch(d14)
	tray := Tray{
		Location: Location{Table: "t1", Seq: 9}, Open: 100_000_00, Close: 90_000_00, Fills: 5_000_00, Credits: 20_000_00,
		Won: 12_000_00, Paid: 7_100_00, Vigs: 100_00, Whole: true,
	}
	if w.host.Tray(&tray); len(w.host.Alarms) != 0 {
		t.Errorf("a tray that closes: %v", w.host.Alarms[0].Observed("USD"))
	}
	tray.Close -= 500_00
	if w.host.Tray(&tray); len(w.host.Alarms) != 1 || w.host.Alarms[0].Money != 500_00 || !w.host.Alarms[0].Certain {
		t.Errorf("500 are missing: %v", w.host.Alarms)
	}
	tray.Whole = false
	if w.host.Tray(&tray); len(w.host.Alarms) != 0 {
		t.Error("an alarm about an interval with events missing")
	}
}

// At the promised volume the starts spend exactly the budget.
func TestBoundOfThePromisedVolume(t *testing.T) {
	b := DefaultBudget()
	spent := 0.0
	for _, d := range All() {
		for _, kind := range d.Keys {
			if d.Starts != nil {
				spent += b.Bound(&Factor{Detector: d, Key: Key{Kind: kind}, Start: d.Starts(b.Volume, kind) * b.TableYears})
			}
		}
	}
	promised := (b.Promised(true) + b.Promised(false)) * 365 * b.TableYears
	if math.Abs(spent-b.FalseAlarms) > 1e-9 || math.Abs(promised-b.FalseAlarms) > 1e-9 {
		t.Errorf("%v false alarms at the promised volume, %v promised, want %v", spent, promised, b.FalseAlarms)
	}
}
