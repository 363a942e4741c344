package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

func retentionCommand() *cobra.Command {
	apply := false
	cmd := &cobra.Command{
		Use:   "retention",
		Short: "list what is older than its class is kept, and delete it if told to",
		Long: `Retention lists the months that are older than retention.events, retention.facts and retention.findings
ask for, and the rows older than retention.exports. What a legal hold touches is kept, whatever its age.
Nothing is deleted without --apply, which needs the rights of the migrator.`,
		Example: `  audit retention
  audit retention --apply
  audit retention --retention-events 10`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return retention(cmd, apply) },
	}
	cmd.Flags().BoolVar(&apply, "apply", false, "delete what is listed and not held")
	settings.AddFlags(cmd.Flags(), auditDefaults(), "retention", "clickhouse", "log")
	return cmd
}

func retention(cmd *cobra.Command, apply bool) error {
	config, err := configure(cmd)
	if err != nil {
		return err
	}
	store, err := openStore(cmd, &config, nil)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	c := &config.Retention
	classes := []clickhouse.Class{{Name: "events", Years: c.Events}, {Name: "facts", Years: c.Facts}, {Name: "findings", Years: c.Findings}, {Name: "exports", Years: c.Exports}}
	now := time.Now()
	expired, err := store.Expired(cmd.Context(), classes, now)
	if err != nil {
		return storeTrouble(err)
	}
	if !apply {
		return printExpired(cmd.OutOrStdout(), expired)
	}
	for _, e := range expired {
		for _, h := range e.Held {
			fmt.Fprintf(cmd.ErrOrStderr(), "kept     %s of %s: hold %s of %s\n", e.Month, e.Table, h.ID, output.Plain(h.Property))
		}
	}
	return storeTrouble(store.Delete(cmd.Context(), classes, now, holder(), func(e clickhouse.Expired) {
		fmt.Fprintf(cmd.OutOrStdout(), "deleted  %s: %d rows\n", what(&e), e.Rows)
	}))
}

// what names expired records.
func what(e *clickhouse.Expired) string {
	if e.Month != "" {
		return e.Table + " of " + e.Month
	}
	return e.Table + " before " + e.Before
}

func printExpired(out io.Writer, expired []clickhouse.Expired) error {
	if len(expired) == 0 {
		_, err := fmt.Fprintln(out, "nothing is older than it is kept")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "CLASS\tWHAT\tROWS\tBYTES\tLEGAL HOLD")
	for i := range expired {
		e := &expired[i]
		var held []string
		for _, h := range e.Held {
			held = append(held, fmt.Sprintf("%s: %s", h.ID, output.Plain(h.Reason)))
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\n", e.Class, what(e), e.Rows, e.Bytes, strings.Join(held, "; "))
	}
	return w.Flush()
}

func holdCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "hold",
		Short: "place, release and list legal holds, which keep records whatever their age",
		Long: `A legal hold keeps the records of a property's gaming days from audit retention. Where records lie in
months it keeps the whole months that it touches. Holds are never deleted: a release is a record of its own.`,
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
	list := &cobra.Command{Use: "list", Short: "list the legal holds in force", Args: cobra.NoArgs, Example: "  audit hold list"}
	place.PreRunE = func(*cobra.Command, []string) error {
		_, first := time.Parse(time.DateOnly, h.From)
		_, last := time.Parse(time.DateOnly, h.Until)
		if h.Property == "" || first != nil || last != nil || h.Actor == "" || h.Reason == "" {
			return cli.WrongUsage(errors.New("want --property, --by, --reason, and --from and --to as gaming days such as 2026-01-31"))
		}
		if h.From > h.Until {
			return cli.WrongUsage(fmt.Errorf("--from %s is after --to %s", h.From, h.Until))
		}
		return nil
	}
	place.RunE = withStore(func(cmd *cobra.Command, store *clickhouse.Store, _ []string) error {
		id, err := store.Place(cmd.Context(), h)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), id)
		return err
	})
	release.PreRunE = func(*cobra.Command, []string) error {
		if h.Actor == "" || h.Reason == "" {
			return cli.WrongUsage(errors.New("want --by and --reason"))
		}
		return nil
	}
	release.RunE = withStore(func(cmd *cobra.Command, store *clickhouse.Store, args []string) error {
		err := store.Release(cmd.Context(), args[0], h.Actor, h.Reason)
		if errors.Is(err, clickhouse.ErrNoHold) {
			return cli.WrongUsage(err)
		}
		return err
	})
	list.RunE = withStore(func(cmd *cobra.Command, store *clickhouse.Store, _ []string) error {
		holds, err := store.Holds(cmd.Context())
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "HOLD\tPROPERTY\tFROM\tTO\tPLACED\tBY\tREASON")
		for _, h := range holds {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", h.ID, output.Plain(h.Property), h.From, h.Until, h.Placed.UTC().Format(time.RFC3339), output.Plain(h.Actor), output.Plain(h.Reason))
		}
		return w.Flush()
	})
	for _, c := range []*cobra.Command{place, release, list} {
		settings.AddFlags(c.Flags(), auditDefaults(), "clickhouse", "log")
		root.AddCommand(c)
	}
	return root
}

// withStore is a command that needs ClickHouse and no rules.
func withStore(do func(cmd *cobra.Command, store *clickhouse.Store, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		config, err := configure(cmd)
		if err != nil {
			return err
		}
		store, err := openStore(cmd, &config, nil)
		if err != nil {
			return err
		}
		defer func() { _ = store.Close() }()
		return storeTrouble(do(cmd, store, args))
	}
}
