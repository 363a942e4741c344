// Audit replays table events, explains the rules, and serves, reports and exports the audit of ingest. The commands
// here read flags and settings; the work is in internal.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // container images have no time zones

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/doctor"
	"github.com/shoeproof/shoeproof/internal/settings"
)

// Set by the linker. The verifiers are NAME=SHA256 of the programs of the release that verify bundles, with spaces
// between them; empty for a build that is no release.
var version, verifiers = "unknown", ""

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends it at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return cli.Execute(ctx, command(), args, cli.Streams{In: stdin, Out: stdout, Err: stderr})
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use: "audit",
		Long: `Audit evaluates the rules that govern baccarat tables on their events.

Exit codes: 0 done, 1 it failed, 2 wrong usage, configuration or input, 3 findings at or above --fail-on.`,
		Example: `  audit simulate --fixture S-PB -o shoe.ndjson
  audit replay shoe.ndjson
  audit rules vig.outstanding-at-reshuffle`,
	}
	const operation = "Installation and operation:"
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Without any service:", []*cobra.Command{
			replayCommand(), conformCommand(), testCommand(), simulateCommand(), rulesCommand(), verifyCommand(), benchCommand(),
		}},
		{"With ClickHouse:", []*cobra.Command{
			serveCommand(), watchCommand(), runCommand(), reportCommand(), exportCommand(), retentionCommand(), holdCommand(),
		}},
		{operation, []*cobra.Command{
			migrateCommand(), grantsCommand(), keygenCommand(), tokenCommand(), doctor.Command("audit", version),
			feedsCommand(), coverageCommand(),
			settings.Command("audit", func() any { return auditDefaults() }),
		}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, c := range group.commands {
			c.GroupID = group.title
			root.AddCommand(c)
		}
	}
	cli.Describe(root, version, operation)
	return root
}

// configure reads the settings of a command.
func configure(cmd *cobra.Command) (settings.Audit, error) {
	c := settings.DefaultAudit()
	loaded, err := settings.Load(cmd.Flags(), &c)
	loaded.Warn(c.Log.Logger(cmd.ErrOrStderr()))
	return c, cli.WrongUsage(err)
}

// configureLaw loads the settings of a command that judges, and the options of an engine.
func configureLaw(cmd *cobra.Command) (settings.Audit, engine.Options, error) {
	config, err := configure(cmd)
	if err != nil {
		return config, engine.Options{}, err
	}
	opt, err := config.Law.Options(version)
	return config, opt, err
}

func auditDefaults() *settings.Audit {
	c := settings.DefaultAudit()
	return &c
}
