package console

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[any]string{
		0: "0 findings", uint64(1): "1 finding", int64(1): "1 finding", uint32(2): "2 findings",
	} {
		if got := count(n, "finding"); got != want {
			t.Errorf("%v: %s, want %s", n, got, want)
		}
	}
}
