//go:build unix

package console

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
	simulated "github.com/shoeproof/shoeproof/simulate/deal"
)

// payloads are more than a hundred texts that try to run a script. The script would set window.ran.
func payloads() []string {
	const run = "window.ran=1"
	var all []string
	for _, out := range []string{
		"", `">`, `'>`, "`>", "</script>", "</title>", "</textarea>", "</style>", "-->", "]]>", "{{", "${",
	} {
		for _, in := range []string{
			"<script>" + run + "</script>", "<img src=x onerror=" + run + ">", "<svg onload=" + run + ">",
			"<svg><script>" + run + "</script></svg>", "<iframe srcdoc=\"<script>parent." + run + "</script>\">",
			"<details open ontoggle=" + run + ">x", "<math><mtext><img src=x onerror=" + run + "></mtext></math>",
		} {
			all = append(all, out+in)
		}
	}
	return append(all, "javascript:"+run, "JaVaScRiPt:"+run, "data:text/html,<script>"+run+"</script>",
		`" onfocus=`+run+` autofocus="`, `' onmouseover='`+run, "{{constructor.constructor('"+run+"')()}}",
		"\u2028<script>"+run+"</script>", "<scr\x00ipt>"+run+"</script>", "%3Cscript%3E"+run+"%3C/script%3E",
		"&lt;script&gt;"+run+"&lt;/script&gt;", "<a href=javascript:"+run+">x</a>",
		"<link rel=stylesheet href=//elsewhere.example/x.css>", "<base href=//elsewhere.example/>",
		"<meta http-equiv=refresh content=0;url=//elsewhere.example>", "<form action=//elsewhere.example><button>x",
		"<style>@import '//elsewhere.example'</style>")
}

