package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/shoeproof/shoeproof/pipeline"
)

// ClosedShoe is a shoe for which the rules of a whole shoe were evaluated.
type ClosedShoe struct {
	Pit, Table, Shoe string
	At, Closed       int64
	Decks, Out       uint32
	// Missing is true if events of the shoe are lost, Joined if its beginning is, Disputed if a finding about its feed is
	// open.
	Missing, Joined, Disputed bool
}

// PlayedRound is a round with its wagers.
type PlayedRound struct {
	Round                   uint32
	At                      int64
	Dealer, Config, Result  string
	Cards, Unseen           string
	Auditable, Irregular    bool
	FirstSeq                uint64
	Locked, Card, End       int64
	Batch, Shuffler, Reader string
	Breaches                uint64
	Wagers                  []PlayedWager
}

// PlayedWager is a wager with its vigorish.
type PlayedWager struct {
	ID                     string
	Seat                   uint32
	Spot, Patron           string
	Stake                  int64
	Done, Ruled            string
	Paid, Due              int64
	Placed                 int64
	Late                   bool
	LockStake, SettleStake int64
	VigDue, VigTaken       int64
}

// Watermark returns the time up to which every open table of a property has reported, and the time of the newest
// event. It ignores a table that is further behind than patience. Both are 0 without events.
func (s *Store) Watermark(ctx context.Context, property string, patience int64) (slowest, newest int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	err = s.conn.QueryRow(ctx, `WITH (SELECT max(at) FROM `+s.name("feeds")+` FINAL
WHERE property_id = {property:String}) AS newest
SELECT toUnixTimestamp64Nano(if(count() = 0, newest, min(f.at))), toUnixTimestamp64Nano(newest)
FROM `+s.name("feeds")+` AS f FINAL
WHERE f.property_id = {property:String}
AND toUnixTimestamp64Nano(f.at) > toUnixTimestamp64Nano(newest) - {patience:Int64} AND f.kind != 'table_closed'`,
		params("property", property, "patience", patience)...).Scan(&slowest, &newest)
	return max(slowest, 0), max(newest, 0), s.explain("read how far the feeds are", err)
}

