package export

import (
	"errors"
	"testing"
)

func TestExportAndVerify(t *testing.T) {
	for _, folder := range []bool{false, true} {
		c := newCasino(t, "ac-1", 6)
		path := c.export(t, folder)
		v := c.verify(t, path, VerifyOptions{Last: c.last(), Replay: true})
		for _, check := range v.Checks {
			t.Logf("%-10s %v %s", check.Name, check.Passed, check.Detail)
		}
		if v.Code != Good || v.Findings == 0 || len(v.Checks) != 11 {
			t.Fatalf("folder %v: %+v", folder, v)
		}
		if _, err := c.try(t.Context(), folder, nil); !errors.Is(err, ErrNothing) {
			t.Errorf("again: %v, want %v", err, ErrNothing)
		}
	}
}
