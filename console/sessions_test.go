//go:build unix

package console

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/internal/testkit"
)

// sessionOf signs in by token and returns the cookie of the session.
func sessionOf(t *testing.T, c *served, secret string) string {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.PostForm(c.url+"/sign-in", url.Values{"token": {secret}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	for _, cookie := range resp.Cookies() {
		return cookie.Name + "=" + cookie.Value
	}
	t.Fatalf("no cookie: %s", resp.Status)
	return ""
}

// An administrator sees who is signed in, and ends a session, which has no rights from then on; one of a property
// neither sees nor ends the session of a user of another.
func TestSessionsAreEnded(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	access := Access{}
	in := time.Now().Add(time.Hour)
	admin := secretOf(&access, "root", "admin", "*", in)
	local := secretOf(&access, "local", "admin", "here-1", in)
	secretOp := secretOf(&access, "ann", "operator", "there-2", in)
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	boss, other, ann := sessionOf(t, c, admin), sessionOf(t, c, local), sessionOf(t, c, secretOp)
	if _, body := send(t, "GET", c.url+"/sessions", "", "Cookie", other); strings.Contains(body, ">ann") {
		t.Error("an administrator of another property sees the session")
	}
	_, body := send(t, "GET", c.url+"/sessions", "", "Cookie", boss)
	row := regexp.MustCompile(`(?s)<td>ann.*?name="id" value="([^"]+)"`).FindStringSubmatch(body)
	if row == nil || !strings.Contains(body, "127.0.0.1") || !strings.Contains(body, "this session") {
		t.Fatalf("the page lacks a session:\n%s", body)
	}
	end := "id=" + row[1]
	for name, x := range map[string]struct {
		cookie string
		want   int
	}{"an operator": {ann, 403}, "another property": {other, 404}} {
		if code, _ := send(t, "POST", c.url+"/sessions/end", end, "Cookie", x.cookie); code != x.want {
			t.Errorf("%s ends it: %d, want %d", name, code, x.want)
		}
	}
	if code, _ := send(t, "GET", c.url+"/queue", "", "Cookie", ann); code != 200 {
		t.Fatalf("the session before: %d", code)
	}
	if code, _ := send(t, "POST", c.url+"/sessions/end", end, "Cookie", boss); code != 303 {
		t.Errorf("ending it: %d", code)
	}
	if code, _ := send(t, "GET", c.url+"/queue", "", "Cookie", ann); code == 200 {
		t.Error("the session has rights after its end")
	}
	entries, err := s.Entries(t.Context(), store.Scope{All: true}, store.EntryQuery{Actor: "root", Action: "end-session"})
	if err != nil || len(entries) != 1 || entries[0].Detail != "ann" {
		t.Errorf("log: %+v, %v", entries, err)
	}
}

// A group that the provider takes away is gone within minutes; a refused refresh token ends the session; a provider
// that fails leaves a session its groups for an hour, and one without a refresh token too.
func TestGroupsAreReadAgain(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	p := newProvider(t)
	var answer atomic.Pointer[func() ([]string, bool)]
	set := func(f func() ([]string, bool)) { answer.Store(&f) }
	p.refresh = func() ([]string, bool) { return (*answer.Load())() }
	var ahead atomic.Int64
	c := serve(t, s, func(o *Options) {
		o.SignIn = ByOIDC
		o.OIDC = OIDC{Issuer: p.URL, ClientID: "console", ClientSecret: "x", Name: "preferred_username", Groups: "groups"}
		o.Access = Access{Groups: map[string][]Grant{"surveillance": {{"operator", []string{"*"}}}}}
		o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	p.forge = func(m map[string]any) { // the console's clock decides
		m["exp"], m["iat"] = c.Now().Add(time.Hour).Unix(), c.Now().Unix()
	}
	status := func(cookie string) int {
		code, _ := send(t, "GET", c.url+"/help", "", "Cookie", cookie)
		return code
	}
	wait := func(name, cookie string, want int) {
		t.Helper()
		testkit.Await(t, fmt.Sprintf("%s: the status %d", name, want), func() bool { return status(cookie) == want })
	}
	pass := func(d time.Duration) { ahead.Add(int64(d)) }
	for name, x := range map[string]struct {
		answer func() ([]string, bool)
		want   int
	}{
		"the group is gone":  {func() ([]string, bool) { return []string{"cooks"}, true }, 401},
		"refused":            {func() ([]string, bool) { return nil, false }, 401},
		"the group is there": {func() ([]string, bool) { return []string{"surveillance"}, true }, 200},
	} {
		set(x.answer)
		cookie := oidcCookie(t, c)
		if code := status(cookie); code != 200 {
			t.Fatalf("%s: signed in: %d", name, code)
		}
		pass(groupsFresh + time.Minute)
		status(cookie)
		if x.want == 200 {
			time.Sleep(100 * time.Millisecond)
		}
		wait(name, cookie, x.want)
	}
	set(func() ([]string, bool) { return []string{"surveillance"}, true })
	cookie := oidcCookie(t, c)
	p.CloseClientConnections()
	_ = p.Listener.Close() // the provider is gone
	for range 5 {
		pass(10 * time.Minute)
		if code := status(cookie); code != 200 {
			t.Fatalf("the provider is gone: %d", code)
		}
	}
	pass(12 * time.Minute)
	if code := status(cookie); code == 200 {
		t.Error("groups are accepted after an hour without the provider")
	}
}
