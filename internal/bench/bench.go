// Package bench measures the detectors: simulated tables at which somebody cheats, or plays oddly, or nothing happens,
// and
// what comes of each. The same seed gives the same figures, but for what is measured in time and memory.
package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/simulate/cheat"
)

// Options say what to measure.
type Options struct {
	// Runs is how many tables play each cheat against the detector of its cause. A twentieth as many play it, and each
	// oddity,
	// against all detectors.
	Runs int
	Seed uint64
	// Only are the scenarios, cheats and sections to measure, all if it is empty.
	Only []string
	// Rounds is how many honest ones are played.
	Rounds int
	// Keep is a file that remembers what was played, and from which a measurement that was stopped goes on; it may be "".
	Keep string
	// Progress is told what was done; it may be nil.
	Progress func(done string)
}

// parts are the sections of a sheet; those up to the oddities are by cheat.
var parts = []string{"delay", "accused", "odd", "honest", "importance", "cost"}

// bench is a measurement under way.
type bench struct {
	Options
	promise detectors.Budget
	offers  *offers
	keep    *keep
	sheet   Sheet
}

// Run measures.
func Run(ctx context.Context, o Options) (_ Sheet, err error) {
	books, err := rules.Shipped()
	if err != nil {
		return nil, fmt.Errorf("read rulebooks: %w", err)
	}
	b := &bench{
		Options: o, promise: detectors.DefaultBudget(),
		offers: &offers{books: books, made: map[string]*detectors.Offer{}},
	}
	if b.Progress == nil {
		b.Progress = func(string) {}
	}
	cheats := cheat.All()
	for _, name := range o.Only {
		if !slices.Contains(parts, name) && !slices.ContainsFunc(cheats,
			func(c cheat.Cheat) bool { return named(&c, name) }) {
			return nil, cli.WrongUsage(fmt.Errorf("no scenario, cheat or section %q: want one such as s1, s1-0.5, n2, honest "+
				"or cost", name))
		}
	}
	if b.keep, err = openKeep(o.Keep); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.keep.close()) }()
	for _, part := range parts {
		if !b.wants(part) {
			continue
		}
		switch part {
		case "honest":
			err = b.honest(ctx)
		case "importance":
			err = b.importance(ctx)
		case "cost":
			err = b.cost(ctx)
		default:
			err = b.cheats(ctx, part, cheats)
		}
		if err != nil {
			return nil, err
		}
		b.Progress(part)
	}
	return b.sheet, nil
}

func named(c *cheat.Cheat, name string) bool {
	return strings.EqualFold(c.Name, name) || strings.EqualFold(c.Scenario, name)
}

// wants says whether a section was asked for: by its name, by a cheat's, or because nothing was.
func (b *bench) wants(part string) bool {
	some := slices.ContainsFunc(b.Only, func(s string) bool { return slices.Contains(parts, s) })
	byCheat := slices.Contains(parts[:3], part)
	return slices.Contains(b.Only, part) || !some && (byCheat || len(b.Only) == 0)
}

// asks says whether a cheat was asked for.
func (b *bench) asks(c *cheat.Cheat) bool {
	some := false
	for _, s := range b.Only {
		if named(c, s) {
			return true
		}
		some = some || !slices.Contains(parts, s)
	}
	return !some
}

// cheats plays the cheats, or the oddities, and reports them.
func (b *bench) cheats(ctx context.Context, part string, cheats []cheat.Cheat) error {
	for i := range cheats {
		c := &cheats[i]
		if !b.asks(c) || c.Honest != (part == "odd") {
			continue
		}
		n, all := b.Runs, part != "delay"
		if all {
			n = max(b.Runs/20, 1)
		}
		outcomes := make([]outcome, n)
		err := each(ctx, n, func(i int) error {
			seed := b.Seed*1_000_000 + uint64(i)
			return b.keep.played(fmt.Sprintf("%s %s %d", part, c.Name, seed), &outcomes[i], func() (err error) {
				outcomes[i], err = runCheat(c, seed, scenarios[c.Name].horizon, all, &b.promise, b.offers)
				return err
			})
		})
		if err != nil {
			return fmt.Errorf("play %s: %w", c.Name, err)
		}
		switch part {
		case "delay":
			b.delay(c, outcomes)
		case "accused":
			b.accused(c, outcomes)
		case "odd":
			b.odd(c, outcomes)
		}
		b.Progress(part + " " + c.Name)
	}
	return nil
}

// each does n things, on all processors.
func each(ctx context.Context, n int, do func(int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return do(i)
		})
	}
	return group.Wait()
}

// kindOf is the kind of key that a cheat's label accuses, as far as the detector keeps it.
func kindOf(c *cheat.Cheat, d *detectors.Detector) detectors.KeyKind {
	for _, k := range d.Keys {
		if k.String() == c.Key {
			return k
		}
	}
	return d.Keys[0]
}

// delay reports a cheat.
func (b *bench) delay(c *cheat.Cheat, outcomes []outcome) {
	i := slices.IndexFunc(detectors.All(), func(d *detectors.Detector) bool { return d.ID == c.Detectors[0] })
	d := detectors.All()[i]
	s := scenarios[c.Name]
	// A slug is met within its shoe or never: its delay is that of those that were.
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

// accused reports whom the pages about a cheat name.
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

// tally lists how often each came, most often first.
func tally(counts map[string]int) string {
	var ids []string
	for id := range counts {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	for i, id := range ids {
		ids[i] = fmt.Sprintf("%s %d", id, counts[id])
	}
	if len(ids) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}

// number has three digits that count.
func number(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.1f", x)
}
