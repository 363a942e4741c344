package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// MemorySink keeps rows in memory as ClickHouse keeps them: once by their keys, the last write
// winning. It is for tests and small replays.
type MemorySink struct {
	// Fail, if not nil, is called before each batch of a write. The write then returns the error; with persist the rows of
	// the batch are kept nevertheless, as when an acknowledgement is lost.
	Fail func(b *Batch) (persist bool, err error)

	declared  []rows.Table
	mu        sync.Mutex
	tables    map[string]map[string]string
	findings  map[string]finding.Finding
	letters   map[string]rows.DeadLetter
	snapshots []snapshot
	ranges    []Range
}

var _ Journal = (*MemorySink)(nil)

type snapshot struct {
	rows.Snapshot
	epoch uint32
}

// NewMemorySink makes an empty one.
func NewMemorySink() *MemorySink {
	return &MemorySink{
		declared: rows.Tables(), tables: map[string]map[string]string{}, findings: map[string]finding.Finding{},
		letters: map[string]rows.DeadLetter{},
	}
}

// Write keeps a copy of the rows: the ranges of the set, then the rows of one batch after the other.
func (m *MemorySink) Write(ctx context.Context, set ...*Batch) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("write to memory: %w", err)
	}
	for i, b := range set {
		persist, err := false, error(nil)
		if m.Fail != nil {
			persist, err = m.Fail(b)
		}
		if err != nil && !persist {
			return err
		}
		if i == 0 {
			m.journal(set)
		}
		if failed := m.keep(b); failed != nil || err != nil {
			return errors.Join(err, failed)
		}
	}
	return nil
}

func (m *MemorySink) journal(set []*Batch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range set {
		m.ranges = append(m.ranges, b.Range)
	}
}

func (m *MemorySink) keep(b *Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.declared {
		t := &m.declared[i]
		if m.tables[t.Name] == nil {
			m.tables[t.Name] = map[string]string{}
		}
		if err := m.put(t, t.View(&b.Set)); err != nil {
			return err
		}
	}
	for _, f := range b.Findings {
		f.Citations = slices.Clone(f.Citations)
		f.Evidence.Seqs, f.Evidence.EventIDs = slices.Clone(f.Evidence.Seqs), slices.Clone(f.Evidence.EventIDs)
		m.findings[f.ID] = f
	}
	for _, d := range b.DeadLetters {
		d.Raw = slices.Clone(d.Raw)
		m.letters[fmt.Sprint(d.Topic, d.Partition, d.Offset)] = d
	}
	for _, r := range b.Snapshots {
		m.snapshots = append(m.snapshots, snapshot{r, b.Range.Epoch})
	}
	return nil
}

// Last is the newest range of a partition that ends below an offset; all are written by the same release.
func (m *MemorySink) Last(_ context.Context, topic string, partition int32, below int64) (last Range, same, ok bool,
	err error,
) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.ranges {
		if r.Topic == topic && r.Partition == partition && r.To < below &&
			cmp.Or(cmp.Compare(r.Generation, last.Generation), cmp.Compare(r.To, last.To)) >= 0 {
			last, ok = r, true
		}
	}
	return last, true, ok, nil
}

// Releases are the ranges after which holes were given up; see Journal.
func (m *MemorySink) Releases(
	_ context.Context, topic string, partition int32, from, below int64,
) (all []Range, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	newest := map[int64]Range{}
	for _, r := range m.ranges {
		if r.Topic == topic && r.Partition == partition && r.To >= from && r.To < below && len(r.Released) > 0 &&
			cmp.Or(cmp.Compare(r.Generation, newest[r.To].Generation), len(r.Released)-len(newest[r.To].Released)) >= 0 {
			newest[r.To] = r
		}
	}
	for _, to := range slices.Sorted(maps.Keys(newest)) {
		r := newest[to]
		if !slices.ContainsFunc(m.ranges, func(o Range) bool {
			return o.Topic == topic && o.Partition == partition &&
				(o.Generation > r.Generation && o.From <= to && to <= o.To ||
					o.Epoch > r.Epoch && o.Cut > 0 && o.Cut <= to)
		}) {
			all = append(all, r)
		}
	}
	return all, nil
}

