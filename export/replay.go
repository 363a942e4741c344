package export

import (
	"fmt"
	"iter"

	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// replay runs the rules over the evidence of one table and gives what they find, with the release left
// out, by id.
func replay(books law.Books, calendar pipeline.Calendar, evidence iter.Seq2[*evidenceLine, error]) (map[string]*found, error) {
	e := pipeline.NewEngine(pipeline.Options{Books: books, Calendar: calendar, NoArchive: true})
	out := map[string]*found{}
	var b pipeline.Batch
	collect := func() error {
		for i := range b.Findings {
			f := b.Findings[i]
			same, err := sameness(&f)
			if err != nil {
				return err
			}
			out[f.ID] = &found{f, same}
		}
		b.Reset()
		return nil
	}
	for line, err := range evidence {
		if err != nil {
			return nil, err
		}
		rec := pipeline.Record{Offset: line.Offset, Format: schema.JSON, Value: line.Event}
		e.Apply(&rec, line.Topic, line.Partition, &b)
		if len(b.DeadLetters) > 0 {
			return nil, fmt.Errorf("event at offset %d: %s", line.Offset, b.DeadLetters[0].Reason)
		}
		if b.Len() > 1000 {
			if err := collect(); err != nil {
				return nil, err
			}
		}
	}
	e.Finish(&b)
	return out, collect()
}
