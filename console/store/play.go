package store

import (
	"context"
	"strings"
	"time"
)

// Round is a round as played.
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

// Wager is a wager as placed and settled. Patron is masked.
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

// Vigorish is what a wager owed.
type Vigorish struct {
	ShoeID       string    `ch:"shoe_id"`
	Round        uint32    `ch:"round"`
	At           time.Time `ch:"at"`
	WagerID      string    `ch:"wager_id"`
	Seat         uint32    `ch:"seat"`
	Kind         string    `ch:"kind"`
	Won          int64     `ch:"won"`
	Least        int64     `ch:"least"`
	Most         int64     `ch:"most"`
	Marked       int64     `ch:"marked"`
	Collected    int64     `ch:"collected"`
	MarkedSeq    uint64    `ch:"marked_seq"`
	CollectedSeq uint64    `ch:"collected_seq"`
}

// Shoe is a shoe as played.
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
	Joined      bool      `ch:"joined"`
	Missing     bool      `ch:"missing"`
	FirstSeq    uint64    `ch:"first_seq"`
	LastSeq     uint64    `ch:"last_seq"`
	Rulebook    string    `ch:"rulebook"`
	Engine      string    `ch:"engine"`
}

// Config is a configuration in force.
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

// Place names a table, a shoe of it, or a round of that.
type Place struct {
	Property, Table, Shoe string
	Round                 uint32
}

// in is a condition on columns of the sorting key alone, which all versions of a row have in common. So it may stand in a PREWHERE: the
// other columns are read only where it holds.
func (p Place) in(scope Scope) *where {
	w := in(scope).and("property_id = {property_id:String} AND table_id = {table_id:String}", "property_id", p.Property, "table_id", p.Table)
	if p.Shoe != "" {
		w.equal("shoe_id", p.Shoe)
	}
	if p.Round > 0 {
		w.and("round = {round:UInt32}", "round", p.Round)
	}
	return w
}

func columns[T any]() string { return strings.Join(columnsOf[T](), ", ") }

// Rounds are the rounds of a place in order.
func (s *Store) Rounds(ctx context.Context, scope Scope, p Place) ([]Round, error) {
	w := p.in(scope)
	return read[Round](ctx, s, "rounds", `SELECT `+columns[Round]()+` FROM {{rounds}} FINAL PREWHERE `+w.String()+` ORDER BY at, round LIMIT 1000`, w)
}

// Wagers are the wagers of a place.
func (s *Store) Wagers(ctx context.Context, scope Scope, p Place) ([]Wager, error) {
	w := p.in(scope)
	return read[Wager](ctx, s, "wagers", `SELECT `+columns[Wager]()+` FROM {{wagers}} FINAL PREWHERE `+w.String()+` ORDER BY round, seat, spot, wager_id LIMIT 5000`, w)
}

// Ledger is what the wagers of a place owed in vigorish.
func (s *Store) Ledger(ctx context.Context, scope Scope, p Place) ([]Vigorish, error) {
	w := p.in(scope)
	return read[Vigorish](ctx, s, "the vigorish ledger", `SELECT `+columns[Vigorish]()+` FROM {{vigorish}} FINAL PREWHERE `+w.String()+` ORDER BY round, seat, wager_id LIMIT 5000`, w)
}

// Shoes are the shoes of a place, the latest first.
func (s *Store) Shoes(ctx context.Context, scope Scope, p Place) ([]Shoe, error) {
	w := p.in(scope)
	return read[Shoe](ctx, s, "shoes", `SELECT `+columns[Shoe]()+` FROM {{shoes}} FINAL PREWHERE `+w.String()+` ORDER BY at DESC LIMIT 100`, w)
}

// Configs are the configurations of a table, the latest first.
func (s *Store) Configs(ctx context.Context, scope Scope, p Place) ([]Config, error) {
	w := Place{Property: p.Property, Table: p.Table}.in(scope)
	return read[Config](ctx, s, "configurations", `SELECT `+columns[Config]()+` FROM {{table_configs}} FINAL PREWHERE `+w.String()+` ORDER BY at DESC, seq DESC LIMIT 50`, w)
}

// Tile is a table of the floor: its last event, and what waits there.
type Tile struct {
	PropertyID string    `ch:"property_id"`
	PitID      string    `ch:"pit_id"`
	TableID    string    `ch:"table_id"`
	At         time.Time `ch:"at"`
	Seq        uint64    `ch:"seq"`
	ShoeID     string    `ch:"shoe_id"`
	Round      uint32    `ch:"round"`
	Kind       string    `ch:"kind"`
	ReceivedAt time.Time `ch:"received_at"`
	Totals
}

// Floor is every table, by property and name; a table narrows it to one.
func (s *Store) Floor(ctx context.Context, scope Scope, p Place) ([]Tile, error) {
	w := in(scope).equal("property_id", p.Property).equal("table_id", p.Table)
	tiles, err := read[Tile](ctx, s, "the floor", `SELECT property_id, pit_id, table_id, at, seq, shoe_id, round, kind, received_at FROM {{feeds}} FINAL WHERE `+w.String()+
		` ORDER BY property_id, pit_id, table_id LIMIT 2000`, w)
	if err != nil {
		return nil, err
	}
	open, _, err := s.waiting(ctx, scope, &Filter{Property: p.Property, Table: p.Table, any: true})
	type place struct{ property, table string }
	at := map[place]*Totals{}
	for i := range tiles {
		at[place{tiles[i].PropertyID, tiles[i].TableID}] = &tiles[i].Totals
	}
	for _, r := range open {
		if t := at[place{r.PropertyID, r.TableID}]; t != nil {
			t.Open++
			*t.of(r.Severity)++
		}
	}
	return tiles, err
}
