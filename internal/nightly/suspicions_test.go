//go:build unix

package nightly

import (
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine/clickhousetest"
)

// A night finds what a watch found, and so does a repeated one.
func TestNightAfterWatch(t *testing.T) {
	cfg := server.Migrated(t)
	store := clickhousetest.Open(t, cfg)
	f := newHouse(20, 40_000)
	ingest(t, store, f)
	o := Options{
		Property: property, Days: f.days[:1], Workers: 1, Engine: options(), Holder: "test", Now: time.Now, Score: true,
	}
	night := func(when string, watched bool) {
		t.Helper()
		res, err := Run(t.Context(), store, o)
		if err != nil {
			t.Fatal(err)
		}
		s := res.Nights[0].Suspicions
		if s.Findings == 0 || s.Watched != watched || s.Missing+s.Extra+s.Changed+s.Late+s.Behind+s.Differing > 0 {
			t.Errorf("%s: %+v, want findings, and all of them equal", when, s)
		}
	}
	night("before a watch", false)
	scoreLive(t, cfg.Database)
	night("after a watch", true)
	night("again", true)
}
