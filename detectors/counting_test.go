package detectors

import (
	"math"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
)

// The tags mark a round as good approximately when its expectation is positive; for pairs, exactly then.
func TestTags(t *testing.T) {
	tb := newTable(t, 21)
	w := newWatch(d08)
	d := w.host.processes[0].(*counting)
	var rounds, good, agree [maxCounted]int
	tb.settle = func(r *Round) {
		now := newTally(r.Offer.countSystem(8), d.spots, &r.Left)
		var path goodRounds
		now.mark(r.Offer.countSystem(8), d.spots, 0, &path)
		for _, i := range d.spots {
			pays := r.Offer.Terms[countable[i]].EV(r.Odds) > 0
			rounds[i]++
			good[i] += int(path[i][0][0])
			if pays == (path[i][0][0] == 1) {
				agree[i]++
			}
		}
	}
	for range 60 {
		tb.play(w.host)
	}
	for _, i := range d.spots {
		part := float64(agree[i]) / float64(rounds[i])
		t.Logf("%v: good %d of %d rounds, correct %.4f", countable[i], good[i], rounds[i], part)
		minimum := .94
		if r := tb.offer.Terms[countable[i]]; r.OnPair {
			minimum = 1
		}
		if part < minimum {
			t.Errorf("%v: correct in %.4f, want %.2f", countable[i], part, minimum)
		}
	}
}

// A shoe has as many good rounds as the shoes of its library, early and late, and each shoe has another library.
func TestLibrary(t *testing.T) {
	shoes := 300
	if testing.Short() {
		shoes = 40
	}
	tb := newTable(t, 22)
	w := newWatch(d08)
	d := w.host.processes[0].(*counting)
	honest := tb.bets
	tb.bets = func(r *Round, next []baccarat.Card) {
		honest(r, next)
		for _, i := range d.spots {
			r.Wagers = append(r.Wagers, Wager{ID: "x", Patron: "p0", Seat: 1, Spot: countable[i], Stake: 100, Placed: r.At})
		}
	}
	var off, variance [maxCounted][2]float64
	var last library
	for range shoes {
		d.dealt = false
		tb.play(w.host)
		if !d.dealt {
			t.Fatal("no library")
		}
		if d.library == last {
			t.Fatal("the library of the previous shoe")
		}
		last = d.library
		for _, i := range d.spots {
			for part := range 2 {
				mask := firstRounds(40)
				if part == 1 {
					mask = firstRounds(d.library.rounds)
					mask[0] &^= firstRounds(40)[0]
				}
				mean, squares := 0.0, 0.0
				for k := range d.library.shoes {
					n := float64(d.library.shoes[k][i][0].and(mask).size())
					mean += n / libraryShoes
					squares += n * n / libraryShoes
				}
				off[i][part] += float64(d.good[i][0].and(mask).size()) - mean
				variance[i][part] += squares - mean*mean
			}
		}
	}
	for _, i := range d.spots {
		for part := range 2 {
			if se := math.Sqrt(variance[i][part]); math.Abs(off[i][part]) > 4*se {
				t.Errorf("%v, part %d: %.1f good rounds more than the library in %d shoes, standard error %.1f",
					countable[i], part, off[i][part], shoes, se)
			}
		}
	}
}

// houseBook has side bets of its own: the lines of Fortune 7 under another word, and a wager that reads ranks.
const houseBook = `
name: house
extends: nj-13-69f
games:
  MINIBACCARAT:
    side_bets: [TREASURES, PAIR, HOUSE_7, PLAYER_NINES]
    wagers:
      HOUSE_7: {lines: [{name: SEVEN, when: {winner: BANKER, banker: {total: 7, cards: 3}}, pays: '40:1'}]}
      PLAYER_NINES: {lines: [{name: NINES, when: {player: {first_two_ranks: ['9', '9']}}, pays: '180:1'}]}
`

// A side bet of a rulebook is counted as a side bet of the contract: the same lines under another word give the same
// evidence. The expectation of a wager that reads ranks is estimated from its EOR table: a counter of nines is found.
func TestHouseSideBetIsCounted(t *testing.T) {
	tb := newTable(t, 41)
	tb.offer = houseOffer(t)
	honest := tb.honest
	tb.bets = func(r *Round, next []baccarat.Card) {
		honest(r, next)
		bet := func(spot baccarat.Spot, word string) {
			r.Wagers = append(r.Wagers, Wager{
				ID: word, Patron: "counter", Seat: 1, Spot: spot, SpotName: word, Stake: 100_00, Placed: r.At,
			})
		}
		if bet(baccarat.SpotBanker, ""); r.Odds != nil && tb.offer.Terms[baccarat.SpotFortune7].EV(r.Odds) > 0 {
			bet(baccarat.SpotFortune7, "")
			bet(baccarat.SpotOther, "HOUSE_7")
		}
		nines, all := r.Left.Ranks()[9], r.Left.Total()
		if 181*nines*(nines-1) > all*(all-1) {
			bet(baccarat.SpotOther, "PLAYER_NINES")
		}
	}
	h, lnE := NewHost(DefaultBudget(), []*Detector{d08}), map[string]float64{}
	tb.hook = func() {
		for _, f := range h.Factors {
			lnE[f.Key.String()] += f.LnE
		}
	}
	for range 25 {
		tb.play(h)
	}
	a, b, c := lnE["patron:counter/FORTUNE_7"], lnE["patron:counter/HOUSE_7"], lnE["patron:counter/PLAYER_NINES"]
	t.Logf("evidence %.2f about Fortune 7, %.2f about a counter of nines", a, c)
	if a != b || a < 3 {
		t.Errorf("evidence %.3f about Fortune 7, %.3f about the same lines of the house", a, b)
	}
	if c < 3 {
		t.Errorf("evidence %.3f about a counter of nines in 25 shoes", c)
	}
}

// houseOffer is an offer of the side bets of houseBook.
func houseOffer(t *testing.T) *Offer {
	t.Helper()
	books, err := rules.ShippedWith(map[string][]byte{"house.yaml": []byte(houseBook)})
	if err != nil {
		t.Fatal(err)
	}
	l, _ := books["house"].Law(baccarat.Minibaccarat)
	return NewOffer(l, &law.Config{
		Mode: baccarat.Commission, Percent: 5, TreasuresTable: "2", Game: baccarat.Minibaccarat,
		SideBets: []baccarat.SideBet{baccarat.SideTreasures, baccarat.SidePair},
		Further:  []string{"HOUSE_7", "PLAYER_NINES"},
	})
}
