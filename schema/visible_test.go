package schema

import "testing"

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"Müller · 李 →\n": "Müller · 李 →\n", "a\u202Eb": "a\uFFFDb",
		"\u2066x\u2069": "\uFFFDx\uFFFD", "\x1b[31mred": "\uFFFD[31mred",
		"a\u200Fb\u061C": "a\uFFFDb\uFFFD", "\u0085\x7f": "\uFFFD\uFFFD",
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestCell(t *testing.T) {
	for in, want := range map[string]string{
		"=1+1": "'=1+1", " \u00a0+1": "' \u00a0+1", "＝1": "'＝1", "%x": "'%x", "|cmd": "'|cmd", "\n=1": "'\n=1",
		"/x;=cmd": "/x;'=cmd", "a; -1; b;@c": "a; '-1; b;'@c", "47-1.2; 47-1.3": "47-1.2; 47-1.3", "": "", ";": ";",
	} {
		if got := Cell(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
