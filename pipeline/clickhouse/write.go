package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/ClickHouse/ch-go/proto"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// maxBlockRows is below the server's limit of a block: an insert of several blocks could be stored in part.
const maxBlockRows = 1_000_000

// Write stores a set of batches: their rows of the journal in one insert, which are the intent, then each table in one
// insert, two at a time, and findings last: what a finding cites is stored before it. An insert with an unknown outcome
// is sent again with its token until ctx ends. Write returns permanent errors only: ErrLogin, ErrGrant, ErrSchema,
// ErrServer, ErrRows.
func (s *Store) Write(ctx context.Context, set ...*pipeline.Batch) error {
	journal := make([]rows.Journal, len(set))
	now := s.cfg.Now()
	for i, b := range set {
		if b.Range.ArchivedSum == "" && len(b.Range.Released) == 0 {
			b.Range.Archived, b.Range.ArchivedSum, b.Range.DerivedSum = b.Set.Archived()
		}
		journal[i] = s.journalRow(&b.Range, now)
	}
	if err := s.insert(ctx, &s.journal, []part{{View: rows.ViewOf(journal)}}, set); err != nil {
		return err
	}
	// The server stores an insert with one thread. That of events takes about as long as all others together.
	others, early := errgroup.WithContext(ctx)
	others.SetLimit(2)
	last := len(s.tables) - 1
	for i := range s.tables[:last] {
		others.Go(func() error { return s.insertRows(early, &s.tables[i], set) })
	}
	if err := others.Wait(); err != nil {
		return err
	}
	return s.insertRows(ctx, &s.tables[last], set)
}

// insertRows inserts the rows that a set has of a table.
func (s *Store) insertRows(ctx context.Context, t *table, set []*pipeline.Batch) error {
	var parts []part
	for _, b := range set {
		if v := t.View(&b.Set); v.Len > 0 {
			parts = append(parts, part{v, b.Range.Epoch})
		}
	}
	return s.insert(ctx, t, parts, set)
}

// part is the rows of one batch in an insert.
type part struct {
	rows.View
	epoch uint32
}

// token is the same for the same ranges, table, rules and rows. The rows are part of it, so that a topic that was
// created again under the same name finds no token of the old one. The server keeps tokens per table and table
// partition, so a retry also completes an insert that was stored in part.
func (s *Store) token(set []*pipeline.Batch, table string) string {
	if len(set) == 1 {
		return s.tokenOf(&set[0].Range, table)
	}
	h := sha256.New()
	for _, b := range set {
		token := s.tokenOf(&b.Range, table)
		h.Write(binary.AppendUvarint(nil, uint64(len(token))))
		h.Write([]byte(token))
	}
	return fmt.Sprintf("set:%d:%s:%x", len(set), table, h.Sum(nil)[:16])
}

func (s *Store) tokenOf(r *pipeline.Range, table string) string {
	token := fmt.Sprintf("%s:%d:%d-%d:%s:%s:%.16s", r.Topic, r.Partition, r.From, r.To, table, s.cfg.RulesVersion, r.Hash)
	if table == s.journal.Name {
		token += fmt.Sprintf(":%d", r.Generation) // each owner writes its row
	}
	if r.Epoch > 0 || r.Beside > 0 { // the same rows may exist without their epoch or the added ones
		token += fmt.Sprintf(":%d+%d", r.Epoch, r.Beside)
	}
	return token
}

// insertAll inserts rows that no batch has; of names where they come from.
func (s *Store) insertAll(ctx context.Context, t *table, v rows.View, of string) error {
	return s.insert(ctx, t, []part{{View: v}}, []*pipeline.Batch{{Range: pipeline.Range{Topic: of}}})
}

