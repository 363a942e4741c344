package clickhouse

import (
	"context"
	"fmt"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	ch "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/shoeproof/shoeproof/pipeline"
)

// RunPart is the part of a nightly run that one worker writes.
type RunPart struct {
	Property, GamingDay string
	Part                string // shift, and i/n of the workers
	Generation          uint64 // of its lease
}

// RunLine is one line of a part: its kind and its JSON.
type RunLine struct{ Kind, Line string }

// WriteLines stores lines of a part; no is the number of the first line.
func (s *Store) WriteLines(ctx context.Context, p RunPart, no int, lines []RunLine) error {
	doing := fmt.Sprintf("write part %s of the run of %s, %s", p.Part, p.Property, p.GamingDay)
	ctx, cancel := context.WithTimeout(ctx, s.cfg.InsertTimeout)
	defer cancel()
	ctx = ch.Context(ctx, ch.WithSettings(s.settings(fmt.Sprintf("run:%s:%s:%s:%d:%d", p.Property, p.GamingDay, p.Part,
		p.Generation, no))))
	batch, err := s.conn.PrepareBatch(ctx,
		"INSERT INTO "+s.name("run_lines")+" (property_id, gaming_day, part, generation, no, kind, line)")
	if err != nil {
		return s.explain(doing, err)
	}
	defer func() { _ = batch.Abort() }()
	for i, l := range lines {
		if err := batch.Append(p.Property, dayOf(p.GamingDay), p.Part, p.Generation, uint32(no+i), l.Kind,
			l.Line); err != nil {
			return s.explain(doing, err)
		}
	}
	return s.explain(doing, batch.Send())
}

