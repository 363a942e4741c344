package watch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// stateVersion is the version of the format of a snapshot. It changes with the meaning of any field.
const stateVersion = 1

// state is a snapshot of a watch between two shoes.
type state struct {
	Version int
	// Closed, Table and Shoe are the last shoe in order, Tables the closing times of the last shoe of each table.
	Closed      int64
	Table, Shoe string
	Tables      map[string]int64
	// Before are the cards of the latest shoes of each table, Days the latest gaming day.
	Before map[string]detectors.Orders
	Days   map[string]string
	// Forgot is when ended visits were last dropped.
	Forgot    int64
	Detectors []byte
	// Late are the detectors of tables whose feeds catch up.
	Late map[string][]byte
}

// saveEvery is the interval between two snapshots. A restart reads what was closed since the last one.
const saveEvery = 10 * time.Minute

// save stores a snapshot. All rows of the shoes in it are durable.
func (w *watcher) save(ctx context.Context) error {
	s := state{
		Version: stateVersion, Closed: w.after.Closed, Table: w.after.Table, Shoe: w.after.Shoe, Tables: w.tables,
		Before: w.before, Days: w.days, Forgot: w.forgot, Late: map[string][]byte{},
	}
	var err error
	if s.Detectors, err = w.host.AppendState(nil); err != nil {
		return err
	}
	for table, host := range w.late {
		if s.Late[table], err = host.AppendState(nil); err != nil {
			return err
		}
	}
	data, err := cbor.Marshal(&s)
	if err != nil {
		return fmt.Errorf("encode the state: %w", err)
	}
	if err := w.store.WriteWatchState(ctx, w.options.Property, w.number+1, data); err != nil {
		return err
	}
	w.number++
	w.saved, w.unsaved = time.Now(), false
	return nil
}

// resume takes the newest snapshot, once. A snapshot that this release does not read, or that ends before --since,
// is left, and all stored shoes are read.
func (w *watcher) resume(ctx context.Context) error {
	if w.resumed {
		return nil
	}
	number, data, err := w.store.WatchState(ctx, w.options.Property)
	if err != nil {
		return err
	}
	w.resumed, w.number, w.saved = true, number, time.Now()
	if number == 0 {
		return nil
	}
	if err := w.restore(data); err != nil && w.options.Hooks.Unread != nil {
		w.options.Hooks.Unread(err)
	}
	return nil
}

func (w *watcher) restore(data []byte) error {
	mode, err := cbor.DecOptions{MaxMapPairs: 1 << 20, MaxArrayElements: 1 << 20}.DecMode()
	if err != nil {
		return err
	}
	var s state
	if err := mode.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("decode the state: %w", err)
	}
	if s.Version != stateVersion {
		return fmt.Errorf("state of version %d, this release reads version %d", s.Version, stateVersion)
	}
	if s.Closed < w.options.Since {
		return errors.New("the state ends before the first shoe of --since")
	}
	host, err := detectors.RestoreStored(w.promise, s.Detectors)
	if err != nil {
		return err
	}
	late := map[string]*detectors.Host{}
	for table, data := range s.Late {
		if late[table], err = detectors.RestoreStored(w.promise, data); err != nil {
			return err
		}
	}
	w.host, w.scoring, w.late, w.forgot = host, host, late, s.Forgot
	w.after = clickhouse.ClosedShoe{Closed: s.Closed, Table: s.Table, Shoe: s.Shoe}
	maps.Copy(w.tables, s.Tables)
	maps.Copy(w.before, s.Before)
	maps.Copy(w.days, s.Days)
	return nil
}
