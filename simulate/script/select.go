package script

import (
	"fmt"
	"strconv"

	"github.com/shoeproof/shoeproof/schema"
)

func findOne(events []schema.Event, s *selector) (int, error) {
	found, err := find(events, s)
	if err != nil {
		return 0, err
	}
	return found[0], nil
}

// find returns the indexes of the events that a selector matches: one, or all of them with "each".
func find(events []schema.Event, s *selector) ([]int, error) {
	wagers := map[string]*schema.WagerPlaced{}
	var found []int
	shoes := map[string]int{}
	for i := range events {
		ev := &events[i]
		shoe := ordinal(shoes, ev.ShoeID)
		if p, ok := ev.Payload.(*schema.WagerPlaced); ok {
			wagers[p.WagerID] = p
		}
		switch {
		case s.kind != "" && ev.Payload.Kind().String() != s.kind:
		case s.shoe > 0 && (ev.ShoeID == "" || shoe != s.shoe):
		case s.shoe == 0 && ev.ShoeID != "" && shoe > 1:
		case matches(ev, s.fields, wagers):
			found = append(found, i)
		}
	}
	switch n := len(found); {
	case n == 0:
		return nil, fmt.Errorf("%q matches no event", s.text)
	case s.each:
		return found, nil
	case s.nth < 0:
		return found[n-1:], nil
	case s.nth > n:
		return nil, fmt.Errorf("%q matches %d events", s.text, n)
	case s.nth > 0:
		return found[s.nth-1 : s.nth], nil
	case n > 1:
		return nil,
			fmt.Errorf("%q matches %d events, the first two with seq %d and %d: want one", s.text, n,
				events[found[0]].Seq, events[found[1]].Seq)
	}
	return found, nil
}

// ordinal returns the number of a shoe, 1 for the first that appears.
func ordinal(shoes map[string]int, id string) int {
	if _, ok := shoes[id]; id != "" && !ok {
		shoes[id] = len(shoes) + 1
	}
	return shoes[id]
}

func matches(ev *schema.Event, fields []assignment, wagers map[string]*schema.WagerPlaced) bool {
	for _, f := range fields {
		got, ok := fieldText(ev, f.field)
		if !ok && (f.field == "spot" || f.field == "seat") {
			if w := wagers[wagerOf(ev)]; w != nil {
				got, ok = w.Spot.String(), true
				if f.field == "seat" {
					got = strconv.FormatUint(uint64(w.Seat), 10)
				}
			}
		}
		if !ok || got != f.value {
			return false
		}
	}
	return true
}

// wagerOf returns the wager that an event names, the first of several.
func wagerOf(ev *schema.Event) string {
	if id, ok := fieldText(ev, "wager_id"); ok {
		return id
	}
	if p, ok := ev.Payload.(*schema.VigorishCollected); ok && len(p.WagerIDs) > 0 {
		return p.WagerIDs[0]
	}
	return ""
}
