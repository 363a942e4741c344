package doctor

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/settings"
)

// Command is the command doctor. Both programs have it: the image of ingest, whose settings and network it checks, has
// no other program.
func Command(program, version string) *cobra.Command {
	var output, role string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "check everything that ingest needs, and print how to fix what fails",
		Long: `Doctor reads the settings of ingest as ingest does. It checks the configuration, ClickHouse, its clock, the
schema and the user's grants, the topic and its retention, and the lag of ingest. It changes nothing and joins
no consumer group. Exit code 0 if no check failed, 1 otherwise.`,
		Example: fmt.Sprintf(`  %[1]s doctor --config shoeproof.yaml
  %[1]s doctor --clickhouse-user reader --role reader
  %[1]s doctor -o json | jq '.checks[] | select(.status != "ok")'`, program),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != "table" && output != "json" {
				return cli.WrongUsage(fmt.Errorf("output format %q, want table or json", output))
			}
			if err := CheckRole(role); err != nil {
				return cli.WrongUsage(err)
			}
			config := settings.DefaultIngest()
			_, configErr := settings.Load(cmd.Flags(), &config)
			checks := Run(cmd.Context(), Options{Config: &config, ConfigErr: configErr, Version: version, Role: role})
			if err := Print(cmd.OutOrStdout(), output, checks); err != nil {
				return err
			}
			if n := Failed(checks); n > 0 {
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
