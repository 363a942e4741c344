//go:build unix

package console

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// Two properties may have tables of one name. Who sees both reads at each table which one it is, and a search finds the
// rounds of both, or of the property in its text. Who sees one property reads its name on none of the tables.
func TestTwoProperties(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	for _, property := range []string{"here-1", "there-2"} {
		newTestFloor(t, s.Store).play(planted(t, property, "live-07", "draw.banker.must-stay"))
	}
	access := Access{}
	both, one := personal(&access, "ann", "ann", "supervisor"), secretOf(&access, "bob", "supervisor", "here-1",
		time.Now().Add(time.Hour))
	access.Tokens[len(access.Tokens)-1].Person = "bob"
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	all := store.Scope{All: true}
	open, err := s.Open(t.Context(), all, store.Filter{Severity: "critical"})
	if err != nil || len(open) != 2 {
		t.Fatal(len(open), err)
	}
	for _, o := range open {
		for _, step := range []store.Triage{
			{Actor: "cat", Action: store.Note, Note: "asked the pit"}, {Actor: "cat", Action: store.Escalate},
		} {
			step.IDs = []string{o.ID}
			if _, err := s.Apply(t.Context(), all, step); err != nil {
				t.Fatal(err)
			}
		}
	}
	rows := map[string]string{ // of a page, its rows about a table
		"/queue": ".queue .where", "/handover": "[aria-label='In progress'] tbody td:nth-child(3)",
		"/floor?wall=1":            ".wallgrid .pitname",
		"/search?list=1&q=%3E%241": ".hits span:last-of-type",
	}
	texts := func(b *browser, page, rows string) []string {
		t.Helper()
		c.resetLimits()
		b.open(page)
		return eval[[]string](b, fmt.Sprintf("[...document.querySelectorAll(%q)].map((x) => x.innerText)", rows))
	}
	ann, bob := openBrowser(t, c.url, 1440, 900), openBrowser(t, c.url, 1440, 900)
	ann.signInWith(both)
	bob.signInWith(one)
	for page, cells := range rows {
		found := map[string]int{}
		list := texts(ann, page, cells)
		for _, text := range list {
			for _, property := range []string{"here-1", "there-2"} {
				if strings.Contains(text, property) {
					found[property]++
				}
			}
		}
		if n := found["here-1"]; len(list) == 0 || n == 0 || n+found["there-2"] != len(list) || n == len(list) {
			t.Errorf("%s names the properties of %v of %d tables: %q", page, found, len(list), list)
		}
		for _, text := range texts(bob, page, cells) {
			if strings.Contains(text, "here-1") || strings.Contains(text, "there-2") {
				t.Errorf("%s names the one property of its reader: %q", page, text)
			}
		}
	}
	// Actions of a hand-over, and closed findings.
	const acts = "[aria-label=Actions] tbody td:nth-child(5)"
	if list := texts(ann, "/handover", acts); !slices.ContainsFunc(list, func(x string) bool {
		return strings.Contains(x, "there-2")
	}) {
		t.Errorf("the actions of a hand-over name no property: %q", list)
	}
	rounds, err := s.Rounds(t.Context(), all, store.Location{Property: "there-2", Table: "live-07"})
	if err != nil || len(rounds) == 0 {
		t.Fatal(len(rounds), err)
	}
	at := rounds[0].At.In(c.Law.Calendar.Zone).Format("15:04")
	for q, want := range map[string][2]bool{ // whether it finds something of here-1, and of there-2
		"live-07 " + at: {true, true}, "there-2 live-07 " + at: {false, true}, "live-07": {true, true},
		"live-07 Here-1": {true, false}, ">$1 there-2": {false, true}, "there-2": {false, true},
	} {
		links := eval[[]string](searched(ann, c, q), "[...document.querySelectorAll('.hits a')].map((x) => x.href)")
		for i, property := range []string{"here-1", "there-2"} {
			if has := slices.ContainsFunc(links, func(x string) bool { return strings.Contains(x, property) }); has != want[i] {
				t.Errorf("%q finds %s: %t, want %t: %q", q, property, has, want[i], links)
			}
		}
	}
	note := eval[string](searched(bob, c, "there-2 live-07"), "document.querySelector('main').innerText")
	if !strings.Contains(note, `is "there-2"`) {
		t.Errorf("the search for another property: %q", note)
	}
	ann.quiet()
}

func searched(b *browser, c *served, q string) *browser {
	b.t.Helper()
	c.resetLimits()
	b.open("/search?list=1&q=" + query(q))
	return b
}
