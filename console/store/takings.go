package store

import (
	"context"
	"time"
)

// Taking is what the house took in a round: by spot, the stakes and the result, which is positive if the house won.
type Taking struct {
	Table   string    `ch:"table_id"`
	Shoe    string    `ch:"shoe_id"`
	Round   uint32    `ch:"round"`
	At      time.Time `ch:"at"`
	Dealer  string    `ch:"dealer_id"`
	Config  string    `ch:"config_id"`
	Decks   uint32    `ch:"decks"`
	Unseen  string    `ch:"unseen"` // the cards left before the round: a byte for each of the 52; empty if unknown
	Spots   []string  `ch:"spots"`
	Stakes  []int64   `ch:"stakes"`
	Results []int64   `ch:"results"`
}

// TakingQuery selects the settled wagers of a table, of the rounds of a dealer, or of a patron.
type TakingQuery struct {
	Property, Table, Dealer, Patron string
	Since, Until                    time.Time
}

// Takings returns the rounds of a query, the latest MaxRows, the latest first. The vigorish that was marked or
// collected is part of the result.
func (s *Store) Takings(ctx context.Context, scope Scope, q TakingQuery) ([]Taking, error) {
	w := in(scope).equal("property_id", q.Property).equal("table_id", q.Table).since("at", q.Since).before("at", q.Until)
	of := w.String() // selects the rows of all tables: wagers, vigorish, rounds
	wagers, rounds := of, ""
	switch {
	case q.Patron != "":
		w.with("patron", q.Patron)
		wagers += ` AND patron = {patron:String}`
		of += ` AND (table_id, shoe_id, round) GLOBAL IN (SELECT table_id, shoe_id, round` + ofPatron + w.String() + `)`
	case q.Dealer != "":
		w.with("dealer_id", q.Dealer, "day", q.Since.AddDate(0, 0, -1).UTC().Format(time.DateOnly))
		shoes := ` AND (table_id, shoe_id) GLOBAL IN (SELECT table_id, shoe_id FROM {{dealer_rounds}}
			WHERE ` + in(scope).equal("property_id", q.Property).String() + ` AND dealer_id = {dealer_id:String}
				AND gaming_day >= toDate32({day:String}))`
		rounds = ` AND dealer_id = {dealer_id:String}`
		wagers += shoes
		of += shoes
	}
	return read[Taking](ctx, s, "what the house took", `SELECT r.table_id AS table_id, r.shoe_id AS shoe_id,
		r.round AS round, r.at AS at, r.dealer_id AS dealer_id, r.config_id AS config_id, r.decks AS decks,
		r.unseen AS unseen, w.played.1 AS spots, w.played.2 AS stakes, w.played.3 AS results
	FROM (SELECT table_id, shoe_id, round, at, dealer_id, config_id, decks, unseen FROM {{rounds}}
		WHERE `+of+rounds+` ORDER BY version DESC LIMIT 1 BY table_id, shoe_id, round) AS r
	INNER JOIN (SELECT table_id, shoe_id, round, arraySort(groupArray((toString(spot), staked, won))) AS played
		FROM (SELECT b.table_id AS table_id, b.shoe_id AS shoe_id, b.round AS round, b.spot AS spot,
				sum(b.stake) AS staked, sum(b.collected - b.paid + v.taken) AS won
			FROM (SELECT table_id, shoe_id, round, wager_id, spot, stake, paid, collected, disposition FROM {{wagers}}
				WHERE `+wagers+newestWager+`) AS b
			LEFT JOIN (SELECT table_id, shoe_id, round, wager_id, sum(if(marked_seq = 0 AND collected_seq = 0, 0,
					if(greatest(marked, collected) > 0, greatest(marked, collected), least))) AS taken
				FROM (SELECT * FROM {{vigorish}} WHERE `+of+`
					ORDER BY version DESC LIMIT 1 BY table_id, shoe_id, round, wager_id, kind)
				GROUP BY table_id, shoe_id, round, wager_id) AS v
			ON b.table_id = v.table_id AND b.shoe_id = v.shoe_id AND b.round = v.round AND b.wager_id = v.wager_id
			WHERE b.disposition IN ('collected', 'paid', 'returned') AND b.stake > 0
			GROUP BY table_id, shoe_id, round, spot)
		GROUP BY table_id, shoe_id, round) AS w
	ON r.table_id = w.table_id AND r.shoe_id = w.shoe_id AND r.round = w.round
	ORDER BY at DESC, table_id, shoe_id, round DESC LIMIT 5000`, w)
}

// Offered is a configuration of a table as JSON.
type Offered struct {
	Table  string `ch:"table_id"`
	Config string `ch:"config_id"`
	JSON   string `ch:"config"`
}

// Offered returns the latest configuration of each name at some tables of a property.
func (s *Store) Offered(ctx context.Context, scope Scope, property string, tables []string) ([]Offered, error) {
	w := in(scope).equal("property_id", property).and("table_id IN {tables:Array(String)} AND config != ''", "tables",
		tables)
	return list[Offered](ctx, s, "configurations", `{{table_configs}} WHERE `+w.String()+`
		ORDER BY effective_at DESC, seq DESC, at DESC, version DESC LIMIT 1 BY table_id, config_id LIMIT 5000`, w)
}

// Stint is the time at which a dealer dealt rounds of a shoe.
type Stint struct {
	Shoe   string    `ch:"shoe_id"`
	Dealer string    `ch:"dealer_id"`
	First  time.Time `ch:"first_at"`
	Last   time.Time `ch:"last_at"`
	Rounds uint64    `ch:"rounds"`
	Gaps   uint64    `ch:"unauditable"` // rounds without their configuration or all events
	// FirstSeq and LastSeq are the first and the last event of its rounds.
	FirstSeq uint64 `ch:"first_seq"`
	LastSeq  uint64 `ch:"last_seq"`
}

// Stints returns who dealt the shoes of a table in a period, in order.
func (s *Store) Stints(ctx context.Context, scope Scope, at Location, since, until time.Time) ([]Stint, error) {
	w := at.where(scope).since("at", since).before("at", until)
	return read[Stint](ctx, s, "the shoes of a table", `SELECT shoe_id, dealer_id, min(at) AS first_at,
		max(at) AS last_at, count() AS rounds, countIf(NOT auditable) AS unauditable, min(begin) AS first_seq,
		max(end_seq) AS last_seq
	FROM (SELECT shoe_id, round, dealer_id, at, auditable, first_seq AS begin, end_seq FROM {{rounds}} WHERE `+w.String()+`
		ORDER BY version DESC LIMIT 1 BY shoe_id, round)
	GROUP BY shoe_id, dealer_id ORDER BY first_at LIMIT 500`, w)
}
