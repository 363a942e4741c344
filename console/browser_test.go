//go:build unix

package console

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/internal/testkit"
)

// browser is a window of a headless Chromium.
type browser struct {
	t   testing.TB
	ctx context.Context
	url string
	// role is that of the last sign-in.
	role string
	// light is set once the light theme is chosen.
	light bool

	// seen is the markup of the pages whose accessibility is checked.
	seen *markup

	mu sync.Mutex
	// messages are what the pages and the browser wrote to the JavaScript console.
	messages []string
}

// chromium is the Chromium of the test binary, with a temporary profile. It starts with the first test that uses it.
var chromium struct {
	once sync.Once
	dir  string
	ctx  context.Context
	stop context.CancelFunc
	err  error
}

func startChromium() {
	path := testkit.Chromium()
	if path == "" {
		return
	}
	c := &chromium
	if c.dir, c.err = os.MkdirTemp("", "shoeproof-chromium-"); c.err != nil {
		return
	}
	c.ctx, _ = chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.UserDataDir(c.dir), chromedp.Headless, chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("hide-scrollbars", true))
	c.ctx, c.stop = chromedp.NewContext(c.ctx)
	c.err = chromedp.Do(c.ctx)
}

// stopChromium ends the Chromium of the test binary and removes its profile.
func stopChromium() {
	if chromium.stop != nil {
		chromium.stop()
	}
	_ = os.RemoveAll(chromium.dir)
}

// openBrowser opens a window that shares no cookie with another.
func openBrowser(t testing.TB, url string, width, height int64) *browser {
	t.Helper()
	chromium.once.Do(startChromium)
	switch {
	case chromium.err != nil:
		t.Fatal(chromium.err)
	case chromium.ctx == nil:
		t.Skip("NOT RUN: no chromium found; install it with apt-get install chromium-headless-shell")
	}
	ctx, cancel := chromedp.NewContext(chromium.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 30*time.Minute)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx, url: url}
	b.screen(width, height, 1)
	var wait sync.WaitGroup
	console := chromedp.Console(ctx)
	wait.Go(func() {
		for m, err := range console {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.messages = append(b.messages, fmt.Sprintf("%s: %s (%s:%d)", m.Type, m.Text, m.URL, m.Line))
			b.mu.Unlock()
		}
	})
	t.Cleanup(func() { cancel(); wait.Wait() })
	return b
}

// quiet fails if there are messages.
func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.messages {
		b.t.Error("browser message: ", s)
	}
	b.messages = nil
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// eval evaluates an expression in the page.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// await waits until a page is loaded and an expression is true in it, be it the page or one that follows. An expression
// that is true before the step that it waits for waits for nothing.
func (b *browser) await(expression string) {
	b.t.Helper()
	whole := "document.readyState == 'complete' && (" + expression + ")"
	holds := false
	defer func() {
		if !holds {
			b.t.Log(eval[string](b, "location.href + ' ' + document.body.innerText.slice(0, 500)"))
		}
	}()
	testkit.Await(b.t, expression, func() bool {
		ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](whole))
		holds = ok && err == nil
		return holds
	})
}

// shows waits until a page is loaded that shows an element.
func (b *browser) shows(selector string) {
	b.t.Helper()
	b.await(fmt.Sprintf("document.querySelector(%q).checkVisibility()", selector))
}

// screen sets the size of the screen in pixels of the page, and how many pixels of the screen each of them has.
func (b *browser) screen(width, height int64, scale float64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height, chromedp.EmulateScale(scale)))
	b.await(fmt.Sprintf("innerWidth == %d && innerHeight == %d", width, height))
}

func (b *browser) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.url+path), chromedp.WaitReady(chromedp.CSS("#main")))
}

// click clicks on the first element of a selector. A live update may replace the element between search and click; then
// the new one is clicked.
func (b *browser) click(selector string) {
	b.t.Helper()
	err := chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS(selector)))
	for replaced := 0; err != nil && replaced < 10 && strings.Contains(err.Error(), "Could not find node"); replaced++ {
		err = chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS(selector)))
	}
	if err != nil {
		b.t.Fatalf("click %s: %v", selector, err)
	}
}

// press types when the script of the page is loaded.
func (b *browser) press(keys string) {
	b.t.Helper()
	b.await("true") // a page is loaded
	b.do(chromedp.KeyEvent(keys))
}

// signIn signs in with a role.
func (b *browser) signIn(name, role string) {
	b.t.Helper()
	b.role = role
	b.open("/sign-in")
	b.do(chromedp.SendKeys(chromedp.CSS("input[name=name]"), name))
	b.click("button[value=" + role + "]")
	b.shows(".who")
}

// signInWith signs in with a token.
func (b *browser) signInWith(secret string) {
	b.t.Helper()
	b.open("/sign-in")
	b.do(chromedp.SendKeys(chromedp.CSS("input[name=token]"), secret))
	b.click(".door button")
	b.shows(".who")
}

