package bench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/simulate/cheat"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// costShoes is the number of shoes of each table, costTimes the number of measurements; the minimum counts, because
// other load only adds time.
const (
	costShoes = 50
	costTimes = 5
)

// recording is a recorded sequence of calls to a watcher.
type recording []func(watcher)

func (r *recording) Begin(s *detectors.Shoe) {
	x := *s
	*r = append(*r, func(w watcher) { w.Begin(&x) })
}

func (r *recording) End(s *detectors.Shoe) { x := *s; *r = append(*r, func(w watcher) { w.End(&x) }) }

func (r *recording) Tray(t *detectors.Tray) { x := *t; *r = append(*r, func(w watcher) { w.Tray(&x) }) }

func (r *recording) Round(round *detectors.Round) {
	x := *round
	if x.Odds != nil { // the table reuses its odds for the next round
		odds := *x.Odds
		x.Odds = &odds
	}
	*r = append(*r, func(w watcher) { w.Round(&x) })
}

// cost measures the time and the memory of each detector over the same recorded honest shoes.
func (b *bench) cost(ctx context.Context) error {
	var told recording
	rounds := 0
	for _, kind := range []string{"nj-mini", "ny-ez"} {
		t := newTable(deal.Options{Seed: b.Seed + 900_000, Table: kind}, cheat.Options{Cheat: cheat.Honest(kind), From: 1},
			b.offers)
		t.each = func(_ *deal.PlayedRound, r *detectors.Round) { rounds += one(r != nil) }
		for range costShoes {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := t.play(&told); err != nil {
				return err
			}
		}
	}
	b.sheet.row("cost", "kernel")("us a round", fmt.Sprintf("%.2f", kernelTime(b)))
	for _, d := range append(detectors.All(), nil) {
		watching, name := []*detectors.Detector{d}, "all"
		if d == nil {
			watching = detectors.All()
		} else {
			name = d.ID
		}
		least := time.Duration(math.MaxInt64)
		keys := map[account]bool{}
		var grown uint64
		for i := range costTimes + 1 {
			if err := ctx.Err(); err != nil {
				return err
			}
			host := detectors.NewHost(b.promise, watching)
			before, began := heap(), used()
			for _, tell := range told {
				tell(host)
				for k := range host.Factors {
					if i == costTimes { // the last time is not taken
						keys[account{host.Factors[k].Detector.ID, host.Factors[k].Key}] = true
					}
				}
			}
			if took := used() - began; i < costTimes {
				least = min(least, took)
				after := heap()
				grown = after - min(before, after)
			}
			runtime.KeepAlive(host)
		}
		row := b.sheet.row("cost", name)
		row("us a round", fmt.Sprintf("%.2f", float64(least.Nanoseconds())/1000/float64(rounds)))
		if len(keys) > 0 {
			row("keys", strconv.Itoa(len(keys)))
			row("bytes a key", strconv.FormatUint(grown/uint64(len(keys)), 10))
		}
	}
	return nil
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// kernelTime is the time for the odds of a round, microseconds.
func kernelTime(b *bench) float64 {
	law, _ := b.offers.books["ny-5324-21"].Law(baccarat.Minibaccarat)
	k := exact.New(&law.Drawing)
	left := exact.Full(8)
	var odds exact.Odds
	const n = 2000
	began := used()
	for i := range n {
		left[1+i%52]--
		k.Odds(&left, &odds)
		left[1+i%52]++
	}
	return float64((used() - began).Nanoseconds()) / n / 1000
}
