package scenario

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/simulate/script"
)

// maxBent is the number of bent rounds that are printed of one scenario.
const maxBent = 3

// Print prints whether a scenario passes. For a failed scenario it adds the problems, the expected and the reported
// findings, and the bent rounds; verbose prints the bent rounds of every scenario. It returns whether the scenario
// passes.
func (s *Scenario) Print(out io.Writer, r *Result, verbose bool) bool {
	want, got, problems := s.Want(), Text(r.Findings), s.Problems(r)
	if want == got && len(problems) == 0 {
		fmt.Fprintf(out, "PASS  %s\n", output.Plain(s.path))
		if verbose {
			printBent(out, r)
		}
		return true
	}
	fmt.Fprintf(out, "FAIL  %s\n", output.Plain(s.path))
	for _, problem := range problems {
		printLines(out, "  ", problem)
	}
	if want != got {
		fmt.Fprintln(out, "  expected findings:")
		printFindings(out, want)
		fmt.Fprintln(out, "  reported findings:")
		printFindings(out, got)
	}
	printBent(out, r)
	return false
}

func printFindings(out io.Writer, text string) {
	printLines(out, "    ", cmp.Or(text, "none"))
}

func printBent(out io.Writer, r *Result) {
	bent := script.BentRounds(r.Legal, r.Events)
	for i := range bent[:min(len(bent), maxBent)] {
		where, lines, _ := strings.Cut(bent[i].String(), "\n")
		fmt.Fprintf(out, "  bent: %s\n", output.Plain(where))
		printLines(out, "  ", lines)
	}
	if more := len(bent) - maxBent; more > 0 {
		fmt.Fprintf(out, "  and %d more\n", more)
	}
}

func printLines(out io.Writer, indent, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(out, "%s%s\n", indent, output.Plain(strings.TrimSuffix(line, "\n")))
	}
}
