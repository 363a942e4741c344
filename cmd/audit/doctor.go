package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/doctor"
	"github.com/shoeproof/shoeproof/internal/program"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/schema/migrations"
)

func doctorCommand() *cobra.Command {
	var output, role string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "look at everything that ingest needs, and say what is wrong and how to mend it",
		Long: `Doctor reads the settings of ingest as ingest does, and looks at the configuration, at ClickHouse, its
clock, the schema and the rights of the user, at the topic and how long it keeps records, and at how far
ingest is. It changes nothing and joins no consumer group. Exit code 0 if nothing failed, 1 otherwise.`,
		Example: `  audit doctor --config shoeproof.yaml
  audit doctor --clickhouse-user reader --role reader
  audit doctor -o json | jq '.checks[] | select(.status != "ok")'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != "table" && output != "json" {
				return program.WrongUsage(fmt.Errorf("output format %q, want table or json", output))
			}
			if err := knownRole(role); err != nil {
				return program.WrongUsage(err)
			}
			config := settings.DefaultIngest()
			_, wrong := settings.Load(cmd.Flags(), &config)
			checks := doctor.Look(cmd.Context(), doctor.Options{Config: &config, Wrong: wrong, Version: version, Role: role})
			if err := printChecks(cmd.OutOrStdout(), output, checks); err != nil {
				return err
			}
			if !doctor.Sound(checks) {
				return errors.New("something is wrong")
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table or json")
	cmd.Flags().StringVar(&role, "role", "writer", "whose rights the user should have, as audit grants names them")
	defaults := settings.DefaultIngest()
	settings.AddFlags(cmd.Flags(), &defaults)
	return cmd
}

func knownRole(name string) error {
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

func printChecks(out io.Writer, output string, checks []doctor.Check) error {
	if output == "json" {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(struct {
			Sound  bool           `json:"sound"`
			Checks []doctor.Check `json:"checks"`
		}{doctor.Sound(checks), checks})
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range checks {
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.Status, c.Area, c.Seen)
		if c.Mend != "" {
			fmt.Fprintf(w, "\t\tmend: %s\n", c.Mend)
		}
	}
	return w.Flush()
}
