package nightly

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"slices"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// settle is the number of events after the days that are replayed between two checks for open shoes of the days. It is
// fixed, so that the same archive always gives the same result.
const settle = 256

// tableDay is a table's day in progress.
type tableDay struct {
	tableDone
	digest hash.Hash
	// seen are events that the digest has not received yet.
	seen []byte
	// rows are the facts until they are folded, nil without any.
	rows *factRows
}

// event adds an event to the digest of the day.
func (d *tableDay) event(e *clickhouse.Archived) {
	d.Events++
	d.seen = append(binary.BigEndian.AppendUint64(d.seen, e.Seq), e.SHA256[:]...)
	if len(d.seen) > 4000 {
		d.digest.Write(d.seen)
		d.seen = d.seen[:0]
	}
}

// end returns the digest.
func (d *tableDay) end() string {
	d.digest.Write(d.seen)
	return hex.EncodeToString(d.digest.Sum(nil))
}

// begin returns an engine with the state of a table's last snapshot, nil from the first event.
func (r *run) begin(ctx context.Context, table *clickhouse.ArchivedTable) (*engine.Engine, *rows.Snapshot, error) {
	options := r.Engine
	options.NoArchive, options.NoSnapshots = true, true
	if r.Whole {
		return engine.New(options), nil, nil
	}
	var from *engine.Engine // with the state of the last candidate
	m, err := r.store.SnapshotBefore(ctx, table, r.windows[0].from, func(m *rows.Snapshot) bool {
		from = restored(options, m)
		return from == nil || from.Lossless()
	})
	if m == nil || err != nil || from == nil {
		return engine.New(options), nil, err
	}
	return from, m, nil
}

// restored returns an engine with the state of a snapshot, nil if another release wrote it.
func restored(options engine.Options, m *rows.Snapshot) *engine.Engine {
	row := *m
	row.Offset = -1 // what was seen is not read: no record is to be passed over
	e := engine.New(options)
	if err := e.Restore([]rows.Snapshot{row}, row.At); err != nil {
		return nil
	}
	return e
}

// replay replays a table from its last snapshot before the days until the shoes of the days are closed.
func (r *run) replay(ctx context.Context, table *clickhouse.ArchivedTable) (days []tableDay, folded uint64, err error) {
	auditor, after, err := r.begin(ctx, table)
	if err != nil {
		return nil, 0, err
	}
	days = make([]tableDay, len(r.windows))
	for i := range days {
		days[i].tableDone = tableDone{Table: table.Table, Open: []OpenShoe{}, Books: []string{}}
		days[i].digest = sha256.New()
	}
	lived, err := r.without(ctx, table)
	if err != nil {
		return nil, 0, err
	}
	var b rows.Set
	behind := 0
	err = r.store.Replay(ctx, table, after, func(e *clickhouse.Archived) bool {
		folded++
		if i := r.at(e.At); i >= 0 {
			days[i].event(e)
		}
		auditor.Apply(&e.Record, "", 0, &b)
		lived.apply(e)
		if folded%settle == 0 {
			r.collect(days, &b)
			lived.collect(r)
			for i := range days {
				if days[i].rows != nil && e.At > r.windows[i].until+foldAfter {
					r.fold(&days[i])
				}
			}
		}
		if e.At < r.end() {
			return false
		}
		behind++
		return behind%settle == 0 && len(r.open(auditor, r.end())) == 0 && !lived.open(r)
	})
	if err != nil {
		return nil, 0, err
	}
	auditor.Finish(&b)
	r.collect(days, &b)
	for i := range days {
		d := &days[i]
		d.Open = append(d.Open, r.open(auditor, r.windows[i].until)...)
		d.Digest = d.end()
		d.found = finding.Latest(d.found)
		r.fold(d)
		slices.Sort(d.Books)
	}
	lived.finish(r, days)
	return days, folded, nil
}

// at is the index of the day of a time, -1 for other days.
func (r *run) at(at int64) int {
	i, _ := slices.BinarySearchFunc(r.windows, at, func(w window, at int64) int { return cmp.Compare(w.until, at+1) })
	if i < len(r.windows) && at >= r.windows[i].from {
		return i
	}
	return -1
}

// open are the shoes that began before a time and have not ended.
func (r *run) open(e *engine.Engine, before int64) []OpenShoe {
	var list []OpenShoe
	for _, o := range e.Open() {
		if o.At < before {
			list = append(list, OpenShoe{o.TableID, o.ShoeID, o.Round})
		}
	}
	return list
}

// collect takes the rows of the days.
func (r *run) collect(days []tableDay, b *rows.Set) {
	if b.Len() == 0 {
		return
	}
	for i, day := range b.Rounds.GamingDay {
		if k := r.of(day, b.Rounds.Shift[i]); k >= 0 {
			days[k].Rounds++
		}
	}
	for i := range b.Shoes {
		s := &b.Shoes[i]
		if k := r.of(s.GamingDay, s.Shift); k >= 0 {
			days[k].Shoes++
			if s.Rulebook != "" && !slices.Contains(days[k].Books, s.Rulebook) {
				days[k].Books = append(days[k].Books, s.Rulebook)
			}
		}
	}
	for i := range b.Findings {
		if k := r.of(b.Findings[i].GamingDay, b.Findings[i].Shift); k >= 0 {
			days[k].found = append(days[k].found, b.Findings[i])
		}
	}
	r.facts(days, b)
	b.Reset()
}

// of is the index of a gaming day, -1 for other days and shifts.
func (r *run) of(day, shift string) int {
	if r.Shift != "" && shift != r.Shift {
		return -1
	}
	i, found := slices.BinarySearch(r.Days, day)
	if !found {
		return -1
	}
	return i
}
