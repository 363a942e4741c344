package rules

import (
	"os"
	"os/exec"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
)

// The drawing and the winner of all million sequences of six values agree with an engine of another author. By hand:
//
//	(cd "$dir" && npm install baccarat-engine@1.1.5) && SHOEPROOF_ORACLE="$dir" go test ./rules -run Oracle -v
func TestOracle(t *testing.T) {
	dir := os.Getenv("SHOEPROOF_ORACLE")
	if dir == "" {
		t.Skip("SHOEPROOF_ORACLE names no directory with npm's baccarat-engine")
	}
	theirs, err := exec.CommandContext(t.Context(), "node", "testdata/oracle.js", dir).Output()
	if err != nil || len(theirs) != 1_000_000 {
		t.Fatalf("%d results: %v", len(theirs), err)
	}
	books, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	var byValue [10]baccarat.Card
	for v, word := range []string{"Kh", "Ah", "2h", "3h", "4h", "5h", "6h", "7h", "8h", "9h"} {
		if byValue[v], err = baccarat.ParseCard(word); err != nil {
			t.Fatal(err)
		}
	}
	for name, book := range books {
		for _, g := range book.Games() {
			law, _ := book.Law(g)
			differ := 0
			for n := range theirs {
				var c [6]baccarat.Card
				for i, rest := 5, n; i >= 0; i, rest = i-1, rest/10 {
					c[i] = byValue[rest%10]
				}
				if dealt(law, c) != theirs[n] {
					differ++
				}
			}
			t.Logf("%s %v: %d of %d differ", name, g, differ, len(theirs))
			if differ > 0 {
				t.Fail()
			}
		}
	}
}

// dealt deals six cards as the law calls for them, in the encoding of testdata/oracle.js.
func dealt(l *law.Law, c [6]baccarat.Card) byte {
	player, banker, next := []baccarat.Card{c[0], c[2]}, []baccarat.Card{c[1], c[3]}, 4
	coup := baccarat.NewCoup(player, banker)
	if l.Drawing.PlayerDraws(coup.P2, coup.B2) {
		player, next = append(player, c[next]), next+1
		coup = baccarat.NewCoup(player, banker)
	}
	if l.Drawing.BankerDraws(coup.P2, coup.B2, coup.Third) {
		coup = baccarat.NewCoup(player, append(banker, c[next]))
	}
	result := map[baccarat.Result]byte{baccarat.Tie: 0, baccarat.PlayerWon: 1, baccarat.BankerWon: 2}[coup.Result()]
	return coup.NP - 2 | (coup.NB-2)<<1 | result<<2
}
