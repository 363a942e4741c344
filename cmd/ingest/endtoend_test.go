//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/finding"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/enginetest"
	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/monitor/monitortest"
	"github.com/shoeproof/shoeproof/internal/replay"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/file"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// faulty is how many tables break a rule.
const faulty = 24

// floor is legal tables of each kind, and tables that break a rule, one after the other.
func floor(t testing.TB) []schema.Event {
	t.Helper()
	var events []schema.Event
	for i, kind := range deal.Kinds() {
		config, err := deal.Config(kind, uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		table := deal.NewTable(deal.Options{
			Property: "sim-" + kind, Pit: "p1", Table: "legal-" + kind, Config: config,
			Seed: uint64(i),
		})
		events = slices.Concat(events, table.Open(), table.ShoeOf(8), table.ShoeOf(5), table.Close())
	}
	faults := fault.All()
	for i := range faulty {
		f := faults[i*len(faults)/faulty]
		o := deal.Options{Table: fmt.Sprintf("broken-%02d", i), Property: fmt.Sprintf("sim-%02d", i), Pit: "p2"}
		broken, _, err := fault.Plant(o, f, 1)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, broken...)
	}
	return events
}

// ndjson is findings as `audit replay -o ndjson` prints them, sorted.
func ndjson(t testing.TB, findings []finding.Finding) []string {
	t.Helper()
	var lines []string
	for i := range findings {
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(&findings[i]); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, out.String())
	}
	slices.Sort(lines)
	return lines
}

// replayed is what a replay of the events finds.
func replayed(t testing.TB, events []schema.Event) ([]string, auditor.Counts) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "floor.pb.zst")
	if err := schema.WriteFile(path, events); err != nil {
		t.Fatal(err)
	}
	law := settings.DefaultIngest().Law
	opt, err := law.Options("test")
	if err != nil {
		t.Fatal(err)
	}
	sink := pipeline.NewMemorySink()
	src, err := file.Open([]string{path}, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := replay.Files(t.Context(), src, opt, sink, nil)
	if err != nil {
		t.Fatal(err)
	}
	return ndjson(t, sink.Findings()), sum.Counts
}

func number(t testing.TB, ch *engine.ClickHouse, query string) int {
	t.Helper()
	body := ask(t, ch, query)
	n, err := strconv.Atoi(body)
	if err != nil {
		t.Fatalf("%s: %s", query, body)
	}
	return n
}

// stored is true once n events are in the archive.
func stored(t testing.TB, ch *engine.ClickHouse, n int) func() bool {
	return func() bool { return number(t, ch, "SELECT count() FROM v_events") == n }
}

// ask returns the result of a query as text.
func ask(t testing.TB, ch *engine.ClickHouse, query string) string {
	t.Helper()
	text, err := enginetest.Query(t.Context(), ch, "shoeproof", query)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(text)
}

// What comes through Kafka, ingest and ClickHouse is what a replay of the same events prints.
func TestEndToEnd(t *testing.T) {
	t.Parallel()
	ch := startClickHouse(t, "")
	broker := startKafka(t)
	config := migrate(t, ch)
	events := floor(t)
	want, counts := replayed(t, events)
	if len(want) < faulty {
		t.Fatalf("%d findings of %d planted faults", len(want), faulty)
	}
	p := start(t, "--kafka-brokers", broker.Addrs[0], "--clickhouse-addrs", ch.Addr)
	publish(t, broker, events)
	testkit.Await(t, "all shoes are in ClickHouse", func() bool {
		return number(t, ch,
			"SELECT count() FROM v_shoes") >= int(counts.Shoes)
	})
	if code, _ := p.probe(t, "/readyz"); code != http.StatusOK {
		t.Errorf("/readyz is %d", code)
	}
	for query, n := range map[string]uint64{
		"SELECT count() FROM v_events": counts.Events, "SELECT count() FROM v_rounds": counts.Rounds,
		"SELECT count() FROM v_dead_letters": 0,
	} {
		testkit.Await(t, fmt.Sprintf("%s is %d", query, n), func() bool { return number(t, ch, query) == int(n) })
	}
	for _, line := range []string{
		fmt.Sprintf("shoeproof_events_total %d", counts.Events),
		fmt.Sprintf("shoeproof_tables_open %d", faulty+len(deal.Kinds())),
		"shoeproof_partitions 4", "shoeproof_dead_letters_total 0", `shoeproof_findings_total{severity="critical"}`,
		`shoeproof_lag_records{partition="0"} 0`,
		`shoeproof_watermark_timestamp_seconds{partition="0"}`,
		fmt.Sprintf("shoeproof_event_to_finding_seconds_count %d", len(want)),
		"shoeproof_gaps_total", "shoeproof_journal_differences_total 0", "shoeproof_write_failures_total 0",
		`shoeproof_kafka_errors_total{cause="network"}`,
		"shoeproof_build_info{",
	} {
		testkit.Await(t, "/metrics has "+line, func() bool {
			_, metrics := p.probe(t, "/metrics")
			return strings.Contains(metrics, line)
		})
	}
	// Every series of the alerts exists. Other programs have separate tests.
	_, metrics := p.probe(t, "/metrics")
	ours := func(name string) bool {
		return !slices.ContainsFunc([]string{"watch", "console", "gateway"},
			func(program string) bool { return strings.HasPrefix(name, "shoeproof_"+program+"_") })
	}
	monitortest.Asked(t, metrics, ours, "../../deploy", monitortest.Alerts)
	latency(t, broker, ch)
	told := time.Now()
	if code := p.end(t); code != cli.Done {
		t.Errorf("exit code %d, want %d:\n%s", code, cli.Done, p.stderr.String())
	}
	t.Logf("%d events, %d findings; stopped %v after it was told", counts.Events, len(want),
		time.Since(told).Round(time.Millisecond))
	testkit.Within(t, "stopping", time.Since(told), 10*time.Second)
	sameFindings(t, config, want)
}

