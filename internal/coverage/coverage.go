// Package coverage proves that ingest left no record out and stored nothing twice. It reads the journal, in which
// ingest records each range of offsets, counts each table by its keys, and can compare the stored bytes of all records
// with the checksums of the journal. It only reads.
package coverage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// Result is what was read.
type Result struct {
	Partitions []clickhouse.Coverage
	Tables     []clickhouse.Uniqueness
	Archived   []clickhouse.Bytes
}

// Read reads the journal of a topic, or of all, and the keys of all tables; with archive also the bytes of all records.
func Read(ctx context.Context, store *clickhouse.Store, topic string, archive bool) (*Result, error) {
	var r Result
	var err error
	if r.Partitions, err = store.Coverage(ctx, topic); err != nil {
		return nil, err
	}
	if r.Tables, err = store.Uniqueness(ctx); err != nil {
		return nil, err
	}
	if archive {
		r.Archived, err = store.Bytes(ctx, topic)
	}
	return &r, err
}

// Print writes the result as a table or as NDJSON.
func (r *Result) Print(out io.Writer, format string) error {
	if format == "ndjson" {
		enc := json.NewEncoder(out)
		for i := range r.Partitions {
			if err := enc.Encode(&r.Partitions[i]); err != nil {
				return err
			}
		}
		for i := range r.Tables {
			if err := enc.Encode(&r.Tables[i]); err != nil {
				return err
			}
		}
		for i := range r.Archived {
			if err := enc.Encode(&r.Archived[i]); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TOPIC\tPARTITION\tOFFSETS\tRANGES\tRECORDS\tWRITTEN AGAIN\tHOLES\tOVERLAPS\tLAST WRITTEN")
	for _, c := range r.Partitions {
		fmt.Fprintf(w, "%s\t%d\t%d-%d\t%d\t%d\t%d\t%d\t%d\t%s\n", c.Topic, c.Partition, c.First, c.Last, c.Ranges, c.Records,
			c.Superseded,
			len(c.Holes), len(c.Overlaps), c.WrittenAt.UTC().Format(time.DateTime))
	}
	fmt.Fprintln(w, "\nTABLE\tROWS\tKEYS\tTO BE MERGED")
	for _, u := range r.Tables {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", u.Table, u.Rows, u.Unique, u.Stored-min(u.Stored, u.Rows))
	}
	if len(r.Archived) > 0 {
		fmt.Fprintln(w, "\nTOPIC\tPARTITION\tPROVEN RANGES\tPROVEN RECORDS\tPARTIAL\tDIFFER")
	}
	for _, a := range r.Archived {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\n", a.Topic, a.Partition, a.Ranges, a.Records, a.Partial, len(a.Differs))
	}
	return w.Flush()
}

// Check returns an error if something is not proven, and prints each complaint, or one line that all is proven.
func (r *Result) Check(out io.Writer) error {
	if len(r.Partitions) == 0 {
		return errors.New("the journal is empty: nothing is proven")
	}
	wrong := 0
	var records uint64
	for _, c := range r.Partitions {
		records += c.Records
		for _, h := range c.Holes {
			fmt.Fprintf(out, "gap       %s, partition %d: offsets %d to %d are in no range\n", c.Topic, c.Partition, h.From,
				h.To)
		}
		for _, o := range c.Overlaps {
			fmt.Fprintf(out, "overlap   %s, partition %d: offsets %d to %d are in two ranges of one generation\n", c.Topic,
				c.Partition, o.From, o.To)
		}
		wrong += len(c.Holes) + len(c.Overlaps)
	}
	for _, u := range r.Tables {
		if !u.Holds() {
			wrong++
			fmt.Fprintf(out, "duplicate %s: %d rows of %d keys\n", u.Table, u.Rows, u.Unique)
		}
	}
	proven := ""
	var bytes uint64
	for _, a := range r.Archived {
		bytes += a.Records
		proven = fmt.Sprintf("; the bytes of %d", bytes)
		for _, d := range a.Differs {
			fmt.Fprintf(out, "differ    %s, partition %d: the stored bytes of offsets %d to %d differ from the audited ones\n",
				a.Topic, a.Partition, d.From, d.To)
		}
		wrong += len(a.Differs)
	}
	if wrong > 0 {
		return fmt.Errorf("not proven, errors: %d", wrong)
	}
	fmt.Fprintf(out, "proven    %d partitions without a gap or an overlap, %d records; each key once%s\n",
		len(r.Partitions), records, proven)
	return nil
}