// Snapshots are the newest of each table below an offset, in the order of property and table.
func (m *MemorySink) Snapshots(_ context.Context, topic string, partition int32, below int64) ([]rows.Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	newest := map[[2]string]rows.Snapshot{}
	for _, r := range m.snapshots {
		key := [2]string{r.PropertyID, r.TableID}
		lost := slices.ContainsFunc(m.ranges, func(c Range) bool {
			return c.Topic == topic && c.Partition == partition && c.Cut > 0 && c.Epoch > r.epoch && c.Cut <= r.Offset
		})
		if r.Topic == topic && r.Partition == partition && r.Offset < below && !lost && r.Offset >= newest[key].Offset {
			newest[key] = r.Snapshot
		}
	}
	return slices.SortedFunc(maps.Values(newest), func(a, b rows.Snapshot) int {
		return cmp.Or(cmp.Compare(a.PropertyID, b.PropertyID), cmp.Compare(a.TableID, b.TableID))
	}), nil
}

// Beside are the tables of the partitions of a topic; see Journal.
func (m *MemorySink) Beside(_ context.Context, topic string) (all []Played, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	type place struct {
		property, table string
		partition       int32
	}
	played := map[place]Played{}
	for i := range m.snapshots {
		r := &m.snapshots[i]
		if r.Topic != topic {
			continue
		}
		at := place{r.PropertyID, r.TableID, r.Partition}
		p, known := played[at]
		if !known || r.At < p.At || r.At == p.At && r.Seq < p.First {
			p.At, p.First = r.At, r.Seq
		}
		if r.At > p.Until || r.At == p.Until && r.Seq > p.Last {
			p.Until, p.Last = r.At, r.Seq
		}
		p.PropertyID, p.TableID, p.Partition = r.PropertyID, r.TableID, r.Partition
		played[at] = p
	}
	return slices.SortedFunc(maps.Values(played), func(a, b Played) int {
		return cmp.Or(cmp.Compare(a.PropertyID, b.PropertyID), cmp.Compare(a.TableID, b.TableID),
			cmp.Compare(a.Partition, b.Partition))
	}), nil
}

// put keeps the rows of a table as JSON, by their keys.
func (m *MemorySink) put(t *rows.Table, v rows.View) error {
	cells, keys := make([]map[string]any, v.Len), make([]string, v.Len)
	for i := range cells {
		cells[i] = map[string]any{}
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		values, n := c.Values(v, &rows.Buffers{})
		for row := range n {
			cell := cell(values, row)
			cells[row][c.Name] = cell
			if c.Key {
				keys[row] += fmt.Sprintf("/%q", fmt.Sprint(cell))
			}
		}
	}
	for row := range cells {
		text, err := json.Marshal(cells[row])
		if err != nil {
			return fmt.Errorf("write to memory: table %s: %w", t.Name, err)
		}
		m.tables[t.Name][keys[row]] = string(text)
	}
	return nil
}

func cell(values any, row int) any {
	switch values := values.(type) {
	case *rows.Text:
		return fmt.Sprintf("%q", values.At(row))
	case *rows.Words:
		return values.At(row)
	}
	return reflect.ValueOf(values).Index(row).Interface()
}

// Tables names the tables, in order.
func (m *MemorySink) Tables() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.tables))
}

// Rows are a table's rows as JSON, by key.
func (m *MemorySink) Rows(table string) map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.tables[table])
}

// Findings are in the order of property, table, time and id.
func (m *MemorySink) Findings() []finding.Finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := slices.Collect(maps.Values(m.findings))
	finding.Sort(all)
	return all
}

// DeadLetters are in the order of topic, partition and offset.
func (m *MemorySink) DeadLetters() []rows.DeadLetter {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.SortedFunc(maps.Values(m.letters), func(a, b rows.DeadLetter) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Offset, b.Offset))
	})
}

// Ranges are the ranges of the batches kept, in the order of the writes.
func (m *MemorySink) Ranges() []Range {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.ranges)
}
