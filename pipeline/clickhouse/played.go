package clickhouse

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// Cursor is a place in the order in which rounds and shoes are scored: by the time at which they were settled or
// closed, then by table, shoe and round. The end of a shoe follows its rounds.
type Cursor struct {
	At          int64
	Table, Shoe string
	Round       uint32
}

// EndOfShoe is the Round of a cursor at the end of a shoe.
const EndOfShoe = math.MaxUint32

// Compare is negative if c is before o.
func (c *Cursor) Compare(o *Cursor) int {
	return cmp.Or(cmp.Compare(c.At, o.At), cmp.Compare(c.Table, o.Table), cmp.Compare(c.Shoe, o.Shoe),
		cmp.Compare(c.Round, o.Round))
}

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

// Cursor is the place of the end of the shoe.
func (c *ClosedShoe) Cursor() Cursor { return Cursor{c.Closed, c.Table, c.Shoe, EndOfShoe} }

// PlayedRound is a round with its wagers.
type PlayedRound struct {
	Pit       string        `column:"pit_id"`
	Table     string        `column:"table_id"`
	Shoe      string        `column:"shoe_id"`
	Round     uint32        `column:"round"`
	Settled   int64         `column:"settled_at,time"`
	Decks     uint32        `column:"decks"`
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
	// Faults are the times of open findings about the feed of the table, of the day before the settlement of the round.
	Faults []int64 `column:"-"`
}

// Cursor is the place of the round.
func (p *PlayedRound) Cursor() Cursor { return Cursor{p.Settled, p.Table, p.Shoe, p.Round} }

