package nightly

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// hole is a range of event numbers of a table that the live audit reported as missing, and that came later.
type hole struct {
	from, to uint64
	at       int64 // when the live audit reported it, ns UTC of event time
}

// explains reports whether a finding of a table may follow from its hole: it was made after the hole, rests on an event
// after it, or states that events are missing, as at a wager from before the hole whose payment was in it.
func (h hole) explains(f *finding.Finding) bool {
	return h.to > 0 && (int64(f.At) >= h.at || f.Verdict == finding.Unauditable ||
		slices.ContainsFunc(f.Evidence.Seqs, func(seq uint64) bool { return seq >= h.from }))
}

func (h hole) String() string {
	if h.from == h.to {
		return fmt.Sprintf("event %d", h.from)
	}
	return fmt.Sprintf("events of %d to %d", h.from, h.to)
}

// lateness is what the events of the tables that arrived late explain: by table the range of a day and of the
// next day, into which shoes reach, and by id the findings that only a replay without late events gives, or with other
// contents.
type lateness struct {
	holes map[string]hole
	lived map[string]finding.Finding
	books law.Books
	// both are the findings that the replay gives without the late events, too; awaited those for which the live audit
	// waits, by id.
	both, awaited map[string]bool
	// parted has by table when its partitions began to number its events apart: the audit of each has accused without the
	// events of the other. Replaced are the findings of the live audit that a run replaced, by id.
	parted   map[string]int64
	replaced map[string]bool
	// contested are the events that an event of another partition or a dead letter contests, disputed the shoes and
	// rounds of which the replay judges nothing by them.
	contested map[event]bool
	disputed  map[played]bool
}

// event is an event of a table.
type event struct {
	table string
	seq   uint64
}

// played is a round of a table, or a shoe as round 0.
type played struct {
	table, shoe string
	round       uint32
}

// apart is why a finding of the live audit does not stand: the audit lacked the events of another partition. It is
// empty if the audit had all events.
func (l *lateness) apart(f *finding.Finding) string {
	of := func(seq uint64) bool { return l.contested[event{f.TableID, seq}] }
	if f.Kind != finding.Anomaly && (l.disputed[played{f.TableID, f.ShoeID, f.Round}] ||
		slices.ContainsFunc(f.Evidence.Seqs, of)) {
		return "an event of another partition, or a dead letter, contests an event of it, and no live audit has both"
	}
	at := l.parted[f.TableID]
	if at == 0 || int64(f.At) < at && f.Kind != finding.DataFault || f.Kind == finding.Anomaly {
		return ""
	}
	return "the partitions of the topic number the events of the table apart, and none has all"
}

// asReplaced are the findings of the live audit, each of which is, if it does not stand at a parted table, as the run
// replaces them: so a repeated run has the same.
func (l *lateness) asReplaced(live, replace []finding.Finding) []finding.Finding {
	live = slices.Clone(live)
	type row struct {
		id string
		at schema.Time
	}
	now := map[row]*finding.Finding{}
	for i := range replace {
		now[row{replace[i].ID, replace[i].At}] = &replace[i]
	}
	for i := range live {
		if f := now[row{live[i].ID, live[i].At}]; f != nil && l.apart(f) != "" {
			live[i] = *f
		}
	}
	return live
}

// lacks reports whether a finding of the replay alone may follow from a hole: the live audit lacked the events. What
// the replay finds without them as well, the live audit lacks for another reason, as under other rules.
func (l *lateness) lacks(f *finding.Finding) bool {
	return !l.both[f.ID] && l.holes[f.TableID].explains(f)
}

// explains reports whether a finding of the live audit alone may follow from a hole. Without the hole, rules of another
// rulebook than the run applies may give the finding as well.
func (l *lateness) explains(f *finding.Finding) bool {
	name, _, _ := strings.Cut(f.Rulebook, "@")
	book := l.books[name]
	of := f.Kind == finding.DataFault || book != nil && book.Ref() == f.Rulebook
	return of && l.holes[f.TableID].explains(f)
}

// made reports whether only the replay without the late events gives a finding.
func (l *lateness) made(f *finding.Finding) bool {
	lived, known := l.lived[f.ID]
	return known && finding.Same(&lived, f)
}

// what names the events that arrived late at the table of a finding.
func (l *lateness) what(f *finding.Finding) string {
	if h, known := l.holes[f.TableID]; known {
		return h.String()
	}
	return "an event of the day before"
}

// without replays a table as the live audit played it: without the events that arrived late. The facts and findings
// that ingest stored are compared with its facts and findings. It is nil for a table without such events.
type without struct {
	engine *engine.Engine
	late   []hole
	days   []tableDay
	rows   rows.Set
}

