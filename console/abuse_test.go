//go:build unix

package console

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// abused is a console with users of each role, and findings in its queue.
type abused struct {
	*served
	t       *testing.T
	tokens  map[string]string
	cookies map[string]string
	open    []store.OpenFinding
}

func abuse(t *testing.T, findings int) *abused {
	s := emptyStore(t)
	if err := s.Conn().Exec(t.Context(), fmt.Sprintf(`INSERT INTO %s (property_id, at, id, kind, verdict, rule, severity,
		table_id, observed) SELECT 'ac-1', now64(9) - INTERVAL 1 HOUR, lower(hex(sipHash128(number))), 'deviation', 'BREACH',
		'vig.amount.under', 'minor', 't-1', 'x' FROM numbers(%d)`, s.Table("findings"), findings)); err != nil {
		t.Fatal(err)
	}
	a := &abused{t: t, tokens: map[string]string{}, cookies: map[string]string{}}
	access := Access{}
	for name, role := range map[string]string{"ann": "operator", "bob": "operator", "sue": "supervisor", "vic": "viewer"} {
		a.tokens[name] = personal(&access, name, name, role)
	}
	a.served = serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	for name, token := range a.tokens {
		a.cookies[name] = cookieOf(t, a.served, "token="+token)
	}
	var err error
	if a.open, err = s.Open(t.Context(), store.Scope{All: true}, store.Filter{Limit: store.All}); err != nil ||
		len(a.open) != findings {
		t.Fatal(len(a.open), err)
	}
	return a
}

// post sends a form of a user. The status is that of the answer, before a redirect.
func (a *abused) post(name, path string, form url.Values) (int, string) {
	a.t.Helper()
	req, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, a.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Cookie", a.cookies[name])
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		a.t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode, resp.Header.Get("Location")
}

func (a *abused) get(name, path string) string {
	a.t.Helper()
	_, body := send(a.t, "GET", a.url+path, "", "Cookie", a.cookies[name])
	return body
}

func (a *abused) state(id string) string {
	a.t.Helper()
	f, err := a.Store.Finding(a.t.Context(), store.Scope{All: true}, id)
	if err != nil {
		a.t.Fatal(err)
	}
	return f.State
}

// The button to undo, in a tab, does not undo what another tab of the same user did since.
func TestUndoOfAnotherTab(t *testing.T) {
	a := abuse(t, 2)
	field := regexp.MustCompile(`name="of" value="(\w+)"`)
	act := func(id, step string) string {
		a.post("ann", "/triage", url.Values{"key": {"f:" + id}, "step": {step}, "next": {"/queue"}})
		m := field.FindStringSubmatch(a.get("ann", "/queue"))
		if m == nil {
			t.Fatal("no button to undo")
		}
		return m[1]
	}
	first, second := act(a.open[0].ID, "acknowledge"), act(a.open[1].ID, "escalate")
	for _, of := range []string{first, "", "x"} {
		if code, _ := a.post("ann", "/triage", url.Values{"step": {"undo"}, "of": {of}}); code != http.StatusBadRequest {
			t.Errorf("undo of %q after another tab acted: %d", of, code)
		}
	}
	if got := a.state(a.open[1].ID); got != store.Escalated {
		t.Errorf("the other tab's finding is %s", got)
	}
	if code, _ := a.post("ann", "/triage", url.Values{"step": {"undo"}, "of": {second}}); code != http.StatusSeeOther {
		t.Errorf("undo of the last action: %d", code)
	}
	if got := a.state(a.open[1].ID); got != store.New {
		t.Errorf("after undo the finding is %s", got)
	}
}

// Of users who act on one finding at the same time, each acts on what the one before left: no action follows from a
// state that is gone, which the nightly proof would report as a forged record.
func TestActionsAtTheSameTime(t *testing.T) {
	a := abuse(t, 1)
	id := a.open[0].ID
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			_, err := a.Store.Apply(t.Context(), store.Scope{All: true}, store.Triage{
				IDs: []string{id}, Actor: fmt.Sprint("user", i), Role: "operator",
				Action: []string{store.Acknowledge, store.Review, store.Escalate}[i%3],
			})
			if err != nil && !errors.Is(err, store.ErrTransition) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	actions, err := a.Store.Actions(t.Context(), store.Scope{All: true}, id)
	if err != nil || len(actions) < 8 {
		t.Fatalf("%d actions, %v", len(actions), err)
	}
	before := store.New
	for i := range actions {
		if actions[i].From != before {
			t.Errorf("action %d is from %s, and the one before left %s", i, actions[i].From, before)
		}
		before = actions[i].To
	}
	if got := a.state(id); got != before {
		t.Errorf("the queue has %s, the actions end at %s", got, before)
	}
}

