package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"regexp"
	"time"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/file"
	"github.com/shoeproof/shoeproof/schema"
)

// filesTopic precedes the name of an import in the journal. No topic of Kafka has a colon.
const filesTopic = "files:"

var importName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// FilesOptions are what an import of files needs besides the configuration.
type FilesOptions struct {
	Version string
	Log     *slog.Logger
	Paths   []string
	// Name identifies the import in the journal; empty for the digest of its records.
	Name string
	// Flushed, if not nil, receives each durable flush.
	Flushed func(pipeline.Flush)
}

// Imported is the result of an import.
type Imported struct {
	Topic   string
	Records int64
	// Resumed is the first record that no earlier run of the import had made durable.
	Resumed int64
	Tables  int
	// Findings are new rows of findings, DeadLetters records that are no events.
	Findings, DeadLetters int
}

// Files audits recorded events as Run audits a topic, with the same journal: an import that ended at any instant
// resumes when it is repeated, and a complete import changes nothing.
func Files(ctx context.Context, config *settings.Ingest, o FilesOptions) (Imported, error) {
	var done Imported
	opt, err := config.Law.Options(o.Version)
	if err != nil {
		return done, cli.WrongUsage(err)
	}
	storeConfig, err := config.Store(o.Version, opt.Books, o.Log)
	if err != nil {
		return done, cli.WrongUsage(err)
	}
	s, err := survey(ctx, o.Paths, &opt)
	if err != nil {
		return done, err
	}
	if o.Name != "" && !importName.MatchString(o.Name) {
		return done, cli.WrongUsage(fmt.Errorf("--name %q, want up to 64 letters, digits, dots, hyphens and underscores", o.Name))
	}
	if o.Name == "" {
		o.Name = hex.EncodeToString(s.digest.Sum(nil)[:8])
	}
	done.Topic, done.Records, done.Tables = filesTopic+o.Name, s.records, len(s.inOrder)
	store, err := clickhouse.Open(ctx, storeConfig)
	if err != nil {
		return done, cli.WrongUsageIf(err, clickhouse.ErrTLS, clickhouse.ErrLogin,
			clickhouse.ErrGrant, clickhouse.ErrSchema)
	}
	err = s.stored(ctx, store, done.Topic)
	if err == nil {
		err = done.audit(ctx, store, config, &opt, &o)
	}
	return done, errors.Join(err, store.Close())
}

// audit moves the records into the store.
func (done *Imported) audit(
	ctx context.Context, store *clickhouse.Store, config *settings.Ingest, opt *engine.Options, o *FilesOptions,
) error {
	src, err := file.Open(o.Paths, file.Options{Topic: done.Topic})
	if err != nil {
		return cli.WrongUsage(err)
	}
	traces, err := openTraces(ctx, &config.Tracing, &Options{Version: o.Version, Log: o.Log})
	if err != nil {
		return cli.WrongUsage(err)
	}
	defer traces.close(ctx)
	m := newMetrics(o.Version, "") // shown nowhere
	err = pipeline.Run(ctx, src, traces.sink(store), pipeline.RunOptions{
		NewStep: func() pipeline.Step { return traces.step(m, *opt, o.Log) }, Now: time.Now, Journal: store, Grace: grace,
		ReleaseAtEnd: true,
		FlushRows:    config.Flush.Rows, FlushEvery: config.Flush.Every, FlushFindings: config.Flush.Every,
		Hooks: pipeline.Hooks{
			Resumed: func(_ string, _ int32, r pipeline.Resume) { // what was flushed until now was stored before
				done.Resumed, done.Findings, done.DeadLetters = r.To+1, 0, 0
			},
			Flushed: func(f pipeline.Flush) {
				done.Findings += len(f.Batch.Findings)
				done.DeadLetters += len(f.Batch.DeadLetters)
				if o.Flushed != nil {
					o.Flushed(f)
				}
			},
		},
	})
	if errors.As(err, new(*pipeline.ReplacedError)) || errors.Is(err, file.ErrShort) {
		return cli.WrongUsage(fmt.Errorf("%s: the records are not those of the earlier import: repeat it with the same "+
			"files, or choose another name: %w", done.Topic, err))
	}
	if err == nil && ctx.Err() != nil {
		return fmt.Errorf("import %s: %w; repeat it to continue", done.Topic, context.Cause(ctx))
	}
	return err
}

// surveyed is what a first reading of files finds.
type surveyed struct {
	records int64
	digest  hash.Hash // of the records, however they are compressed
	tables  map[[2]string]*clickhouse.SeqRange
	inOrder []*clickhouse.SeqRange
}

// survey reads the files to their ends.
func survey(ctx context.Context, paths []string, opt *engine.Options) (*surveyed, error) {
	src, err := file.Open(paths, file.Options{})
	if err != nil {
		return nil, cli.WrongUsage(err)
	}
	s := &surveyed{digest: sha256.New(), tables: map[[2]string]*clickhouse.SeqRange{}}
	decoder, event := schema.NewDecoder(), schema.Event{}
	decoder.Accept(opt.Books.Words())
	err = src.Consume(ctx, func(ctx context.Context, stream pipeline.Stream) error {
		for {
			records, err := stream.Next(ctx, time.Second)
			for i := range records {
				if errors.Is(records[i].Bad, schema.ErrLost) {
					return cli.WrongUsage(fmt.Errorf("%s: %w: nothing was stored: import the whole file, or unpack what can be "+
						"read of it and import that", records[i].Where, records[i].Bad))
				}
				s.note(&records[i], decoder, &event)
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
	return s, err
}

func (s *surveyed) note(rec *pipeline.Record, decoder *schema.Decoder, ev *schema.Event) {
	s.records++
	s.digest.Write(binary.AppendUvarint(nil, uint64(len(rec.Value))))
	s.digest.Write(rec.Value)
	if rec.Bad != nil || decoder.Decode(rec.Format, rec.Value, ev) != nil {
		return // a dead letter
	}
	key := [2]string{ev.PropertyID, ev.TableID}
	t := s.tables[key]
	if t == nil {
		t = &clickhouse.SeqRange{PropertyID: ev.PropertyID, TableID: ev.TableID, From: ev.Seq, To: ev.Seq}
		s.tables[key] = t
		s.inOrder = append(s.inOrder, t)
	}
	t.From, t.To = min(t.From, ev.Seq), max(t.To, ev.Seq)
}

// stored returns an error if the archive has events of the tables in the range of the files from elsewhere: an event
// has one place in the archive, with which the journal is proven.
func (s *surveyed) stored(ctx context.Context, store *clickhouse.Store, topic string) error {
	for _, t := range s.inOrder {
		found, err := store.Elsewhere(ctx, *t, topic)
		if err != nil {
			return err
		}
		if found.Events > 0 {
			return cli.WrongUsage(fmt.Errorf("table %s/%s: stored already, from %s: %s with seq %d to %d: "+
				"leave them out of the files", t.PropertyID, t.TableID, found.Topic,
				schema.Count(found.Events, "event"), found.From, found.To))
		}
	}
	return nil
}
