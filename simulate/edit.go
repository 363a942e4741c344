package simulate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Edits is a list of changes to the events of a table, written one a line:
//
//	set round=1 wager_paid seat=7: amount=9500
//	set shoe_loaded: deck_count=5 cutting_cards=1
//	set round=3 wager_placed seat=5: amount+=100
//	delete round=2 announced code=NO_MORE_BETS
//	move round=1 vigorish_collected seat=7 after round=1 wager_paid seat=7
//	swap cards_stacked with cards_washed
//	insert after round=1 card_dealt card=Kh: card_touched by_role=PATRON seat=3
//	deal round=5: P 2c 3h 4c B 8d Ks
//	stake round=1: seat=3 spot=DRAGON_7 amount=500
//	burn: 4d Qh 8s 5d
//	recompute
//	configure before round=4 round_started: vigorish.percent=5 pay_tables.dragon_bonus=B
//	delete round=6 *
//
// A selector is any number of field=value, and the kind of the event. A field is one of the event's
// payload, or round, seq, shoe_id, actor.role and actor.id; config.vigorish.percent goes deeper. A
// wager's seat and spot select its settlement too. shoe=2 looks in the second shoe; without it a
// selector looks outside of shoes and in the first one. table=pb-02 looks at another table than the
// first, for events of several. It must find exactly one event: nth=2 takes the second that matches,
// last the last one, each all of them (set and delete only); * in place of a kind is each of any kind.
//
// A moved or inserted event takes the time of the event beside it. += and -= add to numbers and, with
// a duration such as 30m, to times.
//
// configure inserts a table_configured with a copy of the configuration then in force, changed as
// told, under a config_id of its own; effective_at is the event's time unless it is told too.
//
// deal gives a round other cards, player's hand and banker's hand as dealt, legal or not; stake adds
// a wager; burn replaces the opening burn; recompute changes nothing itself. After these four the
// whole shoe is written anew: announcements, settlement, vigorish, curator, cutting card and count
// follow from the cards, and edits made to the shoe before are lost. deal with the number of the next
// round adds a round with the wagers of the one before.
//
// Lines starting with # are comments. Values with spaces stand in double quotes; a list is
// separated by commas.
type Edits struct{ list []edit }

type edit struct {
	line   int
	verb   string
	what   selector
	after  bool
	target selector
	kind   string // of an inserted event
	set    []assignment
	words  []string // cards
}

type selector struct {
	text   string
	kind   string
	fields []assignment
	table  string // empty for the first one
	shoe   int    // 0 for the first one or none
	nth    int    // 0 for the only one, -1 for the last
	each   bool
}

type assignment struct {
	field, op, value string
}

// ParseEdits reads edits. Errors name the line.
func ParseEdits(text string) (Edits, error) {
	var out Edits
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		e, err := parseEdit(line)
		if err != nil {
			return Edits{}, fmt.Errorf("line %d: %w", i+1, err)
		}
		e.line = i + 1
		out.list = append(out.list, e)
	}
	return out, nil
}

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
	case "delete":
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
		err = fmt.Errorf("%q: want set, delete, move, swap, insert, configure, deal, stake, burn or recompute", e.verb)
	}
	if err == nil && e.what.each && e.verb != "set" && e.verb != "delete" {
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

// parseBeside reads "after" or "before" and the event that is meant.
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
				return fmt.Errorf("insert %s: %q is one kind too many", e.kind, t)
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
	if _, ok := blank(e.kind); !ok {
		return fmt.Errorf("insert: %q is no kind of event", e.kind)
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

// round is the round that a selector names, 0 if none.
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
			if _, ok := blank(t); !ok {
				return s, fmt.Errorf("selector %q: %q is no kind of event", s.text, t)
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
				return s, fmt.Errorf("selector %q: %s wants a number from 1", s.text, a[0].field)
			}
		}
	}
	if s.kind == "" && len(s.fields) == 0 && (s.shoe == 0 || !slices.Contains(tokens, "*")) {
		return s, fmt.Errorf("selector %q: names no event", s.text)
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

// tokens splits at spaces outside of double quotes; a colon at the end of a word stands alone.
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
