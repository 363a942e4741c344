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

	"github.com/shoeproof/shoeproof/console/store"
)

// heard is what hooks were told.
type heard struct {
	mu      sync.Mutex
	answers []Answer
	refused []string
	notices []string
}

func (h *heard) hooks() Hooks {
	return Hooks{
		Answered: func(a Answer) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.answers = append(h.answers, a)
		},
		SignInRefused: func(by string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.refused = append(h.refused, by)
		},
		Notified: func(channel, is string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.notices = append(h.notices, channel+" "+is)
		},
	}
}

// alone is a console without a ClickHouse, for what asks none.
func alone(t *testing.T, change func(*Options)) (*Console, http.Handler, *heard) {
	t.Helper()
	h := &heard{}
	u, err := url.Parse("http://127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		PublicURL: u, SignIn: ByToken, Now: time.Now, Log: slog.New(slog.DiscardHandler), Store: &store.Store{}, Hooks: h.hooks(),
	}
	if change != nil {
		change(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := c.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return c, handler, h
}

// Each request is told once, by the pattern of its route and never by what it names.
func TestAnswersAreTold(t *testing.T) {
	_, handler, h := alone(t, nil)
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
		{"GET", "/api/v1/findings/f-1", []string{"Authorization", "Bearer wrong"}, "/api/v1/findings/{id}", "GET", 401, []string{ByToken}},
		{"GET", "/p-4711", nil, Other, Other, 404, nil},
		{"GET", "/queue/p-4711/", nil, Other, Other, 404, nil},
		{"GET", "//queue/../p-4711", nil, Other, Other, 307, nil},
		{"p-4711", "/queue", nil, Other, Other, 403, nil}, // an unsafe method of nobody knows whom
		{"POST", "/sign-in", []string{"Origin", "http://elsewhere.example"}, "/sign-in", "POST", 403, nil},
		{"POST", "/sign-in", []string{"Sec-Fetch-Site", "same-origin"}, "/sign-in", "POST", 401, []string{ByToken}},
		{"GET", "/metrics", nil, Other, Other, 404, nil},
	} {
		h.answers, h.refused = nil, nil
		r := httptest.NewRequestWithContext(t.Context(), x.method, x.target, nil)
		if x.method == "p-4711" {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		}
		for i := 0; i+1 < len(x.header); i += 2 {
			r.Header.Set(x.header[i], x.header[i+1])
		}
		handler.ServeHTTP(httptest.NewRecorder(), r)
		if len(h.answers) != 1 {
			t.Errorf("%s %s was told %d times", x.method, x.target, len(h.answers))
			continue
		}
		a := h.answers[0]
		if a.Route != x.route || a.Method != x.by || a.Status != x.status || a.Stream || a.Took <= 0 {
			t.Errorf("%s %s is %+v, want %s %s %d", x.method, x.target, a, x.by, x.route, x.status)
		}
		if !slices.Equal(h.refused, x.refused) {
			t.Errorf("%s %s: refused %v, want %v", x.method, x.target, h.refused, x.refused)
		}
	}
}

// Too many sign-ins are refused too.
func TestGuessesAreTold(t *testing.T) {
	_, handler, h := alone(t, nil)
	for range 15 {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/sign-in", strings.NewReader("token=guess"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	codes := map[int]int{}
	for _, a := range h.answers {
		codes[a.Status]++
	}
	if codes[401] != 10 || codes[429] != 5 || len(h.refused) != 15 {
		t.Errorf("answers %v, refused %d, want 10 of 401, 5 of 429, and 15", codes, len(h.refused))
	}
}

// An identity that a proxy did not vouch for is refused; nobody in person is not.
func TestProxiedIdentitiesAreTold(t *testing.T) {
	secret := strings.Repeat("s", 32)
	_, handler, h := alone(t, func(o *Options) {
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

// An answer that breaks off in a panic failed, and one that nobody waited for is nobody's fault.
func TestBrokenAnswersAreTold(t *testing.T) {
	c, _, h := alone(t, nil)
	mux := http.NewServeMux()
	func() {
		defer func() { _ = recover() }()
		c.counted(mux, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })).
			ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	}()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.counted(mux, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).
		ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
	if len(h.answers) != 2 || h.answers[0].Status != 500 || h.answers[1].Status != 499 {
		t.Errorf("%+v, want 500 and 499", h.answers)
	}
}

// What becomes of a notification is told in each channel: it is sent, fails after some attempts, or finds no room.
func TestNotificationsAreTold(t *testing.T) {
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(hook.Close)
	tried := 0
	c, _, h := alone(t, func(o *Options) {
		o.Webhook = Webhook{URL: hook.URL, Secret: "a secret of the hook"}
		o.Topic = func(context.Context, string, []byte) error { tried++; return errors.New("no leader") }
	})
	ctx, cancel := context.WithCancel(t.Context())
	queue := make(chan notification, 1)
	var wait sync.WaitGroup
	c.announce([]store.Waiting{{ID: "one"}, {ID: "one too many"}}, queue)
	wait.Go(func() { c.deliver(ctx, queue) })
	want := []string{
		"webhook queued", "topic queued", "webhook queued", "topic queued", "webhook failed", "topic failed", "webhook sent", "topic failed",
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		h.mu.Lock()
		told := slices.Clone(h.notices)
		h.mu.Unlock()
		if len(told) >= len(want) || time.Now().After(end) {
			if !slices.Equal(told, want) {
				t.Errorf("%v, want %v", told, want)
			}
			break
		}
	}
	cancel()
	wait.Wait()
	if tried != 5 {
		t.Errorf("%d attempts, want 5", tried)
	}
}

// A console that has not heard of ClickHouse is behind since it began.
func TestVitals(t *testing.T) {
	now := time.Now()
	c, _, _ := alone(t, func(o *Options) { o.Now = func() time.Time { return now } })
	now = now.Add(90 * time.Second)
	if v := c.Vitals(); v.Behind != 90*time.Second || v.Streams != 0 {
		t.Errorf("%+v", v)
	}
	cl := &client{word: make(chan change, 1)}
	c.live.add(cl)
	if v := c.Vitals(); v.Streams != 1 {
		t.Errorf("%d streams, want 1", v.Streams)
	}
	c.live.remove(cl)
	if v := c.Vitals(); v.Streams != 0 {
		t.Errorf("%d streams, want 0", v.Streams)
	}
}