// Lines returns the lines of the newest generation of a part, in order. A running worker may have a newer generation
// than its lines.
func (s *Store) Lines(ctx context.Context, p RunPart, lease string) ([]RunLine, error) {
	doing := fmt.Sprintf("read part %s of the run of %s, %s", p.Part, p.Property, p.GamingDay)
	newest, err := s.leaseState(ctx, lease)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	result, err := s.conn.Query(ctx, "SELECT kind, line FROM "+s.name("run_lines")+`
WHERE property_id = {property:String} AND gaming_day = {day:Date32}
AND part = {part:String} AND generation = {generation:UInt64} ORDER BY no`,
		params("property", p.Property, "day", p.GamingDay, "part", p.Part, "generation", newest.generation)...)
	if err != nil {
		return nil, s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	var all []RunLine
	for result.Next() {
		var l RunLine
		if err := result.Scan(&l.Kind, &l.Line); err != nil {
			return nil, s.explain(doing, err)
		}
		all = append(all, l)
	}
	return all, s.explain(doing, result.Err())
}

// AddFindings stores the findings of a nightly run that the live audit lacks. Their version is 0: a row of the live
// audit replaces a row of the same key, never the reverse.
func (s *Store) AddFindings(ctx context.Context, run string, list []finding.Finding) error {
	t := s.table(rows.Find("findings"), 0)
	return s.insert(ctx, &t, rows.ViewOf(list), &pipeline.Range{Topic: "audit run " + run})
}

// AuditRun is one nightly run. Runs of the same events, rules and findings have the same ID.
type AuditRun struct {
	Property, GamingDay, Shift, ID string
	Started, Ended                 time.Time
	Tables, Shoes, Rounds          uint32
	Events                         uint64
	// Findings counts the findings of the replay, of the comparison of tables and of the reconciliation. The other counts
	// are differences between the replay and the live audit.
	Findings, Missing, Extra, Changed uint32
	Gaps, OpenShoes                   uint32
	DeadLetters                       uint64
	// Digests in hex: of the events, of the findings of the run, and of the findings of the live audit.
	EventsSHA256, FindingsSHA256, LiveSHA256 string
	Rulebooks                                []string
	Engine                                   string
	// Supersedes is the previous run of the day and shift if its result differs.
	Supersedes string
}

// LastRun returns the newest run of a gaming day and shift, or false without one.
func (s *Store) LastRun(ctx context.Context, property, day, shift string) (AuditRun, bool, error) {
	const doing = "read the last run"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	r := AuditRun{Property: property, GamingDay: day, Shift: shift}
	result, err := s.conn.Query(ctx, `SELECT run_id, started_at, ended_at, tables, shoes, rounds, events, findings,
missing, extra, changed, gaps, open_shoes,
dead_letters, events_sha256, findings_sha256, live_sha256, rulebooks, engine, supersedes
FROM `+s.name("audit_runs")+` FINAL
WHERE property_id = {property:String} AND gaming_day = {day:Date32} AND shift = {shift:String}
ORDER BY version DESC, run_id LIMIT 1`,
		params("property", property, "day", day, "shift", shift)...)
	if err != nil {
		return r, false, s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	if !result.Next() {
		return r, false, s.explain(doing, result.Err())
	}
	err = result.Scan(&r.ID, &r.Started, &r.Ended, &r.Tables, &r.Shoes, &r.Rounds, &r.Events, &r.Findings, &r.Missing,
		&r.Extra, &r.Changed, &r.Gaps,
		&r.OpenShoes, &r.DeadLetters, &r.EventsSHA256, &r.FindingsSHA256, &r.LiveSHA256, &r.Rulebooks, &r.Engine,
		&r.Supersedes)
	return r, err == nil, s.explain(doing, err)
}

// WriteRun stores a run. Of runs with the same ID the last to end stays.
func (s *Store) WriteRun(ctx context.Context, r *AuditRun) error {
	const doing = "write the run"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.InsertTimeout)
	defer cancel()
	version := uint64(r.Ended.UnixMilli())
	ctx = ch.Context(ctx, ch.WithSettings(s.settings(fmt.Sprintf("run:%s:%d", r.ID, version))))
	batch, err := s.conn.PrepareBatch(ctx, "INSERT INTO "+s.name("audit_runs")+` (property_id, gaming_day, shift,
run_id, started_at, ended_at, state, tables,
shoes, rounds, events, findings, missing, extra, changed, gaps, open_shoes, dead_letters, events_sha256,
findings_sha256, live_sha256, rulebooks, engine,
supersedes, version)`)
	if err != nil {
		return s.explain(doing, err)
	}
	defer func() { _ = batch.Abort() }()
	err = batch.Append(r.Property, dayOf(r.GamingDay), r.Shift, r.ID, r.Started, r.Ended, "done", r.Tables, r.Shoes,
		r.Rounds, r.Events, r.Findings,
		r.Missing, r.Extra, r.Changed, r.Gaps, r.OpenShoes, r.DeadLetters, r.EventsSHA256, r.FindingsSHA256, r.LiveSHA256,
		r.Rulebooks, r.Engine,
		r.Supersedes, version)
	if err != nil {
		return s.explain(doing, err)
	}
	return s.explain(doing, batch.Send())
}

// Covered is the coverage of one partition between the first and the last offset of a property's events, with its dead
// letters.
type Covered struct {
	Topic       string // empty if the journal has no row of the partition
	Partition   int32
	At          int64 // of the last event
	Holes       []Span
	DeadLetters uint64
	// FirstDeadLetter and LastDeadLetter are offsets, 0 without dead letters.
	FirstDeadLetter, LastDeadLetter int64
}

// DayCoverage checks the journal over the offsets of a property's events from one time to before another.
func (s *Store) DayCoverage(ctx context.Context, property string, from, until int64) ([]Covered, error) {
	type spanned struct {
		Partition   int32
		First, Last int64
		At          int64
	}
	const doing = "read the journal"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	var spans []spanned
	err := s.conn.Select(ctx, &spans, `SELECT partition AS Partition, min(offset) AS First, max(offset) AS Last,
toUnixTimestamp64Nano(max(at)) AS At
FROM `+s.name("events")+` WHERE property_id = {property:String} AND at >= fromUnixTimestamp64Nano({from:Int64})
AND at < fromUnixTimestamp64Nano({until:Int64})
GROUP BY partition ORDER BY partition`, params("property", property, "from", from, "until", until)...)
	if err != nil {
		return nil, s.explain(doing, err)
	}
	var all []Covered
	for _, p := range spans {
		covered, err := s.SpanCoverage(ctx, p.Partition, p.First, p.Last)
		if err != nil {
			return nil, err
		}
		for i := range covered {
			covered[i].At = p.At
		}
		all = append(all, covered...)
	}
	return all, nil
}

// SpanCoverage checks the journal over offsets of one partition, inclusive, by topic.
func (s *Store) SpanCoverage(ctx context.Context, partition int32, first, last int64) ([]Covered, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	args := params("partition", partition, "first", first, "last", last)
	covered, err := s.covered(ctx, Covered{Partition: partition}, first, last, args)
	if err != nil {
		return nil, s.explain("read the journal", err)
	}
	for i := range covered {
		c := &covered[i]
		err := s.conn.QueryRow(ctx, "SELECT count(), min(offset), max(offset) FROM "+s.name("dead_letters")+` FINAL
WHERE topic = {topic:String} AND partition = {partition:Int32} AND offset BETWEEN {first:Int64} AND {last:Int64}`,
			append(args, params("topic", c.Topic)...)...).Scan(&c.DeadLetters, &c.FirstDeadLetter, &c.LastDeadLetter)
		if err != nil {
			return nil, s.explain("read the dead letters", err)
		}
	}
	return covered, nil
}

// covered finds the holes in one partition, by topic.
func (s *Store) covered(ctx context.Context, c Covered, first, last int64, args []any) ([]Covered, error) {
	result, err := s.conn.Query(ctx, "SELECT topic, from_offset, to_offset FROM "+s.name("journal")+`
WHERE partition = {partition:Int32}
AND to_offset >= {first:Int64} AND from_offset <= {last:Int64} ORDER BY topic, from_offset, to_offset`, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = result.Close() }()
	var all []Covered
	next := first // the first offset that no range covers yet
	end := func() {
		if next <= last {
			c.Holes = append(c.Holes, Span{next, last})
		}
		all = append(all, c)
		c.Holes, next = nil, first
	}
	for result.Next() {
		var topic string
		var from, to int64
		if err := result.Scan(&topic, &from, &to); err != nil {
			return nil, err
		}
		if c.Topic != "" && topic != c.Topic {
			end()
		}
		c.Topic = topic
		if from > next {
			c.Holes = append(c.Holes, Span{next, from - 1})
		}
		next = max(next, to+1)
	}
	end()
	return all, result.Err()
}

// Configs returns the configurations of a property's tables that were recorded before a time.
func (s *Store) Configs(ctx context.Context, property string, before int64) ([]rows.Config, error) {
	const doing = "read the configurations"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	of := newReader[rows.Config](rows.Find("table_configs"))
	result, err := s.conn.Query(ctx, "SELECT "+of.columns+" FROM "+s.name("table_configs")+` FINAL
WHERE property_id = {property:String} AND at < fromUnixTimestamp64Nano({before:Int64})
  AND effective_at < fromUnixTimestamp64Nano({before:Int64}) ORDER BY table_id, at, seq`,
		params("property", property, "before", before)...)
	if err != nil {
		return nil, s.explain(doing, err)
	}
	all, err := of.all(result)
	return all, s.explain(doing, err)
}
