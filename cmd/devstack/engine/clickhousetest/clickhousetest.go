//go:build unix

// Package clickhousetest gives tests databases of ClickHouse with the schema.
package clickhousetest

import (
	"testing"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/enginetest"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// Server is the ClickHouse of a test binary. The zero value is ready.
type Server struct{ enginetest.Server }

// Migrated is the configuration of a new database with the schema.
func (s *Server) Migrated(t testing.TB) clickhouse.Config {
	t.Helper()
	return s.MigratedAs(t, s.Start(t), s.Database())
}

// MigratedAs creates a database with the schema in any server.
func (s *Server) MigratedAs(t testing.TB, c *engine.ClickHouse, database string) clickhouse.Config {
	t.Helper()
	cfg := clickhouse.Config{
		Addrs: []string{c.Addr}, Database: database, User: "default", RulesVersion: "r1", Engine: "test", RowVersion: 1,
	}
	s.Migrate(t, c, database, func() error {
		_, _, err := clickhouse.Migrate(t.Context(), cfg)
		return err
	})
	return cfg
}

// Open is a store that is closed at the end of the test.
func Open(t testing.TB, cfg clickhouse.Config) *clickhouse.Store {
	t.Helper()
	s, err := clickhouse.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
