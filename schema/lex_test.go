package schema

import (
	"math/rand/v2"
	"testing"
)

func TestSpecial(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200000 {
		b := make([]byte, rng.IntN(20))
		for i := range b {
			b[i] = byte(' ' + rng.IntN(94))
			if rng.IntN(12) == 0 {
				b[i] = byte(rng.IntN(256))
			}
		}
		want, q := len(b), -1
		for i, c := range b {
			if c == '"' && q < 0 {
				q = i
			}
			if want == len(b) && (c < ' ' || c >= 0x80 || c == '"' || c == '\\') {
				want = i
			}
		}
		if got := special(b, 0); got != want {
			t.Fatalf("%q: %d, want %d", b, got, want)
		}
		if got := quote(b, 0); got != q {
			t.Fatalf("%q: quote %d, want %d", b, got, q)
		}
	}
}
