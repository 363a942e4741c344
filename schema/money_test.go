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

func TestMoney(t *testing.T) {
	for _, c := range []struct {
		minor          int64
		currency, want string
	}{
		{1575, "USD", "USD 15.75"},
		{5, "USD", "USD 0.05"},
		{-5, "EUR", "EUR -0.05"},
		{0, "USD", "USD 0.00"},
		{1575, "JPY", "JPY 1575"},
		{1575, "KWD", "KWD 1.575"},
		{100, "", "1.00"},
		{-1 << 63, "USD", "USD -92233720368547758.08"},
	} {
		if got := schema.Money(c.minor, c.currency); got != c.want {
			t.Errorf("%d %s: %q, want %q", c.minor, c.currency, got, c.want)
		}
	}
}
