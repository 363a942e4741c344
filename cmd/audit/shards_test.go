//go:build unix

package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/engine/calendar"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/enginetest"
	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/file"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// The nightly run, each report and the export print and write the same with two shards as with one server.
func TestTwoShards(t *testing.T) {
	one := enginetest.ClickHouse(t, engine.ClickHouseOptions{})
	two := enginetest.Shards(t)
	dir := t.TempDir()
	t.Setenv("SHOEPROOF_PATRON_KEY", "a-key-for-tests-only")
	t.Setenv("SHOEPROOF_EXPORT_LICENSEE", "Example Casino LLC")
	t.Setenv("SHOEPROOF_EXPORT_KEY_FILE", filepath.Join(dir, "log.key"))
	do := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("audit %s: code %d\n%s", strings.Join(args, " "), code, &errs)
		}
		return out.String()
	}
	policy := filepath.Join(dir, "policy.txt")
	if err := os.WriteFile(policy, []byte(do("keygen", "audit.example/ac-1/findings", filepath.Join(dir, "log.key"))),
		0o600); err != nil {
		t.Fatal(err)
	}
	events := writeFloor(t, dir)

	said := map[string][2]string{}
	var bundles [2][]byte
	for i, config := range []clickhouse.Config{
		{Addrs: []string{one.Addr}},
		{Addrs: []string{two[0].Addr, two[1].Addr}, Cluster: "floor", Bare: true},
	} {
		config.Database, config.User, config.RulesVersion, config.Engine, config.RowVersion = "audit", "default", "r1",
			"test", 7
		t.Setenv("SHOEPROOF_CLICKHOUSE_ADDRS", strings.Join(config.Addrs, ","))
		t.Setenv("SHOEPROOF_CLICKHOUSE_DATABASE", config.Database)
		t.Setenv("SHOEPROOF_CLICKHOUSE_CLUSTER", config.Cluster)
		t.Setenv("SHOEPROOF_CLICKHOUSE_REPLICATED", fmt.Sprint(!config.Bare))
		own := filepath.Join(dir, fmt.Sprint(i))
		t.Setenv("SHOEPROOF_EXPORT_LOG", filepath.Join(own, "log"))
		do("migrate")
		store(t, config, events)
		for _, command := range [][]string{
			{"run", "-o", "ndjson"},
			{"run", "-o", "ndjson", "--whole"},
			{"run", "-o", "ndjson", "--shift", "day"},
			{"report", "exceptions", "-o", "csv"},
			{"report", "dealers", "-o", "csv"},
			{"report", "vigorish", "-o", "csv"},
			{"report", "hold", "-o", "csv"},
			{"report", "log", "-o", "csv"},
		} {
			pair := said[strings.Join(command, " ")]
			pair[i] = do(append(command, "--property", "ac-1", "--gaming-day", "2026-03-02")...)
			said[strings.Join(command, " ")] = pair
		}
		do("export", "--property", "ac-1", "--gaming-day", "2026-03-02", "-o", own)
		bundle := filepath.Join(own, "ac-1_2026-03-02_000001.zip")
		var err error
		if bundles[i], err = os.ReadFile(bundle); err != nil {
			t.Fatal(err)
		}
		if out := do("verify", bundle, "--policy", policy, "--against-db"); !strings.Contains(out, "11 database   ok  ") {
			t.Errorf("%s", out)
		}
	}
	for command, pair := range said {
		if pair[0] != pair[1] || strings.Count(pair[0], "\n") < 2 {
			t.Errorf("audit %s (-one server +two shards):\n%s", command,
				gocmp.Diff(strings.Split(pair[0], "\n"), strings.Split(pair[1], "\n")))
		}
	}
	single, shards := withoutChains(t, bundles[0]), withoutChains(t, bundles[1])
	if diff := gocmp.Diff(single, shards); diff != "" || len(single) < 10 {
		t.Errorf("%d and %d files in the bundles (-one server +two shards):\n%s", len(single), len(shards), diff)
	}
}

// withoutChains returns the SHA-256 of each file of a bundle, and the text of the manifest, without what follows from
// the ids and clocks of the chains of the log: their heads in the manifest, and the files that have the hash of the
// manifest.
func withoutChains(t *testing.T, bundle []byte) map[string]string {
	t.Helper()
	files, err := zip.NewReader(bytes.NewReader(bundle), int64(len(bundle)))
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for _, f := range files.File {
		data, err := fs.ReadFile(files, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		switch f.Name {
		case "SHA256SUMS", "checkpoint":
			continue
		case "manifest.json":
			var manifest map[string]any
			if err := json.Unmarshal(data, &manifest); err != nil {
				t.Fatal(err)
			}
			heads := manifest["heads"].(map[string]any)
			if len(heads["chains"].([]any)) == 0 {
				t.Error("the manifest has no heads of chains")
			}
			delete(heads, "chains")
			if data, err = json.Marshal(manifest); err != nil {
				t.Fatal(err)
			}
			sums[f.Name] = string(data)
			continue
		}
		sums[f.Name] = fmt.Sprintf("%x", sha256.Sum256(data))
	}
	return sums
}

// writeFloor is a file with a gaming day of some tables, a fault at each.
func writeFloor(t *testing.T, dir string) string {
	t.Helper()
	var events []schema.Event
	faults := slices.DeleteFunc(fault.All(), func(f fault.Fault) bool { return f.Off })
	for i := range 6 {
		planted, _, err := fault.Plant(deal.Options{
			Property: "ac-1", Pit: fmt.Sprint("p", i%3), Table: fmt.Sprintf("PB-%02d", i), Seed: uint64(i + 1),
			Start: time.Date(2026, 3, 2, 15, i, 0, 0, time.UTC),
		}, faults[i*19%len(faults)], uint64(i+1))
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, planted...)
	}
	slices.SortStableFunc(events, func(a, b schema.Event) int { return cmp.Compare(a.At, b.At) })
	path := filepath.Join(dir, "floor.ndjson")
	if err := schema.WriteFile(path, events); err != nil {
		t.Fatal(err)
	}
	return path
}

// store audits a file live, as ingest does, into ClickHouse.
func store(t *testing.T, config clickhouse.Config, path string) {
	t.Helper()
	books, err := rules.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	calendar, err := calendar.Default()
	if err != nil {
		t.Fatal(err)
	}
	sink, err := clickhouse.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sink.Close() }()
	src, err := file.Open([]string{path}, file.Options{Topic: "table-events"})
	if err != nil {
		t.Fatal(err)
	}
	err = pipeline.Run(context.WithoutCancel(t.Context()), src, sink, pipeline.RunOptions{
		NewStep: func() pipeline.Step {
			return auditor.New(auditor.Options{
				Books: books, Calendar: calendar, PatronKey: []byte("a-key-for-tests-only"),
				Version: "test",
			})
		},
		Now: time.Now, FlushRows: 5000, FlushEvery: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
}
