package report

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// HoldTest is the result of one regulation's hold test for a table and month.
type HoldTest struct {
	detectors.Hold
	Report detectors.HoldReport
}

// RunHoldTests runs the hold tests of COMAR 36.05.03.25(B)(2) and K.A.R. 112-108-51(b),(c) for each table that
// played in a month, such as 2026-10. The base level is that of the calendar year before, or of the month before
// if that year has no play.
func RunHoldTests(ctx context.Context, store *clickhouse.Store, engine *engine.Options, property,
	month string,
) ([]HoldTest, error) {
	first, err := time.Parse("2006-01", month)
	if err != nil {
		return nil, fmt.Errorf("month %q: %w", month, err)
	}
	span := func(from, until time.Time) clickhouse.Days {
		return clickhouse.Days{
			Property: property, From: from.Format(time.DateOnly),
			To: until.AddDate(0, 0, -1).Format(time.DateOnly),
		}
	}
	now, year := span(first, first.AddDate(0, 1, 0)), time.Date(first.Year()-1, 1, 1, 0, 0, 0, 0, time.UTC)
	played, err := store.Played(ctx, now)
	if err != nil || len(played) == 0 {
		return nil, err
	}
	before, err := store.Played(ctx, span(year, year.AddDate(1, 0, 0)))
	if err == nil && len(before) == 0 {
		before, err = store.Played(ctx, span(first.AddDate(0, -1, 0), first))
	}
	if err != nil {
		return nil, err
	}
	risks, err := store.Risks(ctx, now)
	if err != nil {
		return nil, err
	}
	from, _, err := engine.Calendar.Bounds(now.From, "")
	if err != nil {
		return nil, err
	}
	_, until, err := engine.Calendar.Bounds(now.To, "")
	if err != nil {
		return nil, err
	}
	configs, err := store.Configs(ctx, property, from, until)
	if err != nil {
		return nil, err
	}
	return (&holdInput{engine, property, month, played, before, risks, configs}).tests()
}

// holdInput is what the hold tests of a month read.
type holdInput struct {
	engine          *engine.Options
	property, month string
	played, before  []clickhouse.Played
	risks           []clickhouse.Risk
	configs         []rows.Config
}

func (in *holdInput) tests() ([]HoldTest, error) {
	base, tables := holds(in.property, in.month, in.before), holds(in.property, in.month, in.played)
	offers := map[string]*detectors.Offer{}
	for _, x := range in.risks {
		h := tables[x.Table]
		if h == nil {
			continue
		}
		h.Expected += x.Expected
		key := x.Table + "\x00" + x.Config
		offer, known := offers[key]
		if !known {
			var err error
			if offer, err = offerOf(in.engine, x.Table, x.Config, in.configs); err != nil {
				return nil, err
			}
			offers[key] = offer
		}
		if offer != nil {
			h.Currency = offer.Currency
		}
		spot := baccarat.ParseSpot(x.Spot)
		if offer == nil || spot > baccarat.SpotOther || !offer.Terms[spot].Offered {
			continue
		}
		full, odds := exact.Full(8), exact.Odds{}
		if offer.Kernel.Odds(&full, &odds) {
			h.Variance += float64(x.Squares * offer.Terms[spot].Variance(&odds))
		}
	}
	var all []HoldTest
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		h := tables[table]
		var past []detectors.Hold
		if b := base[table]; b != nil {
			past = append(past, *b)
		}
		all = append(all, HoldTest{*h, detectors.COMAR(h, past)}, HoldTest{*h, detectors.KAR(h, past)})
	}
	return all, nil
}

// holds sums stakes and wins by table.
func holds(property, period string, played []clickhouse.Played) map[string]*detectors.Hold {
	all := map[string]*detectors.Hold{}
	for _, p := range played {
		h := all[p.Table]
		if h == nil {
			h = &detectors.Hold{Property: property, Table: p.Table, Period: period}
			all[p.Table] = h
		}
		h.Rounds += int(p.Rounds)
		h.Drop += p.Staked
		h.Win += p.Won - p.Paid + p.Vig
	}
	return all
}

// offerOf returns the offer of a table under its latest configuration of a name; nil without a rulebook for it.
func offerOf(engine *engine.Options, table, name string, configs []rows.Config) (*detectors.Offer, error) {
	config, at := "", int64(0)
	for i := range configs {
		if c := &configs[i]; c.TableID == table && c.ConfigID == name && !c.Closed && c.At >= at {
			config, at = c.Config, c.At
		}
	}
	if config == "" {
		return nil, nil
	}
	law, c, ok, err := engine.Terms(config)
	if err != nil || !ok {
		return nil, err
	}
	return detectors.NewOffer(law, c), nil
}

// HoldTests is the report of a month's hold tests.
func HoldTests(s Scope, month string, tests []HoldTest) *output.Sheet {
	out := &output.Sheet{
		Title: fmt.Sprintf("Hold tests, COMAR 36.05.03.25(B)(2) and K.A.R. 112-108-51(b),(c). Property %s, month %s",
			s.Property, month),
		Columns: []string{
			"property", "month", "table", "test", "citation", "rounds", "handle", "win", "hold_percent", "statistic", "limit",
			"standard_deviations", "investigate", "text",
		},
		Notes: []string{
			"hold_percent = 100 x win / handle, win = stakes collected - winnings paid + vigorish collected; the count of " +
				"the drop box is not in the events.",
			"statistic = hold_percent minus that of the calendar year before, or of the month before if that year has no " +
				"play; in points, like limit.",
			"standard_deviations: the win minus its expectation from the cards of each round, in standard deviations of the " +
				"wagers made;",
			"each wager counts as if it were alone in its round.",
			"Under honest play the first test asks for an investigation of one table in twenty in any month, the second of " +
				"one in three. The result is not evidence.",
		},
	}
	for i := range tests {
		t := &tests[i]
		investigate := "no"
		if t.Report.Investigate {
			investigate = "yes"
		}
		out.Rows = append(out.Rows, []string{
			s.Property, month, t.Table, t.Report.Name, t.Report.Citation, strconv.Itoa(t.Rounds), s.money(t.Drop),
			s.money(t.Win), percent(t.Win, t.Drop),
			t.statistic(), points(t.Report.Limit), points(t.Z()), investigate, t.Report.Text,
		})
	}
	return out
}

// statistic is empty without a base level: 0.00 would be a hold equal to it.
func (t *HoldTest) statistic() string {
	if math.IsInf(t.Report.Limit, 1) {
		return ""
	}
	return points(t.Report.Statistic)
}

// points formats two decimals; an infinite limit is empty.
func points(v float64) string {
	return strings.TrimPrefix(strconv.FormatFloat(v, 'f', 2, 64), "+Inf")
}
