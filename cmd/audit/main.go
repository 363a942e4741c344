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

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/settings"
)

// version is set by the linker.
var version = "unknown"

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
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Without any service:", []*cobra.Command{
			replayCommand(), testCommand(), simulateCommand(), rulesCommand(), verifyCommand(), benchCommand(),
		}},
		{"With ClickHouse:", []*cobra.Command{
			serveCommand(), watchCommand(), runCommand(), reportCommand(), exportCommand(), retentionCommand(), holdCommand(),
		}},
		{"Installation and operation:", []*cobra.Command{
			migrateCommand(), grantsCommand(), keygenCommand(), tokenCommand(), doctorCommand(), feedsCommand(),
			coverageCommand(),
			settings.Command("audit", func() any { return auditDefaults() }), cli.VersionCommand("audit", version),
		}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, c := range group.commands {
			c.GroupID = group.title
			root.AddCommand(c)
		}
	}
	return root
}

// configure reads the settings of a command.
func configure(cmd *cobra.Command) (settings.Audit, error) {
	c := settings.DefaultAudit()
	loaded, err := settings.Load(cmd.Flags(), &c)
	loaded.Warn(c.Log.Logger(cmd.ErrOrStderr()))
	return c, cli.WrongUsage(err)
}

func auditDefaults() *settings.Audit {
	c := settings.DefaultAudit()
	return &c
}
