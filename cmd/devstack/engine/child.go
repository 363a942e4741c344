//go:build unix

package engine

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A child is a process that ends when this process does.
type child struct {
	cmd      *exec.Cmd
	lifeline *os.File // the child ends when this closes
	output   *tail

	exited chan struct{}
}

func startChild(cmd *exec.Cmd, output io.Writer) (*child, error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("create the lifeline: %w", err)
	}
	c := &child{cmd: cmd, lifeline: ours, output: &tail{}, exited: make(chan struct{})}
	cmd.ExtraFiles = []*os.File{theirs} // the child's descriptor 3, lifelineFD
	// Ctrl-C is for this process, which needs the child until its own end.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdout, cmd.Stderr = c.output, c.output
	if output != nil {
		both := io.MultiWriter(c.output, output)
		cmd.Stdout, cmd.Stderr = both, both
	}
	err = cmd.Start()
	_ = theirs.Close()
	if err != nil {
		_ = ours.Close()
		return nil, err
	}
	go func() {
		_ = cmd.Wait() // exit reports the state
		close(c.exited)
	}()
	return c, nil
}

// exit describes how the process ended, with its last output. Call it after exited is closed.
func (c *child) exit() error {
	var text strings.Builder
	for line := range strings.Lines(c.output.String()) {
		if !strings.Contains(line, " @ 0x") && !strings.Contains(line, "Stack trace: 0x") { // frames without names
			text.WriteString(line)
		}
	}
	return fmt.Errorf("%s; last output:\n%s", c.cmd.ProcessState, strings.TrimSpace(text.String()))
}

// kill sends SIGKILL and returns when the process has ended.
func (c *child) kill() {
	_ = c.cmd.Process.Kill() // it fails only if the process has ended
	<-c.exited
	_ = c.lifeline.Close()
}

// stop lets the process end, and kills it after five seconds.
func (c *child) stop() {
	_ = c.lifeline.Close()
	timeout := time.NewTimer(5 * time.Second)
	defer timeout.Stop()
	select {
	case <-c.exited:
	case <-timeout.C:
		c.kill()
	}
}

// A tail keeps the last bytes written to it, for an error message.
type tail struct {
	mu   sync.Mutex
	last []byte
}

const tailBytes = 16 << 10

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
