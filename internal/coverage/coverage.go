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
	"slices"
	"text/tabwriter"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
)

// Result is what was read.
type Result struct {
	Topic      string // empty for all
	Partitions []clickhouse.Coverage
	Tables     []clickhouse.Uniqueness
	Archived   []clickhouse.Bytes
	// Heads names the partitions whose journal is not as nightly runs recorded it.
	Heads []string
}

// Options choose what is read.
type Options struct {
	Topic   string // empty for all
	Archive bool   // also the bytes of the records
	// Since is when the first range was written whose bytes are read, and of all after it; zero for all.
	Since time.Time
}

// Read reads the journal and the keys of all tables, and the bytes of the records if they are chosen.
func Read(ctx context.Context, store *clickhouse.Store, o Options) (*Result, error) {
	r := Result{Topic: o.Topic}
	var err error
	if o.Topic == "" && o.Archive {
		proof, err := store.ProveJournal(ctx, "", o.Since)
		if err != nil {
			return nil, err
		}
		r.Partitions, r.Heads = proof.Partitions, proof.Differ
	} else if r.Partitions, err = store.Coverage(ctx, o.Topic); err != nil {
		return nil, err
	}
	if r.Tables, err = store.Uniqueness(ctx); err != nil {
		return nil, err
	}
	if o.Archive {
		r.Archived, err = store.Bytes(ctx, o.Topic, o.Since)
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
		fmt.Fprintln(w, "\nTOPIC\tPARTITION\tPROVEN RANGES\tPROVEN RECORDS\tREPEATED\tPARTIAL\tOPEN\tFOREIGN\tDIFFER")
	}
	for _, a := range r.Archived {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", a.Topic, a.Partition, a.Ranges, a.Records, a.Repeated,
			a.Partial, len(a.Open), len(a.Foreign), len(a.Differs))
	}
	return w.Flush()
}

// Problems describes what is not proven, one line each; none if all is.
func (r *Result) Problems() (all []string) {
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, text := range slices.Concat(r.Forged(), r.Heads) {
		add("forged    %s", text)
	}
	for _, c := range r.Partitions {
		for _, h := range c.Holes {
			add("gap       %s, partition %d: in no range: %s", c.Topic, c.Partition, finding.OffsetRange(h.From, h.To))
		}
		for _, o := range c.Overlaps {
			add("overlap   %s, partition %d: in two ranges of one generation: %s", c.Topic, c.Partition,
				finding.OffsetRange(o.From, o.To))
		}
	}
	for _, u := range r.Tables {
		if !u.Holds() {
			add("duplicate %s: %s of %s", u.Table, schema.Count(u.Rows, "row"), schema.Count(u.Unique, "key"))
		}
	}
	for _, a := range r.Archived {
		for _, d := range a.Differs {
			add("differ    %s, partition %d: the stored records of %s differ from the audited ones: one is missing, "+
				"changed or added", a.Topic, a.Partition, finding.OffsetRange(d.From, d.To))
		}
		if len(a.Foreign) > 0 {
			add("foreign   %s, partition %d: stored records that no range of the journal read, at offsets %v", a.Topic,
				a.Partition, a.Foreign)
		}
	}
	return all
}

// Forged names the rows of the journal without a right HMAC.
func (r *Result) Forged() (all []string) {
	for _, c := range r.Partitions {
		for _, f := range c.Forged {
			all = append(all, fmt.Sprintf("%s, partition %d: the row of the journal of offsets %d to %d has no HMAC, or a "+
				"wrong one, or of a key that this program does not have", c.Topic, c.Partition, f.From, f.To))
		}
	}
	return all
}

// Trusted names the ranges that are taken as they were found: without an HMAC, from before ingest had the key.
func (r *Result) Trusted() (all []string) {
	for _, c := range r.Partitions {
		if c.Unsigned > 0 {
			all = append(all, fmt.Sprintf("%s, partition %d: %s of the journal from before ingest had journal.key",
				c.Topic, c.Partition, schema.Count(c.Unsigned, "range")))
		}
		if c.Unverified > 0 {
			all = append(all, fmt.Sprintf("%s, partition %d: %s of the journal with an HMAC, which is not checked: "+
				"console.chain_key is not set", c.Topic, c.Partition, schema.Count(c.Unverified, "range")))
		}
	}
	return all
}

// ErrUnproven is the error of a result with problems.
var ErrUnproven = errors.New("not proven")

// ErrUnknown is the error of a result without problems that cannot be complete: the log lost records.
var ErrUnknown = errors.New("not all can be proven: the log lost records before they were read")

// Check returns an error if something is not proven, and prints each complaint, or one line that all is proven.
func (r *Result) Check(out io.Writer) error {
	switch {
	case len(r.Partitions) > 0:
	case r.Topic != "":
		return fmt.Errorf("the journal has nothing of the topic %s: nothing is proven", r.Topic)
	default:
		return errors.New("the journal is empty: nothing is proven")
	}
	problems := r.Problems()
	for _, line := range problems {
		fmt.Fprintln(out, line)
	}
	if len(problems) > 0 {
		return fmt.Errorf("%w, errors: %d", ErrUnproven, len(problems))
	}
	unknown := r.Unknown()
	for _, line := range unknown {
		fmt.Fprintln(out, line)
	}
	var records, bytes uint64
	for _, c := range r.Partitions {
		records += c.Records
	}
	proven := ""
	for _, a := range r.Archived {
		bytes += a.Records
		proven = fmt.Sprintf("; the bytes of %d", bytes)
	}
	for _, text := range r.Trusted() {
		fmt.Fprintf(out, "trusted   %s\n", text)
	}
	fmt.Fprintf(out, "proven    %s without a gap or an overlap, %s; each key once%s\n",
		schema.Count(len(r.Partitions), "partition"), schema.Count(records, "record"), proven)
	if len(unknown) > 0 {
		return ErrUnknown
	}
	return nil
}

// Unknown describes offsets whose records were never read, one line each: there is no proof of them, and no fault.
func (r *Result) Unknown() (all []string) {
	for _, c := range r.Partitions {
		for _, s := range c.Lost {
			all = append(all, fmt.Sprintf("unknown   %s, partition %d: the log lost records of %s before they were read or "+
				"read again (finding feed.retention, or a run that logged it)", c.Topic, c.Partition,
				finding.OffsetRange(s.From, s.To)))
		}
	}
	return all
}