func insert(t testing.TB, s *store.Store, table, columns string, row ...any) {
	t.Helper()
	batch, err := s.Conn().PrepareBatch(t.Context(), "INSERT INTO "+s.Table(table)+" ("+columns+")")
	if err == nil {
		err = batch.Append(row...)
	}
	if err == nil {
		err = batch.Send()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// hostile stores findings, and the rows that their pages show, with a payload in each text.
func hostile(t *testing.T, s *store.Store, all []string) []finding.Finding {
	t.Helper()
	b := &pipeline.Batch{Range: pipeline.Range{Topic: "hostile", To: int64(len(all)), Records: uint64(len(all))}}
	now := time.Now().Add(-time.Minute)
	var found []finding.Finding
	for i, p := range all {
		f := hostileFinding(all, i, now)
		if i < 3 {
			f.TableID, f.ShoeID, f.Round, f.DealerID = all[0], all[i], 1, all[3]
			hostileShoe(t, s, b, all, i)
		}
		if i%3 == 2 { // a severity that this release does not write
			insert(t, s, "findings", "id, kind, verdict, rule, severity, citations, property_id, pit_id, table_id, shoe_id, "+
				"round, seat, subject, dealer_id, at, shift, expected, observed, amount, currency, evidence, rulebook, engine",
				f.ID, string(f.Kind), string(f.Verdict), f.Rule, all[(i+3)%len(all)], f.Citations, f.PropertyID, f.PitID,
				f.TableID, f.ShoeID, f.Round, f.Seat, f.Subject, f.DealerID, now, f.Shift, f.Expected, f.Observed, f.Amount,
				f.Currency, f.Evidence, f.Rulebook, f.Engine)
		} else {
			b.Findings = append(b.Findings, f)
		}
		found = append(found, f)
		e := &b.Events
		e.PropertyID.Append("h")
		e.PitID.Append(p)
		e.TableID.Append(f.TableID)
		e.EventID.AppendString(p)
		e.Seq, e.At, e.Round = append(e.Seq, uint64(i+1)), append(e.At, now.UnixNano()), append(e.Round, f.Round)
		e.GamingDay.Append("")
		e.ShoeID.Append(f.ShoeID)
		e.Kind.Append(p)
		e.Format = append(e.Format, schema.JSON)
		e.Partition, e.Offset = append(e.Partition, 0), append(e.Offset, int64(i))
		e.Copy = append(e.Copy, 0)
		e.Topic.Append("hostile")
		e.Raw.AppendString(p)
		e.SHA256.AppendString(strings.Repeat("x", 32))
	}
	if err := s.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for i, p := range all {
		hostileRecords(t, s, fmt.Sprintf("%032x", i+1), p, i <= 5)
	}
	return found
}

func hostileFinding(all []string, i int, now time.Time) finding.Finding {
	at := func(n int) string { return all[(i+n)%len(all)] }
	return finding.Finding{
		ID: fmt.Sprintf("%032x", i+1), Kind: finding.Deviation, Rule: at(2), Citations: []string{at(4), at(0)},
		Verdict:    []finding.Verdict{finding.Breach, finding.Suspect, finding.Verdict(at(1))}[i%3],
		Severity:   []finding.Severity{finding.Critical, finding.Major, finding.Info}[i%3],
		PropertyID: "h", PitID: at(5), TableID: at(6), ShoeID: at(7), Round: uint32(i % 3), Seat: 1, Subject: at(8),
		DealerID: at(9), At: schema.Time(now.UnixNano()), GamingDay: "2026-11-20", Shift: at(10), Expected: at(0),
		Observed: at(11), Amount: int64(i), Currency: at(12), Rulebook: at(13), Engine: at(14),
		Evidence: finding.Evidence{Seqs: []uint64{uint64(i + 1)}, EventIDs: []string{at(0)}},
	}
}

// hostileShoe stores a round and a wager, and adds the other rows of a shoe to a batch.
func hostileShoe(t *testing.T, s *store.Store, b *pipeline.Batch, all []string, i int) {
	t.Helper()
	now := time.Now()
	p, table, shoe, ns := all[i], all[0], all[i], now.UnixNano()
	insert(t, s, "rounds", "property_id, pit_id, table_id, shoe_id, round, at, shift, dealer_id, ruleset, config_id, "+
		"result, player_count, cards, paid, expected_pay, first_seq, end_seq",
		"h", p, table, shoe, uint32(1), now, p, all[3], p, p, p, uint8(1), "P "+p+" B "+p, int64(1), int64(2), uint64(1),
		uint64(5))
	insert(t, s, "wagers", "property_id, table_id, shoe_id, round, at, wager_id, seat, spot, stake, medium, patron, "+
		"disposition, expected, paid, expected_paid",
		"h", table, shoe, uint32(1), now, p, uint32(1), p, int64(5), p, all[5], p, all[6], int64(1), int64(2))
	b.Vigorish = append(b.Vigorish, rows.Vigorish{
		PropertyID: "h", TableID: table, ShoeID: shoe, Round: 1, At: ns, WagerID: p, Seat: 1, Kind: p, Won: 1, Least: 1,
		Most: 1,
	})
	b.Shoes = append(b.Shoes, rows.Shoe{
		PropertyID: "h", PitID: p, TableID: table, ShoeID: shoe, At: ns, EndedAt: ns, Shift: p, Ruleset: p, Game: p,
		ConfigID: p, Rounds: 1, Rulebook: p, Engine: p, LastSeq: 9,
	})
	b.Configs = append(b.Configs, rows.Config{
		PropertyID: "h", PitID: p, TableID: table, Seq: uint64(i), At: ns, ConfigID: p, Ruleset: p, Game: p, Mode: p,
		Config: p, EventID: p,
	})
}

// hostileRecords stores a note with a text, and with all true the other records of the console too.
func hostileRecords(t *testing.T, s *store.Store, id, p string, all bool) {
	t.Helper()
	ctx, everywhere, at := t.Context(), store.Scope{All: true}, time.Now()
	apply := func(p store.Triage) error {
		_, err := s.Apply(ctx, everywhere, p)
		return err
	}
	writes := []func() error{func() error {
		return apply(store.Triage{IDs: []string{id}, Actor: p, Action: store.Note, Note: p, Reason: p})
	}}
	if all {
		writes = append(writes, func() error {
			return apply(store.Triage{IDs: []string{id}, Actor: p, Action: store.Assign, Owner: p})
		}, func() error {
			return s.WriteSilence(ctx, store.Silence{
				PropertyID: "h", ID: p, Rule: p, TableID: p, Reason: p, Actor: p, At: at, Until: at.Add(time.Hour),
			})
		}, func() error {
			return s.HandOver(ctx, store.SignedHandover{Handover: store.Handover{
				PropertyID: "h", At: at, GamingDay: at, Shift: p, Actor: p, Note: p,
			}})
		}, func() error {
			return s.Log(ctx, store.Entry{
				PropertyID: "h", At: at, Actor: p, Role: p, Action: p, Object: p, Detail: p, Remote: p,
			})
		})
	}
	for _, write := range writes {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
}

// External data is text on every page: no script in it runs, and none reaches the content security policy.
func TestScriptInjection(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	all := payloads()
	if len(all) < 100 {
		t.Fatalf("%d payloads", len(all))
	}
	findings := hostile(t, s, all)
	c := serve(t, s, nil)
	b := openBrowser(t, c.url, 1280, 800)
	b.signIn(all[1], "auditor")
	pages := []string{
		"/queue?limit=1000", "/queue?group=off&limit=1000", "/queue?state=closed", "/queue?silenced=1", "/floor",
		"/floor?wall=1", "/dealers", "/silences", "/handover", "/rates", "/rules", "/log", "/exports", "/help",
		"/shoes/h/" + esc(all[0]) + "/" + esc(all[0]), "/tables/h/" + esc(all[0]), "/dealers/h/" + esc(all[3]),
		"/patrons/h/" + esc(all[5]), "/rounds/h/" + esc(all[0]) + "/" + esc(all[0]) + "/1",
	}
	for i, p := range all {
		// The short form takes one of the three pages for each second payload.
		for k, page := range []string{"/queue?q=", "/log?actor=", "/search?list=1&q="} {
			if testkit.Soak(i%6 == 2*k, true) {
				pages = append(pages, page+query(p))
			}
		}
	}
	for i, f := range findings {
		if i < 4 || i%12 == 0 {
			pages = append(pages, "/findings/"+f.ID, "/findings/"+f.ID+"/events")
		}
	}
	for _, p := range pages {
		c.resetLimits()
		b.do(chromedp.Navigate(c.url + p))
		host := fmt.Sprintf("%q", strings.TrimPrefix(c.url, "http://"))
		if eval[bool](b, "window.ran !== undefined || location.host != "+host) {
			t.Errorf("a script ran on %s", p)
		}
		if eval[int](b, "document.querySelectorAll('main').length") == 0 && !strings.Contains(p, "%00") {
			t.Errorf("%s is not a page: %s", p, eval[string](b, "document.body.innerText.slice(0,200)"))
		}
	}
	c.reports.mu.Lock()
	defer c.reports.mu.Unlock()
	if c.reports.n > 0 {
		t.Errorf("%d violations of the policy: %v", c.reports.n, c.reports.last)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.messages {
		if !strings.Contains(m, "404") && !strings.Contains(m, "400") {
			t.Error("browser message: ", m)
		}
	}
}

// For each role, every page is complete without a script, fits a narrow screen, and has no serious accessibility fault.
// What a role sees as a role before it did is tested once.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 6, 1)
	c := serve(t, s, nil)
	f, pages := everyPage(t, s)
	pages = append(pages, longShoe(t, s))
	axe := axeSource(t)
	seen := &markup{all: map[string]bool{}}
	in := func(t *testing.T, role string) *browser {
		b := openBrowser(t, c.url, 1440, 900)
		b.seen = seen
		b.signIn("", role)
		return b
	}
	for _, role := range RoleNames() {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			b := in(t, role)
			var changed []string
			for _, p := range pages {
				if c.check(b, axe, p) {
					changed = append(changed, p)
				}
			}
			t.Logf("%d of %d pages are new", len(changed), len(pages))
			c.withoutScript(t, role, changed, f.ID)
		})
	}
	t.Run("light", func(t *testing.T) {
		t.Parallel()
		b := in(t, "supervisor")
		b.open("/help")
		b.click("footer button[value=light]")
		b.await("document.documentElement.dataset.theme == 'light'")
		b.light = true
		for _, p := range pages {
			c.check(b, axe, p)
		}
		b.screen(1440, 900, 1)
		b.open("/queue")
		b.screenshot("light")
	})
}

// On narrow screens and a laptop in the light theme, no text of a drawing lies over another, is beyond its frame or
// has letters of less than 9 pixels, no name, time or amount is broken or beyond its place, no mark lies over a box,
// and every column that has a text has room for it.
func TestNarrowScreens(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 6, 1)
	c := serve(t, s, nil)
	f, pages := everyPage(t, s)
	table := legal(t, simulated.Options{Property: "ac-1", Table: "live-07", Seed: 3, Start: time.Now().Add(-time.Hour)})
	newTestFloor(t, s.Store).play(append(table.Open(), table.Shoe()...))
	wagers, err := s.Wagers(t.Context(), store.Scope{All: true}, store.Location{Property: "ac-1", Table: "live-07"})
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(wagers, func(w store.Wager) bool { return w.Stake >= 1000_00 }); i >= 0 {
		pages = append(pages, roundPath("ac-1", "live-07", wagers[i].ShoeID, wagers[i].Round))
	} else {
		t.Error("no wager of $1,000 or more")
	}
	b := openBrowser(t, c.url, 768, 1024)
	b.signIn("ann", "auditor")
	b.open("/help")
	b.click("footer button[value=light]")
	b.await("document.documentElement.dataset.theme == 'light'")
	b.click("footer [name=clock][value='12']") // its times are the longest
	b.await("document.querySelector('footer [aria-pressed=true]').value == '12'")
	var names []string
	for _, name := range []string{"live-07", "pb-01", f.TableID} {
		names = append(names, name)
		at := store.Location{Property: "ac-1", Table: name}
		rounds, err := s.Rounds(t.Context(), store.Scope{All: true}, at)
		if err != nil || len(rounds) == 0 {
			t.Fatal(name, len(rounds), err)
		}
		names = append(names, regexp.QuoteMeta(rounds[0].ShoeID))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) }) // a shoe before its table
	// What must be on one line: names, and times and amounts as pages write them.
	whole, err := json.Marshal(strings.Join(append(names,
		`\d{4}-\d\d-\d\d \d+:\d\d:\d\d\.\d{3} [AP]M [A-Z]+`, `\d{4}-\d\d-\d\dT[\d:.]+Z`, `\d{4}-\d\d-\d\d`,
		`[A-Z][a-z]{2} \d+ [A-Z][a-z]{2} \d+:\d\d(?::\d\d)? [AP]M`, `\d+:\d\d(?::\d\d)? [AP]M`,
		`[−-]?[A-Z]{0,3}[$€]\d[\d,]*(?:\.\d+)?`), "|"))
	if err != nil {
		t.Fatal(err)
	}
	// Its hours have two digits, whatever the hour of the test.
	faults := `(() => {
		for (const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT); walk.nextNode();)
			walk.currentNode.data = walk.currentNode.data.replace(/\b\d(?=(:\d\d){1,2}(\.\d+)? [AP]M)/g, "10");
		for (const x of document.querySelectorAll("[data-ago]")) x.textContent = "59 min";
		const all = (selector, root) => [...(root || document).querySelectorAll(selector)];
		const box = (x) => x.getBoundingClientRect(), found = [];
		const shown = (x) => x.textContent.trim() && x.getClientRects().length;
		for (const svg of all("main svg:is(.curve, .compare, .shoes, .arc)")) {
			const frame = box(svg), texts = all("text", svg).filter(shown);
			for (const x of texts) {
				const r = box(x), seat = x.matches(".seat text") && x.parentNode.querySelector("circle");
				if (r.left < frame.left - 1 || r.right > frame.right + 1) found.push("beyond its frame: " + x.textContent);
				if (seat && r.width > .93 * box(seat).width) found.push("beyond its seat: " + x.textContent);
				const name = x.classList.contains("name") && box(x.parentNode.querySelector("rect"));
				if (name && r.right > name.right) found.push("beyond its bar: " + x.textContent);
				for (const o of texts.slice(texts.indexOf(x) + 1)) {
					const q = box(o), shared = Math.min(r.right, q.right) - Math.max(r.left, q.left);
					if (shared > 1 && Math.min(r.bottom, q.bottom) - Math.max(r.top, q.top) > r.height / 2)
						found.push(x.textContent + " lies over " + o.textContent);
				}
			}
		}
		for (const x of all("main svg text").filter(shown)) {
			const scale = x.getScreenCTM(), size = parseFloat(getComputedStyle(x).fontSize) * Math.hypot(scale.a, scale.b);
			if (size < 9) found.push("letters of " + size.toFixed(1) + " px: " + x.outerHTML);
		}
		for (const a of all("main td a[href^='/tables/']"))
			if (a.getClientRects().length > 1) found.push("a broken name: " + a.textContent);
		for (const td of innerWidth > 1100 ? [] : all(".queue td:first-child"))
			if (getComputedStyle(td).boxShadow != "none") found.push("a mark over a box");
		for (const td of all("main td.none")) {
			const text = document.createRange();
			text.selectNodeContents(td);
			if (box(text).right > innerWidth) found.push("beyond the screen: " + td.innerText);
		}
		for (const td of all("main td, main dd"))
			if (box(td).width < 100 && td.innerText.length > 40) found.push("a narrow column: " + td.innerText.slice(0, 60));
		const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
		for (let text; text = texts.nextNode();) {
			const within = text.parentElement;
			if (!within.getClientRects().length || within.closest("svg, option, .hide, .raw")) continue;
			for (const part of text.data.matchAll(new RegExp(` + string(whole) + `, "g"))) {
				const range = document.createRange();
				range.setStart(text, part.index);
				range.setEnd(text, part.index + part[0].length);
				const lines = new Set([...range.getClientRects()].filter((r) => r.width > 0).map((r) => Math.round(r.top)));
				const place = within.closest("dd, td, p, li, div, section");
				if (!within.closest(".scroll, .tile") && range.getBoundingClientRect().right > box(place).right + 1)
					found.push("beyond its place: " + part[0] + " in " + within.outerHTML.slice(0, 80));
				if (lines.size > 1) found.push("on several lines: " + part[0] + " in " + within.outerHTML.slice(0, 80));
			}
		}
		return [...new Set(found)].slice(0, 5).join("; ");
	})()`
	for _, page := range append(pages, "/exceptions/ac-1/"+store.Day(f.GamingDay)) {
		b.open(page)
		for _, width := range []int64{1280, 768, 390} {
			c.resetLimits()
			b.screen(width, 900, 1)
			if text := eval[string](b, faults); text != "" {
				t.Errorf("%s at %d px: %s", page, width, text)
			}
		}
	}
	operator := openBrowser(t, c.url, 768, 1024)
	operator.signIn("ann", "operator")
	operator.open("/queue")
	urgent := eval[bool](operator, "document.querySelector('.u1 .pick') != null")
	if text := eval[string](operator, faults); text != "" || !urgent {
		t.Errorf("a queue with boxes, one urgent %v: %s", urgent, text)
	}
	// A reader who wants more contrast has it in the theme of his choice.
	more := emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-contrast", Value: "more"}},
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, more); err != nil {
		t.Fatal(err)
	}
	b.open("/queue")
	colours := eval[string](b, "[document.documentElement, document.body].map((x) => getComputedStyle(x))"+
		".map((s, i) => i ? s.color : s.backgroundColor).join(' ')")
	if colours != "rgb(255, 255, 255) rgb(0, 0, 0)" {
		t.Errorf("the light theme with more contrast has the colours %s", colours)
	}
}

