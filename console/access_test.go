//go:build unix

package console

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

var update = flag.Bool("update", false, "write docs/openapi.json")

// secretOf adds a token with a role at a property, and returns its secret.
func secretOf(a *Access, name, role, property string, expires time.Time) string {
	secret := rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(secret))
	a.Tokens = append(a.Tokens, Token{
		Name: name, SHA256: hex.EncodeToString(sum[:]), Expires: expires, Grants: []Grant{{role, []string{property}}},
	})
	return secret
}

// personal adds a token of a person, and returns its secret.
func personal(a *Access, name, person, role string) string {
	secret := secretOf(a, name, role, "*", time.Now().Add(time.Hour))
	a.Tokens[len(a.Tokens)-1].Person = person
	return secret
}

func send(t testing.TB, method, target, body string, header ...string) (int, string) {
	t.Helper()
	ctx := t.Context()
	req, err := http.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		return resp.StatusCode, ""
	}
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

var variable = regexp.MustCompile(`\{[^}]*\}`)

// Every route and method refuses requests without an identity, with a wrong identity and with an expired one.
func TestUnauthenticated(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	access := Access{}
	expired := secretOf(&access, "late", "supervisor", "*", time.Now().Add(-time.Second))
	viewer := secretOf(&access, "viewer", "viewer", "*", time.Now().Add(time.Hour))
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	if len(routes()) < 30 {
		t.Fatalf("%d routes", len(routes()))
	}
	// The public routes with their status. None of them returns data.
	open := map[string]int{
		"GET /sign-in": 200, "POST /sign-in": 401, "GET /sign-in/oidc": 404, "GET /sign-in/oidc/callback": 404,
		"POST /look": 303, "GET /kiosk": 200, "POST /kiosk": 401,
		"GET /static/{file}": 404, "GET /api/v1/openapi.json": 200,
		"POST /csp-report": 204, "GET /healthz": 200, "GET /readyz": 200,
	}
	for _, r := range routes() {
		path := c.url + strings.ReplaceAll(variable.ReplaceAllString(strings.TrimSuffix(r.path, "{$}"), "x"), "\n", "")
		want, public := open[r.method+" "+r.path]
		if public != r.public {
			t.Errorf("%s %s: public %v, want %v", r.method, r.path, r.public, public)
		}
		for who, header := range map[string][]string{
			"no identity":        nil,
			"a wrong token":      {"Authorization", "Bearer " + rand.Text()},
			"an expired token":   {"Authorization", "Bearer " + expired},
			"an unknown session": {"Cookie", "shoeproof=" + rand.Text()},
			"a proxy's header": {
				"X-Forwarded-User", "root", "X-Forwarded-Groups", "supervisors", "X-Shoeproof-Secret", "guess",
			},
			"a token in the query": {"X-Query", expired},
		} {
			c.resetLimits()
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"} {
				code, body := send(t, method, path, "token=x", header...)
				same := method == r.method || method == "HEAD" && r.method == "GET"
				switch {
				case public && same && method != "HEAD" && code != want:
					t.Errorf("%s %s for %s: %d, want %d", method, r.path, who, code, want)
				case !public && code < 400:
					t.Errorf("%s %s for %s: %d", method, r.path, who, code)
				case !public && same && code != http.StatusUnauthorized:
					t.Errorf("%s %s for %s: %d, want 401", method, r.path, who, code)
				case strings.Contains(body, "ac-1"):
					t.Errorf("%s %s for %s returns data", method, r.path, who)
				}
			}
		}
		// A viewer has the permission See only.
		if !r.public && r.needs != permSee {
			if code, _ := send(t, r.method, path, "", "Authorization", "Bearer "+viewer); code != http.StatusForbidden {
				t.Errorf("%s %s for a viewer: %d, want 403", r.method, r.path, code)
			}
		}
	}
}

