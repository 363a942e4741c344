//go:build unix

package console

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// A case is opened from a finding, filled by keyboard and closed by a supervisor. Each step is in the log under its
// hash, and the chains prove it.
func TestCases(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	fill(t, s, "ac-1", 6, 0)
	fill(t, s, "ac-2", 2, 0)
	access := Access{}
	operator, supervisor := personal(&access, "ann", "ann", "operator"), personal(&access, "bob", "bob", "supervisor")
	c := serve(t, s, func(o *Options) { o.SignIn, o.Access = ByToken, access })
	ctx, all := t.Context(), store.Scope{All: true}
	found, err := s.Findings(ctx, store.Scope{Properties: []string{"ac-1"}}, store.FindingQuery{})
	if err != nil || len(found) < 2 {
		t.Fatal(len(found), err)
	}
	axe := axeSource(t)
	b := openBrowser(t, c.url, 1440, 1200)
	b.signInWith(operator)
	b.open("/findings/" + found[0].ID)
	b.do(chromedp.SendKeys(chromedp.CSS("#cases input[name=title]"), "A disputed payment\r"))
	b.await("location.pathname.startsWith('/cases/ac-1/')")
	path := eval[string](b, "location.pathname")
	b.do(chromedp.SendKeys(chromedp.CSS("#note"), "the patron states that seat 2 was paid short"))
	b.click("button[value=note]")
	b.await("document.querySelector('#steps').innerText.includes('paid short')")
	b.do(chromedp.SendKeys(chromedp.CSS("main input[name=finding]"), c.url+"/findings/"+found[1].ID+"\r"))
	b.await("document.querySelectorAll('[aria-label=\"Findings of the case\"] tbody tr').length == 2")
	caseHistory(b, found[:2])
	b.do(chromedp.Evaluate[chromedp.Void](`{const d = new DataTransfer();
		d.items.add(new File(["what was said"], "../statement <b>.txt")); document.querySelector("#file").files = d.files;}`))
	b.click("form[enctype] button")
	b.await("document.querySelectorAll('#files a').length == 1")
	b.screenshot("case") // before axe, which removes repeated elements
	if axe != "" {
		b.accessible(axe, path)
	}
	const closed = "[...document.querySelectorAll('main option')].filter((o) => o.value == 'closed').length"
	if n := eval[int](b, closed); n != 0 {
		t.Error("an operator has the state closed")
	}
	b.screen(390, 900, 1)
	b.narrow(path)
	b.screen(1440, 1200, 1)
	b.open("/cases")
	if axe != "" {
		b.accessible(axe, "/cases")
	}
	if row := eval[string](b, "document.querySelector('[aria-label=Cases] tbody').innerText"); !strings.Contains(row,
		"A disputed payment") {
		t.Errorf("the list of cases: %q", row)
	}
	b.open("/findings/" + found[1].ID)
	b.await("document.querySelector('#cases a[href=\"" + path + "\"]') != null")
	caseSums(b, s)
	b.quiet()
	caseRefusals(t, c, path, operator, supervisor)

	of, err := s.Case(ctx, all, "ac-1", path[strings.LastIndex(path, "/")+1:])
	if err != nil || !of.Closed() || len(of.Findings) != 2 || len(of.Files) != 1 ||
		of.Files[0].Name != "statement <b>.txt" {
		t.Fatalf("%+v, %v", of, err)
	}
	proof, err := s.ProveChains(ctx, "ac-1", clickhouse.ChainCheck{})
	if err != nil || len(proof.Problems) > 0 {
		t.Fatalf("%v, %v", proof.Problems, err)
	}
	entries, err := s.Entries(ctx, all, store.EntryQuery{Action: "case-attach"})
	if err != nil || len(entries) != 1 || !strings.HasPrefix(entries[0].Detail, "sha256 "+of.Files[0].Hash) {
		t.Errorf("the entry of the file: %+v, %v", entries, err)
	}
}

// caseHistory removes the first of two findings from the case and adds it again. The history names each finding as the
// queue does.
func caseHistory(b *browser, found []store.Finding) {
	b.t.Helper()
	const rows = "document.querySelectorAll('[aria-label=\"Findings of the case\"] tbody tr').length == "
	b.do(chromedp.SendKeys(chromedp.CSS("form:has(select[name=finding]) input[name=text]"), "of another patron\r"))
	b.await(rows + "1")
	f := &found[0]
	title := headline(f.Rule, f.Kind, f.Seat, f.Expected, f.Observed)
	const lines = `[...document.querySelectorAll("#steps li:has(a[href^='/findings/'])")].map((x) => x.innerText)`
	if l := eval[[]string](b, lines); len(l) != 3 || !strings.Contains(l[2], "ann removed a finding") ||
		!strings.Contains(l[2], "of another patron") ||
		!strings.Contains(l[2], title) || !strings.Contains(l[2], f.Severity) || !strings.Contains(l[2], f.TableID) ||
		!strings.Contains(l[2], f.At.In(options(b.t).Calendar.Zone).Format("15:04:05")) || strings.Contains(l[2], f.ID[:8]) {
		b.t.Errorf("the history of a case names its findings %q, want %s in the last one", l, title)
	}
	b.do(chromedp.SendKeys(chromedp.CSS("main input[name=finding]"), f.ID+"\r"))
	b.await(rows + "2")
}

