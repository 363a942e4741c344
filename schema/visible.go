package schema

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible replaces characters that change how a text is displayed, and show none of themselves, by U+FFFD: those that
// reverse the direction of writing, and control characters except the ends of lines and the TAB. A page, a terminal
// and a spreadsheet then show a name as it is stored.
func Visible(s string) string {
	if !strings.ContainsFunc(s, Hidden) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if Hidden(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Hidden reports whether a character is replaced by Visible.
func Hidden(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n' && r != '\r' && r != '\t'
	case r < 0x7F:
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// Cell is a text as a cell of a spreadsheet: Visible, and with an apostrophe where a program would begin to read a
// formula, at its start or after a semicolon, which many countries' programs split the lines of CSV at.
func Cell(s string) string {
	parts := strings.Split(Visible(s), ";")
	for i, part := range parts {
		start := strings.TrimLeft(part, " \u00a0\u3000\ufeff")
		first, _ := utf8.DecodeRuneInString(start)
		if start != "" && strings.ContainsRune("=+-@|%\t\r\n＝＋－＠", first) {
			parts[i] = part[:len(part)-len(start)] + "'" + start
			if i == 0 {
				parts[i] = "'" + part
			}
		}
	}
	return strings.Join(parts, ";")
}
