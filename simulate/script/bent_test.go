package script

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Only the rounds that edits change are bent, and each line is a selector of its event.
func TestBentRounds(t *testing.T) {
	legal, err := Fixture("S-PB")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		edits string
		where []string
		lines []string
	}{
		{"", nil, nil},
		{
			"set round=2 wager_paid seat=3: amount=4500",
			[]string{"table s-pb shoe s-pb-1 round 2"},
			[]string{
				"  cards P 9c Kd B 4h 3s",
				"- wager_paid wager_id=w1.2.3 seat=3 amount=5000",
				"+ wager_paid wager_id=w1.2.3 seat=3 amount=4500",
			},
		},
		{
			"set shoe=2 shoe_loaded: deck_count=6",
			[]string{"table s-pb shoe s-pb-2 before round 1"},
			[]string{"- shoe_loaded batch_id=s-pb-b1 deck_count=8 ", "+ shoe_loaded batch_id=s-pb-b1 deck_count=6 "},
		},
		{
			"move vigorish_collected kind=OUTSTANDING seat=5 after shoe=2 shoe_shuffled phase=INITIAL",
			[]string{"table s-pb shoe s-pb-1 after the last round"},
			[]string{"- vigorish_collected seat=5 amount=1575", "+ vigorish_collected at=2026-03-02T18:15:34.14Z seat=5"},
		},
		{
			"delete round=6 *",
			[]string{
				"table s-pb shoe s-pb-1 before round 6", "table s-pb shoe s-pb-1 round 6",
				"table s-pb shoe s-pb-1 after the last round",
			},
			[]string{"- cards P 2c 3h 3s B 4d Ks 2d", "- round_ended result=PLAYER"},
		},
	} {
		edits, err := Parse(tt.edits)
		if err != nil {
			t.Fatal(err)
		}
		edited, err := edits.Apply(legal)
		if err != nil {
			t.Fatal(err)
		}
		var where []string
		text := ""
		for _, b := range BentRounds(legal, edited) {
			where = append(where, b.Where)
			text += b.String()
		}
		if d := cmp.Diff(tt.where, where); d != "" {
			t.Errorf("%q: %s", tt.edits, d)
		}
		for _, line := range tt.lines {
			if !strings.Contains(text, "\n"+line) {
				t.Errorf("%q: no line %q in\n%s", tt.edits, line, text)
			}
		}
	}
}
