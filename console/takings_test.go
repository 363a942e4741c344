//go:build unix

package console

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	simulated "github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/stats"
)

// The pages of a table, a dealer and a patron show results over time beside their exact bands. The sums equal
// the wagers, and the expectations what the engine stored with each wager.
func TestOverTime(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	newTestFloor(t, s.Store).play(planted(t, "ac-1", "live-07", "draw.banker.must-stay"))
	ctx, all := t.Context(), store.Scope{All: true}
	found, err := s.Findings(ctx, all, store.FindingQuery{Rule: "draw.banker.must-stay"})
	if err != nil || len(found) != 1 {
		t.Fatal(len(found), err)
	}
	f := &found[0]
	at := store.Location{Property: "ac-1", Table: "live-07"}
	rounds, err := s.Rounds(ctx, all, at)
	if err != nil || len(rounds) == 0 {
		t.Fatal(len(rounds), err)
	}
	patron := patronAt(t, s, rounds[0])
	c := serve(t, s, nil)
	since, until, err := c.lastDays(2)
	if err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]store.TakingQuery{
		"table": {Table: "live-07"}, "dealer": {Dealer: f.DealerID}, "patron": {Patron: patron},
	} {
		q.Property, q.Since, q.Until = "ac-1", since, until
		rounds, err := s.Takings(ctx, all, q)
		if err != nil {
			t.Fatal(err)
		}
		offers, err := c.offers(ctx, all, "ac-1", rounds)
		if err != nil {
			t.Fatal(err)
		}
		sum, want := c.sumUp(rounds, offers, q.Patron != ""), wagered(t, s, q)
		if sum.Left != 0 || sum.Staked != want.Staked || sum.Won != want.Won || sum.Staked == 0 ||
			math.Abs(sum.mean-want.mean) > 1e-6*float64(sum.Staked) {
			t.Errorf("%s: staked %d, won %d, expected %v, left %d, want %+v", name, sum.Staked, sum.Won, sum.mean, sum.Left,
				want)
		}
		if sum.variance <= 0 || sum.Low() >= sum.Expected() || sum.High() <= sum.Expected() {
			t.Errorf("%s: band %d, %d, %d", name, sum.Low(), sum.Expected(), sum.High())
		}
		bandsOf(t, name, sum.Drawing)
	}
	manyDealers(t, s)
	// A dealer's week and a patron's visits reach further back than the day.
	earlier := legal(t, simulated.Options{
		Property: "ac-1", Pit: "p1", Table: "live-06", Seed: 3, Start: time.Now().AddDate(0, 0, -3),
	})
	newTestFloor(t, s.Store).play(append(earlier.Open(), earlier.Shoe()...))
	old, err := s.Rounds(ctx, all, store.Location{Property: "ac-1", Table: "live-06"})
	if err != nil || len(old) == 0 {
		t.Fatal(len(old), err)
	}

	axe := axeSource(t)
	b := openBrowser(t, c.url, 1440, 1400)
	b.signIn("ann", "supervisor")
	day, _ := c.Law.Calendar.Of(f.At.UnixNano())
	const bands = ".band polygon.wide[points] + polygon.narrow[points]"
	for page, elements := range map[string]map[string]string{
		"/tables/ac-1/live-07?day=" + day: {
			"a shoe":      ".shoes a[href^='/shoes/ac-1/live-07/'] rect.shoe",
			"a dealer":    ".shoes a[href^='/dealers/ac-1/'] rect",
			"a cut":       ".shoes a[href^='/shoes/ac-1/live-07/'] path.cut",
			"the finding": ".shoes a[href='/findings/" + f.ID + "'] path", "the line": ".band polyline[points]",
			"the day before": "#night .views a", "the bands": bands,
		},
		"/dealers/ac-1/" + f.DealerID: {
			"a day": "[aria-label=Week] tbody a[href*='live-07?day=']", "the line": ".band polyline[points]",
			"the bands": bands,
		},
		"/patrons/ac-1/" + patron: {
			"a visit": "[aria-label=Visits] tbody a", "the line": ".band polyline[points]", "the bands": bands,
		},
		"/patrons/ac-1/" + patronAt(t, s, old[0]): {
			"a visit of three days ago": "[aria-label=Visits] tbody a[href*=live-06]",
		},
		"/dealers/ac-1/" + old[0].DealerID: {"a day of the week": "[aria-label=Week] tbody a[href*=live-06]"},
		"/dealers": {
			"the limit": ".chart polyline.limit[points]",
			"a point":   ".chart a circle", "the dealer at the limit": ".chart a[href='/dealers/ac-1/d-9'] .above",
		},
	} {
		name := strings.Split(page, "/")[1]
		if page != "/"+name {
			name = strings.TrimSuffix(name, "s")
		}
		b.open(page)
		for what, selector := range elements {
			if n := eval[int](b, fmt.Sprintf("document.querySelectorAll(%q).length", selector)); n == 0 {
				t.Errorf("%s has no %s (%s)", page, what, selector)
			}
		}
		text := eval[string](b, "[...document.querySelectorAll('main p')].map((x) => x.innerText).join(' ')")
		wants := map[string]string{ // what a page has in words, beside the bands
			"table": "The hold is", "dealer": "The hold is", "patron": "19 of 20 from", "dealers": "at most 1 in 20",
		}
		if drawn := eval[bool](b, "document.querySelector('.band, .chart') != null"); drawn &&
			!strings.Contains(text, wants[name]) {
			t.Errorf("%s has no words %q: %s", page, wants[name], text)
		}
		if name == "table" { // each cut is an event, with who cut and where
			cuts := eval[[]string](b, "[...document.querySelectorAll('.shoes a:has(.cut) title')].map((x) => x.textContent)")
			if n := cutEvents(t, s, day); len(cuts) != n || !strings.Contains(strings.Join(cuts, "|"), " cards from the front") {
				t.Errorf("%s: the cuts are %q, want %d", page, cuts, n)
			}
		}
		b.screen(390, 1400, 1)
		b.narrow(page)
		b.screen(1440, 1400, 1)
		b.screenshot(name)
		if axe != "" { // last: it removes repeated elements
			b.accessible(axe, page)
		}
	}
	b.quiet()
	if code, _ := send(t, "GET", c.url+"/tables/ac-1/live-07?day=nonsense", "", "Cookie",
		signedIn(t, c.url, "viewer")); code != 400 {
		t.Errorf("a day that is none: %d", code)
	}
}

