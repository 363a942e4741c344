package console

import (
	"testing"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/detectors"
)

// Amounts are written as people write them, by currency, and read back.
func TestMoney(t *testing.T) {
	for _, x := range []struct {
		minor          int64
		currency, want string
	}{
		{123456789, "USD", "$1,234,567.89"},
		{-5, "EUR", "−€0.05"},
		{1500, "JPY", "¥1,500"},
		{1500, "", "15.00"},
		{70000, "MOP", "MOP$700.00"},
		{1234, "BHD", "BHD\u00a01.234"},
		{0, "USD", ""},
	} {
		got := formatMoney(x.minor, x.currency)
		if got != x.want {
			t.Errorf("%d %s: %q, want %q", x.minor, x.currency, got, x.want)
		}
		if n, ok := minorUnits(got, x.currency); x.minor > 0 && (!ok || n != x.minor) {
			t.Errorf("%q is read as %d, %v", got, n, ok)
		}
	}
	for text, want := range map[string]string{
		"TIE of USD 10.00 paid at least 8:1: USD 80.00": "tie of $10.00 paid at least 8:1: $80.00",
		"DRAGON_7 at T_DRAGON_7, PLAYER_PAIR":           "dragon 7 at T_DRAGON_7, player pair",
		"NO_MORE_BETS not called by DEALER, face DOWN":  "no more bets not called by dealer, face down",
		"JPY 5000 and USD 0.00":                         "¥5,000 and $0.00", "no amount, EZB 8 9": "no amount, EZB 8 9",
	} {
		if got := people(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for text, want := range map[string]int64{"$5,000": 500000, "5k": 500000, "250.5": 25050, "1m": 100_000_000} {
		if n, ok := minorUnits(text, "USD"); !ok || n != want {
			t.Errorf("%q: %d, %v", text, n, ok)
		}
	}
	for _, text := range []string{"", "lots", "1.234", "9999999999999999"} {
		if n, ok := minorUnits(text, "USD"); ok {
			t.Errorf("%q is read as %d", text, n)
		}
	}
	for want, w := range map[string]store.Wager{
		"Tie $10.00 should pay $80.00, was paid $70.00 (short $10.00)": {
			Spot: "TIE", Stake: 1000, Expected: "paid", Disposition: "paid", ExpectedPaid: 8000, Paid: 7000,
		},
		"Banker $100.00 should be collected, was returned": {
			Spot: "BANKER", Stake: 10000, Expected: "collected", Disposition: "returned",
		},
	} {
		if got := settledText(&settled{Wager: w, Wrong: true}, "USD"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The chip tray is observed in minor units; people see the currency of the table.
func TestTrayInCurrency(t *testing.T) {
	h := detectors.NewLive(detectors.DefaultBudget())
	h.Tray(&detectors.Tray{Open: 500000, Close: -489950, Won: 1000, Whole: true})
	if len(h.Alarms) != 1 {
		t.Fatalf("%d alarms", len(h.Alarms))
	}
	for currency, want := range map[string]string{
		"USD": "counted −$4,899.50, expected $5,010.00: opened $5,000.00, fills $0.00, credits $0.00, stakes taken $10.00, " +
			"vigorish $0.00, winnings paid $0.00; money at issue $9,909.50",
		"JPY": "counted −¥489,950, expected ¥501,000: opened ¥500,000, fills ¥0, credits ¥0, stakes taken ¥1,000, " +
			"vigorish ¥0, winnings paid ¥0; money at issue ¥990,950",
		"THB": "counted THB -4899.50, expected THB 5010.00: opened THB 5000.00, fills THB 0.00, credits THB 0.00, " +
			"stakes taken THB 10.00, vigorish THB 0.00, winnings paid THB 0.00; money at issue THB 9909.50",
		"": "counted -4899.50, expected 5010.00: opened 5000.00, fills 0, credits 0, stakes taken 10.00, vigorish 0, " +
			"winnings paid 0; money at issue 9909.50",
	} {
		if got := people(h.Alarms[0].Observed(currency)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
