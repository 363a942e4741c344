//go:build unix

package console

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/console/store"
)

// The page of the log names what a line is about as people do: a finding by severity, title, table and time, a case by
// its title. It has the id of a finding that is not stored any more, and of all while they cannot be read.
func TestLogNames(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 6, 0)
	c := serve(t, s, nil)
	all := store.Scope{All: true}
	found, err := s.Findings(t.Context(), all, store.FindingQuery{})
	if err != nil || len(found) < 3 {
		t.Fatal(len(found), err)
	}
	i := slices.IndexFunc(found, func(f store.Finding) bool { return f.Round > 0 })
	if i < 0 {
		t.Fatal("no finding of a round")
	}
	f, gone := found[i], found[(i+1)%len(found)]
	rounds, err := s.Rounds(t.Context(), all, store.Location{Property: "ac-1", Table: f.TableID, Shoe: f.ShoeID})
	if err != nil || len(rounds) == 0 {
		t.Fatal(len(rounds), err)
	}
	patron := patronAt(t, s, rounds[0])
	ann, eve := signedIn(t, c.url, "supervisor"), signedIn(t, c.url, "auditor")
	do := func(cookie, method, path string, form url.Values, want int) {
		t.Helper()
		if code, body := send(t, method, c.url+path, form.Encode(), "Cookie", cookie); code != want {
			t.Fatalf("%s %s: %d, want %d: %.300s", method, path, code, want, body)
		}
	}
	for _, id := range []string{f.ID, gone.ID} {
		do(ann, "POST", "/triage", url.Values{"key": {"f:" + id}, "step": {"escalate"}}, 303)
	}
	do(ann, "POST", "/cases", url.Values{"property": {"ac-1"}, "title": {"A disputed payment"}, "finding": {f.ID}}, 303)
	cases, err := s.Cases(t.Context(), all, f.ID)
	if err != nil || len(cases) != 1 {
		t.Fatal(len(cases), err)
	}
	remove := url.Values{"step": {"remove"}, "finding": {f.ID}, "text": {"another table"}}
	do(ann, "POST", pathOf("cases", "ac-1", cases[0].ID), remove, 303)
	do(ann, "GET", "/patrons/ac-1/"+patron, nil, 200)
	do(ann, "POST", "/replay", url.Values{"property": {"ac-1"}, "table": {f.TableID}, "shoe": {f.ShoeID}}, 200)
	do(ann, "POST", "/handover", url.Values{
		"property": {"ac-1"}, "note": {"-"}, "once": {strings.Repeat("A", 26)},
	}, 303)
	do(signedInAs(t, c.url, "operator", "bob", ""), "POST", "/handovers/ac-1/"+strings.Repeat("A", 26), nil, 303)
	do(eve, "GET", roundURL(&rounds[0])+"/events", nil, 200)
	root := signedIn(t, c.url, "admin")
	do(root, "POST", "/kiosks", url.Values{"property": {"ac-1"}, "name": {"north wall"}, "days": {"9"}}, 200)

	if err := s.Conn().Exec(t.Context(), "ALTER TABLE "+s.Table("findings")+" DELETE WHERE id = '"+gone.ID+
		"' SETTINGS mutations_sync = 2"); err != nil {
		t.Fatal(err)
	}
	b := openBrowser(t, c.url, 1440, 900)
	b.signIn("eve", "auditor")
	lines := func() map[string]string { // by action, the objects
		t.Helper()
		b.open("/log")
		of := map[string]string{}
		for _, line := range eval[[]string](b, `[...document.querySelectorAll("[aria-label=Log] tbody tr")].map((x) =>
			x.cells[3].innerText + "\n" + x.cells[4].innerText.replace(/\s+/g, " ") + "\n")`) {
			action, object, _ := strings.Cut(line, "\n")
			of[action] += object
		}
		return of
	}
	got := lines()
	title := headline(f.Rule, f.Kind, f.Seat, f.Expected, f.Observed)
	about := fmt.Sprintf("%s %s%s %s, %s", f.Severity, title, f.Rule, f.TableID, f.At.In(c.Law.Calendar.Zone).
		Format("Mon 2 Jan 15:04:05"))
	day, shift := c.Law.Calendar.Of(c.Now().UnixNano())
	for action, want := range map[string][]string{
		"escalate":         {about, gone.ID + " not stored any more"},
		"case-open":        {"A disputed payment\n"},
		"case-add":         {"A disputed payment " + about},
		"case-remove":      {"A disputed payment " + about},
		"view-patron":      {"patron " + short(patron) + "\n"},
		"replay":           {"shoe " + f.ShoeID + "\n"},
		"hand-over-accept": {strings.TrimSpace("hand-over "+day+" "+shift) + "\n"},
		"unmask":           {fmt.Sprintf("round %d of shoe %s\n", rounds[0].Round, rounds[0].ShoeID)},
		"kiosk-issue":      {"kiosk north wall\n"},
		"chain":            {"this log\n"},
	} {
		for _, text := range want {
			if !strings.Contains(strings.ReplaceAll(got[action], title+" "+f.Rule, title+f.Rule), text) {
				t.Errorf("%s is about %q, want %q", action, got[action], text)
			}
		}
	}
	text := eval[string](b, "document.querySelector('[aria-label=Log] tbody').innerText")
	if strings.Contains(text, f.ID) || strings.Contains(text, cases[0].ID) || !strings.Contains(text, "another table") {
		t.Errorf("the log has ids of what is stored, or not the reason: %s", text)
	}
	const links = "[...document.querySelectorAll('.object a')].map((a) => a.getAttribute('href'))"
	for _, to := range eval[[]string](b, links) {
		if code, _ := send(t, "GET", c.url+to, "", "Cookie", eve); code != 200 {
			t.Errorf("%s, linked from the log, is %d", to, code)
		}
	}
	// An administrator may not read cases.
	if _, page := send(t, "GET", c.url+"/log", "", "Cookie", root); strings.Contains(page, "/cases/") ||
		!strings.Contains(page, "case "+cases[0].ID) {
		t.Error("an administrator, who has no cases, has links to them")
	}
	if err := s.Conn().Exec(t.Context(), "RENAME TABLE "+s.Table("findings")+" TO "+s.Table("away")); err != nil {
		t.Fatal(err)
	}
	got = lines()
	if text := got["escalate"]; !strings.Contains(text, f.ID) || strings.Contains(text, "not stored any more") {
		t.Errorf("without the table of findings, escalate is about %q", text)
	}
	b.shows("main .note")
	b.quiet()
}
