package ingest

import (
	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/doctor"
	"github.com/shoeproof/shoeproof/internal/gateway"
	"github.com/shoeproof/shoeproof/internal/settings"
)

// Command is the command line of ingest. The logger of o comes from the configuration.
func Command(o Options) *cobra.Command {
	listening := o.Listening
	defaults := func() any { c := settings.DefaultIngest(); return &c }
	root := &cobra.Command{
		Use:   "ingest",
		Short: "audit the events of baccarat tables from Kafka into ClickHouse",
		Long: `Ingest reads table events from Kafka, evaluates the rules that govern each table and writes rounds, money
and findings to ClickHouse. "audit migrate" creates the tables.

It logs to standard error and serves /metrics, /healthz and /readyz. On SIGTERM it flushes what was read and
exits with 0 within ten seconds; a second SIGTERM ends it at once. Exit codes: 0 stopped by a signal, 1 failed,
2 wrong usage or configuration, also if the brokers or ClickHouse reject it.`,
		Example: `  ingest --config shoeproof.yaml
  SHOEPROOF_PATRON_KEY_FILE=patron.key ingest --kafka-brokers 127.0.0.1:9092 --clickhouse-addrs 127.0.0.1:9000
  ingest config validate --config shoeproof.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config := settings.DefaultIngest()
			loaded, err := settings.Load(cmd.Flags(), &config)
			if err != nil {
				return cli.WrongUsage(err)
			}
			log := config.Log.Logger(cmd.ErrOrStderr())
			loaded.Warn(log)
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
	root.AddCommand(settings.Command("ingest", defaults), filesCommand(o, defaults), gateway.Command(o.Version),
		doctor.Command("ingest", o.Version))
	cli.Describe(root, o.Version, "")
	return root
}
