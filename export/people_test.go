package export

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

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

func TestSafeName(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{
		"pb-01", "PB-01", "Pb-01", "..", ".", "a/b", "a b", "a=20b", "a=b", "pb-01=u3", "", "é",
		strings.Repeat("x", 300), strings.Repeat("X", 64),
	} {
		file := evidencePath(name)
		if err := goodPath(file); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if other, ok := seen[strings.ToLower(file)]; ok {
			t.Errorf("%q and %q are both %s", name, other, file)
		}
		seen[strings.ToLower(file)] = name
	}
	if got := evidencePath("PB-01"); got != "evidence/pb-01=u3.ndjson" {
		t.Errorf("PB-01: %s", got)
	}
}