// Closed returns the shoes of a property that were closed up to a time, in the order of closing, table and name, after
// the given shoe, of which only Closed, Table and Shoe count.
func (s *Store) Closed(
	ctx context.Context, property string, after ClosedShoe, until int64, limit int,
) ([]ClosedShoe, error) {
	const doing = "read the closed shoes"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	result, err := s.conn.Query(ctx, `SELECT s.pit_id, s.table_id, s.shoe_id, toUnixTimestamp64Nano(s.at),
toUnixTimestamp64Nano(s.closed_at), s.decks, s.cards_out,
s.missing, s.joined FROM `+s.name("shoes")+` AS s FINAL WHERE s.property_id = {property:String}
AND (toUnixTimestamp64Nano(s.closed_at), toString(s.table_id), s.shoe_id) > ({after:Int64}, {table:String},
{shoe:String}) AND toUnixTimestamp64Nano(s.closed_at) <= {until:Int64}
ORDER BY s.closed_at, s.table_id, s.shoe_id LIMIT {limit:UInt32}`,
		params("property", property, "after", after.Closed, "table", after.Table, "shoe", after.Shoe, "until", until,
			"limit", limit)...)
	if err != nil {
		return nil, s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	var all []ClosedShoe
	for result.Next() {
		var c ClosedShoe
		if err := result.Scan(&c.Pit, &c.Table, &c.Shoe, &c.At, &c.Closed, &c.Decks, &c.Out, &c.Missing,
			&c.Joined); err != nil {
			return nil, s.explain(doing, err)
		}
		all = append(all, c)
	}
	if err := result.Err(); err != nil || len(all) == 0 {
		return nil, s.explain(doing, err)
	}
	return all, s.dispute(ctx, property, all)
}

// dispute marks the shoes with an open finding about the feed.
func (s *Store) dispute(ctx context.Context, property string, shoes []ClosedShoe) error {
	const doing = "read the open findings about feeds"
	first := shoes[0].At
	for i := range shoes {
		first = min(first, shoes[i].At)
	}
	result, err := s.conn.Query(ctx, "SELECT table_id, toUnixTimestamp64Nano(at) FROM "+s.name("open_findings")+` FINAL
WHERE property_id = {property:String} AND kind = 'data_fault' AND toUnixTimestamp64Nano(at) >= {first:Int64}`,
		params("property", property, "first", first)...)
	if err != nil {
		return s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	for result.Next() {
		var table string
		var at int64
		if err := result.Scan(&table, &at); err != nil {
			return s.explain(doing, err)
		}
		for i := range shoes {
			if c := &shoes[i]; c.Table == table && c.At <= at && at <= c.Closed {
				c.Disputed = true
			}
		}
	}
	return s.explain(doing, result.Err())
}

// RoundsOf returns the rounds of a shoe with their wagers, in order.
func (s *Store) RoundsOf(ctx context.Context, property, table, shoe string) ([]PlayedRound, error) {
	doing := "read the rounds of shoe " + shoe
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	args := params("property", property, "table", table, "shoe", shoe)
	const where = " FINAL WHERE property_id = {property:String} AND table_id = {table:String} AND shoe_id = {shoe:String}"
	result, err := s.conn.Query(ctx, `SELECT round, toUnixTimestamp64Nano(at), dealer_id, config_id, result, cards,
unseen, auditable, first_seq,
toUnixTimestamp64Nano(locked_at), toUnixTimestamp64Nano(card_at), toUnixTimestamp64Nano(end_at), batch_id,
shuffler, reader, irregular
FROM `+s.name("rounds")+where+" ORDER BY round", args...)
	if err != nil {
		return nil, s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	var all []PlayedRound
	at := map[uint32]int{}
	for result.Next() {
		var r PlayedRound
		if err := result.Scan(&r.Round, &r.At, &r.Dealer, &r.Config, &r.Result, &r.Cards, &r.Unseen, &r.Auditable,
			&r.FirstSeq,
			&r.Locked, &r.Card, &r.End, &r.Batch, &r.Shuffler, &r.Reader, &r.Irregular); err != nil {
			return nil, s.explain(doing, err)
		}
		at[r.Round] = len(all)
		all = append(all, r)
	}
	if err := result.Err(); err != nil {
		return nil, s.explain(doing, err)
	}
	// Vigorish that is collected with other wagers has a sequence number and no amount.
	wagers, err := s.conn.Query(ctx, `SELECT w.round, w.wager_id, w.seat, w.spot, w.patron, w.stake, w.disposition,
w.expected, w.paid, w.expected_paid,
toUnixTimestamp64Nano(w.placed_at), w.late, w.lock_stake, w.settle_stake, v.least,
if(v.collected_seq > 0 AND v.marked = 0 AND v.collected = 0, v.least, greatest(v.marked, v.collected))
FROM (SELECT * FROM `+s.name("wagers")+where+`) AS w
LEFT JOIN (SELECT * FROM `+s.name("vigorish")+where+` AND kind = 'COMMISSION') AS v ON v.round = w.round
AND v.wager_id = w.wager_id
ORDER BY w.round, w.placed_seq, w.wager_id`, args...)
	if err != nil {
		return nil, s.explain(doing, err)
	}
	defer func() { _ = wagers.Close() }()
	for wagers.Next() {
		var round uint32
		var w PlayedWager
		if err := wagers.Scan(&round, &w.ID, &w.Seat, &w.Spot, &w.Patron, &w.Stake, &w.Done, &w.Ruled, &w.Paid, &w.Due,
			&w.Placed, &w.Late, &w.LockStake, &w.SettleStake, &w.VigDue, &w.VigTaken); err != nil {
			return nil, s.explain(doing, err)
		}
		if i, ok := at[round]; ok {
			all[i].Wagers = append(all[i].Wagers, w)
		}
	}
	if err := wagers.Err(); err != nil {
		return nil, s.explain(doing, err)
	}
	breaches, err := s.conn.Query(ctx, "SELECT round, count() FROM "+s.name("findings")+where+
		" AND kind = 'deviation' AND verdict = 'BREACH' AND match(rule, '^(draw|deal|order|cut|shoe[.]burn)[.]') "+
		"GROUP BY round", args...)
	if err != nil {
		return nil, s.explain(doing, err)
	}
	defer func() { _ = breaches.Close() }()
	for breaches.Next() {
		var round uint32
		var n uint64
		if err := breaches.Scan(&round, &n); err != nil {
			return nil, s.explain(doing, err)
		}
		if i, ok := at[round]; ok {
			all[i].Breaches = n
		}
	}
	return all, s.explain(doing, breaches.Err())
}

// EventIDs returns the ids of the archived events of a table by Seq.
func (s *Store) EventIDs(ctx context.Context, property, table string, seqs []uint64) (map[uint64]string, error) {
	const doing = "read the ids of events"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	result, err := s.conn.Query(ctx, "SELECT seq, min(event_id) FROM "+s.name("events")+
		" WHERE property_id = {property:String} AND table_id = {table:String} AND has({seqs:Array(UInt64)}, seq) "+
		"GROUP BY seq",
		params("property", property, "table", table, "seqs", seqs)...)
	if err != nil {
		return nil, s.explain(doing, err)
	}
	defer func() { _ = result.Close() }()
	ids := map[uint64]string{}
	for result.Next() {
		var seq uint64
		var id string
		if err := result.Scan(&seq, &id); err != nil {
			return nil, s.explain(doing, err)
		}
		ids[seq] = id
	}
	return ids, s.explain(doing, result.Err())
}

// AddEvidence stores evidence over stored facts. Rows that are stored already are stored once.
func (s *Store) AddEvidence(ctx context.Context, run string, list []rows.Evidence) error {
	sum := sha256.New()
	for i := range list {
		fmt.Fprintf(sum, "%+v\n", list[i])
	}
	t := s.table(rows.Find("evidence"), 0)
	return s.insert(ctx, &t, rows.ViewOf(list), &pipeline.Range{Topic: run + " " + hex.EncodeToString(sum.Sum(nil)[:16])})
}
