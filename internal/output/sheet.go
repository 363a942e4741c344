package output

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
)

// Sheet is a report in rows and columns. Numbers are formatted text.
type Sheet struct {
	Title   string
	Columns []string
	Rows    [][]string
	// Notes are formulas, clauses and limits of the figures.
	Notes []string
}

// Write prints a sheet in a format of Formats. A table includes title and notes; otherwise they go to notes.
func (s *Sheet) Write(out, notes io.Writer, format string) error {
	if !slices.Contains(Formats(), format) {
		return fmt.Errorf("output format %q, want one of %s", format, strings.Join(Formats(), ", "))
	}
	var err error
	switch format {
	case "table":
		notes = out
		fmt.Fprintf(out, "%s\n\n", s.Title)
		err = s.table(out)
		fmt.Fprintln(out)
	case "csv":
		fmt.Fprintln(notes, s.Title)
		err = s.csv(out)
	default:
		fmt.Fprintln(notes, s.Title)
		err = s.ndjson(out)
	}
	if err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	for _, n := range s.Notes {
		if _, err := fmt.Fprintln(notes, n); err != nil {
			return fmt.Errorf("print the report: %w", err)
		}
	}
	return nil
}

func (s *Sheet) table(out io.Writer) error {
	w := NewTabs(out, s.lesser()...)
	fmt.Fprintln(w, strings.ToUpper(strings.Join(s.Columns, "\t")))
	for _, row := range s.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			if cells[i] = Plain(c); c == "" {
				cells[i] = "-"
			}
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

// lesser are the columns that a narrow terminal drops, the first one first: those with one value in all rows, then from
// the last on. The first three stay.
func (s *Sheet) lesser() []string {
	var same, others []string
	for i := len(s.Columns) - 1; i >= 3; i-- {
		name := strings.ToUpper(s.Columns[i])
		if slices.ContainsFunc(s.Rows, func(row []string) bool { return row[i] != s.Rows[0][i] }) {
			others = append(others, name)
		} else {
			same = append(same, name)
		}
	}
	return append(same, others...)
}

var number = regexp.MustCompile(`^-[0-9]+(\.[0-9]+)?$`)

func (s *Sheet) csv(out io.Writer) error {
	w := csv.NewWriter(out)
	_ = w.Write(s.Columns) // reported by Flush
	for _, row := range s.Rows {
		cells := slices.Clone(row)
		for i, c := range cells {
			if !number.MatchString(c) {
				cells[i] = schema.Cell(c)
			}
		}
		_ = w.Write(cells)
	}
	w.Flush()
	return w.Error()
}

// ndjson writes the cells of a row as an object, in the order of the columns.
func (s *Sheet) ndjson(out io.Writer) error {
	for _, row := range s.Rows {
		var line strings.Builder
		for i, c := range row {
			name, err := json.Marshal(s.Columns[i])
			if err != nil {
				return err
			}
			value, err := json.Marshal(c)
			if err != nil {
				return err
			}
			fmt.Fprintf(&line, ",%s:%s", name, value)
		}
		if _, err := fmt.Fprintf(out, "{%s}\n", strings.TrimPrefix(line.String(), ",")); err != nil {
			return err
		}
	}
	return nil
}
