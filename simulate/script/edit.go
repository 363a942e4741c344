package script

import (
	"fmt"
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
//	lose round=4 card_dealt last
//
// A selector is a kind of event and any number of field=value. A field is a field of the payload, or round, seq,
// shoe_id, actor.role or actor.id; dots descend: config.vigorish.percent. The seat and spot of a wager select its
// settlement too. shoe=2 selects in the second shoe; without it a selector matches events outside of shoes and in the
// first shoe. table=pb-02 selects a table; without it the first. A selector must match exactly one event: nth=2 takes
// the second match, last the last one, each all matches (set, delete and lose only); * in place of a kind matches any
// kind.
//
// lose removes the event and leaves its seq out, as if it was published and did not arrive.
//
// A moved or inserted event takes the time of the event beside it. += and -= add to numbers and, with a duration such
// as 30m, to times.
//
// configure inserts a table_configured with a changed copy of the configuration in force, under a new config_id;
// effective_at is the event's time unless it is set.
//
// deal gives a round other cards, the player's hand and the banker's hand as dealt, legal or not; stake adds a wager;
// burn replaces the opening burn; recompute changes nothing itself. These four write the whole shoe again:
// announcements, settlement, vigorish, curator, cutting card and count follow from the cards, and earlier edits of the
// shoe are lost. deal with the number after the last round adds a round with the wagers of the last.
//
// Lines that start with # are comments. Values with spaces are in double quotes; commas separate the items of a list.
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
	table  string // empty for the first
	shoe   int    // 0 for the first or none
	nth    int    // 0 for the only match, -1 for the last
	each   bool
}

type assignment struct {
	field, op, value string
}

// Parse reads edits. Errors name the line.
func Parse(text string) (Edits, error) {
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
