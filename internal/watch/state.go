package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// stateVersion is the version of the format of a snapshot. It changes with the meaning of any field.
const stateVersion = 3

// state is the beginning of a snapshot of a watch between two shoes. The state of the detectors follows: it is large.
type state struct {
	Version int
	// After is the last round or shoe in order, Tables that of each table.
	After  clickhouse.Cursor
	Tables map[string]clickhouse.Cursor
	// Begun is when the last round of each table began.
	Begun map[string]int64
	// Before are the cards of the latest shoes of each table, Days the latest gaming day.
	Before map[string]detectors.Orders
	Days   map[string]string
	// Hour is that in which ended visits were last dropped.
	Hour int64
	// Late are the detectors of tables whose feeds catch up, Lately what they have scored.
	Late   map[string][]byte
	Lately Late
	// LateKeys are, in a night, the keys with evidence from late feeds, with the time of the last.
	LateKeys map[string]int64
}

// Late is, for each table, the first and the last time of the rounds and shoes that were scored out of order, because
// their feed was late; ns UTC.
type Late map[string][2]int64

// lateRemembered is how long Late keeps a table.
const lateRemembered = 7 * 24 * time.Hour

func (l Late) add(table string, at int64) {
	maps.DeleteFunc(l, func(_ string, span [2]int64) bool { return at-span[1] > int64(lateRemembered) })
	span, ok := l[table]
	if !ok {
		span = [2]int64{at, at}
	}
	l[table] = [2]int64{min(span[0], at), max(span[1], at)}
}

// series is that of the snapshots of a night, or of a watch.
func (w *watcher) series() clickhouse.StateSeries {
	if w.day > 0 {
		return clickhouse.NightState
	}
	return clickhouse.LiveState
}

// saveEvery is the interval between two snapshots. A restart reads what was closed since the last one.
const saveEvery = 10 * time.Minute

// save stores a snapshot. All rows of the shoes in it are durable.
func (w *watcher) save(ctx context.Context) error {
	s := state{
		Version: stateVersion, After: w.after, Tables: w.tables, Begun: w.begun, Before: w.before, Days: w.days, Hour: w.hour,
		Late: map[string][]byte{}, Lately: w.lately, LateKeys: w.lateKeys,
	}
	for table, parts := range w.late {
		var data bytes.Buffer
		if err := parts.WriteState(&data); err != nil {
			return err
		}
		s.Late[table] = data.Bytes()
	}
	number := w.number + 1
	if w.day > 0 {
		number = w.day
	}
	err := w.store.WriteWatchState(ctx, w.options.Property, w.series(), number, func(to io.Writer) error {
		if err := cbor.NewEncoder(to).Encode(&s); err != nil {
			return fmt.Errorf("encode the state: %w", err)
		}
		return w.parts.WriteState(to)
	})
	if err != nil {
		return err
	}
	w.number = number
	w.saved, w.unsaved = time.Now(), false
	return nil
}

// resume takes the newest snapshot, once. A snapshot that this release does not read, or that ends before --since,
// is left, and all stored shoes are read.
func (w *watcher) resume(ctx context.Context) error {
	if w.resumed {
		return nil
	}
	before := uint64(math.MaxUint64)
	if w.day > 0 {
		before = w.day
	}
	number, data, err := w.store.WatchState(ctx, w.options.Property, w.series(), before)
	if err != nil {
		return err
	}
	w.resumed, w.number, w.saved = true, number, time.Now()
	if number == 0 {
		return nil
	}
	from := &source{Reader: data}
	err = w.restore(from)
	if from.err != nil { // the database failed, not the snapshot
		w.resumed = false
		return from.err
	}
	if err != nil && w.options.Hooks.Unread != nil {
		w.options.Hooks.Unread(err)
	}
	return nil
}

// source keeps the error of a reader.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(p []byte) (n int, err error) {
	if n, err = s.Reader.Read(p); err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// decoded reads the beginning of a snapshot of this release. Rest is the state of the detectors.
func decoded(from io.Reader) (s state, rest io.Reader, err error) {
	mode, err := cbor.DecOptions{MaxMapPairs: 1 << 20, MaxArrayElements: 1 << 20}.DecMode()
	if err != nil {
		return s, nil, err
	}
	d := mode.NewDecoder(from)
	if err := d.Decode(&s); err != nil {
		return s, nil, fmt.Errorf("decode the state: %w", err)
	}
	if s.Version != stateVersion {
		return s, nil, fmt.Errorf("state of version %d, this release reads version %d", s.Version, stateVersion)
	}
	return s, io.MultiReader(d.Buffered(), from), nil
}

func (w *watcher) restore(from io.Reader) error {
	s, rest, err := decoded(from)
	if err != nil {
		return err
	}
	if s.After.At < w.options.Since {
		return errors.New("the state ends before the first shoe of --since")
	}
	parts, err := detectors.ReadState(w.promise, rest)
	if err != nil {
		return err
	}
	late := map[string]detectors.Stored{}
	for table, data := range s.Late {
		if late[table], err = detectors.ReadState(w.promise, bytes.NewReader(data)); err != nil {
			return err
		}
	}
	w.parts, w.late, w.hour, w.after = parts, late, s.Hour, s.After
	if s.Lately != nil {
		w.lately = s.Lately
	}
	maps.Copy(w.tables, s.Tables)
	maps.Copy(w.begun, s.Begun)
	maps.Copy(w.lateKeys, s.LateKeys)
	maps.Copy(w.before, s.Before)
	maps.Copy(w.days, s.Days)
	return nil
}
