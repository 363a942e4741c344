package fault

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// planParts are the parts of a plan that a fault may change, as text: the round, its neighbours, the first round, where
// the bank is auctioned, and the last two.
func planParts(s *shoe.Plan, index int) map[string]string {
	parts := map[string]string{"rounds": strconv.Itoa(len(s.Rounds))}
	for k := range s.Rounds {
		if k == 0 || k >= index-1 && k <= index+1 || k >= len(s.Rounds)-2 {
			roundParts(parts, &s.Rounds[k], k)
		}
	}
	return parts
}

func roundParts(parts map[string]string, r *shoe.Round, k int) {
	v := reflect.ValueOf(r).Elem()
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; name != "Stakes" && !v.Field(i).IsZero() {
			parts[fmt.Sprintf("round %d %s", k+1, name)] = deepText(v.Field(i))
		}
	}
	for _, st := range r.Stakes {
		name := "wager " + st.ID
		if st.ID == "" { // not numbered yet
			name = fmt.Sprintf("round %d wager at seat %d on %v", k+1, st.Seat, st.Spot)
		}
		parts[name] += fmt.Sprintf("%+v", st)
	}
}

// deepText is a value as text, with what it points to.
func deepText(v reflect.Value) string {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		return fmt.Sprintf("%+v", v.Elem())
	}
	return fmt.Sprintf("%+v", v)
}

// groupOf gives parts of a round's plan that stand for one another one name.
func groupOf(name string) string {
	i := strings.LastIndexByte(name, ' ') + 1
	switch name[i:] {
	case "HandTo", "Relinquished":
		return name[:i] + "squeeze"
	case "PassesShoe", "KeepsShoe", "PassAt":
		return name[:i] + "curator"
	case "Misdraw":
		return name[:i] + "third cards"
	}
	return name
}

// note compares the parts before and after a step of a fault.
func (d *duet) note(i int, before, after map[string]string) {
	for _, m := range []map[string]string{before, after} {
		for name := range m {
			if before[name] != after[name] {
				d.changed[i][groupOf(name)] = true
			}
		}
	}
}

func (d *duet) changedEvents(i int) bool {
	for name := range d.changed[i] {
		if strings.HasPrefix(name, "event ") {
			return true
		}
	}
	return false
}

// eventParts are the events of the round and its neighbours, by their ids, with what they report and what precedes
// them; and by the wagers that they are about.
func (sc *scene) eventParts() map[string]string {
	parts := map[string]string{}
	previous := ""
	var buffer []byte
	for i := range sc.events {
		ev := sc.events[i]
		if ev.ShoeID != sc.plan.ID || int(ev.Round) < sc.number-1 || int(ev.Round) > sc.number+1 {
			continue
		}
		ev.Seq, ev.At = 0, 0
		buffer = schema.AppendJSON(buffer[:0], &ev)
		size := len(buffer)
		buffer = append(append(buffer, " after "...), previous...)
		placed := string(buffer)
		text := placed[:size]
		parts["event "+ev.EventID], previous = placed, ev.EventID
		if aboutThirdCard(&ev) {
			parts[fmt.Sprintf("round %d third cards", ev.Round)] += text
		}
		for _, wager := range wagersOf(&ev) {
			parts["wager "+wager] += text
		}
	}
	return parts
}

func aboutThirdCard(ev *schema.Event) bool {
	switch p := ev.Payload.(type) {
	case *schema.DealInstructed:
		return true
	case *schema.CardDealt:
		return p.Index >= 3
	case *schema.CardsHanded:
		return len(p.CardSeqs) == 1
	}
	return false
}

func wagersOf(ev *schema.Event) []string {
	payload := reflect.ValueOf(ev.Payload).Elem()
	if id := payload.FieldByName("WagerID"); id.IsValid() {
		return []string{id.String()}
	}
	if ids := payload.FieldByName("WagerIDs"); ids.IsValid() {
		return slices.Clone(ids.Interface().([]string))
	}
	return nil
}

// shared is what both changed. A round that one of them voids is not settled; rounds that one of them adds or removes
// concern another one about the end of the shoe; a fault in the order of a settlement rests on both its wagers; and a
// fault may no longer have the cards that it needs.
func (d *duet) shared() []string {
	void := fmt.Sprintf("round %d Void", d.want(0).Round)
	for i := range d.faults {
		if d.changed[i][void] {
			d.both(void)
		}
		for _, id := range d.ids[i] {
			if wager := "wager " + id; d.faults[i].settled && d.changed[1-i][wager] {
				d.both(wager)
			}
		}
		if d.changed[i]["rounds"] && d.parts[1-i].findingRound > 0 {
			d.both("rounds")
		}
	}
	var both []string
	for _, name := range slices.Sorted(maps.Keys(d.changed[0])) {
		if d.changed[1][name] {
			both = append(both, name)
		}
	}
	for i := range d.faults {
		if !d.suits(i, d.coup) {
			both = append(both, "cards that "+d.faults[i].Rule+" needs")
		}
	}
	return both
}
