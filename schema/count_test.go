package schema_test

import (
	"math"
	"testing"

	"github.com/shoeproof/shoeproof/schema"
)

func TestCount(t *testing.T) {
	for got, want := range map[string]string{
		schema.Count(0, "card"):                      "0 cards",
		schema.Count(1, "card"):                      "1 card",
		schema.Count(uint32(2), "card"):              "2 cards",
		schema.Count(int64(-1), "card"):              "-1 cards",
		schema.Count(uint64(math.MaxUint64), "card"): "18446744073709551615 cards",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
