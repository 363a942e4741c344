package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/doctor"
	"github.com/shoeproof/shoeproof/internal/settings"
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
			if err := doctor.CheckRole(role); err != nil {
				return cli.WrongUsage(err)
			}
			config := settings.DefaultIngest()
			_, configErr := settings.Load(cmd.Flags(), &config)
			checks := doctor.Run(cmd.Context(), doctor.Options{
				Config: &config, ConfigErr: configErr, Version: version,
				Role: role,
			})
			if err := doctor.Print(cmd.OutOrStdout(), output, checks); err != nil {
				return err
			}
			if n := doctor.Failed(checks); n > 0 {
				return fmt.Errorf("checks failed: %d", n)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table, json, or a file such as doctor.json")
	cmd.Flags().StringVar(&role, "role", "writer", "role that the user must have, as audit grants names it")
	defaults := settings.DefaultIngest()
	settings.AddFlags(cmd.Flags(), &defaults)
	return cmd
}
