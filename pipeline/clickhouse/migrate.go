package clickhouse

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/shoeproof/shoeproof/schema/migrations"
)

// longestStatement is the limit of a statement that reads the rows of years.
const longestStatement = 6 * time.Hour

// Migrate creates a database if it does not exist, applies the missing migrations, and returns the version of the
// schema before and after. Of processes that migrate at once, one applies what is missing and the others wait: a view
// that one process recreates while another one alters it may keep the definition of the dropped view.
func Migrate(ctx context.Context, cfg Config) (from, to uint32, err error) {
	cfg.ReadTimeout = max(cfg.ReadTimeout, longestStatement)
	s, err := connect(ctx, cfg)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = s.Close() }()
	if from, err = s.SchemaVersion(ctx); err != nil {
		return 0, 0, err
	}
	known, err := migrations.All()
	if err != nil {
		return from, from, err
	}
	if int(from) > len(known) {
		return from, from, s.CheckSchema(ctx)
	}
	if err := s.prepare(ctx); err != nil {
		return from, from, err
	}
	err = s.Locked(ctx, "migrate", rand.Text(), longestStatement, func() error {
		from, to, err = s.upgrade(ctx, known)
		return err
	})
	return from, to, err
}

// upgrade applies the missing migrations.
func (s *Store) upgrade(ctx context.Context, known []migrations.Migration) (from, to uint32, err error) {
	applied, err := s.applied(ctx)
	if err != nil {
		return 0, 0, err
	}
	from = uint32(len(applied))
	for _, m := range known {
		sum, done := applied[m.Version]
		switch {
		case !done:
			if err := s.apply(ctx, m); err != nil {
				return from, to, err
			}
		case sum != m.SHA256:
			return from, to, fmt.Errorf("clickhouse: migration %s differs from the migration that database %s was created "+
				"with: %w", m.Name, s.cfg.Database, ErrSchema)
		}
		to = m.Version
	}
	return from, to, nil
}

// prepare creates the database, the table of migrations and the table of leases.
func (s *Store) prepare(ctx context.Context) error {
	create, err := s.cfg.layout().CreateDatabase()
	if err != nil {
		return fmt.Errorf("clickhouse: %w", err)
	}
	if err := s.everywhere(ctx, create); err != nil {
		return s.explain("create database "+s.cfg.Database, err)
	}
	m, err := migrations.Journal()
	if err != nil {
		return err
	}
	return s.run(ctx, m)
}

// migration is the row of an applied migration.
type migration struct {
	Version uint32 `column:"version,key"`
	Name    string `column:"name"`
	SHA256  string `column:"sha256"`
	By      string `column:"applied_by"`
}

// applied returns the hashes of the applied migrations, by version.
func (s *Store) applied(ctx context.Context) (map[uint32]string, error) {
	all, err := selected[migration](ctx, s, "schema_migrations", "true", nil)
	applied := map[uint32]string{}
	for i := range all {
		applied[all[i].Version] = all[i].SHA256
	}
	return applied, s.explain("read the migrations", err)
}

func (s *Store) run(ctx context.Context, m migrations.Migration) error {
	statements, err := m.Statements(s.cfg.layout())
	if err != nil {
		return fmt.Errorf("clickhouse: %w", err)
	}
	for i, statement := range statements {
		if err := s.everywhere(ctx, statement); err != nil {
			return s.explain(fmt.Sprintf("migration %s, statement %d", m.Name, i+1), err)
		}
	}
	return nil
}

func (s *Store) apply(ctx context.Context, m migrations.Migration) error {
	if err := s.run(ctx, m); err != nil {
		return err
	}
	row := migration{m.Version, m.Name, m.SHA256, s.cfg.User}
	return s.explain("record migration "+m.Name, put(ctx, s, "schema_migrations", "", row))
}

// everywhere runs a statement on each shard if the shards have no Keeper for ON CLUSTER.
func (s *Store) everywhere(ctx context.Context, statement string) error {
	if s.cfg.Cluster == "" || !s.cfg.Bare {
		return s.exec(ctx, statement)
	}
	shards, err := s.shards(ctx)
	if err != nil {
		return err
	}
	for _, addr := range shards {
		one := s.cfg
		one.Addrs, one.MaxConns = []string{addr}, 1
		shard, err := connect(ctx, one)
		if err == nil {
			err = errors.Join(shard.exec(ctx, statement), shard.Close())
		}
		if err != nil {
			return fmt.Errorf("shard %s: %w", addr, err)
		}
	}
	return nil
}

// shards returns the addresses of the cluster in the server's configuration.
func (s *Store) shards(ctx context.Context) (addrs []string, err error) {
	var host string
	var port uint16
	err = s.scan(ctx,
		"SELECT host_name, port FROM system.clusters WHERE cluster = {cluster:String} ORDER BY shard_num, replica_num",
		params("cluster", s.cfg.Cluster), func() {
			addrs = append(addrs, net.JoinHostPort(host, fmt.Sprint(port)))
		}, &host, &port)
	if len(addrs) == 0 && err == nil {
		return nil, fmt.Errorf("the server has no cluster %q: %w", s.cfg.Cluster, ErrSchema)
	}
	return addrs, err
}

func (s *Store) exec(ctx context.Context, statement string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	return s.conn.Exec(ctx, statement, args...)
}
