package console

import (
	_ "embed"
	"fmt"
	"path"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed titles.tsv
var titleTable string

// titleForm makes the title of a finding from its texts.
type titleForm struct {
	rules   string         // a pattern of path.Match
	texts   *regexp.Regexp // of what was observed, a line feed, and what was expected
	literal string         // part of all texts that fit: most lines are ruled out by it, which takes less time
	title   string
}

// titleForms are the lines of the table by family, the part of a rule before its first dot, then the lines of "*".
var titleForms = sync.OnceValue(func() map[string][]titleForm {
	forms := map[string][]titleForm{}
	for line := range strings.Lines(titleTable) {
		if cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(cells) == 4 {
			texts := regexp.MustCompile("^(?:" + cells[1] + ")\n(?:" + cells[2] + ")$")
			parsed, _ := syntax.Parse(texts.String(), syntax.Perl) // it was compiled
			family, _, _ := strings.Cut(cells[0], ".")
			forms[family] = append(forms[family], titleForm{cells[0], texts, literalOf(parsed), cells[3]})
		}
	}
	for family := range forms {
		if family != "*" {
			forms[family] = append(forms[family], forms["*"]...)
		}
	}
	return forms
})

// literalOf returns the longest text that each match of an expression has, as far as its parts show.
func literalOf(e *syntax.Regexp) (longest string) {
	switch e.Op {
	case syntax.OpLiteral:
		if e.Flags&syntax.FoldCase == 0 {
			longest = string(e.Rune)
		}
	case syntax.OpCapture, syntax.OpConcat, syntax.OpPlus:
		for _, part := range e.Sub {
			if text := literalOf(part); len(text) > len(longest) {
				longest = text
			}
		}
	default: // not in each match
	}
	return longest
}

// placeholder is a group of the texts in a title, with a comma as a list, with an underscore as words; or the seat.
var placeholder = regexp.MustCompile(`\{(?:seat|(\d)([,_]?))\}`)

// oneOf is a range of one number.
var oneOf = regexp.MustCompile(`\b(\w+)s (\d+) to (\d+)\b`)

// single is one thing with the plural of its noun.
var single = regexp.MustCompile(`\b1 (card|deck|event|point|record|time)s\b`)

// titleOf is the title of a finding by the table of titles. It is empty if no line of the table fits.
func titleOf(rule string, seat uint32, expected, observed string) string {
	family, _, _ := strings.Cut(rule, ".")
	texts := observed + "\n" + expected
	forms, ok := titleForms()[family]
	if !ok {
		forms = titleForms()["*"]
	}
	for i := range forms {
		form := &forms[i]
		if !strings.Contains(texts, form.literal) {
			continue
		}
		if ok, _ := path.Match(form.rules, rule); !ok {
			continue
		}
		groups := form.texts.FindStringSubmatch(texts)
		if groups == nil {
			continue
		}
		title := placeholder.ReplaceAllStringFunc(form.title, func(found string) string {
			part := placeholder.FindStringSubmatch(found)
			n, err := strconv.Atoi(part[1])
			switch {
			case err != nil && seat == 0:
				return "a patron"
			case err != nil:
				return fmt.Sprintf("seat %d", seat)
			case part[2] == ",":
				return strings.Join(strings.Fields(groups[n]), ", ")
			case part[2] == "_":
				return words(groups[n])
			}
			return groups[n]
		})
		title = single.ReplaceAllString(title, "1 $1")
		return oneOf.ReplaceAllStringFunc(title, func(found string) string {
			if part := oneOf.FindStringSubmatch(found); part[2] == part[3] {
				return part[1] + " " + part[2]
			}
			return found
		})
	}
	return ""
}

// headline is what happened, as people would title it: Player hand stood on 4 (must draw). Of what cannot be audited it
// is the reason. Of texts that the table of titles does not have, it is what was observed and what was expected, of a
// detector the first observation. The id of the rule is the headline of a finding without texts.
func headline(rule, kind string, seat uint32, expected, observed string) string {
	const maxExpected = 120
	why, found, unproved := strings.Cut(observed, "; found: ")
	if !unproved {
		found = observed
	}
	text := ""
	if kind == "notice" && (expected == "" || strings.HasPrefix(observed, "the table does not report ")) {
		text = "cannot be audited: " + observed
	} else {
		text = titleOf(rule, seat, expected, found)
	}
	switch {
	case text != "" && unproved:
		text += " (not proved: " + why + ")"
	case text != "":
	case kind == "anomaly":
		text, _, _ = strings.Cut(observed, "; ")
	case observed != "" && expected != "" && len(expected) <= maxExpected:
		text = observed + " (expected: " + expected + ")"
	default:
		text = observed
	}
	if text == "" {
		return rule
	}
	text = people(text)
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
