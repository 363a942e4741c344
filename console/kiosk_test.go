//go:build unix

package console

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/internal/testkit"

	"github.com/chromedp/chromedp"
)

// A screen with a key shows the wall of its property and nothing else, without an idle limit, until the key is revoked.
// The log has the hash of the key only. An administrator of another property neither sees nor revokes it.
func TestKiosk(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "here-1", 1, 1)
	fill(t, s, "there-2", 1, 0)
	access := Access{}
	in := time.Now().Add(100 * time.Hour)
	admin := secretOf(&access, "root", "admin", "here-1", in)
	other := secretOf(&access, "other", "admin", "there-2", in)
	var ahead atomic.Int64
	c := serve(t, s, func(o *Options) {
		o.SignIn, o.Access, o.Now = ByToken, access, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	issue := func(secret, form string, want int) string {
		t.Helper()
		code, body := send(t, "POST", c.url+"/kiosks", form, "Authorization", "Bearer "+secret)
		if code != want {
			t.Fatalf("issue %s: %d, want %d", form, code, want)
		}
		key := regexp.MustCompile(`<code class="mono">(\w{52})</code>`).FindStringSubmatch(body)
		if want == http.StatusOK && key == nil {
			t.Fatalf("no key:\n%s", body)
		}
		if key == nil {
			return ""
		}
		return key[1]
	}
	key := issue(admin, "name=pit+wall&property=here-1&days=30", 200)
	far := issue(admin, "name=elsewhere&property=here-1&days=30&from=192.0.2.0/24", 200)
	issue(admin, "name="+strings.Repeat("%3C", 64)+"&property=here-1&days=30&from=192.0.2.1", 200)
	if all, err := c.kiosks(t.Context()); err != nil || len(all) != 3 {
		t.Errorf("%d kiosks are in force, want 3: %v", len(all), err)
	}
	issue(admin, "name=x&property=there-2&days=30", 403)
	issue(admin, "name=x&property=here-1&days=999", 400)
	issue(admin, "name=x&property=here-1&days=3&from=nowhere", 400)
	enrol := func(key string) (int, string) {
		t.Helper()
		client := http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		resp, err := client.PostForm(c.url+"/kiosk", url.Values{"key": {key}})
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		for _, cookie := range resp.Cookies() {
			lasts := cookie.Expires.After(time.Now().AddDate(0, 0, 29))
			if cookie.Name == "shoeproof-kiosk" && cookie.HttpOnly && cookie.SameSite == http.SameSiteLaxMode && lasts {
				return resp.StatusCode, cookie.Name + "=" + cookie.Value
			}
		}
		return resp.StatusCode, ""
	}
	for _, wrong := range []string{"", "guess", far} { // far is for another network
		if code, cookie := enrol(wrong); code != 401 || cookie != "" {
			t.Errorf("enrolling with %q: %d %s", wrong, code, cookie)
		}
	}
	code, cookie := enrol(key)
	if code != 303 || cookie == "" {
		t.Fatalf("enrolling: %d %q", code, cookie)
	}
	get := func(path string) (int, string) {
		t.Helper()
		return send(t, "GET", c.url+path, "", "Cookie", cookie)
	}
	for _, path := range []string{"/floor?wall=1", "/floor"} {
		code, body := get(path)
		if code != 200 || !strings.Contains(body, "wallgrid") || !strings.Contains(body, "mb-01") ||
			strings.Contains(body, "there-2") || strings.Contains(body, `aria-label="Pages"`) {
			t.Errorf("%s for a kiosk: %d", path, code)
		}
	}
	if code, body := get("/"); code != 303 || !strings.Contains(body, `href="/floor?wall=1"`) {
		t.Errorf("the home of a kiosk: %d, %s, want the wall", code, body)
	}
	for _, r := range routes() {
		if r.public || r.kiosk {
			continue
		}
		path := variable.ReplaceAllString(r.path, "x")
		if code, _ := send(t, r.method, c.url+path, "", "Cookie", cookie); code != 403 {
			t.Errorf("%s %s for a kiosk: %d, want 403", r.method, path, code)
		}
		c.resetLimits()
	}
	ahead.Store(int64(20 * time.Hour))
	if code, _ := get("/floor"); code != 200 {
		t.Errorf("after 20 hours: %d", code)
	}
	answers := func(want int) { // the grants are read again within two seconds
		t.Helper()
		testkit.Await(t, fmt.Sprintf("the answer %d to a kiosk", want), func() bool {
			code, _ := get("/floor")
			return code == want
		})
	}
	ahead.Store(int64(31 * 24 * time.Hour))
	answers(401)
	ahead.Store(0)
	c.volatile.clear() // what was read then is not old yet
	answers(200)
	lines, err := s.Entries(t.Context(), store.Scope{All: true}, store.EntryQuery{Action: kioskIssue})
	if err != nil || len(lines) != 3 || strings.Contains(lines[2].Detail, key) {
		t.Fatalf("%d lines of issued kiosks, %v", len(lines), err)
	}

	// The wall runs in a browser without a session, and says so when the key is revoked.
	b := openBrowser(t, c.url, 1920, 1080)
	b.open("/kiosk")
	b.screenshot("kiosk-sign-in")
	b.do(chromedp.SendKeys(chromedp.CSS("input[name=key]"), key))
	b.click(".door button")
	b.await("document.querySelectorAll('.wallgrid .tile').length > 0")
	b.await("document.querySelector('#link').textContent.trim() == 'live'")
	b.screenshot("kiosk")
	id := lines[2].Object
	for secret, want := range map[string]int{other: 404, admin: 303} {
		if secret == other {
			if _, body := send(t, "GET", c.url+"/sessions", "", "Authorization", "Bearer "+other); strings.Contains(body, id) {
				t.Error("an administrator of another property sees the kiosk")
			}
		}
		code, _ := send(t, "POST", c.url+"/kiosks/revoke", "id="+id, "Authorization", "Bearer "+secret)
		if code != want {
			t.Errorf("revoke: %d, want %d", code, want)
		}
	}
	answers(401)
	b.await("document.querySelector('#stale').innerText.startsWith('You are signed out')")
	if code, _ := enrol(key); code != 401 {
		t.Errorf("enrolling with a revoked key: %d", code)
	}
}

// Who may write to the console log, and has no console, cannot grant a screen: the grant must be a link of a chain.
func TestForgedKiosk(t *testing.T) {
	s := emptyStore(t)
	c := serve(t, s, nil)
	key := strings.Repeat("K", 52)
	sum := sha256.Sum256([]byte(key))
	insert(t, s, "console_log", "property_id, at, actor, action, object, detail",
		"ac-1", time.Now(), "root", kioskIssue, "k", fmt.Sprintf(`{"name":"wall","sha256":"%x","from":"","expires":"2999-01-01T00:00:00Z"}`, sum))
	if code, _ := send(t, "POST", c.url+"/kiosk", "key="+key); code != 401 {
		t.Errorf("a forged grant: %d, want 401", code)
	}
}

// The limit of kiosks is of a property, the page of sessions lists those in scope only, and an administrator of one
// property can neither use up the limit of another nor see it.
func TestKiosksOfAProperty(t *testing.T) {
	s := emptyStore(t)
	access := Access{}
	in := time.Now().Add(time.Hour)
	here := secretOf(&access, "here", "admin", "here-1", in)
	there := secretOf(&access, "there", "admin", "there-2", in)
	root := secretOf(&access, "root", "admin", "*", in)
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	post := func(secret, path, form string) int {
		t.Helper()
		c.resetLimits()
		code, _ := send(t, "POST", c.url+path, form, "Authorization", "Bearer "+secret)
		return code
	}
	issue := func(secret, property, name string) int {
		t.Helper()
		return post(secret, "/kiosks", "days=3&property="+property+"&name="+name)
	}
	for i := range maxKiosks {
		if code := issue(here, "here-1", fmt.Sprintf("wall-%d", i)); code != 200 {
			t.Fatalf("kiosk %d: %d", i, code)
		}
	}
	if code := issue(here, "here-1", "more"); code != 400 {
		t.Errorf("kiosk %d of a property: %d, want 400", maxKiosks+1, code)
	}
	if code := issue(root, "there-2", "lobby"); code != 200 {
		t.Errorf("the first kiosk of another property: %d, want 200", code)
	}
	if code := issue(there, "here-1", "wall-x"); code != 403 {
		t.Errorf("a kiosk of a foreign property: %d, want 403", code)
	}
	for secret, want := range map[string]int{here: maxKiosks, there: 0} {
		_, body := send(t, "GET", c.url+"/sessions", "", "Authorization", "Bearer "+secret)
		names := regexp.MustCompile(`\bwall-\d+\b`).FindAllString(body, -1)
		slices.Sort(names)
		if got := len(slices.Compact(names)); got != want || strings.Contains(body, "lobby") != (secret == there) {
			t.Errorf("the page lists %d kiosks of the first property, want %d", got, want)
		}
	}
	// After one is revoked there is a place again.
	issued := store.EntryQuery{Action: kioskIssue, Property: "here-1"}
	lines, err := s.Entries(t.Context(), store.Scope{All: true}, issued)
	if err != nil || len(lines) != maxKiosks {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	if code := post(there, "/kiosks/revoke", "id="+lines[0].Object); code != 404 {
		t.Errorf("revoking a kiosk of another property: %d, want 404", code)
	}
	if code := post(here, "/kiosks/revoke", "id="+lines[0].Object); code != 303 {
		t.Errorf("revoking: %d, want 303", code)
	}
	if code := issue(here, "here-1", "again"); code != 200 {
		t.Errorf("a kiosk in the place of a revoked one: %d, want 200", code)
	}
}
