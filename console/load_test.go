//go:build unix

package console

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkPages asks each page again and again over many findings: SHOEPROOF_TEST_FINDINGS of them, of 200
// tables, all but 20,000 closed. It reports the 95th percentile.
func BenchmarkPages(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("SHOEPROOF_TEST_FINDINGS"))
	if err != nil {
		n = 100_000
	}
	s := emptyStore(b)
	fill(b, s, "ac-1", 8, 2)
	run := func(statement string, from int) {
		b.Helper()
		for name, is := range map[string]string{"{f}": s.Table("findings"), "{o}": s.Table("open_findings"), "{from}": fmt.Sprint(from)} {
			statement = strings.ReplaceAll(statement, name, is)
		}
		if err := s.Conn().Exec(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
	for from := 0; from < n; from += 100_000 { // each well within the timeout of a read
		run(`INSERT INTO {f} (id, kind, verdict, rule, severity, citations, property_id, pit_id, table_id, shoe_id, round, seat, dealer_id, at, gaming_day, shift, expected, observed, amount, currency)
		SELECT lower(hex(sipHash128(number))), 'deviation', 'BREACH', concat('payout.rule-', toString(number % 40)), ['critical', 'major', 'minor', 'minor'][1 + number % 4], ['N.J.A.C. 19:47-3.3(b)'], 'ac-1',
			concat('p', toString(number % 12)), concat('t-', toString(number % 200)), concat('t-', toString(number % 200), '-', toString(intDiv(number, 20000))), number % 80, number % 7, concat('d', toString(number % 300)),
			now64(9) - INTERVAL intDiv(number, 2) SECOND, today(), 'day', 'paid at least 8:1: 8000', 'paid 7000', 1000, 'USD' FROM numbers({from}, 100000)`, from)
	}
	run(`INSERT INTO {o} SELECT * REPLACE ('closed' AS state, toUInt64(1) AS version, toUInt8(1) AS is_deleted) FROM {o} WHERE at < now64(9) - INTERVAL 10000 SECOND`, 0)
	c := serve(b, s, nil)
	cookie := signedIn(b, c.url, "supervisor")
	var id string
	if err := s.Conn().QueryRow(b.Context(), "SELECT id FROM "+s.Table("findings")+" WHERE rule = 'payout.rule-7' LIMIT 1").Scan(&id); err != nil {
		b.Fatal(err)
	}
	for _, page := range []string{"/queue", "/queue?severity=critical&table=t-4", "/queue?q=rule-17", "/findings/" + id, "/floor", "/tables/ac-1/mb-01", "/dealers", "/dealers/ac-1/d7", "/handover", "/rates"} {
		b.Run(page, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				c.patient()
				c.cached.clear()
				began := time.Now()
				if code, _ := send(b, "GET", c.url+page, "", "Cookie", cookie); code != 200 {
					b.Fatal(code)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}
