package export

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// writeWorkbook writes the exceptions and what is not auditable as two sheets: ECMA-376 with inline strings. Its parts
// are uncompressed, so that its bytes do not depend on a compressor. Text has a text type; there are no formulas.
func (b *builder) writeWorkbook(o *out, all []exception, notAuditable Section) error {
	z := zip.NewWriter(o)
	for _, part := range []struct{ name, text string }{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + spreadsheetML + `sheet.main+xml"/>` +
			`<Override PartName="/xl/styles.xml" ContentType="` + spreadsheetML + `styles+xml"/>` +
			`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + spreadsheetML + `worksheet+xml"/>` +
			`<Override PartName="/xl/worksheets/sheet2.xml" ContentType="` + spreadsheetML + `worksheet+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" ` +
			`Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ` +
			`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="exceptions" ` +
			`sheetId="1" r:id="r1"/><sheet name="not auditable" sheetId="2" r:id="r3"/></sheets></workbook>`},
		{
			"xl/_rels/workbook.xml.rels",
			`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
				`<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" ` +
				`Target="worksheets/sheet1.xml"/>` +
				`<Relationship Id="r3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" ` +
				`Target="worksheets/sheet2.xml"/>` +
				`<Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" ` +
				`Target="styles.xml"/></Relationships>`,
		},
		{"xl/styles.xml", `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
			`<fonts count="2"><font><sz val="10"/><name val="Arial"/></font><font><b/><sz val="10"/><name val="Arial"/>` +
			`</font></fonts>` +
			`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/>` +
			`</fill></fills>` +
			`<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>` +
			`<cellXfs count="2"><xf fontId="0"/><xf fontId="1" applyFont="1"/></cellXfs></styleSheet>`},
	} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: part.name, Method: zip.Store})
		if err == nil {
			_, err = io.WriteString(w, xml.Header+part.text)
		}
		if err != nil {
			return fmt.Errorf("write %s: %w", part.name, err)
		}
	}
	for i, fill := range []func(*sheet){
		func(s *sheet) { b.fillSheet(s, all) }, func(s *sheet) { b.fillNotAuditable(s, notAuditable) },
	} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1), Method: zip.Store})
		if err != nil {
			return fmt.Errorf("write a sheet: %w", err)
		}
		s := sheet{out: bufio.NewWriterSize(w, 64<<10)}
		fill(&s)
		if err := s.out.Flush(); err != nil {
			return fmt.Errorf("write a sheet: %w", err)
		}
	}
	o.Rows = int64(min(len(all), maxInWorkbook))
	return z.Close()
}

// spreadsheetML is the common part of content types.
const spreadsheetML = "application/vnd.openxmlformats-officedocument.spreadsheetml."

// headLines is the number of rows above the column names.
const headLines = 3

func (b *builder) fillSheet(s *sheet, all []exception) {
	b.head(s, columnWidths(), exceptionColumns())
	for i := range all[:min(len(all), maxInWorkbook)] {
		s.row(0, b.cells(&all[i])...)
	}
	if more := len(all) - maxInWorkbook; more > 0 {
		s.row(1, cell{text: fmt.Sprintf("and %d more, see exceptions.csv", more)})
	}
	s.text("</sheetData></worksheet>")
}

// fillNotAuditable writes the section "not auditable"; its second column is a number.
func (b *builder) fillNotAuditable(s *sheet, section Section) {
	b.head(s, []int{42, 10, 60, 60}, section.Columns)
	for _, row := range section.Rows {
		var cells []cell
		for i, text := range row {
			cells = append(cells, cell{text, i == 1})
		}
		s.row(0, cells...)
	}
	s.text("</sheetData></worksheet>")
}

// head begins a sheet: licensee, form, scope and the names of the columns, which stay in view.
func (b *builder) head(s *sheet, widths []int, columns []string) {
	m := &b.manifest
	s.text(
		xml.Header + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews>` +
			`<sheetView workbookViewId="0">`,
	)
	s.text(
		fmt.Sprintf(`<pane ySplit="%d" topLeftCell="A%d" activePane="bottomLeft" state="frozen"/>`, headLines+1, headLines+2),
	)
	s.text(`</sheetView></sheetViews><sheetFormatPr defaultRowHeight="13"/><cols>`)
	for i, width := range widths {
		s.text(fmt.Sprintf(`<col min="%d" max="%d" width="%d" customWidth="1"/>`, i+1, i+1, width))
	}
	s.text("</cols><sheetData>")
	s.row(1, cell{text: m.Licensee})
	s.row(1, cell{text: m.Form})
	s.row(0, cell{text: fmt.Sprintf("Property %s, gaming day %s, export %d", m.Property, m.GamingDay, m.Export)})
	var names []cell
	for _, name := range columns {
		names = append(names, cell{text: name})
	}
	s.row(1, names...)
}

func columnWidths() []int {
	widths := slices.Repeat([]int{14}, len(exceptionColumns()))
	for i, name := range exceptionColumns() {
		switch name {
		case "description", "expected", "observed", "explanation", "citation":
			widths[i] = 42
		case "rule", "shoe_id", "occurred_at_utc", "occurred_at_local":
			widths[i] = 28
		}
	}
	return widths
}

type sheet struct {
	out *bufio.Writer // Flush returns its first error
	n   int
}

func (s *sheet) text(t string) { _, _ = s.out.WriteString(t) }

func (s *sheet) row(style int, cells ...cell) {
	s.n++
	s.text(`<row r="` + strconv.Itoa(s.n) + `">`)
	for i, c := range cells {
		if c.text == "" {
			continue
		}
		s.text(`<c r="` + columnName(i) + strconv.Itoa(s.n) + `" s="` + strconv.Itoa(style) + `"`)
		if c.number {
			s.text("><v>" + c.text + "</v></c>")
			continue
		}
		s.text(` t="inlineStr"><is><t xml:space="preserve">`)
		_ = xml.EscapeText(s.out, []byte(strings.ToValidUTF8(c.text[:min(len(c.text), 32_767)], "")))
		s.text("</t></is></c>")
	}
	s.text("</row>")
}

func columnName(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('A'+(i-1)%26)) + name
	}
	return name
}