// PlayedWager is a wager with its vigorish.
type PlayedWager struct {
	Table       string `column:"table_id"`
	Shoe        string `column:"shoe_id"`
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
// event. It ignores a table that is further behind than patience, and one whose clock is ahead. Both are 0 without
// events.
func (s *Store) Watermark(ctx context.Context, property string, patience int64) (slowest, newest int64, err error) {
	var feeds []feedTime
	var f feedTime
	err = s.scan(ctx, `SELECT table_id, toUnixTimestamp64Nano(at), toUnixTimestamp64Milli(received_at),
toBool(kind = 'table_closed') FROM `+s.name("feeds")+" FINAL WHERE property_id = {property:String} "+
		"ORDER BY table_id, received_at, seq, clock", params("property", property), func() {
		f.received *= int64(time.Millisecond)
		feeds = append(feeds, f)
	}, &f.table, &f.at, &f.received, &f.closed)
	slowest, newest = watermark(feeds, patience)
	return slowest, newest, s.explain("read how far the feeds are", err)
}

// feedTime is the time of the last event of a table and that of its receipt, ns UTC. A table whose clock was wrong has
// several.
type feedTime struct {
	table        string
	at, received int64
	closed       bool
}

// watermark is Watermark of the feeds of a property.
func watermark(feeds []feedTime, patience int64) (slowest, newest int64) {
	last := map[string]feedTime{}
	for _, f := range withoutAhead(feeds, patience/2) {
		newest = max(newest, f.at)
		if of, known := last[f.table]; !known || f.at > of.at {
			last[f.table] = f
		}
	}
	slowest = newest
	for _, f := range last {
		if !f.closed && f.at > newest-patience {
			slowest = min(slowest, f.at)
		}
	}
	return max(slowest, 0), newest
}

// withoutAhead leaves out events that are later than their receipt, if the last event of some table agrees with its
// receipt: all other tables would be behind one that is hours ahead. Feeds that are all ahead are simulated.
func withoutAhead(feeds []feedTime, tolerance int64) []feedTime {
	ahead := func(f feedTime) bool { return f.at > f.received+tolerance }
	latest := map[string]feedTime{}
	for _, f := range feeds {
		if f.received >= latest[f.table].received {
			latest[f.table] = f
		}
	}
	for _, f := range latest {
		if f.at >= f.received-tolerance && !ahead(f) {
			return slices.DeleteFunc(feeds, ahead)
		}
	}
	return feeds
}

// afterCursor is the condition that a time and a round are behind a cursor, and not behind a time.
func afterCursor(at, round string) string {
	return at + " >= fromUnixTimestamp64Nano({after:Int64}) AND " + at + ` <= fromUnixTimestamp64Nano({until:Int64})
AND (toUnixTimestamp64Nano(` + at + "), toString(table_id), shoe_id, " + round + `) >
({after:Int64}, {table:String}, {shoe:String}, {round:UInt32})
ORDER BY ` + at + ", table_id, shoe_id, " + round + " LIMIT {limit:UInt32}"
}

func cursorParams(property string, after Cursor, until int64, limit int) []any {
	return params("property", property, "after", max(after.At, 0), "table", after.Table, "shoe", after.Shoe,
		"round", after.Round, "until", until, "limit", limit, "since", max(after.At-int64(longestRound), 0))
}

// longestRound bounds the time from the beginning of a round to its settlement, and of a shoe to its closing: rows that
// began earlier are not read.
const longestRound = 7 * 24 * time.Hour

const property = "property_id = {property:String} AND "

// Closed returns the shoes of a property that were closed behind a cursor, up to a time, in order.
func (s *Store) Closed(
	ctx context.Context, of string, after Cursor, until int64, limit int,
) ([]ClosedShoe, error) {
	const doing = "read the closed shoes"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	all, err := selected[ClosedShoe](ctx, s, "shoes", property+"at >= fromUnixTimestamp64Nano({since:Int64}) AND "+
		afterCursor("closed_at", "toUInt32(4294967295)"), cursorParams(of, after, until, limit))
	if err != nil || len(all) == 0 {
		return nil, s.explain(doing, err)
	}
	return all, s.dispute(ctx, of, all)
}

// Settled returns the rounds of a property that were settled behind a cursor, up to a time, in order, with what is
// known when they are settled: without vigorish and without breaches.
func (s *Store) Settled(
	ctx context.Context, of string, after Cursor, until int64, limit int,
) ([]PlayedRound, error) {
	const doing = "read the settled rounds"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	all, err := selected[PlayedRound](ctx, s, "rounds", property+"at >= fromUnixTimestamp64Nano({since:Int64}) AND "+
		afterCursor("settled_at", "round"), cursorParams(of, after, until, limit))
	if err == nil && len(all) > 0 {
		err = s.prompt(ctx, of, all)
	}
	return all, s.explain(doing, err)
}

// prompt adds wagers, suspected readers and faults of the feed to settled rounds.
func (s *Store) prompt(ctx context.Context, of string, all []PlayedRound) error {
	at, from, to := map[shoeRound]*PlayedRound{}, all[0].At, all[0].At
	var tables, shoes []string
	for i := range all {
		p := &all[i]
		at[shoeRound{p.Table, p.Shoe, p.Round}] = p
		tables, shoes = append(tables, p.Table), append(shoes, p.Shoe)
		from, to = min(from, p.At), max(to, p.At)
	}
	slices.Sort(tables)
	slices.Sort(shoes)
	args := params("property", of, "tables", slices.Compact(tables), "shoes", slices.Compact(shoes), "from", from,
		"to", to)
	const shown = property + "table_id IN {tables:Array(String)} AND shoe_id IN {shoes:Array(String)} AND "
	wagers, err := selected[PlayedWager](ctx, s, "wagers", shown+`at >= fromUnixTimestamp64Nano({from:Int64})
AND at <= fromUnixTimestamp64Nano({to:Int64}) ORDER BY table_id, shoe_id, round, placed_seq, wager_id`, args)
	if err != nil {
		return err
	}
	for i := range wagers {
		if p := at[shoeRound{wagers[i].Table, wagers[i].Shoe, wagers[i].Round}]; p != nil {
			p.Wagers = append(p.Wagers, wagers[i])
		}
	}
	suspected, err := selected[suspectedReader](ctx, s, "findings", shown+`rule = 'count.reader-suspected'
AND kind = 'deviation' AND verdict IN ('BREACH', 'SUSPECT')`, args)
	if err != nil {
		return err
	}
	for _, f := range suspected {
		if p := at[shoeRound{f.Table, f.Shoe, f.Round}]; p != nil {
			p.Misread = true
		}
	}
	return s.faults(ctx, of, from-int64(faultsBefore), func(table string, moment int64) {
		for i := range all {
			if p := &all[i]; p.Table == table && p.At-int64(faultsBefore) <= moment && moment <= p.Settled {
				p.Faults = append(p.Faults, moment)
			}
		}
	})
}

// faultsBefore is how long before a round the findings about its feed are read.
const faultsBefore = 24 * time.Hour

// suspectedReader is a round in which a reader is suspected of having misread a card.
type suspectedReader struct {
	Table string `column:"table_id"`
	Shoe  string `column:"shoe_id"`
	Round uint32 `column:"round"`
}

// Behind is what is scored of the tables of a property: the last round or shoe of each table, the time Since for a
// table that is not in Last, and the cursor of those in order.
type Behind struct {
	Last  map[string]Cursor
	Since int64
	After Cursor
}

// Overdue returns rounds and shoes that were settled up to the time of the cursor and are not scored, in order. It is
// called when none is left behind the cursor.
func (s *Store) Overdue(ctx context.Context, of string, behind *Behind, limit int) (
	rounds []PlayedRound, shoes []ClosedShoe, err error,
) {
	const doing = "read the rounds and shoes of late feeds"
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	for _, g := range behind.groups() {
		args := append(params("property", of, "before", max(behind.After.At, 0), "limit", limit,
			"began", max(g.since-int64(longestRound), 0)), g.args...)
		where := func(at, round string) string {
			return property + g.tables + " AND at >= fromUnixTimestamp64Nano({began:Int64}) AND " + at +
				` <= fromUnixTimestamp64Nano({before:Int64})
AND (toUInt64(toUnixTimestamp64Nano(` + at + ")), toUInt64(" + round + `)) >
(transform(toString(table_id), {tables:Array(String)}, {times:Array(UInt64)}, {since:UInt64}),
transform(toString(table_id), {tables:Array(String)}, {numbers:Array(UInt64)}, toUInt64(0)))
ORDER BY ` + at + ", table_id, shoe_id, " + round + " LIMIT {limit:UInt32}"
		}
		some, err := selected[PlayedRound](ctx, s, "rounds", where("settled_at", "round"), args)
		if err != nil {
			return nil, nil, s.explain(doing, err)
		}
		ended, err := selected[ClosedShoe](ctx, s, "shoes", where("closed_at", "toUInt32(4294967295)"), args)
		if err != nil {
			return nil, nil, s.explain(doing, err)
		}
		rounds, shoes = append(rounds, some...), append(shoes, ended...)
	}
	rounds, shoes = earliest(rounds, limit), earliest(shoes, limit)
	if len(rounds) > 0 {
		err = s.prompt(ctx, of, rounds)
	}
	if err == nil && len(shoes) > 0 {
		err = s.dispute(ctx, of, shoes)
	}
	return rounds, shoes, s.explain(doing, err)
}

// tableGroup is a condition on tables with its parameters. What is not scored of them was settled after a time.
type tableGroup struct {
	tables string
	args   []any
	since  int64
}

// groups are the tables by how far they are scored, so that a query reads few rows that are scored: up to the last
// day, up to before it, as a table that is closed for good, and not at all.
func (b *Behind) groups() []tableGroup {
	tables, times, numbers := []string{""}, []uint64{0}, []uint64{0}
	var names [2][]string
	since := [2]int64{b.After.At, b.After.At}
	for table, last := range b.Last {
		tables, times, numbers = append(tables, table), append(times, uint64(last.At)), append(numbers, uint64(last.Round))
		k := 0
		if b.After.At-last.At > int64(24*time.Hour) {
			k = 1
		}
		names[k], since[k] = append(names[k], table), min(since[k], last.At)
	}
	args := params("tables", tables, "times", times, "numbers", numbers, "since", uint64(max(b.Since, 0)))
	all := []tableGroup{{"table_id NOT IN {tables:Array(String)}", args, b.Since}}
	for k := range names {
		if len(names[k]) > 0 {
			all = append(all, tableGroup{
				"table_id IN {group:Array(String)}", append(params("group", names[k]), args...), since[k],
			})
		}
	}
	return all
}

// earliest are the first of rounds or shoes in the order of their cursors.
func earliest[R any, P interface {
	*R
	Cursor() Cursor
}](all []R, limit int) []R {
	slices.SortFunc(all, func(a, b R) int {
		x, y := P(&a).Cursor(), P(&b).Cursor()
		return x.Compare(&y)
	})
	return all[:min(len(all), limit)]
}

// dispute adds the times of open findings about the feed to the shoes.
func (s *Store) dispute(ctx context.Context, of string, shoes []ClosedShoe) error {
	first := shoes[0].At
	for i := range shoes {
		first = min(first, shoes[i].At)
	}
	return s.faults(ctx, of, first, func(table string, moment int64) {
		for i := range shoes {
			if c := &shoes[i]; c.Table == table && c.At <= moment && moment <= c.Closed {
				c.Faults = append(c.Faults, moment)
			}
		}
	})
}

// faults yields the open findings of the live audit about feeds since a time. Lost events are noted with the rounds
// that they touch. What a night adds, as a difference between two audits, is left out: a repeated night would score
// other rounds. A finding that was closed is open by no older row, which has another time or urgency.
func (s *Store) faults(ctx context.Context, of string, first int64, yield func(table string, at int64)) error {
	var table string
	var at int64
	const feeds = " WHERE property_id = {property:String} AND kind = 'data_fault' AND rule != 'feed.gap' "
	queue := s.name("open_findings")
	since := queue + " FINAL" + feeds + "AND toUnixTimestamp64Nano(at) >= {first:Int64}"
	query := "SELECT table_id, toUnixTimestamp64Nano(at) FROM " + since + " AND (id, version) GLOBAL IN (SELECT id, " +
		"max(version) FROM " + queue + feeds + "AND id GLOBAL IN (SELECT id FROM " + since + ") GROUP BY id) " +
		"AND id GLOBAL IN (SELECT id FROM " + s.name("findings") + feeds + "AND version > 0 " +
		"AND at >= fromUnixTimestamp64Nano({first:Int64})) ORDER BY table_id, at"
	err := s.scan(ctx, query, params("property", of, "first", first), func() { yield(table, at) }, &table, &at)
	return s.explain("read the open findings about feeds", err)
}

// selected returns the columns of R of the rows of a table that fulfil a condition.
func selected[R any](ctx context.Context, s *Store, table, where string, args []any) ([]R, error) {
	return readRows[R](ctx, s, table, " FINAL WHERE "+where, args)
}

// readRows returns the columns of R of the rows of a table. The query ends with rest.
func readRows[R any](ctx context.Context, s *Store, table, rest string, args []any) ([]R, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	t := rows.TableOf[R](table)
	of := newReader[R](&t)
	result, err := s.conn.Query(ctx, "SELECT "+of.columns+" FROM "+s.name(table)+rest, args...)
	if err != nil {
		return nil, err
	}
	return of.all(result)
}

// DealtRound is a round as the index of runs reads it.
type DealtRound struct {
	Property string `column:"property_id"`
	Table    string `column:"table_id"`
	Shoe     string `column:"shoe_id"`
	Round    uint32 `column:"round"`
	Pit      string `column:"pit_id"`
	At       int64  `column:"at,time"`
	Decks    uint32 `column:"decks"`
	Batch    string `column:"batch_id"`
	Cards    string `column:"cards"`
	FirstSeq uint64 `column:"first_seq"`
}

// Period is the time of a property from a moment to before another; ns UTC.
type Period struct {
	Property    string
	From, Until int64
}

// DealtRounds yields the rounds of a period, table by table and shoe by shoe. It is one query: each query of a table
// reads whole granules of the tables beside it.
func (s *Store) DealtRounds(ctx context.Context, of Period, yield func(*DealtRound) bool) error {
	const doing = "read the rounds that were dealt"
	declared := rows.TableOf[DealtRound]("rounds")
	r := newReader[DealtRound](&declared)
	result, err := s.conn.Query(ctx, "SELECT "+r.columns+" FROM "+s.name("rounds")+" FINAL WHERE "+property+
		`at >= fromUnixTimestamp64Nano({from:Int64}) AND at < fromUnixTimestamp64Nano({until:Int64})
ORDER BY table_id, shoe_id, round`, params("property", of.Property, "from", of.From, "until", of.Until)...)
	if err != nil {
		return s.explain(doing, err)
	}
	return s.explain(doing, r.each(result, yield))
}

// shoeRound is a round of a shoe.
type shoeRound struct {
	table, shoe string
	round       uint32
}

// ofShoes is the condition of the rows of some shoes, with its parameters.
func ofShoes(property string, shoes []*ClosedShoe) (condition string, args []any) {
	condition, args = ofTables(property, len(shoes), func(i int) (table, rest string) {
		return shoes[i].Table, fmt.Sprintf("shoe_id = {shoe%d:String}", i)
	})
	for i, c := range shoes {
		args = append(args, params(fmt.Sprintf("shoe%d", i), c.Shoe)...)
	}
	return condition, args
}

// RoundsOf returns the rounds of each of some shoes with their wagers, in order.
func (s *Store) RoundsOf(ctx context.Context, property string, shoes []*ClosedShoe) ([][]PlayedRound, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReadTimeout)
	defer cancel()
	of, args := ofShoes(property, shoes)
	all, err := selected[PlayedRound](ctx, s, "rounds", of+" ORDER BY table_id, shoe_id, round", args)
	at := make(map[shoeRound]*PlayedRound, len(all))
	for i := range all {
		at[shoeRound{all[i].Table, all[i].Shoe, all[i].Round}] = &all[i]
	}
	if err == nil {
		err = s.addWagers(ctx, at, of, args)
	}
	if err == nil {
		err = s.countBreaches(ctx, at, of, args)
	}
	played := make([][]PlayedRound, len(shoes))
	for i, c := range shoes {
		from, _ := slices.BinarySearchFunc(all, c, func(p PlayedRound, c *ClosedShoe) int {
			return cmp.Or(cmp.Compare(p.Table, c.Table), cmp.Compare(p.Shoe, c.Shoe))
		})
		n := from
		for n < len(all) && all[n].Table == c.Table && all[n].Shoe == c.Shoe {
			n++
		}
		played[i] = all[from:n:n]
	}
	return played, s.explain("read the rounds of shoes", err)
}

