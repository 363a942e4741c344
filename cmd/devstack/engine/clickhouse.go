//go:build unix

package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// ClickHouseOptions configure a ClickHouse.
type ClickHouseOptions struct {
	// Dir is the folder of the data. It is created if needed, and kept afterwards.
	Dir string
	// Port and HTTPPort are the ports on 127.0.0.1, 0 for free ones.
	Port, HTTPPort int
	// Users is the XML of a users.xml: users, profiles and grants. Without it
	// there is the user default, without a password and with all grants.
	Users string
	// ConfigFile is the path of a config.xml, for a cluster for instance. It excludes Users.
	ConfigFile string
	// Args are further server settings, for instance --max_server_memory_usage=1000000000.
	Args []string
	// Query are settings of all queries, for instance --max_threads=1.
	Query []string
	// Output receives what the server prints, which is little unless it fails; may be nil.
	Output io.Writer
	// Log receives the supervisor's messages. Without it they go to Output, or else to slog.Default.
	Log *slog.Logger
}

// A ClickHouse is a real server in a child process, for development and tests. It is supervised: see Err.
type ClickHouse struct {
	Addr     string // native protocol, host:port
	HTTPAddr string // HTTP, host:port

	options ClickHouseOptions
	lib     string
	// Clients connect to the ports of the proxies. All are reserved until Stop.
	clients, servers [protocols]port
	supervisor       supervisor
}

// The protocols of a ClickHouse, by index of its ports.
const (
	native = iota
	overHTTP
	protocols
)

// StartClickHouse starts a server and returns when it answers. The server lives
// until Stop or Kill, or until this process ends in whatever way; ctx is for the
// start alone. The executable must call HostClickHouse first thing.
func StartClickHouse(ctx context.Context, o ClickHouseOptions) (*ClickHouse, error) {
	c, err := newClickHouse(o)
	if err != nil {
		return nil, err
	}
	if err := c.Restart(ctx); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// newClickHouse reserves the ports of a server that does not run yet.
func newClickHouse(o ClickHouseOptions) (*ClickHouse, error) {
	lib, err := chdbLibrary()
	if err != nil {
		return nil, err
	}
	if o, err = o.prepare(); err != nil {
		return nil, err
	}
	c := &ClickHouse{options: o, lib: lib}
	for i, number := range []int{o.Port, o.HTTPPort} {
		if c.clients[i], err = reservePort(number); err == nil {
			c.servers[i], err = reservePort(0)
		}
		if err != nil {
			c.releasePorts()
			return nil, fmt.Errorf("start ClickHouse: %w", err)
		}
	}
	c.Addr, c.HTTPAddr = c.clients[native].addr(), c.clients[overHTTP].addr()
	return c, nil
}

// prepare creates the folder and the configuration that the server reads.
func (o ClickHouseOptions) prepare() (ClickHouseOptions, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil || o.Dir == "" {
		return o, errors.Join(fmt.Errorf("start ClickHouse: no folder for its data: %q", o.Dir), err)
	}
	o.Dir = dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return o, fmt.Errorf("create the folder of ClickHouse: %w", err)
	}
	switch {
	case o.Log != nil:
	case o.Output != nil:
		o.Log = slog.New(slog.NewTextHandler(o.Output, nil))
	default:
		o.Log = slog.Default()
	}
	if o.Users == "" {
		return o, nil
	}
	if o.ConfigFile != "" {
		return o, errors.New("start ClickHouse: Users and ConfigFile exclude each other: name a users file in ConfigFile")
	}
	// The server reads users_config relative to the configuration's folder.
	o.ConfigFile = filepath.Join(dir, "config.xml")
	return o, errors.Join(
		os.WriteFile(filepath.Join(dir, "users.xml"), []byte(o.Users), 0o600),
		os.WriteFile(o.ConfigFile, []byte("<clickhouse><users_config>users.xml</users_config></clickhouse>\n"), 0o600),
	)
}

// serveForever opens the ports and then never ends: `clickhouse local` exits with its last query.
const serveForever = `SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP;
SELECT count(sleepEachRow(3)) FROM system.numbers SETTINGS max_block_size=1`

func (c *ClickHouse) args() []string {
	args := []string{
		clickHouseVerb, c.lib,
		"--path=" + c.options.Dir,
		"--tcp_port=" + strconv.Itoa(c.servers[native].number),
		"--http_port=" + strconv.Itoa(c.servers[overHTTP].number),
		"--listen_host=127.0.0.1",
		"--query=" + serveForever,
		"--output-format=TSV",
		// A test migrates a database with some hundred statements; each would wait for the disk. A killed server loses
		// nothing by it, a machine without power might.
		"--fsync_metadata=0",
	}
	if c.options.ConfigFile != "" {
		args = append(args, "--config-file="+c.options.ConfigFile)
	}
	args = append(args, c.options.Query...)
	// Settings of the server that are no options of `clickhouse local` follow a bare --. The logger prints why a
	// server aborts.
	args = append(args, "--", "--listen_reuse_port=1", "--logger.console=1", "--logger.console_log_level=fatal")
	return append(args, c.options.Args...)
}

// spawn starts the process and returns when both of its ports answer.
func (c *ClickHouse) spawn(ctx context.Context) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this executable: %w", err)
	}
	cmd := exec.Command(self, c.args()...)
	cmd.Env = append(os.Environ(), "TZ=UTC") // its time zone is this machine's otherwise
	process, err := startChild(cmd, c.options.Output)
	if err != nil {
		return nil, err
	}
	if err := c.awaitAnswer(ctx, process); err != nil {
		process.kill()
		return nil, err
	}
	return process, nil
}

// awaitAnswer returns when both ports answer. The ports are reserved, so whatever answers is the child.
func (c *ClickHouse) awaitAnswer(ctx context.Context, process *child) error {
	// It takes 0.2 s, but on a busy disk it may take minutes.
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := errors.Join(dial(ctx, c.servers[native].addr()), ping(ctx, "http://"+c.servers[overHTTP].addr()+"/ping"))
		if err == nil {
			return nil
		}
		select {
		case <-process.exited:
			return fmt.Errorf("it ended before it answered: %w", process.exit())
		case <-ctx.Done():
			return fmt.Errorf("it does not answer: %w", errors.Join(err, ctx.Err()))
		case <-tick.C:
		}
	}
}

func dial(ctx context.Context, addr string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return conn.Close()
}

func ping(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s", url, resp.Status)
	}
	return errors.Join(err, resp.Body.Close())
}

func (c *ClickHouse) releasePorts() {
	for i := range protocols {
		c.clients[i].release()
		c.servers[i].release()
	}
}
