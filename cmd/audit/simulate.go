package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/cheat"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
	"github.com/shoeproof/shoeproof/simulate/script"
)

type simulateFlags struct {
	kind, ruleset, game, mode     string
	fixture, fault, edits, output string
	seed                          uint64
	shoes, tables, rounds         int
	start                         string
	list                          bool
	cheat, labels                 string
	from                          int
}

func simulateCommand() *cobra.Command {
	var f simulateFlags
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "play legal shoes from a seed, with one planted fault if asked",
		Long: `Simulate plays shoes that break no rule, as events for replay. The same flags always give the same
bytes. With --fault the first table plays a short shoe that breaks exactly that rule, and standard
error says which finding must come of it. With --cheat somebody cheats at the first table, legally
unless the label says otherwise; --labels writes the truth about it.`,
		Example: `  audit simulate --kind nj-mini --shoes 3 -o floor.ndjson
  audit simulate --ruleset ny-5324-21 --mode EZ --tables 5 --seed 7 -o floor.pb.zst
  audit simulate --fault vig.outstanding-at-reshuffle -o shoe.ndjson
  audit simulate --fixture S-PB --edits edits.txt > shoe.ndjson
  audit simulate --cheat s3-20 --shoes 3 --labels truth.json -o shoes.ndjson
  audit simulate --list`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.list {
				return listPlays(cmd.OutOrStdout())
			}
			return f.run(cmd)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.kind, "kind", "", "kind of table, see --list")
	fs.StringVar(&f.ruleset, "ruleset", "", "choose a kind by its rulebook, such as nj-19-47")
	fs.StringVar(&f.game, "game", "", "choose a kind by its game: PUNTO_BANCO, MINIBACCARAT, MIDIBACCARAT or "+
		"CHEMIN_DE_FER")
	fs.StringVar(&f.mode, "mode", "", "choose a kind by its vigorish: COMMISSION, TIE25, EZ or NOVIG6")
	fs.StringVar(&f.fixture, "fixture", "", "play a named shoe instead, see --list")
	fs.StringVar(&f.fault, "fault", "", "rule to break, see --list")
	fs.StringVar(&f.cheat, "cheat", "", "cheat, or honest oddity, to play, see --list")
	fs.IntVar(&f.from, "from", 2, "shoe with which the cheat begins")
	fs.StringVar(&f.labels, "labels", "", "file to write with who cheated, how, and in which rounds, as JSON")
	fs.StringVar(&f.edits, "edits", "", "file of edits to make to the events, in the language of docs/scenarios.md")
	fs.Uint64Var(&f.seed, "seed", 1, "what all chance follows from")
	fs.IntVar(&f.shoes, "shoes", 1, "shoes of each table")
	fs.IntVar(&f.rounds, "rounds", 0, "rounds of each shoe, 0 for as many as the cards give")
	fs.IntVar(&f.tables, "tables", 1, "tables, their events merged by time")
	fs.StringVar(&f.start, "start", "2026-01-02T18:00:00Z", "when play begins, RFC 3339")
	fs.StringVarP(&f.output, "output", "o", "", "file to write: .ndjson or .pb, alone or with .gz or .zst; NDJSON on "+
		"standard output if not given")
	fs.BoolVar(&f.list, "list", false, "list kinds, fixtures, faults and cheats")
	return cmd
}

func listPlays(out io.Writer) error {
	fmt.Fprintln(out, "kinds, each with its rulebook, game and vigorish:")
	for _, kind := range deal.Kinds() {
		c, err := deal.Config(kind, 1)
		if err != nil {
			return fmt.Errorf("list: %w", err)
		}
		fmt.Fprintf(out, "  %-15s %-13s %-13v %v\n", kind, c.Ruleset, c.Game, c.Vigorish.Mode)
	}
	fmt.Fprintln(out, "fixtures:", strings.Join(script.Fixtures(), " "))
	fmt.Fprintln(out, "faults:")
	for _, x := range fault.All() {
		if _, err := fmt.Fprintf(out, "  %-40s %s\n", x.Rule, x.Doc); err != nil {
			return fmt.Errorf("list: %w", err)
		}
	}
	fmt.Fprintln(out, "cheats:")
	for _, c := range cheat.All() {
		if _, err := fmt.Fprintf(out, "  %-14s %s\n", c.Name, c.Doc); err != nil {
			return fmt.Errorf("list: %w", err)
		}
	}
	return nil
}

func (f *simulateFlags) run(cmd *cobra.Command) error {
	events, planted, err := f.play()
	if err != nil {
		return cli.WrongUsage(err)
	}
	if f.edits != "" {
		if events, err = edit(events, f.edits); err != nil {
			return cli.WrongUsage(err)
		}
	}
	if err := write(events, f.output, cmd.OutOrStdout()); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%d events\n", len(events))
	for _, line := range planted {
		fmt.Fprintln(cmd.ErrOrStderr(), line)
	}
	return nil
}

