//go:build unix

package console

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// browser is a headless Chromium with a profile of its own.
type browser struct {
	t   testing.TB
	ctx context.Context
	url string

	mu sync.Mutex
	// said is what the pages and the browser wrote to the console: nothing, if all is well.
	said []string
}

func openBrowser(t testing.TB, url string, width, height int64) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("NOT RUN: there is no chromium here: apt-get install chromium")
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.WindowSize(int(width), int(height)),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", true))
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 10*time.Minute)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx, url: url}
	b.do(chromedp.EmulateViewport(width, height))
	var wait sync.WaitGroup
	messages := chromedp.Console(ctx)
	wait.Go(func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.said = append(b.said, fmt.Sprintf("%s: %s (%s:%d)", m.Type, m.Text, m.URL, m.Line))
			b.mu.Unlock()
		}
	})
	t.Cleanup(func() { cancel(); wait.Wait() })
	return b
}

// quiet fails if the browser complained of anything.
func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.said {
		b.t.Error("the browser said ", s)
	}
	b.said = nil
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// ask evaluates an expression in the page.
func ask[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// await returns when an expression is true in the page, also in one that is yet to come.
func (b *browser) await(expression string) {
	b.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	late := time.After(20 * time.Second)
	for {
		ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](expression))
		if ok && err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			b.t.Fatalf("waited in vain for %s at %s: %v", expression, ask[string](b, "location.href + ' ' + document.body.innerText.slice(0, 500)"), err)
		}
	}
}

func (b *browser) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.url+path), chromedp.WaitReady(chromedp.CSS("#main")))
}

func (b *browser) click(selector string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// press types when the page's script listens.
func (b *browser) press(keys string) {
	b.t.Helper()
	b.await("document.readyState == 'complete'")
	b.do(chromedp.KeyEvent(keys))
}

// signIn chooses a role.
func (b *browser) signIn(name, role string) {
	b.t.Helper()
	b.open("/sign-in")
	b.do(chromedp.SendKeys(chromedp.CSS("input[name=name]"), name))
	b.click("button[value=" + role + "]")
	b.do(chromedp.WaitVisible(chromedp.CSS(".who")))
}

// shoot keeps a picture of the page when SHOEPROOF_TEST_SCREENS names a folder.
func (b *browser) shoot(name string) {
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

// The pictures of docs/console.md, to be looked at: SHOEPROOF_TEST_SCREENS=$PWD/docs/screens keeps them.
func TestScreens(t *testing.T) {
	s := emptyStore(t)
	fill(t, s, "ac-1", 24, 6)
	c := serve(t, s, nil)
	b := openBrowser(t, c.url, 1440, 820)
	b.open("/sign-in")
	b.signIn("ann", "supervisor")
	b.open("/queue")
	b.shoot("queue")
	b.open("/queue?rule=draw")
	b.click(".queue .rule a")
	b.do(chromedp.WaitVisible(chromedp.CSS(".finding .felt .card")))
	if n := ask[int](b, "document.querySelectorAll('.timeline .bad').length"); n == 0 {
		t.Error("a card drawn against the table is not marked")
	}
	b.shoot("finding")
	b.click("form[action='/replay'] button")
	b.do(chromedp.WaitVisible(chromedp.CSS(".verdictline.same")))
	b.open("/floor")
	b.shoot("floor")
	b.open("/tables/ac-1/pb-01")
	b.click(".rows a[href^='/shoes']")
	b.do(chromedp.WaitVisible(chromedp.CSS(".road")))
	b.shoot("shoe")
	b.quiet()
}
