package bench

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/simulate/cheat"
)

// kindOf is the kind of key that a cheat's label accuses, if the detector has it.
func kindOf(c *cheat.Cheat, d *detectors.Detector) detectors.KeyKind {
	for _, k := range d.Keys {
		if k.String() == c.Key {
			return k
		}
	}
	return d.Keys[0]
}

// delay reports the delay and the power of a detector for a cheat.
func (b *bench) delay(c *cheat.Cheat, outcomes []outcome) {
	i := slices.IndexFunc(detectors.All(), func(d *detectors.Detector) bool { return d.ID == c.Detectors[0] })
	d := detectors.All()[i]
	s := scenarios[c.Name]
	// A slug is detected within its shoe or never: its delay counts the detected ones only.
	counted := outcomes
	if s.horizon == 1 {
		counted = slices.DeleteFunc(slices.Clone(outcomes), func(o outcome) bool { return !o.Caught })
	}
	m := measure(counted)
	power := measure(outcomes).power
	row := b.sheet.row("delay", c.Name)
	row("what", c.Doc)
	row("unit", unit(c))
	row("detector", d.ID)
	row("runs", fmt.Sprint(len(outcomes)))
	row("power", fmt.Sprintf("%.3f", power))
	if s.power > 0 {
		row("reference power", fmt.Sprintf("%.2f", s.power))
	}
	scale := 0.0
	if ln := b.promise.LnThreshold(d, kindOf(c, d)); d.Starts != nil {
		row("ln A", fmt.Sprintf("%.1f", ln))
		scale = ln / billion
	}
	if len(counted) > 0 {
		least := ""
		if power < 1 && s.horizon > 1 {
			least = "≥ "
		}
		row("mean", least+number(m.mean))
		row("upper 95 %", least+number(m.upper))
		row("median", number(m.median))
		row("p90", number(m.p90))
		if s.limit > 0 && scale > 0 {
			row("limit", number(s.limit*scale))
			row("mean/limit", fmt.Sprintf("%.2f", m.mean/(s.limit*scale)))
		}
		if s.reference > 0 {
			row("reference", number(s.reference))
			row("upper/reference", fmt.Sprintf("%.2f", m.upper/s.reference))
		}
		var lost, rounds, shoes int64
		for _, o := range counted {
			lost += o.Lost
			rounds += int64(o.Rounds)
			shoes += int64(o.Shoes)
		}
		n := int64(len(counted))
		row("rounds", fmt.Sprint(rounds/n))
		row("shoes", fmt.Sprintf("%.1f", float64(shoes)/float64(n)))
		row("lost, $", fmt.Sprint(lost/n/100))
	}
}

// accused reports the detectors and keys of the notifications for a cheat.
func (b *bench) accused(c *cheat.Cheat, outcomes []outcome) {
	first := map[string]int{}
	paged, cause, key, early, rounds := 0, 0, 0, 0, 0
	for _, o := range outcomes {
		early += o.Early
		rounds += o.Rounds
		if o.First != "" {
			first[o.First]++
			paged++
			cause += one(o.Cause)
			key += one(o.Key)
		}
	}
	row := b.sheet.row("accused", c.Name)
	row("tables", fmt.Sprint(len(outcomes)))
	row("rounds", fmt.Sprint(rounds))
	row("first page by", tally(first))
	row("of a cause", fmt.Sprintf("%d of %d", cause, paged))
	row("of a culprit", fmt.Sprintf("%d of %d", key, paged))
	row("pages before", fmt.Sprint(early))
}

// odd reports an honest oddity.
func (b *bench) odd(c *cheat.Cheat, outcomes []outcome) {
	row := b.sheet.row("odd", c.Name)
	pages, facts, queue := map[string]int{}, map[string]int{}, map[string]int{}
	rounds := 0
	for _, o := range outcomes {
		rounds += o.Rounds
		for _, d := range detectors.All() {
			n := o.Alarms[d.ID]
			switch {
			case n == 0:
			case isPage(d):
				pages[d.ID] += n
			case d.Tier == detectors.Certain:
				facts[d.ID] += n
			default:
				queue[d.ID] += n
			}
		}
	}
	row("what", c.Doc)
	row("runs", fmt.Sprint(len(outcomes)))
	row("rounds", fmt.Sprint(rounds))
	row("pages", tally(pages))
	row("facts", tally(facts))
	row("queue of the calibrated", tally(queue))
}

// tally lists counts, the highest first.
func tally(counts map[string]int) string {
	ids := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	for i, id := range ids {
		ids[i] = fmt.Sprintf("%s %d", id, counts[id])
	}
	if len(ids) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}

// number formats three significant digits.
func number(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.1f", x)
}
