package clickhouse

import (
	"context"
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

// WriteWatchState stores a snapshot of audit watch. It takes the place of the last but one.
func (s *Store) WriteWatchState(ctx context.Context, property string, number uint64, state []byte) error {
	parts := max((len(state)+watchPart-1)/watchPart, 1)
	for i := range parts {
		row := watchState{
			PropertyID: property, Turn: uint8(number % 2), Part: uint32(i), Parts: uint32(parts), Number: number,
			State: string(state[i*watchPart : min((i+1)*watchPart, len(state))]), Engine: s.cfg.Engine,
		}
		token := fmt.Sprintf("watch_state:%s:%d:%d", property, number, i)
		if err := put(ctx, s, "watch_state", token, row); err != nil {
			return s.explain("write the state of audit watch", err)
		}
	}
	return nil
}

// WatchState returns the newest whole snapshot of audit watch, with its number; nil if there is none.
func (s *Store) WatchState(ctx context.Context, property string) (number uint64, state []byte, err error) {
	const doing = "read the state of audit watch"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	// A snapshot with fewer parts leaves parts of an older one behind.
	err = s.conn.QueryRow(ctx, `SELECT max(number) FROM (SELECT number FROM `+s.name("watch_state")+` FINAL
WHERE property_id = {property:String} GROUP BY number HAVING count() = any(parts))`,
		params("property", property)...).Scan(&number)
	if err != nil || number == 0 {
		return 0, nil, s.explain(doing, err)
	}
	all, err := selected[watchState](ctx, s, "watch_state",
		"property_id = {property:String} AND number = {number:UInt64} ORDER BY part",
		params("property", property, "number", number))
	if err != nil {
		return 0, nil, s.explain(doing, err)
	}
	var b strings.Builder
	for i := range all {
		b.WriteString(all[i].State)
	}
	return number, []byte(b.String()), nil
}
