package bench

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/simulate/cheat"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// ladder are the thresholds at which honest alarms are counted. Their bounds are large enough to be observed.
var ladder = [...]float64{1e2, 1e3, 1e4, 1e5}

// stream is the name of a detector and a kind of key.
func stream(d *detectors.Detector, kind detectors.KeyKind) string { return d.ID + " " + kind.String() }

// nulls are the statistics of a stream under honest play.
type nulls struct {
	Factors int
	Sum     float64 // of min(e, 1e6), so that the mean has an error that can be stated
	Square  float64
	Starts  float64
	Alarms  [len(ladder)]int
	Pages   int
}

// quiet is the result of an honest table: the statistics of each stream, and the facts of each detector without odds.
type quiet struct {
	Rounds  int
	Streams map[string]*nulls
	Facts   map[string]int
}

func (q *quiet) of(stream string) *nulls {
	n := q.Streams[stream]
	if n == nil {
		n = &nulls{}
		q.Streams[stream] = n
	}
	return n
}

// ledgers computes the statistic of the ledger at each threshold of the ladder.
type ledgers struct {
	r    map[account]*[len(ladder)]float64
	seen *quiet
}

type account struct {
	id  string
	key detectors.Key
}

// endShoes drops the accounts that end with the shoe.
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
	n := l.seen.of(stream(f.Detector, f.Key.Kind))
	e := math.Exp(f.LnE)
	n.Factors++
	n.Sum += min(e, 1e6)
	n.Square += min(e, 1e6) * min(e, 1e6)
	n.Starts += f.Start
	k := account{f.Detector.ID, f.Key}
	r := l.r[k]
	if r == nil {
		r = &[len(ladder)]float64{}
		l.r[k] = r
	}
	for i, a := range ladder {
		if r[i] = (f.Start + r[i]) * e; r[i] >= a {
			n.Alarms[i]++
			r[i] = 0
		}
	}
}

// honestShoes is the number of shoes of an honest table, honestRounds the minimum number of their rounds.
const (
	honestShoes  = 125
	honestRounds = 79 * honestShoes
)

// honest plays honest tables.
func (b *bench) honest(ctx context.Context) error {
	all := make([]quiet, (b.Rounds+honestRounds-1)/honestRounds)
	err := each(ctx, len(all), func(i int) error {
		seed := b.Seed*1_000_000 + 500_000 + uint64(i)
		err := b.keep.played(fmt.Sprintf("honest %d", seed), &all[i], func() (err error) {
			all[i], err = b.honestTable(ctx, i, seed)
			return err
		})
		if err != nil {
			return err
		}
		b.Progress("honest table " + strconv.Itoa(i+1) + " of " + strconv.Itoa(len(all)))
		return nil
	})
	if err != nil {
		return fmt.Errorf("play honestly: %w", err)
	}
	b.honestRows(all)
	return nil
}

func (b *bench) honestTable(ctx context.Context, i int, seed uint64) (quiet, error) {
	kinds := []string{"nj-mini", "ny-ez", "treasures-mini", "pair-mini"}
	o := deal.Options{Seed: seed, Table: "h" + strconv.Itoa(i)}
	t := newTable(o, cheat.Options{Cheat: cheat.Honest(kinds[i%len(kinds)]), From: 1}, b.offers)
	host := detectors.NewHost(b.promise, detectors.All())
	q := quiet{Streams: map[string]*nulls{}, Facts: map[string]int{}}
	l := ledgers{r: map[account]*[len(ladder)]float64{}, seen: &q}
	t.each = func(_ *deal.PlayedRound, r *detectors.Round) {
		q.Rounds += one(r != nil)
		for k := range host.Factors {
			l.take(&host.Factors[k])
		}
		for k := range host.Alarms {
			a := &host.Alarms[k]
			if a.Detector.Starts == nil {
				q.Facts[a.Detector.ID]++
				continue
			}
			q.of(stream(a.Detector, a.Key.Kind)).Pages++
		}
	}
	for range honestShoes {
		if err := ctx.Err(); err != nil {
			return q, err
		}
		l.endShoes()
		if err := t.play(host); err != nil {
			return q, err
		}
	}
	return q, nil
}

func (b *bench) honestRows(all []quiet) {
	total, certain := 0, map[string]int{}
	for i := range all {
		total += all[i].Rounds
		for id, n := range all[i].Facts {
			certain[id] += n
		}
	}
	years := float64(total) / b.promise.Volume.Rounds
	var sum nulls
	bound, promised := 0.0, 0.0
	row := b.sheet.row("honest", "all")
	for _, d := range detectors.All() {
		for _, kind := range d.Keys {
			var n nulls
			for i := range all {
				if x := all[i].Streams[stream(d, kind)]; x != nil {
					n.add(x)
				}
			}
			if n.Factors == 0 {
				continue
			}
			sum.add(&n)
			ln := b.promise.LnThreshold(d, kind)
			carried := n.Starts / years * b.promise.TableYears / math.Exp(ln)
			bound += carried
			promised += d.Starts(b.promise.Volume, kind) * b.promise.TableYears / math.Exp(ln)
			n.report(b.sheet.row("honest", stream(d, kind)), fmt.Sprintf("%.1f", ln), carried)
		}
	}
	sum.report(row, "", bound)
	row = b.sheet.row("honest", "in all")
	row("factors", fmt.Sprintf("%d rounds, %.2f table-years", total, years))
	row("pages", fmt.Sprintf("%d; others: %s", sum.Pages, tally(certain)))
	row("per 1,000 table-years", fmt.Sprintf("at most %.1f here, %.1f at the volume of the budget, %g in the budget",
		bound, promised, b.promise.FalseAlarms))
}

func (n *nulls) add(x *nulls) {
	n.Factors += x.Factors
	n.Sum += x.Sum
	n.Square += x.Square
	n.Starts += x.Starts
	n.Pages += x.Pages
	for i := range n.Alarms {
		n.Alarms[i] += x.Alarms[i]
	}
}

func (n *nulls) report(row func(column, value string), ln string, carried float64) {
	mean := n.Sum / float64(n.Factors)
	se := math.Sqrt(max(n.Square/float64(n.Factors)-mean*mean, 0) / float64(n.Factors))
	row("ln A", ln)
	row("factors", strconv.Itoa(n.Factors))
	row("mean e", fmt.Sprintf("%.5f ± %.5f", mean, se))
	row("starts", fmt.Sprintf("%.0f", n.Starts))
	for i, a := range ladder {
		row(fmt.Sprintf("alarms at %g (bound)", a), fmt.Sprintf("%d (%.1f)", n.Alarms[i], n.Starts/a))
	}
	row("pages", strconv.Itoa(n.Pages))
	row("per 1,000 table-years", fmt.Sprintf("%.2f", carried))
}
