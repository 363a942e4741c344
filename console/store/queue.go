package store

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Filter chooses findings of the queue. A zero field chooses all.
type Filter struct {
	Property, Pit, Table, Shoe, Dealer string
	Rule, Severity, Verdict, Kind      string
	State, Owner                       string // Owner "-" is nobody
	Day, Shift                         string
	Fingerprint                        string
	Text                               string
	// Shelved chooses what is shelved instead of what is not.
	Shelved bool
	// High is the amount, minor units, from which a finding is one step more urgent; 0 is never.
	High  int64
	Limit int
}

// Waiting is a finding of the queue.
type Waiting struct {
	PropertyID  string    `ch:"property_id"`
	Urgency     uint8     `ch:"urgency"` // 1 is the most urgent
	At          time.Time `ch:"at"`
	ID          string    `ch:"id"`
	State       string    `ch:"state"`
	Kind        string    `ch:"kind"`
	Verdict     string    `ch:"verdict"`
	Rule        string    `ch:"rule"`
	Severity    string    `ch:"severity"`
	PitID       string    `ch:"pit_id"`
	TableID     string    `ch:"table_id"`
	ShoeID      string    `ch:"shoe_id"`
	Round       uint32    `ch:"round"`
	Seat        uint32    `ch:"seat"`
	DealerID    string    `ch:"dealer_id"`
	GamingDay   time.Time `ch:"gaming_day"`
	Shift       string    `ch:"shift"`
	Expected    string    `ch:"expected"`
	Observed    string    `ch:"observed"`
	Amount      int64     `ch:"amount"`
	Currency    string    `ch:"currency"`
	Version     uint64    `ch:"version"`
	Deleted     uint8     `ch:"is_deleted"`
	Owner       string    `ch:"owner"`
	Fingerprint string    `ch:"fingerprint"`
	ArrivedAt   time.Time `ch:"arrived_at"` // by the server's clock
}

// Group is findings of one fingerprint: those of one state, so that a step fits all of them.
type Group struct {
	Waiting
	Count   uint64    `ch:"findings"`
	FirstAt time.Time `ch:"first_at"`
	LastAt  time.Time `ch:"last_at"`
	Total   int64     `ch:"total"`
	Until   time.Time `ch:"until"` // the latest arrival among them
}

// MostIDs is the most findings that one step of triage takes.
const MostIDs = 500

func columnsOf[T any]() []string {
	var names []string
	for f := range reflect.TypeFor[T]().Fields() {
		if tag := f.Tag.Get("ch"); tag != "" {
			names = append(names, tag)
		}
	}
	return names
}

// on says which findings a filter chooses of open_findings.
func (f *Filter) on(scope Scope, now time.Time) *where {
	w := in(scope)
	for _, e := range []struct{ column, value string }{
		{"property_id", f.Property},
		{"pit_id", f.Pit},
		{"table_id", f.Table},
		{"shoe_id", f.Shoe},
		{"dealer_id", f.Dealer},
		{"severity", f.Severity},
		{"verdict", f.Verdict},
		{"kind", f.Kind},
		{"state", f.State},
		{"shift", f.Shift},
		{"fingerprint", f.Fingerprint},
	} {
		w.equal(e.column, e.value)
	}
	if f.Rule != "" { // a rule, or a family of rules
		w.and("(rule = {rule:String} OR startsWith(rule, concat({rule:String}, '.')))", "rule", f.Rule)
	}
	switch f.Owner {
	case "":
	case "-":
		w.and("owner = ''")
	default:
		w.equal("owner", f.Owner)
	}
	if f.Day != "" {
		w.and("toString(gaming_day) = {gaming_day:String}", "gaming_day", f.Day)
	}
	if f.Text != "" {
		w.and(`(positionCaseInsensitiveUTF8(concat(rule, ' ', table_id, ' ', shoe_id, ' ', dealer_id, ' ', owner, ' ', expected, ' ', observed), {text:String}) > 0
			OR startsWith(id, {text:String}))`, "text", f.Text)
	}
	// The law's weightier breaches cannot be shelved.
	shelved := `(verdict = 'BREACH' AND severity IN ('critical', 'major')) = 0 AND (property_id, rule) IN (
		SELECT property_id, rule FROM {{shelves}} FINAL WHERE lifted_by = '' AND until > fromUnixTimestamp64Nano({now:Int64}))
		AND ((property_id, rule, table_id) IN (SELECT property_id, rule, table_id FROM {{shelves}} FINAL WHERE lifted_by = '' AND until > fromUnixTimestamp64Nano({now:Int64}))
		OR (property_id, rule) IN (SELECT property_id, rule FROM {{shelves}} FINAL WHERE lifted_by = '' AND table_id = '' AND until > fromUnixTimestamp64Nano({now:Int64})))`
	if !f.Shelved {
		shelved = "NOT (" + shelved + ")"
	}
	return w.and(shelved, "now", now.UnixNano())
}

