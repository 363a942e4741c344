//go:build unix

package console

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/internal/testkit"
)

// A screen says across its whole width that it is stale, and recovers by itself: a console that does not answer, a
// console that cannot read the database, a session that ended.
func TestStaleScreen(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 3, 0)
	var behind atomic.Int64                          // how far the console's clock is ahead of the last read of the queue
	var hangs, refuses, unreadable, mute atomic.Bool // mute has no stream
	var unread atomic.Int64                          // the requests of pages for what they show that failed
	var inner atomic.Pointer[http.Handler]
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hangs.Load() || mute.Load() && r.URL.Path == "/live" {
			<-r.Context().Done()
			return
		}
		if refuses.Load() {
			panic(http.ErrAbortHandler)
		}
		if unreadable.Load() && r.Header.Get("X-Refresh") != "" {
			unread.Add(1)
			http.Error(w, "", http.StatusInternalServerError)
			return
		}
		(*inner.Load()).ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	u, err := url.Parse(front.URL)
	if err != nil {
		t.Fatal(err)
	}
	start := func() {
		c := serve(t, s, func(o *Options) {
			o.PublicURL, o.Now = u, func() time.Time { return time.Now().Add(time.Duration(behind.Load())) }
		})
		h, err := c.Handler()
		if err != nil {
			t.Fatal(err)
		}
		inner.Store(&h)
		t.Cleanup(front.CloseClientConnections)
	}
	start()

	b := openBrowser(t, front.URL, 1440, 900)
	b.signIn("ann", "operator")
	b.open("/floor?wall=1")
	const live = "document.querySelector('#link').dataset.state == 'on' && document.querySelector('#stale').hidden"
	const blind = "!document.querySelector('#stale').hidden && " +
		"document.querySelector('#stale').getBoundingClientRect().width >= document.body.clientWidth"
	// The clock of the page is put forward and stands still, so that a limit of more than 25 s fails; then it goes on.
	const putForward = "(() => { const d = Date.now, then = d() + 26000; Date.now = () => then; " +
		"window.goOn = () => { const lost = then - d(); Date.now = () => d() + lost; return 0; }; return 0; })()"
	b.await(live)
	// It recovers by itself.
	recovers := func(what, shows string) {
		t.Helper()
		from := time.Now()
		b.await(shows)
		testkit.Within(t, "the recovery after "+what, time.Since(from), 30*time.Second)
	}

	// The network is cut, and the console does not run.
	for _, fails := range []*atomic.Bool{&hangs, &refuses} {
		fails.Store(true)
		front.CloseClientConnections()
		b.await("document.querySelector('#link').dataset.state == 'late'") // no beat is under way any more
		eval[int](b, putForward)
		b.await(blind)
		eval[int](b, "goOn()")
		fails.Store(false)
		front.CloseClientConnections()
		recovers("the console did not answer", live)
	}

	// The console does not read the database: its beats arrive and end no warning.
	behind.Store(int64(26 * time.Second))
	eval[int](b, putForward)
	eval[int](b, "goOn()")
	b.await(blind)
	staysBlind := func(what string) {
		t.Helper()
		eval[int](b, "(() => { window.beats = 0; window.another = new EventSource('/live'); "+
			"another.addEventListener('beat', () => { beats++; }); return 0; })()")
		b.await("beats > 2") // one at the start, then one in the period of each stream
		if !eval[bool](b, blind) {
			t.Errorf("a beat of a console %s ends the warning", what)
		}
		eval[int](b, "(() => { another.close(); return 0; })()")
	}
	staysBlind("that does not read the database")
	behind.Store(0)
	recovers("the database was not read", live)

	// The page cannot be fetched again while its beats still arrive.
	unreadable.Store(true)
	testkit.Await(t, "a second fetch of the page", func() bool { return unread.Load() > 1 })
	eval[int](b, putForward)
	staysBlind("from which the page cannot be fetched")
	eval[int](b, "goOn()")

	// A tile that the page cannot fetch turns to NO FEED by the clock two minutes after its last event.
	eval[int](b, "(() => { window.ticks = 0; return setInterval(() => { ticks++; }, 1000); })()")
	for seconds, want := range map[time.Duration]bool{80: false, 160: true} { // the clock of the page was put forward
		eval[int](b, fmt.Sprintf("(() => { const tile = document.querySelector('.tile'); tile.className = 'tile feed-live'; "+
			"tile.dataset.received = %d; document.querySelector('.tile .feedword').textContent = 'live'; "+
			"ticks = 0; return 0; })()", time.Now().Add(-seconds*time.Second).UnixMilli()))
		b.await("ticks > 2") // the page checked its tiles meanwhile
		text := eval[string](b, "document.querySelector('.tile .feedword').textContent")
		if strings.Contains(text, "NO FEED since") != want {
			t.Errorf("%d s after its last event, a tile is %q", seconds, text)
		}
	}
	unreadable.Store(false)
	recovers("the page could not be fetched", live)

	// A page that does not fetch itself again shows what it missed in a gap that was long, short or before its first beat,
	// and what the page before it missed.
	const newbar = "!document.querySelector('#newbar').hidden"
	const critbar = "document.querySelector('#critbar').innerText.includes(' 1 new')"
	const known = "document.querySelector('#link').dataset.critical"
	for i, x := range []struct {
		page, shows string
		fails       *atomic.Bool
		long, first bool
		next        string
	}{
		{page: "/queue", shows: newbar, fails: &hangs, long: true},
		{page: "/queue", shows: newbar, fails: &mute},
		{page: "/rules", shows: critbar, fails: &mute},
		{page: "/queue", shows: newbar, fails: &mute, first: true},
		{page: "/rules", shows: critbar, fails: &mute, first: true},
		{page: "/queue", shows: newbar, fails: &unreadable},
		{page: "/rules", shows: critbar, fails: &mute, next: "/help"},
	} {
		x.fails.Store(x.first)
		b.open(x.page)
		cut := func() bool {
			if x.fails == &unreadable { // the stream goes on
				return false
			}
			front.CloseClientConnections()
			return true
		}
		if !x.first {
			b.await(live)
			x.fails.Store(true)
			if cut() {
				b.await("document.querySelector('#link').dataset.state == 'late'")
			}
		}
		before, failed := eval[string](b, known), unread.Load()
		if x.long {
			eval[int](b, putForward)
			b.await(blind)
		}
		table := fmt.Sprint("missed-", i)
		newTestFloor(t, s.Store).play(planted(t, "ac-1", table, "draw.banker.must-stay"))
		testkit.Await(t, "the finding in the queue", func() bool {
			open, err := s.Open(t.Context(), store.Scope{All: true}, store.Filter{Table: table})
			return err == nil && len(open) > 0
		})
		if x.next != "" {
			testkit.Await(t, "a page that was rendered after the finding", func() bool {
				b.open(x.next)
				return eval[string](b, known) != before
			})
		}
		if x.fails == &unreadable {
			testkit.Await(t, "a fetch of the page", func() bool { return unread.Load() > failed })
		}
		if x.long {
			eval[int](b, "goOn()")
		}
		x.fails.Store(false)
		cut()
		recovers("a gap", live+" && "+x.shows)
	}

	// A console that starts again tells an open page, and the first page after a sign-in, what came meanwhile.
	const signIn = "(() => { window.signedIn = false; fetch('/sign-in', {method: 'POST', " +
		"body: new URLSearchParams({name: 'ann', role: 'operator'})}).then(() => { window.signedIn = true; }); return 0; })()"
	for i, next := range []string{"", "/help"} {
		began := s.ReadUntil()
		testkit.Await(t, "a sign of life that leaves out the findings before", func() bool {
			return s.ReadUntil().Sub(began) > 5*time.Second
		})
		b.open("/queue")
		b.open("/rules")
		b.await(live)
		start()
		front.CloseClientConnections()
		b.await("document.querySelector('#stale a') != null")
		table := fmt.Sprint("restarted-", i)
		newTestFloor(t, s.Store).play(planted(t, "ac-1", table, "draw.banker.must-stay"))
		testkit.Await(t, "the finding in the queue", func() bool {
			open, err := s.Open(t.Context(), store.Scope{All: true}, store.Filter{Table: table})
			return err == nil && len(open) > 0
		})
		mute.Store(next != "")
		eval[int](b, signIn)
		b.await("window.signedIn") // the next page would cancel it
		if next != "" {
			b.open(next)
			mute.Store(false)
			front.CloseClientConnections()
		}
		recovers("a restart and a sign-in", live+" && "+critbar)
	}

	b.open("/queue") // ends the bar of new critical findings, which takes a part of the width
	b.open("/floor?wall=1")
	b.await(live)
	// The session ends, and each session of a console that starts again.
	for _, end := range []func(){
		func() { eval[int](b, "(() => { fetch('/sign-out', {method: 'POST'}); return 0; })()") },
		func() { start(); front.CloseClientConnections() },
	} {
		end()
		b.await(blind + " && document.querySelector('#stale a[href^=\"/sign-in?next=%2Ffloor\"]') != null")
		eval[int](b, signIn)
		recovers("the end of a session and a sign-in", live)
	}
}

