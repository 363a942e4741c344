package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/shoeproof/shoeproof/schema"
)

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Progress prints the progress of a long command: a line that changes on a terminal, or a line every 10 s to a log.
type Progress struct {
	out         io.Writer
	terminal    bool
	began, last time.Time
}

// NewProgress returns the progress of a command that starts now.
func NewProgress(out io.Writer) *Progress {
	now := time.Now()
	return &Progress{out, IsTerminal(out), now, now}
}

// Took is the time since the start.
func (p *Progress) Took() time.Duration { return time.Since(p.began) }

// Show prints what was done and the rate of events, unless it printed recently.
func (p *Progress) Show(done string, events uint64) {
	every := 10 * time.Second
	if p.terminal {
		every = 300 * time.Millisecond
	}
	now := time.Now()
	if now.Sub(p.last) < every {
		return
	}
	p.last = now
	line := fmt.Sprintf("%s%s, %.0f a second", done, schema.Count(events, "event"),
		float64(events)/now.Sub(p.began).Seconds())
	if p.terminal {
		fmt.Fprintf(p.out, "\r%s ", line)
		return
	}
	fmt.Fprintln(p.out, line)
}

// Clear removes the line from a terminal.
func (p *Progress) Clear() {
	if p.terminal {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
