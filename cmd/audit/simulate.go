package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/law"
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
	shoes, rounds                 int
	tables, properties            int
	start                         string
	list                          bool
	cheat, labels                 string
	from                          int
	absent                        []string
	rulebooks                     []string
	book                          *law.Rulebook
}

func simulateCommand() *cobra.Command {
	var f simulateFlags
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "play legal shoes from a seed, with one planted fault or cheat on request",
		Long: `Simulate plays shoes that break no rule, as events for replay. The same flags always give the same
bytes. With --fault the first table plays a short shoe that breaks exactly that rule, and standard
error names the finding that an audit must report. With --cheat a cheat is played at the first table,
which breaks no rule unless the label has breach; --labels writes the label. If there are other tables,
the first one is in a separate property, sim-planted.`,
		Example: `  audit simulate --kind nj-mini --shoes 3 -o floor.ndjson
  audit simulate --ruleset ny-5324-21 --mode EZ --tables 5 --seed 7 -o floor.pb.zst
  audit simulate --fault vig.outstanding-at-reshuffle -o shoe.ndjson
  audit simulate --fixture S-PB --edits edits.txt > shoe.ndjson
  audit simulate --cheat s3-20 --shoes 3 --labels truth.json -o shoes.ndjson
  audit simulate --rulebooks house.yaml --game MINIBACCARAT -o shoe.ndjson
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
	fs.StringSliceVar(&f.rulebooks, "rulebooks", nil, "house rulebooks: with --ruleset NAME of one of them, or alone, "+
		"the table plays its side bets")
	fs.StringVar(&f.game, "game", "", "choose a kind by its game: PUNTO_BANCO, MINIBACCARAT, MIDIBACCARAT or "+
		"CHEMIN_DE_FER")
	fs.StringVar(&f.mode, "mode", "", "choose a kind by its vigorish: COMMISSION, TIE25, EZ or NOVIG6; or a "+
		"kind of vigorish that the rulebook names")
	fs.StringVar(&f.fixture, "fixture", "", "play a named shoe instead, see --list")
	fs.StringVar(&f.fault, "fault", "", "rule to break, see --list")
	fs.StringVar(&f.cheat, "cheat", "", "cheat, or honest table that looks odd, see --list")
	fs.IntVar(&f.from, "from", 2, "number of the shoe with which the cheat begins")
	fs.StringVar(&f.labels, "labels", "", "file to write with the cheat, its persons and its rounds, as JSON")
	fs.StringVar(&f.edits, "edits", "", "file of edits to make to the events, in the language of docs/scenarios.md")
	fs.StringSliceVar(&f.absent, "absent-feeds", nil, "feeds that the tables do not report: WAGERS, SETTLEMENT, "+
		"VIGORISH, BURN")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of all chance")
	fs.IntVar(&f.shoes, "shoes", 1, "shoes of each table")
	fs.IntVar(&f.rounds, "rounds", 0, "rounds of each shoe, 0 to play to the cutting card")
	fs.IntVar(&f.tables, "tables", 1, "tables of each property, with one kind of vigorish; all events are merged by time")
	fs.IntVar(&f.properties, "properties", 1, "properties, each with its kinds of table and its elections")
	fs.StringVar(&f.start, "start", "2026-01-02T18:00:00Z", "start of play, RFC 3339")
	fs.StringVarP(&f.output, "output", "o", "", "file to write: .ndjson or .pb, alone or with .gz or .zst; ndjson, the "+
		"default, is standard output")
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
	switch given := cmd.Flags().Changed; {
	case f.fixture != "" && (given("seed") || given("start")):
		return cli.WrongUsage(errFixture)
	case f.cheat == "" && given("from"):
		return cli.WrongUsage(errors.New("--from without --cheat: there is no cheat to begin"))
	}
	if err := f.findBook(); err != nil {
		return cli.WrongUsage(err)
	}
	events, planted, err := f.play(cmd.Context())
	switch {
	case cmd.Context().Err() != nil:
		return errors.New("interrupted: no event is written")
	case err != nil:
		return cli.WrongUsage(err)
	}
	if events, err = f.leaveOut(events); err != nil {
		return cli.WrongUsage(err)
	}
	if f.edits != "" {
		if events, err = edit(events, f.edits); err != nil {
			return cli.WrongUsage(err)
		}
	}
	if err := write(cmd.Context(), events, f.output, cmd.OutOrStdout()); err != nil {
		return err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), schema.Count(len(events), "event"))
	for _, line := range planted {
		fmt.Fprintln(cmd.ErrOrStderr(), line)
	}
	return nil
}

// leaveOut leaves out the events of the feeds that the tables do not report.
func (f *simulateFlags) leaveOut(events []schema.Event) ([]schema.Event, error) {
	var absent []schema.Feed
	for _, word := range f.absent {
		feed := schema.ParseFeed(strings.ToUpper(word))
		if feed < schema.FeedWagers { // the others are off unless they are declared
			return nil, fmt.Errorf("--absent-feeds %q, want WAGERS, SETTLEMENT, VIGORISH or BURN", word)
		}
		absent = append(absent, feed)
	}
	if absent == nil {
		return events, nil
	}
	return deal.WithoutFeeds(events, absent), nil
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

func write(ctx context.Context, events []schema.Event, path string, stdout io.Writer) error {
	w := schema.NewWriter(stdout, schema.JSON, "standard output")
	if path != "" && path != "ndjson" {
		var err error
		if w, err = schema.CreateFile(path); err != nil {
			return cli.WrongUsage(err)
		}
	}
	for i := range events {
		if ctx.Err() != nil {
			return errors.Join(fmt.Errorf("interrupted after %d of %d events", i, len(events)), w.Close())
		}
		if err := w.Write(&events[i]); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	return w.Close()
}
