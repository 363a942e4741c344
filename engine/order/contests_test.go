package order

import (
	"math"
	"slices"
	"testing"
)

func TestContests(t *testing.T) {
	var c Contests[string]
	for _, arrived := range []int64{30, 10, 20, 40} {
		c.Add(arrived, string(rune('a'+arrived/10)))
	}
	for _, step := range []struct {
		before int64
		want   []string
	}{
		{10, nil}, {21, []string{"b", "c"}}, {21, nil}, {math.MaxInt64, []string{"d", "e"}}, {math.MaxInt64, nil},
	} {
		if got := slices.Collect(c.Before(step.before)); !slices.Equal(got, step.want) {
			t.Errorf("before %d: %q, want %q", step.before, got, step.want)
		}
	}
}
