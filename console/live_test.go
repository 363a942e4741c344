//go:build unix

package console

import (
	"bufio"
	"context"
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/notify"
	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/internal/testkit"
)

// A page is notified within two seconds of findings in its scope, and of no others. Its stream ends when it may see
// another property.
func TestLiveStream(t *testing.T) {
	s := emptyStore(t)
	access := Access{}
	here := secretOf(&access, "here", "viewer", "ac-1", time.Now().Add(time.Hour))
	there := secretOf(&access, "there", "viewer", "ac-9", time.Now().Add(time.Hour))
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	type heard struct {
		event string
		sign
	}
	listen := func(token string) <-chan heard {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/live", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		events := make(chan heard, 100)
		go func() {
			defer close(events)
			var e heard
			for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
				name, value, _ := strings.Cut(lines.Text(), ": ")
				if name == "event" {
					e.event = value
				} else if name == "data" && json.Unmarshal([]byte(value), &e.sign) == nil {
					events <- e
				}
			}
		}()
		if e := <-events; e.event != "beat" {
			t.Fatalf("the first event is %q", e.event)
		}
		return events
	}
	mine, others := listen(here), listen(there)
	// The first notification shows that the console follows the queue.
	f := newTestFloor(t, s.Store)
	f.play(planted(t, "ac-1", "t-0", "vig.amount.under"))
	for waited := false; !waited; {
		select {
		case e := <-mine:
			waited = e.event == "change"
		case <-time.After(5 * time.Second):
			f.play(planted(t, "ac-1", "t-"+rand.Text(), "vig.amount.under"))
		}
	}
	f.play(planted(t, "ac-1", "t-1", "draw.banker.must-stay"))
	durable := time.Now()
	for e := range mine {
		if e.event == "change" && e.Critical > 0 {
			break
		}
	}
	testkit.Within(t, "the notification", time.Since(durable), 2*time.Second)
	for e := range others {
		if e.event != "beat" || e.Rows != 0 || e.Critical != 0 {
			t.Fatalf("a page of another property was notified: %+v", e)
		}
		if e.Now > durable.UnixMilli() {
			break
		}
	}
	access.Tokens = slices.Clone(access.Tokens)
	access.Tokens[0].Grants = access.Tokens[1].Grants
	c.SetAccess(access)
	testkit.Await(t, "the end of the stream", func() bool {
		select {
		case _, open := <-mine:
			return !open
		default:
			return false
		}
	})
}