// markup is what tests of several roles have seen.
type markup struct {
	mu  sync.Mutex
	all map[string]bool
}

// add reports whether a text is new.
func (m *markup) add(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.all[text]
	m.all[text] = true
	return !known
}

// everyPage returns the pages about a finding that has a seat, if there is one, or a round.
func everyPage(t *testing.T, s *store.Store) (f store.OpenFinding, pages []string) {
	t.Helper()
	open, err := s.Open(t.Context(), store.Scope{All: true}, store.Filter{})
	if err != nil || len(open) == 0 {
		t.Fatalf("%d open, %v", len(open), err)
	}
	for _, o := range open {
		if o.Round > 0 && (f.ID == "" || o.Seat > 0) {
			f = o
		}
	}
	table := store.Location{Property: f.PropertyID, Table: f.TableID}
	wagers, err := s.Wagers(t.Context(), store.Scope{All: true}, table)
	if err != nil || len(wagers) == 0 {
		t.Fatalf("%d wagers, %v", len(wagers), err)
	}
	for _, step := range []store.CaseStep{
		{Action: store.CaseOpen, Text: "A case"}, {Action: store.CaseAdd, FindingID: f.ID},
	} {
		step.PropertyID, step.CaseID, step.Actor = "ac-1", "CASE", "ann"
		if err := s.AddToCase(t.Context(), step, nil, store.Entry{PropertyID: "ac-1"}); err != nil {
			t.Fatal(err)
		}
	}
	day := store.Day(f.GamingDay)
	return f, []string{
		"/queue", "/queue?group=off", "/queue?state=closed", "/findings/" + f.ID, "/floor", "/floor?wall=1",
		"/tables/ac-1/" + f.TableID, "/shoes/ac-1/" + f.TableID + "/" + f.ShoeID,
		roundPath("ac-1", f.TableID, f.ShoeID, f.Round), "/search?list=1&q=" + f.TableID + "+r1", "/search?q=nonsense",
		"/dealers",
		"/dealers/ac-1/" + f.DealerID, "/patrons/ac-1/" + wagers[0].Patron, "/silences", "/handover", "/rates", "/rules",
		"/help", "/nonsense", "/log", "/notifications", "/sessions", "/kiosk", "/exports", "/day?day=" + day, "/cases",
		"/cases/ac-1/CASE",
		"/tables/ac-1/" + f.TableID + "?day=" + day, "/exceptions/ac-1/" + day, "/queue?severity=critical",
		"/findings/" + f.ID + "/events",
	}
}

