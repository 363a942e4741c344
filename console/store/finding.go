package store

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// Finding is a finding with its state of triage.
type Finding struct {
	ID         string    `ch:"id"`
	Kind       string    `ch:"kind"`
	Verdict    string    `ch:"verdict"`
	Basis      string    `ch:"basis"`
	Rule       string    `ch:"rule"`
	Severity   string    `ch:"severity"`
	Citations  []string  `ch:"citations"`
	PropertyID string    `ch:"property_id"`
	PitID      string    `ch:"pit_id"`
	TableID    string    `ch:"table_id"`
	ShoeID     string    `ch:"shoe_id"`
	Round      uint32    `ch:"round"`
	Seat       uint32    `ch:"seat"`
	Subject    string    `ch:"subject"`
	DealerID   string    `ch:"dealer_id"`
	At         time.Time `ch:"at"`
	GamingDay  time.Time `ch:"gaming_day"`
	Shift      string    `ch:"shift"`
	Expected   string    `ch:"expected"`
	Observed   string    `ch:"observed"`
	Amount     int64     `ch:"amount"`
	Currency   string    `ch:"currency"`
	Seqs       []uint64  `ch:"seqs"`
	EventIDs   []string  `ch:"event_ids"`
	Rulebook   string    `ch:"rulebook"`
	Engine     string    `ch:"engine"`
	// LnE is the evidence of an anomaly as its natural logarithm, Threshold what it had to reach, and Odds its meaning in
	// words. They are empty for other findings.
	LnE       float64 `ch:"ln_e"`
	Threshold float64 `ch:"threshold"`
	Odds      string  `ch:"odds"`
	// State is empty for a finding of severity info, which never enters the queue.
	State       string `ch:"state"`
	Owner       string `ch:"owner"`
	Fingerprint string `ch:"fingerprint"`
}

const findingColumns = `id, kind, verdict, basis, rule, severity, citations, property_id, pit_id, table_id, shoe_id,
	round, seat, subject, dealer_id, at, gaming_day, shift, expected, observed, amount, currency,
	evidence.seqs AS seqs, evidence.event_ids AS event_ids, rulebook, engine, ln_e, threshold, odds`

// current selects the findings that no nightly run withdrew. The page of a withdrawn finding remains.
const current = ` AND (property_id, id) GLOBAL NOT IN (SELECT property_id, finding_id FROM {{withdrawals}}
	GROUP BY property_id, finding_id HAVING argMax(action, at) = 'withdraw')`

// newestVersion chooses the newest row of a finding. Two live audits of one release may have dated it differently.
const newestVersion = ` ORDER BY version DESC, at DESC`

const noTriage = `, '' AS state, '' AS owner, '' AS fingerprint`

// Finding returns one finding.
func (s *Store) Finding(ctx context.Context, scope Scope, id string) (Finding, error) {
	find := func(w *where) (Finding, error) {
		w.and("id = {id:String}", "id", id)
		// Without FINAL, because FINAL does not use the index by id.
		return one[Finding](ctx, s, "finding", `SELECT `+findingColumns+noTriage+` FROM {{findings}}
			WHERE `+w.String()+newestVersion+` LIMIT 1`, w)
	}
	r, err := s.queued(ctx, scope, id)
	if err != nil {
		return Finding{}, err
	}
	f, err := Finding{}, ErrNotFound
	if r != nil { // where and when, so that few parts of the table are read
		f, err = find(in(scope).equal("property_id", r.PropertyID).equal("table_id", r.TableID).
			since("at", r.At.Add(-ShoeLasts)).before("at", r.At.Add(ShoeLasts)))
	}
	if errors.Is(err, ErrNotFound) {
		f, err = find(in(scope))
	}
	if err == nil && r != nil {
		f.State, f.Owner, f.Fingerprint = r.State, r.Owner, r.Fingerprint
	}
	return f, err
}

// WithShoe returns a finding, and the other findings of its shoe, the latest first and at most 200. One statement reads
// both if the cache has the finding.
func (s *Store) WithShoe(ctx context.Context, scope Scope, id string) (f Finding, others []Finding, err error) {
	r := s.cache.find(scope, id, s.now())
	if r != nil {
		shoe := Location{Property: r.PropertyID, Table: r.TableID, Shoe: r.ShoeID}
		if others, err = s.ofShoe(ctx, scope, shoe, r.At); err != nil {
			return f, nil, err
		}
		if i := slices.IndexFunc(others, func(o Finding) bool { return o.ID == id }); i >= 0 {
			f = others[i]
			f.State, f.Owner, f.Fingerprint = r.State, r.Owner, r.Fingerprint
			return f, slices.Delete(others, i, i+1), nil
		}
	}
	if f, err = s.Finding(ctx, scope, id); err != nil || r != nil {
		return f, others, err
	}
	others, err = s.ofShoe(ctx, scope, Location{Property: f.PropertyID, Table: f.TableID, Shoe: f.ShoeID}, f.At)
	return f, slices.DeleteFunc(others, func(o Finding) bool { return o.ID == id }), err
}

