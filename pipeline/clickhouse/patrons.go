package clickhouse

import (
	"context"

	"github.com/shoeproof/shoeproof/schema"
)

// NamedWager is a stored wager that has the pseudonym of a patron.
type NamedWager struct {
	Table  string `column:"table_id"`
	Shoe   string `column:"shoe_id"`
	ID     string `column:"wager_id"`
	Patron string `column:"patron"`
	Placed uint64 `column:"placed_seq"`
}

// WagerSample selects wagers of rounds of a property from one time to before another, at some tables, or at all if
// Tables is empty.
type WagerSample struct {
	Property    string
	Tables      []string
	From, Until int64
	Limit       int
}

// NamedWagers returns wagers that have the pseudonym of a patron. A hash of their keys selects them, so that they are
// of all shoes, and the same in each query.
func (s *Store) NamedWagers(ctx context.Context, of *WagerSample) ([]NamedWager, error) {
	where := property
	args := params("property", of.Property, "from", of.From, "until", of.Until, "limit", of.Limit)
	if len(of.Tables) > 0 {
		where += "table_id IN {tables:Array(String)} AND "
		args = append(args, params("tables", of.Tables)...)
	}
	all, err := selected[NamedWager](ctx, s, "wagers", where+`at >= fromUnixTimestamp64Nano({from:Int64})
AND at < fromUnixTimestamp64Nano({until:Int64}) AND patron != ''
ORDER BY sipHash64(table_id, shoe_id, round, wager_id) LIMIT {limit:UInt32}`, args)
	return all, s.explain("read wagers with a patron", err)
}

// Placements returns the archived events of a property, from one time to before another, that placed wagers.
func (s *Store) Placements(ctx context.Context, of string, from, until int64, wagers []NamedWager) (
	[]schema.Event, error,
) {
	var tables []string
	var placed []uint64
	for i := range wagers {
		tables, placed = append(tables, wagers[i].Table), append(placed, wagers[i].Placed)
	}
	return s.naming(ctx, "kind IN ('wager_placed', 'banker_wagered') AND seq IN {placed:Array(UInt64)}",
		params("property", of, "tables", tables, "from", from, "until", until, "placed", placed))
}

// Occupations returns the archived events of tables, from one time to before another, by which patrons took seats.
func (s *Store) Occupations(ctx context.Context, of string, from, until int64, tables []string) (
	[]schema.Event, error,
) {
	return s.naming(ctx, "kind = 'seat_occupied'",
		params("property", of, "tables", tables, "from", from, "until", until))
}

// naming returns the events that fulfil a condition. An event that cannot be decoded is left out.
func (s *Store) naming(ctx context.Context, condition string, args []any) (all []schema.Event, err error) {
	d := schema.NewDecoder()
	d.AcceptAny()
	var format int8
	var raw []byte
	err = s.scan(ctx, "SELECT toInt8(format), raw FROM "+s.name("events")+" WHERE "+property+
		`table_id IN {tables:Array(String)} AND at >= fromUnixTimestamp64Nano({from:Int64})
AND at < fromUnixTimestamp64Nano({until:Int64}) AND `+condition+" ORDER BY table_id, at, seq, event_id, sha256", args, func() {
		var ev schema.Event
		if d.Decode(schema.Format(format), raw, &ev) == nil {
			all = append(all, ev.Clone())
		}
	}, &format, &raw)
	return all, s.explain("read the events that name patrons", err)
}