// A form that is sent again signs no second hand-over and makes no second silence; of two who accept, one does.
func TestFormsSentAgain(t *testing.T) {
	a := abuse(t, 1)
	err := a.Store.Conn().Exec(t.Context(), "INSERT INTO "+a.Store.Table("feeds")+
		" (property_id, table_id, at) VALUES ('ac-1', 't-1', now64(9))")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`name="once" value="(\w+)"`).FindStringSubmatch(a.get("ann", "/handover"))
	if m == nil {
		t.Fatal("the form of a hand-over cannot be told from its repetition")
	}
	form := url.Values{"property": {"ac-1"}, "note": {"x"}, "once": {m[1]}}
	var at string
	for range 3 {
		code, to := a.post("ann", "/handover", form)
		if code != http.StatusSeeOther || at != "" && to != at {
			t.Errorf("a hand-over sent again: %d %s", code, to)
		}
		at = to
	}
	for _, once := range []string{
		"", "short", strings.Repeat("A", 65), "../../../../../../../../x", "'; DROP TABLE x; --",
	} {
		form.Set("once", once)
		if code, _ := a.post("ann", "/handover", form); code != http.StatusBadRequest {
			t.Errorf("a hand-over as %q: %d", once, code)
		}
	}
	var both sync.WaitGroup
	var mu sync.Mutex
	accepted := 0
	for i := range 6 {
		both.Go(func() {
			code, _ := a.post([]string{"bob", "sue"}[i%2], at, nil)
			mu.Lock()
			defer mu.Unlock()
			if code == http.StatusSeeOther {
				accepted++
			}
		})
	}
	both.Wait()
	rows, err := a.Store.Handovers(t.Context(), store.Scope{All: true})
	if err != nil || len(rows) != 2 || accepted != 1 {
		t.Errorf("%d rows of a hand-over that is accepted %d times, %v", len(rows), accepted, err)
	}
	silence := url.Values{"property": {"ac-1"}, "rule": {"feed.gap"}, "reason": {"r"}, "hours": {"1"}}
	for range 3 {
		a.post("sue", "/silences", silence)
	}
	if all, err := a.Store.Silences(t.Context(), store.Scope{All: true}); err != nil || len(all) != 1 {
		t.Errorf("%d silences, %v", len(all), err)
	}
}

// An assignee is a known user with a visible name within bounds.
func TestAssignee(t *testing.T) {
	a := abuse(t, 1)
	id := a.open[0].ID
	if err := a.Store.Log(t.Context(), store.Entry{
		Actor: "former", Action: "sign-in", At: time.Now().UTC(), Who: store.Who{Issuer: ByToken, Subject: "former"},
	}); err != nil {
		t.Fatal(err)
	}
	for owner, want := range map[string]int{
		"bob": http.StatusSeeOther, "me": http.StatusSeeOther, "sue": http.StatusSeeOther, "": http.StatusSeeOther,
		"former":         http.StatusSeeOther, // signed in before and is not in the access file any more
		"no such person": http.StatusBadRequest, strings.Repeat("x", 60_000): http.StatusBadRequest,
		"bob\x00": http.StatusBadRequest, "bob\u202e": http.StatusBadRequest, "bob\n": http.StatusBadRequest,
		"console": http.StatusBadRequest, "<b>bob</b>": http.StatusBadRequest,
	} {
		form := url.Values{"key": {"f:" + id}, "step": {"assign"}, "owner": {owner}}
		if code, _ := a.post("sue", "/triage", form); code != want {
			t.Errorf("assigned to %.40q: %d, want %d", owner, code, want)
		}
	}
}

// One form does not make the console search the queue thousands of times.
func TestFormOfManyGroups(t *testing.T) {
	a := abuse(t, 1)
	form := url.Values{"step": {"acknowledge"}}
	for i := range 4000 {
		form.Add("key", fmt.Sprintf("g:%d:n:1", i))
	}
	if code, _ := a.post("ann", "/triage", form); code != http.StatusBadRequest {
		t.Errorf("a form of 4,000 groups: %d", code)
	}
}