func (f *simulateFlags) play() (events []schema.Event, planted []string, err error) {
	if f.fixture != "" {
		if f.kind+f.ruleset+f.game+f.mode+f.fault+f.cheat+f.labels != "" || f.tables != 1 || f.shoes != 1 || f.rounds != 0 {
			return nil, nil, errors.New("--fixture is one table as it is: leave out all but --edits and --output")
		}
		events, err = script.Fixture(f.fixture)
		return events, nil, err
	}
	start, err := time.Parse(time.RFC3339, f.start)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("--start %q, want a time such as 2026-01-02T18:00:00Z", f.start)
	case f.tables < 1 || f.tables > 500:
		return nil, nil, fmt.Errorf("--tables %d, want 1 to 500", f.tables)
	case f.shoes < 1 || f.shoes > 1000:
		return nil, nil, fmt.Errorf("--shoes %d, want 1 to 1000", f.shoes)
	case f.cheat != "" && f.kind+f.ruleset+f.game+f.mode+f.fault != "":
		return nil, nil, errors.New("--cheat brings its own table: leave out --kind, --ruleset, --game, --mode and --fault")
	case f.labels != "" && f.cheat == "":
		return nil, nil, errors.New("--labels without --cheat: there is nothing to label")
	case f.cheat != "" && (f.from < 1 || f.from > f.shoes):
		return nil, nil, fmt.Errorf("--cheat begins with shoe %d (--from), want 1 to %d (--shoes)", f.from, f.shoes)
	case f.rounds < 0 || f.rounds == 1 || f.rounds > 60:
		return nil, nil, fmt.Errorf("--rounds %d, want 2 to 60, or 0", f.rounds)
	}
	broken, err := f.findFault()
	if err != nil {
		return nil, nil, err
	}
	var all [][]schema.Event
	for i := range f.tables {
		o := deal.Options{
			Property: "sim", Pit: "p1", Table: fmt.Sprintf("t-%02d", i+1), Seed: f.seed*1000 + uint64(i),
			Start: start,
		}
		if f.tables > 1 {
			// Each table elects for itself: within one property that could break the rules that compare tables.
			o.Property = fmt.Sprintf("sim-%02d", i+1)
		}
		if i == 0 && broken != nil {
			one, lines, err := f.plant(o, broken)
			if err != nil {
				return nil, nil, err
			}
			all, planted = append(all, one), lines
			continue
		}
		t, label, err := f.table(o, i)
		if err != nil {
			return nil, nil, err
		}
		one := t.Open()
		for range f.shoes {
			one = append(one, t.ShoeOf(f.rounds)...)
		}
		all = append(all, append(one, t.Close()...))
		if label != nil {
			planted = append(planted, fmt.Sprintf("played at table %s: %s", label.Table, label.Doc))
			if err := writeLabel(f.labels, label); err != nil {
				return nil, nil, err
			}
		}
	}
	return deal.Interleave(all...), planted, nil
}

// table is the i-th table, the first one with the cheat that the flags name; label is nil without a cheat.
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
	if o.Config, err = f.config(i, o.Seed); err != nil {
		return nil, nil, err
	}
	return deal.NewTable(o), nil, nil
}

// config is a configuration of the i-th table, of one of the kinds that the flags leave.
func (f *simulateFlags) config(i int, seed uint64) (schema.TableConfig, error) {
	kinds, err := f.kinds(seed, deal.Kinds())
	if err != nil {
		return schema.TableConfig{}, err
	}
	return deal.Config(kinds[i%len(kinds)], seed)
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

func (f *simulateFlags) findFault() (*fault.Fault, error) {
	if f.fault == "" {
		return nil, nil
	}
	for _, x := range fault.All() {
		if x.Rule == f.fault {
			return &x, nil
		}
	}
	return nil, fmt.Errorf("--fault %q: none is known for it, see audit simulate --list", f.fault)
}

// kinds are those that the flags leave.
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
		return nil, fmt.Errorf("no kind of table is what the flags ask for, among %s; audit simulate --list has what each is",
			strings.Join(among, ", "))
	}
	return left, nil
}

func (f *simulateFlags) allows(kind string, c *schema.TableConfig) bool {
	return (f.kind == "" || f.kind == kind) && (f.ruleset == "" || f.ruleset == c.Ruleset) &&
		(f.game == "" || f.game == c.Game.String()) && (f.mode == "" || f.mode == c.Vigorish.Mode.String())
}

func (f *simulateFlags) plant(o deal.Options, broken *fault.Fault) ([]schema.Event, []string, error) {
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

func edit(events []schema.Event, path string) ([]schema.Event, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read edits: %w", err)
	}
	edits, err := script.Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if events, err = edits.Apply(events); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return events, nil
}

func write(events []schema.Event, path string, stdout io.Writer) error {
	w := schema.NewWriter(stdout, schema.JSON, "standard output")
	if path != "" {
		var err error
		if w, err = schema.CreateFile(path); err != nil {
			return cli.WrongUsage(err)
		}
	}
	for i := range events {
		if err := w.Write(&events[i]); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	return w.Close()
}
