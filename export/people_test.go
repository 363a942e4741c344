package export

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"codeberg.org/go-pdf/fpdf"
	"github.com/parquet-go/parquet-go"
	"github.com/xuri/excelize/v2"
)

func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(readFile(t, path))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// What a table, a dealer or a rulebook could be called to make a spreadsheet run it.
func payloads() []string {
	return []string{
		"=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1", "%0A=1", "|calc",
		"\u00a0=1",
		`=HYPERLINK("http://x","y")`, "=1\"2", "a,b", "a\"b", "a\nb", "<script>alert(1)</script>", "</t></is></c>", "{{.}}",
		"&amp;", "'=1",
	}
}

// Nothing that was typed anywhere becomes a formula, and no number is taken for text.
func TestFormulasAreNeutralised(t *testing.T) {
	c := newCasino(t, "ac-1", 1)
	f := c.first()
	list := payloads()
	c.day.Triage = map[string]Triage{}
	for i, p := range list {
		g := f
		g.Observed, g.Expected, g.DealerID, g.Subject = p, p, p, fmt.Sprint("seat:", i)
		g.Amount = int64(-125 - i)
		g.ID = fmt.Sprintf("%032x", i)
		c.findings[g.ID] = g
		c.day.Triage[g.ID] = Triage{Status: p, Explanation: p, ReviewedBy: p}
	}
	delete(c.findings, f.ID)
	c.day.Licensee, c.day.Form = "=Licensee & Sons <b>", "@Form \u2028 {}"
	path := c.export(t, true)
	rows := readCSV(t, filepath.Join(path, pathExceptions))
	if len(rows) != 1+len(list) || !slices.Equal(rows[0], exceptionColumns()) {
		t.Fatalf("%d rows", len(rows))
	}
	book, err := excelize.OpenFile(filepath.Join(path, pathWorkbook))
	if err != nil {
		t.Fatal(err)
	}
	cells, err := book.GetRows("exceptions")
	if err != nil {
		t.Fatal(err)
	}
	if got := cells[0][0]; got != c.day.Licensee {
		t.Errorf("licensee %q", got)
	}
	at := func(name string) int { return slices.Index(exceptionColumns(), name) }
	for i, p := range list {
		row := rows[1+i]
		for _, name := range []string{"observed", "expected", "dealer_badge", "status", "explanation", "reviewed_by"} {
			got := row[at(name)]
			if strings.ContainsAny(strings.TrimLeft(got, " \u00a0")[:1], "=+-@\t\r\n|%＝") {
				t.Errorf("%s %q begins like a formula", name, got)
			}
			// A CSV reader takes a carriage return before a line feed away.
			if want := strings.ReplaceAll(p, "\r", ""); !strings.Contains(got, want) {
				t.Errorf("%s %q, want %q in it", name, got, p)
			}
		}
		if want := fmt.Sprintf("-%d.%02d", (125+i)/100, (125+i)%100); row[at("delta_amount")] != want {
			t.Errorf("amount %q, want %q and no apostrophe", row[at("delta_amount")], want)
		}
		name, _ := excelize.CoordinatesToCellName(at("observed")+1, headLines+2+i)
		if kind, err := book.GetCellType("exceptions", name); err != nil || kind != excelize.CellTypeInlineString {
			t.Errorf("%s is of type %v, %v, want text", name, kind, err)
		}
		if formula, err := book.GetCellFormula("exceptions", name); err != nil || formula != "" {
			t.Errorf("%s has the formula %q, %v", name, formula, err)
		}
		if got, want := cells[headLines+1+i][at("observed")], p; got != want && !strings.ContainsAny(p, "\r") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		name, _ = excelize.CoordinatesToCellName(at("delta_amount")+1, headLines+2+i)
		if kind, err := book.GetCellType("exceptions", name); err != nil || kind != excelize.CellTypeUnset {
			t.Errorf("%s is of type %v, %v, want a number", name, kind, err)
		}
	}
	html := string(readFile(t, filepath.Join(path, pathReport)))
	for _, bad := range []string{"<script", "<b>", "src=", "<a ", "url("} {
		if strings.Contains(html, bad) {
			t.Errorf("the report contains %q", bad)
		}
	}
}

