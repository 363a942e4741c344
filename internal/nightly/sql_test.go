//go:build unix

package nightly

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine/clickhousetest"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// query is some rules of a family as SQL over the archive, which has JSON records. It returns the property, the table
// and the shoe of each breach.
type query struct {
	rules []string // that it stands for
	sql   string
}

// roundsAsDealt are the rounds of punto banco with all cards where they were dealt: the values of the cards of both
// hands in their order, p and b.
const roundsAsDealt = `
SELECT property_id, table_id, shoe_id, round,
    arrayMap(c -> c.2, arraySort(groupArrayIf((seq, value), hand = 'PLAYER'))) AS p,
    arrayMap(c -> c.2, arraySort(groupArrayIf((seq, value), hand = 'BANKER'))) AS b
FROM (
    SELECT property_id, table_id, shoe_id, round, seq, kind, JSONExtractString(raw, 'card_dealt', 'hand') AS hand,
        transform(substring(JSONExtractString(raw, 'card_dealt', 'card'), 1, 1),
            ['A', '2', '3', '4', '5', '6', '7', '8', '9'], [1, 2, 3, 4, 5, 6, 7, 8, 9], 0) AS value
    FROM events
    WHERE kind IN ('card_dealt', 'card_moved', 'card_found_faceup', 'round_voided') AND round > 0
        AND (property_id, table_id) NOT IN (SELECT property_id, table_id FROM events WHERE kind = 'table_opened'
            AND JSONExtractString(raw, 'table_opened', 'config', 'game') = 'CHEMIN_DE_FER')
)
GROUP BY property_id, table_id, shoe_id, round
HAVING countIf(kind != 'card_dealt') = 0 AND length(p) >= 2 AND length(b) >= 2`

func queries() []query {
	return []query{
		{
			[]string{
				"draw.natural.no-more-cards", "draw.player.third-card", "draw.player.must-stay", "draw.banker.no-third",
				"draw.banker.must-draw", "draw.banker.must-stay",
			}, `
WITH (p[1] + p[2]) % 10 AS player, (b[1] + b[2]) % 10 AS banker, p[3] AS third,
    player >= 8 OR banker >= 8 AS natural, NOT natural AND player <= 5 AS player_draws,
    NOT natural AND multiIf(length(p) = 2, banker <= 5, banker <= 2, 1, banker = 3, third != 8, banker = 4,
        third BETWEEN 2 AND 7, banker = 5, third BETWEEN 4 AND 7, banker = 6, third IN (6, 7), 0) AS banker_draws
SELECT property_id, table_id, shoe_id FROM (` + roundsAsDealt + `)
WHERE length(p) != 2 + player_draws OR length(b) != 2 + banker_draws`,
		},
		{[]string{"payout.player.odds", "payout.tie.min-odds"}, `
WITH arraySum(p) % 10 AS player, arraySum(b) % 10 AS banker
SELECT property_id, table_id, shoe_id
FROM (` + roundsAsDealt + `) AS r
INNER JOIN (
    SELECT property_id, table_id, shoe_id, round, JSONExtractString(raw, kind, 'wager_id') AS wager,
        argMaxIf(spot_then, seq, spot_then != '') AS spot,
        sumIf(JSONExtractInt(raw, kind, 'amount'), kind = 'wager_placed') +
            sumIf(JSONExtractInt(raw, kind, 'delta') * transform(JSONExtractString(raw, kind, 'change'),
                ['RAISED', 'LOWERED', 'WITHDRAWN'], [1, -1, -1], 0), kind = 'wager_changed') AS stake,
        sumIf(JSONExtractInt(raw, kind, 'amount'), kind = 'wager_paid') AS paid
    FROM (SELECT *, JSONExtractString(raw, kind, if(kind = 'wager_changed', 'to_spot', 'spot')) AS spot_then FROM events)
    WHERE kind IN ('wager_placed', 'wager_changed', 'wager_paid') AND round > 0
    GROUP BY property_id, table_id, shoe_id, round, wager
) AS w USING (property_id, table_id, shoe_id, round)
WHERE paid > 0 AND (spot = 'PLAYER' AND player > banker AND paid != stake
    OR spot = 'TIE' AND player = banker AND paid < 8 * stake)`},
		{[]string{"vig.outstanding-at-reshuffle", "vig.play-resumed-outstanding"}, `
SELECT property_id, table_id, shoe_id FROM (
    SELECT property_id, table_id, kind, shoe_id,
        sum(multiIf(kind = 'vigorish_marked', 1, kind = 'vigorish_collected', -1, 0) *
            JSONExtractInt(raw, kind, 'amount')) OVER (PARTITION BY property_id, table_id ORDER BY seq) AS owed
    FROM events WHERE kind IN ('vigorish_marked', 'vigorish_collected', 'shoe_shuffled')
)
WHERE kind = 'shoe_shuffled' AND owed > 0`},
	}
}