// Notifications of critical findings are signed, retried after an error, and received once.
func TestWebhook(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	var mu sync.Mutex
	got := map[string]int{}
	at := map[string]time.Time{} // of the recording
	calls := 0
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mac := hmac.New(sha256.New, []byte("a secret of the hook"))
		fmt.Fprintf(mac, "%s.%s", r.Header.Get("X-Shoeproof-Timestamp"), body)
		mu.Lock()
		defer mu.Unlock()
		calls++
		if calls == 1 {
			http.Error(w, "not now", http.StatusServiceUnavailable)
			return
		}
		if want := "sha256=" + hex.EncodeToString(mac.Sum(nil)); r.Header.Get("X-Shoeproof-Signature") != want {
			t.Errorf("signature %s, want %s", r.Header.Get("X-Shoeproof-Signature"), want)
		}
		var n notify.Message
		if err := json.Unmarshal(body, &n); err != nil || n.Severity != "critical" || n.Video == nil ||
			!strings.HasPrefix(n.Video.URL, "vms://") || n.Video.Camera == "" || n.Video.At.IsZero() {
			t.Errorf("%s: %v", body, err)
			return
		}
		got[n.ID]++
		at[n.ID] = n.Video.At
	}))
	t.Cleanup(hook.Close)
	topic := map[string]bool{}
	serve(t, s, func(o *Options) {
		o.Webhook = notify.Webhook{URL: hook.URL, Secret: "a secret of the hook"}
		o.Topic = func(_ context.Context, key string, value []byte) error {
			mu.Lock()
			defer mu.Unlock()
			topic[key] = len(value) > 0
			return nil
		}
	})
	f := newTestFloor(t, s.Store)
	late := time.Now().Add(5 * time.Minute)
	for i := 0; ; i++ {
		f.play(planted(t, "ac-1", fmt.Sprintf("w-%d", i), "draw.banker.must-stay"))
		mu.Lock()
		posted, published := len(got), len(topic)
		mu.Unlock()
		if posted >= 2 && published >= 2 {
			break
		}
		if time.Now().After(late) {
			t.Fatalf("of %d notifications, the webhook received %d and the topic %d", i+1, posted, published)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for id, n := range got {
		if n != 1 {
			t.Errorf("%s was received %d times", id, n)
		}
		found, err := s.Finding(t.Context(), store.Scope{All: true}, id)
		if err != nil {
			t.Fatal(err)
		}
		cited := citedEvents(t, s, &found)
		if first, last := cited[0].At, cited[len(cited)-1].At; !at[id].Equal(last) || !first.Before(last) {
			t.Errorf("the recording of %s is at %v, want the breach at %v, after the first event at %v", id, at[id], last, first)
		}
	}
}

// A critical finding that arrives while no console runs is notified at the next start, and none is notified twice.
func TestNotificationsAfterARestart(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	var mu sync.Mutex
	got := map[string]int{}
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var n notify.Message
		err := json.NewDecoder(r.Body).Decode(&n)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			got[n.TableID]++
		}
	}))
	t.Cleanup(hook.Close)
	f := newTestFloor(t, s.Store)
	f.play(planted(t, "ac-1", "before", "draw.banker.must-stay"))
	begun := func() bool {
		lines, err := s.Notices(t.Context(), time.Now().Add(-time.Hour))
		return err == nil && len(lines) > 0
	}
	for _, table := range []string{"while-1", "while-2", "while-3"} {
		t.Run(table, func(t *testing.T) {
			serve(t, s, func(o *Options) { o.Webhook = notify.Webhook{URL: hook.URL, Secret: "s"} })
			testkit.Await(t, "the cursor of notifications", begun)
			last := map[string]string{"while-1": "", "while-2": "while-1", "while-3": "while-2"}[table]
			testkit.Await(t, "the notification of "+last, func() bool {
				mu.Lock()
				defer mu.Unlock()
				return last == "" || got[last] > 0
			})
			testkit.Await(t, "the line of the log of "+last, func() bool {
				lines, err := s.Notices(t.Context(), time.Now().Add(-time.Hour))
				return err == nil && (last == "" || lines[len(lines)-1].Action == store.Notified)
			})
		})
		f.play(planted(t, "ac-1", table, "draw.banker.must-stay"))
	}
	mu.Lock()
	defer mu.Unlock()
	if got["while-1"] != 1 || got["while-2"] != 1 || got["before"] != 0 {
		t.Errorf("notifications by table: %v, want one of while-1 and of while-2", got)
	}
}

// A silence hides minor findings of its rule, and never a critical or major breach. The former route /shelves works.
func TestSilence(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 10, 0)
	c := serve(t, s, nil)
	open, err := s.Open(t.Context(), store.Scope{All: true}, store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	cookie := signedIn(t, c.url, "supervisor")
	minor := 0
	for i, o := range open {
		if o.Severity == "minor" {
			minor++
		}
		form := url.Values{"property": {"ac-1"}, "rule": {o.Rule}, "hours": {"2"}, "reason": {"known"}}
		route := []string{"/silences", "/shelves"}[i%2]
		if code, _ := send(t, "POST", c.url+route, form.Encode(), "Cookie", cookie); code != 303 {
			t.Fatalf("%s: %d", route, code)
		}
	}
	left, err := s.Open(t.Context(), store.Scope{All: true}, store.Filter{})
	if err != nil || minor == 0 || len(left) != len(open)-minor {
		t.Errorf("%d of %d are shown, want all but the %d minor findings, %v", len(left), len(open), minor, err)
	}
	hidden, err := s.Open(t.Context(), store.Scope{All: true}, store.Filter{Silenced: true})
	if err != nil || len(hidden) != minor {
		t.Errorf("%d are silenced, want %d, %v", len(hidden), minor, err)
	}
	for _, filter := range []string{"silenced=1", "shelved=1"} { // shelved is the former name
		code, body := send(t, "GET", c.url+"/api/v1/queue?group=off&"+filter, "", "Cookie", cookie)
		if n := strings.Count(body, `"id":`); code != 200 || n != minor {
			t.Errorf("%s: %d with %d findings, want %d", filter, code, n, minor)
		}
	}
	unknown := "property=ac-1&rule=no.such.rule&reason=b&hours=2"
	if code, _ := send(t, "POST", c.url+"/silences", unknown, "Cookie", cookie); code != 400 {
		t.Errorf("a silence of an unknown rule: %d, want 400", code)
	}
	for _, hours := range []string{"0", "25", "-1", "x"} {
		form := "property=ac-1&rule=feed.gap&reason=b&hours=" + hours
		if code, _ := send(t, "POST", c.url+"/silences", form, "Cookie", cookie); code != 400 {
			t.Errorf("%s hours: %d, want 400", hours, code)
		}
	}
}

