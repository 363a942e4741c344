// Audit replays table events from files, explains the rules, plays simulated shoes and makes the
// tables of ClickHouse.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // images have no zones

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/cmd/internal/program"
	"github.com/shoeproof/shoeproof/cmd/internal/settings"
)

// version is set by the linker.
var version = "unknown"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends it at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return program.Execute(ctx, command(), args, stdin, stdout, stderr)
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:   "audit",
		Short: "replay, explain and migrate: the tools around the audit of baccarat shoes",
		Long: `Audit replays the events of baccarat tables through the rules that govern them.

Exit codes: 0 done, 1 it failed, 2 wrong usage, configuration or input, 3 findings at or above --fail-on.`,
		Example: `  audit simulate --fixture S-PB -o shoe.ndjson
  audit replay shoe.ndjson
  audit rules vig.outstanding-at-reshuffle`,
	}
	root.AddCommand(
		benchCommand(), serveCommand(),
		replayCommand(), watchCommand(), runCommand(), reportCommand(), retentionCommand(), holdCommand(), simulateCommand(), rulesCommand(), migrateCommand(), grantsCommand(), doctorCommand(), coverageCommand(),
		exportCommand(), verifyCommand(), keygenCommand(),
		settings.Command("audit", func() any { c := settings.DefaultAudit(); return &c }), program.VersionCommand("audit", version),
	)
	return root
}

// configure reads the settings of a command.
func configure(cmd *cobra.Command) (settings.Audit, error) {
	c := settings.DefaultAudit()
	_, err := settings.Load(cmd.Flags(), &c)
	return c, program.WrongUsage(err)
}

func auditDefaults() *settings.Audit {
	c := settings.DefaultAudit()
	return &c
}
