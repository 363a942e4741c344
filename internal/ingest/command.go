package ingest

import (
	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/program"
	"github.com/shoeproof/shoeproof/internal/settings"
)

// Command is the whole program. Its configuration says how o logs.
func Command(o Options) *cobra.Command {
	listening := o.Listening
	defaults := func() any { c := settings.DefaultIngest(); return &c }
	root := &cobra.Command{
		Use:   "ingest",
		Short: "audit the events of baccarat tables: Kafka to ClickHouse, for ever",
		Long: `Ingest reads table events from Kafka, replays them through the rules that govern each table and keeps
rounds, money and findings in ClickHouse, whose tables "audit migrate" makes.

It logs to standard error and serves /metrics, /healthz and /readyz. SIGTERM makes durable what was
read and ends it with 0 within ten seconds; a second one ends it at once. Exit codes: 0 told to stop,
1 it failed, 2 wrong usage or configuration, also where only the brokers or ClickHouse could tell.`,
		Example: `  ingest --config shoeproof.yaml
  SHOEPROOF_PATRON_KEY_FILE=patron.key ingest --kafka-brokers 127.0.0.1:9092 --clickhouse-addrs 127.0.0.1:9000
  ingest config validate --config shoeproof.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config := settings.DefaultIngest()
			if _, err := settings.Load(cmd.Flags(), &config); err != nil {
				return program.WrongUsage(err)
			}
			log := config.Log.Logger(cmd.ErrOrStderr())
			o := o
			o.Log, o.Listening = log, func(addr string) {
				log.Info("serving metrics and probes", "address", addr)
				if listening != nil {
					listening(addr)
				}
			}
			return Run(cmd.Context(), &config, o)
		},
	}
	settings.AddFlags(root.Flags(), defaults())
	root.AddCommand(settings.Command("ingest", defaults), program.VersionCommand("ingest", o.Version))
	return root
}
