//go:build !js

package export

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// The page of summary.pdf: letter, landscape as the HTML, in millimetres.
const (
	pdfMargin = 15.0
	pdfWidth  = 279.4 - 2*pdfMargin
)

// page writes summary.pdf.
type page struct {
	*fpdf.Fpdf
	text func(string) string
	tags *tags
}

// writePDF writes the summary: the figures, the exceptions of the highest severity, and the attestation. Its dates are
// the gaming day and its objects are sorted and uncompressed, so that the same report gives the same bytes.
func (r *report) writePDF(o *out) error {
	p := page{Fpdf: fpdf.New("L", "mm", "Letter", ""), tags: newTags()}
	p.text = p.UnicodeTranslatorFromDescriptor("")
	day, err := time.Parse(time.DateOnly, r.M.GamingDay)
	if err != nil {
		return fmt.Errorf("the gaming day: %w", err)
	}
	p.SetCreationDate(day)
	p.SetModificationDate(day)
	p.SetCatalogSort(true)
	p.SetCompression(false)
	p.SetProducer("shoeproof", false)
	p.SetLang("en-US")
	p.SetDisplayMode("fullwidth", "continuous")
	p.tags.title = r.M.Form + ", " + r.M.Property + ", " + r.M.GamingDay
	p.SetTitle(p.tags.title, true)
	p.SetAuthor(r.M.Licensee, true)
	p.SetMargins(pdfMargin, 24, pdfMargin)
	p.SetAutoPageBreak(false, 0) // a break within a marked content would be no PDF
	p.AliasNbPages("{pages}")
	p.SetHeaderFunc(func() { p.artifact(func() { r.pdfHeader(&p) }) })
	p.SetFooterFunc(func() {
		p.artifact(func() {
			p.SetY(-13)
			p.SetFont("Helvetica", "", 8)
			p.CellFormat(pdfWidth, 4, fmt.Sprintf("page %d / {pages}", p.PageNo()), "", 0, "R", false, 0, "")
		})
	})
	p.AddPage()
	r.pdfBody(&p)
	var written bytes.Buffer
	if err := p.Output(&written); err != nil {
		return fmt.Errorf("write the summary: %w", err)
	}
	file, err := p.tags.tagged(written.Bytes())
	if err == nil {
		_, err = o.Write(file)
	}
	return err
}

func (r *report) pdfHeader(p *page) {
	p.SetXY(pdfMargin, 10)
	p.SetFont("Helvetica", "", 8)
	scope := p.text(fmt.Sprintf("%s, gaming day %s, export %d", r.M.Property, r.M.GamingDay, r.M.Export))
	right := min(p.GetStringWidth(scope)+4, 2*pdfWidth/3)
	p.CellFormat(pdfWidth-right, 4, p.cutTo(p.text(r.M.Licensee+" - "+r.M.Form), pdfWidth-right), "", 0, "L", false, 0, "")
	p.CellFormat(right, 4, p.cutTo(scope, right), "", 1, "R", false, 0, "")
	p.Line(pdfMargin, 15, pdfMargin+pdfWidth, 15)
	p.SetY(20)
}

// paragraph writes a text of the width of the page.
func (p *page) paragraph(kind string, height float64, text string) {
	_, bottom := p.GetPageSize()
	p.within(kind, "", func() {
		lines := p.SplitLines([]byte(p.text(text)), pdfWidth)
		for i, line := range lines {
			if i < len(lines)-1 {
				line = append(bytes.Clone(line), ' ') // a reader does not join two words
			}
			if p.GetY()+height > bottom-18 {
				p.AddPage()
			}
			p.mark(func() { p.CellFormat(pdfWidth, height, string(line), "", 1, "L", false, 0, "") })
		}
	})
}

func (r *report) pdfBody(p *page) {
	p.SetFont("Helvetica", "", 11)
	p.paragraph("P", 5, r.M.Licensee)
	p.SetFont("Helvetica", "B", 15)
	p.paragraph("H1", 8, r.M.Form)
	p.Ln(2)
	var rows [][]string
	for _, f := range r.Facts {
		rows = append(rows, f[:])
	}
	p.table(nil, rows)
	p.heading("New findings by severity")
	rows = nil
	for _, s := range r.Severities {
		rows = append(rows, s[:])
	}
	p.table([]string{"Severity", "Findings"}, rows)
	if len(r.Rules) > 0 {
		p.heading("New findings by rule")
		rows = nil
		for _, c := range r.Rules {
			rows = append(rows, []string{c.Rule, c.Severity, fmt.Sprint(c.Findings)})
		}
		p.table([]string{"Rule", "Severity", "Findings"}, rows)
	}
	for _, s := range r.Sections {
		p.heading(s.Title)
		p.SetFont("Helvetica", "", 8)
		if s.Note != "" {
			p.paragraph("P", 4, s.Note)
		}
		p.table(s.Columns, s.Rows)
		p.SetFont("Courier", "", 8)
		for _, f := range s.Formulas {
			p.paragraph("P", 4, f)
		}
	}
	p.heading("Amendments of earlier exports")
	p.SetFont("Helvetica", "", 9)
	p.paragraph("P", 4.5, r.Amends)
	for i, text := range r.Listed() {
		p.Ln(1.5)
		p.paragraph("P", 4.5, fmt.Sprintf("%d. %s", i+1, text))
	}
	if more := r.Unlisted(); more > 0 {
		p.paragraph("P", 4.5, fmt.Sprintf("and %d more, see exceptions.csv and amendments.ndjson.", more))
	}
	r.pdfExceptions(p)
	r.pdfAttest(p)
}

func (r *report) pdfExceptions(p *page) {
	p.heading("Exceptions")
	var rows [][]string
	for _, l := range r.Lines[:min(len(r.Lines), maxInPDF)] {
		where := strings.Join(nonEmpty(l.Table, l.Shoe), ", ")
		if l.Round != "" {
			where += ", round " + l.Round
		}
		rows = append(
			rows,
			[]string{
				l.No,
				l.At,
				where,
				l.Rule + "\n" + l.Severity + "\n" + l.Claim,
				strings.Join(nonEmpty(l.Observed+" (expected "+l.Expected+")", l.Note), "\n"),
				l.Amount,
			},
		)
	}
	p.table([]string{"No.", "Local time", "Table, shoe", "Rule", "Observed", "Amount"}, rows)
	if more := r.Total - len(rows); more > 0 {
		p.paragraph("P", 4, fmt.Sprintf("and %d more, see exceptions.csv. The list has the highest severities.", more))
	}
}

func (r *report) pdfAttest(p *page) {
	if _, height := p.GetPageSize(); p.GetY() > height-75 {
		p.AddPage()
	}
	p.heading("Attestation")
	p.SetFont("Helvetica", "", 9)
	for i, text := range r.Attestation() {
		if i == 0 {
			p.paragraph("P", 4.5, text)
			continue
		}
		p.Ln(8)
		p.within("P", "", func() { p.mark(func() { p.CellFormat(40, 5, text, "", 0, "L", false, 0, "") }) })
		p.artifact(func() { p.CellFormat(90, 5, "", "B", 1, "L", false, 0, "") })
	}
}

func (p *page) heading(title string) {
	if _, height := p.GetPageSize(); p.GetY() > height-45 {
		p.AddPage()
	}
	p.Ln(4)
	p.SetFont("Helvetica", "B", 11)
	p.paragraph("H2", 6, title)
}
