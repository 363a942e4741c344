//go:build unix

package engine

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// A child is a process that ends when this one does.
type child struct {
	cmd      *exec.Cmd
	lifeline *os.File // held for the child, which ends when it closes
	tail     *tail

	waiting errgroup.Group
	exited  chan struct{} // closed after err is set
	err     error
}

func startChild(cmd *exec.Cmd, log io.Writer) (*child, error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make the lifeline: %w", err)
	}
	c := &child{cmd: cmd, lifeline: ours, tail: &tail{}, exited: make(chan struct{})}
	cmd.ExtraFiles = []*os.File{theirs} // the child's descriptor 3, lifelineFD
	// A Ctrl-C is for this process, which needs the child until its own end.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdout, cmd.Stderr = c.tail, c.tail
	if log != nil {
		both := io.MultiWriter(c.tail, log)
		cmd.Stdout, cmd.Stderr = both, both
	}
	err = cmd.Start()
	_ = theirs.Close()
	if err != nil {
		_ = ours.Close()
		return nil, err
	}
	c.waiting.Go(func() error {
		c.err = cmd.Wait()
		close(c.exited)
		return nil
	})
	return c, nil
}

func (c *child) lastWords() string { return c.tail.String() }

// kill is SIGKILL, and returns when the process is gone.
func (c *child) kill() error {
	err := c.cmd.Process.Kill()
	<-c.exited
	_ = c.lifeline.Close()
	return err
}

// letGo asks the child to end, and makes it end if it does not.
func (c *child) letGo() {
	_ = c.lifeline.Close()
	patience := time.NewTimer(5 * time.Second)
	defer patience.Stop()
	select {
	case <-c.exited:
	case <-patience.C:
		_ = c.kill()
	}
}

// A tail keeps the last that was written, for an error message.
type tail struct {
	mu   sync.Mutex
	last []byte
}

const tailBytes = 2000

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, b...)
	if over := len(t.last) - tailBytes; over > 0 {
		t.last = t.last[over:]
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
}
