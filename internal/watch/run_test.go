//go:build unix

package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/clickhousetest"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/enginetest"
	"github.com/shoeproof/shoeproof/internal/monitor/monitortest"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// What a watch shows is what it stored. While ClickHouse is away it lives and is not ready; afterwards it goes on
// where it was, with what was closed meanwhile and nothing twice.
func TestRunIsWatched(t *testing.T) {
	alone := enginetest.ClickHouse(t, engine.ClickHouseOptions{})
	s := clickhousetest.Open(t, server.MigratedAs(t, alone, "watched"))
	play(t, s, "t-01", "s1-1", 2)
	play(t, s, "t-02", "", 2)
	rows := func(of string) float64 { t.Helper(); return float64(count(t, s, "SELECT "+of)) }
	rounds, evidence := "count() FROM "+s.Table("rounds")+" FINAL", "count() FROM "+s.Table("evidence")+" FINAL"
	alarms := func(severity string) string {
		return "countIf(severity = '" + severity + "') FROM " + s.Table("findings") + " FINAL WHERE kind = 'anomaly'"
	}
	// Alarms of keys that end with the shoe come from ingest.
	before := map[string]float64{
		evidence: rows(evidence), alarms("critical"): rows(alarms("critical")),
		alarms("major"): rows(alarms("major")),
	}

	config := settings.DefaultAudit()
	config.ClickHouse.Addrs, config.ClickHouse.Database = []string{alone.Addr}, "watched"
	config.Watch.MetricsListen = "127.0.0.1:0"
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	at, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- Run(ctx, &config, RunOptions{
			Options: Options{Property: "ac-1", Patience: 24 * 365 * time.Hour, Engine: options()}, Version: "1.2.3",
			Holder: "test",
			Every:  50 * time.Millisecond, Log: slog.New(slog.DiscardHandler), Listening: func(addr string) { at <- addr },
			Passed: func(Step) {},
		})
	}()
	url := "http://" + <-at
	const of = `{property="ac-1"}`
	page := ""
	shown := func(name string) float64 { t.Helper(); return monitortest.Figure(t, page, name) }
	scrape := func() { t.Helper(); _, page = monitortest.Get(t, url+"/metrics") }
	testkit.Await(t, "a pass over all", func() bool {
		scrape()
		return shown("shoeproof_watch_last_pass_timestamp_seconds"+of) > 0 && shown("shoeproof_watch_shoes_total"+of) == 4
	})
	if code, _ := monitortest.Get(t, url+"/readyz"); code != http.StatusOK {
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
	if ago := float64(time.Now().Unix()) - shown("shoeproof_watch_last_progress_timestamp_seconds"+of); ago > 300 ||
		ago < -2 {
		t.Errorf("the last progress is %v s ago", ago)
	}
	if took := shown("shoeproof_watch_last_pass_seconds" + of); took <= 0 || took > 300 {
		t.Errorf("the last pass took %v s", took)
	}
	if shown(`shoeproof_watch_errors_total{cause="pass",property="ac-1"}`) != 0 {
		t.Error("errors at the start")
	}
	fixed, words := regexp.MustCompile(`^(ac-1|watch|1\.2\.3|[0-9a-f]{12})$`), regexp.MustCompile(`^[a-z]+$`)
	monitortest.Labelled(t, page, 10, map[string]*regexp.Regexp{
		"property": fixed, "program": fixed, "version": fixed, "rules": fixed, "severity": words, "cause": words,
	})
	ours := func(name string) bool { return strings.HasPrefix(name, "shoeproof_watch_") }
	monitortest.Asked(t, page, ours, "../../deploy", monitortest.Alerts, monitortest.Panels)

	alone.Kill()
	testkit.Await(t, "not ready", func() bool {
		code, _ := monitortest.Get(t, url+"/readyz")
		return code == http.StatusServiceUnavailable
	})
	testkit.Await(t, "errors are counted",
		func() bool { scrape(); return shown(`shoeproof_watch_errors_total{cause="pass",property="ac-1"}`) > 1 })
	if code, _ := monitortest.Get(t, url+"/healthz"); code != http.StatusOK {
		t.Errorf("/healthz is %d while ClickHouse is away", code)
	}
	if err := alone.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	last := count(t, s, "SELECT toUInt64(toUnixTimestamp64Nano(max(closed_at))) FROM "+s.Table("shoes")+" FINAL")
	played, seen := shown("shoeproof_watch_rounds_total"+of), shown("shoeproof_watch_shoes_total"+of)
	play(t, s, "t-03", "", 3)
	later := fmt.Sprintf("FROM %s FINAL WHERE closed_at > fromUnixTimestamp64Nano(toInt64(%d))", s.Table("shoes"), last)
	testkit.Await(t, "it goes on", func() bool { scrape(); return shown("shoeproof_watch_shoes_total"+of) > seen })
	testkit.Await(t, "ready again", func() bool {
		code,
			_ := monitortest.Get(t, url+"/readyz")
		return code == http.StatusOK
	})
	if have, want := shown("shoeproof_watch_shoes_total"+of)-seen, rows("count() "+later); have != want {
		t.Errorf("%v more shoes, want the %v that were closed since, once", have, want)
	}
	if have, want := shown("shoeproof_watch_rounds_total"+of)-played,
		rows(fmt.Sprintf("%s WHERE settled_at > fromUnixTimestamp64Nano(toInt64(%d))", rounds, last)); have != want {
		t.Errorf("%v more rounds, want %v", have, want)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("told to stop: %v", err)
	}
}

// A wrong database ends a run at once; a second watch of a property is not ready, and waits.
func TestRunWaitsOrEnds(t *testing.T) {
	cfg := server.Migrated(t)
	s := clickhousetest.Open(t, cfg)
	config := settings.DefaultAudit()
	config.ClickHouse.Addrs = cfg.Addrs
	o := RunOptions{
		Options: Options{Property: "ac-1", Behind: time.Minute, Patience: time.Hour, Engine: options()}, Version: "1",
		Holder: "second",
		Every:  20 * time.Millisecond, Log: slog.New(slog.DiscardHandler), Passed: func(Step) {},
	}
	config.ClickHouse.Database = "nothing"
	if err := Run(t.Context(), &config, o); err == nil || !strings.Contains(err.Error(), "audit migrate") {
		t.Errorf("%v, want to be told to migrate", err)
	}
	config.ClickHouse.Database = cfg.Database
	o.Known = func(context.Context, *clickhouse.Store) error { return errors.New("no event of it is stored") }
	o.Once = true
	if err := Run(t.Context(), &config, o); err == nil || !strings.Contains(err.Error(), "no event of it") {
		t.Errorf("%v, want an error about the property", err)
	}
	o.Once = false // a watch that continues waits for its events
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
	testkit.Await(t, "it was told that another is at it", func() bool {
		return count(t, s, "SELECT count() FROM "+s.Table("leases")+" WHERE state = 'alive'") > 0
	})
	if code, _ := monitortest.Get(t, url+"/readyz"); code != http.StatusServiceUnavailable {
		t.Errorf("/readyz is %d while another watches", code)
	}
	let()
	if err := <-kept; err != nil {
		t.Error(err)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	testkit.Await(t, "ready once the other is gone",
		func() bool { code, _ := monitortest.Get(t, url+"/readyz"); return code == http.StatusOK })
	if _, page := monitortest.Get(t, url+"/metrics"); monitortest.Figure(t, page,
		`shoeproof_watch_errors_total{cause="pass",property="ac-1"}`) != 0 {
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
