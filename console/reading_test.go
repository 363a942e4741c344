//go:build unix

package console

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/shoeproof/shoeproof/console/store"
	simulated "github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// Pages are read without a list of the ids of rules, of permissions and of patrons: a list of rules has what they
// demand, a time of another day its date, an action its object, and a suspicion about a patron leads to the play.
func TestReading(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	old := time.Now().Add(-26 * time.Hour)
	now := time.Now().Add(-20 * time.Minute)
	for table, start := range map[string]time.Time{"live-06": old, "live-07": now, "live-08": now.Add(time.Minute)} {
		for _, f := range fault.All() {
			if f.Rule != "draw.banker.must-stay" {
				continue
			}
			o := simulated.Options{Property: "ac-1", Pit: "p1", Table: table, Seed: 5, Start: start}
			events, _, err := fault.Plant(o, f, 5)
			if err != nil {
				t.Fatal(err)
			}
			newTestFloor(t, s.Store).play(events)
		}
	}
	open, err := s.Open(t.Context(), store.Scope{All: true}, store.Filter{Rule: "draw.banker.must-stay", Order: "oldest"})
	if err != nil || len(open) != 3 {
		t.Fatal(len(open), err)
	}
	f := &open[0]
	rounds, err := s.Rounds(t.Context(), store.Scope{All: true}, store.Location{Property: "ac-1", Table: "live-06"})
	if err != nil || len(rounds) == 0 {
		t.Fatal(len(rounds), err)
	}
	patron, suspicion := patronAt(t, s, rounds[0]), strings.Repeat("ab", 16)
	insert(t, s, "findings", "id, kind, verdict, rule, severity, property_id, table_id, subject, at, observed", suspicion,
		"anomaly", "SUSPECT", "d10", "major", "ac-1", "live-06", "dealer-patron:d105+"+patron, old, "favours")
	for _, step := range []store.Triage{
		{Action: store.Assign, Owner: "bob"}, {Action: store.Note, Note: "asked the pit"},
	} {
		step.IDs, step.Actor = []string{f.ID}, "ann"
		if _, err := s.Apply(t.Context(), store.Scope{All: true}, step); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []store.CaseStep{
		{Action: store.CaseOpen, Text: "A case"}, {Action: store.CaseAdd, FindingID: f.ID},
	} {
		step.PropertyID, step.CaseID, step.Actor = "ac-1", "CASE", "ann"
		if err := s.AddToCase(t.Context(), step, nil, store.Entry{PropertyID: "ac-1"}); err != nil {
			t.Fatal(err)
		}
	}
	var ahead atomic.Int64
	c := serve(t, s, func(o *Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	b := openBrowser(t, c.url, 1440, 900)
	b.open("/sign-in")
	text := func(selector string) string {
		t.Helper()
		return eval[string](b, fmt.Sprintf("[...document.querySelectorAll(%q)].map((x) => x.innerText).join('|')", selector))
	}
	has := func(page, selector string, wants ...string) {
		t.Helper()
		b.open(page)
		for _, want := range wants {
			if got := text(selector); !strings.Contains(got, want) {
				t.Errorf("%s has no %q: %q", page, want, got)
			}
		}
	}
	if roles := text(".roles"); strings.Contains(roles, "read-cases") || !strings.Contains(roles, "read cases") {
		t.Errorf("the sign-in has permissions as the code has them: %q", roles)
	}
	b.signIn("ann", "supervisor")
	day, demand := f.At.In(c.Law.Calendar.Zone).Format("Mon 2 Jan 15:04:05"), docOf(f.Rule)
	has("/queue?rule=draw&group=off", ".queue .when", day)
	if today := text(".queue [data-key='f:" + open[1].ID + "'] .when"); strings.Contains(today, open[1].At.
		In(c.Law.Calendar.Zone).Format("Mon 2 Jan")) {
		t.Errorf("a time of some minutes ago has a date: %q", today)
	}
	has("/findings/"+f.ID, ".side .log", "ann: assign to bob", "asked the pit")
	has("/handover", "[aria-label=Actions] tbody", "\tassign to bob\t", "asked the pit")
	for page, list := range map[string]string{
		"/rates": "[aria-label='Rules with the most findings']", "/dealers/ac-1/" + f.DealerID: "[aria-label=Rates]",
	} {
		has(page, list, demand, f.Rule)
	}
	has("/search?list=1&q="+f.ID, ".hits b", headline(f.Rule, f.Kind, f.Seat, f.Expected, f.Observed))
	has("/findings/"+suspicion, ".facts", "patron "+short(patron))
	leads := func(selector string) {
		t.Helper()
		if n := eval[int](b, fmt.Sprintf("document.querySelectorAll(%q).length", selector)); n != 1 {
			t.Errorf("%d links %s", n, selector)
		}
	}
	leads(".facts a[href='/patrons/ac-1/" + patron + "']")
	b.open("/exceptions/ac-1/" + store.Day(f.GamingDay))
	leads(fmt.Sprintf("[data-finding='%s'] a[href^='/shoes/ac-1/live-06/']", f.ID))

	// Closed findings are filtered on their page, which has the file of the same filters.
	for _, step := range []store.Triage{
		{Actor: "ann", Action: store.Close, Disposition: "duplicate", Reason: "seen"},
		{Actor: "ben", Action: store.Confirm, Second: func(store.Who) error { return nil }},
	} {
		step.IDs = []string{f.ID, open[2].ID}
		if _, err := s.Apply(t.Context(), store.Scope{All: true}, step); err != nil {
			t.Fatal(err)
		}
	}
	b.open("/queue?state=closed")
	b.click(".facets summary")
	b.do(chromedp.SendKeys(chromedp.CSS("#facets [name=table]"), "live-08\r"))
	b.await("location.search.includes('table=live-08')")
	if n := eval[int](b, "document.querySelectorAll('.rows .found').length"); n != 1 {
		t.Errorf("%d closed findings of a table, want 1", n)
	}
	file := eval[string](b, "document.querySelector(\"a[href^='/exports/findings.csv']\").getAttribute('href')")
	_, lines := send(t, "GET", c.url+file, "", "Cookie", signedIn(t, c.url, "supervisor"))
	if strings.Count(lines, "\n") != 2 || !strings.Contains(lines, open[2].ID+",closed") ||
		!strings.Contains(lines, "seen") {
		t.Errorf("the file %s has %q", file, lines)
	}

	// At 200 % of 1,440 pixels a finding begins with what was expected and observed, and a case with its findings.
	b.screen(720, 450, 2)
	b.open("/findings/" + f.ID)
	order := func(selectors ...string) {
		t.Helper()
		const places = "%q.split('|').map((x) => document.querySelector(x).getBoundingClientRect().top)"
		tops := eval[[]float64](b, fmt.Sprintf(places, strings.Join(selectors, "|")))
		for i := 1; i < len(tops); i++ {
			if tops[i] <= tops[i-1] {
				t.Errorf("%s is above %s: %v", selectors[i], selectors[i-1], tops)
			}
		}
	}
	order(".versus", ".act", ".facts", ".deal", "[action='/replay']")
	b.open("/cases/ac-1/CASE")
	order("[aria-label='Findings of the case']", "#steps", "#note")
	b.quiet()

	// A row that is kept as it was drawn today has its date a day later.
	ahead.Store(int64(24 * time.Hour))
	_, page := send(t, "GET", c.url+"/queue?rule=draw&group=off", "", "Cookie", signedIn(t, c.url, "supervisor"))
	if day := open[1].At.In(c.Law.Calendar.Zone).Format("Mon 2 Jan 15:04:05"); !strings.Contains(page, ">"+day+"<") {
		t.Errorf("after a day the queue has no %q", day)
	}
}
