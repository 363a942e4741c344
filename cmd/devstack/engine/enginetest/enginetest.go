//go:build unix

// Package enginetest starts a ClickHouse for one test, or one for all tests of a package.
package enginetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/schema/migrations"
)

// RoleUsers returns the users of the shipped roles for a server, each with the name of its role as password, and the
// user default of a server's own users.xml.
func RoleUsers(t testing.TB) string {
	t.Helper()
	layout := migrations.Layout{Database: "shoeproof"}
	users, err := layout.RoleXML()
	if err != nil {
		t.Fatal(err)
	}
	roles, err := layout.Roles()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range roles {
		sum := sha256.Sum256([]byte(r.Name))
		t.Setenv("SHOEPROOF_"+strings.ToUpper(r.Name)+"_SHA256", hex.EncodeToString(sum[:]))
	}
	users = strings.Replace(users, "<profiles>", "<quotas><default/></quotas><profiles><default/>", 1)
	const local = "<users><default><password/><networks><ip>127.0.0.1</ip></networks></default>"
	return strings.Replace(users, "<users>", local, 1)
}

// ClickHouse starts a server for one test, which is skipped in the short form. The folder of its data is a temporary
// one if the options name none, and a test that fails logs what the server printed.
func ClickHouse(t testing.TB, o engine.ClickHouseOptions) *engine.ClickHouse {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a ClickHouse")
	}
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Output == nil {
		output := &testkit.Log{}
		o.Output = output
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("output of ClickHouse:\n%s", output)
			}
		})
	}
	o.Query = append(o.Query, cheaper(t)...)
	c, err := engine.StartClickHouse(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return c
}

// Shards starts two shards for one test, which is skipped in the short form.
func Shards(t testing.TB) [2]*engine.ClickHouse {
	t.Helper()
	if testing.Short() {
		t.Skip("starts two ClickHouses")
	}
	shards, err := engine.StartShards(t.Context(), t.TempDir(), cheaper(t)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range shards {
		t.Cleanup(s.Stop)
	}
	return shards
}

// cheaper returns the settings with which a server interprets its expressions and reads a file in the thread that needs
// it. By default it compiles the expressions of repeated queries, and gives a pool of threads what it reads: both cost
// more than they save on the small tables of a test. A benchmark keeps the default.
func cheaper(t testing.TB) []string {
	if _, measured := t.(*testing.B); measured {
		return nil
	}
	return []string{
		"--compile_expressions=0", "--compile_aggregate_expressions=0", "--compile_sort_description=0",
		"--local_filesystem_read_method=pread",
	}
}

// Server is the ClickHouse of a test binary. It starts with the first test that uses it. The zero value is ready.
type Server struct {
	// Users are its users, as in engine.ClickHouseOptions.
	Users string

	once      sync.Once
	dir       string
	engine    *engine.ClickHouse
	err       error
	databases atomic.Int64

	schema struct {
		once       sync.Once
		statements []string
		err        error
	}
}

// Run runs the tests and stops the server. TestMain calls engine.HostClickHouse before.
func (s *Server) Run(m *testing.M) (code int) {
	code = m.Run()
	if s.engine != nil {
		if err := s.engine.Err(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
		s.engine.Stop()
	}
	_ = os.RemoveAll(s.dir)
	return code
}

// Start returns the server. A test that uses it is skipped in the short form.
func (s *Server) Start(t testing.TB) *engine.ClickHouse {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a ClickHouse")
	}
	s.once.Do(func() {
		//nolint:usetesting // the folder outlives the first test: the server is for all of them
		if s.dir, s.err = os.MkdirTemp("", "shoeproof-clickhouse-"); s.err == nil {
			o := engine.ClickHouseOptions{Dir: s.dir, Users: s.Users, Query: cheaper(t)}
			s.engine, s.err = engine.StartClickHouse(context.Background(), o)
		}
	})
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.engine
}

// Database is a name that no other test of the binary has.
func (s *Server) Database() string { return fmt.Sprintf("test_%d", s.databases.Add(1)) }

// Migrate creates a database with the schema if it does not exist, of this server or of another. The first call
// migrates. The others run the statements that create the same tables, in a quarter of the time. The user default has
// all rights.
func (s *Server) Migrate(t testing.TB, c *engine.ClickHouse, database string, migrate func() error) {
	t.Helper()
	first := false
	s.schema.once.Do(func() {
		first = true
		if s.schema.err = migrate(); s.schema.err == nil {
			s.schema.statements, s.schema.err = definitions(t.Context(), c, database)
		}
	})
	if s.schema.err != nil {
		t.Fatal(s.schema.err)
	}
	if first {
		return
	}
	switch exists, err := Query(t.Context(), c, "default", "EXISTS DATABASE "+database); {
	case err != nil:
		t.Fatal(err)
	case exists == "1\n":
		return
	}
	for _, statement := range s.schema.statements {
		if _, err := Query(t.Context(), c, "default", strings.ReplaceAll(statement, placeholder, database)); err != nil {
			t.Fatal(err)
		}
	}
}

// placeholder is the name of the database in the statements of a schema.
const placeholder = "_database_"

// definitions returns the statements that create a database again, with its record of migrations. Views come last: they
// read tables.
func definitions(ctx context.Context, c *engine.ClickHouse, database string) ([]string, error) {
	tables, err := Query(ctx, c, "default", "SELECT create_table_query FROM system.tables WHERE database = '"+database+
		"' ORDER BY engine LIKE '%View', name FORMAT TSVRaw")
	if err != nil {
		return nil, err
	}
	tables = strings.ReplaceAll(tables, database+".", placeholder+".")
	versions, err := Query(ctx, c, "default", "SELECT * FROM "+database+".schema_migrations FORMAT SQLInsert "+
		"SETTINGS output_format_sql_insert_table_name = '"+placeholder+".schema_migrations'")
	if err != nil {
		return nil, err
	}
	statements := []string{"CREATE DATABASE " + placeholder}
	return append(append(statements, strings.Split(strings.TrimSpace(tables), "\n")...), versions), nil
}

// Query runs a statement over HTTP as the user default and returns the answer.
func Query(ctx context.Context, c *engine.ClickHouse, database, statement string) (string, error) {
	url := "http://" + c.HTTPAddr + "/?user=default&database=" + database
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(statement))
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, bytes.TrimSpace(body))
	}
	if err != nil {
		return "", fmt.Errorf("query %q: %w", statement, err)
	}
	return string(body), nil
}
