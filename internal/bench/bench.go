// Package bench measures the detectors on simulated tables with cheats, with honest oddities and with honest play:
// delay, power, false alarms and cost. The same seed gives the same figures, except for time and memory.
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

// Options are the size and the sections of a measurement.
type Options struct {
	// Runs is the number of tables for each cheat and the detector of its cause. A twentieth as many play it, and each
	// oddity, with all detectors.
	Runs int
	Seed uint64
	// Only selects scenarios, cheats and sections; empty for all.
	Only []string
	// Rounds is the number of honest rounds.
	Rounds int
	// Keep is a file of results, from which an interrupted measurement resumes; it may be "".
	Keep string
	// Progress receives what was done; it may be nil.
	Progress func(done string)
}

// parts are the sections of a sheet; those up to odd are by cheat.
var parts = []string{"delay", "accused", "odd", "honest", "importance", "cost"}

// bench is a measurement in progress.
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
	// One supplier delivers all cards and shufflers: its keys are part of the arithmetic of the promise.
	b.promise.Policy.Suppliers = []detectors.Supplier{{Prefix: "", Name: "supplier"}}
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

// wants reports whether a section is selected: by name, by one of its cheats, or by default.
func (b *bench) wants(part string) bool {
	some := slices.ContainsFunc(b.Only, func(s string) bool { return slices.Contains(parts, s) })
	byCheat := slices.Contains(parts[:3], part)
	return slices.Contains(b.Only, part) || !some && (byCheat || len(b.Only) == 0)
}

// selects reports whether a cheat is selected.
func (b *bench) selects(c *cheat.Cheat) bool {
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
		if !b.selects(c) || c.Honest != (part == "odd") {
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
				outcomes[i], err = b.runCheat(c, seed, all)
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

// each calls do n times, on all processors.
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
