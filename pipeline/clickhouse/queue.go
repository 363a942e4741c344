package clickhouse

import (
	"context"
	"fmt"
	"slices"
)

// NewestFirst orders the rows of a finding in open_findings. Of two rows of one version the one with a basis counts,
// which a migration added, then the first: it has the time of arrival. Two that arrived at once differ in urgency or
// time.
const NewestFirst = "ORDER BY version DESC, empty(basis), arrived_at, urgency, at"

// ProveQueue compares each row of the queue of a property with the finding and with the actions of triage. It returns
// the differences, at most a thousand of a kind: a finding without a row, a row without a finding, a state or a version
// that no action gave, another severity or content, two rows of one version, and a critical finding that one action
// closed.
func (s *Store) ProveQueue(ctx context.Context, property string) (problems []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	// Findings older than the first that is stored were deleted when their retention ended.
	const of = " WHERE property_id = {property:String} "
	kept := " AND at >= (SELECT min(at) FROM " + s.name("findings") + of + ") "
	// Two live audits of one table may make a finding at two times: each has its row, with its urgency.
	const row = "tuple(toString(state), is_deleted, state = 'withdrawn' OR " + urgencyOf + " = urgency)"
	var q queued
	err = s.scan(ctx, `SELECT id, findings, queued, stepped, state, deleted, version, acted, linked,
arrayStringConcat(severities, ' or ') AS severity, has(severities, shown) AS right,
alone AND has(severities, 'critical') AS hasty, shown, twice FROM (
SELECT id, sum(f) AS findings, sum(q) AS queued, max(s_state) AS stepped,
max(q_state) AS state, max(q_deleted) AS deleted, max(q_version) AS version, max(s_at) AS acted, max(chained) AS linked,
arrayFlatten(groupArray(f_severities)) AS severities, max(q_severity) AS shown, max(q_twice) AS twice,
max(s_alone) > max(w_at) AS alone,
max(w_at) > acted AS ruled, ruled AND (max(w_gone) OR findings = 0) AS gone,
multiIf(gone, 'withdrawn', stepped = '', 'new', ruled AND stepped IN ('closing', 'closed'), 'reopened', stepped) AS due
FROM (
SELECT id, argMax(toString(verdict), (version, at)) != 'INFO' AS f, 0 AS q,
arraySort(groupUniqArray(toString(severity))) AS f_severities, '' AS q_state, 0 AS q_deleted,
toUInt64(0) AS q_version, '' AS q_severity, 0 AS q_twice, '' AS s_state, toInt64(0) AS s_at, 0 AS chained, toInt64(0) AS s_alone,
toInt64(0) AS w_at, 0 AS w_gone
FROM `+s.name("findings")+" FINAL"+of+fmt.Sprintf("AND (verdict != 'INFO' OR version >= %d)", replacing)+` GROUP BY id
UNION ALL
SELECT id, 0, 1, [], argMax(toString(state), version), argMax(is_deleted, version), max(version),
argMax(toString(severity), version), argMax(`+row+`, (version, cityHash64(`+row+`))) !=
argMax(`+row+`, (version, bitNot(cityHash64(`+row+`)))), '', 0, 0, 0, 0, 0
FROM `+s.name("open_findings")+of+kept+`GROUP BY id
UNION ALL
SELECT finding_id, 0, 0, [], '', 0, 0, '', 0, argMax(toString(to_state), (at, action != 'note')),
maxIf(toUnixTimestamp64Nano(at), action != 'note'), argMax(chain != '', at),
maxIf(toUnixTimestamp64Nano(at), action = 'close' AND to_state = 'closed' AND chain != ''), 0, 0
FROM `+s.name("finding_actions")+of+`GROUP BY finding_id
UNION ALL
SELECT finding_id, 0, 0, [], '', 0, 0, '', 0, '', 0, 0, 0, toUnixTimestamp64Nano(max(at)),
argMax(action, at) = 'withdraw'
FROM `+s.name("withdrawals")+of+`GROUP BY finding_id
) GROUP BY id
HAVING (findings > 0 OR queued > 0) AND (findings = 0 AND NOT ruled OR queued = 0 OR twice
OR NOT has(severities, shown) OR state != due OR deleted != (due IN ('closed', 'withdrawn'))
OR linked AND NOT ruled AND version != acted OR ruled AND version != max(w_at)
OR acted = 0 AND NOT ruled AND version != 0 OR alone AND has(severities, 'critical'))
) ORDER BY id LIMIT 1000`, params("property", property), func() {
		problems = append(problems, "finding "+q.id+": "+q.why())
	}, &q.id, &q.findings, &q.queued, &q.stepped, &q.state, &q.deleted, &q.version, &q.acted, &q.linked, &q.severity,
		&q.right, &q.hasty, &q.shown, &q.twice)
	if err != nil {
		return nil, s.explain("compare the queue with the actions of triage", err)
	}
	elsewhere, err := s.elsewhere(ctx, property)
	if err != nil {
		return nil, err
	}
	copied, err := s.copies(ctx, property)
	return slices.Concat(problems, elsewhere, copied), err
}

// elsewhere names the rows about findings of a property that have another property, at most a thousand. The id of a
// finding is of its property, so such a row is forged: what reads by id would count it.
func (s *Store) elsewhere(ctx context.Context, property string) (problems []string, err error) {
	of := func(what, table, id string) string {
		return "SELECT '" + what + "' AS what, toString(property_id) AS other, " + id + " AS finding FROM " + s.name(table) +
			" WHERE property_id != {property:String} AND " + id + " GLOBAL IN (SELECT id FROM " + s.name("findings") +
			" WHERE property_id = {property:String})"
	}
	var what, other, finding string
	err = s.scan(ctx, "SELECT DISTINCT what, other, finding FROM ("+
		of("a row of the queue", "open_findings", "id")+" UNION ALL "+
		of("an action of triage", "finding_actions", "finding_id")+" UNION ALL "+
		of("a withdrawal", "withdrawals", "finding_id")+") ORDER BY finding, what, other LIMIT 1000",
		params("property", property), func() {
			problems = append(problems, fmt.Sprintf("finding %s: %s has the property %q", finding, what, other))
		}, &what, &other, &finding)
	return problems, s.explain("read the rows of other properties", err)
}

// queued is a finding beside its row of the queue and its actions of triage.
type queued struct {
	id                        string
	findings, queued, version uint64
	stepped, state            string // of the last action, and in the queue
	severity, shown           string // of the finding, and in the queue
	acted                     int64  // time of the last action that is no note, ns UTC
	deleted, linked, twice    uint8
	right                     uint8 // the severity in the queue is one of the finding
	hasty                     uint8 // one action closed it, and it is critical
}

// why is how they differ.
func (q *queued) why() string {
	switch {
	case q.queued == 0:
		return "it is not in the queue"
	case q.findings == 0:
		return "the queue has it, and no audit found it"
	case q.right == 0:
		return fmt.Sprintf("severity %s, in the queue %s", q.severity, q.shown)
	case q.hasty > 0:
		return "one action closed it, and it is critical"
	case q.twice > 0:
		return "the queue has two rows of one version"
	case q.stepped == "":
		return fmt.Sprintf("in the queue %s, closed %v, and no action of triage led there", q.state, q.deleted > 0)
	}
	return fmt.Sprintf("in the queue %s, closed %v; the last action of triage left it %s, or another row was written "+
		"since",
		q.state, q.deleted > 0, q.stepped)
}
