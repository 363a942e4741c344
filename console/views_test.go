//go:build unix

package console

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/shoeproof/shoeproof/console/store"
)

// A saved view belongs to a person: it is in another browser and at another replica, and no other person has it.
func TestSavedViews(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	newTestFloor(t, s.Store).play(planted(t, "ac-1", "live-07", "draw.banker.must-stay"))
	access := Access{}
	ann, again := personal(&access, "ann", "ann", "operator"), personal(&access, "ann-2", "ann", "viewer")
	bob := personal(&access, "bob", "bob", "operator")
	replica := func() *served { return serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access }) }
	c, other := replica(), replica()
	const saved = "[...document.querySelectorAll('.views form')].map((f) => f.elements.name.value).join()"

	b := openBrowser(t, c.url, 1440, 900)
	b.signInWith(ann)
	b.open("/queue?severity=critical&table=live-07&limit=7")
	b.do(chromedp.SendKeys(chromedp.CSS(".saveview [name=name]"), "My <b>pit</b>"))
	b.click(".saveview button")
	b.await(saved + " == 'My <b>pit</b>' && " +
		"document.querySelector('.views [aria-current]').textContent == 'My <b>pit</b>'")
	if at := eval[string](b, "location.search"); at != "?severity=critical&table=live-07" {
		t.Errorf("the saved view is %s", at)
	}
	b.screenshot("views")
	_, page := send(t, "GET", c.url+"/queue", "", "Cookie", cookieOf(t, c, "token="+bob))
	if !strings.Contains(page, "Suspicions") || strings.Contains(page, "My &lt;b&gt;pit") {
		t.Error("the queue of another person has the saved view")
	}
	elsewhere := openBrowser(t, other.url, 1440, 900)
	elsewhere.signInWith(again)
	elsewhere.open("/queue?state=closed")
	elsewhere.await(saved + " == 'My <b>pit</b>'")
	elsewhere.click(".views form button")
	elsewhere.await(saved + " == ''")
	b.quiet()
	elsewhere.quiet()

	cookie := cookieOf(t, c, "token="+bob)
	post := func(path, form string, want int) {
		t.Helper()
		if code, body := send(t, "POST", c.url+path, form, "Cookie", cookie); code != want {
			t.Errorf("%s %s: %d, want %d: %.300s", path, form, code, want, body)
		}
	}
	post("/views", "name=x&query=severity%3Dcritical", 303)
	post("/views", "name=x&query=severity%3Dmajor%26after%3D", 303)
	post("/views", "name=x&query=severity%3Dnonsense", 400)
	post("/views", "name=x&query=severty%3Dmajor", 400)
	post("/views", "name=x&query=", 400)
	post("/views", "name=&query=severity%3Dmajor", 400)
	post("/views", "name="+strings.Repeat("x", 41)+"&query=severity%3Dmajor", 400)
	post("/views/remove", "name=y", 404)
	views, err := s.Views(t.Context(), store.Who{Issuer: "token", Subject: "bob"})
	if err != nil || len(views) != 1 || views[0] != (store.View{Name: "x", Query: "severity=major"}) {
		t.Errorf("bob's views: %v, %v", views, err)
	}
	for i := 1; i < store.MaxViews; i++ {
		post("/views", fmt.Sprintf("name=v%d&query=severity%%3Dmajor", i), 303)
	}
	post("/views", "name=more&query=severity%3Dmajor", 400)
	post("/views", "name=x&query=severity%3Dminor", 303) // instead of the earlier one
	if code, page := send(t, "GET", c.url+"/queue", "", "Cookie", cookie); code != 200 ||
		!strings.Contains(page, `href="/queue?severity=minor">x</a>`) {
		t.Error("the views lack one that was saved again")
	}
	if others, err := s.Views(t.Context(), store.Who{Issuer: "oidc", Subject: "bob"}); err != nil || len(others) > 0 {
		t.Errorf("a bob of another issuer has the views %v, %v", others, err)
	}
	lines, err := s.Entries(t.Context(), store.Scope{All: true}, store.EntryQuery{Action: store.ViewSaved, Actor: "bob"})
	if err != nil || len(lines) != store.MaxViews+2 {
		t.Errorf("%d lines of the log for %d saved views, %v", len(lines), store.MaxViews+2, err)
	}
}
