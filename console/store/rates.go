package store

import (
	"context"
	"time"
)

// Slot counts the arrivals of ten minutes.
type Slot struct {
	At       time.Time `ch:"slot"`
	Alarms   uint64    `ch:"alarms"`
	Critical uint64    `ch:"critical"`
	Major    uint64    `ch:"major"`
}

// AlarmRate counts arrivals in the queue by ten minutes, by the clock of ClickHouse. A row changes when it arrives or
// later, so the index by time of change may exclude older rows.
func (s *Store) AlarmRate(ctx context.Context, scope Scope, since time.Time) ([]Slot, error) {
	w := in(scope).since("changed_at", since).and("severity != 'info'")
	return read[Slot](ctx, s, "the alarm rate", `SELECT toStartOfInterval(arrived, INTERVAL 10 MINUTE) AS slot,
		count() AS alarms, countIf(worst = 'critical') AS critical, countIf(worst = 'major') AS major
	FROM (SELECT o.id AS id, argMin(o.severity, o.urgency) AS worst, min(o.arrived_at) AS arrived FROM {{open_findings}} AS o
		WHERE `+w.String()+` GROUP BY o.id HAVING arrived >= fromUnixTimestamp64Nano({since:Int64}))
	GROUP BY slot ORDER BY slot LIMIT 1000`, w)
}

// ResponseTime is the time from arrival to the first action of triage for a severity, in seconds.
type ResponseTime struct {
	Severity string  `ch:"severity"`
	Findings uint64  `ch:"findings"`
	Median   float64 `ch:"median"`
	P95      float64 `ch:"p95"`
}

// ResponseTimes covers the findings that arrived and had their first action since a moment.
func (s *Store) ResponseTimes(ctx context.Context, scope Scope, since time.Time) ([]ResponseTime, error) {
	w := in(scope).with("since", since.UnixNano())
	const seconds = `greatest(0, dateDiff('millisecond', o.arrived, a.first_at)) / 1000`
	return read[ResponseTime](ctx, s, "response times", `SELECT o.severity AS severity, count() AS findings,
		quantile(0.5)(`+seconds+`) AS median, quantile(0.95)(`+seconds+`) AS p95
	FROM (SELECT finding_id, min(at) AS first_at FROM {{finding_actions}}
		WHERE at >= fromUnixTimestamp64Nano({since:Int64}) AND `+w.String()+` GROUP BY finding_id) AS a
	INNER JOIN (SELECT id, argMin(severity, urgency) AS severity, min(arrived_at) AS arrived FROM {{open_findings}}
		WHERE `+arrivedSince+` AND `+w.String()+` GROUP BY id) AS o ON o.id = a.finding_id
	GROUP BY severity ORDER BY severity LIMIT 10`, w)
}

// arrivedSince selects rows of the queue that arrived since {since}; the first condition uses the index.
const arrivedSince = `changed_at >= fromUnixTimestamp64Nano({since:Int64})
		AND arrived_at >= fromUnixTimestamp64Nano({since:Int64})`

// RuleCount counts the findings of a rule and the results of their triage.
type RuleCount struct {
	Rule      string `ch:"rule"`
	Found     uint64 `ch:"found"`
	Closed    uint64 `ch:"closed"`
	Unfounded uint64 `ch:"unfounded"` // closed as a fault of equipment, data or rule, or as no deviation
}

// NoisyRules returns the rules with the most findings since a moment.
func (s *Store) NoisyRules(ctx context.Context, scope Scope, since time.Time) ([]RuleCount, error) {
	w := in(scope).with("since", since.UnixNano())
	return read[RuleCount](ctx, s, "noisy rules", `SELECT o.rule AS rule, count() AS found,
		countIf(a.disposition != '') AS closed, countIf(a.disposition IN ('equipment-fault', 'data-fault',
			'rule-misconfiguration', 'benign-variance', 'duplicate')) AS unfounded
	FROM (SELECT id, any(rule) AS rule FROM {{open_findings}}
		WHERE `+arrivedSince+` AND `+w.String()+` GROUP BY id) AS o
	LEFT JOIN (SELECT finding_id, argMaxIf(if(to_state = 'closed', disposition, ''), at, action != 'note') AS disposition
		FROM {{finding_actions}} WHERE at >= fromUnixTimestamp64Nano({since:Int64}) AND `+w.String()+`
		GROUP BY finding_id) AS a
	ON o.id = a.finding_id GROUP BY rule ORDER BY found DESC, rule LIMIT 20`, w)
}