// A user has one of the places for replays at a time.
func TestReplaysOfOneUser(t *testing.T) {
	c, _ := offline(t, func(*Options) {})
	release, err := c.acquire("token vic")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.acquire("token vic"); err == nil {
		t.Error("one user has two places")
	}
	other, err := c.acquire("token ann")
	if err != nil {
		t.Fatalf("another user has none: %v", err)
	}
	other()
	release()
	if release, err = c.acquire("token vic"); err != nil {
		t.Fatal("after the end of a replay there is no place")
	}
	release()
}

// A pending sign-in at a provider takes memory for minutes, not for the length of a session.
func TestPendingSignIn(t *testing.T) {
	a, _ := offline(t, func(*Options) {})
	ctx, err := a.sessions.Load(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	x := &exchange{c: a, r: mustRequest(t).WithContext(ctx)}
	a.pending(x)
	if left := time.Until(a.sessions.Deadline(ctx)); left > maxPending {
		t.Errorf("a pending sign-in is kept for %v", left)
	}
}

func mustRequest(t *testing.T) *http.Request {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The counts of strangers are a bounded map of their own: a user who used up a limit does not get it back by requests
// from so many addresses that the counts of strangers begin again.
func TestAddressesGiveNoLimitBack(t *testing.T) {
	var secret string
	still := time.Now()
	c, h := offline(t, func(o *Options) {
		secret = secretOf(&o.Access, "vic", "viewer", "*", still.Add(time.Hour))
		o.Store, o.Now = emptyStore(t), func() time.Time { return still }
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	})
	get := func() int { return from(h, "192.0.2.9", "GET", "/help", "", "Authorization", "Bearer "+secret) }
	for range maxRequests {
		get()
	}
	if code := get(); code != http.StatusTooManyRequests {
		t.Fatalf("request %d of a user: %d", maxRequests+1, code)
	}
	users := len(c.limits.periods)
	for i := range 2*maxKeys + 50 {
		from(h, "10.1.1.1", "GET", "/sign-in", "", "X-Forwarded-For", fmt.Sprintf("198.18.%d.%d", i/256, i%256))
		if n := len(c.strangers.periods); n > maxKeys {
			t.Fatalf("%d counts of strangers, want %d at most", n, maxKeys)
		}
	}
	if code := get(); code != http.StatusTooManyRequests || len(c.limits.periods) != users {
		t.Errorf("a user beyond the limit, after strangers: %d, %d counts of users, want %d", code,
			len(c.limits.periods), users)
	}
}

// Strangers with many addresses, each within its limit, use up the places of no user and of no other stranger; one who
// has all addresses of an IPv6 network counts once.
func TestManyAddresses(t *testing.T) {
	var secret string
	_, h := offline(t, func(o *Options) {
		secret = secretOf(&o.Access, "ann", "viewer", "*", time.Now().Add(time.Hour))
		o.Store = emptyStore(t)
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	})
	for i := range maxKeys + 50 {
		from(h, "10.1.1.1", "GET", "/sign-in", "", "X-Forwarded-For", fmt.Sprintf("198.18.%d.%d", i/256, i%256))
	}
	if code := from(h, "192.0.2.9", "GET", "/help", "", "Authorization", "Bearer "+secret); code != http.StatusOK {
		t.Errorf("a user after strangers from %d addresses: %d", maxKeys, code)
	}
	if code := from(h, "10.1.1.1", "GET", "/sign-in", "", "X-Forwarded-For", "203.0.113.77"); code != http.StatusOK {
		t.Errorf("a stranger after strangers from %d addresses: %d", maxKeys, code)
	}
	refused := 0
	for i := range 2 * maxRequests {
		if from(h, "10.1.1.1", "GET", "/sign-in", "", "X-Forwarded-For", fmt.Sprintf("2001:db8::%x", i)) ==
			http.StatusTooManyRequests {
			refused++
		}
	}
	if refused != maxRequests {
		t.Errorf("of %d requests of one IPv6 network %d are refused", 2*maxRequests, refused)
	}
}

// Each response requires TLS for a year, also on subdomains.
func TestTransportSecurity(t *testing.T) {
	_, h := offline(t, func(o *Options) { o.Store = emptyStore(t) })
	for _, path := range []string{"/sign-in", "/healthz", "/static/mark.svg", "/nothing"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if got := w.Header().Get("Strict-Transport-Security"); got != "max-age=31536000; includeSubDomains" {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// What strangers, a viewer and a silent provider try, and how many requests of others are served meanwhile: all. The
// table is in docs/security.md; SHOEPROOF_UPDATE=1 writes it.
func TestNobodyIsKeptOut(t *testing.T) {
	s := emptyStore(t)
	var lines []string
	scene := func(who string, change func(*Options), flood func(h http.Handler, i int), tries int) {
		var ann, vic string
		c, h := offline(t, func(o *Options) {
			o.Store, o.TrustedProxies = s, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
			ann = secretOf(&o.Access, "ann", "operator", "*", time.Now().Add(time.Hour))
			vic = secretOf(&o.Access, "vic", "viewer", "*", time.Now().Add(time.Hour))
			change(o)
		})
		if c.Notify.Log != nil {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go c.sendLog(ctx)
		}
		as := func(secret string, h http.Handler) func(path string) bool {
			return func(path string) bool {
				return from(h, "192.0.2.1", "GET", path, "", "Authorization", "Bearer "+secret) == http.StatusOK
			}
		}
		viewer := as(vic, h)
		served, want := 0, 0
		for i := range tries {
			if flood == nil {
				viewer([]string{"/queue", "/handover", "/api/v1/queue", "/silences"}[i%4])
			} else {
				flood(h, i)
			}
			if i%max(tries/50, 1) == 0 {
				want += 2
				for _, path := range []string{"/queue", "/help"} {
					if as(ann, h)(path) {
						served++
					}
				}
			}
		}
		if served != want {
			t.Errorf("%s: %d of %d served", who, served, want)
		}
		lines = append(lines, fmt.Sprintf("| %s | %d requests | %d of %d of an operator |", who, tries, served, want))
	}
	none := func(*Options) {}
	scene("a stranger at the operator's address", none, func(h http.Handler, i int) {
		if i%10 == 0 {
			from(h, "192.0.2.1", "POST", "/sign-in", "token=wrong")
			return
		}
		from(h, "192.0.2.1", "GET", "/help", "")
	}, 3*maxRequests)
	scene("strangers with an address each", none, func(h http.Handler, i int) {
		from(h, "10.1.1.1", "GET", "/sign-in", "", "X-Forwarded-For", fmt.Sprintf("198.18.%d.%d", i/256, i%256))
	}, maxKeys+1000)
	scene("a viewer", none, nil, 2*maxRequests)
	scene("a viewer whose refusals go to a syslog receiver that hangs", func(o *Options) {
		hangs, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = hangs.Close() })
		o.Notify.Log = syslogTo(t, hangs.Addr().String())
	}, func(h http.Handler, i int) {
		from(h, fmt.Sprintf("198.51.100.%d", i%250), "GET", "/api/v1/log", "", "Authorization", "Bearer wrong")
	}, 2*maxRequests)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	var waiting sync.WaitGroup
	scene("sign-ins at a provider that hangs", func(o *Options) {
		o.SignIn, o.OIDC = ByOIDC, OIDC{Issuer: silent.URL, ClientID: "c", Name: "name", Groups: "groups"}
	}, func(h http.Handler, i int) {
		waiting.Go(func() {
			from(h, fmt.Sprintf("198.51.100.%d", i), "GET", "/sign-in/oidc", "", "Sec-Fetch-Site", "same-origin")
		})
	}, 100)
	waiting.Wait()
	table := "| who | tried | served meanwhile |\n|---|---|---|\n" + strings.Join(lines, "\n") + "\n"
	t.Log("\n" + table)
	const path = "../docs/security.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), "<!-- kept out -->\n")
	have, after, _ := strings.Cut(rest, "<!-- end -->")
	switch {
	case os.Getenv("SHOEPROOF_UPDATE") != "":
		if err := os.WriteFile(path, []byte(before+"<!-- kept out -->\n"+table+"<!-- end -->"+after), 0o600); err != nil {
			t.Fatal(err)
		}
	case have != table:
		t.Errorf("%s has another table: run SHOEPROOF_UPDATE=1 go test ./console -run NobodyIsKeptOut", path)
	}
}
