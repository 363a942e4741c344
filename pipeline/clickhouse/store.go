// Package clickhouse keeps the rows of the pipeline in ClickHouse.
//
// Every insert carries a token made of its range, so that an insert whose outcome is unknown can be
// sent again and is stored once. Keys and ReplacingMergeTree are the second net: read the v_ views,
// or with FINAL.
package clickhouse

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	ch "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema/migrations"
)

// A Store is a database of ours. Its methods may be called from many goroutines.
type Store struct {
	conn    driver.Conn
	cfg     Config
	journal table
	tables  []table
	scratch sync.Pool // of *scratch
	pace    pace
	causes  causes
}

var _ pipeline.Sink = (*Store)(nil)

// Open connects to a database whose schema is the one that this program knows; Migrate makes it so.
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
		// A block is sent in pieces of so many bytes, or of a column, and a connection keeps no buffers between blocks:
		// each would keep those of the longest that it ever sent.
		MaxCompressionBuffer: 256 << 10,
		FreeBufOnConnRelease: true,
		Settings: ch.Settings{
			"async_insert":                  0,        // on by default since 26.2, and forgets the token
			"distributed_foreground_insert": 1,        // an answer means that the shards have it
			"distributed_product_mode":      "global", // a subquery is of all shards; one server makes no difference
		},
	})
	if err != nil {
		return nil, fmt.Errorf("clickhouse %s: %w", strings.Join(cfg.Addrs, ","), err)
	}
	s := &Store{conn: conn, cfg: cfg, pace: pace{first: 100 * time.Millisecond, most: 10 * time.Second}}
	s.scratch.New = func() any { return newScratch() }
	s.journal = s.journalTable()
	s.tables = s.dataTables()
	if err := s.Ping(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return s, nil
}

// Ping asks whether the server answers and knows the user.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.DialTimeout)
	defer cancel()
	return s.explain("connect", s.conn.Ping(ctx))
}

// Conns are the connections of the pool: those in use and those kept.
func (s *Store) Conns() (inUse, idle int) {
	stats := s.conn.Stats()
	return stats.Open, stats.Idle
}

// Conn is the pool, for those who have statements of their own. They name tables by Table.
func (s *Store) Conn() driver.Conn { return s.conn }

// Table is the full name of a table or view.
func (s *Store) Table(name string) string { return s.name(name) }

// Close closes the connections.
func (s *Store) Close() error { return s.conn.Close() }

// SchemaVersion is the number of the last migration applied, 0 before the first.
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

// CheckSchema is nil if the schema is the one that this program knows, and otherwise says what to do.
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
		return fmt.Errorf("clickhouse: database %s has schema %d, this program needs %d: run `audit migrate`: %w", s.cfg.Database, have, want, ErrSchema)
	case have > want:
		return fmt.Errorf("clickhouse: database %s has schema %d, this program knows up to %d: use a newer release: %w", s.cfg.Database, have, want, ErrSchema)
	}
	return nil
}

func (s *Store) name(table string) string { return s.cfg.layout().Name(table) }
