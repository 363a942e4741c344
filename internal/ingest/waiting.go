package ingest

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// waiting keeps the table waiting of ClickHouse: which tables wait for a missing event. It is no part of a flush; a
// start, or a member that takes a partition over, corrects the rows of the one before.
type waiting struct {
	mu sync.Mutex
	// reported is what the flow of each assigned partition last reported, stored what ClickHouse has of it. A partition
	// without stored rows is read first.
	reported map[int32][]pipeline.Waiting
	stored   map[int32]map[pipeline.Table]clickhouse.Waiting
}

func newWaiting() *waiting {
	return &waiting{
		reported: map[int32][]pipeline.Waiting{}, stored: map[int32]map[pipeline.Table]clickhouse.Waiting{},
	}
}

func (w *waiting) report(partition int32, tables []pipeline.Waiting) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reported[partition] = tables
}

func (w *waiting) revoked(partition int32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.reported, partition)
	delete(w.stored, partition)
}

// store stores changes each second until ctx is done. While ClickHouse refuses them, they are tried again.
func (w *waiting) store(ctx context.Context, topic string, store *clickhouse.Store, log *slog.Logger) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var logged time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := w.storeOnce(ctx, topic, store)
		if err != nil && ctx.Err() == nil && time.Since(logged) >= time.Minute {
			logged = time.Now()
			log.Warn("the tables that wait for an event were not stored, retrying", "error", err)
		}
	}
}

func (w *waiting) storeOnce(ctx context.Context, topic string, store *clickhouse.Store) error {
	if w.unread() {
		rows, err := store.Waiting(ctx, topic)
		if err != nil {
			return err
		}
		w.read(rows)
	}
	changed := w.changes(topic, time.Now())
	if len(changed) == 0 {
		return nil
	}
	if err := store.WriteWaiting(ctx, changed); err != nil {
		return err
	}
	w.written(changed)
	return nil
}

// unread is true if an assigned partition was not read from ClickHouse.
func (w *waiting) unread() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for partition := range w.reported {
		if w.stored[partition] == nil {
			return true
		}
	}
	return false
}

func (w *waiting) read(rows []clickhouse.Waiting) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for partition := range w.reported {
		if w.stored[partition] != nil {
			continue
		}
		w.stored[partition] = map[pipeline.Table]clickhouse.Waiting{}
		for _, r := range rows {
			if r.Partition == partition {
				w.stored[partition][pipeline.Table{PropertyID: r.PropertyID, TableID: r.TableID}] = r
			}
		}
	}
}

// changes are the rows that differ from the stored ones, with 0 events for a table that no longer waits.
func (w *waiting) changes(topic string, now time.Time) (rows []clickhouse.Waiting) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for partition, stored := range w.stored {
		waits := map[pipeline.Table]bool{}
		for _, t := range w.reported[partition] {
			key := pipeline.Table{PropertyID: t.PropertyID, TableID: t.TableID}
			waits[key] = true
			row := clickhouse.Waiting{
				PropertyID: t.PropertyID, TableID: t.TableID, Topic: topic, Partition: partition, Missing: t.Missing,
				Events: uint32(t.Events), Since: t.Since.UTC().Truncate(time.Millisecond),
			}
			if was := stored[key]; was.Missing != row.Missing || was.Events != row.Events {
				rows = append(rows, row)
			}
		}
		for key, was := range stored {
			if !waits[key] {
				was.Events, was.Since = 0, now.UTC()
				rows = append(rows, was)
			}
		}
	}
	return rows
}

func (w *waiting) written(rows []clickhouse.Waiting) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range rows {
		stored, key := w.stored[r.Partition], pipeline.Table{PropertyID: r.PropertyID, TableID: r.TableID}
		switch {
		case stored == nil: // revoked meanwhile
		case r.Events == 0:
			delete(stored, key)
		default:
			stored[key] = r
		}
	}
}
