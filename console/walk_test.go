//go:build unix

package console

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/shoeproof/shoeproof/console/store"
)

// A finding is triaged from arrival to close by keyboard, with a second person. Meanwhile another finding arrives and
// moves no row.
func TestTriageByKeyboard(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 8, 0)
	access := Access{}
	operator := personal(&access, "ann", "ann", "operator")
	supervisor := personal(&access, "bob", "bob", "supervisor")
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	ann := openBrowser(t, c.url, 1440, 900)
	ann.signInWith(operator)
	ann.open("/queue")
	ann.press("j")
	first := eval[string](ann, "document.activeElement.textContent")
	ann.press("j")
	ann.press("k")
	if got := eval[string](ann, "document.activeElement.textContent"); got != first {
		t.Errorf("after j and k the focus is on %s, want %s", got, first)
	}
	// Arrivals are behind the bar; the current row stays in place.
	before := eval[float64](ann, "document.activeElement.getBoundingClientRect().top")
	f := newTestFloor(t, s.Store)
	f.play(planted(t, "ac-2", "new-1", "draw.banker.must-stay"))
	ann.await("!document.querySelector('#newbar').hidden")
	if got := eval[string](ann, "document.activeElement.textContent"); got != first {
		t.Errorf("after an arrival the focus is on %s, want %s", got, first)
	}
	if after := eval[float64](ann, "document.activeElement.getBoundingClientRect().top"); after-before > 60 {
		t.Errorf("the row moved from %v to %v", before, after)
	}
	rows := eval[int](ann, "document.querySelectorAll('.queue tbody tr').length")
	ann.screenshot("newbar")
	ann.press("n")
	ann.await(fmt.Sprintf("document.querySelectorAll('.queue tbody tr').length > %d", rows))
	if got := eval[string](ann, "document.activeElement.textContent"); got != first {
		t.Errorf("after n the focus is on %s, want %s", got, first)
	}

	ann.press("a")
	ann.await("document.querySelectorAll('.queue .state-acknowledged').length == 1")
	ann.open("/queue?state=acknowledged")
	ann.press("j")
	ann.press("\r")
	ann.shows(".finding")
	ann.press("e")
	ann.await("document.querySelector('.head .state-escalated') != null")
	ann.press("c") // to the disposition
	ann.await("document.activeElement.id == 'disposition'")
	ann.press(kb.Home) // chromedp types the c into the list too
	ann.press(kb.ArrowDown)
	ann.press("\t")
	ann.press("seen on video")
	ann.press("\t")
	ann.press("\r")
	ann.await("document.querySelector('.head .state-closing') != null")
	if done := eval[string](ann, "document.querySelector('#done span').textContent"); done !=
		"Closing requested: 1 finding. A supervisor must confirm." {
		t.Errorf("a request to close is reported as %q", done)
	}
	if n := eval[int](ann, "document.querySelectorAll('button[value=confirm]').length"); n != 0 {
		t.Error("an operator has the button to confirm")
	}
	ann.screenshot("closing")
	path := eval[string](ann, "location.pathname")
	ann.quiet()

	bob := openBrowser(t, c.url, 1440, 900)
	bob.signInWith(supervisor)
	bob.open(path)
	bob.click("button[value=confirm]")
	bob.await("document.querySelector('.head .state-closed') != null")
	bob.open("/queue?state=closed")
	bob.await("document.querySelectorAll('.rows .found a').length == 1")
	row := eval[string](bob, "document.querySelector('.rows tbody tr').innerText")
	if !strings.Contains(row, "seen on video") || !strings.Contains(row, "ann, confirmed by bob") {
		t.Errorf("the closed finding has no reason or no people: %q", row)
	}
	for filter, n := range map[string]int{"severity=critical": 1, "severity=minor": 0} {
		bob.open("/queue?state=closed&" + filter)
		if got := eval[int](bob, "document.querySelectorAll('.rows .found a').length"); got != n {
			t.Errorf("closed and %s: %d findings, want %d", filter, got, n)
		}
	}
	closed, _, err := s.Closed(t.Context(), store.Scope{All: true}, store.Filter{}, time.Now().Add(time.Minute))
	if err != nil || len(closed) != 1 {
		t.Fatal(len(closed), err)
	}
	filters := map[string]int{
		"table=" + closed[0].TableID: 1, "rule=" + closed[0].Rule: 1, "owner=ann": 1, "q=" + closed[0].ID: 1, "table=x": 0,
		"rule=feed": 0, "owner=x": 0, "q=nonsense": 0, "property=x": 0, "pit=x": 0, "shoe=x": 0, "dealer=x": 0, "fp=x": 0,
		"verdict=INFO": 0, "kind=notice": 0, "basis=adopted": 0, "day=2020-01-01": 0, "from=2999-01-01": 0,
		"to=2020-01-01": 0, "min=90m": 0,
	}
	for _, shift := range c.Law.Calendar.Shifts {
		filters["shift="+shift.Name] = strings.Count(closed[0].Shift, shift.Name)
	}
	for filter, n := range filters {
		_, page := send(t, "GET", c.url+"/queue?state=closed&"+filter, "", "Authorization", "Bearer "+supervisor)
		if got := strings.Count(page, `href="/findings/`); got != n {
			t.Errorf("closed and %s: %d findings, want %d", filter, got, n)
		}
	}
	csv := eval[string](bob, `(() => { const r = new XMLHttpRequest();
		r.open("GET", "/exports/findings.csv?state=closed", false); r.send(); return r.responseText; })()`)
	if n := strings.Count(csv, "\n"); n != 2 || !strings.Contains(csv, ",ann,bob,confirmed-dealer-error,seen on video") {
		t.Errorf("the CSV of closed findings: %q", csv)
	}
	bob.open("/queue?group=off&limit=1")
	if note := eval[string](bob, "document.querySelector('.note').innerText"); !strings.HasPrefix(note, "1 of ") {
		t.Errorf("a queue of one row of many has the note %q", note)
	}
	bob.quiet()
}

