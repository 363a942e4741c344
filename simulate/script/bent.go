package script

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/schema"
)

// Bent is a round that differs between legal events and their edited copy, or what happens before or after a round.
type Bent struct {
	// Where names it: table, shoe and round.
	Where string
	// Legal and Edited are its events, one a line, in the notation of selectors; the first line has the cards.
	Legal, Edited []string
}

// BentRounds returns the rounds of legal events that edits changed, in the order of play. Times and actors appear where
// they were edited.
func BentRounds(legal, edited []schema.Event) []Bent {
	before := map[string]*schema.Event{}
	for i := range legal {
		before[legal[i].EventID] = &legal[i]
	}
	was, order := parts(legal, before)
	is, more := parts(edited, before)
	for i, where := range more {
		if !slices.Contains(order, where) {
			at := 0
			if i > 0 {
				at = slices.Index(order, more[i-1]) + 1
			}
			order = slices.Insert(order, at, where)
		}
	}
	var out []Bent
	for _, where := range order {
		if !slices.Equal(was[where], is[where]) {
			out = append(out, Bent{where, was[where], is[where]})
		}
	}
	return out
}

// String prints the events of both: "-" marks an event of the legal game alone, "+" an event of the edited game alone.
func (b *Bent) String() string {
	var out strings.Builder
	fmt.Fprintln(&out, b.Where)
	legal, edited := b.Legal, b.Edited
	for common := lcs(legal, edited); ; common = common[1:] {
		for len(legal) > 0 && (len(common) == 0 || legal[0] != common[0]) {
			fmt.Fprintln(&out, "-", legal[0])
			legal = legal[1:]
		}
		for len(edited) > 0 && (len(common) == 0 || edited[0] != common[0]) {
			fmt.Fprintln(&out, "+", edited[0])
			edited = edited[1:]
		}
		if len(common) == 0 {
			return out.String()
		}
		fmt.Fprintln(&out, " ", common[0])
		legal, edited = legal[1:], edited[1:]
	}
}

// lcs returns the longest common subsequence of two lists of lines.
func lcs(a, b []string) []string {
	size := make([][]int, len(a)+1)
	for i := range size {
		size[i] = make([]int, len(b)+1)
	}
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			if size[i][j] = max(size[i+1][j], size[i][j+1]); x == y {
				size[i][j] = size[i+1][j+1] + 1
			}
		}
	}
	var out []string
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			out = append(out, a[i])
			i, j = i+1, j+1
		case size[i+1][j] >= size[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// parts renders events by round, or by what lies before a round or after the last one, and names the parts in order.
func parts(events []schema.Event, before map[string]*schema.Event) (map[string][]string, []string) {
	out := map[string][]string{}
	var order []string
	for _, table := range byTable(events) {
		where := make([]string, len(table))
		next := map[string]uint32{} // round by shoe
		for i := len(table) - 1; i >= 0; i-- {
			where[i] = place(&table[i], next)
		}
		for i := range table {
			if _, ok := out[where[i]]; !ok {
				order = append(order, where[i])
				out[where[i]] = nil
				if cards := cardsOf(table, &table[i]); cards != "" {
					out[where[i]] = []string{cards}
				}
			}
			out[where[i]] = append(out[where[i]], lineOf(&table[i], before[table[i].EventID]))
		}
	}
	return out, order
}

// place names the part that an event belongs to; next has the next round of each shoe, "" for that of any.
func place(ev *schema.Event, next map[string]uint32) string {
	out := "table " + ev.TableID + " "
	if ev.ShoeID != "" {
		out += "shoe " + ev.ShoeID + " "
	}
	switch n := next[ev.ShoeID]; {
	case ev.Round > 0:
		next[ev.ShoeID], next[""] = ev.Round, ev.Round
		return out + fmt.Sprintf("round %d", ev.Round)
	case n > 0:
		return out + fmt.Sprintf("before round %d", n)
	}
	return out + "after the last round"
}

// cardsOf renders the cards of a round as an edit deals them, "P 6c Kh B 7d Ks"; empty outside of rounds.
func cardsOf(events []schema.Event, in *schema.Event) string {
	var hands [2]string
	for i := range events {
		p, ok := events[i].Payload.(*schema.CardDealt)
		if ok && in.Round > 0 && events[i].Round == in.Round && events[i].ShoeID == in.ShoeID && p.Hand > 0 {
			hands[p.Hand-1] += " " + p.Card
		}
	}
	if hands == [2]string{} {
		return ""
	}
	return "cards P" + hands[0] + " B" + hands[1]
}

// lineOf renders an event as its kind and its fields that are not empty; before is the same event before the edits.
func lineOf(ev, before *schema.Event) string {
	var b strings.Builder
	b.WriteString(ev.Payload.Kind().String())
	if before != nil && before.At != ev.At {
		fmt.Fprintf(&b, " at=%s", time.Unix(0, ev.At).UTC().Format(time.RFC3339Nano))
	}
	if before != nil && before.Actor != ev.Actor {
		fmt.Fprintf(&b, " actor.role=%v actor.id=%s", ev.Actor.Role, ev.Actor.ID)
	}
	for _, f := range fields(ev.Payload) {
		b.WriteString(" " + f)
	}
	return b.String()
}
