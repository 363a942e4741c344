//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
	"github.com/shoeproof/shoeproof/schema"
)

const (
	topic      = "table-events"
	partitions = 6
	// patronKey is the key of simulated patrons.
	patronKey = "demo-patrons-are-not-real"
)

// stack has both engines and the settings of ingest for them.
type stack struct {
	kafka      *engine.Kafka
	clickhouse *engine.ClickHouse
	dir        string
	// settings are the settings of ingest.
	settings settings.Ingest
	store    clickhouse.Config
}

// startStack starts the engines in a temporary folder and creates the tables. Port 0 is a free port.
func startStack(ctx context.Context, log io.Writer, kafkaPort, port, httpPort int) (_ *stack, err error) {
	s := &stack{settings: settings.DefaultIngest()}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop())
		}
	}()
	if s.dir, err = os.MkdirTemp("", "shoeproof-devstack-"); err != nil {
		return nil, fmt.Errorf("create a temporary folder: %w", err)
	}
	o := engine.KafkaOptions{Topics: map[string]int32{topic: partitions}}
	if kafkaPort > 0 {
		o.Ports = []int{kafkaPort}
	}
	if s.kafka, err = engine.StartKafka(o); err != nil {
		return nil, err
	}
	s.clickhouse, err = engine.StartClickHouse(ctx, engine.ClickHouseOptions{
		Dir: filepath.Join(s.dir, "clickhouse"), Port: port, HTTPPort: httpPort, Output: log,
	})
	if err != nil {
		return nil, err
	}
	c := &s.settings
	c.Kafka.Brokers, c.Kafka.Topic = s.kafka.Addrs, topic
	c.ClickHouse.Addrs = []string{s.clickhouse.Addr}
	c.HTTP.Listen = "127.0.0.1:0"
	c.Law.PatronKey = patronKey
	c.Log = settings.Log{Level: "warn", Format: "text"}
	if s.store, err = c.ClickHouse.Store(version, nil, nil); err != nil {
		return nil, err
	}
	if _, _, err = clickhouse.Migrate(ctx, s.store); err != nil {
		return nil, err
	}
	return s, nil
}

// stop ends the engines and removes their folder.
func (s *stack) stop() error {
	if s.clickhouse != nil {
		s.clickhouse.Stop()
	}
	if s.kafka != nil {
		s.kafka.Stop()
	}
	if s.dir == "" {
		return nil
	}
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("remove the temporary folder: %w", err)
	}
	return nil
}

// failed returns when ctx is done, or with the cause if the server ends and cannot be started again.
func (s *stack) failed(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-s.clickhouse.Failed():
		return s.clickhouse.Err()
	}
}

func (s *stack) writer() (*kafka.Writer, error) {
	return kafka.NewWriter(kafka.Config{Brokers: s.kafka.Addrs, Topic: topic, ClientID: "devstack-floor"}, schema.Protobuf)
}

// query runs a query over HTTP, as a person would with curl.
func (s *stack) query(ctx context.Context, statement string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url(), strings.NewReader(statement))
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", fmt.Errorf("query ClickHouse: %w", err)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return "", fmt.Errorf("query ClickHouse: %w", err)
	}
	text := strings.TrimSpace(string(body))
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("query ClickHouse: %s: %s", statement, text)
	}
	return text, nil
}

func (s *stack) count(ctx context.Context, from string) (int, error) {
	text, err := s.query(ctx, "SELECT count() FROM "+from)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

func (s *stack) url() string {
	database := "database=" + s.settings.ClickHouse.Database
	u := url.URL{Scheme: "http", Host: s.clickhouse.HTTPAddr, Path: "/", RawQuery: database}
	return u.String()
}

// queries prints examples of further queries.
func (s *stack) queries(out io.Writer) {
	fmt.Fprintf(out, `More queries: the tables are in database %s (native protocol at %s):

  curl '%s' -d "SELECT * FROM v_findings_by_rule ORDER BY findings DESC FORMAT PrettyCompact"
  curl '%s' -d "SELECT * FROM v_findings_by_table ORDER BY critical DESC, major DESC FORMAT PrettyCompact"
  curl '%s' -d "SELECT table_id, shoe_id, round, spot, stake, expected, expected_paid, disposition, paid FROM v_wagers
    WHERE paid != expected_paid AND expected != 'undetermined' LIMIT 20 FORMAT PrettyCompact"
`, s.settings.ClickHouse.Database, s.clickhouse.Addr, s.url(), s.url(), s.url())
}
