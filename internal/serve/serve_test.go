//go:build unix

package serve

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/enginetest"
	"github.com/shoeproof/shoeproof/console"
	"github.com/shoeproof/shoeproof/console/store"
	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/internal/monitor/monitortest"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

func TestMain(m *testing.M) {
	engine.HostClickHouse()
	os.Exit(m.Run())
}

// opened is a console over a ClickHouse with an operator signed in.
type opened struct {
	*testing.T
	client          *http.Client
	console, metric string // URLs
	page            string // of /metrics
}

func (o *opened) ask(method, url, form string) (int, string) {
	o.Helper()
	req, err := http.NewRequestWithContext(o.Context(), method, url, strings.NewReader(form))
	if err != nil {
		o.Fatal(err)
	}
	if form != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return monitortest.Do(o, o.client, req)
}

// figure is a metric as it is now, -1 if it is not there.
func (o *opened) figure(name string) float64 {
	o.Helper()
	_, o.page = o.ask("GET", o.metric+"/metrics", "")
	return monitortest.Figure(o, o.page, name)
}

// The metrics of the console follow its work, name no person, and are not served at the port of the pages.
func TestConsoleIsWatched(t *testing.T) {
	server := enginetest.ClickHouse(t, engine.ClickHouseOptions{})
	cfg := clickhouse.Config{
		Addrs: []string{server.Addr}, Database: "shown", User: "default", RulesVersion: "r1",
		Engine: "test", RowVersion: 1,
	}
	if _, _, err := clickhouse.Migrate(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), cfg, clickhouse.Config{}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(hook.Close)

	config := settings.DefaultAudit()
	config.ClickHouse.Addrs, config.ClickHouse.Database = cfg.Addrs, cfg.Database
	config.Console.Listen, config.Console.Metrics = "127.0.0.1:0", "127.0.0.1:0"
	config.Console.Webhook = settings.Webhook{URL: hook.URL, Secret: "a secret of the hook"}
	law, err := config.Law.Options("test")
	if err != nil {
		t.Fatal(err)
	}
	law.PatronKey = []byte("0123456789abcdef")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &opened{T: t, client: &http.Client{Jar: jar}}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	at, shown, ended := make(chan string, 1), make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- Run(ctx, &config, Options{
			Version: "1.2.3", Log: slog.New(slog.DiscardHandler), Listening: func(url string) { at <- url },
			Metrics: func(addr string) { shown <- "http://" + addr },
		})
	}()
	o.console, o.metric = <-at, <-shown

	testkit.Await(o, "the queue was read", func() bool {
		return o.figure(`shoeproof_console_open_findings{severity="critical",urgency="1"}`) == 0 &&
			o.figure("shoeproof_console_queue_age_seconds") < 5
	})
	if code, body := o.ask("GET", o.metric+"/readyz", ""); code != 200 || body != "ready\n" {
		t.Errorf("/readyz is %d %q", code, body)
	}
	for _, path := range []string{"/", "/queue", "/sign-in", "/api/v1/queue", "/static/console.css"} {
		if code, _ := o.ask("GET", o.metric+path, ""); code != 404 {
			t.Errorf("the metrics' port answers %s with %d", path, code)
		}
	}
	if code, body := o.ask("GET", o.console+"/metrics", ""); code != 404 || strings.Contains(body, "shoeproof_") {
		t.Errorf("the console's port answers /metrics with %d %s", code, body)
	}
	if n := o.figure(`shoeproof_console_requests_total{code="4xx",method="other",route="other"}`); n != 1 {
		t.Errorf("%v requests of no route, want 1", n)
	}

	// A critical finding arrives, is sent on, and waits until somebody acknowledges it.
	breach(t, s, law)
	testkit.Await(o, "it waits", func() bool { return o.figure("shoeproof_console_unacknowledged_critical_seconds") > 0 })
	testkit.Await(o, "it was sent on", func() bool {
		return o.figure(`shoeproof_console_notifications_total{channel="webhook",outcome="sent"}`) >= 1 &&
			o.figure(`shoeproof_console_notifications_waiting{channel="webhook"}`) == 0
	})
	if n := o.figure(`shoeproof_console_notifications_total{channel="webhook",outcome="failed"}`); n != 0 {
		t.Errorf("%v notifications failed", n)
	}
	if code, _ := o.ask("POST", o.console+"/sign-in", "role=nobody"); code != 400 {
		t.Errorf("signing in as nobody: %d", code)
	}
	if code, _ := o.ask("POST", o.console+"/sign-in", "role=operator"); code != 200 {
		t.Fatalf("signing in: %d", code)
	}
	open, err := s.Open(t.Context(), store.Scope{All: true}, store.Filter{Severity: "critical"})
	if err != nil || len(open) == 0 {
		t.Fatalf("%d critical findings, %v", len(open), err)
	}
	if n := o.figure(`shoeproof_console_open_findings{severity="critical",urgency="1"}`); n != float64(len(open)) {
		t.Errorf("%v critical findings are open, want %d", n, len(open))
	}
	form := url.Values{"step": {"acknowledge"}, "next": {"/queue"}}
	for i := range open {
		form.Add("key", "f:"+open[i].ID)
	}
	before := o.figure(`shoeproof_console_requests_total{code="3xx",method="POST",route="/triage"}`)
	if code, body := o.ask("POST", o.console+"/triage", form.Encode()); code != 200 || before != -1 {
		t.Errorf("acknowledging: %d, %v such before: %s", code, before, body)
	}
	testkit.Await(o, "nobody waits",
		func() bool { return o.figure("shoeproof_console_unacknowledged_critical_seconds") == 0 })
	for name, want := range map[string]float64{
		`shoeproof_console_requests_total{code="3xx",method="POST",route="/triage"}`:                     1,
		`shoeproof_console_request_seconds_count{route="/triage"}`:                                       1,
		`shoeproof_console_open_findings{severity="critical",urgency="1"}`:                               float64(len(open)),
		`shoeproof_console_sign_ins_refused_total{by="token"}`:                                           0,
		`shoeproof_console_requests_total{code="2xx",method="GET",route="/patrons/{property}/{patron}"}`: -1,
	} {
		if have := o.figure(name); have != want {
			t.Errorf("%s is %v, want %v", name, have, want)
		}
	}
	o.ask("GET", o.console+"/patrons/ac-1/p-4711", "")
	o.ask("GET", o.console+"/tables/ac-1/t-0815", "")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, o.console+"/api/v1/queue", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer guess")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if n := o.figure(`shoeproof_console_sign_ins_refused_total{by="token"}`); resp.StatusCode != 401 || n != 1 {
		t.Errorf("a guessed token: %d, %v refused", resp.StatusCode, n)
	}
	o.labelled()
	ours := func(name string) bool { return strings.HasPrefix(name, "shoeproof_console_") }
	monitortest.Asked(o, o.page, ours, "../../deploy", monitortest.Alerts, monitortest.Panels)

	// A page listens, and goes.
	listening, leave := context.WithCancel(t.Context())
	defer leave()
	req, err = http.NewRequestWithContext(listening, http.MethodGet, o.console+"/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err = o.client.Do(req); err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	testkit.Await(o, "a page listens", func() bool { return o.figure("shoeproof_console_event_streams") == 1 })
	leave()
	testkit.Await(o, "it went", func() bool { return o.figure("shoeproof_console_event_streams") == 0 })
	testkit.Await(o, "its stream is counted", func() bool {
		return o.figure(`shoeproof_console_requests_total{code="2xx",method="GET",route="/live"}`) == 1
	})
	if n := o.figure(`shoeproof_console_request_seconds_count{route="/live"}`); n != -1 {
		t.Errorf("%v streams among the seconds of requests", n)
	}

	// ClickHouse goes away.
	server.Stop()
	testkit.Await(o, "not ready", func() bool { code, _ := o.ask("GET", o.metric+"/readyz", ""); return code == 503 })
	testkit.Await(o, "the queue grows old", func() bool { return o.figure("shoeproof_console_queue_age_seconds") > 3 })
	if code, _ := o.ask("GET", o.console+"/rates", ""); code != 503 {
		t.Errorf("/rates without ClickHouse is %d", code)
	}
	if n := o.figure(`shoeproof_console_requests_total{code="5xx",method="GET",route="/rates"}`); n != 1 {
		t.Errorf("%v failed requests of /rates, want 1", n)
	}
	if code, _ := o.ask("GET", o.metric+"/healthz", ""); code != 200 {
		t.Errorf("/healthz is %d", code)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("told to stop: %v", err)
	}
}

