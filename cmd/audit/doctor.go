package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/doctor"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/schema/migrations"
)

func doctorCommand() *cobra.Command {
	var output, role string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "check everything that ingest needs, and print how to fix what fails",
		Long: `Doctor reads the settings of ingest as ingest does. It checks the configuration, ClickHouse, its clock, the
schema and the user's grants, the topic and its retention, and the lag of ingest. It changes nothing and joins
no consumer group. Exit code 0 if no check failed, 1 otherwise.`,
		Example: `  audit doctor --config shoeproof.yaml
  audit doctor --clickhouse-user reader --role reader
  audit doctor -o json | jq '.checks[] | select(.status != "ok")'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != "table" && output != "json" {
				return cli.WrongUsage(fmt.Errorf("output format %q, want table or json", output))
			}
			if err := knownRole(role); err != nil {
				return cli.WrongUsage(err)
			}
			config := settings.DefaultIngest()
			_, configErr := settings.Load(cmd.Flags(), &config)
			checks := doctor.Run(cmd.Context(), doctor.Options{Config: &config, ConfigErr: configErr, Version: version, Role: role})
			if err := printChecks(cmd.OutOrStdout(), output, checks); err != nil {
				return err
			}
			if n := doctor.Failed(checks); n > 0 {
				return fmt.Errorf("checks failed: %d", n)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table or json")
	cmd.Flags().StringVar(&role, "role", "writer", "role that the user must have, as audit grants names it")
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
		}{doctor.Failed(checks) == 0, checks})
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range checks {
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.Status, c.Area, c.Seen)
		if c.Fix != "" {
			fmt.Fprintf(w, "\t\tfix: %s\n", c.Fix)
		}
	}
	return w.Flush()
}
