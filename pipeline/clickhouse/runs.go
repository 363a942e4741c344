package clickhouse

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// RunPart is the part of a nightly run that one worker writes.
type RunPart struct {
	Property, GamingDay string
	Part                string // shift, and i/n of the workers
	Generation          uint64 // of its lease
}

// RunLine is one line of a part: its kind and its JSON.
type RunLine struct {
	Kind string `column:"kind,word"`
	Line string `column:"line"`
}

// runLine is the row of a line.
type runLine struct {
	Property   string `column:"property_id,word,key"`
	GamingDay  string `column:"gaming_day,day,key"`
	Part       string `column:"part,word,key"`
	Generation uint64 `column:"generation,key"`
	No         uint32 `column:"no,key"`
	Kind       string `column:"kind,word"`
	Line       string `column:"line"`
}

// WriteLines stores lines of a part; no is the number of the first line.
func (s *Store) WriteLines(ctx context.Context, p RunPart, no int, lines []RunLine) error {
	all := make([]runLine, len(lines))
	for i, l := range lines {
		all[i] = runLine{p.Property, p.GamingDay, p.Part, p.Generation, uint32(no + i), l.Kind, l.Line}
	}
	token := fmt.Sprintf("run:%s:%s:%s:%d:%d", p.Property, p.GamingDay, p.Part, p.Generation, no)
	return s.explain(fmt.Sprintf("write part %s of the run of %s, %s", p.Part, p.Property, p.GamingDay),
		put(ctx, s, "run_lines", token, all...))
}

// Lines returns the lines of the newest generation of a part, in order. A running worker may have a newer generation
// than its lines.
func (s *Store) Lines(ctx context.Context, p RunPart, lease string) ([]RunLine, error) {
	newest, err := s.leaseState(ctx, lease)
	if err != nil {
		return nil, err
	}
	all, err := readRows[RunLine](ctx, s, "run_lines", `
WHERE property_id = {property:String} AND gaming_day = {day:Date32}
AND part = {part:String} AND generation = {generation:UInt64} ORDER BY no`,
		params("property", p.Property, "day", p.GamingDay, "part", p.Part, "generation", newest.generation))
	return all, s.explain(fmt.Sprintf("read part %s of the run of %s, %s", p.Part, p.Property, p.GamingDay), err)
}

// AddFindings stores the findings of a nightly run that the live audit lacks. Their version is 0: a row of the live
// audit replaces a row of the same key, never the reverse.
func (s *Store) AddFindings(ctx context.Context, run string, list []finding.Finding) error {
	t := s.table(rows.Find("findings"), 0)
	return s.insertAll(ctx, &t, rows.ViewOf(list), "audit run "+run)
}

// AddWatched stores findings of a watch. Anomalies are of the live audit: a nightly run compares them with its own. The
// others compare tables, and a nightly run makes them again, as findings that the live audit lacks.
func (s *Store) AddWatched(ctx context.Context, token string, list []finding.Finding) error {
	var live, others []finding.Finding
	for i := range list {
		if list[i].Kind == finding.Anomaly {
			live = append(live, list[i])
		} else {
			others = append(others, list[i])
		}
	}
	t := s.table(rows.Find("findings"), s.cfg.RowVersion)
	if err := s.insertAll(ctx, &t, rows.ViewOf(live), "audit watch "+token); err != nil {
		return err
	}
	return s.AddFindings(ctx, "watch "+token, others)
}

// replacing is the version of findings with which a nightly run replaces live ones, of whatever release.
const replacing = 1 << 31

// ReplaceFindings stores findings of a nightly run in place of live ones with the same id and time. A run
// that is repeated at another moment stores them again, in place of what was stored since.
func (s *Store) ReplaceFindings(ctx context.Context, run string, at time.Time, list []finding.Finding) error {
	t := s.table(rows.Find("findings"), replacing)
	return s.insertAll(ctx, &t, rows.ViewOf(list), fmt.Sprintf("audit run %s at %d replaces", run, at.UnixNano()))
}