// A finding without an amount has a blank cell, as in the report: no amount is not an amount of 0.
func TestNoAmountIsBlank(t *testing.T) {
	c := newCasino(t, "ac-1", 1)
	f := c.first()
	f.Amount, f.Currency = 0, ""
	c.findings[f.ID] = f
	path := c.export(t, true)
	at := slices.Index(exceptionColumns(), "delta_amount")
	if got := readCSV(t, filepath.Join(path, pathExceptions))[1][at]; got != "" {
		t.Errorf("exceptions.csv has the amount %q, want none", got)
	}
	book, err := excelize.OpenFile(filepath.Join(path, pathWorkbook))
	if err != nil {
		t.Fatal(err)
	}
	name, _ := excelize.CoordinatesToCellName(at+1, headLines+2)
	if got, err := book.GetCellValue("exceptions", name); got != "" || err != nil {
		t.Errorf("the workbook has the amount %q, %v, want none", got, err)
	}
}

// The report states what every record must carry.
func TestReport(t *testing.T) {
	c := newCasino(t, "ac-1", 2)
	path := c.export(t, true)
	html := string(readFile(t, filepath.Join(path, pathReport)))
	pdf := string(readFile(t, filepath.Join(path, pathSummary)))
	for _, want := range []string{
		c.day.Licensee, c.day.Form, "ac-1", "2026-11-19", "swing from 14:00",
		"hold = win / drop", "Attestation", c.first().Rule,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("report.html lacks %q", want)
		}
		if !strings.Contains(pdf, want) {
			t.Errorf("summary.pdf lacks %q", want)
		}
	}
	if !regexp.MustCompile(`page 1 / [1-9]\)`).MatchString(pdf) || !strings.Contains(html, "counter(pages)") {
		t.Error("the pages are not numbered")
	}
	rounds, err := parquet.ReadFile[Round](filepath.Join(path, pathRounds))
	if err != nil || len(rounds) != len(c.rounds) || rounds[0].GamingDay != "2026-11-19" {
		t.Errorf("%d rounds, %v, want %d", len(rounds), err, len(c.rounds))
	}
}

// holdSection is a table with many columns, each with a figure.
func holdSection(figure string) Section {
	names := []string{
		"property", "gaming_day", "shift", "table", "rounds", "handle", "drop", "fills", "credits", "opener", "closer",
		"win_by_tray", "win_by_wagers", "hold_percent", "win_per_handle",
	}
	row := []string{"ac-1", "2026-11-19", "swing", "PB-01"}
	for i := range len(names) - len(row) {
		row = append(row, fmt.Sprintf(figure, i))
	}
	return Section{Title: "Hold", Columns: names, Rows: [][]string{row, row}}
}

// The summary never prints a heading over another or breaks a number: the columns of a table do not overlap, and each
// figure is one text.
func TestSummaryTables(t *testing.T) {
	c := newCasino(t, "ac-1", 2)
	hold := holdSection("-1%d,234,567.89")
	names, row := hold.Columns, hold.Rows[0]
	c.day.Sections = []Section{hold}
	pdf := string(readFile(t, filepath.Join(c.export(t, true), pathSummary)))
	for _, figure := range row {
		if !strings.Contains(pdf, "("+figure+")") {
			t.Errorf("%s is broken", figure)
		}
	}
	p := page{Fpdf: fpdf.New("L", "mm", "Letter", "")}
	p.text = func(s string) string { return s }
	widths, total := []float64(nil), 0.0
	for size, fits := pdfFont, false; !fits; size -= 0.5 {
		if size < pdfMinFont {
			t.Fatal("the hold report does not fit")
		}
		widths, fits = p.widths(names, [][]string{row}, size)
	}
	for _, w := range widths {
		total += w
	}
	if total > pdfWidth+0.01 {
		t.Errorf("the columns have %.1f mm of %.1f", total, pdfWidth)
	}
}

