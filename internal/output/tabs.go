package output

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// Tabs aligns lines of cells with tabs between them. On a terminal the columns fit its width: long text is wrapped, and
// columns are dropped by priority if that is not enough; severities and verdicts have a colour. Elsewhere nothing is
// wrapped, dropped or coloured.
type Tabs struct {
	out    io.Writer
	width  int
	colour bool
	drop   []string
	text   bytes.Buffer
}

// NewTabs returns a table that Flush prints. The names of columns that may be dropped, the first one first, are those
// of the first line.
func NewTabs(out io.Writer, drop ...string) *Tabs {
	t := &Tabs{out: out, drop: drop, width: width(out)}
	t.colour = t.width > 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return t
}

// Write takes in lines.
func (t *Tabs) Write(p []byte) (int, error) { return t.text.Write(p) }

// Flush prints the lines.
func (t *Tabs) Flush() error {
	if t.width == 0 {
		w := tabwriter.NewWriter(t.out, 0, 0, gap, ' ', 0)
		if _, err := w.Write(t.text.Bytes()); err != nil {
			return err
		}
		return w.Flush()
	}
	var rows [][]string
	for line := range strings.Lines(t.text.String()) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	_, err := io.WriteString(t.out, t.fit(rows))
	return err
}

const (
	gap     = 2  // spaces between columns
	minWrap = 12 // width below which no text is wrapped
	maxWord = 24 // longer words are broken
)

// fit lays out the rows in the width of the terminal.
func (t *Tabs) fit(rows [][]string) string {
	var dropped []string
	widths, fits := columnWidths(rows, t.width)
	for _, name := range t.drop {
		if fits || len(rows) == 0 {
			break
		}
		at := slices.Index(rows[0], name)
		if at < 0 {
			continue
		}
		for i, row := range rows {
			if at < len(row) {
				rows[i] = slices.Delete(slices.Clone(row), at, at+1)
			}
		}
		dropped = append(dropped, name)
		widths, fits = columnWidths(rows, t.width)
	}
	var b strings.Builder
	for _, row := range rows {
		t.row(&b, row, widths)
	}
	if len(dropped) > 0 {
		b.WriteString(
			"Not shown for want of width: " + strings.Join(
				dropped, ", ",
			) + ". A wider terminal, a pipe and -o show all.\n",
		)
	}
	return b.String()
}

// columnWidths returns the widths of the columns, and whether they fit. The widest column shrinks first, down to its
// longest word.
func columnWidths(rows [][]string, width int) (widths []int, fits bool) {
	var least []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths, least = append(widths, 0), append(least, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
			for word := range strings.FieldsSeq(c) {
				least[i] = max(least[i], min(utf8.RuneCountInString(word), maxWord))
			}
		}
	}
	total := gap * (len(widths) - 1)
	for i, w := range widths {
		least[i] = min(max(least[i], minWrap), w)
		total += w
	}
	for ; total > width; total-- {
		widest := -1
		for i, w := range widths {
			if w > least[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return widths, false
		}
		widths[widest]--
	}
	return widths, true
}

// row prints one row on as many lines as its cells need.
func (t *Tabs) row(b *strings.Builder, row []string, widths []int) {
	cells, lines := make([][]string, len(row)), 1
	for i, c := range row {
		cells[i] = wrap(c, widths[i])
		lines = max(lines, len(cells[i]))
	}
	for n := range lines {
		line, pad := "", 0
		for i := range row {
			if n < len(cells[i]) {
				text := cells[i][n]
				line += strings.Repeat(" ", pad) + t.paint(row[i], text)
				pad = widths[i] + gap - utf8.RuneCountInString(text)
			} else {
				pad += widths[i] + gap
			}
		}
		b.WriteString(line + "\n")
	}
}

// wrap breaks a text into lines of a width. Spaces at its begin, an indent, stay on each line.
func wrap(s string, width int) []string {
	if utf8.RuneCountInString(s) <= width {
		return []string{s}
	}
	indent := s[:len(s)-len(strings.TrimLeft(s, " "))]
	var lines []string
	line := indent
	for word := range strings.FieldsSeq(s) {
		for {
			space := 0
			if line != indent {
				space = 1
			}
			room := width - utf8.RuneCountInString(line) - space
			if n := utf8.RuneCountInString(word); n <= room {
				line += strings.Repeat(" ", space) + word
				break
			}
			if line != indent {
				lines, line = append(lines, line), indent
				continue
			}
			head := []rune(word)
			room = max(room, 1)
			lines, word = append(lines, line+string(head[:room])), string(head[room:])
		}
	}
	return append(lines, line)
}

// paint colours a cell that is a severity, a verdict or the state of a check.
func (t *Tabs) paint(cell, text string) string {
	colours := map[string]string{
		"critical": "1;31", "major": "31", "minor": "33", "BREACH": "31", "SUSPECT": "33", "UNAUDITABLE": "36",
		"fail": "1;31", "FAIL": "1;31", "warn": "33", "ok": "32",
	}
	if code := colours[strings.TrimSpace(cell)]; t.colour && code != "" {
		return "\x1b[" + code + "m" + text + "\x1b[0m"
	}
	return text
}
