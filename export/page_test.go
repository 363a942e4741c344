//go:build unix

package export

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/testkit"
)

// verifyPage builds verify.html as `make verify-page` does and returns its path, or that of SHOEPROOF_VERIFY_PAGE.
func verifyPage(t *testing.T) string {
	t.Helper()
	if page := os.Getenv("SHOEPROOF_VERIFY_PAGE"); page != "" {
		return page
	}
	dir := t.TempDir()
	run := func(env []string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir, cmd.Env = "..", append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	wasm, page := filepath.Join(dir, "verify.wasm"), filepath.Join(dir, "verify.html")
	run([]string{
		"GOOS=js", "GOARCH=wasm", "GOFLAGS=",
	}, "build", "-trimpath", "-ldflags=-s -w -X main.version=test", "-o", wasm,
		"./internal/verifypage/wasm")
	run(nil, "run", "./internal/verifypage", "-version", "test", "-o", page, wasm,
		filepath.Join(run(nil, "env", "GOROOT"), "lib", "wasm", "wasm_exec.js"))
	if info, err := os.Stat(page); err != nil || info.Size() > 16<<20 {
		t.Errorf("the page: %v, %v", info, err)
	} else {
		t.Logf("verify.html has %.1f MB", float64(info.Size())/1e6)
	}
	return page
}

// tab is a page in a headless Chromium.
type tab struct {
	*testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string
	messages []string
}

func openWindow(t *testing.T, url string) *tab {
	t.Helper()
	path := testkit.Chromium()
	if path == "" {
		t.Skip("NOT RUN: no chromium found; install it with apt-get install chromium-headless-shell")
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-dev-shm-usage", true))
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	w := &tab{T: t, ctx: ctx}
	err := chromedp.Listen(ctx, func(ev any) {
		if r, ok := ev.(*network.EventRequestWillBeSent); ok {
			w.mu.Lock()
			w.requests = append(w.requests, r.Request.URL[:min(60, len(r.Request.URL))])
			w.mu.Unlock()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	console := chromedp.Console(ctx)
	go func() { // ends with the context
		for m, err := range console {
			if err != nil {
				return
			}
			w.mu.Lock()
			w.messages = append(w.messages, fmt.Sprintf("%s: %s", m.Type, m.Text))
			w.mu.Unlock()
		}
	}()
	w.do(chromedp.Navigate(url))
	return w
}

func (w *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	w.Helper()
	if err := chromedp.Do(w.ctx, steps...); err != nil {
		w.Fatal(err)
	}
}

func eval[T any](w *tab, script string) T {
	w.Helper()
	got, err := chromedp.Run(w.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		w.Fatalf("%v: %s", err, script[:min(len(script), 200)])
	}
	return got
}

// verify chooses files and presses the button; it returns the text of the result.
func (w *tab) verify(files ...string) string {
	w.Helper()
	w.do(chromedp.Click("#clear"), chromedp.SetUploadFiles("#files", files))
	return w.press()
}

func (w *tab) press() string {
	w.Helper()
	return eval[string](w, `new Promise(resolve => {
		const ready = () => document.getElementById("verify").disabled ? setTimeout(ready, 20) : press();
		const press = () => { document.getElementById("verify").click(); done(); };
		const done = () => document.getElementById("result").hidden ? setTimeout(done, 20) :
			resolve(document.getElementById("result").innerText);
		ready();
	})`)
}

// accessible runs axe-core, which `make engines` fetches, on the page.
func (w *tab) accessible(page string) {
	w.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		w.Fatal(err)
	}
	scripts, _ := filepath.Glob(filepath.Join(cache, "shoeproof", "engines", "axe-core-*", "axe.min.js"))
	if len(scripts) == 0 {
		w.Log("NOT RUN: accessibility checks need axe-core: run `make engines`")
		return
	}
	w.do(chromedp.Evaluate[chromedp.Void](string(readFile(w.T, scripts[len(scripts)-1]))))
	for _, fault := range eval[[]string](w, `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa",
			"wcag22aa", "best-practice"]})
		.then(r => r.violations.map(v => v.impact + " " + v.id + ": " + v.help + ": " +
			v.nodes.slice(0, 3).map(n => n.html).join(" | ")))`) {
		w.Errorf("%s: %s", page, fault)
	}
}

// The report of a bundle is its accessible form; summary.pdf has tags too.
func TestReportAccessible(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	c := newCasino(t, "ac-1", 3)
	w := openWindow(t, "file://"+filepath.Join(c.export(t, true), pathReport))
	w.accessible(pathReport)
	if titles := eval[int](w, `document.querySelectorAll("h1").length`); titles != 1 {
		t.Errorf("%d titles, want 1", titles)
	}
}

func writeTemp(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A reader verifies bundles in a browser, from a file, without a request.
func TestVerifyPage(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds WebAssembly and starts a browser")
	}
	page := verifyPage(t)
	c := newCasino(t, "ac-1", 3)
	c.day.Engine = "shoeproof@test"
	good := c.export(t, false)
	_, vkey := keyOf(t, "audit.example/ac-1/findings", 7)
	policy := writeTemp(t, "policy.txt", []byte(PolicyText(vkey)))
	_, foreign := keyOf(t, "audit.example/ac-1/findings", 8)
	data := readFile(t, good)
	changed := append([]byte(nil), data...)
	changed[len(changed)/2] ^= 1
	w := openWindow(t, "file://"+page)
	for _, one := range []struct {
		name  string
		files []string
		want  []string
	}{
		{"good", []string{good, policy}, []string{
			"Good: the export is genuine and complete", "replay\tpassed", "successor\tnot checked", "Verified alone",
			"Gaming day\t2026-11-19",
		}},
		{"the key alone", []string{good, writeTemp(t, "key", []byte(vkey+"\n"))}, []string{"Good: "}},
		{"changed", []string{writeTemp(t, "changed.zip", changed), policy}, []string{"NOT GENUINE", "FAILED"}},
		{"truncated", []string{writeTemp(t, "short.zip", data[:len(data)/2]), policy}, []string{
			"NOT GENUINE", "container\tFAILED", "short.zip is cut short, or no bundle",
		}},
		{"no zip", []string{writeTemp(t, "none.zip", nil), policy}, []string{"NOT GENUINE", "container\tFAILED"}},
		{
			"another key",
			[]string{good, writeTemp(t, "policy.txt", []byte(PolicyText(foreign)))},
			[]string{"Not decided"},
		},
		{"no policy", []string{good, writeTemp(t, "policy.txt", []byte("log nonsense\n"))}, []string{
			"Nothing was verified", "policy: line 1",
		}},
	} {
		got := w.verify(one.files...)
		if one.name == "good" {
			w.accessible("verify.html")
		}
		for _, want := range one.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", one.name, want, got)
			}
		}
	}
	w.successors(c, good, policy)
	w.dropped(data, PolicyText(vkey))
	w.large(policy)
	w.quiet(page)
	if got := eval[string](w, `new Promise(resolve => {
		document.addEventListener("securitypolicyviolation", e => resolve(e.effectiveDirective));
		fetch("https://example.invalid/").then(() => resolve("sent"));
	})`); got != "connect-src" {
		t.Errorf("a request was not refused by the policy of the page: %s", got)
	}
}

// successors verifies the second export with the file of accepted exports that the page gives, and with a checkpoint.
func (w *tab) successors(c *casino, first, policy string) {
	w.verify(first, policy)
	accepted := eval[string](w, `new Promise(resolve => {
		HTMLAnchorElement.prototype.click = function () { fetchless(this.href).then(resolve); };
		const blobs = new Map(), create = URL.createObjectURL;
		URL.createObjectURL = blob => { const url = create.call(URL, blob); blobs.set(url, blob); return url; };
		const fetchless = url => blobs.get(url).text();
		document.getElementById("save").click();
		URL.createObjectURL = create;
	})`)
	c.day.GamingDay = "2026-11-20"
	second := c.export(w.T, false)
	record := writeTemp(w.T, "accepted.json", []byte(accepted))
	checkpoint := func(path string) string {
		b, err := openBundle(path)
		if err != nil {
			w.Fatal(err)
		}
		defer func() { _ = b.close() }()
		data, err := b.read(pathCheckpoint, maxCheckpoint)
		if err != nil {
			w.Fatal(err)
		}
		return writeTemp(w.T, "checkpoint", data)
	}
	for _, one := range []struct {
		name, want string
		files      []string
	}{
		{"the next", "it follows export 1, the last accepted export", []string{second, policy, record}},
		{"twice", "repeated: export 1 was accepted before", []string{first, policy, record}},
		{"after the checkpoint", "Good: ", []string{second, policy, checkpoint(first)}},
		{"with its checkpoint", "Good: ", []string{second, policy, checkpoint(second)}},
		{"with a later checkpoint", "your checkpoint is of", []string{first, policy, checkpoint(second)}},
	} {
		if got := w.verify(one.files...); !strings.Contains(got, one.want) {
			w.Errorf("%s: no %q in\n%s", one.name, one.want, got)
		}
	}
}

// dropped drops the files on the page.
func (w *tab) dropped(bundle []byte, policy string) {
	w.do(chromedp.Click("#clear"))
	w.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		const files = new DataTransfer(), bytes = s => Uint8Array.from(atob(s), c => c.charCodeAt(0));
		files.items.add(new File([bytes(%q)], "bundle.zip"));
		files.items.add(new File([bytes(%q)], "policy.txt"));
		document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true}));
	}`, base64.StdEncoding.EncodeToString(bundle), base64.StdEncoding.EncodeToString([]byte(policy)))))
	if got := w.press(); !strings.Contains(got, "Good: ") {
		w.Errorf("dropped: %s", got)
	}
}

// large verifies a bundle of 20 MB, or that of SHOEPROOF_BUNDLE, which BenchmarkDay keeps at SHOEPROOF_KEEP.
func (w *tab) large(policy string) {
	path := os.Getenv("SHOEPROOF_BUNDLE")
	if path == "" {
		path = w.manyFindings()
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() < 18e6 {
		w.Errorf("the large bundle: %v, %v", info, err)
	}
	began := time.Now()
	got := w.verify(path, policy)
	if !strings.Contains(got, "Good: ") {
		w.Errorf("large: %s", got)
	}
	w.Logf("%.1f MB verified in %.1f s", float64(info.Size())/1e6, time.Since(began).Seconds())
}

// manyFindings exports a day of many findings.
func (w *tab) manyFindings() string {
	c := newCasino(w.T, "ac-1", 1)
	one := c.first()
	c.events = nil
	one.Evidence = finding.Evidence{}
	c.day.Findings = func(yield func(*finding.Finding, error) bool) {
		for i := range 7_200 {
			f := one
			f.TableID, f.Subject = fmt.Sprintf("PB-%02d", i%100), fmt.Sprint("seat:", i)
			f.ID = f.Identity(1).ID()
			if !yield(&f, nil) {
				return
			}
		}
	}
	return c.export(w.T, false)
}

// quiet fails if the page requested anything but itself, or wrote to the console.
func (w *tab) quiet(page string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, url := range w.requests {
		if url != ("file://" + page)[:min(60, len("file://"+page))] && !strings.HasPrefix(url, "blob:") {
			w.Errorf("the page requested %s", url)
		}
	}
	if len(w.requests) == 0 {
		w.Error("no request was seen, not even for the page")
	}
	for _, m := range w.messages {
		w.Error("the console: ", m)
	}
}