// AuditRun is one nightly run. Runs of the same events, rules and findings have the same ID.
type AuditRun struct {
	Property  string    `column:"property_id,word,key"`
	GamingDay string    `column:"gaming_day,day,key"`
	ID        string    `column:"run_id,key"`
	Shift     string    `column:"shift,word"`
	Started   time.Time `column:"started_at,milli"`
	Ended     time.Time `column:"ended_at,milli"`
	State     string    `column:"state,word"` // WriteRun sets it
	Tables    uint32    `column:"tables"`
	Shoes     uint32    `column:"shoes"`
	Rounds    uint32    `column:"rounds"`
	Events    uint64    `column:"events"`
	// Findings counts the findings of the replay, of the comparison of tables and of the reconciliation. The other counts
	// are differences between the replay and the live audit.
	Findings    uint32 `column:"findings"`
	Missing     uint32 `column:"missing"`
	Extra       uint32 `column:"extra"`
	Changed     uint32 `column:"changed"`
	Late        uint32 `column:"late"` // of these differences, those that follow from events that arrived late
	Gaps        uint32 `column:"gaps"`
	OpenShoes   uint32 `column:"open_shoes"`
	DeadLetters uint64 `column:"dead_letters"`
	// Digests in hex: of the events, of the findings of the run, and of the findings of the live audit.
	EventsSHA256   string `column:"events_sha256"`
	FindingsSHA256 string `column:"findings_sha256"`
	LiveSHA256     string `column:"live_sha256"`
	// FactsSHA256 is the digest of the stored facts if the archive gives the same and no shoe is open, else empty.
	FactsSHA256 string   `column:"facts_sha256"`
	Rulebooks   []string `column:"rulebooks,word"`
	Engine      string   `column:"engine,word"`
	// Supersedes is the previous run of the day and shift if its result differs.
	Supersedes string `column:"supersedes"`
	Version    uint64 `column:"version"` // WriteRun sets it
	// Found is the FoundSum that the run left behind, as the console log has it; LastRun sets it. Earlier releases have
	// none.
	Found string `column:"-" json:"-"`
}

// LastRun returns the newest run of a gaming day and shift, or false without one. A row that the console log does not
// have is no run.
func (s *Store) LastRun(ctx context.Context, property, day, shift string) (AuditRun, bool, error) {
	runs, err := s.runs(ctx, "property_id = {property:String} AND gaming_day = {day:Date32} AND shift = {shift:String}",
		params("property", property, "day", day, "shift", shift))
	if err != nil || len(runs) == 0 {
		return AuditRun{}, false, err
	}
	log, err := s.runLog(ctx, property)
	if err != nil {
		return AuditRun{}, false, err
	}
	for _, r := range runs {
		if found, logged := log.sums[r.sum()]; logged {
			r.Found = found
			return r, true, nil
		}
	}
	return AuditRun{}, false, nil
}

// runs returns rows, the newest first.
func (s *Store) runs(ctx context.Context, where string, args []any) ([]AuditRun, error) {
	runs, err := selected[AuditRun](ctx, s, "audit_runs", where+" ORDER BY version DESC, run_id", args)
	return runs, s.explain("read the runs", err)
}

// WriteRun stores a run, whose LogText the console log has. Of runs with the same ID the last to end stays.
func (s *Store) WriteRun(ctx context.Context, r *AuditRun) error {
	row := r.done()
	token := fmt.Sprintf("run:%s:%d", r.ID, row.Version)
	return s.explain("write the run", put(ctx, s, "audit_runs", token, row))
}

// done is the row of a run that has ended.
func (r *AuditRun) done() AuditRun {
	row := *r
	row.State, row.Version = "done", uint64(r.Ended.UnixMilli())
	return row
}

// firstSince selects the first offset of each partition in ranges of the journal that were first written after a time.
// A restart writes the last range again.
func (s *Store) firstSince() string {
	return "SELECT partition, min(from_offset) AS first FROM (SELECT partition, from_offset FROM " + s.name("journal") +
		" GROUP BY topic, partition, from_offset, to_offset " +
		"HAVING min(written_at) > fromUnixTimestamp64Milli({since:Int64})) GROUP BY partition"
}

