package fault

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The same pair and seed give the same events, with both faults in one round, or always the same reason.
func TestPairIsDeterministic(t *testing.T) {
	pairs, _ := Pairs()
	planted := 0
	for i := 0; i < len(pairs); i += 199 {
		first, err := pairs[i].Plant(7)
		second, again := pairs[i].Plant(7)
		var a, b *ApartError
		switch {
		case errors.As(err, &a) && errors.As(again, &b):
			if a.Reason != b.Reason {
				t.Errorf("%s and %s: %v, then %v", pairs[i].First.Rule, pairs[i].Second.Rule, a, b)
			}
		case err != nil || again != nil:
			t.Errorf("%s and %s: %v, then %v", pairs[i].First.Rule, pairs[i].Second.Rule, err, again)
		default:
			planted++
			if d := cmp.Diff(first, second); d != "" {
				t.Errorf("%s and %s differ:\n%s", pairs[i].First.Rule, pairs[i].Second.Rule, d)
			}
			if first.Want[0].Round != first.Want[1].Round {
				t.Errorf("%s and %s in rounds %v, want one", pairs[i].First.Rule, pairs[i].Second.Rule, first.Want)
			}
		}
	}
	if planted < 20 {
		t.Errorf("%d pairs planted, want at least 20", planted)
	}
}