// addWagers adds the wagers of some shoes to their rounds.
func (s *Store) addWagers(ctx context.Context, at map[shoeRound]*PlayedRound, of string, args []any) error {
	wagers, err := selected[PlayedWager](ctx, s, "wagers", of+" ORDER BY table_id, shoe_id, round, placed_seq, wager_id",
		args)
	if err != nil {
		return err
	}
	ledger, err := selected[rows.Vigorish](ctx, s, "vigorish", of+" AND kind = 'COMMISSION'", args)
	if err != nil {
		return err
	}
	type key struct {
		of shoeRound
		id string
	}
	owed := make(map[key]*rows.Vigorish, len(ledger))
	for i := range ledger {
		v := &ledger[i]
		owed[key{shoeRound{v.TableID, v.ShoeID, v.Round}, v.WagerID}] = v
	}
	for _, w := range wagers {
		round := shoeRound{w.Table, w.Shoe, w.Round}
		if v := owed[key{round, w.ID}]; v != nil {
			w.VigDue, w.VigTaken = v.Least, max(v.Marked, v.Collected)
			if v.CollectedSeq > 0 && w.VigTaken == 0 { // collected with other wagers: without an amount of its own
				w.VigTaken = v.Least
			}
		}
		if p := at[round]; p != nil {
			p.Wagers = append(p.Wagers, w)
		}
	}
	return nil
}

