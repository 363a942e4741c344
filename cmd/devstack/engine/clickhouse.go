//go:build unix

package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// ClickHouseOptions say where a ClickHouse keeps its data and how it listens.
type ClickHouseOptions struct {
	// Dir is the folder of the data. It is made if need be, and kept afterwards.
	Dir string
	// Port and HTTPPort are the ports on 127.0.0.1, 0 for free ones.
	Port, HTTPPort int
	// Users is the XML of a users.xml: users, profiles and grants. Without it
	// there is the user default, without a password, who may do everything.
	Users string
	// ConfigFile is the path of a config.xml of one's own, for a cluster for
	// instance. It cannot be given together with Users.
	ConfigFile string
	// Args are further server settings, for instance --max_server_memory_usage=1000000000.
	Args []string
	// Log receives what the server prints, which is little unless it fails; may be nil.
	Log io.Writer
}

// A ClickHouse is a real server in a child process, for development and tests.
// Its methods are not for concurrent use.
type ClickHouse struct {
	Addr     string // native protocol, host:port
	HTTPAddr string // HTTP, host:port

	options ClickHouseOptions
	lib     string
	ports   [2]port // native, HTTP; kept also while the server is down
	child   *child  // nil while it is down
}

// StartClickHouse starts a server and returns when it answers. The server lives
// until Stop or Kill, or until this process ends in whatever way; ctx is for the
// start alone. The executable must call HostClickHouse first thing.
func StartClickHouse(ctx context.Context, o ClickHouseOptions) (*ClickHouse, error) {
	lib, err := chdbLibrary()
	if err != nil {
		return nil, err
	}
	if o, err = o.settle(); err != nil {
		return nil, err
	}
	c := &ClickHouse{options: o, lib: lib}
	if c.ports[0], err = keepPort(o.Port); err != nil {
		return nil, fmt.Errorf("start ClickHouse: %w", err)
	}
	if c.ports[1], err = keepPort(o.HTTPPort); err != nil {
		c.ports[0].release()
		return nil, fmt.Errorf("start ClickHouse: %w", err)
	}
	c.Addr, c.HTTPAddr = c.ports[0].addr(), c.ports[1].addr()
	if err := c.Restart(ctx); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// settle makes the folder and the configuration that the server reads.
func (o ClickHouseOptions) settle() (ClickHouseOptions, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil || o.Dir == "" {
		return o, errors.Join(fmt.Errorf("start ClickHouse: no folder for its data: %q", o.Dir), err)
	}
	o.Dir = dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return o, fmt.Errorf("make the folder of ClickHouse: %w", err)
	}
	if o.Users == "" {
		return o, nil
	}
	if o.ConfigFile != "" {
		return o, errors.New("start ClickHouse: give Users or a ConfigFile that names a users file, not both")
	}
	// The server reads users_config relative to the configuration's folder.
	o.ConfigFile = filepath.Join(dir, "config.xml")
	return o, errors.Join(
		os.WriteFile(filepath.Join(dir, "users.xml"), []byte(o.Users), 0o600),
		os.WriteFile(o.ConfigFile, []byte("<clickhouse><users_config>users.xml</users_config></clickhouse>\n"), 0o600),
	)
}

// serveForEver opens the ports and then never ends: `clickhouse local` leaves with its last query.
const serveForEver = `SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP;
SELECT count(sleepEachRow(3)) FROM system.numbers SETTINGS max_block_size=1`

func (c *ClickHouse) args() []string {
	args := []string{
		clickHouseVerb, c.lib,
		"--path=" + c.options.Dir,
		"--tcp_port=" + strconv.Itoa(c.ports[0].number),
		"--http_port=" + strconv.Itoa(c.ports[1].number),
		"--listen_host=127.0.0.1",
		"--query=" + serveForEver,
		"--output-format=TSV",
	}
	if c.options.ConfigFile != "" {
		args = append(args, "--config-file="+c.options.ConfigFile)
	}
	// Settings of the server that are no options of `clickhouse local` follow a bare --.
	args = append(args, "--", "--listen_reuse_port=1")
	return append(args, c.options.Args...)
}

// Restart starts the server again after Kill, on the same folder and ports.
func (c *ClickHouse) Restart(ctx context.Context) error {
	if c.child != nil {
		return errors.New("restart ClickHouse: it is running")
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start ClickHouse: find this executable: %w", err)
	}
	cmd := exec.Command(self, c.args()...)
	cmd.Env = append(os.Environ(), "TZ=UTC") // its time zone is this machine's otherwise
	if c.child, err = startChild(cmd, c.options.Log); err != nil {
		return fmt.Errorf("start ClickHouse: %w", err)
	}
	if err := c.awaitAnswer(ctx); err != nil {
		return errors.Join(fmt.Errorf("start ClickHouse in %s: %w", c.options.Dir, err), c.Kill())
	}
	return nil
}

// awaitAnswer returns when both ports answer. The ports are ours, so whoever answers is the child.
func (c *ClickHouse) awaitAnswer(ctx context.Context) error {
	// It takes 0.2 s, but a disk that others keep busy may make it minutes.
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := errors.Join(dial(ctx, c.Addr), ping(ctx, "http://"+c.HTTPAddr+"/ping"))
		if err == nil {
			return nil
		}
		select {
		case <-c.child.exited:
			return fmt.Errorf("it ended before it answered: %w: %s", c.child.err, c.child.lastWords())
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

// Exited is closed when the running server has ended; nil while it is down.
func (c *ClickHouse) Exited() <-chan struct{} {
	if c.child == nil {
		return nil
	}
	return c.child.exited
}

// Kill is `kill -9`: whatever the server was doing is not done. The ports stay
// kept for Restart.
func (c *ClickHouse) Kill() error {
	if c.child == nil {
		return nil
	}
	err := c.child.kill()
	c.child = nil
	return err
}

// Stop ends the server and gives the ports back. What was acknowledged is in
// Dir. Stopping twice does nothing more.
func (c *ClickHouse) Stop() {
	if c.child != nil {
		c.child.letGo()
		c.child = nil
	}
	for i := range c.ports {
		c.ports[i].release()
	}
}
