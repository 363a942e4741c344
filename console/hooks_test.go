//go:build unix

package console

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
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

// hookCalls records the calls of hooks.
type hookCalls struct {
	mu        sync.Mutex
	responses []Response
	refused   []string
	notices   []string
}

func (h *hookCalls) hooks() Hooks {
	return Hooks{
		Responded: func(a Response) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.responses = append(h.responses, a)
		},
		SignInRefused: func(by string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.refused = append(h.refused, by)
		},
		Notified: func(channel, outcome string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.notices = append(h.notices, channel+" "+outcome)
		},
	}
}

// hooked returns a console whose hooks are counted.
func hooked(t *testing.T, change func(*Options)) (*Console, http.Handler, *hookCalls) {
	t.Helper()
	h := &hookCalls{}
	c, handler := offline(t, func(o *Options) {
		o.PublicURL = &url.URL{Scheme: "http", Host: "127.0.0.1"}
		o.Log, o.Store, o.Hooks = slog.New(slog.DiscardHandler), emptyStore(t), h.hooks()
		if change != nil {
			change(o)
		}
	})
	return c, handler, h
}

// The hook Responded is called once for each request, with the pattern of the route and never with text of the request.
func TestResponded(t *testing.T) {
	_, handler, h := hooked(t, nil)
	for _, x := range []struct {
		method, target string
		header         []string
		route, by      string
		status         int
		refused        []string
	}{
		{"GET", "/healthz", nil, "/healthz", "GET", 200, nil},
		{"HEAD", "/healthz", nil, "/healthz", "GET", 200, nil},
		{"GET", "/sign-in", nil, "/sign-in", "GET", 200, nil},
		{"GET", "/patrons/ac-1/p-4711", nil, "/patrons/{property}/{patron}", "GET", 401, nil},
		{"GET", "/queue?table=t-1", []string{"Accept", "text/html"}, "/queue", "GET", 303, nil},
		{
			"GET", "/api/v1/findings/f-1",
			[]string{"Authorization", "Bearer wrong"},
			"/api/v1/findings/{id}", "GET", 401,
			[]string{ByToken},
		},
		{"GET", "/p-4711", nil, otherRoute, otherRoute, 404, nil},
		{"GET", "/queue/p-4711/", nil, otherRoute, otherRoute, 404, nil},
		{"GET", "//queue/../p-4711", nil, otherRoute, otherRoute, 307, nil},
		{"p-4711", "/queue", nil, otherRoute, otherRoute, 403, nil}, // an unknown method from another site
		{"POST", "/sign-in", []string{"Origin", "http://elsewhere.example"}, "/sign-in", "POST", 403, nil},
		{"POST", "/sign-in", []string{"Sec-Fetch-Site", "same-origin"}, "/sign-in", "POST", 401, []string{ByToken}},
		{"GET", "/metrics", nil, otherRoute, otherRoute, 404, nil},
	} {
		h.responses, h.refused = nil, nil
		r := httptest.NewRequestWithContext(t.Context(), x.method, x.target, nil)
		if x.method == "p-4711" {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		}
		for i := 0; i+1 < len(x.header); i += 2 {
			r.Header.Set(x.header[i], x.header[i+1])
		}
		handler.ServeHTTP(httptest.NewRecorder(), r)
		if len(h.responses) != 1 {
			t.Errorf("%s %s: %d calls", x.method, x.target, len(h.responses))
			continue
		}
		a := h.responses[0]
		if a.Route != x.route || a.Method != x.by || a.Status != x.status || a.Stream || a.Took <= 0 {
			t.Errorf("%s %s is %+v, want %s %s %d", x.method, x.target, a, x.by, x.route, x.status)
		}
		if !slices.Equal(h.refused, x.refused) {
			t.Errorf("%s %s: refused %v, want %v", x.method, x.target, h.refused, x.refused)
		}
	}
}

