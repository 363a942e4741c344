package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/cheat"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
	"github.com/shoeproof/shoeproof/simulate/script"
)

var errFixture = errors.New("--fixture is one table as it is: leave out all but --edits, --absent-feeds and --output")

// play plays the tables that the flags describe; planted describes the fault or the cheat.
func (f *simulateFlags) play(ctx context.Context) (events []schema.Event, planted []string, err error) {
	if f.fixture != "" {
		if f.kind+f.ruleset+f.game+f.mode+f.fault+f.cheat+f.labels != "" ||
			f.tables != 1 || f.properties != 1 || f.shoes != 1 || f.rounds != 0 {
			return nil, nil, errFixture
		}
		events, err = script.Fixture(f.fixture)
		return events, nil, err
	}
	start, err := f.check()
	if err != nil {
		return nil, nil, err
	}
	all := make([][]schema.Event, f.properties*f.tables)
	for i := range all {
		o := deal.Options{
			Property: "sim", Pit: "p1", Table: fmt.Sprintf("t-%02d", i+1), Seed: f.seed*1000 + uint64(i),
			Start: start, Steady: f.tables > 1,
		}
		switch {
		case i == 0 && f.tables > 1 && f.fault+f.cheat != "":
			o.Property = "sim-planted" // its configuration is of the fault: the other tables need not agree with it
		case f.properties > 1:
			o.Property = fmt.Sprintf("sim-%02d", i/f.tables+1)
		}
		var lines []string
		if all[i], lines, err = f.playTable(ctx, o, i); err != nil {
			return nil, nil, err
		}
		planted = append(planted, lines...)
	}
	return deal.Interleave(all...), planted, nil
}

// check checks the flags against each other and returns the start of play.
func (f *simulateFlags) check() (start time.Time, err error) {
	start, err = time.Parse(time.RFC3339, f.start)
	var unknown error
	if f.cheat != "" {
		_, unknown = cheat.Find(f.cheat)
	}
	switch {
	case err != nil:
		return start, fmt.Errorf("--start %q, want a time such as 2026-01-02T18:00:00Z", f.start)
	case f.tables < 1 || f.tables > 500:
		return start, fmt.Errorf("--tables %d, want 1 to 500", f.tables)
	case f.properties < 1 || f.properties*f.tables > 500:
		return start, fmt.Errorf(
			"--properties %d with --tables %d, want 1 to 500 tables in all", f.properties, f.tables,
		)
	case f.shoes < 1 || f.shoes > 1000:
		return start, fmt.Errorf("--shoes %d, want 1 to 1000", f.shoes)
	case f.cheat != "" && f.kind+f.ruleset+f.game+f.mode+f.fault != "":
		return start, errors.New(
			"--cheat brings its own table: leave out --kind, --ruleset, --game, --mode and --fault",
		)
	case f.fault != "" && f.tables*f.properties == 1 && (f.shoes != 1 || f.rounds != 0):
		return start, errors.New("--fault is one short shoe: leave out --shoes and --rounds, or add --tables")
	case f.labels != "" && f.cheat == "":
		return start, errors.New("--labels without --cheat: there is no cheat to label")
	case unknown != nil:
		return start, fmt.Errorf("--cheat: %w", unknown)
	case f.cheat != "" && (f.from < 1 || f.from > f.shoes):
		return start, fmt.Errorf("--cheat begins with shoe %d (--from), want 1 to %d (--shoes)", f.from, f.shoes)
	case f.rounds < 0 || f.rounds == 1 || f.rounds > 60:
		return start, fmt.Errorf("--rounds %d, want 2 to 60, or 0", f.rounds)
	}
	return start, nil
}

// playTable plays the i-th table, the first one with the fault or the cheat that the flags name.
func (f *simulateFlags) playTable(
	ctx context.Context, o deal.Options, i int,
) (events []schema.Event, planted []string, err error) {
	if i == 0 && f.fault != "" {
		return f.plant(o)
	}
	t, label, err := f.table(o, i)
	if err != nil {
		return nil, nil, err
	}
	events = t.Open()
	for range f.shoes {
		if err := ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("play table %s: %w", o.Table, err)
		}
		events = append(events, t.ShoeOf(f.rounds)...)
	}
	events = append(events, t.Close()...)
	if label == nil {
		return events, nil, nil
	}
	planted = []string{fmt.Sprintf("played at table %s: %s", label.Table, label.Doc)}
	return events, planted, writeLabel(f.labels, label)
}

// table returns the i-th table, the first one with the cheat that the flags name; the label is nil without a cheat.
func (f *simulateFlags) table(o deal.Options, i int) (*deal.Table, *cheat.Label, error) {
	if i == 0 && f.cheat != "" {
		c, err := cheat.Find(f.cheat)
		if err != nil {
			return nil, nil, fmt.Errorf("--cheat: %w", err)
		}
		t := cheat.NewTable(o, cheat.Options{Cheat: c, From: f.from})
		return t.Table, t.Label(), nil
	}
	var err error
	if o.Config, err = f.config(i); err != nil {
		return nil, nil, err
	}
	if f.book != nil {
		if o.Game, err = deal.ReadGame(f.book.Canonical(), o.Config.Game); err != nil {
			return nil, nil, fmt.Errorf("--rulebooks: %w", err)
		}
		f.elect(o.Game, i/f.tables)
		deal.Offer(&o.Config, o.Game, o.Seed)
	}
	return deal.NewTable(o), nil, nil
}

