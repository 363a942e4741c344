package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// ClosedShoe is a shoe for which the rules of a whole shoe were evaluated.
type ClosedShoe struct {
	Pit    string `column:"pit_id"`
	Table  string `column:"table_id"`
	Shoe   string `column:"shoe_id"`
	At     int64  `column:"at,time"`
	Closed int64  `column:"closed_at,time"`
	Decks  uint32 `column:"decks"`
	Out    uint32 `column:"cards_out"`
	// Missing is true if events of the shoe are lost, Joined if its beginning is. Faults are the times of open findings
	// about its feed.
	Missing bool    `column:"missing"`
	Joined  bool    `column:"joined"`
	Faults  []int64 `column:"-"`
}

// PlayedRound is a round with its wagers.
type PlayedRound struct {
	Round     uint32        `column:"round"`
	At        int64         `column:"at,time"`
	Dealer    string        `column:"dealer_id"`
	Config    string        `column:"config_id"`
	Result    string        `column:"result"`
	Cards     string        `column:"cards"`
	Unseen    string        `column:"unseen"`
	Auditable bool          `column:"auditable"`
	Irregular bool          `column:"irregular"`
	FirstSeq  uint64        `column:"first_seq"`
	Locked    int64         `column:"locked_at,time"`
	Card      int64         `column:"card_at,time"`
	End       int64         `column:"end_at,time"`
	Batch     string        `column:"batch_id"`
	Shuffler  string        `column:"shuffler"`
	Reader    string        `column:"reader"`
	Breaches  uint64        `column:"-"`
	Misread   bool          `column:"-"`
	Wagers    []PlayedWager `column:"-"`
}

// PlayedWager is a wager with its vigorish.
type PlayedWager struct {
	Round       uint32 `column:"round"`
	ID          string `column:"wager_id"`
	Seat        uint32 `column:"seat"`
	Spot        string `column:"spot"`
	Patron      string `column:"patron"`
	Stake       int64  `column:"stake"`
	Done        string `column:"disposition"`
	Ruled       string `column:"expected"`
	Paid        int64  `column:"paid"`
	Due         int64  `column:"expected_paid"`
	Placed      int64  `column:"placed_at,time"`
	Late        bool   `column:"late"`
	LockStake   int64  `column:"lock_stake"`
	SettleStake int64  `column:"settle_stake"`
	VigDue      int64  `column:"-"`
	VigTaken    int64  `column:"-"`
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
	all, err := selected[ClosedShoe](ctx, s, "shoes", `property_id = {property:String}
AND (toUnixTimestamp64Nano(closed_at), toString(table_id), shoe_id) > ({after:Int64}, {table:String}, {shoe:String})
AND toUnixTimestamp64Nano(closed_at) <= {until:Int64} ORDER BY closed_at, table_id, shoe_id LIMIT {limit:UInt32}`,
		params("property", property, "after", after.Closed, "table", after.Table, "shoe", after.Shoe, "until", until,
			"limit", limit))
	if err != nil || len(all) == 0 {
		return nil, s.explain(doing, err)
	}
	return all, s.dispute(ctx, property, all)
}

// Behind are the shoes that were closed before a time, Before, and after the last known one of their table, which is
// Since for a table that is not in Last; ns.
type Behind struct {
	Last          map[string]int64
	Since, Before int64
}

// Overdue returns shoes that are behind, in the order of Closed.
func (s *Store) Overdue(ctx context.Context, property string, behind Behind, limit int) ([]ClosedShoe, error) {
	const doing = "read the shoes of late feeds"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	tables, times := []string{""}, []uint64{0}
	for table, at := range behind.Last {
		tables, times = append(tables, table), append(times, uint64(at))
	}
	all, err := selected[ClosedShoe](ctx, s, "shoes", `property_id = {property:String}
AND toUnixTimestamp64Nano(closed_at) < {before:UInt64}
AND toUnixTimestamp64Nano(closed_at) > transform(toString(table_id),
{tables:Array(String)}, {times:Array(UInt64)}, {since:UInt64})
ORDER BY closed_at, table_id, shoe_id LIMIT {limit:UInt32}`,
		params("property", property, "before", uint64(max(behind.Before, 0)), "tables", tables, "times", times,
			"since", uint64(max(behind.Since, 0)), "limit", limit))
	if err != nil || len(all) == 0 {
		return nil, s.explain(doing, err)
	}
	return all, s.dispute(ctx, property, all)
}

