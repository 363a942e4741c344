//go:build unix

package console

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/console/store"
)

// collisions counts the cells of the queue that overlap another cell or whose content is wider than the cell.
const collisions = `[...document.querySelectorAll('.queue tbody tr')].flatMap((tr) => [...tr.cells].filter((a) => {
	const r = a.getBoundingClientRect();
	const wide = getComputedStyle(a).overflow == 'visible' && a.scrollWidth > a.clientWidth + 1;
	return wide || [...tr.cells].some((b) => {
		const s = b.getBoundingClientRect();
		return a != b && r.left < s.right - 1 && s.left < r.right - 1 && r.top < s.bottom - 1 && s.top < r.bottom - 1;
	});
})).length`

// An action on a group of 1,200 findings changes all of them, with one line of the log each. A finding that does not
// allow the action does not stop the others. An action can be undone for a minute. The focus stays in the list.
func TestBulk(t *testing.T) {
	t.Parallel()
	const many = 1200
	s := emptyStore(t)
	if err := s.Conn().Exec(t.Context(), fmt.Sprintf(`INSERT INTO %s (property_id, at, id, kind, verdict, rule, severity,
		table_id, dealer_id, round, observed, amount, currency)
		SELECT 'ac-1', now64(9) - INTERVAL 1 HOUR - INTERVAL number SECOND, lower(hex(sipHash128(number))), 'deviation',
			'BREACH', if(number < %[2]d, 'vig.amount.under', concat('count.rule-', toString(number))), 'minor',
			if(number = %[2]d + 1, 't-0', 't-1'), 'd1', 1, 'x', if(number = %[2]d, 300, 100), 'USD'
		FROM numbers(%[2]d + 3)`, s.Table("findings"), many)); err != nil {
		t.Fatal(err)
	}
	access := Access{}
	secret := personal(&access, "ann", "ann", "operator")
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	b := openBrowser(t, c.url, 1440, 900)
	b.signInWith(secret)
	all := store.Scope{All: true}
	states := func() map[string]int {
		t.Helper()
		open, err := s.Open(t.Context(), all, store.Filter{Limit: store.All})
		if err != nil {
			t.Fatal(err)
		}
		n := map[string]int{}
		for _, o := range open {
			n[o.State+" "+o.Owner]++
		}
		return n
	}
	done := func(text string) {
		t.Helper()
		b.await(fmt.Sprintf("(document.querySelector('#done span') || {textContent: ''}).textContent.startsWith(%q)", text))
	}
	began := time.Now()
	b.open("/queue?rule=vig.amount.under")
	b.press("j")
	b.press("a")
	done("Acknowledged: 1200 findings.")
	t.Logf("%d findings in %v", many, time.Since(began))
	if n := states(); n["acknowledged ann"] != many || n["new "] != 3 {
		t.Errorf("after a bulk of %d: %v", many, n)
	}
	var lines, steps uint64
	count := func(table string, into *uint64) {
		t.Helper()
		if err := s.Conn().QueryRow(t.Context(), "SELECT count() FROM "+s.Table(table)+" WHERE action = 'acknowledge'").
			Scan(into); err != nil {
			t.Fatal(err)
		}
	}
	count("console_log", &lines)
	count("finding_actions", &steps)
	if lines != many || steps != many {
		t.Errorf("%d lines of the log and %d actions for %d findings", lines, steps, many)
	}
	var named, parts, most uint64
	if err := s.Conn().QueryRow(t.Context(), fmt.Sprintf("SELECT sum(n), count(), max(n) FROM (SELECT uniqExact(object) AS "+
		"n FROM %s WHERE action = 'acknowledge' AND object IN (SELECT id FROM %s) GROUP BY at)", s.Table("console_log"),
		s.Table("findings"))).Scan(&named, &parts, &most); err != nil {
		t.Fatal(err)
	}
	if named != many || parts != 3 || most != 500 {
		t.Errorf("the lines name %d findings in %d parts of at most %d, want %d in parts of 500", named, parts, most, many)
	}
	b.await("document.activeElement.closest('.queue tr') != null") // the focus is in the list
	b.press("z")
	done("Undone: 1200 findings.")
	if n := states(); n["new "] != many+3 {
		t.Errorf("after undo: %v", n)
	}

	// One of three is acknowledged meanwhile.
	open, err := s.Open(t.Context(), all, store.Filter{Text: "count.rule"})
	if err != nil || len(open) != 3 {
		t.Fatal(len(open), err)
	}
	b.open("/queue?group=off&q=count.rule")
	taken := store.Triage{IDs: []string{open[1].ID}, Actor: "bob", Action: store.Acknowledge}
	const topRow = "document.querySelector('.queue tbody tr').getBoundingClientRect().top"
	top := eval[float64](b, topRow)
	if _, err := s.Apply(t.Context(), all, taken); err != nil {
		t.Fatal(err)
	}
	b.await("!document.querySelector('#newbar').hidden")
	if now := eval[float64](b, topRow); now != top {
		t.Errorf("the bar with the changes moves the rows from %.0f to %.0f", top, now)
	}
	eval[int](b, "[...document.querySelectorAll('.queue input[name=key]')].filter((x) => { x.checked = true; }).length")
	b.click("button[value=acknowledge]")
	done("Acknowledged: 2 findings. Not changed: ")
	text := eval[string](b, "document.querySelector('#done').innerText")
	if !strings.Contains(text, "already acknowledged") || !strings.Contains(text, open[1].Rule) {
		t.Errorf("the report of a bulk with one taken: %q", text)
	}
	b.screenshot("bulk")

	// Every row of a long queue is on some page, in each order; facets count; filters of amount and day select.
	firstRow := map[string]string{
		"urgency": "count.rule-1202", "newest": "vig.amount.under", "oldest": "count.rule-1202", "amount": "count.rule-1200",
		"table": "count.rule-1201",
	}
	for _, order := range store.Orders() {
		seen, pages := map[string]bool{}, 0
		for after := ""; pages == 0 || after != ""; pages++ {
			var page struct {
				Findings []struct{ ID, Rule string }
				Next     string
			}
			path := "/api/v1/queue?group=off&limit=500&sort=" + order + "&after=" + url.QueryEscape(after)
			_, body := send(t, "GET", c.url+path, "", "Authorization", "Bearer "+secret)
			if err := json.Unmarshal([]byte(body), &page); err != nil {
				t.Fatal(body, err)
			}
			if pages == 0 && (len(page.Findings) == 0 || page.Findings[0].Rule != firstRow[order]) {
				t.Errorf("sorted by %s: the first of %d is not %s", order, len(page.Findings), firstRow[order])
			}
			for _, f := range page.Findings {
				seen[f.ID] = true
			}
			after = page.Next
		}
		if len(seen) != many+3 || pages != 3 {
			t.Errorf("sorted by %s: %d findings on %d pages", order, len(seen), pages)
		}
	}
	b.open("/queue?group=off")
	rows := eval[int](b, "document.querySelectorAll('.queue tbody tr').length")
	b.click("#more")
	b.await("location.search.includes('after=') && document.querySelector('.queue tbody tr') != null")
	if next := eval[string](b, "document.querySelector('.queue tbody tr').dataset.key"); rows != 200 || next == "" {
		t.Errorf("%d rows on the first page, then %q", rows, next)
	}
	b.click(".facets summary")
	facet := eval[string](b, "document.querySelector('#facets [name=rule]').textContent")
	if !strings.Contains(facet, "vig.amount.under (1200)") {
		t.Errorf("the facet of rules: %s", facet)
	}
	b.screenshot("facets")
	for query, want := range map[string]int{
		"min=1": 200, "min=1.01": 1, "min=3.01": 0, "from=2020-01-01": 200, "from=2999-01-01": 0, "to=2020-01-01": 0,
		"shift=": 200,
	} {
		b.open("/queue?group=off&" + query)
		if n := eval[int](b, "document.querySelectorAll('.queue tbody tr[data-key]').length"); n != want {
			t.Errorf("%s: %d rows, want %d", query, n, want)
		}
	}
	for _, query := range []string{"min=x", "sort=x", "from=x", "after=x"} {
		if code, _ := send(t, "GET", c.url+"/queue?"+query, "", "Authorization", "Bearer "+secret); code != 400 {
			t.Errorf("%s: %d, want 400", query, code)
		}
	}

	keepsFilter(b, done)

	// Another user cannot undo, and what cannot be undone has no button.
	_, err = s.Apply(t.Context(), all, store.Triage{IDs: []string{open[0].ID}, Actor: "bob", Action: store.Undo})
	if err == nil {
		t.Error("another user undid an action")
	}
	late := store.On(s.Store, func() time.Time { return time.Now().Add(time.Minute) })
	_, err = late.Apply(t.Context(), all, store.Triage{
		IDs: []string{open[0].ID}, Actor: "ann", Who: store.Who{Issuer: ByToken, Subject: "ann"}, Action: store.Undo,
	})
	if err == nil || !strings.Contains(err.Error(), "for a minute") {
		t.Errorf("an action is undone a minute later: %v", err)
	}
	// Next and previous finding of the list, and keys that are switched off.
	b.open("/queue?group=off&q=count.rule")
	b.click(".queue .rule a")
	position := func(text string) {
		t.Helper()
		b.await("(document.querySelector('#pager:not([hidden]) span') || {}).textContent == '" + text + "'")
	}
	position("1 of 3")
	first := eval[string](b, "location.pathname")
	b.press("]")
	position("2 of 3")
	b.press("[")
	b.await(fmt.Sprintf("location.pathname == %q", first))
	b.open("/help")
	b.click("#keys")
	b.open("/queue")
	b.press("j")
	if eval[bool](b, "document.activeElement.closest('.queue tr') != null") {
		t.Error("a single key that is switched off moves the focus")
	}
	eval[int](b, "(() => { window.to = ''; navigation.addEventListener('navigate', (e) => { to += e.destination.url; }); "+
		"return 0; })()")
	b.press("?")
	b.press("u")
	if to := eval[string](b, "to"); to != "" {
		t.Errorf("a single key that is switched off leads to %s", to)
	}
	// No column collides with another between a telephone and a desk, or at 200 % of 1,920 pixels.
	for _, width := range []int64{768, 900, 960, 1024, 1101, 1180, 1280} {
		b.screen(width, 900, 1)
		b.open("/queue?group=off&q=count.rule")
		eval[int](b, "(() => { for (const t of document.querySelectorAll('.queue .when time')) "+
			"t.innerHTML = '<b>24 h 20</b> <i class=nowrap>Sat 28 Nov 03:14:33</i>'; return 0; })()") // of another day
		if n := eval[int](b, collisions); n > 0 {
			t.Errorf("%d cells of the queue collide at %d pixels", n, width)
		}
		b.screenshot(fmt.Sprintf("queue-%d", width))
	}
	form := url.Values{"key": {"f:" + open[1].ID}, "step": {"acknowledge"}, "next": {"/queue?q=count"}}
	if code, body := send(t, "POST", c.url+"/triage", form.Encode(), "Authorization", "Bearer "+secret); code != 409 ||
		!strings.Contains(body, `href="/queue?q=count"`) || !strings.Contains(body, open[1].Rule) {
		t.Errorf("an action that is not possible: %d, without the rule or the way back", code)
	}
	// A decision has no button to undo.
	b.open("/queue?group=off&q=count.rule-1201")
	b.do(chromedp.SetValue(chromedp.CSS("#disposition"), "duplicate"))
	b.do(chromedp.SetValue(chromedp.CSS(".closing [name=reason]"), "seen twice"))
	b.click(".queue input[name=key]")
	b.click("button[value=close]")
	done("Closed: 1 finding.")
	if eval[bool](b, "document.querySelector('#undo') != null") {
		t.Error("a finding that was closed has a button to undo")
	}
	// One more of a group is new, not a change.
	b.open("/queue?rule=vig.amount.under")
	insert(t, s, "findings", "property_id, at, id, kind, verdict, rule, severity, table_id, dealer_id, round, observed, "+
		"amount, currency", "ac-1", time.Now(), strings.Repeat("cd", 16), "deviation", "BREACH", "vig.amount.under", "minor",
		"t-1", "d1", uint32(1), "x", int64(100), "USD")
	b.await("document.querySelector('#shownew').textContent.startsWith('1 new:')")
	b.quiet()
}

