package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/schema/migrations"
)

// CheckRole returns an error for a role that audit grants does not print.
func CheckRole(name string) error {
	roles, err := migrations.Layout{Database: settings.DefaultIngest().ClickHouse.Database}.Roles()
	var known []string
	for _, r := range roles {
		known = append(known, r.Name)
	}
	if err == nil && !slices.Contains(known, name) {
		err = fmt.Errorf("--role %q, want one of %s", name, strings.Join(known, ", "))
	}
	return err
}

// Print writes the checks as a table or as JSON.
func Print(out io.Writer, format string, checks []Check) error {
	if format == "json" {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(struct {
			Sound  bool    `json:"sound"`
			Checks []Check `json:"checks"`
		}{Failed(checks) == 0, checks})
	}
	w := output.NewTabs(out)
	for _, c := range checks {
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.Status, c.Area, c.Seen)
		if c.Fix != "" {
			fmt.Fprintf(w, "\t\tfix: %s\n", c.Fix)
		}
	}
	return w.Flush()
}
