package console

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/internal/testkit"
)

// offline is a console without a store: enough for pages that query nothing.
func offline(t *testing.T, change func(*Options)) (*Console, http.Handler) {
	t.Helper()
	public, _ := url.Parse("https://audit.example")
	o := Options{PublicURL: public, SignIn: ByToken, Now: time.Now, Law: options(t)}
	change(&o)
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	h, err := c.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return c, h
}

// from sends a request as if from an address.
func from(h http.Handler, addr, method, path, body string, header ...string) int {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.RemoteAddr, r.Host = addr+":40000", "audit.example"
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}

func TestClientAddress(t *testing.T) {
	c, _ := offline(t, func(o *Options) {
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	})
	for _, x := range []struct {
		peer string
		hops []string
		want string
	}{
		{"192.0.2.1:1", nil, "192.0.2.1"},
		{"192.0.2.1:1", []string{"198.51.100.7"}, "192.0.2.1"}, // not from a proxy: anyone can write that
		{"10.1.1.1:1", nil, "10.1.1.1"},
		{"10.1.1.1:1", []string{"198.51.100.7"}, "198.51.100.7"},
		{"10.1.1.1:1", []string{"198.51.100.7:5555"}, "198.51.100.7"},
		{"10.1.1.1:1", []string{"203.0.113.9, 198.51.100.7"}, "198.51.100.7"}, // the first was written by the client
		{"10.1.1.1:1", []string{"203.0.113.9", "198.51.100.7, 10.2.2.2"}, "198.51.100.7"},
		{"10.1.1.1:1", []string{"10.3.3.3"}, "10.3.3.3"},
		{"10.1.1.1:1", []string{"198.51.100.7, unknown"}, "10.1.1.1"},
		{"[::ffff:10.1.1.1]:1", []string{"2001:db8::1"}, "2001:db8::1"},
		{"[fd00::1]:1", []string{"[2001:db8::1]:77"}, "2001:db8::1"},
		{"pipe", nil, "pipe"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = x.peer
		for _, h := range x.hops {
			r.Header.Add("X-Forwarded-For", h)
		}
		if got := c.remoteOf(r); got != x.want {
			t.Errorf("%s %q: %s, want %s", x.peer, x.hops, got, x.want)
		}
	}
}

// A stranger who sends more than the limit, from the address that everyone has, keeps no one out: not the users, not
// the probes, not who signs in with a right token; behind a trusted proxy not even other strangers.
func TestStrangerKeepsNobodyOut(t *testing.T) {
	var secret string
	_, h := offline(t, func(o *Options) {
		secret = secretOf(&o.Access, "ann", "viewer", "*", time.Now().Add(time.Hour))
		o.Store = emptyStore(t)
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	})
	served := 0
	for i := range 3 * maxRequests {
		from(h, "192.0.2.1", "GET", "/help", "")
		if i%20 == 0 && from(h, "192.0.2.1", "GET", "/help", "", "Authorization", "Bearer "+secret) == http.StatusOK {
			served++
		}
		if i < 30 {
			from(h, "192.0.2.1", "POST", "/sign-in", "token=wrong")
		}
	}
	if code := from(h, "192.0.2.1", "GET", "/help", ""); code != http.StatusTooManyRequests {
		t.Errorf("a stranger beyond the limit: %d", code)
	}
	if want := 3 * maxRequests / 20; served != want {
		t.Errorf("a user at the address of the stranger was served %d of %d times", served, want)
	}
	if code := from(h, "192.0.2.1", "GET", "/healthz", ""); code != http.StatusOK {
		t.Errorf("/healthz beyond the limit: %d", code)
	}
	for range 2 * maxRequests {
		from(h, "10.1.1.1", "GET", "/help", "", "X-Forwarded-For", "198.51.100.7")
	}
	if code := from(h, "10.1.1.1", "GET", "/sign-in", "", "X-Forwarded-For", "198.51.100.8"); code != http.StatusOK {
		t.Errorf("another client of the proxy: %d", code)
	}
	for range 12 {
		from(h, "10.1.1.1", "POST", "/sign-in", "token=wrong", "X-Forwarded-For", "198.51.100.9")
	}
	if code := from(h, "10.1.1.1", "POST", "/sign-in", "token=wrong", "X-Forwarded-For",
		"198.51.100.9"); code != http.StatusTooManyRequests {
		t.Errorf("a wrong token after others: %d", code)
	}
}

// Wrong tokens from an address do not shut out who has a right one.
func TestRightTokenAfterWrongOnes(t *testing.T) {
	var secret string
	_, h := offline(t, func(o *Options) {
		secret = secretOf(&o.Access, "ann", "viewer", "*", time.Now().Add(time.Hour))
		o.Store = emptyStore(t)
	})
	for range 12 {
		from(h, "192.0.2.1", "POST", "/sign-in", "token=wrong")
	}
	if code := from(h, "192.0.2.1", "POST", "/sign-in", "token="+secret); code != http.StatusSeeOther {
		t.Errorf("a right token after wrong ones: %d", code)
	}
}

// One user cannot take the streams of the others.
func TestStreamsOfOneUser(t *testing.T) {
	l := newLive()
	for i := range maxClients {
		if ok := l.add(&client{user: "viewer"}); ok != (i < maxOfUser) {
			t.Fatalf("stream %d of one user: %v", i, ok)
		}
	}
	for i := range maxOfUser {
		if !l.add(&client{user: "other"}) {
			t.Fatalf("stream %d of another user is refused", i)
		}
	}
}

func TestLocalPath(t *testing.T) {
	for _, path := range []string{
		"/\t/evil.example", "/\n/evil.example", "/\r/evil.example", "//evil.example", "/\\evil.example", "\t//evil.example",
		"https://evil.example", "/\x00/evil.example", "/\u0085/evil.example", "",
	} {
		if got := local(path); got != "/" {
			t.Errorf("%q leads to %q", path, got)
		}
	}
	if got := local("/queue?a=b"); got != "/queue?a=b" {
		t.Errorf("a path of this site became %q", got)
	}
}

// A provider that accepts and stays silent keeps no one waiting longer than its timeout, and one sign-in does not wait
// for another.
func TestProviderHangs(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	_, h := offline(t, func(o *Options) {
		o.SignIn, o.OIDC = ByOIDC, OIDC{Issuer: silent.URL, ClientID: "c", Name: "name", Groups: "groups"}
		o.Store = emptyStore(t)
	})
	began := time.Now()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			code := from(h, "192.0.2.1", "GET", "/sign-in/oidc", "", "Sec-Fetch-Site", "same-origin")
			if code != http.StatusInternalServerError {
				t.Errorf("status %d", code)
			}
		})
	}
	if code := from(h, "192.0.2.1", "GET", "/sign-in", ""); code != http.StatusOK {
		t.Errorf("another page: %d", code)
	}
	all.Wait()
	testkit.Within(t, "8 sign-ins at a silent provider", time.Since(began), 4*oidcTimeout)
}