// urgencyOf raises what is dear by a step.
func (f *Filter) urgencyOf(w *where) string {
	if f.High <= 0 {
		return "urgency"
	}
	w.with("high", f.High)
	return "toUInt8(if(abs(amount) >= {high:Int64} AND urgency > 1, urgency - 1, urgency))"
}

func (f *Filter) limit() string {
	n := f.Limit
	if n <= 0 || n > MostRows {
		n = 200
	}
	return fmt.Sprint(" LIMIT ", n)
}

// Groups is the queue, the most urgent first and the oldest of those.
func (s *Store) Groups(ctx context.Context, scope Scope, f Filter) ([]Group, error) {
	w := f.on(scope, s.now())
	urgency := f.urgencyOf(w)
	var lead []string // the columns of the most urgent, oldest finding
	for _, c := range columnsOf[Waiting]() {
		if c != "fingerprint" && c != "state" && c != "urgency" {
			lead = append(lead, fmt.Sprintf("argMin(o.%s, (o.u, o.at, o.id)) AS %s", c, c))
		}
	}
	return read[Group](ctx, s, "the queue", `SELECT o.fingerprint AS fingerprint, o.state AS state, min(o.u) AS urgency, `+strings.Join(lead, ", ")+`,
		count() AS findings, min(o.at) AS first_at, max(o.at) AS last_at, sum(o.amount) AS total, max(o.arrived_at) AS until
	FROM (SELECT *, `+urgency+` AS u FROM {{open_findings}} FINAL WHERE `+w.String()+`) AS o
	GROUP BY o.fingerprint, o.state ORDER BY urgency, first_at, fingerprint`+f.limit(), w)
}

// Members are the findings of a group that had arrived by a moment: what somebody saw who takes a step on the group.
func (s *Store) Members(ctx context.Context, scope Scope, fingerprint, state string, until time.Time) ([]string, error) {
	w := in(scope).and("fingerprint = {fingerprint:String} AND state = {state:String} AND arrived_at <= fromUnixTimestamp64Milli({until:Int64})",
		"fingerprint", fingerprint, "state", state, "until", until.UnixMilli())
	type row struct {
		ID string `ch:"id"`
	}
	rows, err := read[row](ctx, s, "a group", "SELECT id FROM {{open_findings}} FINAL WHERE "+w.String()+fmt.Sprint(" ORDER BY at, id LIMIT ", MostIDs), w)
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	return ids, err
}

// Open is the findings of the queue one by one, in the same order.
func (s *Store) Open(ctx context.Context, scope Scope, f Filter) ([]Waiting, error) {
	w := f.on(scope, s.now())
	urgency := f.urgencyOf(w)
	columns := strings.Join(columnsOf[Waiting](), ", ")
	return read[Waiting](ctx, s, "the queue", `SELECT `+strings.Replace(columns, "urgency", "u AS urgency", 1)+` FROM (
		SELECT *, `+urgency+` AS u FROM {{open_findings}} FINAL WHERE `+w.String()+`) ORDER BY u, at, id`+f.limit(), w)
}

// Totals is how much waits.
type Totals struct {
	Open     uint64 `ch:"open"`
	Critical uint64 `ch:"critical"`
	Major    uint64 `ch:"major"`
	Minor    uint64 `ch:"minor"`
	Info     uint64 `ch:"info"`
	Unowned  uint64 `ch:"unowned"`
	New      uint64 `ch:"fresh"`
	Closing  uint64 `ch:"closing"`
}

// Totals counts what a filter chooses.
func (s *Store) Totals(ctx context.Context, scope Scope, f Filter) (Totals, error) {
	w := f.on(scope, s.now())
	return one[Totals](ctx, s, "the queue's totals", `SELECT count() AS open, countIf(severity = 'critical') AS critical, countIf(severity = 'major') AS major,
		countIf(severity = 'minor') AS minor, countIf(severity NOT IN ('critical', 'major', 'minor')) AS info, countIf(owner = '') AS unowned,
		countIf(state = 'new') AS fresh, countIf(state = 'closing') AS closing FROM {{open_findings}} FINAL WHERE `+w.String(), w)
}
