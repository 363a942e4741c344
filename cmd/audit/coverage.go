package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/coverage"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

func coverageCommand() *cobra.Command {
	var output, topic string
	var archive bool
	cmd := &cobra.Command{
		Use:   "coverage",
		Short: "prove that ingest left nothing out and stored nothing twice",
		Long: `Coverage reads the journal, in which ingest records each range of offsets before it writes the rows. For each
partition it proves that the ranges are contiguous and do not overlap. If a restart wrote a range again, the
newest generation counts. It also counts each table by its keys. The last range of a partition may still be
in progress; all ranges before it are complete.

With --archive it also reads all records in events and dead_letters, and compares them with the journal, which
has the number and the SHA-256 of the records of each range, and the number of its repeated records. A record that is
missing, changed or added differs. Ranges of older releases have only a CRC and are partial if they had repeated
events. The last range may be in progress for an hour. The other tables cannot be proven in this way, because their
rows have no range; "audit run" derives them again. With console.chain_key_file, the file that ingest has as
journal.key_file, the rows of the journal must have their HMAC and agree with the last run's record.

Exit code 0 if everything is proven, 1 for a gap, an overlap, a duplicate key, other bytes, a forged journal or an
empty one, and 3 if the log lost records before they were read, which cannot be proven.
It reads the archive, and so needs the role auditor.`,
		Example: `  audit coverage --clickhouse-user auditor
  audit coverage --topic table-events --archive -o ndjson`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != "table" && output != "ndjson" {
				return cli.WrongUsage(fmt.Errorf("output format %q, want table or ndjson", output))
			}
			config, err := configure(cmd)
			if err != nil {
				return err
			}
			store, err := config.Store(version, nil, config.Log.Logger(cmd.ErrOrStderr()))
			if err != nil {
				return cli.WrongUsage(err)
			}
			store.ReadTimeout = time.Hour // it counts years of events
			db, err := clickhouse.Open(cmd.Context(), store)
			if err != nil {
				return serverError(err)
			}
			result, err := coverage.Read(cmd.Context(), db, coverage.Options{Topic: topic, Archive: archive})
			if err = errors.Join(err, db.Close()); err != nil {
				return serverError(err)
			}
			if err := result.Print(cmd.OutOrStdout(), output); err != nil {
				return err
			}
			err = result.Check(cmd.ErrOrStderr())
			if errors.Is(err, coverage.ErrUnknown) {
				return cli.WithCode(cli.Found, err)
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table, ndjson, or a file such as coverage.ndjson")
	cmd.Flags().StringVar(&topic, "topic", "", "only this topic")
	cmd.Flags().BoolVar(&archive, "archive", false, "also compare the bytes of all records with the journal")
	settings.AddFlags(cmd.Flags(), auditDefaults(), "clickhouse", "log")
	return cmd
}
