//go:build unix

package console

import (
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// The evidence of a suspicion is drawn on an axis of odds with the line of the alarm. Its strongest rounds are shown
// with their cards and lead to the page of the round.
func TestSuspicion(t *testing.T) {
	s := emptyStore(t)
	newTestFloor(t, s.Store).play(planted(t, "ac-1", "live-07", "draw.banker.must-stay"))
	rounds, err := s.Rounds(t.Context(), store.Scope{All: true}, store.Location{Property: "ac-1", Table: "live-07"})
	if err != nil || len(rounds) < 8 {
		t.Fatal(len(rounds), err)
	}
	id, now := strings.Repeat("ab", 16), time.Now()
	insert(t, s, "findings", "id, kind, verdict, rule, severity, property_id, table_id, shoe_id, round, subject, at, "+
		"observed, ln_e, threshold, odds", id, "anomaly", "SUSPECT", "d07", "major", "ac-1", "live-07", rounds[7].ShoeID,
		rounds[7].Round, "patron:p", now, "wins more often than chance; observed 31 of 40, expected 18.3; over 8 rounds",
		16.0, 13.8, "under honest play, evidence this strong occurs less than once in 300 table-years")
	for i, r := range rounds[:8] {
		insert(t, s, "evidence", "detector, key, at, property_id, table_id, shoe_id, round, ln_e, start",
			"d07", "patron:p", r.At, "ac-1", "live-07", r.ShoeID, r.Round, []float64{1, -0.2, 3, 2.5, -0.1, 4, 2.8, 3}[i], 1.0)
	}
	c := serve(t, s, nil)
	b := openBrowser(t, c.url, 1440, 900)
	b.signIn("ann", "operator")
	b.open("/findings/" + id)
	axis := eval[string](b, "[...document.querySelectorAll('.curve text')].map((x) => x.textContent).join('|')")
	for _, want := range []string{"1 in 10,000|", "1 in 1 million|", "alarm at 1 in 985,000"} {
		if !strings.Contains(axis, want) {
			t.Errorf("the axis of odds lacks %q: %s", want, axis)
		}
	}
	if over := eval[bool](b, `(() => { const alarm = document.querySelector('.curve path.alarm').getBBox().y;
		const last = document.querySelector('.curve polyline').points; return last[last.length - 1].y < alarm; })()`); !over {
		t.Error("the curve of an alarm ends below the line of the alarm")
	}
	links := eval[[]string](b, "[...document.querySelectorAll('.strongest li > a')].map((a) => a.getAttribute('href'))")
	if len(links) != 5 || links[0] != roundURL(&rounds[5]) {
		t.Errorf("the strongest rounds lead to %v, want %s first", links, roundURL(&rounds[5]))
	}
	if n := eval[int](b, "document.querySelectorAll('.strongest .mini').length"); n < 20 {
		t.Errorf("%d cards of the strongest rounds", n)
	}
	text := eval[string](b, "document.querySelector('.compare').getAttribute('aria-label')")
	if text != "Observed 31, expected 18.3 of 40" {
		t.Errorf("the comparison is %q", text)
	}
	b.screenshot("suspicion")
	b.quiet()
}
