package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

func migrateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "create or update the tables of ClickHouse",
		Long: `Migrate updates a database to the schema of this release and creates it if necessary. It can run again at any
time, also concurrently.`,
		Example: `  audit migrate --clickhouse-addrs 127.0.0.1:9000
  SHOEPROOF_CLICKHOUSE_PASSWORD=... audit migrate --clickhouse-user migrator`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := configure(cmd)
			if err != nil {
				return err
			}
			store, err := config.ClickHouse.Store(version, nil, config.Log.Logger(cmd.ErrOrStderr()))
			if err != nil {
				return cli.WrongUsage(err)
			}
			from, to, err := clickhouse.Migrate(cmd.Context(), store)
			if err != nil {
				return serverError(err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "database %s: schema %d before, %d now\n", config.ClickHouse.Database, from,
				to)
			return err
		},
	}
	settings.AddFlags(cmd.Flags(), auditDefaults(), "clickhouse", "log")
	return cmd
}
