package nightly

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/watch"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// Runs compares the shoes of a gaming day with all stored shoes of the property, of the day and of the year before it:
// a prepared shoe, or a run of it, comes back at any table. The shoe before, of the same set of cards, is left to d04.
type Runs struct{ Engine *engine.Options }

const (
	// runsYear is how far back the stored shoes are compared.
	runsYear = 366 * 24 * time.Hour
	// runsBefore is how far back the shoe before the first one of the day is searched.
	runsBefore = 7 * 24 * time.Hour
	// runsFalse is the maximum expected number of runs by chance in a night.
	runsFalse = 1e-5
)

// dealtShoe is a shoe with its cards.
type dealtShoe struct {
	clickhouse.DealtRound // the first one
	cards                 []detectors.Card
	// index is that of the shoe in the index of runs, -1 if it is not of the day; before is the id of the shoe before it.
	index  int
	before string
}

// repeat is the longest run of a shoe of the day, in an earlier one.
type repeat struct {
	detectors.Run
	of dealtShoe
}

// ReadsEvidence is false.
func (Runs) ReadsEvidence() bool { return false }

// Night returns the shoes of the day that share a run with an earlier one.
func (r Runs) Night(ctx context.Context, store *clickhouse.Store, property, day, shift string) ([]finding.Finding,
	error,
) {
	from, until, err := r.Engine.Calendar.Bounds(day, "")
	if err != nil || shift != "" {
		return nil, err
	}
	c := comparison{
		index: detectors.NewRuns(), orders: r.orders(), from: from, shoes: map[[2]string]*dealtShoe{},
	}
	of := clickhouse.Period{Property: property, From: from - int64(runsBefore), Until: until}
	var table []dealtShoe
	err = dealtShoes(ctx, store, of, func(s *dealtShoe) {
		if len(table) > 0 && table[0].Table != s.Table {
			c.add(table)
			table = nil
		}
		table = append(table, *s)
	})
	if err != nil {
		return nil, err
	}
	c.add(table)
	of.From = from - int64(runsYear)
	if err := dealtShoes(ctx, store, of, c.match); err != nil {
		return nil, err
	}
	return r.findings(ctx, store, &c)
}

// comparison compares the shoes of a day (made) with earlier shoes. Best has the longest run of each.
type comparison struct {
	index  *detectors.Runs
	orders []detectors.PickUp
	from   int64
	made   []*dealtShoe
	shoes  map[[2]string]*dealtShoe // by table and id
	best   []repeat
}

// add takes the shoes of a table. The shoes that began in the day are indexed.
func (c *comparison) add(played []dealtShoe) {
	for _, s := range ordered(played) {
		if s.At >= c.from {
			s.index = c.index.Add(s.cards, max(int(s.Decks), 1))
			c.shoes[[2]string{s.Table, s.Shoe}] = s
			c.made, c.best = append(c.made, s), append(c.best, repeat{})
		}
	}
}

// orders are the orders of picking up of the house.
func (r Runs) orders() []detectors.PickUp {
	if r.Engine.Budget != nil {
		return r.Engine.Budget.Policy.PickUps
	}
	return detectors.DefaultBudget().Policy.PickUps
}

// match compares an earlier shoe with the shoes of the day. Of two shoes of the day the later one is named.
func (c *comparison) match(old *dealtShoe) {
	own := -1
	if s := c.shoes[[2]string{old.Table, old.Shoe}]; s != nil {
		own = s.index
	}
	c.index.Match(old.cards, own, c.orders, func(run detectors.Run) {
		s, of := c.made[run.Shoe], *old
		if own >= 0 && of.At > s.At {
			s, of, run.Shoe = c.made[own], *s, own
		}
		if of.Table == s.Table && of.Shoe == s.before || of.At > s.At {
			return
		}
		if x := &c.best[run.Shoe]; run.Cards > x.Cards {
			of.cards = nil
			*x = repeat{run, of}
		}
	})
}

// dealtShoes yields the shoes of a period, table by table.
func dealtShoes(ctx context.Context, store *clickhouse.Store, of clickhouse.Period, yield func(*dealtShoe)) error {
	var s *dealtShoe
	err := store.DealtRounds(ctx, of, func(p *clickhouse.DealtRound) bool {
		if s == nil || s.Table != p.Table || s.Shoe != p.Shoe {
			if s != nil {
				yield(s)
			}
			s = &dealtShoe{DealtRound: *p, index: -1}
		}
		s.cards = append(s.cards, watch.Dealt(p.Cards)...)
		return true
	})
	if err == nil && s != nil {
		yield(s)
	}
	return err
}

// ordered puts the shoes of a table in the order of time, and notes the shoe before each: the last one of the same set
// of cards, or the last one if the set is not known.
func ordered(played []dealtShoe) (all []*dealtShoe) {
	for i := range played {
		all = append(all, &played[i])
	}
	slices.SortFunc(all, func(a, b *dealtShoe) int { return cmp.Compare(a.At, b.At) })
	last, of := "", map[string]string{}
	for _, s := range all {
		if s.before = of[s.Batch]; s.Batch == "" || s.before == "" {
			s.before = last
		}
		last, of[s.Batch] = s.Shoe, s.Shoe
	}
	return all
}

// findings are about the shoes with a run that is too long for chance.
func (r Runs) findings(ctx context.Context, store *clickhouse.Store, c *comparison) (
	found []finding.Finding, err error,
) {
	length := c.index.Length(runsFalse)
	for i, s := range c.made {
		x := &c.best[i]
		if x.Cards < length {
			continue
		}
		f := anomaly(r.Engine, finding.Identity{
			PropertyID: s.Property, TableID: s.Table, ShoeID: s.Shoe, Rule: "runs.stored-shoe", Subject: "shoe:" + s.Shoe,
		}, finding.Major, "shoe:"+s.Shoe, s.At)
		way := "in the same order"
		if x.Backwards {
			way = "backwards"
		}
		f.PitID, f.Citations = s.Pit, []string{"docs/detectors.md: runs of stored shoes"}
		f.Odds = "with uniform shuffles at most one night in 100,000 has such a run"
		f.Expected = fmt.Sprintf("the shoe was shuffled uniformly: no run of %d cards of a stored shoe comes again", length)
		f.Observed = fmt.Sprintf("%d cards repeat, %s, a run of shoe %s of table %s of %s, as picked up %s", x.Cards, way,
			x.of.Shoe, x.of.Table, time.Unix(0, x.of.At).UTC().Format(time.RFC3339), detectors.PickUpNames[x.Order])
		f.Evidence.Seqs = []uint64{s.FirstSeq}
		found = append(found, f)
	}
	return found, store.NameEvents(ctx, found)
}
