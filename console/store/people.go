package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/stats"
)

// Tally counts findings, and the rounds in which they could have occurred.
type Tally struct {
	Name     string    `ch:"name"`
	Severity string    `ch:"severity"`
	Findings uint64    `ch:"findings"`
	Rounds   uint64    `ch:"rounds"`
	LastAt   time.Time `ch:"last_at"`
	// Amounts are the sums of the amounts in Currencies, of which each is named once.
	Amounts    []int64  `ch:"amounts"`
	Currencies []string `ch:"currencies"`
}

// DealerTallies counts the findings of a dealer since a moment by rule.
func (s *Store) DealerTallies(
	ctx context.Context, scope Scope, property, dealer string, since time.Time,
) ([]Tally, error) {
	w := in(scope).equal("property_id", property).equal("dealer_id", dealer).since("at", since)
	return read[Tally](ctx, s, "a dealer's findings", `SELECT rule AS name,
		argMin(severity, indexOf(['critical', 'major', 'minor', 'info'], severity)) AS severity, count() AS findings,
		max(f.at) AS last_at,
		(sumMap([toString(currency)], [amount]) AS sums).1 AS currencies, sums.2 AS amounts
	FROM {{dealer_findings}} AS f FINAL WHERE verdict IN ('BREACH', 'SUSPECT') AND `+w.String()+current+`
	GROUP BY rule ORDER BY findings DESC, name LIMIT 200`, w)
}

// FoundOf returns the times of the findings of a dealer in a period, of the latest ones if the query has a limit.
func (s *Store) FoundOf(ctx context.Context, scope Scope, q FindingQuery) ([]time.Time, error) {
	w := in(scope).equal("property_id", q.Property).equal("dealer_id", q.Dealer).since("at", q.Since).before("at", q.Until)
	type row struct {
		At time.Time `ch:"at"`
	}
	// Without FINAL, for the projection by dealer, as in Findings.
	rows, err := read[row](ctx, s, "a dealer's findings", `SELECT at FROM {{findings}} WHERE `+w.String()+current+`
		ORDER BY at DESC, id, version DESC LIMIT 1 BY id`+limit(q.Limit), w)
	times := make([]time.Time, len(rows))
	for i := range rows {
		times[i] = rows[i].At
	}
	return times, err
}

// Dealers counts the findings and the rounds of each dealer since the day of a moment: first the dealers with a rate,
// the highest first, then the others by rounds: few rounds give no rate.
func (s *Store) Dealers(ctx context.Context, scope Scope, since time.Time) ([]Tally, error) {
	w := in(scope).with("since", since.UnixNano(), "day", since.UTC().Format(time.DateOnly), "min", stats.MinRounds)
	return read[Tally](ctx, s, "dealers", `SELECT r.property_id || '/' || r.dealer_id AS name,
		f.findings AS findings, r.rounds AS rounds, r.last_at AS last_at
	FROM (SELECT property_id, dealer_id, sum(n) AS rounds, max(last) AS last_at
		FROM (SELECT property_id, dealer_id, groupBitmapMerge(rounds) AS n, max(last_at) AS last FROM {{dealer_rounds}}
			WHERE gaming_day >= toDate32({day:String}) AND `+w.String()+`
			GROUP BY property_id, dealer_id, gaming_day, table_id, shoe_id)
		GROUP BY property_id, dealer_id) AS r
	LEFT JOIN (SELECT property_id, dealer_id, count() AS findings
		FROM {{dealer_findings}} FINAL
		WHERE at >= fromUnixTimestamp64Nano({since:Int64}) AND verdict IN ('BREACH', 'SUSPECT') AND severity != 'info'
			AND `+w.String()+current+` GROUP BY property_id, dealer_id) AS f
	ON r.property_id = f.property_id AND r.dealer_id = f.dealer_id
	ORDER BY if(rounds < {min:UInt64}, -1, findings / rounds) DESC, rounds DESC, name LIMIT 5000`, w)
}

// Patron is the play of a masked patron on one spot.
type Patron struct {
	Spot      string    `ch:"spot"`
	Wagers    uint64    `ch:"wagers"`
	Staked    int64     `ch:"staked"`
	Paid      int64     `ch:"paid"`
	Collected int64     `ch:"collected"`
	FirstAt   time.Time `ch:"first_at"`
	LastAt    time.Time `ch:"last_at"`
	Tables    []string  `ch:"tables"`
}

// ofPatron selects the wagers of a patron. It is without FINAL, which does not use the index by patron.
const ofPatron = ` FROM {{wagers}} WHERE patron = {patron:String} AND `

