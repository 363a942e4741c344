package bench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"time"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/simulate"
)

// costShoes is over how many shoes time is taken, costTimes how often.
const (
	costShoes = 20
	costTimes = 3
)

// cost takes the time and the memory of each detector over the same honest shoes, one after the other.
func (b *bench) cost(ctx context.Context) error {
	play := func(watching []*detectors.Detector, odds bool) (perRound time.Duration, keys map[account]bool, grown uint64, err error) {
		t := newTable(simulate.Options{Cheat: simulate.Honest("ny-ez"), From: 1, Seed: b.Seed + 900_000, Table: "c"}, b.offers)
		t.exact = odds
		host := detectors.NewHost(b.promise, watching)
		keys = map[account]bool{}
		rounds := 0
		t.each = func(_ *simulate.PlayedRound, r *detectors.Round) {
			rounds += one(r != nil)
			for i := range host.Factors {
				keys[account{host.Factors[i].Detector.ID, host.Factors[i].Key}] = true
			}
		}
		if err := t.play(host); err != nil { // the library is dealt with the first
			return 0, nil, 0, err
		}
		rounds = 0
		before := heap()
		began := used()
		for range costShoes {
			if err := ctx.Err(); err != nil {
				return 0, nil, 0, err
			}
			if err := t.play(host); err != nil {
				return 0, nil, 0, err
			}
		}
		took := used() - began
		after := heap()
		runtime.KeepAlive(host)
		return took / time.Duration(rounds), keys, after - min(before, after), nil
	}
	// The least of some: what else the machine does only adds.
	bare := time.Duration(math.MaxInt64)
	for range costTimes {
		took, _, _, err := play(nil, true)
		if err != nil {
			return err
		}
		bare = min(bare, took)
	}
	row := b.sheet.row("cost", "kernel")
	row("us a round", fmt.Sprintf("%.1f", kernelTime(b)))
	for _, d := range append(detectors.All(), nil) {
		watching, name := []*detectors.Detector{d}, "all"
		if d == nil {
			watching = detectors.All()
		} else {
			name = d.ID
		}
		least := time.Duration(math.MaxInt64)
		var keys map[account]bool
		var grown uint64
		for range costTimes {
			var took time.Duration
			var err error
			if took, keys, grown, err = play(watching, true); err != nil {
				return err
			}
			least = min(least, took)
		}
		own := max(least-bare, 0)
		row := b.sheet.row("cost", name)
		row("us a round", fmt.Sprintf("%.1f", float64(own.Nanoseconds())/1000))
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

// kernelTime is what the odds of a round take, microseconds.
func kernelTime(b *bench) float64 {
	law, _ := b.offers.books["ny-5324-21"].Law(rules.Minibaccarat)
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