// dispute adds the times of open findings about the feed to the shoes. Lost events are noted with the rounds that they
// touch.
func (s *Store) dispute(ctx context.Context, property string, shoes []ClosedShoe) error {
	const doing = "read the open findings about feeds"
	first := shoes[0].At
	for i := range shoes {
		first = min(first, shoes[i].At)
	}
	result, err := s.conn.Query(ctx, "SELECT table_id, toUnixTimestamp64Nano(at) FROM "+s.name("open_findings")+` FINAL
WHERE property_id = {property:String} AND kind = 'data_fault' AND rule != 'feed.gap' AND toUnixTimestamp64Nano(at) >= {first:Int64}`,
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
				c.Faults = append(c.Faults, at)
			}
		}
	}
	return s.explain(doing, result.Err())
}

// selected returns the columns of R of the rows of a table that fulfil a condition.
func selected[R any](ctx context.Context, s *Store, table, where string, args []any) ([]R, error) {
	t := rows.TableOf[R](table)
	of := newReader[R](&t)
	result, err := s.conn.Query(ctx, "SELECT "+of.columns+" FROM "+s.name(table)+" FINAL WHERE "+where, args...)
	if err != nil {
		return nil, err
	}
	return of.all(result)
}

const ofShoe = "property_id = {property:String} AND table_id = {table:String} AND shoe_id = {shoe:String}"

// RoundsOf returns the rounds of a shoe with their wagers, in order.
func (s *Store) RoundsOf(ctx context.Context, property, table, shoe string) ([]PlayedRound, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	args := params("property", property, "table", table, "shoe", shoe)
	all, err := selected[PlayedRound](ctx, s, "rounds", ofShoe+" ORDER BY round", args)
	if err == nil {
		err = s.addWagers(ctx, all, args)
	}
	if err == nil {
		err = s.countBreaches(ctx, all, args)
	}
	return all, s.explain("read the rounds of shoe "+shoe, err)
}

// addWagers adds the wagers of a shoe to its rounds.
func (s *Store) addWagers(ctx context.Context, all []PlayedRound, args []any) error {
	wagers, err := selected[PlayedWager](ctx, s, "wagers", ofShoe+" ORDER BY round, placed_seq, wager_id", args)
	if err != nil {
		return err
	}
	ledger, err := selected[rows.Vigorish](ctx, s, "vigorish", ofShoe+" AND kind = 'COMMISSION'", args)
	if err != nil {
		return err
	}
	type key struct {
		round uint32
		id    string
	}
	owed := map[key]*rows.Vigorish{}
	for i := range ledger {
		owed[key{ledger[i].Round, ledger[i].WagerID}] = &ledger[i]
	}
	at := indexOf(all)
	for _, w := range wagers {
		if v := owed[key{w.Round, w.ID}]; v != nil {
			w.VigDue, w.VigTaken = v.Least, max(v.Marked, v.Collected)
			if v.CollectedSeq > 0 && w.VigTaken == 0 { // collected with other wagers: without an amount of its own
				w.VigTaken = v.Least
			}
		}
		if i, ok := at[w.Round]; ok {
			all[i].Wagers = append(all[i].Wagers, w)
		}
	}
	return nil
}

// countBreaches counts the findings of the rules about dealing in each round, and notes the rounds in which a reader is
// suspected of having misread a card. A finding that is SUSPECT only because
// its law is assumed, or not in force, counts as under the text: else a table under assumed law would never err.
func (s *Store) countBreaches(ctx context.Context, all []PlayedRound, args []any) error {
	result, err := s.conn.Query(ctx, "SELECT round, countIf(rule != 'count.reader-suspected'), toBool(max(rule = 'count.reader-suspected')) FROM "+s.name("findings")+" FINAL WHERE "+ofShoe+
		" AND kind = 'deviation' AND (verdict = 'BREACH' OR verdict = 'SUSPECT' AND "+
		"(startsWith(basis, 'assumed:') OR basis = 'not-in-force' OR rule = 'count.reader-suspected')) "+
		"AND match(rule, '^(draw|deal|order|cut|shoe[.]burn)[.]|^count[.]reader-suspected$') GROUP BY round", args...)
	if err != nil {
		return err
	}
	defer func() { _ = result.Close() }()
	at := indexOf(all)
	for result.Next() {
		var round uint32
		var n uint64
		var misread bool
		if err := result.Scan(&round, &n, &misread); err != nil {
			return err
		}
		if i, ok := at[round]; ok {
			all[i].Breaches, all[i].Misread = n, misread
		}
	}
	return result.Err()
}

// indexOf finds a round by its number.
func indexOf(all []PlayedRound) map[uint32]int {
	at := make(map[uint32]int, len(all))
	for i := range all {
		at[all[i].Round] = i
	}
	return at
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
	return s.insertAll(ctx, &t, rows.ViewOf(list), run+" "+hex.EncodeToString(sum.Sum(nil)[:16]))
}
