package clickhouse

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
)

// watchState is a part of a snapshot of audit watch.
type watchState struct {
	PropertyID string `column:"property_id,word,key"`
	Turn       uint8  `column:"turn,key"`
	Part       uint32 `column:"part,key"`
	// Parts is their number in the last part, 0 in the others.
	Parts  uint32 `column:"parts"`
	Number uint64 `column:"number"`
	State  string `column:"state"`
	Engine string `column:"engine,word"`
}

// watchPart is the maximum length of a part, in bytes.
const watchPart = 4 << 20

// StateSeries is the first turn of the snapshots of one kind; two take turns.
type StateSeries uint8

// Series of snapshots: of audit watch by number, of the nights by the number of the gaming day at whose end they are.
const (
	LiveState  StateSeries = 0
	NightState StateSeries = 2
)

// WriteWatchState stores what write writes as a snapshot of audit watch, or of a night, a part at a time. It takes the
// place of the last but one.
func (s *Store) WriteWatchState(
	ctx context.Context, property string, of StateSeries, number uint64, write func(io.Writer) error,
) error {
	const doing = "write the state of audit watch"
	w := &stateWriter{ctx: ctx, store: s, row: watchState{
		PropertyID: property, Turn: uint8(of) + uint8(number%2), Number: number, Engine: s.cfg.Engine,
	}}
	if err := write(w); err != nil {
		return s.explain(doing, err)
	}
	w.row.Parts = w.row.Part + 1
	return s.explain(doing, w.put(w.part))
}

// stateWriter stores the parts of a snapshot. Only the last part has their number: without it a snapshot is not whole.
type stateWriter struct {
	ctx   context.Context
	store *Store
	row   watchState
	part  []byte
}

func (w *stateWriter) Write(p []byte) (int, error) {
	w.part = append(w.part, p...)
	for len(w.part) > watchPart {
		if err := w.put(w.part[:watchPart]); err != nil {
			return 0, err
		}
		w.row.Part++
		w.part = append(w.part[:0], w.part[watchPart:]...)
	}
	return len(p), nil
}

func (w *stateWriter) put(part []byte) error {
	r := &w.row
	r.State = string(part)
	token := fmt.Sprintf("watch_state:%s:%d:%d:%d:%x", r.PropertyID, r.Turn, r.Number, r.Part, sha256.Sum256(part))
	return put(w.ctx, w.store, "watch_state", token, *r)
}

// WatchState returns the newest whole snapshot of a series with a number below before; nil if there is none.
func (s *Store) WatchState(
	ctx context.Context, property string, of StateSeries, before uint64,
) (number uint64, state io.Reader, err error) {
	limited, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	var parts uint32
	// A snapshot with fewer parts leaves parts of an older one behind.
	err = s.conn.QueryRow(limited, `SELECT max(number), argMax(whole, number) FROM (
SELECT number, max(parts) AS whole FROM `+s.name("watch_state")+` FINAL
WHERE property_id = {property:String} AND turn >= {turn:UInt8} AND turn < {turn:UInt8} + 2
AND number < {before:UInt64} GROUP BY number HAVING count() = whole)`,
		params("property", property, "turn", uint8(of), "before", before)...).Scan(&number, &parts)
	if err != nil || number == 0 {
		return 0, nil, s.explain(readingState, err)
	}
	return number, &stateReader{
		ctx: ctx, store: s, parts: parts,
		row: watchState{PropertyID: property, Turn: uint8(of) + uint8(number%2), Number: number},
	}, nil
}

const readingState = "read the state of audit watch"

// stateReader reads the parts of a snapshot, one after the other. Row has the next one.
type stateReader struct {
	ctx   context.Context
	store *Store
	row   watchState
	parts uint32
	part  string
}

func (r *stateReader) Read(p []byte) (int, error) {
	for r.part == "" {
		if r.row.Part == r.parts {
			return 0, io.EOF
		}
		if err := r.next(); err != nil {
			return 0, r.store.explain(readingState, err)
		}
	}
	n := copy(p, r.part)
	r.part = r.part[n:]
	return n, nil
}

func (r *stateReader) next() error {
	all, err := selected[watchState](r.ctx, r.store, "watch_state", `property_id = {property:String} AND turn = {turn:UInt8}
AND number = {number:UInt64} AND part = {part:UInt32}`,
		params("property", r.row.PropertyID, "turn", r.row.Turn, "number", r.row.Number, "part", r.row.Part))
	if err != nil {
		return err
	}
	if len(all) != 1 {
		return fmt.Errorf("part %d of snapshot %d is gone: a newer one takes its place", r.row.Part, r.row.Number)
	}
	r.part = all[0].State
	r.row.Part++
	return nil
}
