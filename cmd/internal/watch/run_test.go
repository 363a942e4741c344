//go:build unix

package watch

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// await asks until it is so.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// figure is a metric of a page, -1 if it is not there.
func figure(t *testing.T, page, name string) float64 {
	t.Helper()
	for line := range strings.Lines(page) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	return -1
}

// What a watch shows is what it stored. While ClickHouse is away it lives and is not ready; afterwards it goes on
// where it was, with what was closed meanwhile and nothing twice.
func TestRunIsWatched(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a ClickHouse")
	}
	dir := t.TempDir()
	server, err := engine.StartClickHouse(t.Context(), engine.ClickHouseOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Stop() })
	cfg := clickhouse.Config{Addrs: []string{server.Addr}, Database: "watched", User: "default", RulesVersion: "r1", Engine: "test", RowVersion: 1}
	if _, _, err := clickhouse.Migrate(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	s, err := clickhouse.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	play(t, s, "t-01", "s1-1", 2)
	play(t, s, "t-02", "", 2)
	rows := func(of string) float64 { t.Helper(); return float64(count(t, s, "SELECT "+of)) }
	rounds, evidence := "count() FROM "+s.Table("rounds")+" FINAL", "count() FROM "+s.Table("evidence")+" FINAL"
	alarms := func(severity string) string {
		return "countIf(severity = '" + severity + "') FROM " + s.Table("findings") + " FINAL WHERE kind = 'anomaly'"
	}
	// Those of keys that end with the shoe are the stream's.
	before := map[string]float64{evidence: rows(evidence), alarms("critical"): rows(alarms("critical")), alarms("major"): rows(alarms("major"))}

	config := settings.DefaultAudit()
	config.ClickHouse.Addrs, config.ClickHouse.Database = cfg.Addrs, cfg.Database
	config.Watch.MetricsListen = "127.0.0.1:0"
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	at, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- Run(ctx, &config, RunOptions{
			Options: Options{Property: "ac-1", Patience: 24 * 365 * time.Hour, Engine: options()}, Version: "1.2.3", Holder: "test",
			Every: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler), Listening: func(addr string) { at <- addr }, Passed: func(Step) {},
		})
	}()
	url := "http://" + <-at
	const of = `{property="ac-1"}`
	page := ""
	shown := func(name string) float64 { t.Helper(); return figure(t, page, name) }
	scrape := func() { t.Helper(); _, page = get(t, url+"/metrics") }
	await(t, "a pass over all", func() bool {
		scrape()
		return shown("shoeproof_watch_last_pass_timestamp_seconds"+of) > 0 && shown("shoeproof_watch_shoes_total"+of) == 4
	})
	if code, _ := get(t, url+"/readyz"); code != http.StatusOK {
		t.Errorf("/readyz is %d", code)
	}
	raised := 0.0
	for name, what := range map[string]string{
		"shoeproof_watch_rounds_total" + of: rounds, "shoeproof_watch_evidence_rows_total" + of: evidence,
		`shoeproof_watch_alarms_total{property="ac-1",severity="critical"}`: alarms("critical"),
		`shoeproof_watch_alarms_total{property="ac-1",severity="major"}`:    alarms("major"),
	} {
		have, want := shown(name), rows(what)-before[what]
		if have != want {
			t.Errorf("%s is %v, ClickHouse has %v", name, have, want)
		}
		if strings.Contains(name, "alarms") {
			raised += want
		}
	}
	if raised == 0 {
		t.Error("no alarm was raised: the play of this test is too honest")
	}
	newest := count(t, s, "SELECT toUInt64(toUnixTimestamp64Milli(max(at))) FROM "+s.Table("feeds")+" FINAL")
	for _, name := range []string{"feeds", "decided"} {
		if have := shown("shoeproof_watch_" + name + "_timestamp_seconds" + of); math.Abs(have-float64(newest)/1e3) > 1 {
			t.Errorf("%s is %v, want the newest event's %v", name, have, float64(newest)/1e3)
		}
	}
	if ago := float64(time.Now().Unix()) - shown("shoeproof_watch_last_progress_timestamp_seconds"+of); ago > 30 || ago < -2 {
		t.Errorf("the last progress is %v s ago", ago)
	}
	if took := shown("shoeproof_watch_last_pass_seconds" + of); took <= 0 || took > 60 {
		t.Errorf("the last pass took %v s", took)
	}
	if shown(`shoeproof_watch_errors_total{cause="pass",property="ac-1"}`) != 0 {
		t.Error("errors at the start")
	}
	labelled(t, page)
	asked(t, page)

	_, port, err := net.SplitHostPort(server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	server.Stop()
	await(t, "not ready", func() bool { code, _ := get(t, url+"/readyz"); return code == http.StatusServiceUnavailable })
	await(t, "errors are counted", func() bool { scrape(); return shown(`shoeproof_watch_errors_total{cause="pass",property="ac-1"}`) > 1 })
	if code, _ := get(t, url+"/healthz"); code != http.StatusOK {
		t.Errorf("/healthz is %d while ClickHouse is away", code)
	}
	if server, err = engine.StartClickHouse(t.Context(), engine.ClickHouseOptions{Dir: dir, Port: n}); err != nil {
		t.Fatal(err)
	}
	last := count(t, s, "SELECT toUInt64(toUnixTimestamp64Nano(max(closed_at))) FROM "+s.Table("shoes")+" FINAL")
	played, seen := shown("shoeproof_watch_rounds_total"+of), shown("shoeproof_watch_shoes_total"+of)
	play(t, s, "t-03", "", 3)
	later := fmt.Sprintf("FROM %s FINAL WHERE closed_at > fromUnixTimestamp64Nano(toInt64(%d))", s.Table("shoes"), last)
	await(t, "it goes on", func() bool { scrape(); return shown("shoeproof_watch_shoes_total"+of) > seen })
	await(t, "ready again", func() bool { code, _ := get(t, url+"/readyz"); return code == http.StatusOK })
	if have, want := shown("shoeproof_watch_shoes_total"+of)-seen, rows("count() "+later); have != want {
		t.Errorf("%v more shoes, want the %v that were closed since, once", have, want)
	}
	if have, want := shown("shoeproof_watch_rounds_total"+of)-played, rows(rounds+" WHERE shoe_id IN (SELECT shoe_id "+later+")"); have != want {
		t.Errorf("%v more rounds, want %v", have, want)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("told to stop: %v", err)
	}
}