// longShoe is the page of a finished shoe with a long road.
func longShoe(t *testing.T, s *store.Store) string {
	t.Helper()
	shoes, err := s.Shoes(t.Context(), store.Scope{All: true}, store.Location{Property: "ac-1", Table: "pb-01"})
	if err != nil || len(shoes) == 0 {
		t.Fatal(len(shoes), err)
	}
	return pathOf("shoes", "ac-1", "pb-01", shoes[0].ShoeID)
}

// check opens a page that has markup, or surroundings, that the test has not seen before. It reports the serious faults
// that axe finds, a page that is wider than its screen, from a telephone to 4K and at 200 % of 1,440 pixels, and a
// paper that has controls or lacks rows.
func (s *served) check(b *browser, axe, page string) (changed bool) {
	b.t.Helper()
	s.resetLimits()
	if !b.changed(page) {
		return false
	}
	b.screen(390, 844, 1)
	b.open(page)
	b.narrow(page)
	if !b.light { // a theme changes colours, and no size
		b.screen(720, 405, 2)
		b.fits(page, 720)
		b.paper(page)          // which is about as wide
		b.screen(3840, 400, 1) // a lower screen costs less to draw, and is as wide
		b.fits(page, 3840)
	}
	if axe != "" {
		b.screen(1440, 4000, 1) // a whole page, so that the bar of actions lies over no row
		b.accessible(axe, page)
	}
	return true
}

