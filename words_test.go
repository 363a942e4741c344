package shoeproof_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// avoided are words that our text used in place of a technical term. Each limit is for 10,000 words: twice the highest
// rate in the comments of six Go projects of good repute.
var avoided = []struct {
	word  *regexp.Regexp
	limit float64
	use   string
}{
	{regexp.MustCompile(`(?i)\b(say|says|said|saying|tell|tells|told|telling)\b`), 3, "report, log, notify, emit"},
	{regexp.MustCompile(`(?i)\b(ask|asks|asked|asking)\b`), 0.8, "evaluate, query, request"},
	{regexp.MustCompile(`(?i)\b(those of|one that)\b`), 2, "repeat the noun"},
	{regexp.MustCompile(`(?i)\bnobody\b`), 0, "no one, no patron, unassigned"},
	{regexp.MustCompile(`(?i)\banew\b`), 0, "again"},
}

// line is a line of text for people.
type line struct {
	file string
	no   int
	text string
}

// Comments, documents and pages are written in standard technical English.
func TestWords(t *testing.T) {
	for _, corpus := range []struct {
		name string
		read func(name string, data []byte) ([]line, error)
	}{
		{"comments", commentLines},
		{"documents", markdownLines},
		{"pages", templateLines},
	} {
		t.Run(corpus.name, func(t *testing.T) {
			lines, words := textLines(t, corpus.read), 0
			for _, l := range lines {
				words += len(strings.Fields(l.text))
			}
			if words < 1000 {
				t.Fatalf("%d words, want those of the whole module", words)
			}
			for _, a := range avoided {
				var found []line
				for _, l := range lines {
					for range a.word.FindAllString(l.text, -1) {
						found = append(found, l)
					}
				}
				if rate := 10_000 * float64(len(found)) / float64(words); rate > a.limit {
					t.Errorf("%s: %d in %d words, %.1f in 10,000, want at most %.1f; use %s:",
						a.word, len(found), words, rate, a.limit, a.use)
					for _, l := range found {
						t.Errorf("%s:%d: %s", l.file, l.no, l.text)
					}
				}
			}
		})
	}
}

func textLines(t *testing.T, read func(name string, data []byte) ([]line, error)) []line {
	t.Helper()
	var all []line
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "bin"):
			return filepath.SkipDir
		case d.IsDir() || name == "words_test.go": // the words themselves
			return nil
		}
		switch filepath.Ext(name) {
		case ".go", ".md", ".html":
		default:
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		lines, err := read(name, data)
		all = append(all, lines...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func commentLines(name string, data []byte) ([]line, error) {
	if filepath.Ext(name) != ".go" || bytes.Contains(data, []byte("DO NOT EDIT")) {
		return nil, nil
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var lines []line
	for _, group := range file.Comments {
		for _, c := range group.List {
			for i, text := range strings.Split(c.Text, "\n") {
				lines = append(lines, line{name, set.Position(c.Pos()).Line + i, strings.TrimSpace(strings.TrimPrefix(text, "//"))})
			}
		}
	}
	return lines, nil
}

var inlineCode = regexp.MustCompile("`[^`]*`")

// markdownLines leaves out code: it is output, or input, and not prose.
func markdownLines(name string, data []byte) ([]line, error) {
	if filepath.Ext(name) != ".md" {
		return nil, nil
	}
	var lines []line
	code := false
	for i, text := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(strings.TrimSpace(text), "```") {
			code = !code
			continue
		}
		if !code {
			lines = append(lines, line{name, i + 1, inlineCode.ReplaceAllString(text, "")})
		}
	}
	return lines, nil
}

var action = regexp.MustCompile(`{{[^}]*}}`)

func templateLines(name string, data []byte) ([]line, error) {
	if filepath.Ext(name) != ".html" {
		return nil, nil
	}
	var lines []line
	for i, text := range strings.Split(string(data), "\n") {
		lines = append(lines, line{name, i + 1, strings.TrimSpace(action.ReplaceAllString(text, ""))})
	}
	return lines, nil
}
