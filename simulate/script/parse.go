package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func parseEdit(line string) (edit, error) {
	tokens, err := tokens(line)
	if err != nil {
		return edit{}, err
	}
	e := edit{verb: tokens[0]}
	head, tail := split(tokens[1:], ":")
	switch e.verb {
	case "set":
		if e.what, err = parseSelector(head); err == nil {
			e.set, err = parseAssignments(tail)
		}
	case "delete", "lose":
		e.what, err = parseSelector(head)
	case "move":
		err = e.parsePlaces(head)
	case "swap":
		a, b := split(head, "with")
		if e.what, err = parseSelector(a); err == nil {
			e.target, err = parseSelector(b)
		}
	case "insert":
		err = e.parseInsert(head, tail)
	case "configure":
		if err = e.parseBeside(head); err == nil {
			e.set, err = parseAssignments(tail)
		}
	case "deal", "burn":
		e.what, err = parseShoeRound(head)
		e.words = tail
		if err == nil && len(tail) == 0 {
			err = fmt.Errorf("%s: want cards after a colon", e.verb)
		}
	case "stake":
		if e.what, err = parseShoeRound(head); err == nil {
			e.set, err = parseAssignments(tail)
		}
	case "recompute":
		e.what, err = parseShoeRound(head)
	default:
		err = fmt.Errorf("%q: want set, delete, lose, move, swap, insert, configure, deal, stake, burn or recompute", e.verb)
	}
	if err == nil && e.what.each && e.verb != "set" && e.verb != "delete" && e.verb != "lose" {
		err = fmt.Errorf("%s each: want one event", e.verb)
	}
	return e, err
}

func (e *edit) parsePlaces(head []string) error {
	a, b := split(head, "after")
	e.after = b != nil
	if b == nil {
		a, b = split(head, "before")
	}
	if b == nil {
		return fmt.Errorf("move: want the place, after or before another event")
	}
	var err error
	if e.what, err = parseSelector(a); err != nil {
		return err
	}
	e.target, err = parseSelector(b)
	return err
}

// parseBeside reads "after" or "before" and the selector of an event.
func (e *edit) parseBeside(head []string) error {
	if len(head) == 0 || head[0] != "after" && head[0] != "before" {
		return fmt.Errorf("%s: want after or before, and an event", e.verb)
	}
	e.after = head[0] == "after"
	var err error
	e.target, err = parseSelector(head[1:])
	return err
}

func (e *edit) parseInsert(head, tail []string) error {
	if err := e.parseBeside(head); err != nil {
		return err
	}
	for _, t := range tail {
		if !strings.Contains(t, "=") {
			if e.kind != "" {
				return fmt.Errorf("insert %s: %q is a second kind of event", e.kind, t)
			}
			e.kind = t
			continue
		}
		set, err := parseAssignments([]string{t})
		if err != nil {
			return err
		}
		e.set = append(e.set, set...)
	}
	if _, ok := newPayload(e.kind); !ok {
		return fmt.Errorf("insert: %q is not a kind of event", e.kind)
	}
	return nil
}

func parseShoeRound(head []string) (selector, error) {
	s, err := parseSelector(append([]string{"round_started"}, head...))
	for _, f := range s.fields {
		if f.field != "round" {
			return s, fmt.Errorf("%s: want shoe= and round= only", f.field)
		}
	}
	return s, err
}

// round returns the round that a selector names, 0 if none.
func (s *selector) round() int {
	for _, f := range s.fields {
		if f.field == "round" {
			n, _ := strconv.Atoi(f.value)
			return n
		}
	}
	return 0
}

func parseSelector(tokens []string) (selector, error) {
	s := selector{text: strings.Join(tokens, " ")}
	for _, t := range tokens {
		switch {
		case t == "each", t == "*":
			s.each = true
		case t == "last":
			s.nth = -1
		case !strings.Contains(t, "="):
			if s.kind != "" {
				return s, fmt.Errorf("selector %q: two kinds of event", s.text)
			}
			if _, ok := newPayload(t); !ok {
				return s, fmt.Errorf("selector %q: %q is not a kind of event", s.text, t)
			}
			s.kind = t
		default:
			a, err := parseAssignments([]string{t})
			if err != nil || a[0].op != "=" {
				return s, fmt.Errorf("selector %q: want field=value, not %q", s.text, t)
			}
			if a[0].field == "table" {
				s.table = a[0].value
				continue
			}
			n, err := strconv.Atoi(a[0].value)
			switch a[0].field {
			case "shoe":
				s.shoe = n
			case "nth":
				s.nth = n
			default:
				s.fields = append(s.fields, a[0])
				continue
			}
			if err != nil || n < 1 {
				return s, fmt.Errorf("selector %q: %s: want a number from 1", s.text, a[0].field)
			}
		}
	}
	if s.kind == "" && len(s.fields) == 0 && (s.shoe == 0 || !slices.Contains(tokens, "*")) {
		return s, fmt.Errorf("selector %q: want a kind of event or a field", s.text)
	}
	return s, nil
}

func parseAssignments(tokens []string) ([]assignment, error) {
	var out []assignment
	for _, t := range tokens {
		i := strings.IndexByte(t, '=')
		if i < 1 {
			return nil, fmt.Errorf("%q: want field=value", t)
		}
		a := assignment{t[:i], "=", t[i+1:]}
		if c := t[i-1]; c == '+' || c == '-' {
			a.field, a.op = t[:i-1], t[i-1:i+1]
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("want field=value after a colon")
	}
	return out, nil
}

// tokens splits a line at spaces outside of double quotes; a colon at the end of a word is a token.
func tokens(line string) ([]string, error) {
	var out []string
	var word strings.Builder
	quoted, some := false, false
	flush := func() {
		if some {
			out = append(out, word.String())
		}
		word.Reset()
		some = false
	}
	for i, c := range line {
		switch {
		case c == '"':
			quoted, some = !quoted, true
		case quoted:
			word.WriteRune(c)
		case c == ' ' || c == '\t':
			flush()
		case c == ':' && (i+1 == len(line) || line[i+1] == ' '):
			flush()
			out = append(out, ":")
		default:
			word.WriteRune(c)
			some = true
		}
	}
	flush()
	if quoted {
		return nil, fmt.Errorf("a double quote is not closed")
	}
	return out, nil
}

// split divides tokens at a word; the second part is nil without it.
func split(tokens []string, at string) (before, after []string) {
	for i, t := range tokens {
		if t == at {
			return tokens[:i], append([]string{}, tokens[i+1:]...)
		}
	}
	return tokens, nil
}
