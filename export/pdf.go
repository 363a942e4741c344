package export

import (
	"fmt"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// The page of summary.pdf: letter, in millimetres.
const (
	pdfMargin = 15.0
	pdfWidth  = 215.9 - 2*pdfMargin
)

// page writes summary.pdf.
type page struct {
	*fpdf.Fpdf
	text func(string) string
}

// writePDF writes the summary: the figures, the exceptions of the highest severity, and the attestation. Its dates are
// the gaming day and its objects are sorted and uncompressed, so that the same report gives the same bytes.
func (r *report) writePDF(o *out) error {
	p := page{Fpdf: fpdf.New("P", "mm", "Letter", "")}
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
	p.SetTitle(r.M.Form+", "+r.M.Property+", "+r.M.GamingDay, true)
	p.SetAuthor(r.M.Licensee, true)
	p.SetMargins(pdfMargin, 24, pdfMargin)
	p.SetAutoPageBreak(true, 18)
	p.AliasNbPages("{pages}")
	p.SetHeaderFunc(func() {
		p.SetXY(pdfMargin, 10)
		p.SetFont("Helvetica", "", 8)
		p.CellFormat(pdfWidth/2, 4, p.text(r.M.Licensee+" - "+r.M.Form), "", 0, "L", false, 0, "")
		p.CellFormat(pdfWidth/2, 4, p.text(fmt.Sprintf("%s, gaming day %s, export %d", r.M.Property, r.M.GamingDay,
			r.M.Export)), "", 1, "R", false, 0, "")
		p.Line(pdfMargin, 15, pdfMargin+pdfWidth, 15)
		p.SetY(20)
	})
	p.SetFooterFunc(func() {
		p.SetY(-13)
		p.SetFont("Helvetica", "", 8)
		p.CellFormat(pdfWidth, 4, fmt.Sprintf("page %d / {pages}", p.PageNo()), "", 0, "R", false, 0, "")
	})
	p.AddPage()
	r.pdfBody(&p)
	if err := p.Output(o); err != nil {
		return fmt.Errorf("write the summary: %w", err)
	}
	return nil
}

func (r *report) pdfBody(p *page) {
	p.SetFont("Helvetica", "", 11)
	p.MultiCell(pdfWidth, 5, p.text(r.M.Licensee), "", "L", false)
	p.SetFont("Helvetica", "B", 15)
	p.MultiCell(pdfWidth, 8, p.text(r.M.Form), "", "L", false)
	p.Ln(2)
	var rows [][]string
	for _, f := range r.Facts {
		rows = append(rows, f[:])
	}
	p.table([]float64{35, pdfWidth - 35}, nil, rows)
	p.heading("Findings by severity")
	rows = nil
	for _, s := range r.Severities {
		rows = append(rows, s[:])
	}
	p.table([]float64{40, 30}, []string{"Severity", "Findings"}, rows)
	if len(r.Rules) > 0 {
		p.heading("Findings by rule")
		rows = nil
		for _, c := range r.Rules {
			rows = append(rows, []string{c.Rule, c.Severity, fmt.Sprint(c.Findings)})
		}
		p.table([]float64{100, 40, 30}, []string{"Rule", "Severity", "Findings"}, rows)
	}
	for _, s := range r.Sections {
		p.heading(s.Title)
		p.SetFont("Helvetica", "", 8)
		if s.Note != "" {
			p.MultiCell(pdfWidth, 4, p.text(s.Note), "", "L", false)
		}
		widths := make([]float64, len(s.Columns))
		for i := range widths {
			widths[i] = pdfWidth / float64(len(widths))
		}
		p.table(widths, s.Columns, s.Rows)
		p.SetFont("Courier", "", 8)
		for _, f := range s.Formulas {
			p.MultiCell(pdfWidth, 4, p.text(f), "", "L", false)
		}
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
	p.table([]float64{12, 40, 30, 38, pdfWidth - 140, 20},
		[]string{"No.", "Local time", "Table, shoe", "Rule", "Observed", "Amount"}, rows)
	if more := r.Total - len(rows); more > 0 {
		p.MultiCell(pdfWidth, 4, fmt.Sprintf("and %d more, see exceptions.csv. The list has the highest severities.", more),
			"", "L", false)
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
			p.MultiCell(pdfWidth, 4.5, p.text(text), "", "L", false)
			continue
		}
		p.Ln(8)
		p.CellFormat(40, 5, text, "", 0, "L", false, 0, "")
		p.CellFormat(90, 5, "", "B", 1, "L", false, 0, "")
	}
}

func (p *page) heading(title string) {
	if _, height := p.GetPageSize(); p.GetY() > height-45 {
		p.AddPage()
	}
	p.Ln(4)
	p.SetFont("Helvetica", "B", 11)
	p.MultiCell(pdfWidth, 6, p.text(title), "", "L", false)
}

// table writes rows with wrapped cells and repeats the column names on each page.
func (p *page) table(widths []float64, names []string, rows [][]string) {
	const line = 3.8
	head := func() {
		if names == nil {
			return
		}
		p.SetFont("Helvetica", "B", 8)
		for i, name := range names {
			p.CellFormat(widths[i], 5, p.text(name), "B", 0, "L", false, 0, "")
		}
		p.Ln(5.8)
	}
	head()
	p.SetFont("Helvetica", "", 8)
	_, pageHeight := p.GetPageSize()
	for _, row := range rows {
		cells := make([][]string, len(row))
		height := 1
		for i, c := range row {
			for _, part := range p.SplitLines([]byte(p.text(c)), widths[i]) {
				cells[i] = append(cells[i], string(part))
			}
			if len(cells[i]) > 30 {
				cells[i] = append(cells[i][:30], "...")
			}
			height = max(height, len(cells[i]))
		}
		if p.GetY()+float64(height)*line > pageHeight-20 {
			p.AddPage()
			head()
			p.SetFont("Helvetica", "", 8)
		}
		x, y := pdfMargin, p.GetY()
		for i, lines := range cells {
			for n, text := range lines {
				p.SetXY(x, y+float64(n)*line)
				p.CellFormat(widths[i], line, text, "", 0, "L", false, 0, "")
			}
			x += widths[i]
		}
		y += float64(height)*line + 0.6
		p.SetDrawColor(200, 200, 200)
		p.Line(pdfMargin, y, x, y)
		p.SetDrawColor(0, 0, 0)
		p.SetXY(pdfMargin, y+0.4)
	}
}
