//go:build unix

package engine_test

import (
	"errors"
	"net"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"golang.org/x/sys/unix"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/enginetest"
	"github.com/shoeproof/shoeproof/internal/testkit"
)

func TestMain(m *testing.M) {
	engine.HostClickHouse()
	os.Exit(m.Run())
}

// startClickHouse fails where the library is missing: a test that quietly does
// not run proves nothing.
func startClickHouse(t *testing.T, o engine.ClickHouseOptions) *engine.ClickHouse {
	t.Helper()
	return enginetest.ClickHouse(t, o)
}

func connect(t *testing.T, addr string, auth clickhouse.Auth) driver.Conn {
	t.Helper()
	conn, err := clickhouse.Open(&clickhouse.Options{Addr: []string{addr}, Auth: auth})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func exec(t *testing.T, conn driver.Conn, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if err := conn.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func value[T any](t *testing.T, conn driver.Conn, query string) (v T) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), query).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

func TestClickHouseAnswers(t *testing.T) {
	ch := startClickHouse(t, engine.ClickHouseOptions{})
	conn := connect(t, ch.Addr, clickhouse.Auth{})
	if v := value[string](t, conn, "SELECT version()"); !strings.HasPrefix(v, "26.7.") {
		t.Errorf("version %s, want 26.7", v)
	}
	if zone := value[string](t, conn, "SELECT timezone()"); zone != "UTC" {
		t.Errorf("zone %s, want UTC", zone)
	}
	if sync := value[string](t, conn, "SELECT value FROM system.settings WHERE name = 'fsync_metadata'"); sync != "0" {
		t.Errorf("fsync_metadata is %s, want 0", sync)
	}
}

func TestClickHouseSurvivesKill(t *testing.T) {
	ch := startClickHouse(t, engine.ClickHouseOptions{})
	conn := connect(t, ch.Addr, clickhouse.Auth{})
	exec(t, conn,
		"CREATE DATABASE pit",
		"CREATE TABLE pit.shoes (n UInt64) ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 10",
		"INSERT INTO pit.shoes SELECT number FROM numbers(1000)",
	)
	addr := ch.Addr
	ch.Kill()
	if err := conn.Ping(t.Context()); err == nil {
		t.Error("a killed server answered")
	}
	if err := ch.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ch.Addr != addr {
		t.Errorf("it came back on %s, was on %s", ch.Addr, addr)
	}
	if n := value[uint64](t, connect(t, ch.Addr, clickhouse.Auth{}), "SELECT sum(n) FROM pit.shoes"); n != 499500 {
		t.Errorf("sum %d after the kill, want 499500", n)
	}
}

const users = `<clickhouse>
<profiles><default/></profiles><quotas><default/></quotas>
<users>
	<default><password/><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
	<auditor><password>shoe</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
		<grants><query>GRANT SELECT ON pit.*</query></grants></auditor>
</users>
</clickhouse>`

func TestClickHouseGrants(t *testing.T) {
	ch := startClickHouse(t, engine.ClickHouseOptions{Users: users})
	exec(t, connect(t, ch.Addr, clickhouse.Auth{}),
		"CREATE DATABASE pit",
		"CREATE TABLE pit.shoes (n UInt64) ENGINE = MergeTree ORDER BY n",
	)
	auditor := connect(t, ch.Addr, clickhouse.Auth{Username: "auditor", Password: "shoe"})
	if n := value[uint64](t, auditor, "SELECT count() FROM pit.shoes"); n != 0 {
		t.Errorf("%d rows in an empty table", n)
	}
	const notEnoughPrivileges = 497
	var refused *clickhouse.Exception
	err := auditor.Exec(t.Context(), "INSERT INTO pit.shoes SELECT 1")
	if !errors.As(err, &refused) || refused.Code != notEnoughPrivileges {
		t.Errorf("the auditor inserted: %v", err)
	}
}

// parentEnv names the variable with the folder that makes
// TestClickHouseDiesWithItsParent the parent, in a process of its own.
const parentEnv = "SHOEPROOF_TEST_PARENT"

func TestClickHouseDiesWithItsParent(t *testing.T) {
	if dir := os.Getenv(parentEnv); dir != "" {
		ch := startClickHouse(t, engine.ClickHouseOptions{Dir: dir})
		if err := os.WriteFile(filepath.Join(dir, "addr"), []byte(ch.ServerAddr()+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		<-t.Context().Done() // It is killed before that.
	}
	if testing.Short() {
		t.Skip("starts a ClickHouse")
	}
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := osexec.CommandContext(t.Context(), self, "-test.run=^TestClickHouseDiesWithItsParent$", "-test.timeout=5m")
	parent.Env = append(os.Environ(), parentEnv+"="+dir)
	parent.Stdout, parent.Stderr = t.Output(), t.Output()
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = parent.Wait()
		close(ended)
	}()
	var addr string
	testkit.Await(t, "the server of the parent", func() bool {
		select {
		case <-ended:
			t.Fatal("the parent ended by itself")
		default:
		}
		text, _ := os.ReadFile(filepath.Join(dir, "addr"))
		whole := false
		addr, whole = strings.CutSuffix(string(text), "\n")
		return whole
	})
	if !answers(addr) {
		t.Fatalf("nobody answers on %s", addr)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
	testkit.Await(t, "the end of the server", func() bool { return !answers(addr) })
}

func answers(addr string) bool {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

func TestClickHouseMissing(t *testing.T) {
	t.Setenv(engine.ChDBEnv, filepath.Join(t.TempDir(), "libchdb.so"))
	_, err := engine.StartClickHouse(t.Context(), engine.ClickHouseOptions{Dir: t.TempDir()})
	if !errors.Is(err, engine.ErrNoEngine) || !strings.Contains(err.Error(), "make engines") {
		t.Errorf("got %v, want an error that says what to run", err)
	}
}

func TestClickHousePortTaken(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the library")
	}
	// As another ClickHouse of devstack.
	shared := net.ListenConfig{Control: func(_, _ string, socket syscall.RawConn) error {
		return socket.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) })
	}}
	for _, by := range []net.ListenConfig{{}, shared} {
		taken, err := by.Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer taken.Close()
		port := taken.Addr().(*net.TCPAddr).Port
		c, err := engine.StartClickHouse(t.Context(), engine.ClickHouseOptions{Dir: t.TempDir(), Port: port})
		if !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), strconv.Itoa(port)) {
			t.Errorf("got %v, want an error that names the taken port", err)
		}
		if err == nil {
			c.Stop()
		}
	}
}

// The error of a server that cannot start reaches the caller.
func TestClickHouseBadConfiguration(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a ClickHouse")
	}
	_, err := engine.StartClickHouse(t.Context(), engine.ClickHouseOptions{Dir: t.TempDir(), Users: "<clickhouse>"})
	if err == nil || !strings.Contains(err.Error(), "users.xml") {
		t.Errorf("got %v, want the server's complaint about users.xml", err)
	}
}