// The hook SignInRefused counts sign-ins above the limit too.
func TestSignInRefusedAboveLimit(t *testing.T) {
	_, handler, h := hooked(t, nil)
	for range 15 {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/sign-in", strings.NewReader("token=guess"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	codes := map[int]int{}
	for _, a := range h.responses {
		codes[a.Status]++
	}
	if codes[401] != 10 || codes[429] != 5 || len(h.refused) != 15 {
		t.Errorf("statuses %v, refused %d, want 10 of 401, 5 of 429, and 15", codes, len(h.refused))
	}
}

// Identity headers that are not from the proxy are refused sign-ins; a request without a user is not.
func TestSignInRefusedByProxy(t *testing.T) {
	secret := strings.Repeat("s", 32)
	_, handler, h := hooked(t, func(o *Options) {
		o.SignIn, o.Proxy = ByProxy, Proxy{From: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, Secret: secret}
	})
	for _, header := range [][]string{
		{"X-Shoeproof-Secret", secret},
		{"X-Forwarded-User", "ann"},
		{"X-Forwarded-User", "ann", "X-Forwarded-Groups", "cooks", "X-Shoeproof-Secret", secret},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/queue", nil)
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	if !slices.Equal(h.refused, []string{ByProxy, ByProxy}) {
		t.Errorf("refused %v", h.refused)
	}
}

// A panic is reported as status 500, a client that disconnects as 499.
func TestRespondedAfterPanic(t *testing.T) {
	c, _, h := hooked(t, nil)
	mux := http.NewServeMux()
	func() {
		defer func() { _ = recover() }()
		panics := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		c.observed(mux, panics).ServeHTTP(httptest.NewRecorder(), r)
	}()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.observed(mux, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).
		ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
	if len(h.responses) != 2 || h.responses[0].Status != 500 || h.responses[1].Status != 499 {
		t.Errorf("%+v, want 500 and 499", h.responses)
	}
}

// The hook Notified is called for each channel when a notification is queued, and when it is sent, fails or is dropped.
func TestNotified(t *testing.T) {
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(hook.Close)
	tried := 0
	c, _, h := hooked(t, func(o *Options) {
		o.Webhook = notify.Webhook{URL: hook.URL, Secret: "a secret of the hook"}
		o.Topic = func(context.Context, string, []byte) error { tried++; return errors.New("no leader") }
	})
	c.pause = time.Microsecond
	c.leading.Store(true)
	for _, o := range c.outlets {
		o.queue = make(chan notice, 1)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	c.announce([]store.OpenFinding{{ID: "one", Severity: "critical"}, {ID: "dropped", Severity: "critical"}})
	for _, o := range c.outlets {
		wait.Go(func() { c.deliver(ctx, o) })
	}
	want := []string{
		"topic failed", "topic failed", "topic queued", "topic queued", "webhook failed", "webhook queued", "webhook queued",
		"webhook sent",
	}
	var got []string
	testkit.Await(t, "all notices", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		got = slices.Sorted(slices.Values(h.notices))
		return len(got) >= len(want)
	})
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	cancel()
	wait.Wait()
	if tried != 5 {
		t.Errorf("%d attempts, want 5", tried)
	}
	c.announce([]store.OpenFinding{{ID: "one", Severity: "critical"}})
	for _, o := range c.outlets {
		if len(o.queue) > 0 {
			t.Errorf("%s has a finding again that it has sent, or tried", o.Name)
		}
	}
	// Without the lease nothing is queued, and what is queued is not sent.
	c.leading.Store(false)
	late, o := store.OpenFinding{ID: "late", Severity: "critical"}, c.outlets[0]
	c.announce([]store.OpenFinding{late})
	if len(o.queue) > 0 {
		t.Error("a console without the lease announces a finding")
	}
	o.put(c, notice{finding: late})
	ctx, cancel = context.WithCancel(t.Context())
	wait.Go(func() { c.deliver(ctx, o) })
	testkit.Await(t, "the notice", func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return !o.busy[late.ID]
	})
	cancel()
	wait.Wait()
	if o.history(late.ID) != (past{}) {
		t.Error("a console without the lease sends a finding")
	}
}

// Without a read from ClickHouse, the age of the queue counts from the start of the console.
func TestStatus(t *testing.T) {
	now := time.Now()
	c, _, _ := hooked(t, func(o *Options) { o.Now = func() time.Time { return now } })
	now = now.Add(90 * time.Second)
	if v := c.Status(); v.QueueAge != 90*time.Second || v.Streams != 0 {
		t.Errorf("%+v", v)
	}
	cl := &client{next: make(chan struct{}, 1)}
	c.live.add(cl)
	if v := c.Status(); v.Streams != 1 {
		t.Errorf("%d streams, want 1", v.Streams)
	}
	c.live.remove(cl)
	if v := c.Status(); v.Streams != 0 {
		t.Errorf("%d streams, want 0", v.Streams)
	}
}
