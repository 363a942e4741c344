package settings

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/export/s3"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// rowVersion decides between rows of one key that two releases wrote: the higher one stays. A release whose rows
// replace the findings of earlier releases increments it.
const rowVersion = 1

// Options returns the engine's options.
func (c *Law) Options(version string) (engine.Options, error) {
	calendar, err := c.Calendar.calendar()
	if err != nil {
		return engine.Options{}, err
	}
	books, err := c.Books()
	if err != nil {
		return engine.Options{}, err
	}
	key, successors, err := patronKeys(string(c.PatronKey))
	if err != nil {
		return engine.Options{}, fmt.Errorf("patron_key: %w", err)
	}
	budget := c.Detectors.budget()
	return engine.Options{
		Books: books, Calendar: calendar, PatronKey: key, Successors: successors, Version: cli.Engine(version),
		Budget: &budget,
	}, nil
}

// budget returns the false-alarm budget. Volumes without a setting scale with the volumes that have one.
func (c *FalseAlarmBudget) budget() detectors.Budget {
	p := detectors.DefaultBudget()
	v := &p.Volume
	turns, visits := float64(c.Rounds)/v.Rounds, float64(c.Visits)/v.Sessions
	p.FalseAlarms = float64(c.FalseAlarms)
	*v = detectors.Volume{
		Rounds: float64(c.Rounds), Shoes: float64(c.Shoes), PatronRounds: float64(c.PatronRounds),
		Sessions: float64(c.Visits),
		Stints:   v.Stints * turns, Pairings: v.Pairings * visits,
	}
	p.Policy.PickUps = nil
	for _, name := range c.PickUpOrders {
		if order, ok := detectors.ParsePickUp(name); ok { // others are refused by check
			p.Policy.PickUps = append(p.Policy.PickUps, order)
		}
	}
	for _, text := range c.Suppliers {
		if prefix, name, ok := strings.Cut(text, "="); ok { // others are refused by check
			p.Policy.Suppliers = append(p.Policy.Suppliers, detectors.Supplier{Prefix: prefix, Name: name})
		}
	}
	p.Policy.BoughtAtCage, p.Policy.Differential = !c.ChipsAtTable, c.Differential
	return p
}

// Books returns the shipped rulebooks and the rulebooks of files.
func (c *Law) Books() (law.Books, error) {
	if c.checked != nil {
		return maps.Clone(c.checked), nil
	}
	return c.BooksWith(nil)
}

// BooksWith returns the same rulebooks and further ones, keyed by the name that errors give.
func (c *Law) BooksWith(further map[string][]byte) (law.Books, error) {
	more := map[string][]byte{}
	maps.Copy(more, further)
	var wrong []error
	for _, path := range c.Rulebooks {
		data, err := readSmall(path)
		more[path], wrong = data, append(wrong, err)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return rules.ShippedWith(more)
}

// RulesVersion is a digest of all rulebooks.
func RulesVersion(books law.Books) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(books)) {
		fmt.Fprintln(sum, books[name].Ref())
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}

// Store returns the configuration of the ClickHouse adapter; only writers set the rest of it.
func (c *ClickHouse) Store(version string, books law.Books, log *slog.Logger) (clickhouse.Config, error) {
	tls, err := c.TLS.Config()
	if err != nil {
		return clickhouse.Config{}, fmt.Errorf("clickhouse.tls: %w", err)
	}
	return clickhouse.Config{
		Addrs: c.Addrs, Database: c.Database, Cluster: c.Cluster, Bare: !c.Replicated, User: c.User,
		Password: clickhouse.Secret(c.Password), TLS: tls,
		RulesVersion: RulesVersion(books), Engine: cli.Engine(version), RowVersion: rowVersion, Log: log,
	}, nil
}

// Store returns the configuration of the ClickHouse adapter, with the key of the journal.
func (c *Ingest) Store(version string, books law.Books, log *slog.Logger) (clickhouse.Config, error) {
	out, err := c.ClickHouse.Store(version, books, log)
	if err == nil {
		out.ChainKeys, err = rows.ParseChainKeys(string(c.Journal.Key))
	}
	return out, err
}

// Store returns the configuration of the ClickHouse adapter, with the keys of the chains.
func (c *Audit) Store(version string, books law.Books, log *slog.Logger) (clickhouse.Config, error) {
	out, err := c.ClickHouse.Store(version, books, log)
	if err == nil {
		out.ChainKeys, err = rows.ParseChainKeys(string(c.Console.ChainKey))
		out.RunsKept = c.Retention.Exports
	}
	return out, err
}

// Source returns the configuration of the Kafka adapter; client is the client id at the brokers.
func (c *Kafka) Source(client string, log *slog.Logger) (kafka.Config, error) {
	tls, err := c.TLS.Config()
	if err != nil {
		return kafka.Config{}, fmt.Errorf("kafka.tls: %w", err)
	}
	return kafka.Config{
		Brokers: c.Brokers, Topic: c.Topic, Group: c.Group, ClientID: client, TLS: tls, Log: log,
		SASL: kafka.SASL{Mechanism: c.SASL.Mechanism, Username: c.SASL.Username, Password: string(c.SASL.Password)},
	}, nil
}

// Stored reports whether the log is in an object store.
func (c *Export) Stored() bool { return strings.Contains(c.Log, "://") }

// Objects returns the configuration of the object store of a stored log.
func (c *Export) Objects() (s3.Config, error) {
	bucket, prefix, err := s3.ParseURL(c.Log)
	if err != nil {
		return s3.Config{}, fmt.Errorf("export.log: %w", err)
	}
	tls, err := (&TLS{Enabled: true, CAFile: c.S3.CAFile}).Config()
	if err != nil {
		return s3.Config{}, fmt.Errorf("export.s3.%w", err)
	}
	return s3.Config{
		Endpoint: c.S3.Endpoint, Region: c.S3.Region, Bucket: bucket, Prefix: prefix, AccessKey: c.S3.AccessKey,
		SecretKey: string(c.S3.SecretKey), TLS: tls,
	}, nil
}

// Strict returns a TLS configuration with forward secrecy and authenticated encryption only. Go's default accepts
// ECDHE with AES in CBC mode and SHA-1 in TLS 1.2.
func Strict() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, CipherSuites: []uint16{
		tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
		tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
	}}
}

// Config returns the TLS configuration, nil for plain TCP.
func (c *TLS) Config() (*tls.Config, error) {
	if !c.Enabled {
		return nil, nil
	}
	out := Strict()
	out.ServerName = c.ServerName
	if c.CAFile != "" {
		pool, err := c.pool()
		if err != nil {
			return nil, fmt.Errorf("ca_file: %w", err)
		}
		out.RootCAs = pool
	}
	if c.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("cert_file: %w", err)
		}
		out.Certificates = []tls.Certificate{pair}
	}
	return out, nil
}

func (c *Log) level() (slog.Level, error) {
	switch c.Level {
	case "debug":
		return slog.LevelDebug, nil
	case "info":
		return slog.LevelInfo, nil
	case "warn":
		return slog.LevelWarn, nil
	case "error":
		return slog.LevelError, nil
	}
	return slog.LevelInfo, fmt.Errorf("%q, want debug, info, warn or error", c.Level)
}

// Logger returns a logger to out.
func (c *Log) Logger(out io.Writer) *slog.Logger {
	level, _ := c.level()
	o := &slog.HandlerOptions{Level: level}
	if c.Format == "text" {
		return slog.New(slog.NewTextHandler(out, o))
	}
	return slog.New(slog.NewJSONHandler(out, o))
}
