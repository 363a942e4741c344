//go:build unix

package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/shoeproof/shoeproof/internal/testkit/proxy"
)

// A server that ends soon after it was started, so many times in a row, is not started again.
const (
	maxStarts = 5
	soon      = 10 * time.Second
)

// A supervisor runs a server from Restart to Kill or Stop.
type supervisor struct {
	cancel  context.CancelCauseFunc // nil while the server is down
	watch   sync.WaitGroup
	proxies [protocols]*proxy.Proxy

	mu       sync.Mutex
	process  *child        // nil while it is started
	started  chan struct{} // closed when process is set
	failed   chan struct{} // closed when err is set
	err      error
	restarts int
}

var (
	errKilled  = errors.New("killed")
	errStopped = errors.New("stopped")
)

// Restart starts the server after Kill, on the same folder and ports.
func (c *ClickHouse) Restart(ctx context.Context) error {
	s := &c.supervisor
	if s.cancel != nil {
		return errors.New("restart ClickHouse: it is running")
	}
	process, err := c.spawn(ctx)
	if err != nil {
		return fmt.Errorf("start ClickHouse in %s: %w", c.options.Dir, err)
	}
	s.mu.Lock()
	s.started, s.failed, s.err = make(chan struct{}), make(chan struct{}), nil
	s.mu.Unlock()
	if err := c.openPorts(); err != nil {
		process.kill()
		return fmt.Errorf("start ClickHouse in %s: %w", c.options.Dir, err)
	}
	s.set(process)
	running, cancel := context.WithCancelCause(context.Background())
	s.cancel = cancel
	s.watch.Go(func() { c.supervise(running, process) })
	return nil
}

// openPorts starts the proxies between the clients and the server. A client that connects while the server is started
// again waits.
func (c *ClickHouse) openPorts() error {
	s := &c.supervisor
	for i := range protocols {
		listener, err := c.clients[i].listen()
		if err != nil {
			c.closePorts()
			return err
		}
		o := proxy.Options{Listener: listener, Dial: func(ctx context.Context) (net.Conn, error) {
			if err := s.awaitStart(ctx); err != nil {
				return nil, err
			}
			return (&net.Dialer{}).DialContext(ctx, "tcp", c.servers[i].addr())
		}}
		if i == native {
			o.Connect = c.guardLogin
		}
		if s.proxies[i], err = proxy.Start(o); err != nil {
			c.closePorts()
			return err
		}
	}
	return nil
}

func (c *ClickHouse) closePorts() {
	for i, p := range c.supervisor.proxies {
		if p != nil {
			p.Close()
			c.supervisor.proxies[i] = nil
		}
	}
}

// supervise starts the server again whenever it ends, until ctx does.
func (c *ClickHouse) supervise(ctx context.Context, process *child) {
	s := &c.supervisor
	starts, began := 0, time.Now()
	for {
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), errKilled) {
				process.kill()
			} else {
				process.stop()
			}
			return
		case <-process.exited:
		}
		s.set(nil)
		_ = process.lifeline.Close()
		if time.Since(began) > soon {
			starts = 0
		}
		ended, err := time.Now(), process.exit()
		for process = nil; process == nil; {
			if starts++; starts > maxStarts {
				c.giveUp(fmt.Errorf("ClickHouse in %s ended %d times in a row: %w", c.options.Dir, starts, err))
				return
			}
			c.options.Log.Warn("ClickHouse ended unexpectedly and is started again", "dir", c.options.Dir, "error", err)
			if process, err = c.spawn(ctx); ctx.Err() != nil {
				if process != nil {
					process.kill()
				}
				return
			}
		}
		s.set(process)
		began = time.Now()
		down := began.Sub(ended).Round(time.Millisecond)
		c.options.Log.Info("ClickHouse answers again", "dir", c.options.Dir, "down", down)
	}
}

func (c *ClickHouse) giveUp(err error) {
	c.options.Log.Error("ClickHouse is not started again", "error", err)
	s := &c.supervisor
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	close(s.failed)
}

// set records the process that runs, nil for none.
func (s *supervisor) set(process *child) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case process == nil:
		s.started = make(chan struct{})
		s.restarts++
	case s.process == nil:
		close(s.started)
	}
	s.process = process
}

// awaitStart returns when the server runs, or with the error that ended it.
func (s *supervisor) awaitStart(ctx context.Context) error {
	s.mu.Lock()
	started, failed := s.started, s.failed
	s.mu.Unlock()
	select {
	case <-started:
		return nil
	case <-failed:
		return s.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Failed is closed when the supervisor gives up; Err is the cause.
func (c *ClickHouse) Failed() <-chan struct{} {
	c.supervisor.mu.Lock()
	defer c.supervisor.mu.Unlock()
	return c.supervisor.failed
}

// Err is not nil when the server ended unexpectedly and could not be started again, with its last output. A server
// that ends unexpectedly is otherwise started again at once, on the same folder and ports, and the log reports it.
func (c *ClickHouse) Err() error {
	c.supervisor.mu.Lock()
	defer c.supervisor.mu.Unlock()
	return c.supervisor.err
}

// Restarts is how often the server ended unexpectedly.
func (c *ClickHouse) Restarts() int {
	c.supervisor.mu.Lock()
	defer c.supervisor.mu.Unlock()
	return c.supervisor.restarts
}

// PID is the id of the server's process, 0 while none runs.
func (c *ClickHouse) PID() int {
	c.supervisor.mu.Lock()
	defer c.supervisor.mu.Unlock()
	if c.supervisor.process == nil {
		return 0
	}
	return c.supervisor.process.cmd.Process.Pid
}

// Kill sends SIGKILL and leaves the server down until Restart. The ports stay reserved and refuse connections. Kill,
// Restart and Stop are not for concurrent use.
func (c *ClickHouse) Kill() { c.end(errKilled) }

// Stop ends the server and releases the ports. What was acknowledged is in
// Dir. Stopping twice does nothing more.
func (c *ClickHouse) Stop() {
	c.end(errStopped)
	c.releasePorts()
}

func (c *ClickHouse) end(cause error) {
	s := &c.supervisor
	if s.cancel == nil {
		return
	}
	s.cancel(cause)
	s.watch.Wait()
	c.closePorts()
	s.cancel = nil
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process = nil
}
