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

// tablesPrepared bounds the tables of one query that prepares: it has a condition for each.
const tablesPrepared = 500

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

// begin returns for each table an engine with the state of its last snapshot, and that snapshot; nil from the first
// event.
func (r *run) begin(ctx context.Context, tables []clickhouse.ArchivedTable) (
	[]*engine.Engine, []*rows.Snapshot, error,
) {
	options := r.Engine
	options.NoArchive, options.NoSnapshots = true, true
	engines, from := make([]*engine.Engine, len(tables)), make([]*rows.Snapshot, len(tables))
	if !r.Whole {
		starts := make([]clickhouse.Start, len(tables))
		for i := range tables {
			moment := r.windows[0].from
			if p := r.parted[tables[i].Table]; p != nil { // the live audit did not know what it lacked
				moment = min(moment, p.Since)
			}
			starts[i] = clickhouse.Start{Table: &tables[i], Moment: moment, Lossless: func(m *rows.Snapshot) bool {
				engines[i] = restored(options, m)
				return engines[i] == nil || engines[i].Lossless()
			}}
		}
		var err error
		if from, err = r.store.SnapshotsBefore(ctx, r.Property, starts); err != nil {
			return nil, nil, err
		}
	}
	for i := range tables {
		if from[i] == nil || engines[i] == nil {
			engines[i], from[i] = engine.New(options), nil
		}
	}
	return engines, from, nil
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

// replay is a table that is replayed for the days, from its last snapshot before them until their shoes are closed.
type replay struct {
	*run
	auditor *engine.Engine
	lived   *without
	days    []tableDay
	rows    rows.Set
	folded  uint64 // events that were replayed
	behind  int    // events of folded that are after the days
	// left is the Seq of the last event of the days, 0 once it was replayed: by a clock that went back it is behind later
	// days. It is in the sequence epoch that so many follow.
	left      uint64
	following int
	// parted is not nil if the partitions of the table number its events apart; last are the times of the last events of
	// each.
	parted *clickhouse.Parted
	last   map[int32]int64
	// contested is the number of the event before if that is contested, in is its partition.
	contested uint64
	in        int32
}

// replay replays some tables. done receives each when it has ended.
func (r *run) replay(ctx context.Context, tables []clickhouse.ArchivedTable, done func(*replay) error) error {
	if err := r.prepare(ctx, tables); err != nil {
		return err
	}
	engines, from, err := r.begin(ctx, tables)
	if err != nil {
		return err
	}
	all := make([]clickhouse.TableReplay, len(tables))
	for i := range tables {
		p := &replay{
			run: r, days: newDays(tables[i].Table, len(r.windows)), parted: r.parted[tables[i].Table], last: map[int32]int64{},
			auditor: engines[i],
		}
		o := clickhouse.TableReplay{Table: &tables[i], After: from[i], Each: p.apply, End: func() error {
			p.finish()
			return done(p)
		}}
		if p.following, p.left, err = r.store.LastEvent(ctx, o.Table, r.windows[0].from, r.end()); err != nil {
			return err
		}
		if o.After != nil {
			p.last[o.After.Partition] = o.After.At
		}
		if p.lived, err = r.without(ctx, o.Table); err != nil {
			return err
		}
		all[i] = o
	}
	return r.store.Replay(ctx, all)
}

// prepare reads of tables what their replay needs before it begins.
func (r *run) prepare(ctx context.Context, tables []clickhouse.ArchivedTable) error {
	for some := range slices.Chunk(tables, tablesPrepared) {
		var all []*clickhouse.ArchivedTable
		for i := range some {
			all = append(all, &some[i])
		}
		if err := r.store.Prepare(ctx, all); err != nil {
			return err
		}
	}
	return nil
}

// newDays returns the days of a table.
func newDays(table string, n int) []tableDay {
	days := make([]tableDay, n)
	for i := range days {
		days[i].tableDone = tableDone{Table: table, Open: []OpenShoe{}, Books: []string{}}
		days[i].digest = sha256.New()
	}
	return days
}

// apply replays an event. It reports whether the table has ended.
func (p *replay) apply(e *clickhouse.Archived) bool {
	if e.Letter {
		p.letter(e)
		return false
	}
	p.folded++
	if e.Following < p.following || e.Following == p.following && e.Seq >= p.left {
		p.left = 0
	}
	if i := p.at(e.At); i >= 0 {
		p.days[i].event(e)
	}
	if p.parted != nil {
		p.beside(e)
	}
	if p.contested == e.Seq && p.in != e.Partition {
		p.contests(e)
	}
	if p.contested = 0; e.Contested {
		p.contested, p.in = e.Seq, e.Partition
	}
	p.auditor.Apply(&e.Record, "", e.Partition, &p.rows)
	p.lived.apply(e)
	if p.folded%settle == 0 {
		p.collect(p.days, &p.rows)
		p.lived.collect(p.run)
		for i := range p.days {
			if p.days[i].rows != nil && e.At > p.windows[i].until+foldAfter {
				p.fold(&p.days[i])
			}
		}
	}
	if e.At < p.end() {
		return false
	}
	p.behind++
	return p.behind%settle == 0 && p.left == 0 && len(p.open(p.auditor, p.end())) == 0 && !p.lived.open(p.run)
}

// contests notes that an event contests the one before it, which no live audit has beside it.
func (p *replay) contests(e *clickhouse.Archived) {
	for i := range p.days {
		p.days[i].Contested = append(p.days[i].Contested, e.Seq)
	}
}

// letter replays a dead letter that contests the event before it. The archive does not have it, nor any live audit.
func (p *replay) letter(e *clickhouse.Archived) {
	p.contests(e)
	p.auditor.Apply(&e.Record, "", e.Partition, &p.rows)
}

// beside notes whether another partition has events between the one before and this event, which no audit can put in
// order.
func (p *replay) beside(e *clickhouse.Archived) {
	before, known := p.last[e.Partition]
	if !known {
		before = e.At
	}
	p.last[e.Partition] = e.At
	if other, beside := p.parted.Beside(e.Partition, before, e.At); beside {
		p.auditor.Beside(other)
		for i := range p.days {
			if at := &p.days[i].Parted; *at == 0 || e.At < *at {
				*at = e.At
			}
		}
	}
}

// finish completes the days. What only the end of the archive gives is awaited by the live audit: the settlement of a
// last round may still come.
func (p *replay) finish() {
	p.auditor.Drain(&p.rows)
	p.collect(p.days, &p.rows)
	awaited := make([]int, len(p.days))
	for i := range p.days {
		p.days[i].Open = append(p.days[i].Open, p.open(p.auditor, p.windows[i].until)...)
		awaited[i] = len(p.days[i].found)
	}
	p.auditor.Finish(&p.rows)
	p.collect(p.days, &p.rows)
	for i := range p.days {
		d := &p.days[i]
		for _, f := range d.found[awaited[i]:] {
			d.Awaited = append(d.Awaited, f.ID)
		}
		d.Digest = d.end()
		d.found = finding.Latest(d.found)
		p.fold(d)
		slices.Sort(d.Books)
	}
	p.lived.finish(p.run, p.days)
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
