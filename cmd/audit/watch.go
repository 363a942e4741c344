package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/internal/watch"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
)

type watchFlags struct {
	property, since         string
	once                    bool
	every, behind, patience time.Duration
}

func watchCommand() *cobra.Command {
	var f watchFlags
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "run the detectors of patrons, dealers, pairs, devices and pits over stored facts",
		Long: `Watch reads the rounds of a property in the order in which they were settled, behind the slowest open table. It
runs the detectors whose keys outlive a shoe and the rules that compare tables, and stores evidence and findings. Every
ten minutes, and when it ends, it stores a snapshot of its state: after a restart it reads the rounds settled since, and
finds the same. Rounds of a late feed are scored too, and audit run scores each day again in order. One watch at a time
works on a property; another one waits for its lease.`,
		Example: `  audit watch --property ac-1
  audit watch --property ac-1 --watch-metrics-listen :9465
  audit watch --property ac-1 --since 2026-09-01 --once`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.property, "property", "", "property, as its events name it")
	fs.StringVar(&f.since, "since", "", "first gaming day, unless a snapshot ends later; empty for all stored ones")
	fs.BoolVar(&f.once, "once", false, "exit when all settled rounds were read")
	fs.DurationVar(&f.every, "every", 10*time.Second, "interval between two passes")
	fs.DurationVar(&f.behind, "behind", time.Minute, "distance to the slowest open table, in event time")
	fs.DurationVar(&f.patience, "patience", 2*time.Minute,
		"max wait for a slow table: the rounds of a table that is further behind are scored separately")
	settings.AddFlags(fs, auditDefaults(), "clickhouse", "calendar", "rulebooks", "detectors", "watch", "log")
	return cmd
}

func (f *watchFlags) run(cmd *cobra.Command) error {
	if f.property == "" {
		return cli.WrongUsage(errors.New("--property: none, want the property as its events name it"))
	}
	if f.every <= 0 || f.behind < 0 || f.patience <= 0 {
		return cli.WrongUsage(errors.New("--every and --patience, want more than 0; --behind, want 0 or more"))
	}
	config, err := configure(cmd)
	if err != nil {
		return err
	}
	stderr := cmd.ErrOrStderr()
	o := watch.RunOptions{
		Options: watch.Options{
			Property: f.property, Behind: f.behind, Patience: f.patience, Limit: watch.NewLimit(),
		},
		Version: version, Holder: lockHolder(), Every: f.every, Once: f.once, Log: config.Log.Logger(stderr),
		Listening: func(addr string) { fmt.Fprintln(stderr, "metrics:", addr) },
		Known: func(ctx context.Context, store *clickhouse.Store) error {
			return checkProperty(ctx, store, f.property)
		},
		Passed: func(s watch.Step) {
			if s.Shoes > 0 || f.once {
				at := "no settled round"
				if s.Watermark > 0 {
					at = time.Unix(0, s.Watermark).UTC().Format(time.RFC3339)
				}
				fmt.Fprintf(stderr, "%s  %s, %s; evidence %d, findings %d; false alarms at most %.2g, budget %.2g\n",
					at, schema.Count(s.Shoes, "shoe"),
					schema.Count(s.Rounds, "round"), s.Evidence, s.Findings, s.Bound, s.Promised)
			}
		},
	}
	if o.Engine, err = config.Law.Options(version); err != nil {
		return cli.WrongUsage(err)
	}
	if f.since != "" {
		if o.Since, _, err = o.Engine.Calendar.Bounds(f.since, ""); err != nil {
			return cli.WrongUsage(fmt.Errorf("--since: %w", err))
		}
	}
	return storeError(watch.Run(cmd.Context(), &config, o))
}