// run returns the tables with a breach, sorted.
func (q *query) run(t testing.TB, store *clickhouse.Store) []string {
	t.Helper()
	result, err := store.Conn().Query(t.Context(), strings.ReplaceAll(q.sql, "FROM events", "FROM "+store.Table("events")))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = result.Close() }()
	var tables []string
	for result.Next() {
		var property, table, shoe string
		if err := result.Scan(&property, &table, &shoe); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, property+"/"+table)
	}
	slices.Sort(tables)
	return slices.Compact(tables)
}

// The rules as SQL find the tables that the engine finds: planted breaches, and no legal table.
func TestSQLAgrees(t *testing.T) {
	store := database(t)
	l := &log{}
	seeds := uint64(testkit.Soak(2, 40))
	for _, f := range fault.All() {
		if !slices.ContainsFunc(queries(), func(q query) bool { return slices.Contains(q.rules, f.Rule) }) {
			continue
		}
		for seed := range seeds {
			o := deal.Options{Property: property, Pit: "p", Table: fmt.Sprintf("%s-%d", f.Rule, seed)}
			events, _, err := fault.Plant(o, f, seed+1)
			if err != nil {
				t.Fatal(err)
			}
			l.appendJSON(events...)
		}
	}
	for i, kind := range deal.Kinds() {
		config, err := deal.Config(kind, uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		legal := deal.NewTable(deal.Options{
			Property: property, Pit: "p", Table: "legal-" + kind, Config: config, Seed: uint64(i), Flawless: true,
		})
		l.appendJSON(slices.Concat(legal.Open(), legal.ShoeOf(12), legal.ShoeOf(12), legal.Close())...)
	}
	ingest(t, store, l)
	for _, q := range queries() {
		var want []string
		err := store.Conn().QueryRow(t.Context(), `SELECT arraySort(groupUniqArray(concat(property_id, '/', table_id)))
FROM `+store.Table("findings")+` WHERE verdict IN ('BREACH', 'SUSPECT')
AND has(splitByChar(' ', '`+strings.Join(q.rules, " ")+`'), toString(rule))`).Scan(&want)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, q.run(t, store)); diff != "" || len(want) < 2 {
			t.Errorf("%v: tables of the engine (-) and of SQL (+):\n%s", q.rules, diff)
		}
	}
}

// BenchmarkSQL stores SHOEPROOF_EVENTS events as JSON, and compares what the rules as SQL take with an audit of all
// rules, with two workers.
func BenchmarkSQL(b *testing.B) {
	cfg := server.Migrated(b)
	store := clickhousetest.Open(b, cfg)
	f := newHouse(100, eventsToStore(b))
	f.format = schema.JSON
	ingest(b, store, f)
	c := server.Start(b)
	for b.Loop() {
		all, processor := time.Duration(0), time.Duration(0)
		for _, q := range queries() {
			from, began := testkit.ProcessorTime(b, c.PID()), time.Now()
			found := q.run(b, store)
			wall, used := time.Since(began), testkit.ProcessorTime(b, c.PID())-from
			b.Logf("%-60s %8.2f s, %5.2f us/event, %d tables", q.rules[0]+", ...", wall.Seconds(),
				used.Seconds()*1e6/float64(f.events()), len(found))
			all, processor = all+wall, processor+used
		}
		s := auditAgain(b, &archiveRun{Database: cfg.Database, Days: f.days, Workers: 2}, f)
		b.Logf("%-60s %8.2f s, %5.2f us/event", "all rules and detectors, audit run, 2 workers",
			s.wall*float64(f.events())/1e6, s.process+s.server)
		b.ReportMetric(all.Seconds(), "SQL-s")
		b.ReportMetric(processor.Seconds()*1e6/float64(f.events()), "SQL-us/event")
		b.ReportMetric(s.wall*float64(f.events())/1e6, "audit-s")
		b.ReportMetric(s.process+s.server, "audit-us/event")
		b.ReportMetric(float64(f.events()), "events")
	}
}

// appendJSON appends JSON records.
func (l *log) appendJSON(events ...schema.Event) {
	for i := range events {
		p := &l.records[0]
		*p = append(*p, pipeline.Record{
			Offset: int64(len(*p)), Format: schema.JSON, Value: schema.AppendJSON(nil, &events[i]),
		})
	}
}
