package law

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each option is described, and each value of it has a scenario.
func TestOptions(t *testing.T) {
	doc, err := os.ReadFile("../docs/rulebooks.md")
	if err != nil {
		t.Fatal(err)
	}
	fileName := strings.NewReplacer("[", "", "]", "", ", ", "+", " ", "-")
	for _, o := range optionTable {
		row := regexp.MustCompile("(?m)^\\|.*`" + o.key + "`.*$").FindString(string(doc))
		if row == "" {
			t.Errorf("docs/rulebooks.md has no row for %s", o.key)
		}
		for _, w := range o.words {
			if !strings.Contains(row, "`"+w+"`") {
				t.Errorf("docs/rulebooks.md does not name the value %q of %s", w, o.key)
			}
			if _, err := os.Stat("../testdata/scenarios/option." + o.key + "~" + fileName.Replace(w) + ".txtar"); err != nil {
				t.Errorf("%s=%s has no scenario: %v", o.key, w, err)
			}
		}
		files, err := filepath.Glob("../testdata/scenarios/option." + o.key + "~*.txtar")
		if err != nil || len(files) < 2 && len(o.words) != 1 {
			t.Errorf("%s has %d scenarios (%v), want a scenario that shows the difference", o.key, len(files), err)
		}
	}
}

func TestOptionValues(t *testing.T) {
	for key, values := range map[string]struct{ good, bad []string }{
		"vig_fraction":             {[]string{"up_only", "ceil_minor"}, []string{"", "ceil-minor", "1"}},
		"lace_tolerance":           {[]string{"0", "52"}, []string{"", "-1", "53", "1e1", "ten"}},
		"random_alpha":             {[]string{"1e-9"}, []string{"0", "1", "2", "NaN", "often"}},
		"cash_conversion_deadline": {[]string{"before-settlement", "60"}, []string{"soon", "60s", "-1"}},
	} {
		o := optionNamed(key)
		for _, v := range values.good {
			if err := o.takes(v); err != nil {
				t.Errorf("%s: %v", key, err)
			}
		}
		for _, v := range values.bad {
			if o.takes(v) == nil {
				t.Errorf("%s takes %q", key, v)
			}
		}
	}
}
