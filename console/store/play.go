package store

import (
	"context"
	"fmt"
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// Round is a round as recorded.
type Round struct {
	PropertyID  string    `ch:"property_id"`
	PitID       string    `ch:"pit_id"`
	TableID     string    `ch:"table_id"`
	ShoeID      string    `ch:"shoe_id"`
	Round       uint32    `ch:"round"`
	At          time.Time `ch:"at"`
	GamingDay   time.Time `ch:"gaming_day"`
	Shift       string    `ch:"shift"`
	DealerID    string    `ch:"dealer_id"`
	Ruleset     string    `ch:"ruleset"`
	ConfigID    string    `ch:"config_id"`
	Result      string    `ch:"result"`
	PlayerCount uint8     `ch:"player_count"`
	BankerCount uint8     `ch:"banker_count"`
	PlayerCards uint8     `ch:"player_cards"`
	BankerCards uint8     `ch:"banker_cards"`
	Cards       string    `ch:"cards"`
	Wagers      uint32    `ch:"wagers"`
	Staked      int64     `ch:"staked"`
	Paid        int64     `ch:"paid"`
	ExpectedPay int64     `ch:"expected_pay"`
	Collected   int64     `ch:"collected"`
	Returned    int64     `ch:"returned"`
	Vigorish    int64     `ch:"vigorish"`
	Auditable   bool      `ch:"auditable"`
	FirstSeq    uint64    `ch:"first_seq"`
	EndSeq      uint64    `ch:"end_seq"`
}

// Wager is a wager with its settlement. Patron is masked.
type Wager struct {
	TableID      string    `ch:"table_id"`
	ShoeID       string    `ch:"shoe_id"`
	Round        uint32    `ch:"round"`
	At           time.Time `ch:"at"`
	WagerID      string    `ch:"wager_id"`
	Seat         uint32    `ch:"seat"`
	Spot         string    `ch:"spot"`
	Stake        int64     `ch:"stake"`
	Coupon       int64     `ch:"coupon"`
	Medium       string    `ch:"medium"`
	Patron       string    `ch:"patron"`
	Disposition  string    `ch:"disposition"`
	Expected     string    `ch:"expected"`
	Paid         int64     `ch:"paid"`
	ExpectedPaid int64     `ch:"expected_paid"`
	Collected    int64     `ch:"collected"`
	Returned     int64     `ch:"returned"`
	PlacedSeq    uint64    `ch:"placed_seq"`
}

// Determined reports whether it is known what the rules require of the wager. It is unknown without a rulebook or
// without the cards.
func (w *Wager) Determined() bool { return w.Expected != baccarat.Undetermined.String() }

// AmountDetermined reports whether it is known what the rules require to be paid, and what was paid. A wager that is to
// be paid has no amount without its odds, and a payment of 0 was not read.
func (w *Wager) AmountDetermined() bool {
	pay := baccarat.Pay.String()
	return w.Determined() && (w.Expected != pay || w.ExpectedPaid != 0) && (w.Disposition != pay || w.Paid != 0)
}

// Misplaced reports whether the wager was settled in another way than the rules require, as far as that is determined.
func (w *Wager) Misplaced() bool { return w.Determined() && w.Disposition != w.Expected }

// Mispaid reports whether another amount was paid than the rules require, as far as that is determined.
func (w *Wager) Mispaid() bool { return w.AmountDetermined() && w.Paid != w.ExpectedPaid }

// Settlement is what is known of the payments of a round.
type Settlement struct {
	Round      uint32 `ch:"round"`
	Determined bool   `ch:"determined"` // what the rules require to be paid for all wagers
	Mispaid    bool   `ch:"mispaid"`    // another amount than the rules require was paid for a wager
}

// Vigorish is the vigorish of a winning wager: the amount due, from Min to Max, and the amounts marked and collected.
type Vigorish struct {
	ShoeID       string    `ch:"shoe_id"`
	Round        uint32    `ch:"round"`
	At           time.Time `ch:"at"`
	WagerID      string    `ch:"wager_id"`
	Seat         uint32    `ch:"seat"`
	Kind         string    `ch:"kind"`
	Won          int64     `ch:"won"`
	Min          int64     `ch:"least"`
	Max          int64     `ch:"most"`
	Marked       int64     `ch:"marked"`
	Collected    int64     `ch:"collected"`
	MarkedSeq    uint64    `ch:"marked_seq"`
	CollectedSeq uint64    `ch:"collected_seq"`
}

// Shoe is a finished shoe.
type Shoe struct {
	PropertyID  string    `ch:"property_id"`
	PitID       string    `ch:"pit_id"`
	TableID     string    `ch:"table_id"`
	ShoeID      string    `ch:"shoe_id"`
	At          time.Time `ch:"at"`
	EndedAt     time.Time `ch:"ended_at"`
	GamingDay   time.Time `ch:"gaming_day"`
	Shift       string    `ch:"shift"`
	Ruleset     string    `ch:"ruleset"`
	Game        string    `ch:"game"`
	Decks       uint32    `ch:"decks"`
	CardsOut    uint32    `ch:"cards_out"`
	Remaining   uint32    `ch:"remaining"`
	Rounds      uint32    `ch:"rounds"`
	Unauditable uint32    `ch:"unauditable"`
	Findings    uint32    `ch:"findings"`
	Outstanding int64     `ch:"outstanding"`
	Joined      bool      `ch:"joined"`  // recording began mid-shoe
	Missing     bool      `ch:"missing"` // events are missing
	FirstSeq    uint64    `ch:"first_seq"`
	LastSeq     uint64    `ch:"last_seq"`
	Rulebook    string    `ch:"rulebook"`
	Engine      string    `ch:"engine"`
}

// Config is a table configuration with the time from which it is in force.
type Config struct {
	PropertyID string    `ch:"property_id"`
	PitID      string    `ch:"pit_id"`
	TableID    string    `ch:"table_id"`
	Seq        uint64    `ch:"seq"`
	At         time.Time `ch:"at"`
	Opened     bool      `ch:"opened"`
	Closed     bool      `ch:"closed"`
	ConfigID   string    `ch:"config_id"`
	Ruleset    string    `ch:"ruleset"`
	Game       string    `ch:"game"`
	Mode       string    `ch:"mode"`
	Percent    uint32    `ch:"percent"`
	Config     string    `ch:"config"`
}

// Location is a table, a shoe of it, or a round of the shoe.
type Location struct {
	Property, Table, Shoe string
	Round                 uint32
}

// where restricts a query to a location. It uses columns of the sorting key alone, which all versions of a row have in
// common, so it may be a PREWHERE: ClickHouse then reads the other columns only where it holds.
func (l Location) where(scope Scope) *where {
	w := in(scope).and("property_id = {property_id:String} AND table_id = {table_id:String}",
		"property_id", l.Property, "table_id", l.Table)
	w.equal("shoe_id", l.Shoe)
	if l.Round > 0 {
		w.and("round = {round:UInt32}", "round", l.Round)
	}
	return w
}

// at selects the rows of a location from a table.
func at[T any](ctx context.Context, s *Store, table string, w *where, order string) ([]T, error) {
	return list[T](ctx, s, table, `{{`+table+`}} FINAL PREWHERE `+w.String()+` ORDER BY `+order, w)
}

// acrossMonths merges the versions of a row that are in different partitions: a shoe is played across the end of a
// month, and late events may move a round.
const acrossMonths = " SETTINGS do_not_merge_across_partitions_select_final = 0"

// Rounds returns the rounds of a location in order.
func (s *Store) Rounds(ctx context.Context, scope Scope, l Location) ([]Round, error) {
	return at[Round](ctx, s, "rounds", l.where(scope), "at, round LIMIT 1000"+acrossMonths)
}

// Wagers returns the wagers of a location.
func (s *Store) Wagers(ctx context.Context, scope Scope, l Location) ([]Wager, error) {
	return at[Wager](ctx, s, "wagers", l.where(scope), "round, seat, spot, wager_id LIMIT 5000"+acrossMonths)
}

// Settlements returns what is known of the payments of the rounds of a location that have wagers.
func (s *Store) Settlements(ctx context.Context, scope Scope, l Location) (map[uint32]Settlement, error) {
	w := l.where(scope).with("undetermined", baccarat.Undetermined.String(), "pay", baccarat.Pay.String())
	rows, err := read[Settlement](ctx, s, "the settlements of rounds", `SELECT round, toBool(min(known)) AS determined,
		toBool(max(known AND paid != expected_paid)) AS mispaid FROM (
			SELECT round, paid, expected_paid, expected != {undetermined:String}
				AND (expected != {pay:String} OR expected_paid != 0) AND (disposition != {pay:String} OR paid != 0) AS known
			FROM {{wagers}} FINAL PREWHERE `+w.String()+`)
		GROUP BY round LIMIT 1000`+acrossMonths, w)
	known := map[uint32]Settlement{}
	for _, r := range rows {
		known[r.Round] = r
	}
	return known, err
}

// Ledger returns the vigorish of a location.
func (s *Store) Ledger(ctx context.Context, scope Scope, l Location) ([]Vigorish, error) {
	return at[Vigorish](ctx, s, "vigorish", l.where(scope), "round, seat, wager_id LIMIT 5000"+acrossMonths)
}

// Shoes returns the finished shoes of a location, the latest first.
func (s *Store) Shoes(ctx context.Context, scope Scope, l Location) ([]Shoe, error) {
	return at[Shoe](ctx, s, "shoes", l.where(scope), "at DESC LIMIT 100")
}

// ShoesBefore returns the latest shoes of a table that began before a moment, finished or not, the latest first.
func (s *Store) ShoesBefore(ctx context.Context, scope Scope, l Location, before time.Time, n int) ([]string, error) {
	w := Location{Property: l.Property, Table: l.Table}.where(scope).before("at", before.Add(time.Nanosecond))
	return s.names(ctx, "the shoes of a table", `SELECT shoe_id AS name FROM {{rounds}} WHERE `+w.String()+
		` AND at >= fromUnixTimestamp64Nano({before:Int64}) - INTERVAL 14 DAY
		GROUP BY shoe_id ORDER BY min(at) DESC`+limit(n), w)
}

// Configs returns the configurations that were in force at a table, the latest first.
func (s *Store) Configs(ctx context.Context, scope Scope, l Location) ([]Config, error) {
	table := Location{Property: l.Property, Table: l.Table}
	return at[Config](ctx, s, "table_configs", table.where(scope), "effective_at DESC, seq DESC, at DESC, pit_id LIMIT 50")
}

// Tile is a table of the floor: its last event and its open findings.
type Tile struct {
	clickhouse.TableFeed
	Totals
}

// Floor returns the last events of all tables by property, pit and name; l.Property and l.Table narrow the list.
func (s *Store) Floor(ctx context.Context, scope Scope, l Location) ([]clickhouse.TableFeed, error) {
	w := in(scope).equal("property_id", l.Property).equal("table_id", l.Table)
	return read[clickhouse.TableFeed](ctx, s, "the floor", fmt.Sprintf(clickhouse.FeedQuery, w.String()), w)
}

// Tiles adds to feeds the open findings of their tables.
func (s *Store) Tiles(ctx context.Context, scope Scope, feeds []clickhouse.TableFeed) ([]Tile, error) {
	open, _, err := s.filtered(ctx, scope, &Filter{any: true})
	type table struct{ property, name string }
	tiles, totals := make([]Tile, len(feeds)), map[table]*Totals{}
	for i, f := range feeds {
		tiles[i].TableFeed = f
		totals[table{f.PropertyID, f.TableID}] = &tiles[i].Totals
	}
	for _, r := range open {
		if t := totals[table{r.PropertyID, r.TableID}]; t != nil {
			t.Open++
			*t.of(r.Severity)++
		}
	}
	return tiles, err
}

// MaxResults is the number of results of a table on a wall.
const MaxResults = 10

// LastResult is the result of a round.
type LastResult struct {
	PropertyID string `ch:"property_id"`
	TableID    string `ch:"table_id"`
	ShoeID     string `ch:"shoe_id"`
	Round      uint32 `ch:"round"`
	Result     string `ch:"result"`
}

// LastResults returns the last results of the shoes in play since a moment, the latest first, by property, table and
// shoe: feeds have several shoes of a table whose clock was wrong.
func (s *Store) LastResults(ctx context.Context, scope Scope, since time.Time) ([]LastResult, error) {
	of := in(scope).String()
	w := in(scope).with("results", MaxResults).since("at", since) // at is indexed
	return read[LastResult](ctx, s, "the last results", `SELECT property_id, table_id, shoe_id, round, result FROM (
		SELECT property_id, table_id, shoe_id, round, result, version FROM {{rounds}}
		WHERE `+w.String()+` AND (property_id, table_id, shoe_id) GLOBAL IN (
			SELECT property_id, table_id, shoe_id FROM {{feeds}} FINAL WHERE shoe_id != '' AND `+of+`)
		ORDER BY round DESC, version DESC LIMIT 1 BY property_id, table_id, shoe_id, round)
		ORDER BY property_id, table_id, shoe_id, round DESC LIMIT {results:Int64} BY property_id, table_id, shoe_id LIMIT 20000`, w)
}
