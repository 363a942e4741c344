// Package pipelinetest has the tests that every Source and every Sink must pass.
package pipelinetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// Events returns n legal events of a number of tables, in turn. The seq of each table starts at 1.
func Events(tables, n int) []schema.Event {
	events := make([]schema.Event, n)
	for i := range events {
		table, seq := i%tables, i/tables+1
		events[i] = schema.Event{
			EventID: fmt.Sprintf("e-%d-%d", table, seq), PropertyID: "ac-1", PitID: "p3",
			TableID: fmt.Sprintf("mb-%02d", table),
			Seq:     uint64(seq), At: 1_800_000_000_000_000_000 + int64(i)*1_000_000, ShoeID: "s1", Round: 1,
			Payload: &schema.RoundStarted{},
		}
	}
	return events
}

// Source tests a finite source. Open returns a source that ends after the given events; a test may call it more than
// once, with different events.
func Source(t *testing.T, open func(t *testing.T, events []schema.Event) pipeline.Source) {
	t.Run("returns every record of a table in order", func(t *testing.T) { inOrder(t, open) })
	t.Run("returns the first error of work", func(t *testing.T) {
		want := errors.New("enough")
		src := open(t, Events(3, 30))
		err := src.Consume(t.Context(), func(context.Context, pipeline.Stream) error { return want })
		if !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	})
	t.Run("returns nil when its context is done", func(t *testing.T) {
		src := open(t, Events(3, 30))
		ctx, cancel := context.WithCancel(t.Context())
		err := src.Consume(ctx, func(ctx context.Context, s pipeline.Stream) error {
			cancel()
			<-ctx.Done()
			for {
				if _, err := s.Next(ctx, time.Second); err != nil {
					return nil
				}
			}
		})
		if err != nil {
			t.Errorf("got %v, want nil", err)
		}
	})
	t.Run("returns when its context is done before", func(t *testing.T) {
		src := open(t, Events(1, 3))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := src.Consume(ctx, func(ctx context.Context, _ pipeline.Stream) error {
			if ctx.Err() == nil {
				t.Error("work began with a context that is not done")
			}
			return nil
		})
		if err != nil {
			t.Errorf("got %v, want nil", err)
		}
	})
	t.Run("accepts a commit of every offset that it returned", func(t *testing.T) {
		src := open(t, Events(2, 20))
		err := src.Consume(t.Context(), func(ctx context.Context, s pipeline.Stream) error {
			return each(ctx, s, func(r *pipeline.Record) error { return s.Commit(ctx, r.Offset+1) })
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func inOrder(t *testing.T, open func(t *testing.T, events []schema.Event) pipeline.Source) {
	events := Events(7, 5000)
	want := map[string][]string{}
	for _, ev := range events {
		want[ev.TableID] = append(want[ev.TableID], ev.EventID)
	}
	var mu sync.Mutex
	got := map[string][]string{}
	at := map[string]string{}
	err := open(t, events).Consume(t.Context(), func(ctx context.Context, s pipeline.Stream) error {
		where := fmt.Sprintf("%s/%d", s.Topic(), s.Partition())
		last := int64(-1)
		d := schema.NewDecoder()
		return each(ctx, s, func(r *pipeline.Record) error {
			if r.Bad != nil {
				return r.Bad
			}
			if r.Offset <= last {
				return fmt.Errorf("offset %d after %d", r.Offset, last)
			}
			last = r.Offset
			var ev schema.Event
			if err := d.Decode(r.Format, r.Value, &ev); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			if before, ok := at[ev.TableID]; ok && before != where {
				return fmt.Errorf("table %s in %s and %s", ev.TableID, before, where)
			}
			at[ev.TableID] = where
			got[ev.TableID] = append(got[ev.TableID], ev.EventID)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// each calls do with every record until the end of the stream.
func each(ctx context.Context, s pipeline.Stream, do func(*pipeline.Record) error) error {
	for {
		records, err := s.Next(ctx, time.Second)
		for i := range records {
			if err := do(&records[i]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
