//go:build unix

package console

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/console/store"
)

// A hand-over freezes what is open at its property, and is accepted by another person than the one who signed it. The
// console log has its digest.
func TestHandOver(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	floor := newTestFloor(t, s.Store)
	floor.play(planted(t, "ac-1", "t-01", "draw.banker.must-stay"))
	floor.play(planted(t, "ac-2", "there-1", "vig.amount.under"))
	access := Access{}
	ann, again := personal(&access, "ann", "ann", "operator"), personal(&access, "ann-2", "ann", "supervisor")
	bob := personal(&access, "bob", "bob", "operator")
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	all := store.Scope{All: true}
	open, err := s.Open(t.Context(), all, store.Filter{Severity: "critical"})
	if err != nil || len(open) != 1 {
		t.Fatal(len(open), err)
	}
	before := store.Triage{IDs: []string{open[0].ID}, Actor: "ann", Action: store.Note, Note: "asked the pit"}
	if _, err := s.Apply(t.Context(), all, before); err != nil {
		t.Fatal(err)
	}
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

	// What happens later does not change what was handed over. An action names what its finding is about.
	const acts = "document.querySelector('[aria-label=Actions] tbody').innerText"
	title := headline(open[0].Rule, open[0].Kind, open[0].Seat, open[0].Expected, open[0].Observed)
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
	text := eval[string](in, acts)
	if !strings.Contains(text, "escalate") || strings.Count(text, title) != 1 {
		t.Errorf("the actions are %q, want one about %q", text, title)
	}
	in.click(".log a[href^='/handovers/']")
	in.await("document.querySelector('#accept') != null")
	if text := eval[string](in, acts); strings.Contains(text, "escalate") || strings.Count(text, title) != 1 {
		t.Errorf("the actions of the hand-over are %q, want one about %q", text, title)
	}
	text = eval[string](in, "document.querySelector('main').innerText")
	for _, want := range []string{open[0].Rule, "watch t-01", "not yet", "SHA-256"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page of the hand-over lacks %q: %s", want, text)
		}
	}
	if strings.Contains(text, "there-1") {
		t.Errorf("the hand-over has a finding of another property: %s", text)
	}
	frozen, err := s.Handover(t.Context(), all, "ac-1", path[strings.LastIndex(path, "/")+1:])
	if err != nil || len(frozen) != 1 {
		t.Fatal(len(frozen), err)
	}
	digest := fmt.Sprintf("%x", sha256.Sum256([]byte(frozen[0].Snapshot)))
	logged, err := s.Entries(t.Context(), all, store.EntryQuery{Actor: "ann", Action: "hand-over"})
	if err != nil || len(logged) != 1 || !strings.Contains(logged[0].Detail, digest) || !strings.Contains(text, digest) {
		t.Errorf("the digest of what was handed over is %s; log %+v, %v, page %s", digest, logged, err, text)
	}
	state := eval[string](in, "document.querySelector('[aria-label=\"Open findings\"] .state').textContent")
	if state != "new" {
		t.Errorf("the frozen finding has the state %q", state)
	}
	in.click("#accept")
	in.await("document.querySelector('#accepted b') && document.querySelector('#accepted b').textContent == 'bob'")
	in.screenshot("handover")
	eval[int](in, "(() => { window.print = () => { window.printed = true; }; return 0; })()")
	in.click("[data-print]")
	in.await("window.printed")
	in.quiet()
	in.paper("the hand-over")
	accepted := store.EntryQuery{Actor: "bob", Action: "hand-over-accept"}
	if entries, err := s.Entries(t.Context(), all, accepted); err != nil || len(entries) != 1 {
		t.Errorf("%d lines of the log for the acceptance, %v", len(entries), err)
	}
}