// bandsOf compares the bands at the end of a line: their distances from the expectation, above and below.
func bandsOf(t *testing.T, name string, d *lineDrawing) {
	t.Helper()
	at := func(points string, i int) (y float64) {
		all := strings.Fields(points)
		if i < 0 {
			i += len(all)
		}
		if _, err := fmt.Sscanf(all[i][strings.Index(all[i], ",")+1:], "%f", &y); err != nil {
			t.Fatal(points, err)
		}
		return y
	}
	n := len(strings.Fields(d.Line)) - 1 // without its start
	mean, half := at(d.Mean, -1), map[string]float64{}
	for band, points := range map[string]string{"narrow": d.Narrow, "wide": d.Wide} {
		over, under := mean-at(points, n), at(points, n+1)-mean
		if half[band] = over; math.Abs(over-under) > 0.3 || over < 1 {
			t.Errorf("%s: the %s band is %v above the expectation and %v below it", name, band, over, under)
		}
	}
	if ratio := half["wide"] / half["narrow"]; math.Abs(ratio-wideBand/narrowBand) > 0.05 {
		t.Errorf("%s: the wide band is %v times the narrow one", name, ratio)
	}
}

// The limit of the chart is corrected for the number of dealers.
func TestChart(t *testing.T) {
	t.Parallel()
	const house, dealers = 0.004, 20
	rates := make([]rate, dealers)
	limit, single := stats.UpperLimit(5000, house, 0.05/dealers), stats.UpperLimit(5000, house, 0.05)
	for i := range rates {
		rates[i] = rateOf(store.Tally{Name: fmt.Sprint("d-", i), Findings: single, Rounds: 5000}, 1, house)
	}
	rates[7].Findings = limit
	c := chartOf(rates, house)
	if single >= limit || c.Above != 1 || !rates[7].AtLimit || rates[6].AtLimit || rates[7].Limit != limit {
		t.Errorf("of %d dealers %d are at the limit %d, want one at %d: a single dealer has the limit %d", dealers, c.Above,
			rates[7].Limit, limit, single)
	}
}