// paper reports controls that are printed, and what is cut off on a sheet of A4.
func (b *browser) paper(page string) {
	b.t.Helper()
	media := func(name string) {
		of := emulation.SetEmulatedMediaParams{
			Media:    name, // no color changes slowly: what follows reads them
			Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
		}
		if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, of); err != nil {
			b.t.Fatal(err)
		}
	}
	media("print")
	b.screen(703, 400, 1) // A4 without its margins
	if shown := eval[string](b, `[...document.querySelectorAll(
		".top, footer, form:not(#triage), button, input:not([type=hidden]), select, textarea",
	)].filter((x) =>
		getComputedStyle(x).display != "none" && x.getBoundingClientRect().height > 0)
		.map((x) => x.outerHTML.slice(0, 90)).join(" ")`); shown != "" {
		b.t.Errorf("%s: controls are printed: %s", page, shown)
	}
	if cut := eval[int](b, `[...document.querySelectorAll(".scroll")].filter((x) =>
		getComputedStyle(x).maxHeight != "none" || getComputedStyle(x).overflowY != "visible").length`); cut > 0 {
		b.t.Errorf("%s: %d tables are cut off on paper", page, cut)
	}
	if lost := eval[string](b, `[...document.querySelectorAll("main tr, main section > *")].filter((x) =>
		x.getBoundingClientRect().height == 0 && x.innerText.trim() && !x.closest(
			"form:not(#triage), button, .views, dialog, .queue thead",
		))
		.map((x) => x.outerHTML.slice(0, 90)).slice(0, 3).join(" ")`); lost != "" {
		b.t.Errorf("%s: not printed: %s", page, lost)
	}
	if cut := eval[string](b, `[...document.querySelectorAll("main *")].filter((x) => !x.closest(".hide") &&
		x.getBoundingClientRect().width > 0 && x.getBoundingClientRect().right > innerWidth + 2)
		.map((x) => x.outerHTML.slice(0, 90)).slice(0, 3).join(" ")`); cut != "" {
		b.t.Errorf("%s: beyond the edge of the paper: %s", page, cut)
	}
	if wide := eval[string](b, `[...document.querySelectorAll("main .scroll")].filter((x) => x.scrollWidth > x.clientWidth + 2)
		.map((x) => x.getAttribute("aria-label")).join(", ")`); wide != "" {
		b.t.Errorf("%s: wider than their place on paper: %s", page, wide)
	}
	if folded := eval[int](b, `[...document.querySelectorAll("main details:not(.facets) > :not(summary)")].filter((x) =>
		!x.checkVisibility()).length`); folded > 0 {
		b.t.Errorf("%s: %d parts are folded up on paper", page, folded)
	}
	if ago := eval[int](b, `[...document.querySelectorAll("main [data-ago]")].filter((x) =>
		x.getBoundingClientRect().height > 0 && x.closest("time")).length`); ago > 0 {
		b.t.Errorf("%s: %d times are printed as some minutes ago", page, ago)
	}
	if bare := eval[int](b, `[...document.querySelectorAll("main time:has(> [data-ago])")].filter((x) =>
		!/\d{4}-\d\d-\d\d/.test(x.title) || getComputedStyle(x, "::after").content == "none").length`); bare > 0 {
		b.t.Errorf("%s: %d times are printed without their date", page, bare)
	}
	colours := eval[string](b, `[getComputedStyle(document.documentElement).backgroundColor,
		getComputedStyle(document.querySelector("main")).color].join(" ")`)
	if colours != "rgb(255, 255, 255) rgb(0, 0, 0)" {
		b.t.Errorf("%s is printed in the colours %s, want black on white", page, colours)
	}
	if !eval[bool](b, `[...document.styleSheets].flatMap((x) => [...x.cssRules]).some((x) =>
		x instanceof CSSPageRule && x.cssText.includes("counter(page)"))`) {
		b.t.Errorf("%s: the sheets are printed without numbers", page)
	}
	b.pdf("print" + strings.NewReplacer("/", "-", "?", "-").Replace(page))
	media("")
}

