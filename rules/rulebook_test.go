package rules

import "testing"

func TestShippedRulebooksLoad(t *testing.T) {
	books, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"nj-19-47", "nj-19-47-pair", "nj-13-69f", "ny-5324-21"} {
		b := books[name]
		if b == nil {
			t.Fatalf("rulebook %s is not there", name)
		}
		for _, g := range b.Games() {
			l, _ := b.Law(g)
			t.Logf("%s %v: %d rules", b.Ref(), g, len(l.Rules()))
			if len(l.Rules()) < 10 {
				t.Errorf("%s %v has %d rules", name, g, len(l.Rules()))
			}
		}
	}
}
