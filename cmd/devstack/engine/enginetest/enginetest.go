//go:build unix

// Package enginetest gives the tests of a package one ClickHouse, which starts with the first that asks for it.
package enginetest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
)

// Server is the ClickHouse of a test binary. The zero value is ready.
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

// Start is the server. A test that asks is skipped in the short form.
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