// The button to undo goes when the minute of its action has passed by the clock of the page, as after a sleep of the
// computer, in which no timer runs. A page that is shown late has it for the rest of the minute.
func TestUndoEnds(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 2, 0)
	var ahead atomic.Int64 // of the console's clock
	c := serve(t, s, func(o *Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	b := openBrowser(t, c.url, 1440, 900)
	b.signIn("ann", "operator")
	const undo = "document.querySelector('#undo button')"
	// later puts the clock of the page forward by seconds, and then evaluates an expression before any other event.
	later := func(seconds int, then string) bool {
		t.Helper()
		return eval[bool](b, fmt.Sprintf("(() => { const d = window.clock = window.clock || Date.now; "+
			"Date.now = () => d.call(Date) + %d; return %s; })()", 1000*seconds, then))
	}
	b.open("/queue?group=off")
	b.press("j")
	b.press("e")
	b.await(undo + " != null")
	if !later(30, "(document.dispatchEvent(new Event('visibilitychange')), "+undo+" != null)") {
		t.Error("no button to undo 30 s after the action")
	}
	eval[int](b, "(() => { document.querySelector('#undo button').focus(); return 0; })()")
	ahead.Store(int64(90 * time.Second))
	later(90, "true")
	b.await(undo + " == null")
	if since := eval[float64](b, "performance.now()"); since > 55_000 {
		t.Errorf("the button to undo stayed for %v ms: a timer ended it, not the clock", since)
	}
	if at := eval[string](b, "document.activeElement.id"); at != "done" {
		t.Errorf("the focus of the button that went is at %q, want the report", at)
	}

	// The report is shown 20 s after the action. A key right after a sleep does not undo.
	open, err := s.Open(t.Context(), store.Scope{All: true}, store.Filter{Limit: 1})
	if err != nil || len(open) == 0 {
		t.Fatal(len(open), err)
	}
	eval[int](b, fmt.Sprintf(`(() => { const r = new XMLHttpRequest(); r.open("POST", "/triage", false);
		r.send(new URLSearchParams({key: "f:%s", step: "escalate", next: "/static/mark.svg"})); return 0; })()`, open[0].ID))
	ahead.Add(int64(20 * time.Second))
	b.open("/queue")
	b.await(undo + " != null")
	eval[int](b, "(() => { window.sent = 0; document.addEventListener('submit', (e) => { sent++; e.preventDefault(); }); "+
		"return 0; })()")
	if !later(50, "(document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'z', bubbles: true})), "+
		undo+" == null && sent == 0)") {
		t.Error("a key undoes after the minute of the action")
	}
	b.quiet()
}

// Keys that come after a chord, a key or an action that opens a page are meant for that page: they act on no row of the
// old one. Escape gives the old page its keys back.
func TestKeysWhilePageLoads(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 4, 0)
	c := serve(t, s, nil)
	b := openBrowser(t, c.url, 1440, 900)
	b.signIn("ann", "operator")
	// Keys that are in the queue of a busy page when it comes to them; the row, the boxes and the forms after each.
	const keys = `((...keys) => {
		let sent = 0;
		document.addEventListener("submit", () => { sent++; });
		return keys.map((key) => {
			document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
			const row = document.activeElement.closest("tr");
			return [row && row.dataset.fp, document.querySelectorAll(".queue input:checked").length, sent].join(" ");
		});
	})`
	states := func() string {
		t.Helper()
		open, err := s.Open(t.Context(), store.Scope{All: true}, store.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		n := map[string]int{}
		for _, f := range open {
			n[f.State]++
		}
		return fmt.Sprint(n)
	}
	fresh, later := states(), `"e", "a", "j", "x", "m", "z", "u"`
	for _, x := range [][2]string{ // the keys, and the page that they open
		{`"g", "h"`, "/handover"}, {`"u"`, "/queue"}, {`"?"`, "/help"}, {`"o"`, "/findings/"}, {`"a"`, "/queue"},
	} {
		b.open("/queue?group=off")
		b.press("j")
		b.await("document.activeElement.closest('tr') != null")
		eval[int](b, "(() => { window.old = true; return 0; })()")
		after := eval[[]string](b, fmt.Sprintf("%s(%s, %s)", keys, x[0], later))
		first := strings.Count(x[0], ",")
		for _, now := range after[first:] {
			if now != after[first] {
				t.Errorf("after %s, keys for the next page do something: %q", x[0], after[first:])
				break
			}
		}
		b.await(fmt.Sprintf("!window.old && location.pathname.startsWith(%q)", x[1]))
		if now := states(); x[0] != `"a"` && now != fresh {
			t.Errorf("after %s, the states are %s, want %s", x[0], now, fresh)
		} else if x[0] == `"a"` && !strings.Contains(now, "acknowledged:1 new:") {
			t.Errorf("after an acknowledgement, the states are %s", now)
		}
	}

	b.open("/queue?group=off")
	b.press("j")
	if after := eval[[]string](b, keys+`("g", "h", "Escape", "j")`); after[3] == after[2] {
		t.Errorf("after Escape, the old page has no keys: %q", after)
	}
	b.await("location.pathname == '/handover'")
	// A page whose loading was stopped otherwise has its keys again, and so has one whose key began a download.
	b.open("/queue?group=off")
	b.press("j")
	eval[[]string](b, `(() => { const done = `+keys+`("u"); window.stop(); return done; })()`)
	b.await(`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true, cancelable: true})), ` +
		`document.querySelector("#palette").open`)
	b = openBrowser(t, c.url, 1440, 900)
	b.signIn("eve", "auditor")
	b.open("/log")
	eval[int](b, `document.querySelector("a[href^='/log.csv']").focus() || 0`)
	if eval[[]string](b, keys+`("Enter", "/")`); !eval[bool](b, `document.querySelector("#palette").open`) {
		t.Error("after Enter on a link to a download, the page has no keys")
	}
}

// What was typed into a form that the console refused is in the form again, one step back.
func TestRefusedForm(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 2, 0)
	c := serve(t, s, nil)
	b := openBrowser(t, c.url, 1440, 900)
	b.signIn("ann", "supervisor")
	b.open("/silences")
	b.do(chromedp.SendKeys(chromedp.CSS("[name=rule]"), "order.losing-frist"))
	b.do(chromedp.SendKeys(chromedp.CSS("main [name=reason]"), "the rack is being repaired"))
	b.click("form[action='/silences'] button")
	b.await("document.body.classList.contains('page-error')")
	b.click("main a.button")
	const typed = "['rule', 'reason'].map((x) => document.querySelector('main [name=' + x + ']').value).join('|')"
	// The page of the error has the same address.
	b.await("!document.body.classList.contains('page-error')")
	if got := eval[string](b, typed); got != "order.losing-frist|the rack is being repaired" {
		t.Errorf("the form that was refused has %q", got)
	}
	b.do(chromedp.SetValue(chromedp.CSS("[name=rule]"), "order.losing-first"))
	b.click("form[action='/silences'] button")
	b.await("document.querySelector('[aria-label=Silences] tbody').innerText.includes('being repaired')")
	if got := eval[string](b, typed); got != "|" {
		t.Errorf("after a silence the form has %q", got)
	}

	// A session that ended: what was typed is there after the sign-in.
	b.do(chromedp.SetValue(chromedp.CSS("[name=rule]"), "order.losing-first"))
	b.do(chromedp.SendKeys(chromedp.CSS("main [name=reason]"), "the rack is new"))
	eval[int](b, `(() => {
	const x = new XMLHttpRequest(); x.open("POST", "/sign-out", false); x.send(); return 0; })()`)
	b.click("form[action='/silences'] button")
	b.await("document.body.classList.contains('page-error')")
	if text := eval[string](b, "document.querySelector('main').innerText"); !strings.Contains(text, "nothing was done") {
		t.Errorf("after the end of the session: %q", text)
	}
	b.click("main a")
	b.click("button[value=supervisor]")
	b.shows("main [name=reason]")
	if got := eval[string](b, typed); got != "order.losing-first|the rack is new" {
		t.Errorf("after the sign-in the form has %q", got)
	}

	// A mistyped filter is no empty queue.
	b.open("/queue?severity=critcal")
	if text := eval[string](b, "document.querySelector('main').innerText"); !strings.Contains(text,
		`severity "critcal": want critical, major, minor, info`) {
		t.Errorf("a mistyped filter: %q", text)
	}
}

// The current row is between the bars at the edges of the window, whichever way the keys lead to it.
func TestRowsAreNotCovered(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 30, 0)
	b := openBrowser(t, serve(t, s, nil).url, 1000, 500)
	b.signIn("ann", "operator")
	b.open("/queue?group=off")
	for _, keys := range []string{strings.Repeat("j", 25), strings.Repeat("k", 20)} {
		for _, key := range keys {
			b.press(string(key))
			if eval[bool](b, `(() => {
	const a = document.activeElement, r = a.getBoundingClientRect(), at = (y) => document.elementFromPoint(r.x + 4, y);
	return [at(r.top + 2), at(r.bottom - 2)].some((e) => !e || e.closest("tr") !== a.closest("tr")); })()`) {
				t.Fatalf("after %s a bar covers %q", keys, eval[string](b, "document.activeElement.innerText"))
			}
		}
	}
}
