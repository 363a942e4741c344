package monitor

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/shoeproof/shoeproof/internal/monitor/monitortest"
)

// The port serves three paths during the work. The readiness probe fails while the work is not ready, and does not
// reveal the cause.
func TestServer(t *testing.T) {
	var trouble error
	m := New("audit watch", "1.2.3", "abc")
	m.For("property", "ac-1").Counter("things_total", "Things.").Add(3)
	at := make(chan string, 1)
	s := Server{
		Setting: "x.listen", Listen: "127.0.0.1:0", Listening: func(addr string) { at <- addr }, Metrics: m,
		Ready: func(context.Context) error { return trouble },
	}
	done := errors.New("done")
	err := s.While(t.Context(), func(context.Context) error {
		url := "http://" + <-at
		for _, c := range []struct {
			trouble            error
			method, path, want string
			code               int
		}{
			{nil, "GET", "/healthz", "ok\n", 200},
			{nil, "GET", "/readyz", "ready\n", 200},
			{errors.New("user audit at 10.1.2.3"), "GET", "/readyz", "not ready\n", 503},
			{errors.New("user audit at 10.1.2.3"), "GET", "/healthz", "ok\n", 200},
			{nil, "GET", "/", "404 page not found\n", 404},
			{nil, "GET", "/queue", "404 page not found\n", 404},
			{nil, "GET", "/debug/pprof/", "404 page not found\n", 404},
			{nil, "POST", "/metrics", "Method Not Allowed\n", 405},
		} {
			trouble = c.trouble
			req, err := http.NewRequestWithContext(t.Context(), c.method, url+c.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if code, body := monitortest.Do(t, http.DefaultClient, req); code != c.code || body != c.want {
				t.Errorf("%s %s is %d %q, want %d %q", c.method, c.path, code, body, c.code, c.want)
			}
		}
		_, body := monitortest.Get(t, url+"/metrics")
		for _, line := range []string{
			"shoeproof_build_info{program=\"audit watch\",rules=\"abc\",version=\"1.2.3\"} 1\n",
			"shoeproof_things_total{property=\"ac-1\"} 3\n", "go_goroutines ",
		} {
			if !strings.Contains(body, line) {
				t.Errorf("/metrics has no %q", line)
			}
		}
		return done
	})
	if !errors.Is(err, done) {
		t.Errorf("%v, want what the work returned", err)
	}
}

// Without an address nothing listens. An address in use is wrong usage, and the error names the setting.
func TestServerListens(t *testing.T) {
	s := Server{Setting: "x.listen", Metrics: New("p", "v", "r"), Ready: func(context.Context) error { return nil }}
	worked := false
	if err := s.While(t.Context(), func(context.Context) error { worked = true; return nil }); err != nil || !worked {
		t.Errorf("without an address: %v, worked %v", err, worked)
	}
	taken := httptest.NewServer(http.NotFoundHandler())
	defer taken.Close()
	s.Listen = taken.Listener.Addr().String()
	err := s.While(t.Context(), func(context.Context) error { t.Error("it works"); return nil })
	if err == nil || !strings.HasPrefix(err.Error(), "x.listen: ") {
		t.Errorf("%v, want a complaint about x.listen", err)
	}
}

// The work ends when its context is cancelled.
func TestServerStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	s := Server{Listen: "127.0.0.1:0", Metrics: New("p", "v", "r"), Ready: func(context.Context) error { return nil }}
	err := s.While(ctx, func(ctx context.Context) error {
		stop()
		<-ctx.Done()
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Names and help are as Prometheus wants them.
func TestNames(t *testing.T) {
	m := New("p", "v", "r")
	m.BySeverity("findings_total", "Findings.")
	m.GaugeFunc("age_seconds", "Age.", func() float64 { return 7 })
	m.Histogram("work_seconds", "Work.", prometheus.DefBuckets)
	if n, err := testutil.GatherAndCount(m, "shoeproof_findings_total"); err != nil || n != 4 {
		t.Errorf("%d severities at the start, %v; want 4", n, err)
	}
	problems, err := testutil.GatherAndLint(m, "shoeproof_build_info", "shoeproof_findings_total", "shoeproof_age_seconds",
		"shoeproof_work_seconds")
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

// Frequent requests get the cached result.
func TestAtMostOncePerSecond(t *testing.T) {
	asked := 0
	ready := AtMostOncePerSecond(func(context.Context) error { asked++; return errors.New("no") })
	for range 100 {
		if ready(t.Context()) == nil {
			t.Fatal("ready")
		}
	}
	if asked > 2 {
		t.Errorf("asked %d times in a moment", asked)
	}
}