// ArrivedSince counts the events of a property, from one time to before another, that were stored after a moment: their
// offsets are in ranges of the journal that were first written later.
func (s *Store) ArrivedSince(ctx context.Context, property string, from, until int64, since time.Time) (late uint64,
	err error,
) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	// The last flush before migration 42 may be stored twice, with two copies.
	err = s.conn.QueryRow(ctx, "SELECT uniqExact(e.table_id, e.seq, e.event_id, e.sha256) FROM "+s.name("events")+` AS e
GLOBAL INNER JOIN (`+s.firstSince()+`) AS j ON e.partition = j.partition
WHERE e.property_id = {property:String} AND e.at >= fromUnixTimestamp64Nano({from:Int64})
AND e.at < fromUnixTimestamp64Nano({until:Int64}) AND e.offset >= j.first`,
		params("property", property, "from", from, "until", until, "since", since.UnixMilli())...).Scan(&late)
	return late, s.explain("count the events that arrived late", err)
}

// Late are events of a table that arrived behind events with a higher seq: their number, the lowest and highest seq.
type Late struct {
	Table    string `ch:"name"`
	Events   uint64 `ch:"n"`
	From, To uint64
}

// String names the events.
func (a *Late) String() string {
	switch {
	case a.From == a.To:
		return fmt.Sprintf("event %d of table %s", a.From, a.Table)
	case a.Events == a.To-a.From+1:
		return fmt.Sprintf("events %d to %d of table %s", a.From, a.To, a.Table)
	}
	return fmt.Sprintf("%d events of table %s between %d and %d", a.Events, a.Table, a.From, a.To)
}

// LateSince returns the events of a property, from one time to before another, that arrived out of order and were
// stored after a moment, by table.
func (s *Store) LateSince(ctx context.Context, property string, from, until int64, since time.Time) ([]Late, error) {
	return list[Late](ctx, s, "read the events that arrived late", `SELECT name, uniqExact(seq) AS n,
min(seq) AS `+"`From`, max(seq) AS `To`"+` FROM (
    SELECT toString(e.table_id) AS name, e.seq AS seq, e.offset AS offset, j.first AS first, min(toNullable(e.offset))
        OVER (PARTITION BY e.table_id, e.partition ORDER BY e.seq ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
        AS behind
    FROM `+s.name("events")+` AS e
    GLOBAL INNER JOIN (`+s.firstSince()+`) AS j ON e.partition = j.partition
    WHERE e.property_id = {property:String} AND e.at >= fromUnixTimestamp64Nano({from:Int64})
    AND e.at < fromUnixTimestamp64Nano({until:Int64})
) WHERE offset >= first AND offset > behind GROUP BY name ORDER BY name`,
		params("property", property, "from", from, "until", until, "since", since.UnixMilli())...)
}

// Covered is the coverage of one partition between the first and the last offset of a property's events, with its dead
// letters. Those that repeat an archived event do not count.
type Covered struct {
	Topic       string // empty if the journal has no row of the partition
	Partition   int32
	At          int64 // of the last event
	Holes       []Span
	DeadLetters uint64
	// FirstDeadLetter and LastDeadLetter are offsets, 0 without dead letters.
	FirstDeadLetter, LastDeadLetter int64
}

// Offsets are the part of one partition that belongs to a window of time: the events of a property in it, from First to
// Last, and what may be of its time, from From to To. At is the time of the newest of the events. Without an event,
// First is behind Last, and At is the end of the window.
type Offsets struct {
	Day         uint64 // the beginning of the window, ns UTC
	Partition   int32
	First, Last int64
	From, To    int64
	At          int64
}

// besideDays is how far from the windows DayOffsets looks for the events beside them.
const besideDays = 48 * int64(time.Hour)

