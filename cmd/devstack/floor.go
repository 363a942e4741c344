//go:build unix

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/pipeline/kafka"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/cheat"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// property is the casino of the floor.
const property = "demo"

// floorOptions configure a floor.
type floorOptions struct {
	tables int
	seed   uint64
	// every is n if every nth table breaks one rule; 0 for none.
	every int
	// shoes of each legal table; 0 without end.
	shoes int
	start time.Time
}

// newLiveFloor returns tables that have played for a while at now and play without end: legal tables, some that break a
// rule after a while, two with a cheat, and one whose feed has stopped.
func newLiveFloor(seed uint64, now time.Time) (*floor, error) {
	f := &floor{}
	kinds, faults := deal.Kinds(), faultsByClarity()
	for i := range 18 {
		p := &player{id: fmt.Sprintf("live-%02d", i+1)}
		so := deal.Options{
			Property: property, Pit: fmt.Sprintf("q%d", 1+i/9), Table: p.id, Seed: seed*5000 + uint64(i),
			Start: now.Add(-40*time.Minute + time.Duration(i)*73*time.Second),
		}
		if i%3 == 2 && i < 15 {
			broken := faults[(i/3*2+1)%len(faults)]
			so.Start = now.Add(-time.Duration(20-3*i/2) * time.Minute)
			events, want, err := fault.Plant(so, broken, so.Seed)
			if err != nil {
				return nil, fmt.Errorf("table %s: %w", p.id, err)
			}
			p.rest = events
			f.planted = append(f.planted, planted{p.id, broken.Doc, want})
			f.tables = append(f.tables, p)
			continue
		}
		switch i {
		case 15, 16:
			c, err := cheat.Find([]string{"s3-40", "s3-20"}[i-15])
			if err != nil {
				return nil, err
			}
			so.Start = now.Add(-5 * time.Hour)
			p.play(cheat.NewTable(so, cheat.Options{Cheat: c}).Table, 0)
		default:
			config, err := deal.Config(kinds[i%len(kinds)], so.Seed)
			if err != nil {
				return nil, err
			}
			so.Config = config
			p.play(deal.NewTable(so), 0)
		}
		if i == 17 { // its feed ends in the middle of a shoe
			p.rest = append(p.rest, p.more()[:300]...)
			p.more = nil
		}
		f.tables = append(f.tables, p)
	}
	return f, nil
}

// floor is a set of tables whose events are merged by time.
type floor struct {
	tables  []*player
	planted []planted
}

// player is one table.
type player struct {
	id    string
	rest  []schema.Event
	more  func() []schema.Event // nil at the end
	shoes int                   // that it plays in all, 0 without end
}

// planted is a fault with the findings that it must cause.
type planted struct {
	table, doc string
	want       []fault.Want
}

func newFloor(o floorOptions) (*floor, error) {
	f := &floor{}
	kinds, faults := deal.Kinds(), faultsByClarity()
	for i := range o.tables {
		p := &player{id: fmt.Sprintf("t-%02d", i+1)}
		so := deal.Options{
			Property: property, Pit: fmt.Sprintf("p%d", 1+i/8), Table: p.id, Seed: o.seed*1000 + uint64(i),
			Start: o.start.Add(time.Duration(i) * 7 * time.Second),
		}
		if o.every > 0 && i%o.every == o.every-1 {
			broken := faults[(int(o.seed)+len(f.planted))%len(faults)]
			events, want, err := fault.Plant(so, broken, so.Seed)
			if err != nil {
				return nil, fmt.Errorf("table %s: %w", p.id, err)
			}
			p.rest, p.shoes = events, shoesIn(events)
			f.planted = append(f.planted, planted{p.id, broken.Doc, want})
		} else {
			config, err := deal.Config(kinds[i%len(kinds)], so.Seed)
			if err != nil {
				return nil, err
			}
			so.Config = config
			p.play(deal.NewTable(so), o.shoes)
		}
		f.tables = append(f.tables, p)
	}
	return f, nil
}

// faultsByClarity returns the faults, the ones that need no explanation first.
func faultsByClarity() []fault.Fault {
	first := []string{
		"draw.banker.must-stay", "vig.outstanding-at-reshuffle", "outcome.banker-wager", "payout.tie.min-odds",
		"wager.after-no-more-bets",
		"draw.player.third-card", "vig.amount.under", "shoe.burn.count", "deal.initial-order",
	}
	rank := func(f fault.Fault) int {
		if i := slices.Index(first, f.Rule); i >= 0 {
			return i
		}
		return len(first)
	}
	faults := fault.All()
	slices.SortStableFunc(faults, func(a, b fault.Fault) int { return rank(a) - rank(b) })
	return faults
}

func (p *player) play(t *deal.Table, shoes int) {
	p.rest, p.shoes = t.Open(), shoes
	played := 0
	p.more = func() []schema.Event {
		played++
		switch {
		case shoes == 0 || played <= shoes:
			return t.Shoe()
		case played == shoes+1:
			return t.Close()
		}
		return nil
	}
}

func shoesIn(events []schema.Event) int {
	seen := map[string]bool{}
	for i := range events {
		if events[i].ShoeID != "" {
			seen[events[i].ShoeID] = true
		}
	}
	return len(seen)
}

// shoes is the number of shoes that are played in all.
func (f *floor) shoes() int {
	n := 0
	for _, p := range f.tables {
		n += p.shoes
	}
	return n
}

// next returns the next event of the floor, if it happens before a time; over is the end of play.
func (f *floor) next(before int64) (ev schema.Event, ok, over bool) {
	var first *player
	for _, p := range f.tables {
		if len(p.rest) == 0 && p.more != nil {
			if p.rest = p.more(); len(p.rest) == 0 {
				p.more = nil
			}
		}
		if len(p.rest) > 0 && (first == nil || p.rest[0].At < first.rest[0].At) {
			first = p
		}
	}
	if first == nil {
		return ev, false, true
	}
	if ev = first.rest[0]; ev.At > before {
		return ev, false, false
	}
	first.rest = first.rest[1:]
	return ev, true, false
}

// publish writes the floor's events as they happen, at a multiple of real time, and calls published after each batch.
// It returns at the end of play, or when ctx is done.
func (f *floor) publish(
	ctx context.Context, w *kafka.Writer, start time.Time, speed float64, published func(events int),
) error {
	const maxBatch = 4000
	began := time.Now()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	batch := make([]schema.Event, 0, maxBatch)
	for {
		before := start.Add(time.Duration(float64(time.Since(began)) * speed)).UnixNano()
		over := false
		for batch = batch[:0]; len(batch) < maxBatch; {
			ev, ok, end := f.next(before)
			if over = end; !ok {
				break
			}
			batch = append(batch, ev)
		}
		if len(batch) > 0 {
			if err := w.Write(ctx, batch...); err != nil {
				if ctx.Err() != nil {
					return nil
				}
				return err
			}
			published(len(batch))
		}
		if over {
			return nil
		}
		if len(batch) == maxBatch {
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