// config returns a configuration of the i-th table, of one of the kinds that match the flags. Each property has
// elections of its own. Its tables agree in what must agree within a property: rulebook, vigorish and payment
// procedure.
func (f *simulateFlags) config(i int) (schema.TableConfig, error) {
	property := i / f.tables
	elections := f.seed*1000 + uint64(property*f.tables)
	kinds, err := f.kinds(elections, deal.Kinds())
	if err != nil {
		return schema.TableConfig{}, err
	}
	first, err := deal.Config(kinds[property%len(kinds)], elections)
	if err != nil {
		return first, err
	}
	var together []schema.TableConfig
	for n := range kinds { // the kind of the first table is the first
		c, err := deal.Config(kinds[(property+n)%len(kinds)], elections)
		if err != nil {
			return c, err
		}
		if c.Ruleset == first.Ruleset && c.Vigorish.Mode == first.Vigorish.Mode {
			together = append(together, c)
		}
	}
	return together[i%f.tables%len(together)], nil
}

func writeLabel(path string, label *cheat.Label) error {
	if path == "" {
		return nil
	}
	data, err := json.MarshalIndent(label, "", "  ")
	if err != nil {
		return fmt.Errorf("write labels: %w", err)
	}
	if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("write labels: %w", err)
	}
	return nil
}

// findFault returns the fault that the flags name. A rulebook has further ones, of its side bets and kinds of vigorish.
func (f *simulateFlags) findFault(g *deal.Game) (*fault.Fault, error) {
	all := fault.All()
	if g != nil {
		all = slices.Concat(fault.OfRulebook(g), all)
	}
	for _, x := range all {
		if x.Rule == f.fault {
			return &x, nil
		}
	}
	return nil, fmt.Errorf("--fault %q: unknown fault, see audit simulate --list", f.fault)
}

// kinds returns the kinds that match the flags.
func (f *simulateFlags) kinds(seed uint64, among []string) ([]string, error) {
	if f.kind != "" && !slices.Contains(deal.Kinds(), f.kind) {
		return nil, fmt.Errorf("--kind %q, want one of %s", f.kind, strings.Join(deal.Kinds(), ", "))
	}
	var left []string
	for _, kind := range among {
		c, err := deal.Config(kind, seed)
		if err != nil {
			return nil, err
		}
		if f.allows(kind, &c) {
			left = append(left, kind)
		}
	}
	if len(left) == 0 {
		return nil, fmt.Errorf("no kind of table matches the flags among %s, see audit simulate --list",
			strings.Join(among, ", "))
	}
	return left, nil
}

func (f *simulateFlags) allows(kind string, c *schema.TableConfig) bool {
	if f.book != nil {
		if _, ok := f.book.Law(baccarat.Game(c.Game)); !ok {
			return false
		}
	}
	return (f.kind == "" || f.kind == kind) && (f.ruleset == "" || f.ruleset == c.Ruleset) &&
		(f.game == "" || f.game == c.Game.String()) && (f.mode == "" || f.mode == c.Vigorish.Mode.String() || f.namesMode(c))
}

// namesMode reports whether --mode is a kind of vigorish of the rulebook for the game of a configuration. The table of
// any kind can elect it.
func (f *simulateFlags) namesMode(c *schema.TableConfig) bool {
	if f.book == nil {
		return false
	}
	l, ok := f.book.Law(baccarat.Game(c.Game))
	return ok && slices.Contains(l.NamedModes, f.mode)
}

// elect restricts a game to the kind of vigorish that --mode names, or to one of the property if the rulebook names
// kinds.
func (f *simulateFlags) elect(g *deal.Game, property int) {
	switch {
	case slices.Contains(g.Modes, f.mode):
		g.Modes = []string{f.mode}
	case g.NamesKinds():
		g.Modes = []string{g.Modes[property%len(g.Modes)]}
	}
}

// plant plays a table with the fault that the flags name.
func (f *simulateFlags) plant(o deal.Options) ([]schema.Event, []string, error) {
	if f.book != nil {
		config, err := f.config(0)
		if err != nil {
			return nil, nil, err
		}
		if o.Game, err = deal.ReadGame(f.book.Canonical(), config.Game); err != nil {
			return nil, nil, fmt.Errorf("--rulebooks: %w", err)
		}
		f.elect(o.Game, 0)
		f.game = config.Game.String()
	}
	broken, err := f.findFault(o.Game)
	if err != nil {
		return nil, nil, err
	}
	kinds, err := f.kinds(o.Seed, broken.Kinds)
	if err != nil {
		return nil, nil, fmt.Errorf("--fault %s: %w", broken.Rule, err)
	}
	broken.Kinds = kinds
	events, want, err := fault.Plant(o, *broken, f.seed)
	if err != nil {
		return nil, nil, err
	}
	lines := []string{fmt.Sprintf("planted at table %s: %s", o.Table, broken.Doc)}
	for _, w := range want {
		line := "must be found: " + w.Rule
		if w.Round > 0 {
			line += fmt.Sprintf(", round %d", w.Round)
		}
		if w.Seat > 0 {
			line += fmt.Sprintf(", seat %d", w.Seat)
		}
		lines = append(lines, line)
	}
	return events, lines, nil
}

// findBook loads the house rulebooks and leaves the rulebook of the table in f.book. The table then plays as
// under the shipped book that it extends.
func (f *simulateFlags) findBook() error {
	if len(f.rulebooks) == 0 {
		return nil
	}
	books, err := (&settings.Law{Rulebooks: f.rulebooks}).Books()
	if err != nil {
		return fmt.Errorf("--rulebooks: %w", err)
	}
	shipped, err := rules.Shipped()
	if err != nil {
		return fmt.Errorf("--rulebooks: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(books)) {
		if _, ok := shipped[name]; !ok && (f.ruleset == "" || f.ruleset == name) {
			f.book = books[name]
		}
	}
	if f.book == nil {
		return fmt.Errorf("--ruleset %q is not in the files of --rulebooks", f.ruleset)
	}
	f.ruleset = f.book.Base
	return nil
}
