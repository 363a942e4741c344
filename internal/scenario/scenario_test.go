package scenario

import "testing"

// A file that is no scenario names what is wrong: of a section that is given twice, one would be ignored.
func TestNoScenario(t *testing.T) {
	const sections = "-- shoe --\nS-PB\n-- edits --\n-- findings --\n"
	for text, want := range map[string]string{
		sections:                      "",
		sections + "-- edits --\n":    "x.txtar: section edits is given twice",
		sections + "-- ../edits --\n": `x.txtar: section "../edits", want rulebook, shoe, edits or findings`,
		"-- shoe --\nS-PB\n-- edits --\n": "x.txtar: no line \"-- findings --\": want the sections shoe, edits " +
			"and findings; the last two may be empty",
	} {
		if _, err := Parse("x.txtar", []byte(text)); err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
