package settings

import (
	"strings"
	"testing"
)

func TestPatronKeys(t *testing.T) {
	const first, second, third = "first-key-of-patrons", "second-key-of-patrons", "third-key-of-patrons"
	key, successors, err := patronKeys("2027-01-01 " + third + "\n2026-12-01 " + second + "\n" + first)
	if err != nil || string(key) != first || len(successors) != 2 || successors[0].From != "2026-12-01" ||
		string(successors[0].Secret) != second || string(successors[1].Secret) != third {
		t.Errorf("%s, %v, %v", key, successors, err)
	}
	// A key of an older release is the whole text, whatever bytes it has.
	for _, text := range []string{first, "random\nbytes of a key \x00", "2026-12-01-is-no-line"} {
		if key, successors, err := patronKeys(text); err != nil || string(key) != text || successors != nil {
			t.Errorf("%q: %q, %v, %v", text, key, successors, err)
		}
	}
	for text, want := range map[string]string{
		"short":                       "5 bytes, want 16 or more",
		"2026-12-01 " + second + "\n": "the first key is missing",
		"2026-12-01 " + second + "\n2026-11-01 " + first:                        "the first key has none",
		"2026-13-01 " + second + "\n" + first:                                   "want a gaming day",
		"2026-12-01 short\n" + first:                                            "the key from 2026-12-01 has 5 bytes",
		"2026-12-01 " + second + "\n2027-01-01 " + third + "\n" + first:         "want the newest first",
		"2026-12-01 " + second + "\n2026-12-01 " + third + "\n" + first + "\nx": "want the newest first",
	} {
		if _, _, err := patronKeys(text); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), second) || strings.Contains(err.Error(), first) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
