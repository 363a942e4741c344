//go:build unix

package console

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/shoeproof/shoeproof/console/store"
	simulated "github.com/shoeproof/shoeproof/simulate/deal"
)

// worker counts what a person does at a browser: keys, the characters of texts, and clicks.
type worker struct {
	*browser
	keys, text, clicks int
}

func (w *worker) key(keys ...string) {
	w.t.Helper()
	for _, k := range keys {
		w.keys++
		w.press(k)
	}
}

// chord presses two keys that must follow each other soon and lead to another page. If too much time passed between
// them, because the machine is busy, they are pressed again and count once.
func (w *worker) chord(keys string) {
	w.t.Helper()
	w.keys += len(keys)
	w.await("true") // a page is loaded
	eval[int](w.browser, `(() => { let last = 0; window.left = true; document.addEventListener("keydown", (e) => {
		window.gap = e.timeStamp - last; last = e.timeStamp; }, true); return 0; })()`)
	for again := true; again; again = eval[bool](w.browser, "window.left == true") {
		w.press(keys)
		w.await("!window.left || gap >= 1500")
	}
}

func (w *worker) write(text string) {
	w.t.Helper()
	w.text += len(text)
	w.press(text)
}

func (w *worker) clickOn(selector string) {
	w.t.Helper()
	w.clicks++
	w.click(selector)
}

// palette opens the search by Ctrl-K, which counts as one key.
func (w *worker) palette() {
	w.t.Helper()
	w.keys++
	w.await("true") // a page is loaded
	w.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	w.await("document.querySelector('#palette').open")
}

// The jobs of the review, with the keys and clicks that docs/screens/README.md states for each.
func TestJobs(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	access := Access{}
	operator := personal(&access, "ann", "ann", "operator")
	supervisor := personal(&access, "bob", "bob", "supervisor")
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	now := time.Now().In(c.Law.Calendar.Zone)
	disputed := time.Date(now.Year(), now.Month(), now.Day()-1, 21, 40, 0, 0, now.Location())
	table := legal(t, simulated.Options{
		Property: "ac-1", Pit: "p1", Table: "live-07", Seed: 3, Start: disputed.Add(-20 * time.Minute),
	})
	newTestFloor(t, s.Store).play(append(table.Open(), table.Shoe()...))
	at := func(secret, page string) *worker {
		b := openBrowser(t, c.url, 1440, 900)
		b.signInWith(secret)
		b.open(page)
		b.await("document.querySelector('#link').dataset.state == 'on'")
		return &worker{browser: b}
	}
	ann, bob := at(operator, "/rules"), at(supervisor, "/rules")
	counted := func(job string) {
		t.Helper()
		for _, w := range []*worker{ann, bob} {
			w.quiet()
		}
		documented(t, job, ann.keys+bob.keys, ann.text+bob.text, ann.clicks+bob.clicks)
		*ann, *bob = worker{browser: ann.browser}, worker{browser: bob.browser}
	}

	ann.findDispute(t, s, disputed)
	counted("a disputed round")

	newTestFloor(t, s.Store).play(planted(t, "ac-1", "live-09", "draw.banker.must-stay"))
	for _, w := range []*worker{ann, bob} {
		w.await("!document.querySelector('#critbar').hidden")
	}
	ann.chord("gq")
	ann.await("document.querySelector('.queue tr[data-sev=critical]') != null")
	ann.key("j", "\r")
	ann.await("document.querySelector('.finding .act') != null")
	ann.key("c")
	ann.await("document.activeElement.id == 'disposition'")
	ann.key(kb.ArrowDown, "\t")
	ann.write("seen on video")
	ann.key("\t", "\r")
	ann.await("document.querySelector('.head .state-closing') != null")
	bob.clickOn("#critbar a")
	bob.await("document.querySelector('.queue tr[data-sev=critical] .state-closing') != null")
	bob.key("j", "\r")
	bob.await("document.querySelector('button[value=confirm]') != null")
	bob.clickOn("button[value=confirm]")
	bob.await("document.querySelector('.head .state-closed') != null")
	counted("a critical from another page to closed")

	ann.chord("gh")
	ann.clickOn("[name=note]")
	ann.write("watch live-07")
	ann.clickOn("form[action='/handover'] button")
	ann.await("location.pathname.startsWith('/handovers/ac-1/')")
	bob.chord("gh")
	bob.clickOn(".log a[href^='/handovers/']")
	bob.clickOn("#accept")
	bob.await("document.querySelector('#accepted b') && document.querySelector('#accepted b').textContent == 'bob'")
	counted("a hand-over, signed and accepted")

	rounds, err := s.Rounds(t.Context(), store.Scope{All: true}, store.Location{Property: "ac-1", Table: "live-07"})
	if err != nil || len(rounds) == 0 {
		t.Fatal(len(rounds), err)
	}
	ann.palette()
	ann.write(rounds[0].DealerID)
	ann.key("\r")
	ann.await("document.querySelector('[aria-label=Week] tbody a[href^=\"/tables/ac-1/live-07\"]') != null && " +
		"document.querySelector('.band polyline') != null")
	counted("a dealer's week")
}

// findDispute finds a round by the words of a dispute, and compares it with the round that is nearest to the time.
func (w *worker) findDispute(t *testing.T, s *store.Store, at time.Time) {
	t.Helper()
	const words = "table 7, about twenty to ten, seat 2"
	rounds, err := s.FindRounds(t.Context(), store.Scope{All: true}, store.RoundQuery{
		Table: "live-07", Seat: 2, Since: at.Add(-time.Hour), Until: at.Add(time.Hour), Near: at, Limit: 1,
	})
	if err != nil || len(rounds) != 1 {
		t.Fatal(len(rounds), err)
	}
	w.palette()
	w.write(words)
	w.await("document.querySelector('#found[data-for=\"" + words + "\"]') != null") // not of a part of the text
	hits := eval[string](w.browser, "document.querySelector('#hits').innerText")
	if !strings.Contains(hits, "live-07 round") {
		t.Fatal(hits)
	}
	w.key(kb.ArrowDown, "\r")
	w.await(fmt.Sprintf("location.pathname == %q", roundURL(&rounds[0])))
	if n := eval[int](w.browser, "document.querySelectorAll('[aria-label=Wagers] tbody tr').length"); n == 0 {
		t.Error("the page of the disputed round has no wagers")
	}
}

// documented compares what a job took with its line in the document.
func documented(t *testing.T, job string, keys, text, clicks int) {
	t.Helper()
	const name = "../docs/screens/README.md"
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) < 5 || strings.TrimPrefix(cells[0], "| ") != job {
			continue
		}
		want := fmt.Sprintf("%d | %d | %d", keys, text, clicks)
		if got := strings.TrimSuffix(strings.Join(cells[2:], " | "), " |"); got != want {
			t.Errorf("%s: the document has %s (keys | text | clicks), the browser counted %s", job, got, want)
		}
		return
	}
	t.Errorf("%s: no line in %s; the browser counted %d keys, %d characters, %d clicks", job, name, keys, text, clicks)
}