// screenshot saves a picture of the page if SHOEPROOF_TEST_SCREENS names a folder.
func (b *browser) screenshot(name string) {
	b.t.Helper()
	dir := os.Getenv("SHOEPROOF_TEST_SCREENS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// pdf saves the page as it is printed if SHOEPROOF_TEST_SCREENS names a folder.
func (b *browser) pdf(name string) {
	b.t.Helper()
	dir := os.Getenv("SHOEPROOF_TEST_SCREENS")
	if dir == "" {
		return
	}
	data, err := chromedp.Run(b.ctx, chromedp.PrintToPDF(
		chromedp.PDFPaper(chromedp.PaperA4), chromedp.PDFPreferCSSPageSize(),
	))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".pdf"), data, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// The pictures of docs/console.md: SHOEPROOF_TEST_SCREENS=$PWD/docs/screens saves them.
func TestScreens(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 24, 6)
	c := serve(t, s, nil)
	b := openBrowser(t, c.url, 1440, 820)
	b.open("/sign-in")
	b.signIn("ann", "supervisor")
	b.open("/queue")
	b.screenshot("queue")
	b.open("/queue?rule=draw")
	b.click(".queue .rule a")
	b.shows(".finding .felt .card")
	if n := eval[int](b, "document.querySelectorAll('.timeline .bad').length"); n == 0 {
		t.Error("a card that the drawing table does not permit is not marked")
	}
	b.screenshot("finding")
	b.click("form[action='/replay'] button")
	b.shows(".verdictline.same")
	b.open("/floor")
	b.screenshot("floor")
	b.open("/tables/ac-1/pb-01")
	b.click(".rows a[href^='/shoes']")
	b.await("location.pathname.startsWith('/shoes/')")
	b.screenshot("shoe")
	drawnRoads(b, s)
	// Of a shoe with many ties after another, the big road has their number.
	shoe := eval[string](b, "location.pathname.split('/').at(-1)")
	if err := s.Conn().Exec(t.Context(), "INSERT INTO "+s.Table("rounds")+" SELECT * REPLACE ('ties' AS shoe_id, "+
		"if(round > 9, 'TIE', result) AS result) FROM (SELECT * FROM "+s.Table("rounds")+" WHERE table_id = 'pb-01' "+
		"AND shoe_id = '"+shoe+"')"); err != nil {
		t.Fatal(err)
	}
	b.open("/shoes/ac-1/pb-01/ties")
	drawnRoads(b, s)
	b.quiet()
}

// drawnRoads compares the roads on the page of a shoe with its rounds: naturals, pairs, ties, and the cards in titles.
func drawnRoads(b *browser, s *store.Store) {
	b.t.Helper()
	path := strings.Split(eval[string](b, "location.pathname"), "/")
	at := store.Location{Property: path[2], Table: path[3], Shoe: path[4]}
	rounds, err := s.Rounds(b.t.Context(), store.Scope{All: true}, at)
	if err != nil || len(rounds) < 10 {
		b.t.Fatal(len(rounds), err)
	}
	want := map[string]int{"titles": len(rounds)}
	begun := false // a tie before the first other result has no place on the big road
	for i := range rounds {
		r := &rounds[i]
		player, banker, _ := strings.Cut(strings.TrimPrefix(r.Cards, "P "), " B ")
		for mark, hand := range map[string]string{".dot-P": player, ".dot-B": banker} {
			if cards := strings.Fields(hand); cards[0][:1] == cards[1][:1] {
				want[mark]++
			}
		}
		if r.PlayerCards+r.BankerCards == 4 && max(r.PlayerCount, r.BankerCount) >= 8 {
			want[".dot-N"]++
		}
		if begun && r.Result == "TIE" {
			want["ties"]++
		}
		begun = begun || r.Result != "TIE"
		titled := "[...document.querySelectorAll('[aria-label=\"Bead plate\"] title')][%d].textContent.includes(%q)"
		if !eval[bool](b, fmt.Sprintf(titled, i, r.Cards)) {
			b.t.Errorf("the bead of round %d has no title with %s", r.Round, r.Cards)
		}
	}
	for mark, n := range want {
		count := fmt.Sprintf("document.querySelectorAll('[aria-label=\"Bead plate\"] %s').length", mark)
		switch mark {
		case "titles":
			count = "document.querySelectorAll('[aria-label=\"Bead plate\"] title').length"
		case "ties":
			count = `[...document.querySelectorAll("[aria-label='Big road'] .tie")].map((x) => x.nextElementSibling)
				.reduce((n, x) => n + (x && x.matches(".ties") ? Number(x.textContent) : 1), 0)`
		}
		if got := eval[int](b, count); got != n {
			b.t.Errorf("the roads have %s: %d, want %d", mark, got, n)
		}
	}
}

// The bar of every role has one row on a laptop.
func TestBarHasOneRow(t *testing.T) {
	t.Parallel()
	c := serve(t, emptyStore(t), nil)
	for _, role := range []string{"regulator", "auditor", "supervisor", "admin"} {
		b := openBrowser(t, c.url, 1280, 800)
		b.signIn("ann-"+role, role)
		b.open("/queue")
		if tall := eval[int](b, "document.querySelector('.top').offsetHeight"); tall > 50 {
			t.Errorf("the bar of a %s is %d px tall at 1280 px, want one row of 46", role, tall)
		}
	}
}
