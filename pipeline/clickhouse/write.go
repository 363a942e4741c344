package clickhouse

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	ch "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// maxBlockRows is below what the server takes in one block; more than one could be stored in part.
const maxBlockRows = 1_000_000

// Write stores a batch: its row of the journal, which is the intent, then each table in one insert.
// An insert whose outcome is unknown is sent again with its token until ctx ends. Only what no retry
// heals is returned: ErrLogin, ErrGrant, ErrSchema, ErrServer, ErrRows.
func (s *Store) Write(ctx context.Context, b *pipeline.Batch) error {
	journal := []rows.Journal{s.journalRow(&b.Range)}
	if err := s.insert(ctx, &s.journal, rows.ViewOf(journal), &b.Range); err != nil {
		return err
	}
	for i := range s.tables {
		t := &s.tables[i]
		if err := s.insert(ctx, t, t.View(&b.Set), &b.Range); err != nil {
			return err
		}
	}
	return nil
}

// token is the same for the same range, table, rules and rows: another topic of the same name does not
// find its rows done. The server keeps the tokens of each table and each of its partitions apart, so a
// retry also completes what was stored in part.
func (s *Store) token(r *pipeline.Range, table string) string {
	token := fmt.Sprintf("%s:%d:%d-%d:%s:%s:%.16s", r.Topic, r.Partition, r.From, r.To, table, s.cfg.RulesVersion, r.Hash)
	if table == s.journal.Name {
		token += fmt.Sprintf(":%d", r.Generation) // each owner says that it was there
	}
	if r.Epoch > 0 || r.Told > 0 { // The same rows may be there, but not their epoch, nor what is told besides.
		token += fmt.Sprintf(":%d+%d", r.Epoch, r.Told)
	}
	return token
}

func (s *Store) insert(ctx context.Context, t *table, v rows.View, r *pipeline.Range) error {
	if v.Len == 0 {
		return nil
	}
	doing := fmt.Sprintf("insert into %s, %s/%d offsets %d-%d", t.Name, r.Topic, r.Partition, r.From, r.To)
	if v.Len > maxBlockRows {
		return s.explain(doing, fmt.Errorf("%d rows in one batch, at most %d: %w", v.Len, maxBlockRows, ErrRows))
	}
	token := s.token(r, t.Name)
	for try := 1; ; try++ {
		err := s.send(ctx, t, v, r.Epoch, token)
		switch {
		case err == nil:
			if try > 1 {
				s.cfg.Log.InfoContext(ctx, "ClickHouse took the insert", "table", t.Name, "tries", try)
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

// send makes the block anew: after an error the driver's is gone.
func (s *Store) send(ctx context.Context, t *table, v rows.View, epoch uint32, token string) error {
	// Without a deadline a server that hangs holds the insert for the driver's ReadTimeout.
	ctx, cancel := context.WithTimeout(ctx, s.cfg.InsertTimeout)
	defer cancel()
	ctx = ch.Context(ctx, ch.WithSettings(s.settings(token)))
	batch, err := s.conn.PrepareBatch(ctx, t.insert)
	if err != nil {
		return err
	}
	// Not Close, which would end the INSERT well, with its token and no rows. After Send it does nothing.
	defer func() { _ = batch.Abort() }()
	sc := s.scratch.Get().(*scratch)
	defer s.putBack(sc)
	c := columns{scratch: sc, batch: batch, rows: v.Len}
	c.table(t, v, epoch)
	if c.err != nil {
		return c.err
	}
	return batch.Send()
}

func (s *Store) settings(token string) ch.Settings {
	return ch.Settings{
		"insert_deduplicate":         1,
		"insert_deduplication_token": token,
		// A materialized view that failed is filled by the retry.
		"deduplicate_blocks_in_dependent_materialized_views": 1,
		// Clocks that are years apart must not stop a table: partitions are months of event time.
		"max_partitions_per_insert_block": 0,
	}
}

func (s *Store) putBack(sc *scratch) {
	if len(sc.known) > maxKnown {
		clear(sc.known)
	}
	s.scratch.Put(sc)
}

// pace is how long to wait between tries: about twice as long each time, never the same for two.
type pace struct{ first, most time.Duration }

// wait is false when ctx ended first.
func (p pace) wait(ctx context.Context, try int) bool {
	d := p.most
	if try < 16 {
		d = min(p.most, p.first<<(try-1))
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

// causes keeps a server that is away from filling the log.
type causes struct {
	mu   sync.Mutex
	said map[int32]*cause
}

type cause struct {
	at     time.Time
	silent int
}

const sayAgain = 10 * time.Second

// warn logs at most once every 10 s for each code of the server; 0 is no answer.
func (c *causes) warn(ctx context.Context, log *slog.Logger, err error, code int32, try int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.said == nil {
		c.said = map[int32]*cause{}
	}
	last := c.said[code]
	if last == nil {
		last = &cause{}
		c.said[code] = last
	}
	if now := time.Now(); last.at.IsZero() || now.Sub(last.at) >= sayAgain {
		log.WarnContext(ctx, "ClickHouse did not take a request, trying again", "error", err, "mend", mend(err), "try", try, "not_logged", last.silent)
		*last = cause{at: now}
		return
	}
	last.silent++
}
