//go:build linux

package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/internal/testkit"
)

// stage is a part of the work of ingest: a sample of the profile belongs to the first stage that has a function on its
// stack, called functions first.
type stage struct {
	name      string
	functions []string // prefixes
}

const module = "github.com/shoeproof/shoeproof/"

// stages are in the order of their report. Collection is the work of the collector's goroutines: an allocation belongs
// to its stage.
func stages() []stage {
	return []stage{
		{"fetch", []string{module + "pipeline/kafka.", "github.com/segmentio/"}},
		{"decode", []string{module + "schema.(*Decoder)."}},
		{"order", []string{module + "engine/order."}},
		{"fold", []string{module + "engine/play."}},
		{"rules", []string{module + "engine/verdict.", module + "rules."}},
		{"detectors", []string{module + "engine/suspicion.", module + "detectors"}},
		{"snapshot", []string{module + "engine.(*Engine).snapshot", module + "engine.(*codec)", module + "engine.codec"}},
		{"hash", []string{"crypto/sha256.", "crypto/internal/fips140/sha256.", module + "schema/rows.(*Set).Hash"}},
		{"archive and facts", []string{module + "engine/facts."}},
		{"columns", []string{module + "pipeline/clickhouse.(*columns).", module + "schema/rows."}},
		{"send", []string{module + "pipeline/clickhouse.", "github.com/ClickHouse/"}},
		{"broker, not ingest", []string{"github.com/twmb/franz-go/pkg/kfake"}},
		{"collection", []string{"runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge", "runtime.gcStart"}},
	}
}

// BenchmarkBudget prints what an event costs by stage: nanoseconds of processor time of ingest, from a CPU profile, and
// of ClickHouse. The broker is in the same process and is counted apart.
func BenchmarkBudget(b *testing.B) {
	events := hotel(b, 400_000)
	ch, broker := startClickHouse(b, ""), startKafka(b)
	migrate(b, ch)
	publish(b, broker, events)
	for b.Loop() {
		path := filepath.Join(b.TempDir(), "cpu.pprof")
		file, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		from := testkit.ProcessorTime(b, ch.PID())
		if err := pprof.StartCPUProfile(file); err != nil {
			b.Fatal(err)
		}
		p := start(b, "--kafka-brokers", broker.Addrs[0], "--clickhouse-addrs", ch.Addr)
		awaitRows(b, ch, "SELECT toInt64(sum(records)) FROM journal", len(events))
		server := testkit.ProcessorTime(b, ch.PID()) - from
		p.end(b)
		pprof.StopCPUProfile()
		if err := file.Close(); err != nil {
			b.Fatal(err)
		}
		used := byStage(b, path)
		each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(len(events)) }
		all := time.Duration(0)
		for _, s := range append(stages(), stage{name: "other"}) {
			if b.Logf("%-20s %6.0f ns/event", s.name, each(used[s.name])); s.name != "broker, not ingest" {
				all += used[s.name]
			}
		}
		b.Logf("%-20s %6.0f ns/event\n%-20s %6.0f ns/event", "process", each(all), "ClickHouse", each(server))
		b.ReportMetric(each(all), "process-ns/event")
		b.ReportMetric(each(server), "ClickHouse-ns/event")
		ask(b, ch, "DROP DATABASE shoeproof SYNC")
		migrate(b, ch)
	}
}

// byStage adds up the samples of a CPU profile by stage.
func byStage(b *testing.B, profile string) map[string]time.Duration {
	b.Helper()
	text, err := exec.Command("go", "tool", "pprof", "-traces", profile).Output()
	if err != nil {
		b.Fatal(err)
	}
	used := map[string]time.Duration{}
	var cost time.Duration
	name := ""
	finish := func() {
		if name == "" {
			name = "other"
		}
		used[name] += cost
		cost, name = 0, ""
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) > 0 && strings.HasPrefix(fields[0], "-----") {
			finish()
			continue
		}
		if len(fields) > 1 && cost == 0 { // the first line of a sample: its time and the function that was running
			if d, err := time.ParseDuration(fields[0]); err == nil {
				cost, fields = d, fields[1:]
			}
		}
		if name == "" && cost > 0 && len(fields) > 0 {
			name = stageOf(fields[0])
		}
	}
	finish()
	return used
}

func stageOf(function string) string {
	for _, s := range stages() {
		for _, prefix := range s.functions {
			if strings.HasPrefix(function, prefix) {
				return s.name
			}
		}
	}
	return ""
}
