package schema

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// The time package is the oracle of ours.
func TestParseMoment(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for range 300000 {
		at := time.Unix(rng.Int64N(2*9223372036)-9223372036, rng.Int64N(1e9)).UTC()
		layout := []string{time.RFC3339Nano, time.RFC3339, "2006-01-02T15:04:05.000Z07:00"}[rng.IntN(3)]
		if rng.IntN(2) == 0 {
			at = at.In(time.FixedZone("", 60*(rng.IntN(2*23*60)-23*60)))
		}
		b := []byte(at.Format(layout))
		if rng.IntN(2) == 0 {
			b[rng.IntN(len(b))] = "0123456789-+:.TZ "[rng.IntN(17)]
		}
		got, good := parseMoment(b)
		want, err := time.Parse(time.RFC3339, string(b))
		inside := err == nil && want.Year() > 1677 && want.Year() < 2262
		// Only we refuse an offset of 60 minutes or of a day.
		if !good && inside && !strings.HasSuffix(string(b), ":60") && !strings.Contains(string(b), "24:") {
			t.Fatalf("%q refused", b)
		}
		if good && (err != nil || want.UnixNano() != got) {
			t.Fatalf("%q: %d, want %v %v", b, got, want.UnixNano(), err)
		}
	}
}
