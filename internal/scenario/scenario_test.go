package scenario

import (
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/rules"
)

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

// An error in a section names its line in the file.
func TestLineOfSection(t *testing.T) {
	const (
		story = "A story\nof two lines.\n"
		end   = "-- shoe --\nS-PB\n-- edits --\n-- findings --\n"
	)
	for text, want := range map[string]string{
		story + "-- rulebook --\nname: house\nrules: [\n" + end:                                  "x.txtar:6: did",
		story + "-- rulebook --\nname: house\nextends: nj-19-47\ntitel: x\n" + end:               "x.txtar:6: ",
		story + "-- shoe --\nS-PB\n-- edits --\n# a comment\npay round=1\n-- findings --\n":      "x.txtar: edits: line 7: ",
		story + "-- shoe --\nS-PB\n-- edits --\n\ndelete round=99 round_ended\n-- findings --\n": "x.txtar: edits: line 7: ",
	} {
		s, err := Parse("x.txtar", []byte(text))
		if err == nil {
			_, err = s.Run(engine.Options{}, rules.ShippedWith)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