// keepsFilter changes one part of a filter in its form, which keeps the others; so do an action and its undo.
func keepsFilter(b *browser, done func(string)) {
	b.t.Helper()
	want := url.Values{
		"group": {"off"}, "q": {"count.rule"}, "table": {"t-1"}, "min": {"1"}, "from": {"2020-01-01"}, "sort": {"amount"},
		"severity": {"minor"}, "state": {"acknowledged"}, "kind": {"deviation"}, "dealer": {"d1"}, "verdict": {"BREACH"},
		"limit": {"50"},
	}
	kept := func(what string) {
		b.t.Helper()
		got, err := url.ParseQuery(strings.TrimPrefix(eval[string](b, "location.search"), "?"))
		maps.DeleteFunc(got, func(_ string, values []string) bool { return values[0] == "" })
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			b.t.Errorf("%s changes the filter (-want +got): %s %v", what, diff, err)
		}
	}
	b.open("/queue?" + want.Encode())
	want.Set("fp", eval[string](b, "document.querySelector('.queue tr[data-key]').dataset.fp"))
	b.open("/queue?" + want.Encode())
	want.Set("to", "2999-01-01")
	b.do(chromedp.SetValue(chromedp.CSS("#facets [name=to]"), "2999-01-01"))
	b.click("#facets button")
	b.await("location.search.includes('to=2999')")
	kept("the form")
	b.press("j")
	b.press("r")
	done("In review: 1 finding.")
	kept("an action")
	b.press("z")
	done("Undone: 1 finding.")
	kept("the undo")
}