// labelled says which labels ours have: none that tells tables, shoes or people apart.
func labelled(t *testing.T, page string) {
	t.Helper()
	label := regexp.MustCompile(`[{,](\w+)="([^"]*)"`)
	series := 0
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "shoeproof_") {
			continue
		}
		series++
		for _, l := range label.FindAllStringSubmatch(line, -1) {
			if !slices.Contains([]string{"property", "severity", "cause", "program", "rules", "version"}, l[1]) {
				t.Errorf("label %s in %s", l[1], line)
			}
		}
	}
	if series < 10 {
		t.Errorf("%d series", series)
	}
}

// asked holds alerts and panels to what is there.
func asked(t *testing.T, page string) {
	t.Helper()
	for _, file := range []string{"helm/shoeproof/files/alerts.yaml", "grafana/operators.json"} {
		text, err := os.ReadFile("../../../deploy/" + file)
		if err != nil {
			t.Fatal(err)
		}
		names := regexp.MustCompile(`\bshoeproof_watch_\w+`).FindAllString(string(text), -1)
		if len(names) == 0 {
			t.Errorf("%s asks nothing of the watch", file)
		}
		for _, name := range names {
			if !strings.Contains(page, "\n# TYPE "+name+" ") {
				t.Errorf("%s asks for %s, which is not in /metrics", file, name)
			}
		}
	}
}

// A wrong database ends a run at once; a second watch of a property is not ready, and waits.
func TestRunWaitsOrEnds(t *testing.T) {
	name := server.Database()
	s := opened(t, name)
	config := settings.DefaultAudit()
	config.ClickHouse.Addrs = []string{server.Start(t).Addr}
	o := RunOptions{
		Options: Options{Property: "ac-1", Behind: time.Minute, Patience: time.Hour, Engine: options()}, Version: "1", Holder: "second",
		Every: 20 * time.Millisecond, Log: slog.New(slog.DiscardHandler), Passed: func(Step) {},
	}
	config.ClickHouse.Database = "nothing"
	if err := Run(t.Context(), &config, o); err == nil || !strings.Contains(err.Error(), "audit migrate") {
		t.Errorf("%v, want to be told to migrate", err)
	}
	config.ClickHouse.Database = name
	lease, err := s.Take(t.Context(), "watch ac-1", "first")
	if err != nil {
		t.Fatal(err)
	}
	keeping, let := context.WithCancel(t.Context())
	kept := make(chan error, 1)
	go func() { kept <- lease.Keep(keeping) }()
	config.Watch.MetricsListen = "127.0.0.1:0"
	at, ended := make(chan string, 1), make(chan error, 1)
	o.Listening = func(addr string) { at <- addr }
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { ended <- Run(ctx, &config, o) }()
	url := "http://" + <-at
	await(t, "it was told that another is at it", func() bool {
		return count(t, s, "SELECT count() FROM "+s.Table("leases")+" WHERE state = 'alive'") > 0
	})
	if code, _ := get(t, url+"/readyz"); code != http.StatusServiceUnavailable {
		t.Errorf("/readyz is %d while another watches", code)
	}
	let()
	if err := <-kept; err != nil {
		t.Error(err)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	await(t, "ready once the other is gone", func() bool { code, _ := get(t, url+"/readyz"); return code == http.StatusOK })
	if _, page := get(t, url+"/metrics"); figure(t, page, `shoeproof_watch_errors_total{cause="pass",property="ac-1"}`) != 0 {
		t.Error("waiting for another watch is counted as an error")
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Names and help are as Prometheus wants them.
func TestMetricNames(t *testing.T) {
	problems, err := testutil.GatherAndLint(newMetrics("1", "r", "ac-1"))
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}
