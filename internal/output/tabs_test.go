//go:build linux

package output

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/shoeproof/shoeproof/finding"
)

// terminal opens a terminal of a width, and returns it with a function that reads what was printed there.
func terminal(t *testing.T, columns uint16) (*os.File, func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("NOT RUN: no terminals here: %v", err)
	}
	t.Cleanup(func() { _ = master.Close() })
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: columns})
	}
	if err != nil {
		t.Skipf("NOT RUN: no terminals here: %v", err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	printed := make(chan string)
	go func() {
		all, _ := io.ReadAll(master) // ends with an error when the terminal is closed
		printed <- strings.ReplaceAll(string(all), "\r\n", "\n")
	}()
	return slave, func() string {
		_ = slave.Close()
		return <-printed
	}
}

func someFindings() []finding.Finding {
	return []finding.Finding{{
		TableID: "PB-01", ShoeID: "S-000412", Round: 12, Severity: finding.Major, Verdict: finding.Breach,
		Rule: "payout.odds", Citations: []string{"N.J.A.C. 13:69F-3.9(b)", "N.J.A.C. 13:69F-3.10"}, Basis: finding.Text,
		Expected: "a winning wager on the banker is paid at 19 to 20",
		Observed: "USD 100.00 was paid at 1 to 1: USD 100.00",
		Amount:   500, Currency: "USD",
	}}
}

// A table on a terminal is never wider than it, has every cell or names the columns that it lacks, and has colours.
func TestTerminal(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	for _, columns := range []uint16{60, 80, 100, 160, 300} {
		out, printed := terminal(t, columns)
		if err := Table(out, someFindings()); err != nil {
			t.Fatal(err)
		}
		text := printed()
		if !strings.Contains(text, "\x1b[31m") {
			t.Errorf("%d columns: no colour", columns)
		}
		plain := strings.NewReplacer("\x1b[31m", "", "\x1b[0m", "").Replace(text)
		for line := range strings.Lines(plain) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > int(columns) &&
				!strings.HasPrefix(line, "Not shown") {
				t.Errorf("%d columns: a line of %d: %s", columns, n, line)
			}
		}
		for column, cell := range map[string]string{
			"RULE": "payout.odds", "SEVERITY": "major", "CLAUSE": "13:69F-3.9(b)", "AMOUNT": "5.00",
		} {
			_, dropped, _ := strings.Cut(plain, "Not shown")
			if !strings.Contains(plain, cell) && !strings.Contains(dropped, column) {
				t.Errorf("%d columns: neither %s nor a note in\n%s", columns, cell, plain)
			}
		}
	}
}

// NO_COLOR turns colours off. A pipe has neither colours nor wrapped lines.
func TestNoTerminal(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	out, printed := terminal(t, 80)
	if err := Table(out, someFindings()); err != nil {
		t.Fatal(err)
	}
	if text := printed(); strings.Contains(text, "\x1b") {
		t.Errorf("colours: %q", text)
	}
	t.Setenv("NO_COLOR", "")
	var pipe bytes.Buffer
	if err := Table(&pipe, someFindings()); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(pipe.String(), "\n"); lines != 2 || strings.Contains(pipe.String(), "\x1b") {
		t.Errorf("a pipe has %d lines: %q", lines, pipe.String())
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"one", 5, "one"},
		{"one two three", 7, "one two|three"},
		{"  fix: set it", 9, "  fix:|  set it"},
		{"abcdefghij", 4, "abcd|efgh|ij"},
		{"", 3, ""},
	} {
		if got := strings.Join(wrap(c.text, c.width), "|"); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
