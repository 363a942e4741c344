//go:build unix

package engine_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/internal/testkit"
)

// A server that ends unexpectedly answers again at the same ports, with its data, and the log reports it.
func TestClickHouseIsStartedAgain(t *testing.T) {
	log := &testkit.Log{}
	ch := startClickHouse(t, engine.ClickHouseOptions{Output: log})
	exec(t, connect(t, ch.Addr, clickhouse.Auth{}),
		"CREATE DATABASE pit",
		"CREATE TABLE pit.shoes (n UInt64) ENGINE = MergeTree ORDER BY n",
		"INSERT INTO pit.shoes SELECT number FROM numbers(1000)",
	)
	for i := range 3 {
		killProcess(t, ch)
		testkit.Await(t, "the end of the server", func() bool { return ch.Restarts() == i+1 })
		if n := value[uint64](t, connect(t, ch.Addr, clickhouse.Auth{}), "SELECT sum(n) FROM pit.shoes"); n != 499500 {
			t.Errorf("sum %d after the kill, want 499500", n)
		}
		resp, err := http.Get("http://" + ch.HTTPAddr + "/?query=SELECT+1")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("HTTP answers %s after the kill", resp.Status)
		}
	}
	if n := log.Count("ClickHouse ended unexpectedly and is started again"); n != 3 {
		t.Errorf("the log reports %d ends, want 3:\n%s", n, log.String())
	}
	if !strings.Contains(log.String(), "signal: killed") {
		t.Errorf("the log does not name the signal:\n%s", log.String())
	}
}

// A server that cannot start is not started for ever, and its last output is in the error.
func TestClickHouseIsNotStartedForever(t *testing.T) {
	dir, log := t.TempDir(), &testkit.Log{}
	ch := startClickHouse(t, engine.ClickHouseOptions{Dir: dir, Users: users, Output: log})
	if err := os.WriteFile(filepath.Join(dir, "users.xml"), []byte("<clickhouse>"), 0o600); err != nil {
		t.Fatal(err)
	}
	killProcess(t, ch)
	testkit.Await(t, "the supervisor to give up", func() bool {
		select {
		case <-ch.Failed():
			return true
		default:
			return false
		}
	})
	err := ch.Err()
	if err == nil || !strings.Contains(err.Error(), "users.xml") || !strings.Contains(err.Error(), "in a row") {
		t.Errorf("got %v, want how often it ended, and the server's complaint about users.xml", err)
	}
	if !strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("the log reports no error:\n%s", log.String())
	}
}

// An exception in a login aborts the server. The proxy before it keeps clear of that, whether or not the client stays.
func TestRefusedLogins(t *testing.T) {
	log := &testkit.Log{}
	ch := startClickHouse(t, engine.ClickHouseOptions{Output: log})
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(log.String())
		}
	})
	const authenticationFailed, unknownDatabase = 516, 81
	for auth, code := range map[clickhouse.Auth]int32{
		{Username: "stranger"}:                       authenticationFailed,
		{Username: "default", Password: "no"}:        authenticationFailed,
		{Username: "default", Database: "not_there"}: unknownDatabase,
	} {
		var refused *clickhouse.Exception
		err := connect(t, ch.Addr, auth).Ping(t.Context())
		if !errors.As(err, &refused) || refused.Code != code {
			t.Errorf("%+v: %v, want code %d", auth, err, code)
		}
	}
	for _, first := range []string{hello("stranger"), hello("stranger")[:5], "\x16\x03\x01 no login", hello("default")} {
		for range 20 {
			leave(t, ch.Addr, first)
		}
	}
	for range 20 { // The server takes a moment to abort.
		if v := value[uint8](t, connect(t, ch.Addr, clickhouse.Auth{}), "SELECT toUInt8(1 + sleep(0.1))"); v != 1 {
			t.Fatalf("SELECT 1 is %d", v)
		}
	}
	if n := ch.Restarts(); n != 0 {
		t.Errorf("the server ended %d times", n)
	}
	// Without the proxy it ends. If this fails one day, the guard of logins is not needed any more.
	testkit.Await(t, "an end of the server", func() bool {
		leave(t, ch.ServerAddr(), hello("stranger")[:5])
		return ch.Restarts() > 0
	})
	if v := value[uint8](t, connect(t, ch.Addr, clickhouse.Auth{}), "SELECT toUInt8(1)"); v != 1 {
		t.Fatalf("SELECT 1 is %d", v)
	}
}

// hello is a login of the native protocol.
func hello(user string) string {
	field := func(s string) string { return string(rune(len(s))) + s }
	// Packet and client, its version and that of the protocol, database, user, password.
	return "\x00" + field("test") + "\x18\x01\xbe\xa9\x03" + field("") + field(user) + field("")
}

// leave sends something and resets the connection.
func leave(t *testing.T, addr, first string) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return // the server is started again
	}
	if _, err := io.WriteString(conn, first); err == nil {
		_ = conn.(*net.TCPConn).SetLinger(0)
	}
	_ = conn.Close()
}

func killProcess(t *testing.T, ch *engine.ClickHouse) {
	t.Helper()
	testkit.Await(t, "a process", func() bool { return ch.PID() != 0 })
	if err := syscall.Kill(ch.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
