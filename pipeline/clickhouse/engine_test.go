//go:build unix

package clickhouse

import (
	"os"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/enginetest"
	"github.com/shoeproof/shoeproof/pipeline"
)

const users = `<clickhouse>
<profiles><default/><cramped><max_memory_usage>100000</max_memory_usage></cramped></profiles><quotas><default/></quotas>
<users>
	<default><password/><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
	<ingest><password>noble-hand</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></ingest>
	<cramped><password/><networks><ip>127.0.0.1</ip></networks><profile>cramped</profile><quota>default</quota></cramped>
	<guest><password/><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
		<grants><query>GRANT SELECT ON *.*</query></grants></guest>
</users>
</clickhouse>`

// server is the one ClickHouse of this test binary; each test has a database of its own.
var server = enginetest.Server{Users: users}

func TestMain(m *testing.M) {
	engine.HostClickHouse()
	os.Exit(server.Run(m))
}

// empty is the configuration of a database that does not exist yet.
func empty(t testing.TB) Config {
	t.Helper()
	return Config{
		Addrs:    []string{server.Start(t).Addr},
		Database: server.Database(),
		User:     "ingest", Password: "noble-hand",
		RulesVersion: "r1", Engine: "test", RowVersion: 7,
	}
}

// migrated is the configuration of an empty database with the schema.
func migrated(t testing.TB) Config {
	t.Helper()
	cfg := empty(t)
	server.Migrate(t, server.Start(t), cfg.Database, func() error {
		_, _, err := Migrate(t.Context(), cfg)
		return err
	})
	return cfg
}

func open(t testing.TB, cfg Config) *Store {
	t.Helper()
	s, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.pace = pace{first: time.Millisecond, max: 10 * time.Millisecond}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func value[T any](t testing.TB, s *Store, query string) (v T) {
	t.Helper()
	if err := s.conn.QueryRow(t.Context(), query).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

// rowsOf counts without FINAL: what is really stored.
func rowsOf(t testing.TB, s *Store, table string) uint64 {
	t.Helper()
	return value[uint64](t, s, "SELECT count() FROM "+s.name(table))
}

func write(t testing.TB, s *Store, b *pipeline.Batch) {
	t.Helper()
	if err := s.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}
