package exporter

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/internal/output"
)

// Print writes a verdict for people, or as JSON.
func Print(out io.Writer, v *export.Verdict, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	}
	for i, c := range v.Checks {
		word := "ok  "
		switch {
		case c.Skipped:
			word = "skip"
		case !c.Passed:
			word = "FAIL"
		}
		if _, err := fmt.Fprintf(out, "%2d %-10s %s  %s\n", i+1, c.Name, word, output.Plain(c.Detail)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "\n%s: %s\n", v.Verdict, output.Plain(v.Message))
	return err
}
