package schema_test

import (
	"testing"

	"github.com/shoeproof/shoeproof/schema"
)

func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		minor    int64
		currency string
		want     string
	}{
		{0, "USD", "0.00"},
		{5, "USD", "0.05"},
		{-5, "USD", "-0.05"},
		{-1575, "USD", "-15.75"},
		{100, "USD", "1.00"},
		{1575, "JPY", "1575"},
		{-1575, "ISK", "-1575"},
		{1575, "KWD", "1.575"},
		{-9223372036854775808, "USD", "-92233720368547758.08"},
		{0, "", "0"},
	} {
		if got := schema.Decimal(c.minor, c.currency); got != c.want {
			t.Errorf("%d %s: %s, want %s", c.minor, c.currency, got, c.want)
		}
	}
}
