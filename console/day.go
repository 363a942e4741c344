package console

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// dayView is the home of a regulator and an auditor: what was audited on a gaming day, what could not be and why, what
// became of the findings, and the bundles with their check values.
type dayView struct {
	Property, Day, Previous, Next string
	At                            time.Time // of the figures
	Properties                    []string
	Run                           *clickhouse.AuditRun // nil if no run audited the day
	Tables                        []store.TableDay     // with rounds or shoes that lack events
	TablesAll                     int
	Rounds, Gaps                  uint64
	Unjudged                      []finding.Unjudged
	Outcomes                      []outcomeRow
	Found, Closed                 uint64
	Bundles                       []bundle
	Verifies                      bool
}

// outcomeRow are the findings of one state, or of one disposition, by severity.
type outcomeRow struct {
	State, Disposition     string
	Critical, Major, Minor uint64
}

func dayPage(c *Console, x *exchange) error {
	v := &dayView{Verifies: c.Exports.Policy != nil}
	var err error
	if v.Day, v.Previous, v.Next, err = x.gamingDay(); err != nil {
		return err
	}
	if v.Properties, err = c.properties(x, x.scope()); err != nil {
		return err
	}
	v.Property = x.r.URL.Query().Get("property")
	if v.Property == "" && len(v.Properties) > 0 {
		v.Property = v.Properties[0]
	}
	if v.Property != "" {
		if err := x.exists(v.Property); err != nil {
			return err
		}
	}
	if err := c.readDay(x, v); err != nil {
		return err
	}
	return x.page("day", "Gaming day "+v.Day, v)
}

func (c *Console) readDay(x *exchange, v *dayView) error {
	ctx := x.r.Context()
	since, until, err := c.bounds(v.Day)
	if err != nil {
		return err
	}
	q := store.DayQuery{Property: v.Property, Day: v.Day, Since: since, Until: until}
	var figures dayFigures
	var exports []bundle
	var all errgroup.Group
	all.Go(func() error {
		run, found, err := c.Store.LastRun(ctx, v.Property, v.Day, "")
		if found {
			v.Run = &run
		}
		return err
	})
	fetch(&all, &figures, func() (dayFigures, error) { return c.dayFigures(x, q) })
	fetch(&all, &exports, func() ([]bundle, error) { return c.bundlesOf(x, []string{v.Property}) })
	if err := all.Wait(); err != nil {
		return err
	}
	v.At, v.Tables, v.Unjudged = figures.at, slices.Clone(figures.tables), figures.unjudged // shared, except the clone
	v.TablesAll = len(v.Tables)
	for i := range v.Tables {
		v.Rounds += v.Tables[i].Rounds
		v.Gaps += v.Tables[i].Gaps
	}
	v.Tables = slices.DeleteFunc(v.Tables, func(t store.TableDay) bool { return t.Gaps+t.Missing == 0 })
	v.Bundles = slices.DeleteFunc(exports, func(b bundle) bool { return b.GamingDay != v.Day })
	v.outcomes(figures.outcomes)
	return nil
}

// dayFigures are the figures of a gaming day, with the time of their query.
type dayFigures struct {
	at       time.Time
	tables   []store.TableDay
	unjudged []finding.Unjudged
	outcomes []store.DayOutcome
}

// dayFigures reads the figures of a day. Each query reads the parts that have the day, with the rows of all tables of
// the floor, so requests share the answer.
func (c *Console) dayFigures(x *exchange, q store.DayQuery) (dayFigures, error) {
	scope := x.scope()
	key := fmt.Sprintf("day %#v %+v", scope, q)
	return cached(x.r.Context(), &c.figures, key, figuresTTL, func(ctx context.Context) (f dayFigures, err error) {
		f.at = c.Now()
		var all errgroup.Group
		fetch(&all, &f.tables, func() ([]store.TableDay, error) { return c.Store.TablesOf(ctx, scope, q) })
		fetch(&all, &f.unjudged, func() ([]finding.Unjudged, error) { return c.Store.Unjudged(ctx, scope, q) })
		fetch(&all, &f.outcomes, func() ([]store.DayOutcome, error) { return c.Store.Outcomes(ctx, scope, q) })
		err = all.Wait()
		return f, err
	})
}

// outcomes sums up findings by state, and closed ones by disposition.
func (v *dayView) outcomes(rows []store.DayOutcome) {
	at := map[[2]string]int{}
	for _, o := range rows {
		key := [2]string{o.State, o.Disposition}
		i, known := at[key]
		if !known {
			i = len(v.Outcomes)
			at[key], v.Outcomes = i, append(v.Outcomes, outcomeRow{State: o.State, Disposition: o.Disposition})
		}
		row := &v.Outcomes[i]
		switch o.Severity {
		case "critical":
			row.Critical += o.Findings
		case "major":
			row.Major += o.Findings
		default:
			row.Minor += o.Findings
		}
		v.Found += o.Findings
		if o.State == store.Closed {
			v.Closed += o.Findings
		}
	}
	slices.SortStableFunc(v.Outcomes, func(a, b outcomeRow) int {
		return cmp.Or(cmp.Compare(strings.Count(a.State, store.Closed), strings.Count(b.State, store.Closed)),
			cmp.Compare(a.State, b.State), cmp.Compare(a.Disposition, b.Disposition))
	})
}

// clause is a citation of a finding with what it demands, in the words of the rulebook's list of sentences.
type clause struct {
	Citation string
	Words    []string
}

// clausesIn returns the citations of a rule with their sentences. A regulation is cited and not copied.
func clausesIn(rule string, citations []string) []clause {
	all := make([]clause, len(citations))
	sentences := law.Sentences()
	for i, cited := range citations {
		all[i].Citation = cited
		for k := range sentences {
			s := &sentences[k]
			if strings.HasSuffix(cited, " "+s.Clause) && slices.Contains(s.Rules, rule) &&
				!slices.Contains(all[i].Words, s.Obligation) {
				all[i].Words = append(all[i].Words, s.Obligation)
			}
		}
	}
	return all
}
