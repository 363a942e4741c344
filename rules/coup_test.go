package rules

import (
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
)

// The 80 cells of the table that a scan left ten columns of: with them a loader that reads the
// printed header, or drops the last column, fails here.
func TestDrawingTableCells(t *testing.T) {
	books, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	// The banker's two-card count against: no third card, 0 to 9.
	cells := map[uint8]string{
		0: "DDDDDDDDDDD", 1: "DDDDDDDDDDD", 2: "DDDDDDDDDDD", 3: "DDDDDDDDDSD", 4: "DSSDDDDDDSS",
		5: "DSSSSDDDDSS", 6: "SSSSSSSDDSS", 7: "SSSSSSSSSSS",
	}
	for name, book := range books {
		for _, g := range book.Games() {
			law, _ := book.Law(g)
			for b, row := range cells {
				for col := range row {
					third := uint8(col - 1)
					if col == 0 {
						third = baccarat.NoThird
					}
					if got := law.Drawing.BankerDraws(6, b, third); got != (row[col] == 'D') {
						t.Errorf("%s %v: banker %d, column %d: draws %t", name, g, b, col, got)
					}
				}
			}
			for p := range uint8(10) {
				for b := range uint8(10) {
					natural := p >= 8 || b >= 8
					if got := law.Drawing.PlayerDraws(p, b); got != (p <= 5 && !natural) {
						t.Errorf("%s %v: player %d against %d: draws %t", name, g, p, b, got)
					}
					if natural && law.Drawing.BankerDraws(p, b, baccarat.NoThird) {
						t.Errorf("%s %v: banker %d draws against %d", name, g, b, p)
					}
				}
			}
		}
	}
}

func TestCards(t *testing.T) {
	for c := baccarat.Card(1); c <= 52; c++ {
		got, err := baccarat.ParseCard(c.String())
		if err != nil || got != c {
			t.Errorf("%v read back as %v: %v", c, got, err)
		}
	}
	for text, want := range map[string][2]int{
		"Ah": {1, 1}, "2c": {2, 2}, "9s": {9, 9}, "Td": {0, 10}, "Jc": {0, 10}, "Qh": {0, 10}, "Ks": {0, 10},
	} {
		c, err := baccarat.ParseCard(text)
		if err != nil || int(c.Value()) != want[0] || c.BurnValue() != want[1] {
			t.Errorf("%s counts %d and burns %d, want %v (%v)", text, c.Value(), c.BurnValue(), want, err)
		}
	}
	for _, text := range []string{"", "1x", "1c", "Ax", "10h", "kh", "?"} {
		if _, err := baccarat.ParseCard(text); err == nil {
			t.Errorf("%q was read as a card", text)
		}
	}
}

// Facts of every round, proved by walking all of them: four to six cards, and one treasure at most.
func TestTreasuresExcludeOneAnother(t *testing.T) {
	books, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	law, _ := books["nj-13-69f"].Law(baccarat.PuntoBanco)
	var shapes [7][7]bool
	for i := range 1_000_000 {
		v := i
		var cards [6]baccarat.Card
		for j := range cards {
			cards[j] = cardOf(v % 10)
			v /= 10
		}
		player, banker := []baccarat.Card{cards[0], cards[2]}, []baccarat.Card{cards[1], cards[3]}
		c := baccarat.NewCoup(player, banker)
		next := 4
		if law.Drawing.PlayerDraws(c.P2, c.B2) {
			player = append(player, cards[next])
			next++
			c = baccarat.NewCoup(player, banker)
		}
		if law.Drawing.BankerDraws(c.P2, c.B2, c.Third) {
			c = baccarat.NewCoup(player, append(banker, cards[next]))
		}
		p9, b9 := c.P == 9 && c.NP == 3, c.B == 9 && c.NB == 3
		if p9 != b9 && (c.Result() == baccarat.Tie || (c.Result() == baccarat.PlayerWon) != p9) {
			t.Fatalf("%v: one three-card 9 does not win", cards)
		}
		if c.P == 7 && c.B == 7 {
			shapes[c.NP][c.NB] = true
		}
		if n := c.Cards(); n < 4 || n > 6 {
			t.Fatalf("%v: %d cards", cards, n)
		}
	}
	for _, shape := range [][2]int{{2, 2}, {2, 3}, {3, 2}, {3, 3}} {
		if !shapes[shape[0]][shape[1]] {
			t.Errorf("7-7 with %v cards does not occur", shape)
		}
	}
}