// accessible reports the serious faults that axe finds, in the light theme the faults of colours. It removes the
// repeated rows and marks of the page: of elements of one shape in a list, axe reads the first two.
func (b *browser) accessible(axe, page string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](axe))
	const run = `(() => {
		const own = /^(id|href|title|name|value|for|datetime|cx|cy|x|y|width|height|d|points|transform|data-.*)$/;
		const shape = (e) => e.tagName + [...e.attributes].filter((a) => !own.test(a.name)).map((a) =>
			a.name + (a.name.startsWith("aria-label") ? !a.value.trim() : a.value)) +
			"(" + [...e.childNodes].map((n) => n.nodeType == 1 ? shape(n) : n.data.trim() ? "text" : "") + ")";
		for (const list of document.querySelectorAll("tbody, ul, ol, select, svg, g")) {
			const seen = {};
			for (const e of [...list.children]) {
				const of = shape(e);
				if ((seen[of] = (seen[of] || 0) + 1) > 2) e.remove();
			}
		}
		const slight = axe._audit.rules.filter((r) => r.impact == "minor" || r.impact == "moderate");
		return axe.run(document, {
			runOnly: %s, resultTypes: ["violations"],
			rules: Object.fromEntries(slight.map((r) => [r.id, {enabled: false}])),
		}).then(r => r.violations.filter(
			v => v.impact == "serious" || v.impact == "critical",
		).map(v => v.id + ": " + v.help +
			": " + v.nodes.slice(0, 3).map(n => n.html + " " + n.failureSummary).join(" | ")));
	})()`
	only := `["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]`
	if b.light {
		only = `["color-contrast", "link-in-text-block"]`
	}
	faults, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](fmt.Sprintf(run, only), chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, fault := range faults {
		b.t.Errorf("%s: %s", page, fault)
	}
}

