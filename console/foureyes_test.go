//go:build unix

package console

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/internal/testkit"
)

// visitor is one way in which a person or a program comes to a console.
type visitor struct {
	name string
	// step sends an action of triage and returns the status.
	step   func(id, action string) int
	person string // who it is in truth
	issuer string // bearer for programs
}

// visitors signs in everyone in every mode, to consoles with one database.
func visitors(t *testing.T, s *store.Store, people map[string][]Account) (all []visitor) {
	t.Helper()
	provider := newProvider(t)
	access := Access{
		Groups: map[string][]Grant{"surveillance": {{"supervisor", []string{"*"}}}}, People: people,
		Programs: []Account{{ByProxy, "robot"}},
	}
	for p, accounts := range people {
		for i, a := range accounts {
			if a.Issuer == "oidc" {
				people[p][i].Issuer = provider.URL
			}
		}
	}
	tokens := map[string]string{}
	for _, x := range []struct{ name, person string }{
		{"ann-laptop", "ann"}, {"ann-laptop-2", "ann"}, {"ann-api", ""}, {"bob-laptop", "bob"}, {"bob-api", ""},
	} {
		tokens[x.name] = personal(&access, x.name, x.person, "supervisor")
	}
	secret := strings.Repeat("s", 32)
	open := func(mode string) *served {
		return still(t, s, func(o *Options) {
			o.SignIn, o.Access = mode, access
			o.Proxy = Proxy{From: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Secret: secret}
			o.OIDC = OIDC{Issuer: provider.URL, ClientID: "console", Name: "preferred_username", Groups: "groups"}
		})
	}
	add := func(c *served, name, person, issuer string, header ...string) {
		all = append(all, visitor{name, func(id, action string) int {
			c.resetLimits()
			body := fmt.Sprintf(`{"step":%q,"disposition":"duplicate","reason":"x"}`, action)
			code, _ := send(t, "POST", c.url+"/api/v1/findings/"+id+"/steps", body, header...)
			return code
		}, person, issuer})
	}
	byToken := open(ByToken)
	for name, token := range tokens {
		person, _, _ := strings.Cut(name, "-")
		add(byToken, "the API token "+name, person, "bearer", "Authorization", "Bearer "+token)
		issuer := ByToken
		if strings.HasSuffix(name, "-api") {
			issuer = "bearer"
		}
		add(byToken, "a browser with the token "+name, person, issuer, "Cookie", cookieOf(t, byToken, "token="+token))
	}
	byProxy := open(ByProxy)
	for _, name := range []string{
		"ann", "ANN", "Ann", "ａｎｎ", "ann\u200b", "a\u00adnn", "\u202eann", "ann\u2060", "аnn", "ann\u034f", "ann\u00a0",
		"\u115fann", "ann\ufe0f", "ann\u2800", "ann\u3164", "ann\xff", "ⓐnn", "𝒂nn", "ann\U000e0061",
	} {
		add(byProxy, fmt.Sprintf("the proxy's user %+q", name), "ann", ByProxy, proxied(name, "surveillance", secret)...)
	}
	add(byProxy, "the proxy's user bob", "bob", ByProxy, proxied("bob", "surveillance", secret)...)
	add(byProxy, "the proxy's program", "robot", ByProxy, proxied("Robot", "surveillance", secret)...)
	byOIDC := open(ByOIDC)
	for _, x := range []struct{ subject, name string }{
		{"1", "ann"}, {"1", "ANN"}, {"1", "bob"}, {"2", "bob"}, {"2", "ann"},
	} {
		provider.forge = func(m map[string]any) { m["sub"], m["preferred_username"] = x.subject, x.name }
		person := map[string]string{"1": "ann", "2": "bob"}[x.subject]
		add(byOIDC, "subject "+x.subject+" named "+x.name, person, "oidc", "Cookie", oidcCookie(t, byOIDC))
	}
	byChoice := open(ByChoice)
	for _, name := range []string{"ann", "bob"} {
		add(byChoice, "the role of a supervisor as "+name, "ann", ByChoice, "Cookie",
			cookieOf(t, byChoice, "role=supervisor&name="+name))
	}
	return all
}

// cookieOf signs in by a form and returns the cookie.
func cookieOf(t *testing.T, c *served, form string) string {
	t.Helper()
	c.resetLimits()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	values, err := url.ParseQuery(form)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	resp, err := client.PostForm(c.url+"/sign-in", values)
	return cookieIn(t, c, jar, resp, err)
}

