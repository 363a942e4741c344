//go:build unix

package console

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	simulated "github.com/shoeproof/shoeproof/simulate/deal"
)

// The load database has a year of 200 tables: SHOEPROOF_TEST_FINDINGS findings, 10,000 of them open, each closed one
// with two actions of triage, and 30 days of rounds and wagers. SHOEPROOF_TEST_STORE names a folder that keeps it.
const (
	loadTables = 200
	loadRounds = 3_000_000
	loadDB     = "load"
	// loadPart is the number of rows of one insert.
	loadPart = 250_000
	// latestParts are the parts of the last six hours, of loadLatest rounds each: about the sizes that ingest and merges
	// of 16 parts leave.
	latestParts, loadLatest = 12, 2_083
)

// loadedTables are the tables that it fills.
var loadedTables = []string{
	"findings", "dealer_findings", "open_findings", "finding_actions", "rounds", "dealer_rounds", "wagers", "shoes",
	"feeds", "table_configs", "case_steps", "console_log",
}

// loader fills the load database.
type loader struct {
	t testing.TB
	s *store.Store
	n int // findings
}

// loadStore returns the load database and the address of its ClickHouse.
func loadStore(t testing.TB, n int) (*store.Store, string) {
	t.Helper()
	dir := os.Getenv("SHOEPROOF_TEST_STORE")
	if dir == "" {
		dir = t.TempDir()
	}
	e, err := engine.StartClickHouse(t.Context(), engine.ClickHouseOptions{
		Dir:  filepath.Join(dir, "data"),
		Args: []string{"--os_threads_nice_value_merge_mutate=10"}, // as docs/console.md recommends
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	if _, _, err := clickhouse.Migrate(t.Context(), loadConfig(e.Addr)); err != nil {
		t.Fatal(err)
	}
	cfg := loadConfig(e.Addr)
	cfg.ReadTimeout = 10 * time.Minute // an insert of loadPart rows beside other work
	s, err := store.Open(t.Context(), cfg, clickhouse.Config{}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	var have uint64
	if err := s.Conn().QueryRow(t.Context(), "SELECT count() FROM "+s.Table("findings")).Scan(&have); err != nil {
		t.Fatal(err)
	}
	if have < uint64(n) {
		l := loader{t, s, n}
		l.empty()
		l.findings()
		l.queue()
		l.configs()
		l.cases()
		const latest = loadRounds - latestParts*loadLatest
		l.rounds(0, latest, loadPart)
		l.merge()
		l.rounds(latest, loadRounds, loadLatest)
		l.shoes()
		l.chains()
	}
	return s, e.Addr
}

func loadConfig(addr string) clickhouse.Config {
	return clickhouse.Config{
		Addrs: []string{addr}, Database: loadDB, User: "default", RulesVersion: "r", Engine: "test", RowVersion: 1,
	}
}

func loadFindings() int {
	if n, err := strconv.Atoi(os.Getenv("SHOEPROOF_TEST_FINDINGS")); err == nil {
		return n
	}
	return 100_000
}

// run executes a statement. {from}, {part}, {n}, and {step} in milliseconds between findings, are replaced, and {table}
// by the full name of a table.
func (l loader) run(statement string, from int) {
	l.t.Helper()
	for _, name := range loadedTables {
		statement = strings.ReplaceAll(statement, "{"+name+"}", l.s.Table(name))
	}
	step := 365 * 86400 * 1000 / l.n
	statement = strings.NewReplacer(
		"{from}", fmt.Sprint(from), "{part}", fmt.Sprint(loadPart), "{n}", fmt.Sprint(l.n), "{step}", fmt.Sprint(step),
	).Replace(statement)
	if err := l.s.Conn().Exec(l.t.Context(), statement); err != nil {
		l.t.Fatal(err)
	}
}

// merge makes one part of each partition, as a year of merges has.
func (l loader) merge() {
	l.t.Helper()
	for _, table := range loadedTables {
		l.run("OPTIMIZE TABLE {"+table+"} FINAL", 0)
	}
}

// empty removes what an interrupted run has filled: its findings have the same ids at other times.
func (l loader) empty() {
	l.t.Helper()
	for _, table := range loadedTables {
		l.run("TRUNCATE TABLE {"+table+"}", 0)
	}
}

func (l loader) findings() {
	l.t.Helper()
	for from := 0; from < l.n; from += loadPart {
		l.run(`INSERT INTO {findings} (id, kind, verdict, rule, severity, citations, property_id, pit_id, table_id,
			shoe_id, round, seat, dealer_id, at, gaming_day, shift, expected, observed, amount, currency)
		SELECT lower(hex(sipHash128(number))), 'deviation', 'BREACH', concat('payout.rule-', toString(number % 40)),
			['critical', 'major', 'minor', 'minor'][1 + number % 4], ['N.J.A.C. 19:47-3.3(b)'], 'ac-1',
			concat('p', toString(number % 12)), concat('t-', toString(number % 200)),
			concat('t-', toString(number % 200), '-', toString(intDiv(number, 20000))), number % 80, number % 7,
			concat('d', toString(cityHash64(number) % 300)),
			now64(9) - INTERVAL ({n} - number) * {step} MILLISECOND AS at, toDate32(at), 'day',
			'paid at least 8:1: 8000', 'paid 7000', 1000, 'USD'
		FROM numbers({from}, {part}) WHERE number < {n}`, from)
	}
}

// queue fills the queue as merges leave it: one row for each finding, with its arrival and its closing.
func (l loader) queue() {
	l.t.Helper()
	const isOpen = "(cityHash64(id) % {n} < 5000 OR at > now64(9) - INTERVAL 5000 * {step} MILLISECOND)"
	for month := range 13 {
		during := fmt.Sprintf(" FROM {findings} WHERE at >= now64(9) - INTERVAL %d DAY AND at < now64(9) - INTERVAL %d DAY",
			30*(month+1), 30*month)
		l.run(`INSERT INTO {open_findings} (property_id, urgency, at, id, state, kind, verdict, rule, severity, pit_id,
			table_id, shoe_id, round, seat, dealer_id, gaming_day, shift, expected, observed, amount, currency, version,
			is_deleted, owner, arrived_at, changed_at)
		SELECT property_id, multiIf(severity = 'critical', 1, severity = 'major', 2, 3), at, id,
			if(open, 'new', 'closed'), kind, verdict, rule, severity, pit_id, table_id, shoe_id, round, seat, dealer_id,
			gaming_day, shift, expected, observed, amount, currency,
			if(open, 0, toUnixTimestamp64Nano(at) + 600000000000), not open, if(open, '', 'ann'),
			at + INTERVAL 1 SECOND, at + INTERVAL if(open, 1, 600) SECOND
		FROM (SELECT *, `+isOpen+` AS open`+during+")", 0)
		for i, action := range []string{
			"'acknowledge' AS action, 'new' AS from_state, 'acknowledged' AS to_state, '' AS disposition",
			"'close' AS action, 'acknowledged' AS from_state, 'closed' AS to_state, 'benign-variance' AS disposition",
		} {
			l.run(`INSERT INTO {finding_actions} (action, from_state, to_state, disposition, finding_id, at, property_id,
				actor, reason) SELECT `+action+`, id, at + INTERVAL `+fmt.Sprint(120+480*i)+` SECOND, property_id, 'ann',
				'seen'`+during+" AND NOT "+isOpen, 0)
		}
	}
}

// configs gives each table the configuration of a simulated one, from which the chances of wagers follow.
func (l loader) configs() {
	l.t.Helper()
	newTestFloor(l.t, l.s.Store).play(simulated.NewTable(simulated.Options{
		Property: "ac-1", Pit: "p0", Table: "t-0", Seed: 1, Start: time.Now().AddDate(0, 0, -60),
	}).Open())
	l.run(fmt.Sprintf(`INSERT INTO {table_configs} SELECT * EXCEPT (i) REPLACE (concat('t-', toString(i)) AS table_id)
		FROM (SELECT *, arrayJoin(range(1, %d)) AS i FROM {table_configs} FINAL WHERE table_id = 't-0')`, loadTables), 0)
}

// cases fills 200 cases with ten findings and a note each, and the console log with the lines of two million actions.
func (l loader) cases() {
	l.t.Helper()
	const at = "now64(6) - INTERVAL number HOUR"
	l.run(`INSERT INTO {case_steps} (property_id, case_id, at, actor, role, action, text)
		SELECT 'ac-1', leftPad(toString(number), 16, '0'), `+at+`, 'ann', 'supervisor', 'open',
			concat('Case ', toString(number))
		FROM numbers(200)`, 0)
	l.run(`INSERT INTO {case_steps} (property_id, case_id, at, actor, role, action, finding_id)
		SELECT 'ac-1', leftPad(toString(number), 16, '0'), `+at+` + INTERVAL k SECOND, 'ann', 'supervisor', 'add',
			lower(hex(sipHash128(toUInt64({n} - 1 - number * 10 - k))))
		FROM numbers(200) ARRAY JOIN range(1, 11) AS k`, 0)
	l.run(`INSERT INTO {console_log} (property_id, at, actor, role, action, object, detail, issuer, subject)
		SELECT if(number % 20 = 0, '', 'ac-1'), now64(6) - INTERVAL number * 15 SECOND, 'ann', 'supervisor',
			if(number % 20 = 0, 'sign-in', 'acknowledge'), lower(hex(sipHash128(number))), '', 'token', 'ann'
		FROM numbers(2000000)`, 0)
}

// rounds fills the tables of rounds and wagers with the rounds from a number to another, part of them by each insert.
func (l loader) rounds(from, to, part int) {
	l.t.Helper()
	// Cards, stakes and times differ as at real tables: rows that compress to nothing are soon merged again.
	rounds := fmt.Sprintf(`SELECT number, number %% %d AS n, 'ac-1' AS property_id, concat('t-', toString(n)) AS table_id,
		intDiv(number, %d) AS r, concat(table_id, '-', toString(intDiv(r, 75))) AS shoe_id, r %% 75 + 1 AS round,
		sipHash64(number) AS h, now64(9) - INTERVAL (%d - number) * %d MILLISECOND + INTERVAL h %% 1000000 MICROSECOND AS at,
		toDate32(at) AS gaming_day, arrayMap(i -> concat(substring('A23456789TJQK', bitShiftRight(h, 6 * i) %% 13 + 1, 1),
			substring('cdhs', bitShiftRight(h, 6 * i + 4) %% 4 + 1, 1)), range(6)) AS cards
		FROM numbers({from}, %d) WHERE number < %d`, loadTables, loadTables, loadRounds, 30*86400*1000/loadRounds, part, to)
	for ; from < to; from += part {
		l.run(`INSERT INTO {rounds} (property_id, pit_id, table_id, shoe_id, round, at, gaming_day, shift, dealer_id,
			ruleset, config_id, decks, result, cards, staked, first_seq, end_seq)
		SELECT property_id, concat('p', toString(n % 12)), table_id, shoe_id, round, at, gaming_day, 'day',
			concat('d', toString(cityHash64(n, intDiv(r, 30)) % 300)), 'nj-19-47',
			(SELECT any(config_id) FROM {table_configs}), 8, ['PLAYER', 'BANKER', 'TIE'][1 + h % 11 % 3],
			concat('P ', arrayStringConcat(arraySlice(cards, 1, 3), ' '), ' B ',
				arrayStringConcat(arraySlice(cards, 4, 3), ' ')),
			5000 + h % 400 * 2500, r * 20, r * 20 + 19
		FROM (`+rounds+`)`, from)
		l.run(`INSERT INTO {wagers} (property_id, table_id, shoe_id, round, at, gaming_day, wager_id, seat, spot, stake,
			patron, disposition, expected, paid, expected_paid, collected)
		SELECT property_id, table_id, shoe_id, round, at, gaming_day, concat('w', toString(number), '-', toString(k)), k,
			if(h % 3 = 0, 'BANKER', 'PLAYER'), 2500 + cityHash64(h, k) % 200 * 2500 AS stake,
			lower(hex(sipHash128(n, intDiv(r, 75), k))), if(h % 2 = 0, 'paid', 'collected') AS done, done,
			if(h % 2 = 0, stake, 0) AS won, won, stake - won
		FROM (`+rounds+`) ARRAY JOIN [1, 3] AS k`, from)
	}
}

// chains begins the chains of steps and of the log: the first entry hashes all rows before it, once in the life of a
// database.
func (l loader) chains() {
	l.t.Helper()
	for _, property := range []string{"", "ac-1"} {
		if err := l.s.Log(l.t.Context(), store.Entry{PropertyID: property, Action: "sign-in", Actor: "ann"}); err != nil {
			l.t.Fatal(err)
		}
	}
}

// shoes fills the tables of shoes and feeds.
func (l loader) shoes() {
	l.t.Helper()
	l.run(`INSERT INTO {shoes} (property_id, pit_id, table_id, shoe_id, at, ended_at, gaming_day, ruleset, rounds,
		first_seq, last_seq)
	SELECT property_id, any(pit_id), table_id, shoe_id, min(at), max(at), min(gaming_day), any(ruleset), count(),
		min(first_seq), max(end_seq) FROM {rounds} GROUP BY property_id, table_id, shoe_id`, 0)
	l.run(`INSERT INTO {feeds} (property_id, pit_id, table_id, at, seq, shoe_id, round, kind, received_at)
	SELECT property_id, any(pit_id), table_id, max(at) AS last, max(end_seq), argMax(shoe_id, at), argMax(round, at),
		'round_ended', last FROM {rounds} GROUP BY property_id, table_id`, 0)
}
