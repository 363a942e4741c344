package clickhouse

import (
	"context"
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/finding"

	"github.com/shoeproof/shoeproof/schema"
)

// Played is the turnover of a table in a shift, minor units.
type Played struct {
	Day    string `ch:"day"`
	Shift  string `ch:"shift"`
	Table  string `ch:"table"`
	Rounds uint64 `ch:"n"`
	Staked int64  `ch:"staked"`
	Paid   int64  `ch:"paid"`
	Won    int64  `ch:"won"` // stakes that the house took
	Vig    int64  `ch:"vig"` // vigorish collected
}

// Risk is the exact expectation of the house for the stakes on a spot at a table under one configuration, in minor
// units, and the sum of the squared stakes.
type Risk struct {
	Table    string  `ch:"table"`
	Config   string  `ch:"config"`
	Spot     string  `ch:"spot"`
	Expected float64 `ch:"expected"`
	Squares  float64 `ch:"squares"`
}

// KeyTotal is the evidence of a day about one key: the logarithm of the product of its factors, and their number.
type KeyTotal struct {
	Detector string  `ch:"detector"`
	Key      string  `ch:"key"`
	LnE      float64 `ch:"ln"`
	Factors  uint64  `ch:"n"`
}

// KeyEvidence is the evidence of a day about one key, with the location of the largest factor.
type KeyEvidence struct {
	KeyTotal
	Table string `ch:"table"`
	Shoe  string `ch:"shoe"`
	Round uint32 `ch:"round"`
	Seq   uint64 `ch:"seq"`
	At    int64  `ch:"moment"`
}

// VigorishDue is the vigorish owed at a table in a shift, minor units. The collected vigorish is in the money events:
// one collection may be for several wagers.
type VigorishDue struct {
	Day    string `ch:"day"`
	Shift  string `ch:"shift"`
	Table  string `ch:"table"`
	Wagers uint64 `ch:"n"`
	Won    int64  `ch:"won"`
	Least  int64  `ch:"least"`
	Most   int64  `ch:"most"`
}

// Dealt is the number of auditable rounds of a dealer.
type Dealt struct {
	Dealer string `ch:"dealer"`
	Rounds uint64 `ch:"n"`
}

// TriageAction is one action of triage.
type TriageAction struct {
	Finding     string `ch:"finding"`
	At          int64  `ch:"moment"`
	Actor       string `ch:"actor"`
	Action      string `ch:"action"`
	State       string `ch:"state"`
	Disposition string `ch:"disposition"`
	Reason      string `ch:"reason"`
	Note        string `ch:"note"`
}

// Days are gaming days of a property, inclusive, and a shift if it is not empty.
type Days struct{ Property, From, To, Shift string }

func (d Days) where() (string, []any) {
	return "property_id = {property:String} AND gaming_day BETWEEN {from:Date32} AND {to:Date32} " +
			"AND (shift = {shift:String} OR {shift:String} = '')",
		params("property", d.Property, "from", d.From, "to", d.To, "shift", d.Shift)
}

// NearDays is a condition on the time of facts of the gaming days from one parameter to another. The gaming day is in
// no key: without the condition a query reads the facts of all days. A gaming day ends at most 60 h after its date
// began in UTC, and a shoe some hours later.
func NearDays(from, to string) string {
	return " AND at >= toDateTime64({" + from + ":Date32} - 3, 9, 'UTC') AND at < toDateTime64({" + to +
		":Date32} + 4, 9, 'UTC')"
}

func list[T any](ctx context.Context, s *Store, doing, query string, args ...any) ([]T, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	var all []T
	return all, s.explain(doing, s.conn.Select(ctx, &all, query, args...))
}

// scan reads each row of a query into the pointers and then calls each. It ends within the time of a read.
func (s *Store) scan(ctx context.Context, query string, args []any, each func(), into ...any) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	result, err := s.conn.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = result.Close() }()
	for result.Next() {
		if err := result.Scan(into...); err != nil {
			return err
		}
		each()
	}
	return result.Err()
}

// Played sums the rounds of each day, shift and table.
func (s *Store) Played(ctx context.Context, d Days) ([]Played, error) {
	where, args := d.where()
	return list[Played](ctx, s, "sum up the rounds", `SELECT toString(r.gaming_day) AS day, r.shift AS shift,
r.table_id AS table, count() AS n, sum(r.staked) AS staked,
sum(r.paid) AS paid, sum(r.collected) AS won, sum(r.vigorish) AS vig FROM `+s.name("rounds")+
		" AS r FINAL WHERE "+where+NearDays("from", "to")+" GROUP BY day, shift, table", args...)
}

