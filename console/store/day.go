package store

import (
	"context"
	"time"

	"github.com/shoeproof/shoeproof/finding"
)

// TableDay counts the rounds of a table on a gaming day.
type TableDay struct {
	Table   string `ch:"table_id"`
	Rounds  uint64 `ch:"rounds"`
	Gaps    uint64 `ch:"gaps"`    // rounds without their configuration or all events
	Missing uint64 `ch:"missing"` // shoes with missing events, or whose beginning was not recorded
}

// DayQuery is a gaming day of a property; Since and Until are its bounds.
type DayQuery struct {
	Property, Day string
	Since, Until  time.Time
}

// where selects the rows of a gaming day. The margin allows for rows whose shoe began before.
func (q *DayQuery) where(scope Scope) *where {
	const margin = 12 * time.Hour
	return in(scope).and("property_id = {property_id:String} AND gaming_day = toDate32({day:String})", "property_id",
		q.Property, "day", q.Day).since("at", q.Since.Add(-margin)).before("at", q.Until.Add(margin))
}

// TablesOf counts the rounds of a gaming day by table.
func (s *Store) TablesOf(ctx context.Context, scope Scope, q DayQuery) ([]TableDay, error) {
	w := q.where(scope)
	return read[TableDay](ctx, s, "the rounds of a day", `SELECT r.table_id AS table_id, r.rounds AS rounds,
		r.gaps AS gaps, s.missing AS missing
	FROM (SELECT table_id, count() AS rounds, countIf(NOT auditable) AS gaps
		FROM (SELECT table_id, shoe_id, round, auditable FROM {{rounds}} WHERE `+w.String()+`
			ORDER BY version DESC LIMIT 1 BY table_id, shoe_id, round) GROUP BY table_id) AS r
	LEFT JOIN (SELECT table_id, countIf(missing OR joined) AS missing FROM {{shoes}} FINAL WHERE `+w.String()+`
		GROUP BY table_id) AS s ON r.table_id = s.table_id
	ORDER BY table_id LIMIT 5000`, w)
}

// Unjudged returns what could not be audited on a gaming day, by sensor.
func (s *Store) Unjudged(ctx context.Context, scope Scope, q DayQuery) ([]finding.Unjudged, error) {
	type row struct {
		Observed string `ch:"observed"`
		Rule     string `ch:"rule"`
		Table    string `ch:"table_id"`
		N        uint64 `ch:"n"`
	}
	w := q.where(scope)
	rows, err := read[row](ctx, s, "what could not be audited", `SELECT observed, rule, table_id, count() AS n
	FROM {{findings}} FINAL WHERE verdict = 'UNAUDITABLE' AND `+w.String()+current+`
	GROUP BY observed, rule, table_id ORDER BY table_id, rule, observed LIMIT 20000`, w)
	return finding.NotAuditable(func(yield func(*finding.Finding) bool) {
		for _, r := range rows {
			f := finding.Finding{Verdict: finding.Unauditable, Observed: r.Observed, Rule: r.Rule, TableID: r.Table}
			for range r.N {
				if !yield(&f) {
					return
				}
			}
		}
	}), err
}

// DayOutcome counts the findings of a gaming day with one state and, of closed ones, one disposition.
type DayOutcome struct {
	Severity    string `ch:"severity"`
	State       string `ch:"state"`
	Disposition string `ch:"disposition"`
	Findings    uint64 `ch:"findings"`
}

// Outcomes returns what became of the findings of a gaming day, without severity info.
func (s *Store) Outcomes(ctx context.Context, scope Scope, q DayQuery) ([]DayOutcome, error) {
	w := q.where(scope)
	return read[DayOutcome](ctx, s, "what became of findings", `SELECT f.severity AS severity,
		if(a.state = '', 'new', a.state) AS state, if(a.state = 'closed', a.disposition, '') AS disposition,
		count() AS findings
	FROM (SELECT id, severity FROM {{findings}} FINAL WHERE severity != 'info' AND `+w.String()+current+`) AS f
	LEFT JOIN (SELECT finding_id, argMaxIf(to_state, b.at, action != 'note') AS state,
			argMaxIf(disposition, b.at, action != 'note') AS disposition
		FROM {{finding_actions}} AS b WHERE property_id = {property_id:String}
			AND b.at >= fromUnixTimestamp64Nano({since:Int64}) GROUP BY finding_id) AS a ON f.id = a.finding_id
	GROUP BY severity, state, disposition ORDER BY disposition, state, severity LIMIT 1000`, w)
}