// changed reports whether the page that the server sends, or what surrounds it, has markup that the test has not seen
// before: many pages are the same for several roles. Numbers, the values of fields and the role do not count.
func (b *browser) changed(page string) bool {
	b.t.Helper()
	markup := fmt.Sprintf(`fetch(%q).then(r => r.text()).then(text => {
		const page = new DOMParser().parseFromString(text, "text/html"), root = page.documentElement;
		const plain = e => e.outerHTML.replace(/ (value|aria-current)="[^"]*"/g, "").replace(/[0-9]+/g, "0");
		const main = page.querySelector("#main"), theme = root.dataset.theme + " ";
		const inside = theme + page.body.className + " " + plain(main);
		main.replaceChildren();
		page.querySelector("title").remove();
		page.body.className = "";
		return [inside, theme + plain(root).replaceAll(%q, "role")];
	})`, page, b.role)
	parts, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](markup, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", page, err)
	}
	changed := false
	for _, text := range parts {
		changed = b.seen.add(text) || changed
	}
	return changed
}

// narrow reports a page that is wider than a screen of 390 pixels.
func (b *browser) narrow(page string) {
	b.t.Helper()
	b.fits(page, 390)
	if b.role == "operator" && strings.HasPrefix(page, "/queue") || strings.HasPrefix(page, "/findings") {
		b.screenshot("narrow" + strings.NewReplacer("/", "-", "?", "-").Replace(page))
	}
}