// newestWager keeps the newest version of each wager.
const newestWager = ` ORDER BY version DESC LIMIT 1 BY table_id, shoe_id, round, wager_id`

// Patron returns a patron's play by spot.
func (s *Store) Patron(ctx context.Context, scope Scope, property, patron string) ([]Patron, error) {
	w := in(scope).equal("property_id", property).with("patron", patron)
	return read[Patron](ctx, s, "a patron's play", `SELECT spot, countIf(disposition != 'withdrawn') AS wagers, sum(stake) AS staked,
		sum(paid) AS paid, sum(collected) AS collected, min(at) AS first_at, max(at) AS last_at,
		arraySort(groupUniqArray(toString(table_id))) AS tables
	FROM (SELECT spot, stake, paid, collected, disposition, at, table_id`+ofPatron+w.String()+newestWager+`)
	GROUP BY spot ORDER BY staked DESC, spot`, w)
}

// PatronWagers returns a patron's latest wagers.
func (s *Store) PatronWagers(ctx context.Context, scope Scope, property, patron string) ([]Wager, error) {
	w := in(scope).equal("property_id", property).with("patron", patron)
	return read[Wager](ctx, s, "a patron's wagers", `SELECT * FROM (SELECT `+columns[Wager]()+
		ofPatron+w.String()+newestWager+`) ORDER BY at DESC, table_id, shoe_id, round, wager_id LIMIT 200`, w)
}

// PatronFindings returns the findings of the rounds and seats at which a patron had a play, and the suspicions about
// the patron. The sorting key of findings is table and time. A patron visits few tables, so both narrow the read.
func (s *Store) PatronFindings(
	ctx context.Context, scope Scope, property, patron string, play []Patron,
) ([]Finding, error) {
	if len(play) == 0 {
		return nil, nil
	}
	first := slices.MinFunc(play, func(a, b Patron) int { return a.FirstAt.Compare(b.FirstAt) }).FirstAt
	last := slices.MaxFunc(play, func(a, b Patron) int { return a.LastAt.Compare(b.LastAt) }).LastAt
	var tables []string
	for i := range play {
		tables = append(tables, play[i].Tables...)
	}
	slices.Sort(tables)
	w := in(scope).equal("property_id", property).with("patron", patron, "tables", slices.Compact(tables),
		"first", first.Add(-time.Hour).UnixNano(), "last", last.Add(time.Hour).UnixNano())
	return read[Finding](ctx, s, "a patron's findings", `SELECT `+findingColumns+noTriage+` FROM {{findings}} FINAL
	WHERE `+w.String()+current+` AND table_id IN {tables:Array(String)}
		AND at BETWEEN fromUnixTimestamp64Nano({first:Int64}) AND fromUnixTimestamp64Nano({last:Int64})
		AND (has(splitByRegexp('[:+]', subject), {patron:String}) OR seat > 0
			AND (property_id, table_id, shoe_id, round, seat) GLOBAL IN (
				SELECT property_id, table_id, shoe_id, round, seat`+ofPatron+w.String()+`))
	ORDER BY at DESC, id LIMIT 200`, w)
}

// Factor is the evidence factor of one round, as its natural logarithm.
type Factor struct {
	At    time.Time `ch:"at"`
	LnE   float64   `ch:"ln_e"`
	Start float64   `ch:"start"` // weight of a start before the round
	Key   string    `ch:"key"`
	Table string    `ch:"table_id"`
	Shoe  string    `ch:"shoe_id"`
	Round uint32    `ch:"round"`
}

// FactorQuery selects the last factors of a detector about a key of a property, up to a moment.
type FactorQuery struct {
	Property, Detector, Key string
	Until                   time.Time
	// Last is their number, maxFactors for 0.
	Last int
}

// maxFactors is the maximum number of factors that Factors returns.
const maxFactors = 5000

// Factors returns evidence, in the order of time.
func (s *Store) Factors(ctx context.Context, scope Scope, q FactorQuery) ([]Factor, error) {
	w := in(scope).equal("property_id", q.Property).
		and("detector = {detector:String} AND key = {key:String} AND (ln_e != 0 OR start != 0)",
			"detector", q.Detector, "key", q.Key).
		and("at <= fromUnixTimestamp64Nano({until:Int64})", "until", q.Until.UnixNano()).
		with("last", min(cmp.Or(q.Last, maxFactors), maxFactors))
	all, err := read[Factor](ctx, s, "evidence", `SELECT at, ln_e, start, key, table_id, shoe_id, round FROM {{evidence}} FINAL
		WHERE `+w.String()+` ORDER BY at DESC, table_id DESC, shoe_id DESC, round DESC LIMIT {last:UInt32}`, w)
	slices.Reverse(all)
	return all, err
}
