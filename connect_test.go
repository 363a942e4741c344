package shoeproof_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The example publisher of docs/connect ends at each step as a killed process does, at every seventh event (all of them
// in the long form), and is started again: the audit of what it published finds each event once, and no fault.
func TestPublisherWithCrashes(t *testing.T) {
	python := findPython(t)
	dir, every := t.TempDir(), "7"
	if os.Getenv("SHOEPROOF_SOAK") != "" {
		every = "1"
	}
	out, err := exec.CommandContext(t.Context(), python, "-B", "docs/connect/conformance.py", dir, every).CombinedOutput()
	if err != nil {
		t.Fatalf("conformance.py: %v\n%s", err, out)
	}
	m := regexp.MustCompile(`crashes (\d+), tables (\d+), events (\d+), records (\d+), lost 0, numbered twice 0`).
		FindStringSubmatch(string(out))
	if m == nil || len(m[1]) < 2 {
		t.Fatalf("too few crashes: %s", out)
	}
	t.Log(m[0])
	events, _ := strconv.Atoi(m[3])
	records, _ := strconv.Atoi(m[4])
	summary := replayed(t, filepath.Join(dir, "all.ndjson"))
	for _, want := range []string{
		", " + m[4] + " events",
		m[2] + " tables, " + m[2] + " shoes, " + m[2] + " rounds", " 0 critical, 0 major, 0 minor, ",
		fmt.Sprintf(`duplicates  %d,`, records-events),
	} {
		if !regexp.MustCompile(want).MatchString(summary) {
			t.Errorf("no %q in\n%s", want, summary)
		}
	}
}

// The publisher runs twice, as after a crash, and publishes once; its outbox is refused for another destination.
func TestPublisherRunsAgain(t *testing.T) {
	python := findPython(t)
	script, err := filepath.Abs("docs/connect/publish.py")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	publish := func(args ...string) string {
		c := exec.CommandContext(t.Context(), python, append([]string{"-B", script}, args...)...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if exit := c.ProcessState; err != nil && (exit == nil || exit.ExitCode() != 2) {
			t.Fatalf("publish.py %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	for i, want := range []string{"published 20 events\n", "published 0 events\n"} {
		if got := publish("--file", "round.ndjson", "--at", "2026-01-31T18:00:00Z"); got != want {
			t.Errorf("run %d: %q, want %q", i+1, got, want)
		}
	}
	other := publish("--file", "other.ndjson")
	if !regexp.MustCompile(`is for file:.*round.ndjson, not for file:`).MatchString(other) {
		t.Errorf("another destination: %s", other)
	}
	program, err := audit()
	if err != nil {
		t.Fatalf("build audit: %v", err)
	}
	published := filepath.Join(dir, "round.ndjson")
	report, err := exec.CommandContext(t.Context(), program, "conform", published).CombinedOutput()
	want := regexp.MustCompile(`(?s): 20 events, 1 table\n.*\nresult: it keeps the contract`)
	if err != nil || !want.Match(report) || bytes.Contains(report, []byte("about the play")) {
		t.Errorf("audit conform of what was published: %v\n%s", err, report)
	}
}

func findPython(t *testing.T) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("NOT RUN: no python3, so the example publisher of docs/connect is not tested")
	}
	return python
}

// replayed is the summary of audit replay.
func replayed(t *testing.T, path string) string {
	t.Helper()
	program, err := audit()
	if err != nil {
		t.Fatalf("build audit: %v", err)
	}
	var stderr bytes.Buffer
	c := exec.CommandContext(t.Context(), program, "replay", "--min-severity", "minor", path)
	c.Stderr = &stderr
	c.Env = slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "SHOEPROOF_") }) // of tests
	if err := c.Run(); err != nil {
		t.Fatalf("replay: %v\n%s", err, &stderr)
	}
	return stderr.String()
}