// fits reports a page that is wider than a screen.
func (b *browser) fits(page string, width int64) {
	b.t.Helper()
	if wide := eval[int64](b, "document.documentElement.scrollWidth"); wide > width+2 {
		elements := eval[string](b, fmt.Sprintf(`[...document.querySelectorAll("body *")]
			.filter(e => e.getBoundingClientRect().right > %d && !e.closest(".scroll")).slice(0, 3)
			.map(e => e.outerHTML.slice(0, 90)).join(" ")`, width+2))
		b.t.Errorf("%s is %d wide on a screen of %d: %s", page, wide, width, elements)
	}
}

// withoutScript reads every page, and acknowledges a finding as operator, with scripts disabled.
func (s *served) withoutScript(t *testing.T, role string, pages []string, finding string) {
	b := openBrowser(t, s.url, 1440, 900)
	disabled := emulation.SetScriptExecutionDisabledParams{Value: true}
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, disabled); err != nil {
		t.Fatal(err)
	}
	b.signIn("nora", role)
	for _, p := range pages {
		s.resetLimits()
		b.open(p)
		text, err := chromedp.Run(b.ctx, chromedp.Text(chromedp.CSS("#main")))
		if err != nil || len(strings.TrimSpace(text)) < 20 {
			t.Errorf("%s has text %q, %v", p, text, err)
		}
	}
	if role != "operator" {
		return
	}
	b.open("/findings/" + finding)
	b.click("button[value=acknowledge]")
	b.shows(".head .state-acknowledged")
}