// A page refuses a parameter that it does not have, as the API does: a mistyped filter must not look like an answer.
func TestUnknownParameters(t *testing.T) {
	t.Parallel()
	c := serve(t, emptyStore(t), nil)
	pages := 0
	for _, r := range pageRoutes() {
		if r.method != http.MethodGet || r.path == "/{$}" { // which only redirects
			continue
		}
		i := slices.IndexFunc(RoleNames(), func(role string) bool { return (&Grant{Role: role}).may(r.needs) })
		cookie := signedIn(t, c.url, RoleNames()[i])
		path := variable.ReplaceAllString(r.path, "x")
		for _, query := range []string{"nope=x", "nope=x&property=ac-1"} {
			c.resetLimits()
			if code, page := send(t, "GET", c.url+path+"?"+query, "", "Cookie", cookie); code != http.StatusBadRequest {
				t.Errorf("%s?%s is %d: %.100s", path, query, code, page)
			}
		}
		pages++
	}
	if pages < 30 {
		t.Errorf("%d pages", pages)
	}
}

// No page shows data of a property at which the user has no role.
func TestOtherProperty(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "here-1", 4, 1)
	fill(t, s, "there-2", 4, 1)
	access := Access{}
	secret := secretOf(&access, "ann", "supervisor", "here-1", time.Now().Add(time.Hour))
	auditor := secretOf(&access, "aud", "auditor", "here-1", time.Now().Add(time.Hour))
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	findings, err := s.Findings(t.Context(), store.Scope{Properties: []string{"there-2"}}, store.FindingQuery{})
	if err != nil || len(findings) == 0 {
		t.Fatalf("%d findings, %v", len(findings), err)
	}
	f := findings[0]
	for path, want := range map[string]int{
		"/queue": 200, "/floor": 200, "/dealers": 200, "/handover": 200, "/rates": 200, "/silences": 200,
		"/shelves": 200, "/queue?state=closed": 200, "/queue?property=there-2": 200,
		"/api/v1/queue": 200, "/api/v1/findings": 200, "/api/v1/floor": 200, "/api/v1/dealers": 200,
		"/exports/findings.csv": 200, "/findings/" + f.ID: 404, "/api/v1/findings/" + f.ID: 404,
		"/tables/there-2/" + f.TableID: 404, "/shoes/there-2/" + f.TableID + "/" + f.ShoeID: 404,
		"/dealers/there-2/" + f.DealerID: 404, "/search?q=" + f.ID: 400,
		roundPath("there-2", f.TableID, f.ShoeID, max(1, f.Round)): 404,
	} {
		code, body := send(t, "GET", c.url+path, "", "Authorization", "Bearer "+secret)
		if code != want {
			t.Errorf("%s: %d, want %d", path, code, want)
		}
		if strings.Contains(strings.ReplaceAll(body, "property=there-2", ""), "there-2</") ||
			strings.Contains(body, `"there-2"`) && !strings.Contains(path, "there-2") {
			t.Errorf("%s shows the other property", path)
		}
	}
	for _, body := range []string{"key=f:" + f.ID + "&step=acknowledge", "key=f:" + f.ID + "&step=note&note=x"} {
		if code, _ := send(t, "POST", c.url+"/triage", body, "Authorization", "Bearer "+secret); code != 404 {
			t.Errorf("%s: %d, want 404", body, code)
		}
	}
	for path, body := range map[string]string{
		"/silences": "property=there-2&rule=feed.gap&reason=x&hours=1",
		"/shelves":  "property=there-2&rule=feed.gap&reason=x&hours=1", "/handover": "property=there-2&note=x",
	} {
		if code, _ := send(t, "POST", c.url+path, body, "Authorization", "Bearer "+secret); code != 403 {
			t.Errorf("%s: %d, want 403", path, code)
		}
	}
	replay := "property=there-2&table=" + f.TableID + "&shoe=" + f.ShoeID
	if code, _ := send(t, "POST", c.url+"/replay", replay, "Authorization", "Bearer "+secret); code != 404 {
		t.Errorf("replay: %d, want 404", code)
	}
	events := c.url + "/findings/" + f.ID + "/events"
	if code, _ := send(t, "GET", events, "", "Authorization", "Bearer "+auditor); code != 404 {
		t.Errorf("events as received: %d, want 404", code)
	}
}