// provider is an identity provider without passwords.
type provider struct {
	*httptest.Server
	key       *rsa.PrivateKey
	challenge string
	nonce     string
	// forge changes the claims of the next id token.
	forge func(map[string]any)
	// refresh, if not nil, answers a refresh token with groups, or refuses it; sign-ins then give one.
	refresh func() (groups []string, ok bool)
}

func newProvider(t *testing.T) *provider {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{key: key}
	b64 := base64.RawURLEncoding.EncodeToString
	mux := http.NewServeMux()
	reply := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/auth", "token_endpoint": p.URL + "/token",
			"jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"},
			"scopes_supported": []string{"openid", "offline_access"},
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1", "n": b64(key.N.Bytes()),
			"e": b64(big.NewInt(int64(key.E)).Bytes()),
		}}})
	})
	mux.HandleFunc("GET /auth", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		p.challenge, p.nonce = q.Get("code_challenge"), q.Get("nonce")
		if q.Get("code_challenge_method") != "S256" || q.Get("response_type") != "code" {
			t.Errorf("authorization request with %v", q)
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=c&state="+q.Get("state"), http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		groups, again := []string{"surveillance"}, r.PostFormValue("grant_type") == "refresh_token"
		ok := true
		if again {
			groups, ok = p.refresh()
		} else if sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier"))); b64(sum[:]) != p.challenge {
			ok = false
		}
		if !ok {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":"invalid_grant"}`)
			return
		}
		claims := map[string]any{
			"iss": p.URL, "aud": "console", "sub": "1", "exp": time.Now().Add(time.Hour).Unix(),
			"iat": time.Now().Unix(), "nonce": p.nonce, "preferred_username": "ann", "groups": groups,
		}
		if p.forge != nil {
			p.forge(claims)
		}
		payload, _ := json.Marshal(claims)
		text := b64([]byte(`{"alg":"RS256","kid":"1"}`)) + "." + b64(payload)
		digest := sha256.Sum256([]byte(text))
		sig, _ := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
		tokens := map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": text + "." + b64(sig)}
		if p.refresh != nil {
			tokens["refresh_token"] = "r"
		}
		reply(w, tokens)
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func TestOIDC(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	p := newProvider(t)
	c := serve(t, s, func(o *Options) {
		o.SignIn = ByOIDC
		o.OIDC = OIDC{
			Issuer: p.URL, ClientID: "console", ClientSecret: "x", Name: "preferred_username", Groups: "groups",
		}
		o.Access = Access{Groups: map[string][]Grant{"surveillance": {{"operator", []string{"*"}}}}}
	})
	for name, x := range map[string]struct {
		forge func(map[string]any)
		want  int
	}{
		"valid":            {nil, 200},
		"another audience": {func(m map[string]any) { m["aud"] = "other" }, 401},
		"another issuer":   {func(m map[string]any) { m["iss"] = "https://elsewhere.example" }, 401},
		"expired":          {func(m map[string]any) { m["exp"] = time.Now().Add(-time.Hour).Unix() }, 401},
		"another nonce":    {func(m map[string]any) { m["nonce"] = "other" }, 401},
		"no name":          {func(m map[string]any) { delete(m, "preferred_username") }, 401},
		"an unknown group": {func(m map[string]any) { m["groups"] = []string{"cooks"} }, 401},
		"no groups":        {func(m map[string]any) { m["groups"] = "surveillance" }, 401},
	} {
		c.resetLimits()
		p.forge = x.forge
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := toProvider(t, c, jar, "")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		signedIn := strings.Contains(string(body), "<b>ann</b>") && resp.Request.URL.Path == "/help"
		if resp.StatusCode != x.want || x.want == 200 && !signedIn {
			t.Errorf("%s: %s at %s", name, resp.Status, resp.Request.URL)
		}
	}
	// A callback without a sign-in.
	if code, _ := send(t, "GET", c.url+"/sign-in/oidc/callback?code=c&state=guess", ""); code != 401 {
		t.Errorf("a callback without a sign-in: %d, want 401", code)
	}
}