func (s *Store) insert(ctx context.Context, t *table, parts []part, set []*pipeline.Batch) error {
	n := 0
	for _, p := range parts {
		n += p.Len
	}
	if n == 0 {
		return nil
	}
	r := &set[0].Range
	doing := fmt.Sprintf("insert into %s, %s/%d offsets %d-%d", t.Name, r.Topic, r.Partition, r.From, r.To)
	if more := len(set) - 1; more > 0 {
		doing += " and " + schema.Count(more, "more partition")
	}
	if n > maxBlockRows {
		return s.explain(doing, fmt.Errorf("%d rows in one flush, at most %d: %w", n, maxBlockRows, ErrRows))
	}
	ctx, span := insertSpan(ctx, t.Name, n)
	defer span.End()
	token := s.token(set, t.Name)
	for try := 1; ; try++ {
		err := s.send(ctx, t, parts, token)
		switch {
		case err == nil:
			if try > 1 {
				span.SetAttributes(attribute.Int("shoeproof.tries", try))
				s.cfg.Log.InfoContext(ctx, "ClickHouse accepted the insert", "table", t.Name, "tries", try)
			}
			return nil
		case kindOf(err) != nil:
			return s.explain(doing, err)
		case ctx.Err() != nil:
			return s.explain(doing+", outcome unknown", context.Cause(ctx))
		}
		s.cfg.Retried(t.Name, err)
		s.causes.warn(ctx, s.cfg.Log, s.explain(doing, err), codeOf(err), try)
		if !s.pace.wait(ctx, try) {
			return s.explain(doing+", outcome unknown", context.Cause(ctx))
		}
	}
}

// insertSpan begins a span below that of ctx; it records nothing if ctx has none.
func insertSpan(ctx context.Context, table string, n int) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, parent
	}
	return parent.TracerProvider().Tracer("github.com/shoeproof/shoeproof").Start(ctx, "insert "+table,
		trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attribute.String("db.system.name", "clickhouse"),
			attribute.String("db.collection.name", table), attribute.Int("shoeproof.rows", n)))
}

// send inserts the rows in one try.
func (s *Store) send(ctx context.Context, t *table, parts []part, token string) (err error) {
	// Without a deadline a server that hangs blocks the insert for ReadTimeout.
	ctx, cancel := context.WithTimeout(ctx, s.cfg.InsertTimeout)
	defer cancel()
	s.inserting.Add(1)
	defer s.inserting.Add(-1)
	c, err := s.openStream(ctx)
	if err != nil {
		return err
	}
	defer func() { s.keepStream(c, err) }()
	e := s.encoders.Get().(*encoder)
	if err = c.insert(ctx, t, parts, s.settings(token), e); err == nil {
		s.encoders.Put(e) // else it may have a part of a column
	}
	return err
}

func (s *Store) settings(token string) []proto.Setting {
	all := []proto.Setting{
		{Key: "insert_deduplicate", Value: "1"},
		{Key: "insert_deduplication_token", Value: token},
		// The retry fills a materialized view that failed.
		{Key: "deduplicate_blocks_in_dependent_materialized_views", Value: "1"},
		// Wrong clocks must not stop a table: table partitions are months of event time.
		{Key: "max_partitions_per_insert_block", Value: "0"},
		// The rows of an insert have different keys, but for a repeated finding: merges and FINAL compare them.
		{Key: "optimize_on_insert", Value: "0"},
		// Code for the expressions of the views costs more to compile than it saves.
		{Key: "compile_expressions", Value: "0"},
		{Key: "async_insert", Value: "0"},                  // on by default since 26.2, and drops the token
		{Key: "distributed_foreground_insert", Value: "1"}, // the answer comes after the shards stored the rows
	}
	for i := range all {
		all[i].Important = true // a server that does not know it refuses the insert
	}
	return all
}

// pace is the backoff between tries: the delay doubles and has jitter.
type pace struct{ first, max time.Duration }

// wait returns false if ctx ends first.
func (p pace) wait(ctx context.Context, try int) bool {
	d := p.max
	if try < 16 {
		d = min(p.max, p.first<<(try-1))
	}
	t := time.NewTimer(d/2 + rand.N(d/2+1))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// causes limits the log while the server is away.
type causes struct {
	mu     sync.Mutex
	logged map[int32]*cause
}

type cause struct {
	at     time.Time
	silent int
}

const logInterval = 10 * time.Second

// warn logs at most once in 10 s for each error code of the server; code 0 is no answer.
func (c *causes) warn(ctx context.Context, log *slog.Logger, err error, code int32, try int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.logged == nil {
		c.logged = map[int32]*cause{}
	}
	last := c.logged[code]
	if last == nil {
		last = &cause{}
		c.logged[code] = last
	}
	if now := time.Now(); last.at.IsZero() || now.Sub(last.at) >= logInterval {
		log.WarnContext(ctx, "ClickHouse refused a request, trying again", "error", err, "fix", fix(err), "try", try,
			"not_logged", last.silent)
		*last = cause{at: now}
		return
	}
	last.silent++
}