// DayOffsets returns the Offsets of windows of time, each from one bound to before the next, by partition. From is
// behind the last event of the property before a window, To before its first event after it: a record between two
// windows that cannot be read has no time, and belongs to both. Events more than 48 hours beside the windows are
// not looked for. Without a later event, To is the end of the journal. One query reads the windows.
func (s *Store) DayOffsets(ctx context.Context, property string, bounds []int64) ([][]Offsets, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	until := bounds[len(bounds)-1] + besideDays
	bounds = slices.Concat([]int64{max(bounds[0]-besideDays, 0)}, bounds, []int64{until})
	from := startsOf(bounds)
	all, err := list[Offsets](ctx, s, "read the offsets of the events", `SELECT
roundDown(toUInt64(toUnixTimestamp64Nano(at)), {days:Array(UInt64)}) AS Day, partition AS Partition,
min(offset) AS First, max(offset) AS Last, First AS From, Last AS To, toUnixTimestamp64Nano(max(at)) AS At
FROM `+s.name("events")+` WHERE property_id = {property:String} AND at >= fromUnixTimestamp64Nano({from:Int64})
AND at < fromUnixTimestamp64Nano({until:Int64})
GROUP BY Day, Partition ORDER BY Partition, Day`,
		params("property", property, "from", bounds[0], "until", until, "days", from)...)
	if err != nil {
		return nil, err
	}
	ends, err := s.journalEnds(ctx, until)
	if err != nil {
		return nil, s.explain("read the end of the journal", err)
	}
	days := make([][]Offsets, len(from)-2)
	for len(all) > 0 {
		p := all[0].Partition
		n := slices.IndexFunc(all, func(o Offsets) bool { return o.Partition != p })
		if n < 0 {
			n = len(all)
		}
		for i := range days {
			if o, ok := widened(all[:n], bounds[i+1], bounds[i+2], ends[p]); ok {
				days[i] = append(days[i], o)
			}
		}
		all = all[n:]
	}
	return days, nil
}

// journalEnds returns the last offset of the journal by partition, of the flushes whose events were before a time.
func (s *Store) journalEnds(ctx context.Context, until int64) (map[int32]int64, error) {
	ends := map[int32]int64{}
	var partition int32
	var end int64
	err := s.scan(ctx, "SELECT partition, max(to_offset) FROM "+s.name("journal")+
		" WHERE clock < {until:Int64} GROUP BY partition", params("until", until),
		func() { ends[partition] = end }, &partition, &end)
	return ends, err
}

// widened returns the Offsets of a window, from the events of a partition by window and the last offset of its journal.
func widened(events []Offsets, from, until, end int64) (Offsets, bool) {
	own := Offsets{Day: uint64(from), Partition: events[0].Partition, Last: -1, From: math.MaxInt64, To: -1, At: until - 1}
	before, after := int64(-1), int64(math.MaxInt64)
	for _, e := range events {
		switch at := int64(e.Day); {
		case at == from:
			own = e
		case at < from:
			before = max(before, e.Last)
		default:
			after = min(after, e.First)
		}
	}
	if before >= 0 {
		own.From = min(own.From, before+1)
	}
	if after == math.MaxInt64 {
		after = end + 1
	}
	own.To = max(own.To, after-1)
	return own, own.From <= own.To
}

// startsOf are the beginnings of the windows between bounds.
func startsOf(bounds []int64) (from []uint64) {
	for _, at := range bounds[:len(bounds)-1] {
		from = append(from, uint64(at))
	}
	return from
}

// DayCoverage checks the journal over the offsets of a window.
func (s *Store) DayCoverage(ctx context.Context, day []Offsets) ([]Covered, error) {
	var all []Covered
	for _, p := range day {
		covered, err := s.SpanCoverage(ctx, p.Partition, p.From, p.To)
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
		err := s.conn.QueryRow(ctx, "SELECT count(), min(offset), max(offset)"+s.DeadLetters(),
			append(args, params("topic", c.Topic)...)...).Scan(&c.DeadLetters, &c.FirstDeadLetter, &c.LastDeadLetter)
		if err != nil {
			return nil, s.explain("read the dead letters", err)
		}
	}
	return covered, nil
}

// DeadLetters is FROM and WHERE of the dead letters of a topic and a partition at offsets from first to last, both
// inclusive; the four are parameters of the query. A forgotten event is left out if an archived event has its bytes: it
// repeats that.
func (s *Store) DeadLetters() string {
	const at = ` WHERE topic = {topic:String} AND partition = {partition:Int32}
AND offset BETWEEN {first:Int64} AND {last:Int64}`
	const forgotten = "endsWith(reason, '" + rows.Forgotten + "')"
	letters := " FROM " + s.name("dead_letters") + " FINAL" + at
	return letters + " AND NOT (" + forgotten + " AND SHA256(raw) GLOBAL IN (SELECT sha256 FROM " + s.name("events") + `
WHERE (table_id, seq) GLOBAL IN (SELECT extract(reason, '(?s)^table (.*) has passed event [0-9]+: '),
toUInt64OrZero(extract(reason, ' has passed event ([0-9]+): '))` + letters + " AND " + forgotten + ")))"
}

