//go:build unix

package exporter_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/shoeproof/shoeproof/console"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/report"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// row is an exception in any form.
type row struct{ table, rule, severity, verdict string }

// The exceptions of a day are the same rows with the same numbers in the report, the CSV, the workbook, the HTML, the
// PDF and the console, and the bundle has a finding for each.
func TestExceptionsInAllForms(t *testing.T) {
	h := openHouse(t, "forms")
	h.play()
	h.night()
	h.export()
	parts := unpack(t, h.bundle)
	want := h.reported()
	if len(want) < 3 {
		t.Fatalf("%d exceptions", len(want))
	}
	list, numbers := finding.Exceptions(leaves[finding.Finding](t, h.bundle, "findings.ndjson"))
	bundled := map[string]row{}
	for i := range list {
		f := &list[i]
		bundled[fmt.Sprint(numbers[i])] = row{f.TableID, f.Rule, f.Severity.String(), string(f.Verdict)}
	}
	for form, got := range map[string]map[string]row{
		"findings.ndjson": bundled,
		"exceptions.csv":  columnsOf(t, readCSV(t, parts["people/exceptions.csv"]), "exception_no"),
		"exceptions.xlsx": columnsOf(t, readSheet(t, parts["people/exceptions.xlsx"], "exceptions"), "exception_no"),
		"report.html":     inHTML(string(parts["people/report.html"])),
		"console":         inConsole(h.page("/exceptions/" + property + "/" + day)),
	} {
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v\naudit report: %v", form, got, want)
		}
	}
	for no, r := range want {
		if !inPDF(string(parts["people/summary.pdf"]), no, r) {
			t.Errorf("summary.pdf lacks %s %v", no, r)
		}
	}
	h.unjudged(parts)
}

// unjudged compares the section "not auditable" of the report, the workbook and the HTML.
func (h *house) unjudged(parts map[string][]byte) {
	h.t.Helper()
	sheet := h.sheet("not-auditable")
	if len(sheet) == 0 {
		h.t.Fatal("nothing is not auditable")
	}
	workbook := readSheet(h.t, parts["people/exceptions.xlsx"], "not auditable")
	if len(workbook) != 1+len(sheet) {
		h.t.Errorf("the workbook has %d sensors, the report %d", len(workbook)-1, len(sheet))
	}
	for i, r := range sheet {
		if got := workbook[1+i]; !slices.Equal(got, r[1:]) {
			h.t.Errorf("workbook %v, report %v", got, r[1:])
		}
		line := "<tr><td>" + strings.Join(r[1:], "</td><td>") + "</td></tr>"
		if page := cell.ReplaceAllString(string(parts["people/report.html"]), "<td>"); !strings.Contains(page, line) {
			h.t.Errorf("report.html lacks %s", line)
		}
	}
}

// sheet returns the rows of a report.
func (h *house) sheet(name string) [][]string {
	h.t.Helper()
	scope := report.Scope{
		Days: clickhouse.Days{Property: property, From: day, To: day}, Calendar: &h.law.Calendar,
	}
	s, err := report.Read(h.t.Context(), h.db, scope, name)
	if err != nil {
		h.t.Fatal(err)
	}
	return s.Rows
}

// reported are the exceptions of audit report by number.
func (h *house) reported() map[string]row {
	all := map[string]row{}
	for _, r := range h.sheet("exceptions") {
		all[r[3]] = row{r[6], r[11], r[13], r[14]}
	}
	return all
}

// columnsOf are the exceptions of a table by number.
func columnsOf(t *testing.T, rows [][]string, number string) map[string]row {
	t.Helper()
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	all := map[string]row{}
	for _, r := range rows[1:] {
		all[r[at[number]]] = row{r[at["table"]], r[at["rule"]], r[at["severity"]], r[at["verdict"]]}
	}
	return all
}

func readCSV(t *testing.T, data []byte) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// readSheet returns the rows of a sheet of a workbook, below licensee, form and scope.
func readSheet(t *testing.T, data []byte, name string) [][]string {
	t.Helper()
	book, err := excelize.OpenReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := book.GetRows(name)
	if err != nil || len(rows) < 4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	return rows[3:]
}

var (
	tags     = regexp.MustCompile(`<[^>]*>`)
	reported = regexp.MustCompile(`<tr><td class="n">(\d+)</td><td class="w">.*?</td><td>(.*?)<br>.*?</td>` +
		`<td class="severity-\w+">(.*?)<br>(.*?)<br>(.*?)<br>`)
	shown     = regexp.MustCompile(`(?s)<tr data-finding=.*?</tr>`)
	shownRule = regexp.MustCompile(`<small class="mono">([^< ]+)`) // below the title
	cell      = regexp.MustCompile(`<td[^>]*>`)
	cells     = regexp.MustCompile(`(?s)<td[^>]*>(.*?)</td>`)
	printed   = regexp.MustCompile(`\(((?:\\.|[^\\)])*)\) ?Tj`)
)

func inHTML(page string) map[string]row {
	all := map[string]row{}
	for _, m := range reported.FindAllStringSubmatch(page, -1) {
		verdict, _, _ := strings.Cut(m[5], ",")
		all[m[1]] = row{m[2], m[3], m[4], verdict}
	}
	return all
}

func inConsole(page string) map[string]row {
	all := map[string]row{}
	for _, line := range shown.FindAllString(page, -1) {
		var c []string
		for _, m := range cells.FindAllStringSubmatch(line, -1) {
			c = append(c, strings.TrimSpace(html.UnescapeString(tags.ReplaceAllString(m[1], ""))))
		}
		rule := ""
		if below := shownRule.FindStringSubmatch(line); below != nil {
			rule = below[1]
		}
		all[c[0]] = row{c[3], rule, c[1], strings.ToUpper(c[6])}
	}
	return all
}

// inPDF reports whether the text of an exception follows its number.
func inPDF(pdf, no string, want row) bool {
	var texts []string
	for _, m := range printed.FindAllStringSubmatch(pdf, -1) {
		texts = append(texts, m[1])
	}
	for i, text := range texts {
		near := strings.Join(texts[i:min(i+20, len(texts))], "") // long words are on several lines
		if text == no && strings.Contains(near, want.table) && strings.Contains(near, want.rule) &&
			strings.Contains(near, want.severity) && strings.Contains(near, want.verdict) {
			return true
		}
	}
	return false
}

// page reads a page of the console as an auditor.
func (h *house) page(path string) string {
	h.t.Helper()
	const secret = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
	sum := sha256.Sum256([]byte(secret))
	o := console.Options{
		Store: h.console, Law: h.law, SignIn: console.ByToken, Now: time.Now,
		PublicURL: &url.URL{Scheme: "http", Host: "console.test"},
		Access: console.Access{Tokens: []console.Token{{
			Name: "auditor", SHA256: hex.EncodeToString(sum[:]), Expires: time.Now().Add(time.Hour),
			Grants: []console.Grant{{Role: "auditor", Properties: []string{"*"}}},
		}}},
	}
	c, err := console.New(o)
	if err != nil {
		h.t.Fatal(err)
	}
	handler, err := c.Handler()
	if err != nil {
		h.t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "http://console.test"+path, nil)
	r.Header.Set("Authorization", "Bearer "+secret)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		h.t.Fatalf("%s: %d %.500s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

// unpack reads the files of a bundle.
func unpack(t *testing.T, bundle string) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader(bundle)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	all := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if all[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