// readLate reads the holes of each table that events filled which arrived late, also of the days beside, into which
// shoes reach, and the tables whose numbers began again: a number is not of one event there.
func (r *run) readLate(ctx context.Context) error {
	r.late, r.restarted = map[string][]hole{}, map[string]bool{}
	for _, rule := range []string{"feed.gap", "feed.late", "feed.reset"} {
		live, err := r.store.Findings(ctx, clickhouse.Filter{
			PropertyID: r.Property, Rule: rule, Live: true, Withdrawn: true,
			From: schema.Time(r.windows[0].from - beside), Until: schema.Time(r.end() + beside),
		})
		if err != nil {
			return err
		}
		for i := range live {
			f := &live[i]
			h, late, err := r.lateHole(ctx, f)
			switch {
			case err != nil:
				return err
			case rule == "feed.reset":
				r.restarted[f.TableID] = true
			case late:
				r.late[f.TableID] = append(r.late[f.TableID], h)
			}
		}
	}
	return nil
}

// beside is how far from a day events are read that may change its findings.
const beside = 24 * int64(time.Hour)

// lateHole returns the hole that a finding of the live audit reports, if events filled it which arrived late. The
// archive proves it: one of the events is behind an event with a higher number.
func (r *run) lateHole(ctx context.Context, f *finding.Finding) (h hole, late bool, err error) {
	h.at = int64(f.At)
	if _, err := fmt.Sscanf(f.Subject, "range:%d-%d", &h.from, &h.to); err != nil || f.Rule == "feed.reset" {
		return h, false, nil
	}
	late, err = r.store.ArrivedLate(ctx, r.Property, f.TableID, h.from, h.to)
	return h, late, err
}

// lateness returns what the late events of all tables explain of a day.
func (r *run) lateness(w window, m *merged) lateness {
	l := lateness{
		map[string]hole{},
		map[string]finding.Finding{},
		r.Engine.Books,
		map[string]bool{},
		map[string]bool{},
		map[string]int64{},
		map[string]bool{},
		map[event]bool{},
		map[played]bool{},
	}
	for table, holes := range r.late {
		for _, h := range holes {
			if h.at < w.from || h.at >= w.until+beside {
				continue
			}
			if known, ok := l.holes[table]; ok {
				h = hole{min(h.from, known.from), max(h.to, known.to), min(h.at, known.at)}
			}
			l.holes[table] = h
		}
	}
	for i := range m.tables {
		if at := m.tables[i].Parted; at != 0 {
			l.parted[m.tables[i].Table] = at
		}
		for _, seq := range m.tables[i].Contested {
			l.contested[event{m.tables[i].Table, seq}] = true
		}
		for _, f := range m.tables[i].Lived {
			l.lived[f.ID] = f
		}
		for _, id := range m.tables[i].Both {
			l.both[id] = true
		}
		for _, id := range m.tables[i].Awaited {
			l.awaited[id] = true
		}
	}
	for i := range m.replayed {
		f := &m.replayed[i]
		if f.Rule == "feed.conflict" && f.ShoeID != "" && l.apart(f) != "" {
			l.disputed[played{f.TableID, f.ShoeID, f.Round}] = true
			l.disputed[played{f.TableID, f.ShoeID, 0}] = true
		}
	}
	return l
}

// without returns the second replay of a table, nil if no event of it arrived late.
func (r *run) without(ctx context.Context, table *clickhouse.ArchivedTable) (*without, error) {
	late := r.late[table.Table]
	if len(late) == 0 || r.restarted[table.Table] {
		return nil, nil
	}
	engines, _, err := r.begin(ctx, []clickhouse.ArchivedTable{*table})
	if err != nil {
		return nil, err
	}
	return &without{engine: engines[0], late: late, days: newDays(table.Table, len(r.windows))}, nil
}

// apply takes an event unless it arrived late.
func (w *without) apply(e *clickhouse.Archived) {
	if w == nil || slices.ContainsFunc(w.late, func(h hole) bool { return e.Seq >= h.from && e.Seq <= h.to }) {
		return
	}
	w.engine.Apply(&e.Record, "", 0, &w.rows)
}

// collect takes the facts and findings of the days.
func (w *without) collect(r *run) {
	if w != nil {
		r.collect(w.days, &w.rows)
	}
}

// open reports whether a shoe of the days has not ended.
func (w *without) open(r *run) bool { return w != nil && len(r.open(w.engine, r.end())) > 0 }

// finish gives the days of the replay the facts that the live audit should have stored, and the findings that
// the replay does not give.
func (w *without) finish(r *run, days []tableDay) {
	if w == nil {
		return
	}
	w.engine.Drain(&w.rows)
	for i := range w.days {
		days[i].LiveOpen = r.open(w.engine, r.windows[i].until)
	}
	w.engine.Finish(&w.rows)
	w.collect(r)
	for i := range w.days {
		r.fold(&w.days[i])
		days[i].Late, days[i].LiveFacts = true, w.days[i].Facts
		days[i].Lived = finding.Latest(w.days[i].found)
		now := byID(days[i].found)
		for j := range days[i].Lived {
			if id := days[i].Lived[j].ID; now[id] != nil {
				days[i].Both = append(days[i].Both, id)
			}
		}
		days[i].Lived = slices.DeleteFunc(days[i].Lived, func(f finding.Finding) bool {
			return now[f.ID] != nil && finding.Same(&f, now[f.ID])
		})
	}
}