// ofShoe returns the latest findings of a shoe, at most 200; at is the time of one of them.
func (s *Store) ofShoe(ctx context.Context, scope Scope, l Location, at time.Time) ([]Finding, error) {
	if l.Shoe == "" {
		return nil, nil
	}
	return s.Findings(ctx, scope, FindingQuery{
		Property: l.Property, Table: l.Table, Shoe: l.Shoe, Limit: 200,
		Since: at.Add(-ShoeLasts), Until: at.Add(ShoeLasts),
	})
}

// queued returns what the queue has of a finding, from the cache if it has the finding; nil if it is not in the queue.
func (s *Store) queued(ctx context.Context, scope Scope, id string) (*triageRow, error) {
	if r := s.cache.find(scope, id, s.now()); r != nil {
		return &triageRow{r.PropertyID, r.TableID, r.At, r.ID, r.State, r.Owner, r.Fingerprint, r.Version}, nil
	}
	rows, err := s.triaged(ctx, in(scope), []string{id})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// FindingsByID returns findings with their states, in the order of the ids. Unknown ids are left out.
func (s *Store) FindingsByID(ctx context.Context, scope Scope, ids []string) ([]Finding, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	w := in(scope).and("id IN {ids:Array(String)}", "ids", ids)
	found, err := read[Finding](ctx, s, "findings", `SELECT `+findingColumns+noTriage+` FROM {{findings}}
		WHERE `+w.String()+newestVersion+` LIMIT 1 BY id LIMIT 5000`, w)
	if err != nil {
		return nil, err
	}
	place := make(map[string]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	slices.SortFunc(found, func(a, b Finding) int { return place[a.ID] - place[b.ID] })
	return found, s.States(ctx, scope, found)
}

// ShoeLasts is longer than a shoe is played. Findings are sorted by time, so it bounds what a query of a shoe reads.
const ShoeLasts = 7 * 24 * time.Hour

// FindingQuery selects findings by their subject. A zero field selects all.
type FindingQuery struct {
	Property, Table, Shoe, Dealer, Rule string
	Round                               uint32
	Since, Until                        time.Time
	// After and AfterID are the time and the id of the last finding of the page before.
	After   time.Time
	AfterID string
	Limit   int
}

// shortDays is a period in which most dealers and tables have as many findings as a list shows.
const shortDays = 7

// Findings returns findings, open or not, the latest first.
func (s *Store) Findings(ctx context.Context, scope Scope, q FindingQuery) ([]Finding, error) {
	w := in(scope).equal("property_id", q.Property).equal("table_id", q.Table).equal("shoe_id", q.Shoe)
	w.equal("rule", q.Rule)
	if q.Round > 0 {
		w.and("round = {round:UInt32}", "round", q.Round)
	}
	if !q.Since.IsZero() {
		w.since("at", q.Since)
	}
	if !q.Until.IsZero() {
		w.before("at", q.Until)
	}
	if !q.After.IsZero() {
		const last = "fromUnixTimestamp64Nano({after:Int64})"
		w.and("at <= "+last+" AND (at < "+last+" OR id > {after_id:String})",
			"after", q.After.UnixNano(), "after_id", q.AfterID)
	}
	query := `SELECT ` + findingColumns + noTriage + ` FROM {{findings}} `
	// All versions of a finding have the columns of its id in common, so conditions on them may precede the choice of the
	// newest version.
	const newest = ` ORDER BY at DESC, id, version DESC LIMIT 1 BY id`
	switch {
	case q.Shoe == "" && q.Since.IsZero():
		// The period grows until it has enough findings, so that few parts are read.
		last := cmp.Or(q.After, q.Until, s.now())
		for _, days := range []int{shortDays, 100} {
			q.Since = last.AddDate(0, 0, -days)
			found, err := s.Findings(ctx, scope, q)
			if err != nil || len(found) >= LimitOf(q.Limit) {
				return found, err
			}
		}
		q.Since = time.Unix(0, 0)
		return s.Findings(ctx, scope, q)
	case q.Dealer != "":
		// Without FINAL, for the projection by dealer. An older version that names another dealer counts until it is merged.
		selected := `WHERE ` + w.equal("dealer_id", q.Dealer).String() + current
		query += selected
		// The time of the last finding of the list bounds the read of all columns. In a short period this costs more than
		// it saves: the statement selects the findings twice.
		if q.Since.Before(cmp.Or(q.After, q.Until, s.now()).AddDate(0, 0, -2*shortDays)) {
			query += ` AND at >= (SELECT min(at) FROM (SELECT at FROM {{findings}} ` + selected + newest + limit(q.Limit) + `))`
		}
		query += newest
	case q.Shoe != "":
		// Without FINAL, for the index by shoe. Late events may have moved a finding in time.
		query = `SELECT * FROM (` + query + `WHERE ` + w.String() + current + newestVersion + ` LIMIT 1 BY id)
			ORDER BY at DESC, id`
	default:
		query += `FINAL PREWHERE ` + w.String() + ` WHERE 1` + current + ` ORDER BY at DESC, id`
	}
	return read[Finding](ctx, s, "findings", query+limit(q.Limit), w)
}

// Exceptions returns the findings of severity minor and above of a gaming day, with the columns of a list alone: a day
// may have ten thousand.
func (s *Store) Exceptions(ctx context.Context, scope Scope, q DayQuery) ([]Finding, error) {
	w := q.where(scope) // without the severity, in which the versions of a finding may differ
	return read[Finding](ctx, s, "exceptions", `SELECT id, kind, verdict, rule, severity, property_id, table_id, shoe_id,
		round, seat, at, expected, observed, amount, currency FROM {{findings}} FINAL
		PREWHERE `+w.String()+` WHERE severity != 'info'`+current+`
		ORDER BY table_id, at, id`+limit(All), w)
}

// States adds the state and the owner of each finding.
func (s *Store) States(ctx context.Context, scope Scope, found []Finding) error {
	if len(found) == 0 {
		return nil
	}
	byID, known := map[string]*Finding{}, map[string]bool{}
	for i := range found {
		byID[found[i].ID] = &found[i]
	}
	add := func(w *where, ids []string) (untouched []string, err error) {
		rows, err := s.triaged(ctx, w, ids)
		for i := range rows {
			r := &rows[i]
			f := byID[r.ID]
			f.State, f.Owner, f.Fingerprint = r.State, r.Owner, r.Fingerprint
			if known[r.ID] = true; r.Version == 0 {
				untouched = append(untouched, r.ID)
			}
		}
		return untouched, err
	}
	// The row of the queue has the time of its finding, by which the table is sorted: for many ids, the index by id reads
	// all of it.
	byAt := func(a, b Finding) int { return a.At.Compare(b.At) }
	first, last := slices.MinFunc(found, byAt).At, slices.MaxFunc(found, byAt).At
	untouched, err := add(in(scope).since("at", first).before("at", last.Add(time.Nanosecond)),
		slices.Collect(maps.Keys(byID)))
	if err != nil {
		return err
	}
	// A finding that was evaluated again after late events may have another time than its last action's row. The cache
	// knows most findings without an action.
	var rest []string
	if untouched = s.cache.unsure(untouched, byID); len(untouched) > 0 {
		// No one acts on a finding long before it. The bound lets ClickHouse read the actions by time: they are sorted by
		// finding, and the ids of many findings are in as many places.
		w := in(scope).and("finding_id IN {ids:Array(String)}", "ids", untouched).since("at", first.Add(-ShoeLasts))
		rest, err = s.names(ctx, "findings", `SELECT DISTINCT finding_id AS name FROM {{finding_actions}} WHERE `+w.String(), w)
	}
	if err != nil {
		return err
	}
	for id, f := range byID {
		if !known[id] && f.Severity != "info" {
			rest = append(rest, id)
		}
	}
	_, err = add(in(scope), rest)
	return err
}

// triageRow is what the queue has of a finding's triage, and where and when the finding is.
type triageRow struct {
	PropertyID  string    `ch:"property_id"`
	TableID     string    `ch:"table_id"`
	At          time.Time `ch:"at"`
	ID          string    `ch:"id"`
	State       string    `ch:"state"`
	Owner       string    `ch:"owner"`
	Fingerprint string    `ch:"fingerprint"`
	Version     uint64    `ch:"version"`
}

// triaged returns the newest rows of findings in the queue that a condition selects, closed ones included. The time of
// such a read grows with the number of its columns.
func (s *Store) triaged(ctx context.Context, w *where, ids []string) ([]triageRow, error) {
	return newestRows[triageRow](ctx, s, w, ids)
}

// queueRows are triaged rows with all columns.
func (s *Store) queueRows(ctx context.Context, w *where, ids []string) ([]OpenFinding, error) {
	return newestRows[OpenFinding](ctx, s, w, ids)
}

func newestRows[T any](ctx context.Context, s *Store, w *where, ids []string) ([]T, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	w.and("id IN {ids:Array(String)}", "ids", ids)
	return list[T](ctx, s, "the state of findings", `{{open_findings}} WHERE `+w.String()+` `+newestRow, w)
}
