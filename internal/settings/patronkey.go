package settings

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/engine"
)

var dated = regexp.MustCompile(`^(\d{4}-\d\d-\d\d) (\S+)\r?\n`)

// patronKeys returns the first key of patrons and its successors. Each successor is a line with the gaming day from
// which it masks, the newest first; the rest of the text is the first key.
func patronKeys(text string) (first []byte, successors []engine.PatronKey, err error) {
	for {
		m := dated.FindStringSubmatch(text)
		if m == nil {
			break
		}
		text = text[len(m[0]):]
		if _, err := time.Parse(time.DateOnly, m[1]); err != nil {
			return nil, nil, fmt.Errorf("%q: want a gaming day such as 2026-12-01", m[1])
		}
		if len(m[2]) < minKey {
			return nil, nil, fmt.Errorf("the key from %s has %d bytes, want %d or more", m[1], len(m[2]), minKey)
		}
		if n := len(successors); n > 0 && successors[0].From <= m[1] {
			return nil, nil, fmt.Errorf("the key from %s is below the key from %s: want the newest first", m[1],
				successors[0].From)
		}
		successors = append([]engine.PatronKey{{From: m[1], Secret: []byte(m[2])}}, successors...)
	}
	if len(successors) > 0 && strings.TrimSpace(text) == "" {
		return nil, nil, errors.New("the first key is missing: it stays as the last line, for days before the others")
	}
	if len(successors) > 0 && dated.MatchString(text+"\n") {
		return nil, nil, errors.New("the last line has a gaming day: the first key has none")
	}
	if n := len(text); n > 0 && n < minKey {
		return nil, nil, fmt.Errorf("%d bytes, want %d or more", n, minKey)
	}
	return []byte(text), successors, nil
}
