package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Cell is a figure with its section, row and column.
type Cell struct{ Section, Row, Column, Value string }

// Sheet are the figures in order.
type Sheet []Cell

// row returns a function that adds figures to a row.
func (s *Sheet) row(section, name string) func(column, value string) {
	return func(column, value string) { *s = append(*s, Cell{section, name, column, value}) }
}

// WriteCSV writes one figure a line.
func (s Sheet) WriteCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	if err := w.Write([]string{"section", "row", "column", "value"}); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	for _, c := range s {
		if err := w.Write([]string{c.Section, c.Row, c.Column, c.Value}); err != nil {
			return fmt.Errorf("write CSV: %w", err)
		}
	}
	w.Flush()
	return w.Error()
}

// sections are the tables of the report: title, text, and the columns that fit on a page.
var sections = []struct {
	name, title, text string
	columns           []string
}{
	{
		"delay", "Delay and power", `Each line is a cheat at one strength, played at as many tables as *runs*, each after one honest shoe. *power* is the part of the runs in
which the cheat was found within the horizon. *mean*, its upper 95 % bound, *median* and *p90* count from the first act of the cheat to the alarm of the named detector, in the unit of the line. A run without
an alarm counts with its horizon, marked ≥. A slug or a bad shuffle is found in its shoe or never: its delay is that of the runs with an alarm, to the end of the round of the alarm. *ln A* is the logarithm of
the threshold. *limit* is ln A / KL, which no detector can beat to first order, and *reference* is a measurement of the design at ln A = 20.7. *lost* is what the cheats won more than in the twin run without the
cheat, at $10,000 a bet ($1,000 on a side bet).`,
		[]string{
			"what", "detector", "ln A", "runs", "power", "reference power", "mean", "upper 95 %", "median", "p90",
			"unit", "limit", "mean/limit", "reference", "upper/reference", "lost, $",
		},
	},
	{
		"accused", "Who is accused", `All detectors watch, up to the alarm of the detector above. *first page by* is the detector that raised the first page after the cheat began;
*of a cause* and *of a culprit* count how often the label of the cheat names that detector and that key. *pages before* were raised in the honest shoe before.`, nil,
	},
	{
		"odd", "Unusual honest play", `All detectors watch. *pages* count against the false-alarm budget; *facts* are certain findings (a ninth copy, or a misread card); the calibrated
detectors have a separate queue, outside the budget.`, nil,
	},
	{
		"honest", "Honest rounds", `All detectors over honest tables, with misread and unread cards and honest errors. *starts* is the sum of start weights; at each threshold A
the alarms are at most starts / A on average, whatever the dependence, and *mean e* is at most 1. *per 1,000 table-years* is starts, at the volume measured here, divided by
the threshold: a bound on false pages.`, nil,
	},
	{
		"importance", "Rare events", `The chance of a false alarm under honest play, by importance sampling: cheats are played, and each alarm counts with the likelihood ratio of honest
play to the cheat. *bound* is starts / A.`, nil,
	},
	{"cost", "Cost", `Processor time of each detector by itself over the same recorded rounds of two tables, one with commission and one with side wagers, the minimum of five runs, and memory.`, nil},
}

// Markdown writes the sheet as tables.
func (s Sheet) Markdown() string {
	var out strings.Builder
	for _, part := range sections {
		var rows, columns []string
		values := map[[2]string]string{}
		for _, c := range s {
			if c.Section != part.name {
				continue
			}
			if !slices.Contains(rows, c.Row) {
				rows = append(rows, c.Row)
			}
			if !slices.Contains(columns, c.Column) {
				columns = append(columns, c.Column)
			}
			values[[2]string{c.Row, c.Column}] = c.Value
		}
		if len(rows) == 0 {
			continue
		}
		if part.columns != nil {
			columns = part.columns
		}
		fmt.Fprintf(&out, "\n### %s\n\n%s\n\n| | %s |\n|---|%s\n", part.title, part.text, strings.Join(columns, " | "),
			strings.Repeat("---|", len(columns)))
		for _, row := range rows {
			fmt.Fprintf(&out, "| %s |", row)
			for _, column := range columns {
				fmt.Fprintf(&out, " %s |", values[[2]string{row, column}])
			}
			out.WriteByte('\n')
		}
		if part.name == "delay" {
			fmt.Fprintf(&out, "\nSlower than %.2f times the reference, by the upper bound of the mean: %s.\n", tolerable,
				s.slow())
		}
	}
	return out.String()
}

// tolerable is the maximum ratio of the mean delay to the reference.
const tolerable = 1.25

// slow lists the cheats whose delay is not tolerable.
func (s Sheet) slow() string {
	var names []string
	for _, c := range s {
		if c.Section != "delay" || c.Column != "upper/reference" {
			continue
		}
		if ratio, err := strconv.ParseFloat(c.Value, 64); err == nil && ratio > tolerable {
			names = append(names, c.Row+" ("+c.Value+")")
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
