package ingest

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/schema"
)

func filesCommand(o Options, defaults func() any) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "files FILE...",
		Short: "audit recorded events into ClickHouse, each once",
		Long: `Files audits event files and folders of them, such as an archive from before the installation, into the
tables of ClickHouse, in the given order. It needs no Kafka.

The journal has the records as those of a topic, files:NAME, so that an import may be killed at any instant: repeat
the command, and it continues where it was. A complete import changes nothing when it is repeated. The default of
--name is a digest of the records; with a name, files may be added at the end later. A file that ends within an event
has an unreadable record there. A compressed file that is truncated or damaged is refused, and nothing is stored.

Events that are stored already from a topic or another import are refused, since each event has one place in the
archive. Do not give a table's events to Kafka and to files at the same time. Exit codes: 0 stored, 1 failed,
2 wrong usage or configuration.`,
		Example: `  ingest files --config shoeproof.yaml archive/2025
  ingest files --config shoeproof.yaml --name pit-3 pit-3-january.ndjson.gz pit-3-february.ndjson.gz`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			config := settings.DefaultIngest()
			loaded, err := settings.Load(cmd.Flags(), &config)
			if err != nil {
				return cli.WrongUsage(err)
			}
			log := config.Log.Logger(cmd.ErrOrStderr())
			loaded.Warn(log)
			done, err := Files(cmd.Context(), &config, FilesOptions{
				Version: o.Version, Log: log, Paths: paths, Name: name, Flushed: o.Flushed,
			})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s of %s stored, %d of them before; "+
				"new: %s, %s\n", done.Topic, schema.Count(done.Records, "record"),
				schema.Count(done.Tables, "table"), done.Resumed,
				schema.Count(done.Findings, "finding row"), schema.Count(done.DeadLetters, "dead letter"))
			return err
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the import in the journal; the digest of the records if empty")
	settings.AddFlags(cmd.Flags(), defaults(), "clickhouse", "calendar", "patron_key_file", "rulebooks", "flush", "log",
		"tracing")
	return cmd
}
