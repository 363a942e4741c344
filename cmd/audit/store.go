package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/gamingday"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/internal/tracing"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// dayFlags adds the flags of a choice of gaming days.
func dayFlags(fs *pflag.FlagSet, c *gamingday.Choice) {
	oneDayFlags(fs, c)
	fs.StringVar(&c.From, "from", "", "first gaming day of several")
	fs.StringVar(&c.To, "to", "", "last gaming day of several")
	fs.StringVar(&c.Shift, "shift", "", "only this shift of each day, as the calendar names it")
}

// oneDayFlags adds the flags of one gaming day.
func oneDayFlags(fs *pflag.FlagSet, c *gamingday.Choice) {
	fs.StringVar(&c.Property, "property", "", "property, as its events name it")
	fs.StringVar(&c.Day, "gaming-day", "", "gaming day, such as 2026-11-19; last is the last one that is over")
}

// noneMissing is printed for --gaming-day missing if no day is missing.
const noneMissing = "no gaming day of the last five weeks is missing"

// missingFlag adds the choice "missing" to --gaming-day.
func missingFlag(fs *pflag.FlagSet, c *gamingday.Choice, days string) {
	c.HasMissing = true
	fs.Lookup("gaming-day").Usage += "; missing are the " + days
}

func openStore(cmd *cobra.Command, config *settings.Audit, books law.Books) (*clickhouse.Store, error) {
	store, err := config.Store(version, books, config.Log.Logger(cmd.ErrOrStderr()))
	if err != nil {
		return nil, cli.WrongUsage(err)
	}
	opened, err := clickhouse.Open(cmd.Context(), store)
	return opened, storeError(err)
}

// openProperty opens the store for a command that is about one property.
func openProperty(cmd *cobra.Command, config *settings.Audit, books law.Books, property string) (
	*clickhouse.Store, error,
) {
	store, err := openStore(cmd, config, books)
	if err != nil {
		return nil, err
	}
	if err := checkProperty(cmd.Context(), store, property); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// traced begins the trace of a command, if a collector is configured; the command's context has its span.
func traced(cmd *cobra.Command, config *settings.Audit, property string) (end func(error), err error) {
	ctx := cmd.Context()
	tracer, err := tracing.Open(ctx, &config.Tracing, "audit", version, config.Log.Logger(cmd.ErrOrStderr()))
	if err != nil {
		return nil, cli.WrongUsage(err)
	}
	of, span := tracer.Root(ctx, "audit "+cmd.Name(),
		trace.WithAttributes(attribute.String("shoeproof.property", property)))
	cmd.SetContext(of)
	return func(err error) {
		tracing.End(span, err)
		tracer.Close(ctx)
	}, nil
}

// checkProperty returns an error if events of other properties are stored and none of this one: a mistyped name would
// give an empty report. An empty store knows no property, and any name is right.
func checkProperty(ctx context.Context, store *clickhouse.Store, property string) error {
	known, err := store.Properties(ctx)
	if err != nil || len(known) == 0 || slices.Contains(known, property) {
		return storeError(err)
	}
	hint := "want one of " + strings.Join(known[:min(len(known), 20)], ", ")
	if near := law.Nearest(property, known); near != "" {
		hint = "did you mean " + near + "?"
	}
	return cli.WrongUsage(fmt.Errorf("--property %q: no event of it is stored, %s", property, hint))
}

// storeError marks errors of ClickHouse that a retry does not fix as wrong usage.
func storeError(err error) error {
	return cli.WrongUsageIf(err, clickhouse.ErrLogin, clickhouse.ErrGrant, clickhouse.ErrSchema)
}

// serverError is storeError for commands that run by hand, for which a failed TLS handshake is wrong usage too.
func serverError(err error) error {
	return cli.WrongUsageIf(storeError(err), clickhouse.ErrTLS)
}

// lockHolder names this process to others that find it at work.
func lockHolder() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return fmt.Sprintf("%s, process %d, since %s", host, os.Getpid(), time.Now().UTC().Format(time.RFC3339Nano))
}
