package gamingday

import (
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/engine/calendar"
)

func TestDays(t *testing.T) {
	calendar, err := calendar.New("America/New_York", "06:00", map[string]string{"day": "06:00"})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		Choice
		want string // the days, or the start of the error
	}{
		{Choice{Property: "p", Day: "last"}, "2026-11-28"},
		{Choice{Property: "p", From: "2026-11-26", To: "2026-11-27"}, "2026-11-26 2026-11-27"},
		{Choice{Property: "p", Day: Missing, HasMissing: true}, ""},
		{Choice{Property: "p", Day: Missing}, `--gaming-day "missing", want a date such as 2026-11-19, or last`},
		{Choice{Property: "p", Day: "2026-11-31", HasMissing: true}, `--gaming-day "2026-11-31", want a date such as ` +
			"2026-11-19, last or missing"},
		{Choice{Property: "p", HasMonth: true}, "want one of --gaming-day, --from with --to, or --month"},
		{Choice{Property: "p", Day: "last", From: "2026-11-26"}, "want either --gaming-day, or --from and --to"},
		{Choice{Day: "last"}, "--property: none"},
	} {
		days, err := c.Days(&calendar, now)
		got := strings.Join(days, " ")
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%+v: %s, want %s", c.Choice, got, c.want)
		}
	}
}