// Risks sums the stakes of some days by table, configuration and spot. It sums whole numbers, the expected win in
// 2^-20 of a minor unit: a sum of floats depends on the order in which the server reads them.
func (s *Store) Risks(ctx context.Context, d Days) ([]Risk, error) {
	where, args := d.where()
	return list[Risk](ctx, s, "sum up the stakes", `SELECT w.table_id AS table, r.config_id AS config, w.spot AS spot,
-sum(toInt128(round(w.stake * w.ev * 1048576))) / 1048576 AS expected,
toFloat64(sum(toInt128(w.stake) * w.stake)) AS squares
FROM (SELECT * FROM `+s.name("wagers")+` FINAL WHERE property_id = {property:String}
AND gaming_day BETWEEN {from:Date32} - 1 AND {to:Date32}`+NearDays("from", "to")+`) AS w
INNER JOIN (SELECT * FROM `+s.name("rounds")+` FINAL WHERE `+where+NearDays("from", "to")+`) AS r
ON w.property_id = r.property_id AND w.table_id = r.table_id AND w.shoe_id = r.shoe_id AND w.round = r.round
GROUP BY table, config, spot ORDER BY table, config, spot`, args...)
}

// evidenceOfDay is the condition of the evidence of a day, with which the sorting key begins. Its time leaves out the
// other months. A row that ClearEvidence cleared is none.
func evidenceOfDay() string {
	return " AS e FINAL WHERE property_id = {property:String} AND gaming_day = {from:Date32}" +
		NearDays("from", "to") + " AND (e.ln_e != 0 OR e.start != 0) "
}

// KeyTotals returns the evidence of a day about each key, in no order.
func (s *Store) KeyTotals(ctx context.Context, property, day string) ([]KeyTotal, error) {
	return list[KeyTotal](ctx, s, "sum up the evidence", "SELECT detector, key, sum(ln_e) AS ln, count() AS n FROM "+
		s.name("evidence")+evidenceOfDay()+"GROUP BY detector, key",
		params("property", property, "from", day, "to", day)...)
}

// EvidenceByKey returns the evidence of some detectors about each key of some kinds, by detector and key. The sum is of
// sorted factors, so that it does not depend on the order in which the server reads them. Of several largest factors it
// names the last.
func (s *Store) EvidenceByKey(ctx context.Context, property, day string, of, kinds []string) ([]KeyEvidence, error) {
	return list[KeyEvidence](ctx, s, "sum up the evidence", `WITH max((ln_e, e.at, table_id, shoe_id, e.round, e.seq)) AS top
SELECT detector, key, arraySum(arraySort(groupArray(ln_e))) AS ln, count() AS n, top.3 AS table, top.4 AS shoe,
top.5 AS round, top.6 AS seq, toUnixTimestamp64Nano(top.2) AS moment FROM `+s.name("evidence")+
		evidenceOfDay()+`AND detector IN {detectors:Array(String)}
AND substring(key, 1, position(key, ':') - 1) IN {kinds:Array(String)} GROUP BY detector, key ORDER BY detector, key`,
		params("property", property, "from", day, "to", day, "detectors", of, "kinds", kinds)...)
}

// Account is a detector and a key, of which there is evidence.
type Account struct{ Detector, Key string }

// clearedAtOnce bounds the accounts of a statement.
const clearedAtOnce = 1000

// ClearEvidence makes the stored factors of a day about some accounts 1. What is stored after it counts.
func (s *Store) ClearEvidence(ctx context.Context, property, day string, accounts []Account) error {
	for some := range slices.Chunk(accounts, clearedAtOnce) {
		detectors, keys := make([]string, len(some)), make([]string, len(some))
		for i, a := range some {
			detectors[i], keys[i] = a.Detector, a.Key
		}
		// The server would drop a second statement that inserts the same rows.
		err := s.exec(ctx, "INSERT INTO "+s.name("evidence")+` (detector, key, at, property_id, table_id, shoe_id, round, seq,
gaming_day, ln_e, start, engine, version) SELECT detector, key, e.at, property_id, table_id, shoe_id, e.round, e.seq,
gaming_day, 0, 0, engine, version FROM `+s.name("evidence")+evidenceOfDay()+`AND (detector, key) IN
(SELECT arrayJoin(arrayZip({detectors:Array(String)}, {keys:Array(String)}))) SETTINGS insert_deduplicate = 0`,
			params("property", property, "from", day, "to", day, "detectors", detectors, "keys", keys)...)
		if err != nil {
			return s.explain("clear evidence of "+day, err)
		}
	}
	return nil
}