// The summary is tagged: all its text is in the structure or an artifact, headings and tables are such, each table has
// names of columns or rows, and each marked content has its element.
func TestSummaryTagged(t *testing.T) {
	c := newCasino(t, "ac-1", 2)
	row := []string{"ac-1", strings.Repeat("a long text of several words ", 20), ""}
	long := Section{Title: "Long", Note: strings.Repeat("A note that is broken. ", 40), Columns: []string{"a", "b", "c"}}
	for range 40 {
		long.Rows = append(long.Rows, row)
	}
	c.day.Sections = []Section{long}
	path := filepath.Join(c.export(t, true), pathSummary)
	pdf := string(readFile(t, path))
	for _, want := range []string{
		"/MarkInfo <</Marked true>>", "/Lang (en-US)", "/DisplayDocTitle true", "/Title (", "/S /H1", "/S /Table", "/Tabs /S",
	} {
		if !strings.Contains(pdf, want) {
			t.Errorf("summary.pdf lacks %q", want)
		}
	}
	pages, contents := 0, 0
	for _, stream := range regexp.MustCompile(`(?s)\nstream\n(.*?)endstream`).FindAllStringSubmatch(pdf, -1) {
		depth := 0
		for line := range strings.Lines(stream[1]) {
			switch line = strings.TrimSpace(line); {
			case strings.HasSuffix(line, "BDC"):
				contents++
				depth++
			case strings.HasSuffix(line, "BMC"):
				depth++
			case line == "EMC":
				depth--
			case strings.Contains(line, "Tj") && depth == 0:
				t.Errorf("text without a tag: %s", line)
			}
		}
		if pages++; depth != 0 {
			t.Errorf("page %d: a marked content does not end", pages)
		}
	}
	if pages < 3 {
		t.Fatalf("%d pages, want some", pages)
	}
	if kids := strings.Count(pdf, "/Type /MCR"); kids != contents || contents < 100 {
		t.Errorf("%d marked contents, %d in the structure", contents, kids)
	}
	for kind, fewest := range map[string]int{"H2": 5, "TR": 45, "TD": 80, "P": 5} {
		if n := strings.Count(pdf, "/S /"+kind+" "); n < fewest {
			t.Errorf("%d elements %s, want %d or more", n, kind, fewest)
		}
	}
	for table := range strings.SplitSeq(pdf, "/S /Table ") {
		if first, _, ok := strings.Cut(table, "/S /T"); ok && first != "" && !strings.Contains(table, "/Scope /") {
			t.Error("a table without names of columns or rows")
			break
		}
	}
	for _, program := range [][]string{{"qpdf", "--check", path}, {"pdfinfo", "-struct-text", path}} {
		if _, err := exec.LookPath(program[0]); err != nil {
			t.Logf("NOT RUN: %s is not installed", program[0])
			continue
		}
		out, err := exec.CommandContext(t.Context(), program[0], program[1:]...).CombinedOutput()
		if err != nil || strings.Contains(string(out), "WARNING") || strings.Contains(string(out), "Syntax") {
			t.Errorf("%v: %v\n%s", program, err, out)
		}
		read := regexp.MustCompile(`(?s)H1 \(block\)\s+"` + c.day.Form + `".*/Scope /Column\s+"a".*several words a long text`)
		if program[0] == "pdfinfo" && !read.Match(out) {
			t.Errorf("the structure has no title, no names of columns or joined words:\n%s", out)
		}
	}
	if keep := os.Getenv("SHOEPROOF_KEEP"); keep != "" {
		if err := os.WriteFile(keep, []byte(pdf), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSafeName(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{
		"pb-01", "PB-01", "Pb-01", "..", ".", "a/b", "a b", "a=20b", "a=b", "pb-01=u3", "", "é",
		strings.Repeat("x", 300), strings.Repeat("X", 64),
	} {
		file := new(Manifest).evidencePath(name)
		if err := goodPath(file); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if other, ok := seen[strings.ToLower(file)]; ok {
			t.Errorf("%q and %q are both %s", name, other, file)
		}
		seen[strings.ToLower(file)] = name
	}
	if got := new(Manifest).evidencePath("PB-01"); got != "evidence/pb-01=u3.ndjson.zst" {
		t.Errorf("PB-01: %s", got)
	}
}
