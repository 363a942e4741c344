package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// RoundQuery selects rounds by what people recall of them. A zero field selects all, except the period.
type RoundQuery struct {
	Property, Table, Dealer string
	Round, Seat             uint32
	// MinStake and MaxStake bound the stake of one wager, of the seat if one is given; both are 0 for any.
	MinStake, MaxStake int64
	Since, Until       time.Time
	// Near orders the rounds by their distance to a moment; without it the latest are first.
	Near time.Time
	// After is the last round of the page before. It has no effect with Near.
	After Round
	Limit int
	// Brief leaves out all but the key, the time, the dealer and the result of a round.
	Brief bool
}

// FindRounds returns rounds of a period. Without a table it reads the index by time.
func (s *Store) FindRounds(ctx context.Context, scope Scope, q RoundQuery) ([]Round, error) {
	if q.ofWagers() && q.Near.IsZero() {
		// The latest rounds are mostly at the end of the period, which is cheaper to read than the whole period.
		last, until := q, q.Until
		if at := q.After.At; !at.IsZero() && at.Before(until) {
			until = at
		}
		for _, end := range []time.Duration{20 * time.Minute, 4 * time.Hour} {
			if last.Since = until.Add(-end); !last.Since.After(q.Since) {
				break
			}
			if found, err := s.findRounds(ctx, scope, last); err != nil || len(found) == LimitOf(q.Limit) {
				return found, err
			}
		}
	}
	return s.findRounds(ctx, scope, q)
}

// atATime is how many rounds are played at a time. So many more rounds than it lists a search for wagers reads: rounds
// that are played have wagers, but are not stored yet.
const atATime = 500

// ofWagers reports whether the query is about wagers too.
func (q *RoundQuery) ofWagers() bool { return q.Seat > 0 || q.MinStake > 0 || q.MaxStake > 0 }

func (s *Store) findRounds(ctx context.Context, scope Scope, q RoundQuery) ([]Round, error) {
	w := in(scope).equal("property_id", q.Property).equal("table_id", q.Table)
	if q.Round > 0 {
		w.and("round = {round:UInt32}", "round", q.Round)
	}
	wagers := w.String()
	w.equal("dealer_id", q.Dealer).since("at", q.Since).before("at", q.Until)
	order, orderOfWagers := "at DESC", "max(at) DESC"
	if !q.Near.IsZero() {
		const distance = "abs(toUnixTimestamp64Nano(at) - {near:Int64})"
		order, orderOfWagers = distance, "min("+distance+")"
		w.with("near", q.Near.UnixNano())
	}
	if last := &q.After; !last.At.IsZero() && q.Near.IsZero() {
		w.and(`at <= fromUnixTimestamp64Nano({last:Int64}) AND (at < fromUnixTimestamp64Nano({last:Int64})
			OR (property_id, table_id, shoe_id, round) >
			({last_property:String}, {last_table:String}, {last_shoe:String}, {last_round:UInt32}))`,
			"last", last.At.UnixNano(), "last_property", last.PropertyID, "last_table", last.TableID, "last_shoe", last.ShoeID,
			"last_round", last.Round)
		wagers += " AND at <= fromUnixTimestamp64Nano({last:Int64})"
	}
	first := ` ORDER BY ` + order + `, property_id, table_id, shoe_id, round, version DESC LIMIT 1 BY property_id, table_id, shoe_id, round` +
		limit(q.Limit)
	if q.ofWagers() {
		w.with("seat", q.Seat, "min_stake", q.MinStake, "max_stake", q.MaxStake)
		// Wagers precede their round by minutes at most. An older version of a wager counts until it is merged.
		wagers += ` AND at >= fromUnixTimestamp64Nano({since:Int64} - 600000000000)
			AND at < fromUnixTimestamp64Nano({before:Int64}) AND ({seat:UInt32} = 0 OR seat = {seat:UInt32})
			AND stake >= {min_stake:Int64} AND ({max_stake:Int64} = 0 OR stake <= {max_stake:Int64})`
		enough := fmt.Sprint(" LIMIT ", LimitOf(q.Limit)+atATime)
		if q.Table == "" && q.Dealer == "" {
			of, err := s.spanOfWagers(ctx, wagers, order+enough, w)
			if err != nil || len(of.Tables) == 0 {
				return nil, err
			}
			wagers += ` AND table_id IN {tables:Array(String)} AND at >= fromUnixTimestamp64Nano({first_wager:Int64})
				AND at <= fromUnixTimestamp64Nano({last_wager:Int64})`
			w.with("tables", of.Tables, "first_wager", of.First.UnixNano(), "last_wager", of.Last.UnixNano())
		}
		with := `SELECT property_id, table_id, shoe_id, round FROM {{wagers}} WHERE ` + wagers
		if q.Dealer == "" { // a wager does not have its dealer
			with += " GROUP BY property_id, table_id, shoe_id, round ORDER BY " + orderOfWagers + enough
		}
		// The keys are chosen first, from a few columns. Then all columns are read of the chosen rounds alone.
		const key = "(property_id, table_id, shoe_id, round)"
		w.and(key + " GLOBAL IN (SELECT property_id, table_id, shoe_id, round FROM {{rounds}} WHERE " + w.String() +
			" AND " + key + " GLOBAL IN (" + with + ")" + first + ")")
	}
	selected := columns[Round]()
	if q.Brief { // a granule is read for each table, so each column counts
		selected = "property_id, table_id, shoe_id, round, at, dealer_id, result, player_count, banker_count"
	}
	return read[Round](ctx, s, "rounds", `SELECT `+selected+` FROM {{rounds}} WHERE `+w.String()+first, w)
}

