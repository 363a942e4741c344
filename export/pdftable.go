//go:build !js

package export

import (
	"regexp"
	"slices"
	"strings"
)

// figure is text that is never broken: numbers, amounts with a currency, dates and times.
var figure = regexp.MustCompile(`^[-+(]?[0-9][-+0-9.,:/% )TZ]*[A-Z]{0,3}$|^[A-Z]{3} -?[0-9][0-9.,]*$`)

const (
	pdfFont    = 8.0 // points
	pdfMinFont = 5.0
	pdfPad     = 2.2 // millimetres of a cell beside its text
	pdfWord    = 34.0
	// pdfRounding is the error of widths that were added and subtracted.
	pdfRounding = 0.01
	pdfWhole    = 16 // characters of a word that is never broken, such as the name of a table
)

// table writes rows with wrapped cells and repeats the column names on each page. The columns share the width by their
// content; a table with too many figures gets smaller letters, so that a figure is never broken.
func (p *page) table(names []string, rows [][]string) {
	if len(rows) == 0 && len(names) > 0 {
		rows = [][]string{slices.Concat([]string{"none"}, make([]string, len(names)-1))}
	}
	size := pdfFont
	widths, fits := p.widths(names, rows, size)
	for !fits && size > pdfMinFont {
		size -= 0.5
		widths, fits = p.widths(names, rows, size)
	}
	line := 3.8 * size / pdfFont
	p.SetFont("Helvetica", "", size)
	_, pageHeight := p.GetPageSize()
	p.within("Table", "", func() {
		columns, scope := p.wrap("B", size, widths, names), ""
		if names != nil {
			p.row("B", widths, columns, line, "Column")
		} else {
			scope = "Row" // the first column has the names
		}
		for _, row := range rows {
			cells := p.wrap("", size, widths, row)
			if p.GetY()+float64(float64(tallest(cells))*line) > pageHeight-20 {
				p.AddPage()
				p.SetFont("Helvetica", "", size)
				if names != nil {
					p.artifact(func() { p.cells("B", widths, columns, line, func(_ int, draw func()) { draw() }) })
				}
			}
			p.row("", widths, cells, line, scope)
		}
	})
}

// row writes a row of a table: of names of columns, or of which the first cell is the name of the row, by the scope.
func (p *page) row(style string, widths []float64, cells [][]string, line float64, scope string) {
	p.within("TR", "", func() {
		p.cells(style, widths, cells, line, func(i int, draw func()) {
			kind, of := "TD", ""
			if scope == "Column" || scope == "Row" && i == 0 {
				kind, of = "TH", scope
			}
			p.within(kind, of, func() {
				if strings.Join(cells[i], "") != "" {
					p.mark(draw)
				}
			})
		})
	})
}

// cells writes wrapped cells side by side, with a line below; each is called to draw a cell.
func (p *page) cells(style string, widths []float64, cells [][]string, line float64, each func(i int, draw func())) {
	p.SetFontStyle(style)
	x, y := pdfMargin, p.GetY()
	for i, lines := range cells {
		each(i, func() {
			for n, text := range lines {
				p.SetXY(x, y+float64(float64(n)*line))
				p.CellFormat(widths[i], line, text, "", 0, "L", false, 0, "")
			}
		})
		x += widths[i]
	}
	y += float64(float64(tallest(cells))*line) + 0.6
	grey := 200
	if style != "" {
		grey = 0
	}
	p.artifact(func() {
		p.SetDrawColor(grey, grey, grey)
		p.Line(pdfMargin, y, x, y)
		p.SetDrawColor(0, 0, 0)
	})
	p.SetXY(pdfMargin, y+0.4)
}

func tallest(cells [][]string) int {
	height := 1
	for _, lines := range cells {
		height = max(height, len(lines))
	}
	return height
}

