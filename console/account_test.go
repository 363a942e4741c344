//go:build unix

package console

import (
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// providerConsole is a console with an identity provider.
func providerConsole(t *testing.T, change func(*Options)) (*served, *provider) {
	t.Helper()
	p := newProvider(t)
	return serve(t, emptyStore(t), func(o *Options) {
		o.SignIn = ByOIDC
		o.OIDC = OIDC{
			Issuer: p.URL, ClientID: "console", ClientSecret: "x", Name: "preferred_username", Groups: "groups",
			SecondFactor: []string{"mfa", "urn:two"},
		}
		o.Access = Access{Groups: map[string][]Grant{"surveillance": {{"operator", []string{"*"}}}}}
		if change != nil {
			change(o)
		}
	}), p
}

// A sign-in without a second factor is refused, and so is the answer of a provider that did not authenticate the user
// again. A link of another site begins no session.
func TestSecondFactor(t *testing.T) {
	c, p := providerConsole(t, nil)
	hourAgo := time.Now().Add(-time.Hour).Unix()
	for name, x := range map[string]struct {
		claims map[string]any
		more   string
		want   int
	}{
		"stated by amr":         {map[string]any{"amr": []string{"pwd", "mfa"}}, "", 200},
		"stated by acr":         {map[string]any{"acr": "urn:two"}, "", 200},
		"one factor":            {map[string]any{"amr": []string{"pwd"}, "acr": "urn:one"}, "", 401},
		"nothing stated":        {nil, "", 401},
		"another type":          {map[string]any{"amr": "mfa", "acr": []string{"urn:two"}}, "", 401},
		"again":                 {map[string]any{"acr": "urn:two", "auth_time": time.Now().Unix()}, "&again=1", 200},
		"again, a while ago":    {map[string]any{"acr": "urn:two", "auth_time": hourAgo}, "&again=1", 401},
		"again, nothing stated": {map[string]any{"acr": "urn:two"}, "&again=1", 401},
	} {
		c.resetLimits()
		p.forge = func(m map[string]any) {
			maps.Copy(m, x.claims)
		}
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := toProvider(t, c, jar, x.more)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != x.want {
			t.Errorf("%s: %s, want %d", name, resp.Status, x.want)
		}
	}
	p.challenge = ""
	for _, site := range []string{"", "cross-site", "same-site", "none"} {
		c.resetLimits()
		if code, _ := send(t, "GET", c.url+"/sign-in/oidc", "", "Sec-Fetch-Site", site); code != 303 || p.challenge != "" {
			t.Errorf("a navigation from %q: %d, challenge %q", site, code, p.challenge)
		}
	}
}

// A user sees and ends the own sessions, after a new sign-in, and no others. An account has a bounded number.
func TestOwnSessions(t *testing.T) {
	var ahead atomic.Int64
	access := Access{}
	in := time.Now().Add(48 * time.Hour)
	ann := secretOf(&access, "ann", "operator", "*", in)
	bob := secretOf(&access, "bob", "operator", "*", in)
	c := serve(t, emptyStore(t), func(o *Options) {
		o.SignIn, o.Access = ByToken, access
		o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	enter := func(secret string) string {
		t.Helper()
		return cookieOf(t, c, url.Values{"token": {secret}}.Encode())
	}
	page := func(cookie string) (int, string) {
		t.Helper()
		c.resetLimits()
		return send(t, "GET", c.url+"/account", "", "Cookie", cookie)
	}
	var cookies []string
	for range maxSessions + 2 {
		cookies = append(cookies, enter(ann))
		ahead.Add(int64(time.Second))
	}
	other := enter(bob)
	for i, cookie := range cookies {
		want := http.StatusOK
		if i < 2 {
			want = http.StatusUnauthorized
		}
		if code, _ := page(cookie); code != want {
			t.Errorf("session %d: %d, want %d", i, code, want)
		}
	}
	_, text := page(other)
	_, rest, _ := strings.Cut(text, `name="id" value="`)
	id, _, _ := strings.Cut(rest, `"`)
	last := cookies[len(cookies)-1]
	end := func(cookie, id string) (int, string) {
		t.Helper()
		c.resetLimits()
		return send(t, "POST", c.url+"/account/end", "id="+id, "Cookie", cookie)
	}
	if code, _ := end(last, id); code != http.StatusNotFound {
		t.Errorf("the session of another user: %d", code)
	}
	ahead.Add(int64(freshFor))
	if code, _ := end(last, "all"); code != http.StatusSeeOther {
		t.Errorf("without a new sign-in: %d", code)
	}
	if code, text := page(last); code != http.StatusOK || !strings.Contains(text, "sign in again") ||
		strings.Count(text, "End<span") != maxSessions {
		t.Errorf("%d, %d sessions", code, strings.Count(text, "End<span"))
	}
	fresh := enter(ann)
	if code, _ := end(fresh, "all"); code != http.StatusSeeOther {
		t.Errorf("after a new sign-in: %d", code)
	}
	for i, cookie := range append(cookies, fresh) {
		if code, _ := page(cookie); code != http.StatusUnauthorized {
			t.Errorf("session %d after all were ended: %d", i, code)
		}
	}
	if code, _ := page(other); code != http.StatusOK {
		t.Errorf("the session of another user: %d", code)
	}
}