// countBreaches counts the findings of the rules about dealing in each round, and notes the rounds in which a reader is
// suspected of having misread a card. A finding that is SUSPECT only because its law is assumed, or not in force,
// counts as under the text: otherwise a table under assumed law would have no breaches.
func (s *Store) countBreaches(ctx context.Context, at map[shoeRound]*PlayedRound, of string, args []any) error {
	var round shoeRound
	var n uint64
	var misread bool
	return s.scan(ctx, `SELECT toString(table_id) AS name, shoe_id, round, countIf(rule != 'count.reader-suspected'),
toBool(max(rule = 'count.reader-suspected')) FROM `+s.name("findings")+" FINAL WHERE "+of+" AND "+s.current()+`
AND kind = 'deviation' AND (verdict = 'BREACH' OR verdict = 'SUSPECT' AND
(startsWith(basis, 'assumed:') OR basis = 'not-in-force' OR rule = 'count.reader-suspected'))
AND match(rule, '^(draw|deal|order|cut|shoe[.]burn)[.]|^count[.]reader-suspected$') GROUP BY name, shoe_id, round`,
		args, func() {
			if p := at[round]; p != nil {
				p.Breaches, p.Misread = n, misread
			}
		}, &round.table, &round.shoe, &round.round, &n, &misread)
}

// AddEvidence stores evidence over stored facts, in place of what is stored about its key and round. Its token is never
// used again: the server would drop rows that are stored again after ClearEvidence.
func (s *Store) AddEvidence(ctx context.Context, run string, list []rows.Evidence) error {
	t := s.table(rows.Find("evidence"), 0)
	return s.insertAll(ctx, &t, rows.ViewOf(list), run+" "+rand.Text())
}
