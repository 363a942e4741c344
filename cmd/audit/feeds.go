package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/feeds"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

func feedsCommand() *cobra.Command {
	var output, property string
	cmd := &cobra.Command{
		Use:   "feeds",
		Short: "show the last event of each table, and the events that wait for a missing one",
		Long: `Feeds lists the tables with the state of their feeds: live, slow after 30 s without a record, stale after 2 min,
closed, or waiting. A table waits while an event is missing: WAITS FOR is its number, EVENTS how many events wait
for it. After reorder.max_wait of ingest, or when the table closes, the missing event is given up and the rounds
around it are UNAUDITABLE.`,
		Example: `  audit feeds --property ac-1
  audit feeds -o ndjson | jq 'select(.state == "waiting")'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if output != "table" && output != "ndjson" {
				return cli.WrongUsage(fmt.Errorf("output format %q, want table or ndjson", output))
			}
			return withStore(func(cmd *cobra.Command, store *clickhouse.Store, _ []string) error {
				if property != "" {
					if err := checkProperty(cmd.Context(), store, property); err != nil {
						return err
					}
				}
				rows, err := store.Feeds(cmd.Context(), property)
				if err != nil {
					return serverError(err)
				}
				return feeds.Print(cmd.OutOrStdout(), output, rows, time.Now())
			})(cmd, args)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table, ndjson, or a file such as feeds.ndjson")
	cmd.Flags().StringVar(&property, "property", "", "only this property")
	settings.AddFlags(cmd.Flags(), auditDefaults(), "clickhouse", "log")
	return cmd
}