// wrap breaks the cells of a row into lines, at spaces and, in long words, after dots, commas, underscores and hyphens.
// A longer part is broken anywhere. A cell has at most 30 lines.
func (p *page) wrap(style string, size float64, widths []float64, row []string) [][]string {
	const maxLines = 30
	p.SetFont("Helvetica", style, size)
	cells := make([][]string, len(row))
	for i, text := range row {
		for part := range strings.SplitSeq(p.text(text), "\n") {
			if n := len(cells[i]); n > 0 {
				cells[i][n-1] += " "
			}
			cells[i] = append(cells[i], p.fill(part, widths[i]-pdfPad+pdfRounding)...)
		}
		if len(cells[i]) > maxLines {
			cells[i] = append(cells[i][:maxLines], "...")
		}
	}
	return cells
}

// fill breaks a text into lines of a width.
func (p *page) fill(text string, width float64) (lines []string) {
	if figure.MatchString(text) {
		return []string{text}
	}
	line := ""
	for _, part := range breakable(text) {
		if p.GetStringWidth(strings.TrimRight(line+part, " ")) <= width {
			line += part
			continue
		}
		if line != "" {
			lines = append(lines, line) // with the space at its end, so that a reader does not join two words
		}
		for line = part; p.GetStringWidth(strings.TrimRight(line, " ")) > width && len(line) > 1; {
			n := len(line) - 1
			for n > 1 && p.GetStringWidth(line[:n]) > width {
				n--
			}
			lines, line = append(lines, line[:n]), line[n:]
		}
	}
	return append(lines, strings.TrimRight(line, " "))
}

// breakable splits a text after the characters where a line may end. Figures in it stay whole.
func breakable(text string) (parts []string) {
	for _, word := range strings.SplitAfter(text, " ") {
		if len(word) <= pdfWhole || figure.MatchString(strings.TrimRight(word, " ,;.")) {
			parts = append(parts, word)
			continue
		}
		from := 0
		for i := range len(word) - 1 {
			if strings.IndexByte(".,_-/:", word[i]) >= 0 {
				parts, from = append(parts, word[from:i+1]), i+1
			}
		}
		parts = append(parts, word[from:])
	}
	return parts
}

// widths returns the widths of the columns, and whether each figure and each part of a word fits.
func (p *page) widths(names []string, rows [][]string, size float64) ([]float64, bool) {
	columns := len(names)
	if columns == 0 && len(rows) > 0 {
		columns = len(rows[0])
	}
	lowest, natural := make([]float64, columns), make([]float64, columns)
	measure := func(style string, row []string) {
		p.SetFont("Helvetica", style, size)
		for i, text := range row {
			for part := range strings.SplitSeq(p.text(text), "\n") {
				width := p.GetStringWidth(part) + pdfPad
				natural[i] = max(natural[i], width)
				if figure.MatchString(part) {
					lowest[i] = max(lowest[i], width)
					continue
				}
				for _, word := range breakable(part) {
					width := p.GetStringWidth(strings.TrimRight(word, " ")) + pdfPad
					if !figure.MatchString(strings.TrimRight(word, " ,;.")) {
						width = min(width, pdfWord)
					}
					lowest[i] = max(lowest[i], width)
				}
			}
		}
	}
	measure("B", names)
	for _, row := range rows {
		measure("", row)
	}
	return share(lowest, natural)
}

// share divides the width of the page: each column gets its lowest width, and of the rest a share by what it lacks to
// its natural width.
func share(lowest, natural []float64) ([]float64, bool) {
	used, lacks := 0.0, 0.0
	for i := range lowest {
		used, lacks = used+lowest[i], lacks+natural[i]-lowest[i]
	}
	widths := slices.Clone(lowest)
	if used > pdfWidth {
		for i := range widths {
			widths[i] *= pdfWidth / used
		}
		return widths, false
	}
	for i := range widths {
		if lacks > 0 {
			widths[i] += float64((natural[i] - lowest[i]) * min(1, (pdfWidth-used)/lacks))
		}
	}
	return widths, true
}

// cutTo shortens a text to a width.
func (p *page) cutTo(text string, width float64) string {
	for len(text) > 1 && p.GetStringWidth(text) > width-pdfPad {
		text = text[:len(text)-1]
	}
	return text
}
