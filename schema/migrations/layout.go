package migrations

import (
	"fmt"
	"regexp"
	"strings"
)

// A Layout is the location of the tables. The templates of the migrations are executed with it.
type Layout struct {
	Database string
	// Cluster, if not empty, is the cluster whose shards store each table as T_local; T is distributed over them.
	Cluster string
	// Bare shards have one replica and no Keeper: tables are not replicated, and each shard runs the statements itself
	// instead of ON CLUSTER.
	Bare bool
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)

func (l Layout) check() error {
	if !identifier.MatchString(l.Database) {
		return fmt.Errorf("database %q: expected letters, digits and underscores", l.Database)
	}
	if l.Cluster != "" && !identifier.MatchString(l.Cluster) {
		return fmt.Errorf("cluster %q: expected letters, digits and underscores", l.Cluster)
	}
	return nil
}

// CreateDatabase returns the statement that creates the database.
func (l Layout) CreateDatabase() (string, error) {
	if err := l.check(); err != nil {
		return "", err
	}
	return "CREATE DATABASE IF NOT EXISTS " + l.Database + l.onCluster(), nil
}

// Name is the table for reads and inserts.
func (l Layout) Name(table string) string { return l.Database + "." + table }

// StoredName is the table that stores the rows of this server.
func (l Layout) StoredName(table string) string {
	if l.Cluster != "" {
		table += "_local"
	}
	return l.Name(table)
}

// Stored is StoredName with ON CLUSTER if the layout needs it, for a CREATE.
func (l Layout) Stored(table string) string { return l.StoredName(table) + l.onCluster() }

// View is the name of a view with ON CLUSTER if the layout needs it, for a CREATE.
func (l Layout) View(name string) string { return l.Name(name) + l.onCluster() }

func (l Layout) replicated() bool { return l.Cluster != "" && !l.Bare }

func (l Layout) onCluster() string {
	if !l.replicated() {
		return ""
	}
	return " ON CLUSTER " + l.Cluster
}

// Merge is the engine of a table that keeps all rows.
func (l Layout) Merge() string { return l.engine("MergeTree", nil) }

// Replacing is the engine of a table that keeps one row per key: the highest version if a column is given, and among
// equals the last inserted. A second column marks a row as deleted.
func (l Layout) Replacing(columns ...string) string { return l.engine("ReplacingMergeTree", columns) }

// Aggregating is the engine of a table that merges the states of a key.
func (l Layout) Aggregating() string { return l.engine("AggregatingMergeTree", nil) }

func (l Layout) engine(name string, args []string) string {
	if l.replicated() {
		name = "Replicated" + name
		args = append([]string{"'/clickhouse/tables/{uuid}/{shard}'", "'{replica}'"}, args...)
	}
	if len(args) == 0 {
		return name
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// Window lets the server recognize a repeated insert by its token. Without it the server deduplicates nothing, with or
// without a token.
func (l Layout) Window() string {
	if l.replicated() {
		return "replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800"
	}
	return "non_replicated_deduplication_window = 100000"
}

// Fsync makes an acknowledged insert survive a power cut.
func (l Layout) Fsync() string { return "fsync_after_insert = 1, fsync_part_directory = 1" }

// Spread returns the statement that creates the distributed table, empty without a cluster.
func (l Layout) Spread(table, key string) string {
	if l.Cluster == "" {
		return ""
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s AS %s\nENGINE = Distributed(%s, %s, %s_local, %s);",
		l.View(table), l.StoredName(table), l.Cluster, l.Database, table, key)
}

// Everywhere returns the tables that an ALTER must name: the stored one, and the distributed one of a cluster.
func (l Layout) Everywhere(table string) []string {
	if l.Cluster == "" {
		return []string{l.Stored(table)}
	}
	return []string{l.Stored(table), l.View(table)}
}

// List returns its arguments, for a range in a template.
func (l Layout) List(names ...string) []string { return names }
