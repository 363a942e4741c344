package detectors

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The joint of accounts follows from the joints of each, in their order.
func TestJoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.String(), 1, 6).Draw(t, "names")
		whole := jointOf(names[0])
		for _, name := range names[1:] {
			whole = whole.with(jointOf(name))
		}
		if want := jointOf(strings.Join(names, "+")); whole != want {
			t.Errorf("joint %v, want %v", whole, want)
		}
		if names[0] != "" && jointOf(names[0]).with(jointOf("x")) == jointOf("x").with(jointOf(names[0])) &&
			names[0] != "x" {
			t.Error("the joint does not depend on the order")
		}
	})
}
