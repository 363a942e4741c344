package engine

import (
	"iter"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Replay applies records in order and ends the stream. It is the loop of everything that audits stored events again:
// nothing resumes it, so the position of a record in the log has no meaning. After each record and after the end,
// collect may take the rows out of the set; nil leaves them there.
func (e *Engine) Replay(records iter.Seq2[*Record, error], out *rows.Set, collect func() error) error {
	if collect == nil {
		collect = func() error { return nil }
	}
	for record, err := range records {
		if err != nil {
			return err
		}
		e.Apply(record, "", 0, out)
		if err := collect(); err != nil {
			return err
		}
	}
	e.Finish(out)
	return collect()
}

// Records encodes events as the records of a log, from offset 0. A record is valid until the next one.
func Records(events []schema.Event) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		record := Record{Format: schema.Protobuf}
		for i := range events {
			record.Offset, record.Value = int64(i), schema.AppendProto(record.Value[:0], &events[i])
			if !yield(&record, nil) {
				return
			}
		}
	}
}