// A page of a console that does not answer stays: keys, links and forms do not lead to the browser's page of an error.
func TestLostConsoleKeepsThePage(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 3, 0)
	var fails atomic.Bool
	var h http.Handler
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fails.Load() {
			panic(http.ErrAbortHandler)
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	u, err := url.Parse(front.URL)
	if err != nil {
		t.Fatal(err)
	}
	if h, err = serve(t, s, func(o *Options) { o.PublicURL = u }).Handler(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(front.CloseClientConnections)
	b := openBrowser(t, front.URL, 1440, 900)
	b.signIn("ann", "operator")
	b.open("/queue")
	const live = "document.querySelector('#link').dataset.state == 'on'"
	const stays = "location.pathname == '/queue' && document.querySelector('#stale').innerText.includes('does not answer')"
	for what, leave := range map[string]func(){
		"the keys g f": func() { b.press("gf") },
		"the key o":    func() { b.press("jo") },
		"Enter":        func() { b.press("j\r") },
		"a link":       func() { b.click("nav a[href='/floor']") },
		"a form":       func() { b.press("ja") },
	} {
		b.await(live)
		fails.Store(true)
		front.CloseClientConnections()
		b.await("document.querySelector('#link').dataset.state == 'late'")
		leave()
		b.await(stays)
		eval[int](b, "(() => { document.body.dataset.kept = '1'; return 0; })()")
		b.press("k") // the keys still work
		fails.Store(false)
		b.await(live + " && document.querySelector('#stale').hidden")
		if !eval[bool](b, "document.body.dataset.kept == '1'") {
			t.Errorf("%s: the page was loaded again", what)
		}
		eval[int](b, "(() => { delete document.body.dataset.kept; return 0; })()")
	}
	// The console answers again before the stream does: the page opens.
	fails.Store(true)
	front.CloseClientConnections()
	b.await("document.querySelector('#link').dataset.state == 'late'")
	fails.Store(false)
	b.press("gf")
	b.await("location.pathname == '/floor'")
}

// A new critical finding shows on every page until the queue is opened, and the choice of the sound is kept.
func TestCriticalBar(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 3, 0)
	c := serve(t, s, nil)
	b := openBrowser(t, c.url, 1440, 900)
	b.signIn("ann", "operator")
	b.open("/rules")
	b.await("document.querySelector('#link').dataset.state == 'on'")
	eval[int](b, "(() => { window.tones = 0; const make = AudioContext.prototype.createOscillator; "+
		"AudioContext.prototype.createOscillator = function () { tones++; return make.call(this); }; return 0; })()")
	b.click("#sound")
	b.await("tones == 1")
	eval[int](b, "(() => { const d = Date.now; Date.now = () => d() + 11000; return 0; })()") // one tone in ten seconds
	const top = "document.querySelector('#main').getBoundingClientRect().top"
	place := eval[float64](b, top)
	before := eval[int](b, "Number((document.querySelector('.navcount') || {textContent: 0}).textContent)")
	newTestFloor(t, s.Store).play(planted(t, "ac-2", "new-1", "draw.banker.must-stay"))
	b.await("!document.querySelector('#critbar').hidden && /^◆1 /.test(document.title) && " +
		"document.querySelector('#icon').href.includes('alarm') && tones == 2")
	if now := eval[float64](b, top); now != place {
		t.Errorf("the bar moves the page from %v to %v", place, now)
	}
	if !eval[bool](b, "document.querySelector('#critbar').getBoundingClientRect().bottom <= "+
		"document.querySelector('#main').firstElementChild.getBoundingClientRect().top") {
		t.Error("the bar covers the page")
	}
	b.open("/help")
	b.await("!document.querySelector('#critbar').hidden")
	if n := eval[int](b, "Number(document.querySelector('.navcount').textContent)"); n != before+1 {
		t.Errorf("the navigation counts %d critical findings, want %d", n, before+1)
	}
	if on := eval[string](b, "document.querySelector('#sound').getAttribute('aria-pressed')"); on != "true" {
		t.Error("the next page forgot the choice of the sound")
	}
	// Two pages of a browser count a finding once.
	eval[bool](b, "(window.other = window.open('/help')) != null")
	b.await("other.document.querySelector('#link').dataset.state == 'on'")
	for n := 2; n <= 3; n++ {
		newTestFloor(t, s.Store).play(planted(t, "ac-2", fmt.Sprint("new-", n), "draw.banker.must-stay"))
		b.await(fmt.Sprintf("[document, other.document].every((x) => x.title.startsWith('◆%d ') && "+
			"x.querySelector('#critbar').innerText.includes('%[1]d new critical'))", n))
	}
	eval[bool](b, "(other.close(), true)")
	b.open("/queue")
	b.await("document.querySelector('#critbar').hidden")
	b.open("/rules")
	b.await("document.querySelector('#critbar').hidden && !/^◆/.test(document.title)")
	b.quiet()
}

