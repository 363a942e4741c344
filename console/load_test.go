//go:build unix

package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	simulated "github.com/shoeproof/shoeproof/simulate/deal"
)

// A year of 200 tables: SHOEPROOF_TEST_FINDINGS findings, all closed but 10,000, with both steps of each; 30 days of rounds and
// wagers. SHOEPROOF_TEST_STORE names a folder that keeps it for the next time.
const (
	loadTables = 200
	loadRounds = 3_000_000
	loadDB     = "load"
)

func loadStore(t testing.TB, n int) (*store.Store, string) {
	t.Helper()
	dir := os.Getenv("SHOEPROOF_TEST_STORE")
	if dir == "" {
		dir = t.TempDir()
	}
	e, err := engine.StartClickHouse(t.Context(), engine.ClickHouseOptions{Dir: filepath.Join(dir, "data")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	if _, _, err := clickhouse.Migrate(t.Context(), loadConfig(e.Addr)); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), loadConfig(e.Addr), clickhouse.Config{}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	var have uint64
	if err := s.Conn().QueryRow(t.Context(), "SELECT count() FROM "+s.Table("findings")).Scan(&have); err != nil {
		t.Fatal(err)
	}
	if have >= uint64(n) {
		return s, e.Addr
	}
	step := 365 * 86400 * 1000 / n // milliseconds between findings
	run := func(statement string, from int) {
		t.Helper()
		for _, name := range []string{"findings", "open_findings", "finding_actions", "rounds", "wagers", "shoes", "feeds"} {
			statement = strings.ReplaceAll(statement, "{"+name+"}", s.Table(name))
		}
		statement = strings.NewReplacer("{from}", fmt.Sprint(from), "{n}", fmt.Sprint(n), "{step}", fmt.Sprint(step)).Replace(statement)
		if err := s.Conn().Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	const part = 250_000 // each well within the timeout of a read
	for from := 0; from < n; from += part {
		run(`INSERT INTO {findings} (id, kind, verdict, rule, severity, citations, property_id, pit_id, table_id, shoe_id, round, seat, dealer_id, at, gaming_day, shift, expected, observed, amount, currency)
		SELECT lower(hex(sipHash128(number))), 'deviation', 'BREACH', concat('payout.rule-', toString(number % 40)), ['critical', 'major', 'minor', 'minor'][1 + number % 4], ['N.J.A.C. 19:47-3.3(b)'], 'ac-1',
			concat('p', toString(number % 12)), concat('t-', toString(number % 200)), concat('t-', toString(number % 200), '-', toString(intDiv(number, 20000))), number % 80, number % 7, concat('d', toString(cityHash64(number) % 300)),
			now64(9) - INTERVAL ({n} - number) * {step} MILLISECOND AS at, toDate32(at), 'day', 'paid at least 8:1: 8000', 'paid 7000', 1000, 'USD' FROM numbers({from}, 250000) WHERE number < {n}`, from)
	}
	// The queue as merges leave it: one row of each finding, of when it came and was closed.
	run("TRUNCATE TABLE {open_findings}", 0)
	columns := `property_id, urgency, at, id, state, kind, verdict, rule, severity, pit_id, table_id, shoe_id, round, seat, dealer_id, gaming_day, shift, expected, observed, amount, currency, version,
		is_deleted, owner, arrived_at, changed_at`
	for month := range 13 {
		during := fmt.Sprintf(" FROM {findings} WHERE at >= now64(9) - INTERVAL %d DAY AND at < now64(9) - INTERVAL %d DAY", 30*(month+1), 30*month)
		run(`INSERT INTO {open_findings} (`+columns+`) SELECT property_id, multiIf(severity = 'critical', 1, severity = 'major', 2, 3), at, id, if(open, 'new', 'closed'), kind, verdict, rule, severity, pit_id, table_id,
			shoe_id, round, seat, dealer_id, gaming_day, shift, expected, observed, amount, currency, if(open, 0, toUnixTimestamp64Nano(at) + 600000000000), not open, if(open, '', 'ann'), at + INTERVAL 1 SECOND,
			at + INTERVAL if(open, 1, 600) SECOND FROM (SELECT *, cityHash64(id) % {n} < 5000 OR at > now64(9) - INTERVAL 5000 * {step} MILLISECOND AS open`+during+")", 0)
		for i, step := range []string{"'acknowledge' AS action, 'new' AS from_state, 'acknowledged' AS to_state, '' AS disposition, ", "'close' AS action, 'acknowledged' AS from_state, 'closed' AS to_state, 'benign-variance' AS disposition, "} {
			run(fmt.Sprintf(`INSERT INTO {finding_actions} (action, from_state, to_state, disposition, finding_id, at, property_id, actor, reason) SELECT `+step+`id, at + INTERVAL %d SECOND, property_id, 'ann', 'seen'`, 120+480*i)+
				during+" AND NOT (cityHash64(id) % {n} < 5000 OR at > now64(9) - INTERVAL 5000 * {step} MILLISECOND)", 0)
		}
	}
	for from := 0; from < loadRounds; from += part {
		rounds := fmt.Sprintf(`number %% %d AS n, 'ac-1' AS property_id, concat('t-', toString(n)) AS table_id, intDiv(number, %d) AS r, concat(table_id, '-', toString(intDiv(r, 75))) AS shoe_id, r %% 75 + 1 AS round,
			now64(9) - INTERVAL (%d - number) * %d MILLISECOND AS at, toDate32(at) AS gaming_day`, loadTables, loadTables, loadRounds, 30*86400*1000/loadRounds)
		run(`INSERT INTO {rounds} (property_id, pit_id, table_id, shoe_id, round, at, gaming_day, shift, dealer_id, ruleset, result, cards, staked, first_seq, end_seq)
			SELECT property_id, concat('p', toString(n % 12)), table_id, shoe_id, round, at, gaming_day, 'day', concat('d', toString(cityHash64(n, intDiv(r, 30)) % 300)), 'nj-19-47', 'PLAYER_WINS', 'P 6c Kh B 7d Ks', 5000, r * 20, r * 20 + 19
			FROM (SELECT number, `+rounds+` FROM numbers({from}, 250000))`, from)
		run(`INSERT INTO {wagers} (property_id, table_id, shoe_id, round, at, gaming_day, wager_id, seat, spot, stake, patron)
			SELECT property_id, table_id, shoe_id, round, at, gaming_day, concat('w', toString(number), '-', toString(k)), k, if(number % 3 = 0, 'BANKER', 'PLAYER'), 2500, lower(hex(sipHash128(n, intDiv(r, 75), k)))
			FROM (SELECT number, `+rounds+` FROM numbers({from}, 250000)) ARRAY JOIN [1, 3] AS k`, from)
	}
	run(`INSERT INTO {shoes} (property_id, pit_id, table_id, shoe_id, at, ended_at, gaming_day, ruleset, rounds, first_seq, last_seq)
		SELECT property_id, any(pit_id), table_id, shoe_id, min(at), max(at), min(gaming_day), any(ruleset), count(), min(first_seq), max(end_seq) FROM {rounds} GROUP BY property_id, table_id, shoe_id`, 0)
	run(`INSERT INTO {feeds} (property_id, pit_id, table_id, at, seq, shoe_id, round, kind, received_at) SELECT property_id, any(pit_id), table_id, max(at) AS last, max(end_seq), argMax(shoe_id, at), argMax(round, at), 'round_ended', last
		FROM {rounds} GROUP BY property_id, table_id`, 0)
	return s, e.Addr
}

func loadConfig(addr string) clickhouse.Config {
	return clickhouse.Config{Addrs: []string{addr}, Database: loadDB, User: "default", RulesVersion: "r", Engine: "test", RowVersion: 1}
}

func loadFindings() int {
	if n, err := strconv.Atoi(os.Getenv("SHOEPROOF_TEST_FINDINGS")); err == nil {
		return n
	}
	return 100_000
}

// loadPages are the pages, each of something that there is. One finding was just made, so that its events are there too.
func loadPages(t testing.TB, s *store.Store) []string {
	t.Helper()
	newTestFloor(t, s.Store).play(planted(t, "ac-1", fmt.Sprintf("seen-%d", time.Now().Unix()), "draw.banker.must-stay"))
	var open, closed, seen, patron string
	for into, q := range map[*string]string{
		&seen:   "SELECT id FROM " + s.Table("open_findings") + " WHERE rule = 'draw.banker.must-stay' ORDER BY arrived_at DESC LIMIT 1",
		&open:   "SELECT id FROM " + s.Table("open_findings") + " WHERE state = 'new' AND table_id = 't-7' AND at < now() - INTERVAL 1 HOUR ORDER BY at DESC LIMIT 1",
		&closed: "SELECT id FROM " + s.Table("open_findings") + " WHERE state = 'closed' AND at < now() - INTERVAL 20 DAY LIMIT 1",
		&patron: "SELECT patron FROM " + s.Table("wagers") + " WHERE table_id = 't-7' ORDER BY at DESC LIMIT 1",
	} {
		if err := s.Conn().QueryRow(t.Context(), q).Scan(into); err != nil {
			t.Fatal(err)
		}
	}
	return []string{
		"/findings/" + seen, "/api/v1/findings/" + seen, "/exports", "/search?q=t-7", "/api/v1/shoes/ac-1/t-7/t-7-193", "/api/v1/findings?dealer=d7",
		"/queue", "/queue?group=off", "/queue?severity=critical&table=t-4", "/queue?q=rule-17", "/queue?state=closed", "/findings/" + open, "/findings/" + closed, "/floor", "/tables/ac-1/t-7",
		"/shoes/ac-1/t-7/t-7-193", "/dealers", "/dealers/ac-1/d7", "/patrons/ac-1/" + patron, "/shelves", "/handover", "/rates", "/rules", "/log", "/help",
		"/api/v1/queue", "/api/v1/floor", "/api/v1/findings?table=t-7", "/api/v1/dealers",
	}
}

// BenchmarkPages asks each page again and again, with nothing kept from the time before. It reports the 95th percentile, and the processor
// time of console and ClickHouse together, which other work on the machine changes less.
func BenchmarkPages(b *testing.B) {
	s, _ := loadStore(b, loadFindings())
	c := serve(b, s, nil)
	began := time.Now()
	if err := s.Refresh(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Logf("the queue was read in %v", time.Since(began))
	cookies := map[string]string{}
	for _, page := range loadPages(b, s) {
		role := "supervisor"
		if page == "/log" {
			role = "auditor"
		}
		if cookies[role] == "" {
			cookies[role] = signedIn(b, c.url, role)
		}
		b.Run(page, func(b *testing.B) {
			var took []time.Duration
			before := processorTime(b)
			for b.Loop() {
				c.resetLimits()
				c.volatile.clear()
				c.figures.clear()
				began := time.Now()
				if code, body := send(b, "GET", c.url+page, "", "Cookie", cookies[role]); code != 200 {
					b.Fatal(code, body)
				}
				took = append(took, time.Since(began))
			}
			b.ReportMetric(float64((processorTime(b)-before).Microseconds())/1000/float64(len(took)), "cpu-ms")
			b.ReportMetric(percentile(took, 50), "p50-ms")
			b.ReportMetric(percentile(took, 95), "p95-ms")
		})
	}
}

// processorTime is that of this process and of those it started.
func processorTime(t testing.TB) (all time.Duration) {
	t.Helper()
	for _, d := range processorTimes(t, 0) {
		all += d
	}
	return all
}

// processorTimes are those of this process and of all that began in it: ClickHouse, browsers, and a console, if it has a process.
func processorTimes(t testing.TB, console int) map[string]time.Duration {
	t.Helper()
	pids, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	type process struct {
		parent, ticks int
		name          string
	}
	all, self := map[int]process{}, os.Getpid()
	for _, path := range pids {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		head, rest, _ := strings.Cut(string(data), ") ")
		number, name, _ := strings.Cut(head, " (")
		fields := strings.Fields(rest) // from the state, the third field of proc(5), on
		if len(fields) < 15 {
			continue
		}
		var n [5]int // parent, ticks as user and as system, those of its children that ended
		for i, at := range [...]int{1, 11, 12, 13, 14} {
			n[i], _ = strconv.Atoi(fields[at])
		}
		pid, _ := strconv.Atoi(number)
		all[pid] = process{n[0], n[1] + n[2], name}
		if strings.HasPrefix(name, "chrom") {
			all[pid] = process{n[0], n[1] + n[2] + n[3] + n[4], name}
		}
	}
	took := map[string]time.Duration{}
	for pid, p := range all {
		of := p.parent
		for of > 1 && of != self {
			of = all[of].parent
		}
		who := "clickhouse"
		switch {
		case pid == self:
			who = "events and clients"
		case of != self:
			continue
		case pid == console:
			who = "console"
		case strings.HasPrefix(p.name, "chrom"):
			who = "browsers"
		}
		took[who] += time.Duration(p.ticks) * 10 * time.Millisecond
	}
	return took
}

func percentile(took []time.Duration, p int) float64 {
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return float64(took[(len(took)-1)*p/100].Microseconds()) / 1000
}

// serveAlone is a console in a process of its own, so that its memory is its own. It ends with its parent's end of the pipe.
func serveAlone(addr string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, err := store.Open(ctx, loadConfig(addr), clickhouse.Config{}, time.Now)
	if err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	o, err := lawOf()
	if err != nil {
		return err
	}
	c, err := New(Options{Store: s, Law: o, PublicURL: &url.URL{Scheme: "http", Host: l.Addr().String()}, SignIn: ByChoice, Now: time.Now, Version: "load", High: 1_000_000})
	if err != nil {
		return err
	}
	h, err := c.Handler()
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = c.Run(ctx) }()
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		_ = srv.Close()
	}()
	fmt.Println(l.Addr())
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// fetch asks for a page and reads all of it.
func get(ctx context.Context, url, cookie string) (code int, body string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Cookie", cookie)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(data), err
}

const aloneEnv = "SHOEPROOF_TEST_SERVE"

// TestLoad is a room at work over a year's findings: 200 tables play, 200 pages and three browsers follow, people open pages. Each page
// answers, what is found is told within two seconds, and the console's memory stays. SHOEPROOF_TEST_LOAD says for how long.
func TestLoad(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv("SHOEPROOF_TEST_LOAD"))
	if err != nil {
		t.Skip("SHOEPROOF_TEST_LOAD=5m measures the console under load")
	}
	s, addr := loadStore(t, loadFindings())
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^$")
	cmd.Env = append(os.Environ(), aloneEnv+"="+addr)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	host, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + strings.TrimSpace(host)
	cookie, auditor := signedIn(t, base, "supervisor"), signedIn(t, base, "auditor")

	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	var wait sync.WaitGroup
	var told atomic.Int64 // words to all pages
	// A finding of a table, from when its events were handed over until the first listener, who asks at each word, saw it in the queue.
	var lag struct {
		sync.Mutex
		table string
		at    time.Time
		took  []time.Duration
	}
	see := func() {
		lag.Lock()
		defer lag.Unlock()
		if lag.table == "" {
			return
		}
		_, body, err := get(ctx, base+"/api/v1/queue?table="+lag.table, cookie)
		if err == nil && strings.Contains(body, lag.table) {
			lag.took, lag.table = append(lag.took, time.Since(lag.at)), ""
		}
	}
	// Two hundred pages that listen.
	for i := range 200 {
		wait.Go(func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/live", nil)
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Cookie", cookie)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = resp.Body.Close() }()
			lines := bufio.NewScanner(resp.Body)
			for lines.Scan() {
				if lines.Text() != "event: change" {
					continue
				}
				told.Add(1)
				if i == 0 {
					see()
				}
			}
			if ctx.Err() == nil {
				t.Errorf("stream %d ended: %v", i, lines.Err())
			}
		})
	}
	var browsers []*browser
	for _, page := range []string{"/queue", "/floor", "/tables/ac-1/t-7"} {
		b := openBrowser(t, base, 1440, 900)
		b.signIn("", "supervisor")
		b.open(page)
		b.await("document.querySelector('#link').dataset.state == 'on'")
		browsers = append(browsers, b)
	}
	// Two hundred tables, each an event a second; every five seconds one with a fault.
	wait.Go(func() {
		f := newTestFloor(t, s.Store)
		var tables []*simulated.Table
		for i := range loadTables {
			tables = append(tables, simulated.NewTable(simulated.Options{Property: "ac-1", Pit: fmt.Sprintf("p%d", i%12), Table: fmt.Sprintf("t-%d", i), Seed: uint64(time.Now().UnixNano()) + uint64(i), Start: time.Now()}))
			f.play(tables[i].Open())
		}
		next := make([]int, loadTables)
		shoes := make([][]schema.Event, loadTables)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			var events []schema.Event
			for i := range tables {
				if next[i] == len(shoes[i]) {
					next[i], shoes[i] = 0, tables[i].Shoe()
				}
				events = append(events, shoes[i][next[i]])
				next[i]++
			}
			f.play(events)
			if n%5 == 0 {
				table := fmt.Sprintf("new-%d-%d", time.Now().Unix(), n)
				faulty := planted(t, "ac-1", table, "draw.banker.must-stay")
				lag.Lock()
				if lag.table != "" {
					t.Errorf("what was found at %s is not in the queue", lag.table)
				}
				lag.table, lag.at = table, time.Now()
				lag.Unlock()
				f.play(faulty)
			}
		}
	})
	pages := loadPages(t, s)
	// Ten pages a second, at moments that know nothing of each other.
	took := make([]struct {
		sync.Mutex
		took []time.Duration
	}, len(pages))
	look := func(i int) {
		who := cookie
		if pages[i] == "/log" {
			who = auditor
		}
		began := time.Now()
		code, _, err := get(ctx, base+pages[i], who)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil || code != 200:
			t.Errorf("%s: %d, %v", pages[i], code, err)
		}
		took[i].Lock()
		took[i].took = append(took[i].took, time.Since(began))
		took[i].Unlock()
	}
	wait.Go(func() {
		random, next := rand.New(rand.NewPCG(1, 2)), time.Now()
		for n := 0; ; n++ {
			next = next.Add(time.Duration(random.ExpFloat64() * float64(time.Second/10)))
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Until(next)):
			}
			wait.Go(func() { look(n * 7 % len(pages)) })
		}
	})
	before, began := processorTimes(t, cmd.Process.Pid), time.Now()
	memory := func() (mib int) {
		data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		for line := range strings.Lines(string(data)) {
			if text, ok := strings.CutPrefix(line, "VmRSS:"); ok {
				kib, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(text), " kB"))
				return kib / 1024
			}
		}
		return 0
	}
	tick := time.NewTicker(long / 20)
	defer tick.Stop()
	var resident []int
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
			resident = append(resident, memory())
		}
	}
	wait.Wait()
	for who, took := range processorTimes(t, cmd.Process.Pid) {
		t.Logf("%s: %.2f of a core", who, (took-before[who]).Seconds()/time.Since(began).Seconds())
	}
	for i, page := range pages {
		p50, p95 := percentile(took[i].took, 50), percentile(took[i].took, 95)
		t.Logf("%-60s n %4d  p50 %7.1f ms  p95 %7.1f ms", page, len(took[i].took), p50, p95)
		if p95 > 200 {
			t.Errorf("%s: p95 %.0f ms, want 200", page, p95)
		}
	}
	t.Logf("told: %d words; from a finding's events to the queue that a page asks for, p50 %.0f ms, worst %.0f ms of %d", told.Load(), percentile(lag.took, 50), percentile(lag.took, 100), len(lag.took))
	if worst := percentile(lag.took, 100); worst > 2000 || len(lag.took) == 0 {
		t.Errorf("told after %.0f ms at worst, want 2000", worst)
	}
	t.Logf("resident MiB: %v", resident)
	if half := len(resident) / 2; half > 0 && slices.Max(resident[half:]) > slices.Max(resident[:half])*5/4 {
		t.Errorf("memory grew: %v", resident)
	}
	for _, b := range browsers {
		if state := eval[string](b, "document.querySelector('#link').innerText"); state != "live" {
			t.Errorf("a browser says %q at the end", state)
		}
	}
}