// Only the auditor's page of events identifies patrons, and each view of it is logged.
func TestPatronsAreMasked(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 10, 0)
	access := Access{}
	tokens := map[string]string{}
	for _, role := range RoleNames() {
		tokens[role] = secretOf(&access, role, role, "*", time.Now().Add(time.Hour))
	}
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	all, err := s.Findings(t.Context(), store.Scope{All: true}, store.FindingQuery{})
	if err != nil {
		t.Fatal(err)
	}
	seen := false
	for _, f := range all {
		_, named := send(t, "GET", c.url+"/findings/"+f.ID+"/events", "", "Authorization", "Bearer "+tokens["auditor"])
		refs := regexp.MustCompile(`patron_ref&#34;:&#34;([^&]+)&#34;`).FindAllStringSubmatch(named, -1)
		for role, token := range tokens {
			_, page := send(t, "GET", c.url+"/findings/"+f.ID, "", "Authorization", "Bearer "+token)
			for _, ref := range refs {
				seen = true
				if strings.Contains(page, ref[1]+"<") || strings.Contains(page, "patron_ref "+ref[1]) {
					t.Errorf("the page of %[2]s for %[1]s identifies %[3]s", role, f.Rule, ref[1])
				}
			}
		}
	}
	if !seen {
		t.Fatal("no event identifies a patron: the test has no effect")
	}
	entries, err := s.Entries(t.Context(), store.Scope{All: true}, store.EntryQuery{Actor: "auditor", Action: "unmask"})
	if err != nil || len(entries) != len(all) {
		t.Errorf("%d views are logged, %v, want %d", len(entries), err, len(all))
	}
}

// A request from another site is refused, even with a session.
func TestOtherSites(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	c := serve(t, s, nil)
	code, _ := send(t, "POST", c.url+"/sign-in", "role=supervisor", "Sec-Fetch-Site", "same-origin")
	if code != http.StatusSeeOther {
		t.Fatalf("sign-in: %d", code)
	}
	for _, r := range routes() {
		if r.method != http.MethodPost {
			continue
		}
		path := c.url + variable.ReplaceAllString(r.path, "x")
		for _, header := range [][]string{
			{"Sec-Fetch-Site", "cross-site"},
			{"Sec-Fetch-Site", "same-site"},
			{"Origin", "https://elsewhere.example"},
			{"Origin", "null"},
			{"Origin", "http://127.0.0.1:1"},
		} {
			if code, _ := send(t, "POST", path, "role=supervisor", header...); code != http.StatusForbidden {
				t.Errorf("POST %s with %v: %d, want 403", r.path, header, code)
			}
		}
	}
}

// A foreign name that resolves to this machine is refused (DNS rebinding).
func TestRebinding(t *testing.T) {
	t.Parallel()
	c := serve(t, emptyStore(t), nil)
	h, err := c.Handler()
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequest(http.MethodGet, "/sign-in", nil)
	req.Host = "evil.example:8480"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	if w.Code != http.StatusMisdirectedRequest {
		t.Errorf("%d, want 421", w.Code)
	}
}

// proxied returns the headers of a proxy; an empty value sends no header.
func proxied(user, groups, secret string) (header []string) {
	for name, value := range map[string]string{
		"X-Forwarded-User": user, "X-Forwarded-Groups": groups, "X-Shoeproof-Secret": secret,
	} {
		if value != "" {
			header = append(header, name, value)
		}
	}
	return header
}

func TestProxy(t *testing.T) {
	t.Parallel()
	forwarded := []string{"X-Forwarded-For", "10.0.0.1"}
	s := emptyStore(t)
	secret := strings.Repeat("s", 32)
	access := Access{Groups: map[string][]Grant{"surveillance": {{"operator", []string{"*"}}}}}
	for name, x := range map[string]struct {
		from   string
		header []string
		want   int
	}{
		"the proxy":         {"127.0.0.0/8", proxied("ann", "x,surveillance", secret), 200},
		"no secret":         {"127.0.0.0/8", proxied("ann", "surveillance", ""), 401},
		"a wrong secret":    {"127.0.0.0/8", proxied("ann", "surveillance", secret+"x"), 401},
		"another address":   {"10.0.0.0/8", proxied("ann", "surveillance", secret), 401},
		"an unknown group":  {"127.0.0.0/8", proxied("ann", "cooks", secret), 401},
		"no user":           {"127.0.0.0/8", proxied("", "surveillance", secret), 401},
		"a forwarded claim": {"10.0.0.0/8", append(proxied("ann", "surveillance", secret), forwarded...), 401},
	} {
		c := serve(t, s, func(o *Options) {
			o.SignIn, o.Access = ByProxy, access
			o.Proxy = Proxy{From: []netip.Prefix{netip.MustParsePrefix(x.from)}, Secret: secret}
		})
		if code, _ := send(t, "GET", c.url+"/queue", "", x.header...); code != x.want {
			t.Errorf("%s: %d, want %d", name, code, x.want)
		}
	}
}