// oidcCookie signs in at the identity provider and returns the cookie.
func oidcCookie(t *testing.T, c *served) string {
	t.Helper()
	c.resetLimits()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := toProvider(t, c, jar, "")
	return cookieIn(t, c, jar, resp, err)
}

// toProvider follows the link of the sign-in page to the identity provider and back.
func toProvider(t *testing.T, c *served, jar http.CookieJar, more string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url+"/sign-in/oidc?next=/help"+more, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	client := http.Client{Jar: jar}
	return client.Do(req)
}

func cookieIn(t *testing.T, c *served, jar http.CookieJar, resp *http.Response, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	at, err := url.Parse(c.url)
	if err != nil || len(jar.Cookies(at)) != 1 {
		t.Fatalf("sign-in: %s, %v", resp.Status, err)
	}
	return jar.Cookies(at)[0].String()
}

// twoPeople reports whether the console can know that two visitors are two people.
func twoPeople(a, b visitor, linked bool) bool {
	authenticated := func(v visitor) bool { return v.issuer != ByChoice && v.person != "robot" }
	if a.person == b.person || !authenticated(a) || !authenticated(b) || a.issuer == "bearer" || b.issuer == "bearer" {
		return false
	}
	return a.issuer == b.issuer || linked
}

// One person does not close a critical finding alone, whichever way the person signs in and whichever name it has
// there. Two people do, where the console can know that they are two. The short form tries every fourth pair; each
// visitor requests and confirms in it.
func TestFourEyes(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	newTestFloor(t, s.Store).play(planted(t, "ac-1", "t-01", "draw.banker.must-stay"))
	open, err := s.Open(t.Context(), store.Scope{All: true}, store.Filter{Severity: "critical"})
	if err != nil || len(open) == 0 {
		t.Fatalf("%d critical findings, %v", len(open), err)
	}
	id := open[0].ID
	linked := map[string][]Account{
		"ann": {{ByProxy, "ann"}, {"oidc", "1"}}, "bob": {{ByProxy, "bob"}, {"oidc", "2"}},
	}
	for _, x := range []struct {
		name   string
		people map[string][]Account
	}{{"without links", nil}, {"with links", linked}} {
		t.Run(x.name, func(t *testing.T) {
			all := visitors(t, s, x.people)
			var clean visitor // to bring the finding back
			for _, v := range all {
				if v.issuer == ByProxy && v.person == "bob" {
					clean = v
				}
			}
			must := func(v visitor, action string) {
				t.Helper()
				if code := v.step(id, action); code != 200 {
					t.Fatalf("%s by %s: %d", action, v.name, code)
				}
			}
			// Disguises of a proxy's user that are refused at the door make no pair.
			everyone := len(all)
			all = slices.DeleteFunc(all, func(v visitor) bool {
				return v.issuer == ByProxy && strings.Contains(v.name, `\`) && v.step(id, "note") == 401
			})
			refused, allowed := everyone*everyone-len(all)*len(all), 0
			// The short form takes one pair in 16, and each pair of ways to sign in, of one person and of two.
			type class struct {
				requester, confirmer string
				one                  bool
			}
			tried := map[class]bool{}
			for i, a := range all {
				must(a, "close")
				for j, b := range all {
					c := class{a.issuer, b.issuer, a.person == b.person}
					if (i+j)%testkit.Soak(16, 1) != 0 && tried[c] {
						continue
					}
					tried[c] = true
					code, two := b.step(id, "confirm"), twoPeople(a, b, x.people != nil)
					if closed := code == 200; closed != two {
						t.Errorf("%s requests, %s confirms: %d, want closed %v", a.name, b.name, code, two)
					}
					if code != 200 {
						refused++
						continue
					}
					allowed++
					must(clean, "reopen")
					must(a, "close")
				}
				must(clean, "reject")
			}
			t.Logf("%d pairs: %d of two people closed the finding, %d were refused", everyone*everyone, allowed, refused)
			if allowed == 0 {
				t.Error("no two people could close the finding: the test has no effect")
			}
		})
	}
}

// The secret of one token never has the rights of another, whatever their names.
func TestSessionIsBoundToItsToken(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	access := Access{}
	viewer := personal(&access, "wall", "", "viewer")
	_ = personal(&access, "wall", "", "supervisor")
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	cookie := cookieOf(t, c, "token="+viewer)
	if code, _ := send(t, "GET", c.url+"/queue", "", "Cookie", cookie); code != 200 {
		t.Errorf("the queue for a viewer: %d", code)
	}
	if code, _ := send(t, "GET", c.url+"/exports", "", "Cookie", cookie); code != 403 {
		t.Errorf("the exports for a viewer: %d, want 403", code)
	}
}
