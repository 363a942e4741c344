package exact_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/law"
)

// The draws in which any condition holds equal an enumeration card by card.
func TestConditionsAreCounted(t *testing.T) {
	l := bookOf(t, nil)
	kernel := exact.New(&l.Drawing)
	rapid.Check(t, func(t *rapid.T) {
		w := &law.Wager{Spot: baccarat.SpotOther, Name: "ANY", Lines: []law.Line{{When: condition(t, 2)}}}
		var left exact.Composition
		cards := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) baccarat.Card {
			// Ranks and suits are often alike, so that pairs and suited hands are common.
			return baccarat.NewCard(rapid.SampledFrom([]uint8{1, 2, 3, 7, 8, 10, 13}).Draw(t, "rank"),
				rapid.SampledFrom([]uint8{0, 1, 1, 2, 2, 2, 3}).Draw(t, "suit"))
		}), 7, 8).Draw(t, "cards")
		for _, card := range cards {
			left[card]++
		}
		lines, _, ok := kernel.Wager(l, &law.Config{}, w, &left)
		if want := dealAll(l, w, cards)[&w.Lines[0]]; !ok || lines[0].Ways != want || lines[0].Held != want {
			t.Errorf("%d draws, want %d: %+v", lines[0].Ways, want, w.Lines[0].When)
		}
	})
}

func condition(t *rapid.T, depth int) baccarat.Condition {
	q := baccarat.Condition{
		Winner: numbers(t, "winner", 3), CardPoints: numbers(t, "card points", 54), OneSuit: demand(t, "one suit"),
		SamePair: demand(t, "same pair"), Count: count(t), Player: hand(t, "player"), Banker: hand(t, "banker"),
		Either: hand(t, "either"), Both: hand(t, "both"),
	}
	if depth > 0 && seldom(t, "not") {
		inner := condition(t, depth-1)
		q.Not = &inner
	}
	if depth > 0 && seldom(t, "any") {
		q.Any = []baccarat.Condition{condition(t, depth-1), condition(t, depth-1)}
	}
	return q
}

func hand(t *rapid.T, label string) *baccarat.HandCondition {
	if !seldom(t, label) {
		return nil
	}
	q := &baccarat.HandCondition{
		Total: numbers(t, "total", 9), Cards: numbers(t, "cards", 3), TwoCards: numbers(t, "two", 9),
		Natural: demand(t, "natural"), Pair: demand(t, "pair"), Suited: demand(t, "suited"),
		SameColor: demand(t, "color"), OneRank: demand(t, "one rank"), OneSuit: demand(t, "hand of one suit"),
		Only: numbers(t, "only", 13), Third: numbers(t, "third", 13), Count: count(t),
	}
	if seldom(t, "ranks") {
		q.Ranks = [2]uint8{rapid.Uint8Range(1, 13).Draw(t, "rank"), rapid.Uint8Range(1, 13).Draw(t, "rank")}
	}
	return q
}

func count(t *rapid.T) *baccarat.CardCount {
	if !seldom(t, "count") {
		return nil
	}
	return &baccarat.CardCount{
		Ranks: numbers(t, "ranks", 13), Suits: rapid.Uint8Range(0, 14).Draw(t, "suits"),
		FirstTwo: rapid.Bool().Draw(t, "first two"), Is: numbers(t, "is", 6),
	}
}

// numbers is mostly any number, else each number from 0 to the last with a chance of one half.
func numbers(t *rapid.T, label string, last int) baccarat.Numbers {
	if !seldom(t, label) {
		return 0
	}
	return baccarat.Numbers(rapid.Uint64Range(1, 1<<(last+1)-1).Draw(t, label))
}

func demand(t *rapid.T, label string) baccarat.Demand {
	if !seldom(t, label) {
		return baccarat.Anything
	}
	return rapid.SampledFrom([]baccarat.Demand{baccarat.Wanted, baccarat.Unwanted}).Draw(t, label)
}

func seldom(t *rapid.T, label string) bool { return rapid.IntRange(0, 3).Draw(t, label) == 3 }
