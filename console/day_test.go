//go:build unix

package console

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// A regulator begins with a gaming day: its coverage, what could not be audited and why, what became of the findings,
// and its bundles with their check values. A finding quotes what its clause demands, and links the citation. Each role
// has its first page.
func TestDay(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	ctx, all := t.Context(), store.Scope{All: true}
	// Two tables that break the same rule at the same time, and so in the same gaming day.
	floor, rule := newTestFloor(t, s.Store), "draw.banker.must-stay"
	for _, table := range []string{"live-07", "live-08"} {
		floor.play(planted(t, "ac-1", table, rule))
	}
	found, err := s.Findings(ctx, all, store.FindingQuery{Rule: rule})
	if err != nil || len(found) < 2 {
		t.Fatal(len(found), err)
	}
	f, closed := &found[0], found[1].ID
	for _, step := range []store.Triage{
		{Actor: "ann", Action: store.Close, Disposition: "benign-variance", Reason: "seen"},
		{
			Actor: "ben", Action: store.Confirm, Second: func(store.Who) error { return nil },
		},
	} {
		step.IDs = []string{closed}
		if _, err := s.Apply(ctx, all, step); err != nil {
			t.Fatal(err)
		}
	}
	err = s.Conn().Exec(ctx, "INSERT INTO "+s.Table("findings")+" SELECT * REPLACE ('UNAUDITABLE' AS verdict, 'info' AS "+
		"severity, 'u' AS id, 'the table does not report card readers' AS observed) FROM "+
		"(SELECT * FROM "+s.Table("findings")+" WHERE id = '"+f.ID+"')")
	if err != nil {
		t.Fatal(err)
	}
	day := store.Day(f.GamingDay)
	run := clickhouse.AuditRun{
		Property: "ac-1", GamingDay: day, ID: "r1", Started: time.Now(), Ended: time.Now(), Tables: 8, Events: 4711,
		EventsSHA256: strings.Repeat("ab", 32), Rulebooks: []string{f.Rulebook},
	}
	for _, write := range []error{
		s.Log(ctx, store.Entry{
			PropertyID: "ac-1", At: time.Now(), Action: rows.RunAction, Object: "r1", Detail: run.LogText(),
		}),
		s.WriteRun(ctx, &run),
		s.WriteExport(ctx, &clickhouse.Export{
			Property: "ac-1", GamingDay: day, Origin: "audit.example/ac-1", Number: 1, At: time.Now(), Actor: "night",
			Name: "bundle.zip", SHA256: strings.Repeat("cd", 32), LogRoot: "root=",
		}),
	} {
		if write != nil {
			t.Fatal(write)
		}
	}
	c := serve(t, s, nil)
	reg := signedIn(t, c.url, "regulator")
	for _, path := range []string{"/day?property=nope&day=" + day, "/exceptions/nope/" + day} {
		if code, _ := send(t, "GET", c.url+path, "", "Cookie", reg); code != http.StatusNotFound {
			t.Errorf("%s is %d, want 404: no table has the property", path, code)
		}
	}
	// A day without rounds was not audited.
	if _, page := send(t, "GET", c.url+"/day?property=ac-1&day=2019-01-01", "", "Cookie", reg); !strings.Contains(page,
		"No rounds are stored.") || strings.Contains(page, "all with") || !strings.Contains(page, "No rounds to evaluate.") {
		t.Errorf("a day without rounds: %s", page)
	}
	b := openBrowser(t, c.url, 1440, 1300)
	b.signIn("reg", "regulator")
	b.open("/")
	b.await("location.pathname == '/day'")
	b.open("/day?property=ac-1&day=" + day)
	text := eval[string](b, "document.querySelector('main').innerText")
	var played, tables uint64
	if err := s.Conn().QueryRow(ctx, "SELECT count(), uniqExact(table_id) FROM "+s.Table("rounds")+
		" FINAL WHERE gaming_day = '"+day+"'").Scan(&played, &tables); err != nil || played == 0 {
		t.Fatal(played, err)
	}
	for _, want := range []string{
		fmt.Sprintf("%d at %d tables", played, tables), "4711 events", strings.Repeat("ab", 32),
		strings.Repeat("cd", 32), "root=", "benign variance", " tables",
		"card readers", "all with their configuration and all events", "closed",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page of the day has no %q: %.2000s", want, text)
		}
	}
	outcomes := eval[[]string](b, "[...document.querySelectorAll('[aria-label=\"Findings by outcome\"] tbody tr')]"+
		".map((x) => [...x.cells].map((y) => y.textContent.trim()).join('|'))")
	if !slices.Contains(outcomes, "closed|benign variance|1|0|0") || !slices.Contains(outcomes, "new||1|0|0") {
		t.Errorf("the outcomes are %q", outcomes)
	}
	if n := eval[int](b, "document.querySelectorAll('[aria-label=\"Not auditable\"] tbody td.mono').length"); n == 0 {
		t.Error("no sensor is named for what could not be audited")
	}
	b.screenshot("day") // before axe, which removes repeated elements
	if axe := axeSource(t); axe != "" {
		b.accessible(axe, "/day")
	}
	b.open("/exceptions/ac-1/" + day)
	title := headline(f.Rule, f.Kind, f.Seat, f.Expected, f.Observed)
	if text := eval[string](b, "document.querySelector('main').innerText"); !strings.Contains(text, title) ||
		!strings.Contains(title, "must stand") {
		t.Errorf("the exceptions do not have the title %q: %.500s", title, text)
	}
	b.open("/day?property=ac-1&day=" + day)
	b.screen(390, 900, 1)
	b.narrow("/day")
	b.screen(1440, 1300, 1)
	b.open("/findings/" + f.ID)
	if n := eval[int](b, "document.querySelectorAll('#clauses a[href^=\"/search\"]').length"); n != len(f.Citations) {
		t.Errorf("%d links of %d citations", n, len(f.Citations))
	}
	if n := eval[int](b, "document.querySelectorAll('#clauses q').length"); n == 0 {
		t.Errorf("no sentence for %v", f.Citations)
	}
	b.quiet()
	for role, home := range map[string]string{
		"regulator": "/day", "auditor": "/day", "operator": "/queue", "supervisor": "/queue", "admin": "/log",
		"viewer": "/floor",
	} {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Cookie", signedIn(t, c.url, role))
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if to := resp.Header.Get("Location"); to != home {
			t.Errorf("the home of the role %s is %s, want %s", role, to, home)
		}
	}
	if code, _ := send(t, "GET", c.url+"/day", "", "Cookie", signedIn(t, c.url, "operator")); code != 403 {
		t.Errorf("the day for an operator: %d", code)
	}
}
