package bench

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/simulate"
)

// ladder are the thresholds at which honest alarms are counted, as the bound there is large enough to be seen.
var ladder = [...]float64{1e2, 1e3, 1e4, 1e5}

// stream is a detector and a kind of key.
type stream struct {
	id   string
	kind detectors.KeyKind
}

// nulls are what was seen of a stream.
type nulls struct {
	factors int
	sum     float64 // of min(e, 1e6), so that the mean has an error that can be stated
	square  float64
	starts  float64
	alarms  [len(ladder)]int
	pages   int
}

// ledgers runs the statistic of the ledger at each threshold of the ladder, on its own.
type ledgers struct {
	r     map[account]*[len(ladder)]float64
	seen  map[stream]*nulls
	order []stream
}

type account struct {
	id  string
	key detectors.Key
}

func newLedgers() *ledgers {
	return &ledgers{r: map[account]*[len(ladder)]float64{}, seen: map[stream]*nulls{}}
}

func (l *ledgers) of(s stream) *nulls {
	n := l.seen[s]
	if n == nil {
		n = &nulls{}
		l.seen[s] = n
		l.order = append(l.order, s)
	}
	return n
}

// endShoes forgets what ends with the shoe.
func (l *ledgers) endShoes() {
	for k := range l.r {
		if k.key.Kind.Ends() {
			delete(l.r, k)
		}
	}
}

func (l *ledgers) take(f *detectors.Factor) {
	if f.Detector.Starts == nil {
		return
	}
	n := l.of(stream{f.Detector.ID, f.Key.Kind})
	e := math.Exp(f.LnE)
	n.factors++
	n.sum += min(e, 1e6)
	n.square += min(e, 1e6) * min(e, 1e6)
	n.starts += f.Start
	k := account{f.Detector.ID, f.Key}
	r := l.r[k]
	if r == nil {
		r = &[len(ladder)]float64{}
		l.r[k] = r
	}
	for i, a := range ladder {
		if r[i] = (f.Start + r[i]) * e; r[i] >= a {
			n.alarms[i]++
			r[i] = 0
		}
	}
}

// honestShoes is how many shoes a table of honest play plays, honestRounds how many rounds that are at the least.
const (
	honestShoes  = 125
	honestRounds = 79 * honestShoes
)

// honest plays tables at which nobody cheats.
func (b *bench) honest(ctx context.Context) error {
	kinds := []string{"nj-mini", "ny-ez", "treasures-mini", "pair-mini"}
	tables := (b.Rounds + honestRounds - 1) / honestRounds
	all := make([]*ledgers, tables)
	rounds := make([]int, tables)
	facts := make([]map[string]int, tables)
	err := each(ctx, tables, func(i int) error {
		o := simulate.Options{Cheat: simulate.Honest(kinds[i%len(kinds)]), From: 1, Seed: b.Seed*1_000_000 + 500_000 + uint64(i), Table: "h" + strconv.Itoa(i)}
		t := newTable(o, b.offers)
		host := detectors.NewHost(b.promise, detectors.All())
		l := newLedgers()
		all[i], facts[i] = l, map[string]int{}
		t.each = func(_ *simulate.PlayedRound, r *detectors.Round) {
			rounds[i] += one(r != nil)
			for k := range host.Factors {
				l.take(&host.Factors[k])
			}
			for k := range host.Alarms {
				a := &host.Alarms[k]
				if a.Detector.Starts == nil {
					facts[i][a.Detector.ID]++
					continue
				}
				l.of(stream{a.Detector.ID, a.Key.Kind}).pages++
			}
		}
		for range honestShoes {
			if err := ctx.Err(); err != nil {
				return err
			}
			l.endShoes()
			if err := t.play(host); err != nil {
				return err
			}
		}
		b.Progress("honest table " + strconv.Itoa(i+1) + " of " + strconv.Itoa(tables))
		return nil
	})
	if err != nil {
		return fmt.Errorf("play honestly: %w", err)
	}
	b.honestRows(all, rounds, facts)
	return nil
}

func (b *bench) honestRows(all []*ledgers, rounds []int, facts []map[string]int) {
	total := 0
	for _, n := range rounds {
		total += n
	}
	years := float64(total) / b.promise.Volume.Rounds
	var sum nulls
	bound, promised := 0.0, 0.0
	row := b.sheet.row("honest", "all")
	for _, d := range detectors.All() {
		for _, kind := range d.Keys {
			var n nulls
			for _, l := range all {
				if x := l.seen[stream{d.ID, kind}]; x != nil {
					n.add(x)
				}
			}
			if n.factors == 0 {
				continue
			}
			sum.add(&n)
			ln := b.promise.LnThreshold(d, kind)
			carried := n.starts / years * b.promise.TableYears / math.Exp(ln)
			bound += carried
			promised += d.Starts(b.promise.Volume, kind) * b.promise.TableYears / math.Exp(ln)
			n.report(b.sheet.row("honest", d.ID+" "+kind.String()), fmt.Sprintf("%.1f", ln), carried)
		}
	}
	sum.report(row, "", bound)
	row = b.sheet.row("honest", "in all")
	row("factors", fmt.Sprintf("%d rounds, %.2f table-years", total, years))
	certain := map[string]int{}
	for _, f := range facts {
		for id, n := range f {
			certain[id] += n
		}
	}
	row("pages", fmt.Sprintf("%d; others: %s", sum.pages, tally(certain)))
	row("per 1,000 table-years", fmt.Sprintf("at most %.1f here, %.1f at the promised volume, %g promised", bound, promised, b.promise.FalseAlarms))
}

func (n *nulls) add(x *nulls) {
	n.factors += x.factors
	n.sum += x.sum
	n.square += x.square
	n.starts += x.starts
	n.pages += x.pages
	for i := range n.alarms {
		n.alarms[i] += x.alarms[i]
	}
}

func (n *nulls) report(row func(column, value string), ln string, carried float64) {
	mean := n.sum / float64(n.factors)
	se := math.Sqrt(max(n.square/float64(n.factors)-mean*mean, 0) / float64(n.factors))
	row("ln A", ln)
	row("factors", strconv.Itoa(n.factors))
	row("mean e", fmt.Sprintf("%.5f ± %.5f", mean, se))
	row("starts", fmt.Sprintf("%.0f", n.starts))
	for i, a := range ladder {
		row(fmt.Sprintf("alarms at %g (bound)", a), fmt.Sprintf("%d (%.1f)", n.alarms[i], n.starts/a))
	}
	row("pages", strconv.Itoa(n.pages))
	row("per 1,000 table-years", fmt.Sprintf("%.2f", carried))
}