// A session ends after a time without requests. The automatic refresh of a page does not count as a request.
func TestIdle(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	now := time.Now()
	c := serve(t, s, func(o *Options) { o.Now = func() time.Time { return now } })
	jar := signedIn(t, c.url, "operator")
	get := func(header ...string) int {
		code, _ := send(t, "GET", c.url+"/queue", "", append(header, "Cookie", jar)...)
		return code
	}
	if code := get(); code != 200 {
		t.Fatalf("signed in: %d", code)
	}
	now = now.Add(10 * time.Minute)
	if code := get("X-Refresh", "1"); code != 200 {
		t.Errorf("after 10 minutes: %d", code)
	}
	now = now.Add(6 * time.Minute)
	if code := get(); code != 401 {
		t.Errorf("after 16 minutes of refreshing: %d, want 401", code)
	}
}

// signedIn signs in with a role and returns the cookie.
func signedIn(t testing.TB, base, role string) string {
	t.Helper()
	return signedInAs(t, base, role, "", "")
}

// signedInAs signs in with a role under a name, from an address behind a proxy.
func signedInAs(t testing.TB, base, role, name, from string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/sign-in",
		strings.NewReader(url.Values{"role": {role}, "name": {name}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("X-Forwarded-For", from)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	i := slices.IndexFunc(resp.Cookies(), func(c *http.Cookie) bool { return c.Name == "shoeproof" })
	if i < 0 {
		t.Fatalf("no session: %s", resp.Status)
	}
	cookie := resp.Cookies()[i]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode {
		t.Errorf("the cookie is %v", cookie)
	}
	return cookie.Name + "=" + cookie.Value
}

// The server enforces the permissions of a role.
func TestRoles(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 10, 0)
	access := Access{}
	tokens := map[string]string{}
	for _, role := range RoleNames() {
		tokens[role] = personal(&access, role, role, role)
	}
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	open, err := s.Open(t.Context(), store.Scope{All: true}, store.Filter{})
	if err != nil || len(open) < 4 {
		t.Fatalf("%d open, %v", len(open), err)
	}
	step := func(role, id, body string) int {
		code, _ := send(t, "POST", c.url+"/api/v1/findings/"+id+"/steps", body, "Authorization", "Bearer "+tokens[role])
		return code
	}
	for _, role := range RoleNames() {
		want := 403
		if role == "operator" || role == "supervisor" {
			want = 200
		}
		if code := step(role, open[0].ID, `{"step":"note","note":"x"}`); code != want {
			t.Errorf("a note by %s: %d, want %d", role, code, want)
		}
	}
	critical := open[0]
	for _, x := range []struct {
		role, body string
		want       int
	}{
		{"operator", `{"step":"assign","owner":"somebody"}`, 403},
		{"operator", `{"step":"assign","owner":"me"}`, 200},
		{"operator", `{"step":"close","disposition":"duplicate"}`, 409},
		{"operator", `{"step":"close","disposition":"nonsense","reason":"x"}`, 409},
		{"operator", `{"step":"close","disposition":"duplicate","reason":"x","extra":1}`, 400},
		{"operator", `{"step":"close","disposition":"duplicate","reason":"x"}`, 200},
		{"operator", `{"step":"confirm"}`, 403},
		{"supervisor", `{"step":"reject"}`, 200},
		{"supervisor", `{"step":"close","disposition":"duplicate","reason":"x"}`, 200},
		{"supervisor", `{"step":"confirm"}`, 409}, // the requester cannot confirm
		{"operator", `{"step":"reopen","reason":"x"}`, 403},
	} {
		if code := step(x.role, critical.ID, x.body); code != x.want {
			t.Errorf("%s by %s: %d, want %d", x.body, x.role, code, x.want)
		}
	}
	entries, err := s.Entries(t.Context(), store.Scope{All: true}, store.EntryQuery{Actor: "operator", Action: "refused"})
	if err != nil || len(entries) == 0 {
		t.Errorf("refusals are not logged: %v", err)
	}
	// Every page succeeds for the roles that have its permission, and refuses the others.
	for _, role := range RoleNames() {
		id := Identity{Grants: []Grant{{role, []string{"*"}}}}
		for _, r := range routes() {
			if r.method != "GET" || r.public || r.path == "/live" || strings.Contains(r.path, "{property}") ||
				r.path == "/exports/surveillance-log.csv" { // needs parameters
				continue
			}
			path := strings.ReplaceAll(strings.TrimSuffix(r.path, "{$}"), "{id}", critical.ID)
			code, _ := send(t, "GET", c.url+path, "", "Authorization", "Bearer "+tokens[role])
			if may := id.May(r.needs); may && code >= 400 || !may && code != 403 {
				t.Errorf("%s for %s: %d", path, role, code)
			}
		}
	}
}

// The description of the API needs no sign-in, describes each route, and is docs/openapi.json. go test ./console
// -run TestOpenAPI -update writes that.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	c := serve(t, emptyStore(t), nil)
	code, body := send(t, "GET", c.url+"/api/v1/openapi.json", "")
	var doc struct {
		Paths map[string]map[string]struct {
			ID         string `json:"operationId"`
			Summary    string `json:"summary"`
			Parameters []struct {
				Name string `json:"name"`
			} `json:"parameters"`
		} `json:"paths"`
		Components struct {
			Schemas map[string]any `json:"schemas"`
		} `json:"components"`
		Servers []struct {
			URL string `json:"url"`
		} `json:"servers"`
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil || code != 200 {
		t.Fatal(code, err)
	}
	if len(doc.Servers) != 1 || doc.Servers[0].URL != c.PublicURL.String() {
		t.Errorf("the servers are %v, want %s", doc.Servers, c.PublicURL)
	}
	ids := map[string]bool{}
	for _, r := range apiRoutes() {
		op := doc.Paths[r.path][strings.ToLower(r.method)]
		if op.Summary == "" || op.ID == "" || ids[op.ID] || op.Parameters == nil {
			t.Errorf("%s %s: summary %q, id %q, parameters %v", r.method, r.path, op.Summary, op.ID, op.Parameters)
		}
		ids[op.ID] = true
	}
	for _, ref := range regexp.MustCompile(`"#/components/schemas/(\w+)"`).FindAllStringSubmatch(body, -1) {
		if doc.Components.Schemas[ref[1]] == nil {
			t.Errorf("no schema %s", ref[1])
		}
	}
	written, err := json.MarshalIndent(document(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const file = "../docs/openapi.json"
	if *update {
		if err := os.WriteFile(file, append(written, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if read, err := os.ReadFile(file); err != nil || string(read) != string(written)+"\n" {
		t.Errorf("%s is stale (%v): run this test with -update", file, err)
	}
}

// A person who acts at one property and sees another has no action on what belongs to the other.
func TestActionsByProperty(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	floor := newTestFloor(t, s.Store)
	for _, property := range []string{"here-1", "there-2"} {
		floor.play(planted(t, property, "t-"+property, "draw.banker.must-stay"))
	}
	open, err := s.Open(t.Context(), store.Scope{All: true}, store.Filter{Severity: "critical"})
	if err != nil || len(open) != 2 {
		t.Fatal(len(open), err)
	}
	ids := map[string]string{open[0].PropertyID: open[0].ID, open[1].PropertyID: open[1].ID}
	access := Access{}
	secret := secretOf(&access, "sue", "supervisor", "here-1", time.Now().Add(time.Hour))
	access.Tokens[0].Grants = append(access.Tokens[0].Grants, Grant{"viewer", []string{"there-2"}})
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	page := func(path string) string {
		t.Helper()
		code, body := send(t, "GET", c.url+path, "", "Authorization", "Bearer "+secret)
		if code != http.StatusOK {
			t.Fatalf("%s: %d", path, code)
		}
		return body
	}
	queue := page("/queue?group=off")
	for property, id := range ids {
		acts := property == "here-1"
		if strings.Contains(queue, `value="f:`+id+`" aria-label="Select`) != acts || !strings.Contains(queue, id) {
			t.Errorf("the queue: the finding of %s can be selected: %v", property, !acts)
		}
		finding := page("/findings/" + id)
		for _, part := range []string{`name="step"`, `id="cases"`, "Silence this rule"} {
			if strings.Contains(finding, part) != acts {
				t.Errorf("a finding of %s has %s: %v", property, part, !acts)
			}
		}
	}
}

// The value of a filter is compared as it is. A value that no finding can have is refused, and so is an unknown name,
// since neither may look like an empty queue.
func TestFilters(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 12, 0)
	before := time.Now().Add(-60 * time.Hour) // and another shift: none has twelve hours
	law, err := lawOf()
	if err != nil {
		t.Fatal(err)
	}
	_, shift := law.Calendar.Of(before.UnixNano())
	insert(t, s, "findings", "property_id, pit_id, at, id, kind, verdict, rule, severity, table_id, shoe_id, dealer_id, "+
		"gaming_day, shift, basis, observed", "there-2", "p7", before, strings.Repeat("5", 32), "anomaly", "SUSPECT", "d04",
		"minor", "t-1", "s-1", "d1", before, shift, "assumed:x", "Unlike All")
	c := serve(t, s, nil)
	cookie := signedIn(t, c.url, "viewer")
	values := []string{"' OR 1=1 --", "\\", "{x:String}", "\x00", "}}", "%", "\xff", strings.Repeat("a", 200)}
	const names = "property pit table shoe dealer owner fp q"
	for name := range strings.FieldsSeq(names) {
		for _, value := range values {
			code, body := send(t, "GET", c.url+"/api/v1/queue?"+name+"="+url.QueryEscape(value), "", "Cookie", cookie)
			if code != 200 || !strings.Contains(body, `"groups":[]`) {
				t.Errorf("%s=%q: %d %.80s", name, value, code, body)
			}
		}
	}
	eachFilter(t, c, cookie)
	for _, query := range []string{
		"severity=hign", "verdict=breach", "kind=x", "state=open", "basis=assume:x", "shift=noon", "day=yesterday",
		"rule=draw.bank", "nonsense=1", "limit=0", "limit=9999", "limit=x", "rule=a&rule=b", "q=" + strings.Repeat("a", 201),
	} {
		if code, _ := send(t, "GET", c.url+"/queue?"+query, "", "Cookie", cookie, "Accept", "text/html"); code != 400 {
			t.Errorf("%s: %d, want 400", query, code)
		}
	}
	for query, words := range map[string]string{
		"queue?severity=hign": "want critical, major, minor, info", "queue?verdict=breach": "want BREACH, SUSPECT, ",
		"queue?kind=x": "want deviation, anomaly, ", "queue?state=open": "want new, acknowledged, ",
		"queue?sort=x":                      "want urgency, ",
		"queue?severity=critical;state=new": "cannot be read", "queue?severity=%zz": "cannot be read",
		"dealers?days=-5": "want 1 to 366", "dealers?days=1e3": "want 1 to 366",
		"queue?basis=x": "want text, by-reference, ", "queue?rule=draw.bank": "the page Rules lists them",
		"findings?tabel=t-1": "want property, table, ",
	} {
		for _, of := range []string{"/", "/api/v1/"} {
			if of == "/" && strings.HasPrefix(query, "findings") {
				continue
			}
			code, body := send(t, "GET", c.url+of+query, "", "Cookie", cookie)
			if code != 400 || !strings.Contains(body, words) {
				t.Errorf("%s%s: %d, without the words %q", of, query, code, words)
			}
		}
	}
	for query, first := range map[string]string{ // of two that are wrong
		"queue?zz=1&severity=x&aa=1": "aa", "findings?zz=1&aa=1": "aa", "rounds?seat=x&round=x": "round x",
		"rounds?max=x&min=x": "min x", "rounds?until=x&since=x": "since x",
	} {
		for range 10 {
			_, body := send(t, "GET", c.url+"/api/v1/"+query, "", "Cookie", cookie)
			if !strings.Contains(strings.ReplaceAll(body, `\"`, ""), first) {
				t.Fatalf("%s: %s, want the parameter %s", query, body, first)
			}
		}
	}
	for _, query := range []string{"findings?tabel=t-1", "floor?pit=1", "dealers?day=3", "findings/x?y=1", "nonsense"} {
		code, body := send(t, "GET", c.url+"/api/v1/"+query, "", "Cookie", cookie)
		if want := map[bool]int{true: 404, false: 400}[query == "nonsense"]; code != want || !strings.HasPrefix(body, `{"error":`) {
			t.Errorf("%s: %d %s, want %d", query, code, body, want)
		}
	}
}

// eachFilter selects by each value of each filter. The facets count what they select, and the page offers them.
func eachFilter(t *testing.T, c *served, cookie string) {
	t.Helper()
	ctx, all := t.Context(), store.Scope{All: true}
	first, err := c.Store.Open(ctx, all, store.Filter{Limit: 1})
	if err != nil || len(first) == 0 {
		t.Fatal(err)
	}
	for _, step := range []store.Triage{{Action: store.Assign, Owner: "ann"}, {Action: store.Acknowledge}} {
		step.IDs, step.Actor = []string{first[0].ID}, "ann"
		if _, err := c.Store.Apply(ctx, all, step); err != nil {
			t.Fatal(err)
		}
	}
	facets, err := c.Store.Facets(ctx, all, store.Filter{})
	if err != nil || len(facets) != 8 {
		t.Fatal(len(facets), err)
	}
	open, err := c.Store.Open(ctx, all, store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]map[string]int{}
	for i := range open {
		f := &open[i]
		for name, value := range map[string]string{
			"property": f.PropertyID, "pit": f.PitID, "table": f.TableID, "shoe": f.ShoeID, "dealer": f.DealerID,
			"rule": f.Rule, "severity": f.Severity, "verdict": f.Verdict, "basis": f.Basis, "kind": f.Kind,
			"state": f.State, "owner": cmp.Or(f.Owner, "-"), "day": store.Day(f.GamingDay), "shift": f.Shift,
			"fp": f.Fingerprint, "q": strings.ToUpper(f.Observed),
		} {
			if counts[name] == nil {
				counts[name] = map[string]int{}
			}
			counts[name][value]++
		}
	}
	_, page := send(t, "GET", c.url+"/queue", "", "Cookie", cookie)
	for name, values := range counts {
		if len(values) < 2 {
			t.Errorf("the findings have the values %v of %s, want two", values, name)
		}
		offered, facet := facets[name]
		for i, v := range offered {
			if v.Count != values[v.Value] || i > 0 && v.Count > offered[i-1].Count ||
				!strings.Contains(page, fmt.Sprintf(`<option value="%s">%[1]s (%d)</option>`, v.Value, v.Count)) {
				t.Errorf("the queue has no choice %s %s (%d)", name, v.Value, v.Count)
			}
		}
		if facet && len(offered) != len(values) {
			t.Errorf("the facet %s has %v, want %v", name, offered, values)
		}
		for value, n := range values {
			c.resetLimits()
			var answer struct{ Findings []struct{} }
			query := name + "=" + url.QueryEscape(value)
			_, body := send(t, "GET", c.url+"/api/v1/queue?group=off&limit=1000&"+query, "", "Cookie", cookie)
			if err := json.Unmarshal([]byte(body), &answer); err != nil || len(answer.Findings) != n {
				t.Errorf("%s: %d findings, want %d: %v", query, len(answer.Findings), n, err)
			}
		}
	}
}

func TestReadAccess(t *testing.T) {
	t.Parallel()
	hashOf := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	good := "tokens:\n- name: g\n  sha256: " + strings.Repeat("ab", 32) +
		"\n  expires: 2030-01-01T00:00:00Z\n  grants: [{role: viewer, properties: ['*']}]\n"
	if _, err := ReadAccess(strings.NewReader(good)); err != nil {
		t.Error(err)
	}
	second := strings.SplitN(good, "\n", 2)[1]
	other := strings.NewReplacer("name: g", "name: h", "abab", "ABAB").Replace(second)
	const two = "two tokens have this name"
	const shared = "people: {ann: [{issuer: proxy, subject: a}], bob: [{issuer: proxy, subject: A}]}"
	for text, want := range map[string]string{
		"tokens: [{name: a}]":                                              "sha256",
		"groups: {a: [{role: king, properties: ['*']}]}":                   "king",
		"groups: {a: [{role: viewer}]}":                                    "no property",
		"groups: {a: []}":                                                  "no grants",
		"tokns: []":                                                        "tokns",
		strings.Replace(good, "expires", "#", 1):                           "expires",
		strings.Replace(good, strings.Repeat("ab", 32), "ab", 1):           "64 hex",
		strings.Replace(good, strings.Repeat("ab", 32), hashOf("test"), 1): "of a public text",
		strings.Replace(good, strings.Repeat("ab", 32), strings.ToUpper(hashOf("test")), 1): "of a public text",
		strings.Replace(good, strings.Repeat("ab", 32), hashOf(""), 1):                      "of a public text",
		good + second: two,
		good + strings.Replace(second, "name: g", "name: G", 1): two,
		good + other: "same sha256",
		strings.Replace(good, "name: g", "name: \"g\\u200b\"", 1):               "invisible",
		strings.Replace(good, "name: g", "name: g\n  person: \"a\\u202en\"", 1): "invisible",
		"people: {ann: [{issuer: proxy}]}":                                      "needs an issuer and a subject",
		shared:                                                                  "belongs to person ann too",
		"people: {ann: [], ANN: []}":                                            "two people have this name",
	} {
		if _, err := ReadAccess(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// The page of a dealer shows the amounts of each currency.
func TestDealerOfTwoCurrencies(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	err := s.Conn().Exec(t.Context(), "INSERT INTO "+s.Table("findings")+" (property_id, dealer_id, verdict, rule, severity, "+
		"at, id, amount, currency) SELECT 'ac-1', 'd1', 'BREACH', 'payout.amount', 'major', now64(9), currency, if(currency = 'EUR', 300, 500), currency "+
		"FROM (SELECT arrayJoin(['EUR', 'USD']) AS currency)")
	if err != nil {
		t.Fatal(err)
	}
	access := Access{}
	secret := secretOf(&access, "ann", "supervisor", "ac-1", time.Now().Add(time.Hour))
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	code, body := send(t, "GET", c.url+"/dealers/ac-1/d1", "", "Authorization", "Bearer "+secret)
	if code != 200 || !strings.Contains(body, "€3.00<br>$5.00") {
		t.Errorf("status %d, without the amounts of each currency:\n%s", code, body)
	}
}

// A dealer without a round in the period has a page, to which the search leads; one who never dealt has none.
func TestDealerOfLongAgo(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	err := s.Conn().Exec(t.Context(), "INSERT INTO "+s.Table("rounds")+" (property_id, table_id, shoe_id, round, dealer_id, at, "+
		"gaming_day) SELECT 'ac-1', 't1', 's1', 1, 'd1', now64(9) - INTERVAL 60 DAY, today() - 60")
	if err != nil {
		t.Fatal(err)
	}
	access := Access{}
	secret := secretOf(&access, "ann", "supervisor", "ac-1", time.Now().Add(time.Hour))
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	for path, want := range map[string]struct {
		code int
		text string
	}{
		"/dealers/ac-1/d1":          {200, `No rounds in 30 days. <a href="?days=366">`},
		"/dealers/ac-1/d1?days=366": {200, "1 of 1 round in 366 days"},
		"/dealers/ac-1/d2":          {404, "Not found"},
		"/dealers/ac-2/d1":          {404, "Not found"},
	} {
		code, body := send(t, "GET", c.url+path, "", "Authorization", "Bearer "+secret)
		if code != want.code || !strings.Contains(body, want.text) {
			t.Errorf("%s: status %d, want %d and %q:\n%s", path, code, want.code, want.text, body)
		}
	}
}

// A dealer has a rate in the console from the number of rounds at which the report of dealers has one.
func TestRateThreshold(t *testing.T) {
	t.Parallel()
	for rounds, tooFew := range map[uint64]bool{299: true, 300: true, 499: true, 500: false} {
		if r := rateOf(store.Tally{Name: "ac-1/d1", Findings: 2, Rounds: rounds}, 1, 0); r.TooFew != tooFew {
			t.Errorf("%d rounds: too few %v, want %v", rounds, r.TooFew, tooFew)
		}
	}
}
