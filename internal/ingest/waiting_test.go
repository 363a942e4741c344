package ingest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// A row is stored when a table begins to wait, when more events wait, and when none does. What an earlier process left
// is taken back.
func TestWaitingIsStoredOnce(t *testing.T) {
	now := time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)
	w := newWaiting()
	tables := func(tables ...engine.Held) (all []pipeline.Waiting) {
		for _, h := range tables {
			all = append(all, pipeline.Waiting{Held: h, Since: now})
		}
		return all
	}
	a, b := engine.Held{PropertyID: "p", TableID: "a", Missing: 7, Events: 2}, engine.Held{PropertyID: "p", TableID: "b"}
	b.Missing, b.Events = 9, 1
	steps := []struct {
		report []pipeline.Waiting
		want   string
	}{
		{tables(a), "a:7:2 old:3:0"},
		{tables(a), ""},
		{tables(a, b), "b:9:1"},
		{tables(b), "a:7:0"},
		{nil, "b:9:0"},
		{nil, ""},
	}
	w.report(4, nil)
	if !w.unread() {
		t.Error("a new partition counts as read")
	}
	w.read([]clickhouse.Waiting{
		{PropertyID: "p", TableID: "old", Topic: "t", Partition: 4, Missing: 3, Events: 5},
		{PropertyID: "p", TableID: "other", Topic: "t", Partition: 5, Missing: 3, Events: 5},
	})
	for i, step := range steps {
		w.report(4, step.report)
		rows := w.changes("t", now)
		var got []string
		for _, r := range rows {
			got = append(got, fmt.Sprintf("%s:%d:%d", r.TableID, r.Missing, r.Events))
		}
		slices.Sort(got)
		if text := fmt.Sprint(got); text != "["+step.want+"]" {
			t.Errorf("step %d stores %s, want [%s]", i, text, step.want)
		}
		w.written(rows)
	}
	w.revoked(4)
	if w.unread() || len(w.changes("t", now)) > 0 {
		t.Error("a partition of another member is stored")
	}
}