// The bars cover no content from a telephone to a desk, neither at the head of a page nor when it is scrolled.
func TestBarsCoverNothing(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 12, 0)
	c := serve(t, s, nil)
	b := openBrowser(t, c.url, 1440, 900)
	b.signIn("ann", "operator")
	const show = `(() => { for (const [id, text] of [
			["#stale", "This screen is stale since 23:59:59 UTC. No current data from the console."],
			["#critbar", "◆ 12 new critical findings: open"], ["#newbar", "12 new, 12 changed: show (n)"]]) {
		const bar = document.querySelector(id);
		if (!bar || id == "#critbar" && location.pathname == "/queue") continue;
		(bar.querySelector("a, button") || bar).textContent = text;
		bar.hidden = false;
	} return 0; })()`
	// The elements that a bar covers, at its middle and its edges.
	const covered = `[...document.querySelectorAll(".alerts > :not([hidden])")].map((x) => x.getBoundingClientRect())
		.flatMap((bar) => [...document.querySelectorAll("#newbar:not([hidden]), main > :first-child")].filter((x) => {
			const r = x.getBoundingClientRect();
			return (x.id == "newbar" || window.scrollY == 0) && r.top < bar.bottom - 1 && bar.top < r.bottom - 1;
		})).map((x) => x.outerHTML.slice(0, 60)).join(" ")`
	const above = `(() => { const top = document.querySelector(".top").getBoundingClientRect();
		return Math.abs(document.querySelector(".alerts").getBoundingClientRect().top - Math.max(0, top.bottom)); })()`
	for _, width := range []int64{1440, 1101, 1024, 900, 768, 390} {
		b.screen(width, 500, 1)
		for _, page := range []string{"/queue", "/floor", "/floor?wall=1", "/rules"} {
			c.resetLimits()
			b.open(page)
			b.await("document.querySelector('#link').dataset.state == 'on'")
			for _, down := range []int{0, 400} {
				eval[int](b, show)
				eval[int](b, fmt.Sprintf("(() => { window.scrollTo(0, %d); return 0; })()", down))
				if over := eval[string](b, covered); over != "" {
					t.Errorf("%s at %d px, %d px down: a bar covers %s", page, width, down, over)
				}
				if gap := eval[float64](b, above); gap > 1 {
					t.Errorf("%s at %d px, %d px down: the bars are %v px from the head", page, width, down, gap)
				}
			}
		}
	}
	b.quiet()
}
