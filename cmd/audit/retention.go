package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/retention"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/rows"
)

func retentionCommand() *cobra.Command {
	apply := false
	cmd := &cobra.Command{
		Use:   "retention",
		Short: "list records that are older than their retention, and delete them with --apply",
		Long: `Retention lists the months that are older than retention.events, retention.facts and retention.findings, and
the rows that are older than retention.exports. Records under a legal hold are kept. Nothing is deleted without
--apply, which needs the role retention of audit grants.`,
		Example: `  audit retention
  audit retention --apply
  audit retention --retention-events 10`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runRetention(cmd, apply) },
	}
	cmd.Flags().BoolVar(&apply, "apply", false, "delete the listed records that are not under a legal hold")
	settings.AddFlags(cmd.Flags(), auditDefaults(), "retention", "clickhouse", "log")
	return cmd
}

func runRetention(cmd *cobra.Command, apply bool) error {
	return stored(cmd, func(config *settings.Audit, store *clickhouse.Store) error {
		c := &config.Retention
		return retention.Run(cmd.Context(), store, retention.Options{
			Classes: []clickhouse.Class{
				{Name: "events", Years: c.Events},
				{Name: "facts", Years: c.Facts},
				{Name: "findings", Years: c.Findings},
				{Name: "exports", Years: c.Exports},
			},
			Apply: apply, Holder: lockHolder(), Out: cmd.OutOrStdout(), Notes: cmd.ErrOrStderr(),
		})
	})
}

func holdCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "hold",
		Short: "place, release and list legal holds, which keep records beyond their retention",
		Long: `A legal hold excludes the records of a property's gaming days from audit retention. Records that are stored by
month are kept for the whole months. Holds are never deleted: a release is a separate record.`,
		Example: "  audit hold list",
	}
	var h clickhouse.Hold
	place := &cobra.Command{
		Use: "place", Short: "place a legal hold and print its id", Args: cobra.NoArgs,
		Example: `  audit hold place --property ac-1 --from 2026-01-01 --to 2026-03-31 --by "J. Doe, counsel" --reason "case 26-117"`,
	}
	place.Flags().StringVar(&h.Property, "property", "", "property, as its events name it")
	place.Flags().StringVar(&h.From, "from", "", "first gaming day")
	place.Flags().StringVar(&h.Until, "to", "", "last gaming day")
	release := &cobra.Command{
		Use: "release ID", Short: "end a legal hold", Args: cobra.ExactArgs(1),
		Example: `  audit hold release ab12cd34ef56 --by "J. Doe, counsel" --reason "case 26-117 is closed"`,
	}
	for _, c := range []*cobra.Command{place, release} {
		c.Flags().StringVar(&h.Actor, "by", "", "who orders it")
		c.Flags().StringVar(&h.Reason, "reason", "", "why")
	}
	place.PreRunE = func(*cobra.Command, []string) error { return cli.WrongUsage(retention.CheckHold(&h)) }
	place.RunE = withStore(func(cmd *cobra.Command, store *clickhouse.Store, _ []string) error {
		if err := checkProperty(cmd.Context(), store, h.Property); err != nil {
			return err
		}
		h.Placed = time.Now()
		id, err := store.Place(cmd.Context(), h)
		if err != nil {
			return err
		}
		h.ID = id
		if err := logHold(cmd, store, rows.PlaceAction, &h); err != nil {
			return err
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), id)
		return err
	})
	release.RunE = withStore(func(cmd *cobra.Command, store *clickhouse.Store, args []string) error {
		released, err := store.Release(cmd.Context(), args[0], h.Actor, h.Reason)
		if err != nil {
			return cli.WrongUsageIf(err, clickhouse.ErrNoHold)
		}
		return logHold(cmd, store, rows.ReleaseAction, &released)
	})
	release.PreRunE = func(*cobra.Command, []string) error {
		if h.Actor == "" || h.Reason == "" {
			return cli.WrongUsage(errors.New("want --by and --reason"))
		}
		return nil
	}
	for _, c := range []*cobra.Command{place, release, holdListCommand()} {
		settings.AddFlags(c.Flags(), auditDefaults(), "clickhouse", "log")
		root.AddCommand(c)
	}
	return root
}

func holdListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "list the legal holds in force", Args: cobra.NoArgs,
		Example: "  audit hold list",
		RunE: withStore(func(cmd *cobra.Command, store *clickhouse.Store, _ []string) error {
			holds, err := store.Holds(cmd.Context())
			if err != nil {
				return err
			}
			return retention.PrintHolds(cmd.OutOrStdout(), holds)
		}),
	}
}

// logHold appends a legal hold to the console log, whose chain shows a hold that is changed or deleted.
func logHold(cmd *cobra.Command, s *clickhouse.Store, action string, h *clickhouse.Hold) error {
	return retention.LogHold(cmd.Context(), s, action, h, time.Now)
}

// withStore runs a command that needs ClickHouse and no rules.
func withStore(do func(cmd *cobra.Command, store *clickhouse.Store, args []string) error) func(*cobra.Command,
	[]string) error {
	return func(cmd *cobra.Command, args []string) error {
		return stored(cmd, func(_ *settings.Audit, store *clickhouse.Store) error { return do(cmd, store, args) })
	}
}

// stored calls do with the settings and ClickHouse.
func stored(cmd *cobra.Command, do func(*settings.Audit, *clickhouse.Store) error) error {
	config, err := configure(cmd)
	if err != nil {
		return err
	}
	store, err := openStore(cmd, &config, nil)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	return storeError(do(&config, store))
}
