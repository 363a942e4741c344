package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

func coverageCommand() *cobra.Command {
	var output, topic string
	var archive bool
	cmd := &cobra.Command{
		Use:   "coverage",
		Short: "prove that ingest left nothing out and stored nothing twice",
		Long: `Coverage reads the journal, in which ingest writes each range of offsets before it stores what came of
it, and proves for each partition that the ranges are contiguous and do not overlap. Where a restart wrote
a range again, the newest generation counts. It also counts each table against its keys. The last range
of a partition may still be under way; all before it are done.

With --archive it also reads the bytes of all records, in events and dead_letters, and holds them against
the CRC that the journal has of each range. A range with events that came twice cannot be proven so, for the
second left no bytes. Nor can the other tables: their rows do not say in which range they were written, so
that the journal's hash of all rows cannot be made again. "audit run" derives them from the bytes anew.

Exit code 0 if all of it holds, 1 if there is a hole, an overlap, a key twice, other bytes, or no journal. It reads
the archive, and so needs the auditor's user.`,
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
			store, err := config.ClickHouse.Store(version, nil, config.Log.Logger(cmd.ErrOrStderr()))
			if err != nil {
				return cli.WrongUsage(err)
			}
			store.ReadTimeout = time.Hour // Years of events are counted.
			db, err := clickhouse.Open(cmd.Context(), store)
			if err != nil {
				return wrongServer(err)
			}
			partitions, err := db.Coverage(cmd.Context(), topic)
			var tables []clickhouse.Uniqueness
			if err == nil {
				tables, err = db.Uniqueness(cmd.Context())
			}
			var archived []clickhouse.Bytes
			if err == nil && archive {
				archived, err = db.Bytes(cmd.Context(), topic)
			}
			if err = errors.Join(err, db.Close()); err != nil {
				return wrongServer(err)
			}
			if err := printCoverage(cmd.OutOrStdout(), output, partitions, tables, archived); err != nil {
				return err
			}
			return verdict(cmd.ErrOrStderr(), partitions, tables, archived)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table or ndjson")
	cmd.Flags().StringVar(&topic, "topic", "", "only this topic")
	cmd.Flags().BoolVar(&archive, "archive", false, "hold the bytes of all records against the journal, too")
	settings.AddFlags(cmd.Flags(), auditDefaults(), "clickhouse", "log")
	return cmd
}

func printCoverage(out io.Writer, output string, partitions []clickhouse.Coverage, tables []clickhouse.Uniqueness, archived []clickhouse.Bytes) error {
	if output == "ndjson" {
		enc := json.NewEncoder(out)
		for i := range partitions {
			if err := enc.Encode(&partitions[i]); err != nil {
				return err
			}
		}
		for i := range tables {
			if err := enc.Encode(&tables[i]); err != nil {
				return err
			}
		}
		for i := range archived {
			if err := enc.Encode(&archived[i]); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TOPIC\tPARTITION\tOFFSETS\tRANGES\tRECORDS\tWRITTEN AGAIN\tHOLES\tOVERLAPS\tLAST WRITTEN")
	for _, c := range partitions {
		fmt.Fprintf(w, "%s\t%d\t%d-%d\t%d\t%d\t%d\t%d\t%d\t%s\n", c.Topic, c.Partition, c.First, c.Last, c.Ranges, c.Records, c.Superseded,
			len(c.Holes), len(c.Overlaps), c.WrittenAt.UTC().Format(time.DateTime))
	}
	fmt.Fprintln(w, "\nTABLE\tROWS\tKEYS\tTO BE MERGED")
	for _, u := range tables {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", u.Table, u.Rows, u.Unique, u.Stored-min(u.Stored, u.Rows))
	}
	if len(archived) > 0 {
		fmt.Fprintln(w, "\nTOPIC\tPARTITION\tPROVEN RANGES\tPROVEN RECORDS\tPARTIAL\tDIFFER")
	}
	for _, a := range archived {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\n", a.Topic, a.Partition, a.Ranges, a.Records, a.Partial, len(a.Differs))
	}
	return w.Flush()
}

// verdict says in words what does not hold, and in one line that all does.
func verdict(out io.Writer, partitions []clickhouse.Coverage, tables []clickhouse.Uniqueness, archived []clickhouse.Bytes) error {
	if len(partitions) == 0 {
		return errors.New("the journal is empty: nothing is proven")
	}
	wrong := 0
	var records uint64
	for _, c := range partitions {
		records += c.Records
		for _, h := range c.Holes {
			fmt.Fprintf(out, "hole      %s, partition %d: offsets %d to %d are in no range\n", c.Topic, c.Partition, h.From, h.To)
		}
		for _, o := range c.Overlaps {
			fmt.Fprintf(out, "overlap   %s, partition %d: offsets %d to %d are in two ranges of one generation\n", c.Topic, c.Partition, o.From, o.To)
		}
		wrong += len(c.Holes) + len(c.Overlaps)
	}
	for _, u := range tables {
		if !u.Holds() {
			wrong++
			fmt.Fprintf(out, "twice     %s: %d rows of %d keys\n", u.Table, u.Rows, u.Unique)
		}
	}
	proven := ""
	var bytes uint64
	for _, a := range archived {
		bytes += a.Records
		proven = fmt.Sprintf("; the bytes of %d", bytes)
		for _, d := range a.Differs {
			fmt.Fprintf(out, "differ    %s, partition %d: the bytes stored of offsets %d to %d are not those that were audited\n", a.Topic, a.Partition, d.From, d.To)
		}
		wrong += len(a.Differs)
	}
	if wrong > 0 {
		return fmt.Errorf("not proven, complaints: %d", wrong)
	}
	fmt.Fprintf(out, "proven    %d partitions without a hole or an overlap, %d records; each key once%s\n", len(partitions), records, proven)
	return nil
}
