package clickhouse

import (
	"context"
	"fmt"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// Withdrawal is a row about a finding that a nightly run withdrew or restored.
type Withdrawal = rows.Withdrawal

// The actions of a Withdrawal.
const (
	Withdraw = rows.Withdraw
	Restore  = rows.Restore
)

// Withdrawals returns the last row of each finding of a property that was ever withdrawn, by finding.
func (s *Store) Withdrawals(ctx context.Context, property string) (map[string]Withdrawal, error) {
	all := map[string]Withdrawal{}
	err := s.eachWithdrawal(ctx, property, "DESC LIMIT 1 BY finding_id", func(w *Withdrawal) { all[w.Finding] = *w })
	return all, err
}

func (s *Store) eachWithdrawal(ctx context.Context, property, tail string, each func(*Withdrawal)) error {
	all, err := readRows[Withdrawal](ctx, s, "withdrawals",
		" WHERE property_id = {property:String} ORDER BY finding_id, at "+tail, params("property", property))
	for i := range all {
		each(&all[i])
	}
	return s.explain("read the withdrawals", err)
}

// WriteWithdrawals stores rows of one run, whose entries the console log has, and then gives each finding of the
// property that has such a row its state in the queue: withdrawn, or the state that the last action of triage left; one
// that was closed is reopened. A finding that a run replaced has its present content there; its row of another urgency
// leaves the queue. A call that was interrupted is completed by the next.
func (s *Store) WriteWithdrawals(ctx context.Context, property string, list []Withdrawal) error {
	const doing = "write the withdrawals"
	if len(list) > 0 {
		token := fmt.Sprintf("withdrawals:%s:%d", list[0].Run, list[0].At)
		if err := put(ctx, s, "withdrawals", token, list...); err != nil {
			return s.explain(doing, err)
		}
	}
	const of = " WHERE property_id = {property:String} "
	ruled := of + "AND id GLOBAL IN (SELECT finding_id FROM " + s.name("withdrawals") + of + ") "
	err := s.conn.Exec(ctx, "INSERT INTO "+s.name("open_findings")+` WITH f.urgency != o.urgency OR f.at != o.at AS moved,
w.action = 'withdraw' OR NOT f.stands OR moved AS gone
SELECT o.* REPLACE (multiIf(gone, 'withdrawn', a.state = '', 'new', a.state IN ('closing', 'closed'), 'reopened',
a.state) AS state, w.version - (f.stands AND moved) AS version, toUInt8(gone) AS is_deleted,
now64(3) AS changed_at, n.owner AS owner, f.kind AS kind,
f.verdict AS verdict, f.basis AS basis, f.severity AS severity, f.dealer_id AS dealer_id, f.expected AS expected,
f.observed AS observed, f.amount AS amount, f.currency AS currency, f.fingerprint AS fingerprint)
FROM (SELECT * FROM `+s.name("open_findings")+ruled+NewestFirst+` LIMIT 1 BY id, urgency, at) AS o
GLOBAL INNER JOIN (SELECT x.id AS id, max(x.version) AS version, argMax(x.owner, x.version) AS owner FROM `+
		s.name("open_findings")+" AS x"+ruled+`GROUP BY x.id) AS n ON o.id = n.id
GLOBAL INNER JOIN (SELECT *, verdict != 'INFO' AS stands, `+urgencyOf+` AS urgency, `+fingerprintOf+`
AS fingerprint FROM `+s.name("findings")+" FINAL "+ruled+
		`ORDER BY version DESC, at DESC LIMIT 1 BY id) AS f ON o.id = f.id
GLOBAL INNER JOIN (SELECT x.finding_id AS id, argMax(toString(x.action), x.at) AS action,
toUInt64(toUnixTimestamp64Nano(max(x.at))) AS version FROM `+s.name("withdrawals")+" AS x"+of+
		`GROUP BY x.finding_id) AS w ON o.id = w.id
GLOBAL LEFT JOIN (SELECT y.finding_id AS id, argMax(toString(y.to_state), (y.at, y.action != 'note')) AS state FROM `+
		s.name("finding_actions")+" AS y"+of+`GROUP BY y.finding_id) AS a ON o.id = a.id
WHERE n.version < w.version`, params("property", property)...)
	return s.explain("put the withdrawals into the queue", err)
}

// current is the condition that a finding is not withdrawn. A row of another property withdraws nothing: the proof of
// this one does not read it.
func (s *Store) current() string {
	return "(property_id, id) GLOBAL NOT IN (SELECT property_id, finding_id FROM " + s.name("withdrawals") +
		" GROUP BY property_id, finding_id HAVING argMax(action, at) = 'withdraw')"
}

// ArrivedLate reports whether an event of a table with a seq of a range, both ends included, is in the archive behind
// an event with a higher seq.
func (s *Store) ArrivedLate(ctx context.Context, property, table string, from, to uint64) (late bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	err = s.conn.QueryRow(ctx, `SELECT countIf(seq <= {to:UInt64} AND offset > least) > 0 FROM (
SELECT seq, offset, minIf(offset, seq > {to:UInt64}) OVER (PARTITION BY partition) AS least FROM `+s.name("events")+`
WHERE property_id = {property:String} AND table_id = {table:String} AND seq >= {from:UInt64}
AND seq <= {to:UInt64} + 4096)`,
		params("property", property, "table", table, "from", from, "to", to)...).Scan(&late)
	return late, s.explain("read the order of arrival of table "+table, err)
}