// wagerSpan is the tables and the times of some wagers.
type wagerSpan struct {
	Tables []string  `ch:"tables"`
	First  time.Time `ch:"first_at"`
	Last   time.Time `ch:"last_at"`
}

// spanOfWagers returns the span of the first wagers in an order, which it limits. All tables have wagers of the period,
// so a granule of each table is read. Without the column shoe_id this takes a third of the processor time.
func (s *Store) spanOfWagers(ctx context.Context, condition, order string, w *where) (wagerSpan, error) {
	return one[wagerSpan](ctx, s, "wagers", `SELECT groupUniqArray(toString(table_id)) AS tables, min(at) AS first_at,
		max(at) AS last_at FROM (SELECT table_id, at FROM {{wagers}} WHERE `+condition+`
		GROUP BY property_id, table_id, at ORDER BY `+order+`)`, w)
}

// Citing returns the findings of a period that cite one of some clauses, the latest first, with their states.
func (s *Store) Citing(ctx context.Context, scope Scope, clauses []string, q FindingQuery) ([]Finding, error) {
	w := in(scope).equal("property_id", q.Property).equal("table_id", q.Table).since("at", q.Since).before("at", q.Until)
	w.and("hasAny(citations, {clauses:Array(String)})", "clauses", clauses)
	found, err := read[Finding](ctx, s, "findings", `SELECT `+findingColumns+noTriage+` FROM {{findings}}
		WHERE `+w.String()+current+` ORDER BY at DESC, id, version DESC LIMIT 1 BY id`+limit(q.Limit), w)
	if err != nil {
		return nil, err
	}
	return found, s.States(ctx, scope, found)
}

// Abbreviated returns the ids of the findings that begin with some digits: open ones, and all on which someone acted.
func (s *Store) Abbreviated(ctx context.Context, scope Scope, digits string) ([]string, error) {
	const most = 20
	find := func() (ids []string, err error) {
		open, err := s.Open(ctx, scope, Filter{Text: digits, any: true, Limit: MaxRows})
		for i := range open {
			if strings.HasPrefix(open[i].ID, digits) {
				ids = append(ids, open[i].ID)
			}
		}
		return ids, err
	}
	ids, err := find()
	if err != nil {
		return nil, err
	}
	// The actions are sorted by finding.
	w := in(scope).and("startsWith(finding_id, {digits:String})", "digits", digits)
	acted, err := s.names(ctx, "findings",
		`SELECT DISTINCT finding_id AS name FROM {{finding_actions}} WHERE `+w.String()+` ORDER BY name LIMIT 20`, w)
	ids = append(ids, acted...)
	if len(ids) == 0 && err == nil { // the finding may have arrived since the last read of the queue
		if err = s.Refresh(ctx); err == nil {
			ids, err = find()
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), most)], err
}

// PlayOf reports at which properties in scope a masked patron played.
func (s *Store) PlayOf(ctx context.Context, scope Scope, patron string) ([]string, error) {
	w := in(scope).with("patron", patron)
	return s.names(ctx, "a patron's properties",
		`SELECT DISTINCT property_id AS name`+ofPatron+w.String()+` ORDER BY name LIMIT 20`, w)
}

// DealtBy returns the properties in scope at which a dealer dealt.
func (s *Store) DealtBy(ctx context.Context, scope Scope, dealer string) ([]string, error) {
	w := in(scope).equal("dealer_id", dealer)
	return s.names(ctx, "a dealer's properties",
		`SELECT DISTINCT property_id AS name FROM {{dealer_rounds}} WHERE `+w.String()+` ORDER BY name LIMIT 20`, w)
}

// Currency returns the currency of a table, or the one currency of the tables of a property; empty if it is unknown.
func (s *Store) Currency(ctx context.Context, scope Scope, l Location) (string, error) {
	w := in(scope).equal("property_id", l.Property).equal("table_id", l.Table)
	all, err := s.names(ctx, "the currency of a table", `SELECT DISTINCT name
		FROM (SELECT argMax(JSONExtractString(config, 'currency'), (effective_at, seq, at)) AS name FROM {{table_configs}}
			WHERE `+w.String()+` AND config != '' GROUP BY property_id, table_id) LIMIT 2`, w)
	if err != nil || len(all) != 1 {
		return "", err
	}
	return all[0], nil
}