// sameFindings compares the findings in ClickHouse after the last write.
func sameFindings(t testing.TB, config clickhouse.Config, want []string) {
	t.Helper()
	store, err := clickhouse.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	found, err := store.Findings(t.Context(), clickhouse.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, ndjson(t, found)); diff != "" {
		t.Errorf("findings differ from those of a replay (-replay +ClickHouse):\n%s", diff)
	}
}

// After a stop with every table in the middle of a shoe, the next process resumes, and the findings equal a replay's.
func TestStoppedAndStarted(t *testing.T) {
	t.Parallel()
	ch := startClickHouse(t, "")
	broker := startKafka(t)
	config := migrate(t, ch)
	events := floor(t)
	want, counts := replayed(t, events)
	first, second := halves(events)
	args := []string{"--kafka-brokers", broker.Addrs[0], "--clickhouse-addrs", ch.Addr}
	publish(t, broker, first)
	p := start(t, args...)
	testkit.Await(t, "half of the events are in ClickHouse", stored(t, ch, len(first)))
	if code := p.end(t); code != cli.Done {
		t.Fatalf("exit code %d, want %d:\n%s", code, cli.Done, p.stderr.String())
	}
	publish(t, broker, second)
	p = start(t, args...)
	testkit.Await(t, "all shoes are in ClickHouse", func() bool {
		return number(t, ch,
			"SELECT count() FROM v_shoes") >= int(counts.Shoes)
	})
	if code := p.end(t); code != cli.Done {
		t.Errorf("exit code %d, want %d:\n%s", code, cli.Done, p.stderr.String())
	}
	sameFindings(t, config, want)
}

// halves cuts each table's events in two.
func halves(events []schema.Event) (first, second []schema.Event) {
	total := map[string]uint64{}
	for i := range events {
		total[events[i].TableID]++
	}
	for i := range events {
		if ev := events[i]; ev.Seq <= total[ev.TableID]/2 {
			first = append(first, ev)
		} else {
			second = append(second, ev)
		}
	}
	return first, second
}

// publish writes the events as a floor does.
func publish(t testing.TB, broker *engine.Kafka, events []schema.Event) {
	t.Helper()
	newPublisher(t, broker.Addrs[0], topic).send(t, events)
}

// A publisher writes events as a floor does, half of the tables as JSON.
type publisher map[schema.Format]*kafka.Writer

func newPublisher(t testing.TB, broker, topic string) publisher {
	t.Helper()
	p := publisher{}
	for _, format := range []schema.Format{schema.Protobuf, schema.JSON} {
		p[format] = writer(t, broker, topic, format)
	}
	return p
}

func (p publisher) send(t testing.TB, events []schema.Event) {
	t.Helper()
	for _, format := range []schema.Format{schema.Protobuf, schema.JSON} {
		var half []schema.Event
		for i := range events {
			if (len(events[i].TableID)%2 == 0) == (format == schema.JSON) {
				half = append(half, events[i])
			}
		}
		for chunk := range slices.Chunk(half, 2000) {
			if err := p[format].Write(t.Context(), chunk...); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func writer(t testing.TB, broker, topic string, format schema.Format) *kafka.Writer {
	t.Helper()
	w, err := kafka.NewWriter(kafka.Config{Brokers: []string{broker}, Topic: topic}, format)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// latency plays one table, an event every 20 ms, and logs how long each takes until a query sees it.
func latency(t testing.TB, broker *engine.Kafka, ch *engine.ClickHouse) {
	t.Helper()
	const n = 50
	table := deal.NewTable(deal.Options{Table: "latency", Config: must(deal.Config("nj-mini", 1)), Seed: 1})
	events := append(table.Open(), table.ShoeOf(12)...)[:n]
	w := writer(t, broker.Addrs[0], topic, schema.Protobuf)
	sent := make([]time.Time, n)
	var took []time.Duration
	next := time.Now()
	for played := 0; len(took) < n; {
		if now := time.Now(); played < n && !now.Before(next) {
			sent[played], next = now, next.Add(20*time.Millisecond)
			if err := w.Write(t.Context(), events[played]); err != nil {
				t.Fatal(err)
			}
			played++
		}
		seen := number(t, ch, "SELECT count() FROM events WHERE table_id = 'latency'")
		for now := time.Now(); len(took) < seen; {
			took = append(took, now.Sub(sent[len(took)]))
		}
		if played == n && time.Since(sent[n-1]) > time.Minute {
			t.Fatalf("%d of %d events are visible a minute after the last", len(took), n)
		}
	}
	slices.Sort(took)
	t.Logf("event to visible row: p50 %v, p99 %v, most %v", took[n/2].Round(time.Millisecond),
		took[n*99/100].Round(time.Millisecond), took[n-1].Round(time.Millisecond))
}

func must(c schema.TableConfig, err error) schema.TableConfig {
	if err != nil {
		panic(err)
	}
	return c
}