// caseSums opens a case of findings in two currencies, and names a subject.
func caseSums(b *browser, s *store.Store) {
	b.t.Helper()
	var ids []string
	for i, f := range []struct {
		dealer, currency string
		amount           int64
	}{{"d-1", "USD", 100_000}, {"d-2", "HKD", 2550}, {"d-1", "USD", 23_450}} {
		ids = append(ids, strings.Repeat(string(rune('a'+i)), 32))
		insert(b.t, s, "findings", "property_id, at, id, kind, verdict, rule, severity, table_id, dealer_id, observed, "+
			"amount, currency", "ac-1", time.Now(), ids[i], "deviation", "BREACH", "payout.x", "minor", "t-9", f.dealer, "x",
			f.amount, f.currency)
	}
	b.open("/cases")
	b.do(chromedp.SendKeys(chromedp.CSS("main input[name=finding]"), strings.Join(ids, ", ")))
	b.do(chromedp.SendKeys(chromedp.CSS("main input[name=title]"), "Two currencies\r"))
	b.await("document.querySelectorAll('[aria-label=\"Findings of the case\"] tbody tr').length == 3")
	const want = "HK$25.50, $1,234.50 in all, by currency"
	if sums := eval[string](b, "document.querySelector('#sums').innerText"); sums != want {
		b.t.Errorf("the sums of a case are %q", sums)
	}
	eval[int](b, "(() => { document.querySelector('main select[name=kind]').value = 'employee'; return 0; })()")
	b.do(chromedp.SendKeys(chromedp.CSS("form:has(select[name=kind]) input[name=name]"), "shift manager\r"))
	b.await("document.querySelector('#subjects').innerText.includes('shift manager')")
	subjects := eval[[]string](b, "[...document.querySelectorAll('#subjects li')].map((x) => x.innerText)")
	named := []string{
		"dealer d-1, 2 findings", "dealer d-2, 1 finding", "employee shift manager named by ann", "table t-9, 3 findings",
	}
	if diff := cmp.Diff(named, subjects); diff != "" {
		b.t.Errorf("the subjects of a case (-want +got):\n%s", diff)
	}
}

// caseRefusals sends what must be refused, closes the case, and reads its file.
func caseRefusals(t *testing.T, c *served, path, operator, supervisor string) {
	t.Helper()
	other, err := c.Store.Findings(t.Context(), store.Scope{Properties: []string{"ac-2"}}, store.FindingQuery{Limit: 1})
	if err != nil || len(other) == 0 {
		t.Fatal(err)
	}
	post := func(secret, to, body string, want int) {
		t.Helper()
		if code, answer := send(t, "POST", c.url+to, body, "Authorization", "Bearer "+secret); code != want {
			t.Errorf("%s: %d, want %d: %.300s", body, code, want, answer)
		}
	}
	post(operator, path, "step=add&finding="+other[0].ID, 400)
	post(operator, path, "step=add&finding=nonsense", 400)
	post(operator, path, "step=about&kind=patron&name=Smith", 400)
	post(operator, path, "step=about&kind=dealer&name=d-7", 303)
	post(operator, path, "step=state&kind=closed&text=done", 403)
	post(operator, path, "step=state&kind=nonsense&text=done", 400)
	post(operator, path, "step=nonsense", 400)
	post(operator, strings.Replace(path, "ac-1", "ac-2", 1), "step=note&text=x", 404)
	if code := upload(t, c.url+path+"/files", operator, make([]byte, store.MaxAttachment+1)); code != 400 {
		t.Errorf("a file that is too large: %d", code)
	}
	_, page := send(t, "GET", c.url+path, "", "Authorization", "Bearer "+operator)
	_, file, _ := strings.Cut(page, path+"/files/")
	file, _, _ = strings.Cut(file, `"`)
	if code, body := send(t, "GET", c.url+path+"/files/"+file, "", "Authorization", "Bearer "+operator); code != 200 ||
		body != "what was said" {
		t.Errorf("the file: %d, %q", code, body)
	}
	post(supervisor, path, "step=state&kind=closed&text=settled", 303)
	post(operator, path, "step=note&text=late", 400)
	post(operator, path, "step=state&kind=open&text=again", 403)
}

func upload(t *testing.T, url, secret string, content []byte) int {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "x")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(content)
	_ = form.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, &body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Authorization", "Bearer "+secret)
	resp, err := (&http.Client{Timeout: time.Minute}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode
}