// What a token or a group may do ends with the access file that gave it, without a restart.
func TestAccessIsReplaced(t *testing.T) {
	var secret string
	c, h := offline(t, func(o *Options) {
		secret = secretOf(&o.Access, "ann", "viewer", "*", time.Now().Add(time.Hour))
		o.Store = emptyStore(t)
	})
	if code := from(h, "192.0.2.1", "GET", "/help", "", "Authorization", "Bearer "+secret); code != http.StatusOK {
		t.Fatalf("a token: %d", code)
	}
	c.SetAccess(Access{})
	code := from(h, "192.0.2.1", "GET", "/help", "", "Authorization", "Bearer "+secret)
	if code != http.StatusUnauthorized {
		t.Errorf("a revoked token: %d", code)
	}
}

// The log lists a number of refusals in a minute, and of each a bounded text; a wrong token is one of them.
func TestLogCannotBeFlooded(t *testing.T) {
	s := emptyStore(t)
	actor := "flood" + rand.Text()
	var secret string
	_, h := offline(t, func(o *Options) {
		secret = secretOf(&o.Access, actor, "viewer", "*", time.Now().Add(time.Hour))
		o.Store = s
	})
	for i := range 200 {
		from(h, "192.0.2.7", "GET", fmt.Sprintf("/findings/%d%s/events", i, strings.Repeat("x", 9000)), "", "Authorization",
			"Bearer "+secret)
		from(h, "192.0.2.8", "GET", "/queue", "", "Authorization", "Bearer wrong")
	}
	var n, size, wrong uint64
	err := s.Conn().QueryRow(t.Context(), "SELECT countIf(actor = '"+actor+"'), max(length(object)), countIf(remote = "+
		"'192.0.2.8' AND detail LIKE 'unknown%') FROM "+s.Table("console_log")).Scan(&n, &size, &wrong)
	if err != nil || n > 2*(maxRefused+1) || n < maxRefused || size > 600 || wrong < maxRefused || wrong > 2*maxRefused {
		t.Errorf("%d lines of a viewer, %d of wrong tokens, the longest text of %d bytes: %v", n, wrong, size, err)
	}
}

func TestPublicHashIsRefused(t *testing.T) {
	for _, secret := range []string{"test", ""} {
		_, err := ReadAccess(strings.NewReader(fmt.Sprintf("tokens: [{name: a, sha256: %x, expires: 2027-01-01T00:00:00Z, "+
			"grants: [{role: viewer, properties: ['*']}]}]", sha256.Sum256([]byte(secret)))))
		if err == nil || !strings.Contains(err.Error(), "audit token new") {
			t.Errorf("the hash of %q: %v", secret, err)
		}
	}
}
