//go:build unix

// Package enginetest starts a ClickHouse for one test, or one for all tests of a package.
package enginetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	c, err := engine.StartClickHouse(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return c
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
			s.engine, s.err = engine.StartClickHouse(context.Background(), engine.ClickHouseOptions{Dir: s.dir, Users: s.Users})
		}
	})
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.engine
}

// Database is a name that no other test of the binary has.
func (s *Server) Database() string { return fmt.Sprintf("test_%d", s.databases.Add(1)) }
