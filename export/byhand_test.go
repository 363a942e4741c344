//go:build unix

package export

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The commands of docs/exports.md verify a folder without this program, and find a changed file, an added file and a
// changed checkpoint.
func TestByHand(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "openssl", "sha256sum"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	_, section, _ := strings.Cut(string(readFile(t, "../docs/exports.md")), "\n## With sha256sum and OpenSSL\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var commands []string
	for i, part := range strings.Split(section, "```") {
		if text, ok := strings.CutPrefix(part, "sh\n"); ok && i%2 == 1 {
			commands = append(commands, text)
		}
	}
	if len(commands) != 2 {
		t.Fatalf("%d blocks of commands, want 2", len(commands))
	}
	c := newCasino(t, "ac-1", 1)
	folder := c.export(t, true)
	_, vkey := keyOf(t, "audit.example/ac-1/findings", 7)
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("../policy.txt", "quorum none\nlog "+vkey+"\n")
	const unchanged, complete, signed = "unchanged\n", "nothing added\n", "Signature Verified Successfully\n"
	check := func(what string, want ...string) {
		t.Helper()
		run := exec.CommandContext(t.Context(), "bash", "-c", strings.Join(commands, ""))
		run.Dir = folder
		out, _ := run.CombinedOutput() // the exit code is that of the last command
		for _, line := range []string{unchanged, complete, signed} {
			if strings.Contains(string(out), line) != strings.Contains(strings.Join(want, ""), line) {
				t.Errorf("%s: want %q in\n%s", what, want, out)
			}
		}
	}
	check("the bundle", unchanged, complete, signed)
	note := string(readFile(t, filepath.Join(folder, "checkpoint")))
	put("checkpoint", strings.Replace(note, "findings\n", "findings\n1", 1))
	check("another size", unchanged, complete)
	put("checkpoint", note)
	put("extra", "x")
	check("an added file", unchanged, signed)
	if err := os.Remove(filepath.Join(folder, "extra")); err != nil {
		t.Fatal(err)
	}
	put("findings.ndjson", "{}\n")
	check("a changed file", complete, signed)
}