// CountFindings counts the findings of a property whose rule has a prefix, from a gaming day until before another one,
// without those that a run withdrew.
func (s *Store) CountFindings(ctx context.Context, property, prefix, from, before string) (int, error) {
	type count struct {
		N uint64 `ch:"n"`
	}
	all, err := list[count](ctx, s, "count findings", `SELECT uniqExact(id) AS n FROM `+s.name("findings")+
		` WHERE property_id = {property:String} AND startsWith(rule, {prefix:String})
AND gaming_day >= {from:Date32} AND gaming_day < {before:Date32} AND `+s.current(),
		params("property", property, "prefix", prefix, "from", from, "before", before)...)
	if err != nil {
		return 0, err
	}
	return int(all[0].N), nil
}

// VigorishDue sums the vigorish owed by day, shift and table of the round.
func (s *Store) VigorishDue(ctx context.Context, d Days) ([]VigorishDue, error) {
	where, args := d.where()
	return list[VigorishDue](ctx, s, "sum up the vigorish", `SELECT toString(r.gaming_day) AS day, r.shift AS shift,
v.table_id AS table, count() AS n,
sum(v.won) AS won, sum(v.least) AS least, sum(v.most) AS most
FROM (SELECT * FROM `+s.name("vigorish")+` FINAL WHERE property_id = {property:String}
AND gaming_day BETWEEN {from:Date32} - 1 AND {to:Date32}`+NearDays("from", "to")+`) AS v
INNER JOIN (SELECT * FROM `+s.name("rounds")+` FINAL WHERE `+where+NearDays("from", "to")+`) AS r
ON v.property_id = r.property_id AND v.table_id = r.table_id AND v.shoe_id = r.shoe_id AND v.round = r.round
GROUP BY day, shift, table`, args...)
}

// DealtBy counts the auditable rounds of each dealer.
func (s *Store) DealtBy(ctx context.Context, d Days) ([]Dealt, error) {
	where, args := d.where()
	return list[Dealt](ctx, s, "count the dealers' rounds",
		"SELECT dealer_id AS dealer, countIf(auditable) AS n FROM "+s.name("rounds")+" FINAL WHERE "+where+
			NearDays("from", "to")+" AND dealer_id != '' GROUP BY dealer ORDER BY dealer", args...)
}

// TriageActions returns the actions of triage on the findings of these days, in order.
func (s *Store) TriageActions(ctx context.Context, d Days) ([]TriageAction, error) {
	where, args := d.where()
	return list[TriageAction](ctx, s, "read the actions of triage", `SELECT finding_id AS finding,
toUnixTimestamp64Nano(at) AS moment, actor, action, to_state AS state, disposition, reason, note
FROM `+s.name("finding_actions")+" WHERE property_id = {property:String} AND finding_id IN (SELECT id FROM "+s.name("findings")+" WHERE "+where+") "+
		"ORDER BY at, finding_id, "+StepOrder, args...)
}

// FindingsOf returns the findings of these days, in the order of time and id.
func (s *Store) FindingsOf(ctx context.Context, d Days) ([]finding.Finding, error) {
	return s.Findings(ctx, Filter{PropertyID: d.Property, GamingDay: d.From, LastDay: d.To, Shift: d.Shift})
}

// MoneyEvents returns the events of trays, fills, credits, converted cash, and vigorish marked and collected, from one
// time to before another, by table and time.
func (s *Store) MoneyEvents(ctx context.Context, property string, from, until int64) ([]schema.Event, error) {
	const doing = "read the money events"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	result, err := s.conn.Query(ctx, "SELECT toInt8(format), raw FROM "+s.name("events")+` FINAL
WHERE property_id = {property:String}
AND at >= fromUnixTimestamp64Nano({from:Int64}) AND at < fromUnixTimestamp64Nano({until:Int64})
AND kind IN ('tray_counted', 'chips_filled', 'chips_credited', 'cash_converted', 'vigorish_marked',
'vigorish_collected') ORDER BY table_id, at, seq, event_id, sha256 LIMIT 1 BY table_id, seq, event_id, sha256`,
		params("property", property, "from", from, "until", until)...)
	if err != nil {
		return nil, s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	d := schema.NewDecoder()
	var all []schema.Event
	for result.Next() {
		var format int8
		var raw []byte
		if err := result.Scan(&format, &raw); err != nil {
			return nil, s.explain(doing, err)
		}
		var ev schema.Event
		if err := d.Decode(schema.Format(format), raw, &ev); err != nil {
			return nil, fmt.Errorf("%s: decode an archived event: %w", doing, err)
		}
		all = append(all, ev.Clone())
	}
	return all, s.explain(doing, result.Err())
}