// covered finds the holes in one partition, by topic.
func (s *Store) covered(ctx context.Context, c Covered, first, last int64, args []any) ([]Covered, error) {
	var all []Covered
	next := first // the first offset that no range covers yet
	end := func() {
		if next <= last {
			c.Holes = append(c.Holes, Span{next, last})
		}
		all = append(all, c)
		c.Holes, next = nil, first
	}
	var topic string
	var from, to int64
	err := s.scan(ctx, "SELECT topic, from_offset, to_offset FROM "+s.name("journal")+`
WHERE partition = {partition:Int32}
AND to_offset >= {first:Int64} AND from_offset <= {last:Int64} ORDER BY topic, from_offset, to_offset`, args, func() {
		if c.Topic != "" && topic != c.Topic {
			end()
		}
		c.Topic = topic
		if from > next {
			c.Holes = append(c.Holes, Span{next, from - 1})
		}
		next = max(next, to+1)
	}, &topic, &from, &to)
	end()
	return all, err
}

// Configs returns the configurations of a property's tables that were in force from one time to before another, and
// were recorded before that. Of each table the last one from before the first time is in force at it.
func (s *Store) Configs(ctx context.Context, property string, from, before int64) ([]rows.Config, error) {
	const known = `property_id = {property:String} AND at < fromUnixTimestamp64Nano({before:Int64}) `
	all, err := selected[rows.Config](ctx, s, "table_configs", known+`
AND effective_at < fromUnixTimestamp64Nano({before:Int64})
AND (effective_at >= fromUnixTimestamp64Nano({from:Int64}) OR (table_id, effective_at) GLOBAL IN (
    SELECT table_id, max(effective_at) FROM `+s.name("table_configs")+` WHERE `+known+`
    AND effective_at < fromUnixTimestamp64Nano({from:Int64}) GROUP BY table_id))
ORDER BY table_id, at, seq, pit_id`, params("property", property, "from", from, "before", before))
	return all, s.explain("read the configurations", err)
}

// FirstRounds returns the first and the last round with wagers under each configuration of a property, of the rounds
// from one time to before another. Of a round only its table, its time and its wagers are read.
func (s *Store) FirstRounds(ctx context.Context, property string, from, before int64) (*rows.Rounds, error) {
	var all rows.Rounds
	var table string
	var at int64
	var wagers uint32
	err := s.scan(ctx, `SELECT r.table_id AS t,
    toUnixTimestamp64Nano(arrayJoin(arrayDistinct([min(r.at), max(r.at)]))) AS played, any(r.wagers) AS n
FROM (SELECT table_id, at, wagers FROM `+s.name("rounds")+` WHERE property_id = {property:String} AND wagers > 0
    AND at >= fromUnixTimestamp64Nano({from:Int64}) AND at < fromUnixTimestamp64Nano({before:Int64})) AS r
GLOBAL ASOF INNER JOIN (SELECT table_id, effective_at FROM `+s.name("table_configs")+` FINAL
    WHERE property_id = {property:String} AND effective_at < fromUnixTimestamp64Nano({before:Int64})) AS c
ON r.table_id = c.table_id AND r.at >= c.effective_at
GROUP BY r.table_id, c.effective_at ORDER BY t, played`,
		params("property", property, "from", from, "before", before), func() {
			all.PropertyID, all.TableID = append(all.PropertyID, property), append(all.TableID, table)
			all.At, all.Wagers = append(all.At, at), append(all.Wagers, wagers)
		}, &table, &at, &wagers)
	return &all, s.explain("read the first rounds of the configurations", err)
}

// Gaps returns the findings about missing events of a property after the first of some configurations, up to before a
// time.
func (s *Store) Gaps(ctx context.Context, property string, after []rows.Config, before int64) (
	[]finding.Finding, error,
) {
	from := before
	for i := range after {
		from = min(from, after[i].At)
	}
	return s.Findings(ctx, Filter{
		PropertyID: property, Rule: "feed.gap", From: schema.Time(from), Until: schema.Time(before),
	})
}
