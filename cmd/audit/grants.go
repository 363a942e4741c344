package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/schema/migrations"
)

func grantsCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "grants",
		Short: "print the rights that each user of ClickHouse needs",
		Long: `Grants prints the rights of each user of the database for the administrator of ClickHouse: as SQL statements that
create roles, or as a file for users.d if users are configured in files. It connects to nothing. Print and run it
again before an upgrade: a new release may need other rights.`,
		Example: `  audit grants > roles.sql
  audit grants -o xml --clickhouse-database floor > /etc/clickhouse-server/users.d/floor.xml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := configure(cmd)
			if err != nil {
				return err
			}
			layout := migrations.Layout{Database: config.ClickHouse.Database, Cluster: config.ClickHouse.Cluster}
			text := layout.RoleSQL
			switch output {
			case "sql":
			case "xml":
				text = layout.RoleXML
			default:
				return cli.WrongUsage(fmt.Errorf("output format %q, want sql or xml", output))
			}
			printed, err := text()
			if err != nil {
				return cli.WrongUsage(err)
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), printed)
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "sql", "sql, xml, or a file such as roles.sql")
	settings.AddFlags(cmd.Flags(), auditDefaults(), "clickhouse.database", "clickhouse.cluster")
	return cmd
}
