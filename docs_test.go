// Package shoeproof_test holds the documents to the programs: links lead somewhere, and what is
// printed in a document is what the command beside it prints.
package shoeproof_test

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/internal/scenario"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/script"
)

var update = flag.Bool("update", false, "rewrite testdata/shoes and the output in the documents")

// documents are the Markdown files of the repository by path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	docs := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." &&
			(strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "bin"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		docs[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(docs) == 0 {
		t.Fatal("found no documents")
	}
	return docs
}

// A document has no marks of a merge.
func TestMergeMarks(t *testing.T) {
	mark := regexp.MustCompile(`(?m)^(<{7}|={7}|>{7})( |$).*`)
	for path, text := range documents(t) {
		if found := mark.FindString(text); found != "" {
			t.Errorf("%s: %s", path, found)
		}
	}
}

func TestLinks(t *testing.T) {
	docs := documents(t)
	fence := regexp.MustCompile("(?ms)^```.*?^```$")
	link := regexp.MustCompile(`\]\(([^()\s]+)\)`)
	for path, text := range docs {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") || strings.HasPrefix(file, "mailto:") {
				continue
			}
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s leads nowhere", path, m[1])
				continue
			}
			if anchor != "" && !hasHeading(docs[target], anchor) {
				t.Errorf("%s: %s: no such heading in %s", path, m[1], target)
			}
		}
	}
}

// hasHeading says whether a document has a heading of that anchor, as forges make anchors.
func hasHeading(text, anchor string) bool {
	drop := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for line := range strings.Lines(text) {
		if title := strings.TrimLeft(line, "#"); title != line {
			title = drop.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			if strings.ReplaceAll(title, " ", "-") == anchor {
				return true
			}
		}
	}
	return false
}

// A test that a document names is there.
func TestTestsInDocuments(t *testing.T) {
	have := map[string]bool{}
	named := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range named.FindAllSubmatch(text, -1) {
			have[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	mention := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w+)`")
	for path, text := range documents(t) {
		for _, m := range mention.FindAllStringSubmatch(text, -1) {
			if !have[m[1]] {
				t.Errorf("%s: there is no test %s", path, m[1])
			}
		}
	}
}

// audit is the program, built once for all tests.
var audit = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "shoeproof-docs")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "audit")
	out, err := exec.Command("go", "build", "-o", path, "./cmd/audit").CombinedOutput()
	if err != nil {
		os.Stderr.Write(out)
	}
	return path, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := audit(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// In a block ```console, a line "$ bin/audit ..." is a command of the repository's root, and the
// lines after it are what it prints on both outputs. Of other commands only echo and printf are run.
func TestOutputInDocuments(t *testing.T) {
	program, err := audit()
	if err != nil {
		t.Fatalf("build audit: %v", err)
	}
	block := regexp.MustCompile("(?ms)^```console\n(.*?)^```$")
	for path, text := range documents(t) {
		t.Run(path, func(t *testing.T) {
			work := t.TempDir() // what one command writes, the next ones of the document may read
			for _, name := range []string{"testdata", "docs"} {
				here, err := filepath.Abs(name)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(here, filepath.Join(work, name)); err != nil {
					t.Fatal(err)
				}
			}
			got := block.ReplaceAllStringFunc(text, func(b string) string {
				return "```console\n" + session(t, program, work, strings.TrimSuffix(strings.TrimPrefix(b, "```console\n"), "```")) + "```"
			})
			switch {
			case got == text:
			case *update:
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("output differs, run go test . -update (-document +program):\n%s", cmp.Diff(text, got))
			}
		})
	}
}

// session runs the commands of a block and returns it with what they print now.
func session(t *testing.T, program, work, block string) string {
	var out strings.Builder
	ours := false
	for line := range strings.Lines(block) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			if !ours {
				out.WriteString(line)
			}
			continue
		}
		out.WriteString(line)
		ours = strings.HasPrefix(command, "bin/audit ") || strings.HasPrefix(command, "echo ") ||
			strings.HasPrefix(command, "printf ")
		if !ours {
			continue
		}
		c := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(command, "bin/audit ", program+" "))
		c.Dir = work
		printed, err := c.CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatalf("%s: %v", command, err)
		}
		out.Write(printed)
	}
	return out.String()
}

// The example shoes, how each is made, and how many findings it gives.
func TestExampleShoes(t *testing.T) {
	vigorish, err := scenario.Read("testdata/scenarios/vig.outstanding-at-reshuffle.txtar")
	if err != nil {
		t.Fatal(err)
	}
	outstanding := vigorish.Section("edits")
	for _, example := range []struct {
		file, fixture, edits string
		findings             int
	}{
		{"nj-19-47.ndjson", "S-PB", "", 0},
		{"nj-19-47-pair.ndjson", "S-PAIR", "", 0},
		{"nj-13-69f.ndjson", "S-69F", "", 0},
		{"ny-5324-21.ndjson", "S-NY", "", 0},
		{"minibaccarat.ndjson", "S-MB", "", 0},
		{"midibaccarat.ndjson", "S-MIDI", "", 0},
		{"chemin-de-fer.ndjson", "S-CF", "", 0},
		{"outstanding-vigorish.ndjson", "S-PB", outstanding, 1},
	} {
		t.Run(example.file, func(t *testing.T) {
			path := filepath.Join("testdata/shoes", example.file)
			if *update {
				writeShoe(t, path, example.fixture, example.edits)
			}
			program, err := audit()
			if err != nil {
				t.Fatalf("build audit: %v", err)
			}
			var stdout, stderr bytes.Buffer
			c := exec.CommandContext(t.Context(), program, "replay", "-o", "ndjson", path)
			c.Stdout, c.Stderr = &stdout, &stderr
			if err := c.Run(); err != nil {
				t.Fatalf("replay: %v\n%s", err, &stderr)
			}
			if n := strings.Count(stdout.String(), "\n"); n != example.findings {
				t.Errorf("%d findings, want %d:\n%s", n, example.findings, &stdout)
			}
		})
	}
}

func writeShoe(t *testing.T, path, fixture, lines string) {
	events, err := script.Fixture(fixture)
	if err != nil {
		t.Fatal(err)
	}
	edits, err := script.Parse(lines)
	if err != nil {
		t.Fatal(err)
	}
	if events, err = edits.Apply(events); err != nil {
		t.Fatal(err)
	}
	if err := schema.WriteFile(path, events); err != nil {
		t.Fatal(err)
	}
}

// Each test that the page on security or the review of the console names exists: a threat must not rest on a test that
// was renamed or removed.
func TestNamedTestsExist(t *testing.T) {
	declared := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
			declared[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"docs/security.md", "docs/screens/README.md"} {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile("`(Test\\w+)`").FindAllSubmatch(page, -1)
		if len(named) < 30 {
			t.Errorf("%s: %d tests are named", name, len(named))
		}
		for _, m := range named {
			if !declared[string(m[1])] {
				t.Errorf("%s names %s, and no package has it", name, m[1])
			}
		}
	}
}
