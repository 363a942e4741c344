package clickhouse

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
)

// watchState is a part of a snapshot of audit watch.
type watchState struct {
	PropertyID string `column:"property_id,word,key"`
	Turn       uint8  `column:"turn,key"`
	Part       uint32 `column:"part,key"`
	Parts      uint32 `column:"parts"`
	Number     uint64 `column:"number"`
	State      string `column:"state"`
	Engine     string `column:"engine,word"`
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

// WriteWatchState stores a snapshot of audit watch, or of a night. It takes the place of the last but one.
func (s *Store) WriteWatchState(
	ctx context.Context, property string, of StateSeries, number uint64, state []byte,
) error {
	parts := max((len(state)+watchPart-1)/watchPart, 1)
	for i := range parts {
		row := watchState{
			PropertyID: property, Turn: uint8(of) + uint8(number%2), Part: uint32(i), Parts: uint32(parts), Number: number,
			State: string(state[i*watchPart : min((i+1)*watchPart, len(state))]), Engine: s.cfg.Engine,
		}
		token := fmt.Sprintf("watch_state:%s:%d:%d:%d:%x", property, of, number, i, sha256.Sum256([]byte(row.State)))
		if err := put(ctx, s, "watch_state", token, row); err != nil {
			return s.explain("write the state of audit watch", err)
		}
	}
	return nil
}

// WatchState returns the newest whole snapshot of a series with a number below before; nil if there is none.
func (s *Store) WatchState(
	ctx context.Context, property string, of StateSeries, before uint64,
) (number uint64, state []byte, err error) {
	const doing = "read the state of audit watch"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	// A snapshot with fewer parts leaves parts of an older one behind.
	err = s.conn.QueryRow(ctx, `SELECT max(number) FROM (SELECT number FROM `+s.name("watch_state")+` FINAL
WHERE property_id = {property:String} AND turn >= {turn:UInt8} AND turn < {turn:UInt8} + 2
AND number < {before:UInt64} GROUP BY number HAVING count() = any(parts))`,
		params("property", property, "turn", uint8(of), "before", before)...).Scan(&number)
	if err != nil || number == 0 {
		return 0, nil, s.explain(doing, err)
	}
	all, err := selected[watchState](ctx, s, "watch_state",
		"property_id = {property:String} AND turn = {turn:UInt8} AND number = {number:UInt64} ORDER BY part",
		params("property", property, "turn", uint8(of)+uint8(number%2), "number", number))
	if err != nil {
		return 0, nil, s.explain(doing, err)
	}
	var b strings.Builder
	for i := range all {
		b.WriteString(all[i].State)
	}
	return number, []byte(b.String()), nil
}
