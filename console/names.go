package console

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxUserName bounds a name in bytes.
const maxUserName = 256

// visibleName returns the NFKC form of a name. It refuses characters that cannot be seen, or that change the order in
// which others are shown, and letters of two scripts that look alike: one person must not have two names.
func visibleName(name string) (string, error) {
	if !utf8.ValidString(name) || len(name) > maxUserName {
		return "", fmt.Errorf("the name is not UTF-8 of at most %d bytes", maxUserName)
	}
	plain := norm.NFKC.String(name)
	for _, text := range []string{name, plain} {
		for _, r := range text {
			const brailleBlank = '\u2800'
			if !unicode.IsGraphic(r) || r == brailleBlank ||
				unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
				return "", fmt.Errorf("the name has the invisible character %U", r)
			}
		}
	}
	if plain == "" || plain != strings.Join(strings.Fields(plain), " ") {
		return "", errors.New("the name is empty, or has a space at an end or two in a row")
	}
	var scripts []string
	for name, table := range map[string]*unicode.RangeTable{
		"Latin": unicode.Latin, "Greek": unicode.Greek, "Cyrillic": unicode.Cyrillic, "Armenian": unicode.Armenian,
		"Cherokee": unicode.Cherokee, "Coptic": unicode.Coptic, "Lisu": unicode.Lisu,
	} {
		if strings.ContainsFunc(plain, func(r rune) bool { return unicode.Is(table, r) }) {
			scripts = append(scripts, name)
		}
	}
	if len(scripts) > 1 {
		return "", errors.New("the name mixes letters of scripts that look alike")
	}
	return plain, nil
}

// userName returns the form of a name in which the names of one person are equal: visibleName with folded case.
func userName(name string) (string, error) {
	plain, err := visibleName(name)
	if err != nil {
		return "", err
	}
	return norm.NFKC.String(cases.Fold().String(plain)), nil
}