// wagered sums up the settled wagers of a query one by one.
func wagered(t *testing.T, s *store.Store, q store.TakingQuery) (sum result) {
	t.Helper()
	sign := "1"
	if q.Patron != "" {
		sign = "-1"
	}
	err := s.Conn().QueryRow(t.Context(), fmt.Sprintf(`SELECT toInt64(sum(w.stake)),
			toInt64(%[1]s * sum(w.collected - w.paid + greatest(v.marked, v.collected))), -1 * %[1]s * sum(w.stake * w.ev)
		FROM (SELECT * FROM %[2]s FINAL WHERE disposition IN ('paid', 'collected', 'returned') AND ev != 0
			AND ('%[5]s' = '' OR patron = '%[5]s')) AS w
		INNER JOIN (SELECT * FROM %[3]s FINAL WHERE '%[6]s' = '' OR dealer_id = '%[6]s') AS r
		ON w.table_id = r.table_id AND w.shoe_id = r.shoe_id AND w.round = r.round
		LEFT JOIN (SELECT * FROM %[4]s FINAL) AS v
		ON w.table_id = v.table_id AND w.shoe_id = v.shoe_id AND w.round = v.round AND w.wager_id = v.wager_id`, sign,
		s.Table(
			"wagers",
		), s.Table("rounds"), s.Table("vigorish"), q.Patron, q.Dealer)).Scan(&sum.Staked, &sum.Won, &sum.mean)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// manyDealers adds the rounds of ten dealers, one of them with many findings.
func manyDealers(t *testing.T, s *store.Store) {
	t.Helper()
	for i := range 10 {
		dealer, found := fmt.Sprintf("d-%d", i), 2
		if i == 9 {
			found = 30
		}
		for _, q := range []string{
			fmt.Sprintf("INSERT INTO %s SELECT 'ac-1', '%s', today(), 't', 's', groupBitmapState(toUInt32(number)), now() "+
				"FROM numbers(%d)", s.Table("dealer_rounds"), dealer, 600+200*i),
			fmt.Sprintf("INSERT INTO %s (property_id, dealer_id, at, id, table_id, verdict, rule, severity, version) "+
				"SELECT 'ac-1', '%s', now() - 60, concat('%[2]s', toString(number)), 't', 'BREACH', 'draw', 'major', 1 "+
				"FROM numbers(%[3]d)", s.Table("dealer_findings"), dealer, found),
		} {
			if err := s.Conn().Exec(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The moments on the axis of few rounds are apart, and none is beyond the end.
func TestAxisOfFewRounds(t *testing.T) {
	t.Parallel()
	c := &Console{Options: Options{Law: options(t)}}
	at := time.Date(2026, 11, 19, 20, 0, 0, 0, c.Law.Calendar.Zone)
	for n, want := range []string{1: "t0 20:00", 2: "t0 20:00, t2 20:01", 3: "t0 20:00, t1 20:01, t2 20:02"} {
		if n == 0 {
			continue
		}
		line := takings{points: make([]result, n)}
		for i := range n {
			line.times = append(line.times, at.Add(time.Duration(i)*time.Minute))
		}
		var texts []string
		drawn := c.drawLine(&line)
		for i, x := range drawn.Times {
			texts = append(texts, x.Class+" "+x.Text)
			if last := i == len(drawn.Times)-1 && n > 1; last && x.X != curveWidth {
				t.Errorf("%d rounds: the last one is at %v of %d", n, x.X, curveWidth)
			}
		}
		if got := strings.Join(texts, ", "); got != want {
			t.Errorf("%d rounds: %s, want %s", n, got, want)
		}
	}
}

// cutEvents is the number of cuts of live-07 on a gaming day that the archive has.
func cutEvents(t *testing.T, s *store.Store, day string) int {
	t.Helper()
	var cuts uint64
	err := s.Conn().QueryRow(t.Context(), "SELECT count() FROM "+s.Table("events")+
		" FINAL WHERE table_id = 'live-07' AND kind = 'shoe_cut' AND gaming_day = toDate32(?)", day).Scan(&cuts)
	if err != nil || cuts == 0 {
		t.Fatal(cuts, err)
	}
	return int(cuts)
}