// breach lets a table break a critical rule.
func breach(t *testing.T, s *store.Store, law auditor.Options) {
	t.Helper()
	faults := fault.All()
	i := slices.IndexFunc(faults, func(f fault.Fault) bool { return f.Rule == "draw.banker.must-stay" })
	if i < 0 {
		t.Fatal("no such fault")
	}
	events, _, err := fault.Plant(deal.Options{
		Property: "ac-1", Pit: "p1", Table: "t-0815", Seed: 5,
		Start: time.Now().Add(-20 * time.Minute),
	}, faults[i], 5)
	if err != nil {
		t.Fatal(err)
	}
	b := &pipeline.Batch{}
	if err := auditor.New(law).Replay(auditor.Records(events), &b.Set, nil); err != nil {
		t.Fatal(err)
	}
	b.Range = pipeline.Range{Topic: "table-events", To: int64(len(events) - 1), Records: uint64(len(events))}
	if err := s.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

// labelled checks that labels have only known values: no patron, no table, no path or parameter of a request.
func (o *opened) labelled() {
	o.Helper()
	known := map[string]*regexp.Regexp{
		"route": regexp.MustCompile(`^(other|/[a-z0-9/{}$._-]*)$`), "method": regexp.MustCompile(`^(GET|POST|other)$`),
		"code":    regexp.MustCompile(`^[2-5]xx$`),
		"urgency": regexp.MustCompile(`^[1-5]$`), "severity": regexp.MustCompile(`^(critical|major|minor|info)$`),
		"channel": regexp.MustCompile(`^(webhook|topic)$`),
		"outcome": regexp.MustCompile(`^(sent|failed|lost)$`), "by": regexp.MustCompile(`^(oidc|proxy|token|none)$`),
		"le":      regexp.MustCompile(`^[0-9.+Inf]+$`),
		"program": regexp.MustCompile(`^console$`), "version": regexp.MustCompile(`^1\.2\.3$`),
		"rules": regexp.MustCompile(`^[0-9a-f]{12}$`),
	}
	monitortest.Labelled(o, o.page, 40, known)
	for _, name := range []string{"p-4711", "t-0815", "ac-1", "guess"} {
		if strings.Contains(o.page, name) {
			o.Errorf("a series has %q:\n%s", name, o.page)
		}
	}
}

// Names and help are as Prometheus wants them, and a notification that waits is one.
func TestMetrics(t *testing.T) {
	m := newMetrics("1", "r", []string{console.ToWebhook})
	h := m.hooks()
	for range 3 {
		h.Notified(console.ToWebhook, console.Queued)
	}
	h.Notified(console.ToWebhook, console.Failed)
	h.Responded(console.Response{Method: "GET", Route: "/queue", Status: 200, Took: time.Second})
	m.show(func() console.Status { return console.Status{Queue: (&store.Store{}).Backlog(time.Now(), 0)} })
	if n := testutil.ToFloat64(m.waiting.WithLabelValues(console.ToWebhook)); n != 2 {
		t.Errorf("%v wait, want 2", n)
	}
	if n := testutil.ToFloat64(m.notifications.WithLabelValues(console.ToWebhook, console.Failed)); n != 1 {
		t.Errorf("%v failed, want 1", n)
	}
	problems, err := testutil.GatherAndLint(m)
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}
