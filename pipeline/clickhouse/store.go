// Package clickhouse stores the rows of the pipeline in ClickHouse and reads them back.
//
// Open connects to a database that Migrate has brought to the schema of this release. Write stores one batch: its row
// of the journal, then each table in one insert. Every insert has a token that is made of its range, so an insert with
// an unknown outcome is sent again and stored once. Keys and ReplacingMergeTree are the second guard: read the v_
// views, or with FINAL. Other methods read facts, findings, the archive and the journal for the nightly audit, the
// reports and the exports. The package evaluates no rule; columns are declared in schema/rows.
package clickhouse

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	ch "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema/migrations"
)

// A Store is a database of Shoeproof. It is safe for concurrent use.
type Store struct {
	conn      driver.Conn
	cfg       Config
	journal   table
	tables    []table
	encoders  sync.Pool // of *encoder
	inserting atomic.Int64
	streams   chan *stream // idle
	pace      pace
	causes    causes
}

var _ pipeline.Sink = (*Store)(nil)

// Open connects to a database. Its schema must be the one of this release, see Migrate.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	s, err := connect(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := s.CheckSchema(ctx); err != nil {
		_ = s.conn.Close()
		return nil, err
	}
	return s, nil
}

func connect(ctx context.Context, cfg Config) (*Store, error) {
	cfg, err := cfg.settle()
	if err != nil {
		return nil, err
	}
	if _, err := cfg.layout().CreateDatabase(); err != nil {
		return nil, fmt.Errorf("clickhouse: %w", err)
	}
	conn, err := ch.Open(&ch.Options{
		Addr:             cfg.Addrs,
		Auth:             ch.Auth{Username: cfg.User, Password: string(cfg.Password)}, // names are qualified
		TLS:              cfg.TLS,
		DialTimeout:      cfg.DialTimeout, // also the longest wait for a free connection
		ReadTimeout:      cfg.ReadTimeout,
		MaxOpenConns:     cfg.MaxConns,
		MaxIdleConns:     cfg.MaxConns,
		ConnOpenStrategy: ch.ConnOpenInOrder,
		Compression:      &ch.Compression{Method: ch.CompressionLZ4},
		Settings: ch.Settings{
			"async_insert":                  0,        // on by default since 26.2
			"distributed_foreground_insert": 1,        // the answer comes after the shards stored the rows
			"distributed_product_mode":      "global", // a subquery reads all shards; no effect on one server
			migrations.PruneFinal:           0,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("clickhouse %s: %w", strings.Join(cfg.Addrs, ","), err)
	}
	s := &Store{
		conn: conn, cfg: cfg, pace: pace{first: 100 * time.Millisecond, max: 10 * time.Second},
		streams: make(chan *stream, cfg.MaxConns),
	}
	s.encoders.New = func() any { return &encoder{} }
	s.journal = s.journalTable()
	s.tables = s.dataTables()
	if err := s.Ping(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return s, nil
}

// Ping checks that the server answers and accepts the user.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.DialTimeout)
	defer cancel()
	return s.explain("connect", s.conn.Ping(ctx))
}

// Conns returns the number of connections in use and idle.
func (s *Store) Conns() (inUse, idle int) {
	stats := s.conn.Stats()
	return stats.Open + int(s.inserting.Load()), stats.Idle + len(s.streams)
}

// Conn returns the pool, for statements of other packages. Table returns the names of its tables.
func (s *Store) Conn() driver.Conn { return s.conn }

// Table is the full name of a table or view.
func (s *Store) Table(name string) string { return s.name(name) }

// Close closes the connections.
func (s *Store) Close() error {
	for len(s.streams) > 0 {
		_ = (<-s.streams).conn.Close()
	}
	return s.conn.Close()
}

// SchemaVersion is the number of the last applied migration, 0 without one.
func (s *Store) SchemaVersion(ctx context.Context) (uint32, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	var v uint32
	err := s.conn.QueryRow(ctx, "SELECT max(version) FROM "+s.name("schema_migrations")).Scan(&v)
	if code := codeOf(err); code == unknownTable || code == unknownDatabase {
		return 0, nil
	}
	return v, s.explain("read the schema's version", err)
}

// CheckSchema returns an error with the remedy unless the schema is the one of this release.
func (s *Store) CheckSchema(ctx context.Context) error {
	known, err := migrations.All()
	if err != nil {
		return err
	}
	have, err := s.SchemaVersion(ctx)
	if err != nil {
		return err
	}
	want := uint32(len(known))
	switch {
	case have < want:
		return fmt.Errorf("clickhouse: %w: database %s has schema %d, this release needs %d: run `audit migrate`",
			ErrSchema, s.cfg.Database, have, want)
	case have > want:
		return fmt.Errorf("clickhouse: %w: database %s has schema %d, this release knows up to %d: use a newer release",
			ErrSchema, s.cfg.Database, have, want)
	}
	return nil
}

func (s *Store) name(table string) string { return s.cfg.layout().Name(table) }
