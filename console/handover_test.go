//go:build unix

package console

import (
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/console/store"
)

// A hand-over freezes what is open, and is accepted by another person than the one who signed it.
func TestHandOver(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	newTestFloor(t, s.Store).play(planted(t, "ac-1", "t-01", "draw.banker.must-stay"))
	access := Access{}
	ann, again := personal(&access, "ann", "ann", "operator"), personal(&access, "ann-2", "ann", "supervisor")
	bob := personal(&access, "bob", "bob", "operator")
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	out := openBrowser(t, c.url, 1440, 900)
	out.signInWith(ann)
	out.open("/handover")
	eval[int](out, "(() => { document.querySelector('[name=note]').value = 'watch t-01'; return 0; })()")
	out.click("form[action='/handover'] button")
	out.await("location.pathname.startsWith('/handovers/ac-1/')")
	path := eval[string](out, "location.pathname")
	if eval[bool](out, "document.querySelector('#accept') != null") {
		t.Error("the person who signed has a button to accept")
	}

	// What happens later does not change what was handed over.
	all := store.Scope{All: true}
	open, err := s.Open(t.Context(), all, store.Filter{Severity: "critical"})
	if err != nil || len(open) != 1 {
		t.Fatal(len(open), err)
	}
	later := store.Triage{IDs: []string{open[0].ID}, Actor: "bob", Action: store.Escalate}
	if _, err := s.Apply(t.Context(), all, later); err != nil {
		t.Fatal(err)
	}
	for name, secret := range map[string]string{"the same person": again, "ann": ann} {
		if code, body := send(t, "POST", c.url+path, "", "Cookie", cookieOf(t, c, "token="+secret)); code != 400 {
			t.Errorf("%s accepts: %d %.300s", name, code, body)
		}
	}
	if code, _ := send(t, "POST", c.url+path, "", "Authorization", "Bearer "+bob); code != 400 {
		t.Errorf("a program accepts: %d", code)
	}
	in := openBrowser(t, c.url, 1440, 900)
	in.signInWith(bob)
	in.open("/handover")
	in.click(".log a[href^='/handovers/']")
	in.await("document.readyState == 'complete' && document.querySelector('#accept') != null")
	text := eval[string](in, "document.querySelector('main').innerText")
	for _, want := range []string{open[0].Rule, "watch t-01", "not yet", "SHA-256"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page of the hand-over lacks %q: %s", want, text)
		}
	}
	state := eval[string](in, "document.querySelector('[aria-label=\"Open findings\"] .state').textContent")
	if state != "new" {
		t.Errorf("the frozen finding has the state %q", state)
	}
	in.click("#accept")
	in.await("document.querySelector('#accepted b') && document.querySelector('#accepted b').textContent == 'bob'")
	in.screenshot("handover")
	in.quiet()
	in.paper("the hand-over")
	accepted := store.EntryQuery{Actor: "bob", Action: "hand-over-accept"}
	if entries, err := s.Entries(t.Context(), all, accepted); err != nil || len(entries) != 1 {
		t.Errorf("%d lines of the log for the acceptance, %v", len(entries), err)
	}
}
