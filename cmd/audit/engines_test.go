//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	kafkago "github.com/segmentio/kafka-go"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/enginetest"
	"github.com/shoeproof/shoeproof/export/s3"
	"github.com/shoeproof/shoeproof/export/s3/s3test"
	"github.com/shoeproof/shoeproof/internal/tracing/tracingtest"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// Scripts that need a ClickHouse, a database of its own each, and a Kafka: topic table-events has a
// shoe in one of its two partitions, topics brief and compacted are not kept as they should.
func TestScriptsWithEngines(t *testing.T) {
	ch := enginetest.ClickHouse(t, engine.ClickHouseOptions{})
	k, err := engine.StartKafka(engine.KafkaOptions{Topics: map[string]int32{
		"table-events": 2, "brief": 1,
		"compacted": 1,
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Stop)
	fill(t, k.Addrs)
	bucket := s3test.Config(t)
	collector := tracingtest.Start(t)
	for topic, set := range map[string][2]string{
		"brief":     {"retention.ms", "3600000"},
		"compacted": {"cleanup.policy", "compact"},
	} {
		client := &kafkago.Client{Addr: kafkago.TCP(k.Addrs...)}
		_, err := client.IncrementalAlterConfigs(t.Context(),
			&kafkago.IncrementalAlterConfigsRequest{Resources: []kafkago.IncrementalAlterConfigsRequestResource{{
				ResourceType: kafkago.ResourceTypeTopic, ResourceName: topic,
				Configs: []kafkago.IncrementalAlterConfigsRequestConfig{{Name: set[0], Value: set[1]}},
			}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Run("scripts", func(t *testing.T) {
		testscript.Run(t, testscript.Params{
			Dir: "testdata/engines", RequireExplicitExec: true, RequireUniqueNames: true,
			Setup: func(env *testscript.Env) error {
				name := env.WorkDir[strings.LastIndexByte(env.WorkDir, '/')+1:]
				env.Setenv("SHOEPROOF_CLICKHOUSE_ADDRS", ch.Addr)
				env.Setenv("SHOEPROOF_CLICKHOUSE_DATABASE", strings.ReplaceAll(name, "-", "_"))
				env.Setenv("SHOEPROOF_KAFKA_BROKERS", k.Addrs[0])
				env.Setenv("SHOEPROOF_PATRON_KEY", "a-key-for-tests-only")
				env.Setenv("HTTP", ch.HTTPAddr)
				env.Setenv("SHOEPROOF_TRACING_ENDPOINT", collector.URL)
				env.Setenv("BUCKET", bucket.Bucket)
				env.Setenv("SHOEPROOF_EXPORT_S3_ENDPOINT", bucket.Endpoint)
				env.Setenv("SHOEPROOF_EXPORT_S3_ACCESS_KEY", bucket.AccessKey)
				env.Setenv("SHOEPROOF_EXPORT_S3_SECRET_KEY", bucket.SecretKey)
				return nil
			},
			Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "sql": sql, "s3get": s3get},
		})
	})
	spans := map[string]bool{}
	for _, s := range collector.Spans() {
		kind, _, _ := strings.Cut(s.Name, " ")
		spans[kind] = true
	}
	for _, kind := range []string{"audit", "replay", "conclude", "coverage", "records", "read", "write"} {
		if !spans[kind] {
			t.Errorf("no span of %s in %v", kind, spans)
		}
	}
}

func fill(t *testing.T, brokers []string) {
	t.Helper()
	config, err := deal.Config("nj-mini", 1)
	if err != nil {
		t.Fatal(err)
	}
	table := deal.NewTable(deal.Options{Table: "t-1", Config: config, Seed: 1})
	w, err := kafka.NewWriter(kafka.Config{Brokers: brokers, Topic: "table-events"}, schema.Protobuf)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(t.Context(), append(table.Open(), table.ShoeOf(2)...)...); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// s3get copies what s3://BUCKET/NAME holds into a file.
func s3get(ts *testscript.TestScript, _ bool, args []string) {
	bucket, name, err := s3.ParseURL(args[0])
	ts.Check(err)
	store, err := s3.Open(context.Background(), s3.Config{
		Endpoint: ts.Getenv("SHOEPROOF_EXPORT_S3_ENDPOINT"), Bucket: bucket,
		AccessKey: ts.Getenv("SHOEPROOF_EXPORT_S3_ACCESS_KEY"), SecretKey: ts.Getenv("SHOEPROOF_EXPORT_S3_SECRET_KEY"),
	})
	ts.Check(err)
	body, _, err := store.Get(context.Background(), name)
	ts.Check(err)
	data, err := io.ReadAll(body)
	ts.Check(errors.Join(err, body.Close()))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o600))
}

// sql runs a file's statement in the script's database.
func sql(ts *testscript.TestScript, _ bool, args []string) {
	at := url.URL{Scheme: "http", Host: ts.Getenv("HTTP"), Path: "/", RawQuery: "database=" +
		ts.Getenv("SHOEPROOF_CLICKHOUSE_DATABASE")}
	resp, err := http.Post(at.String(), "text/plain", strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	body, err := io.ReadAll(resp.Body)
	ts.Check(err)
	ts.Check(resp.Body.Close())
	if resp.StatusCode != http.StatusOK {
		ts.Fatalf("%s: %s", args[0], body)
	}
}
