package console

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console/store"
)

const (
	slotLength = 10 * time.Minute
	slots      = 72 // 12 hours
	// floodAbove is the number of alarms in ten minutes above which ISA-18.2 defines a flood.
	floodAbove = 10
	barHeight  = 120
)

// bar is the alarms of ten minutes in a drawing.
type bar struct {
	store.Slot
	X, Y, H int
	Flood   bool
}

// alarmFigures are the figures of the page of alarm rates, with the time of their query.
type alarmFigures struct {
	at        time.Time
	slots     []store.Slot
	responses []store.ResponseTime
	noisy     []store.RuleCount
}

func (c *Console) alarmFigures(x *exchange) (alarmFigures, error) {
	scope, key := x.scope(), fmt.Sprintf("rates %#v", x.scope())
	return cached(x.r.Context(), &c.figures, key, figuresTTL, func(ctx context.Context) (alarmFigures, error) {
		f := alarmFigures{at: c.Now()}
		week := f.at.AddDate(0, 0, -7)
		var all errgroup.Group
		fetch(&all, &f.slots, func() ([]store.Slot, error) {
			return c.Store.AlarmRate(ctx, scope, f.at.Add(-slots*slotLength))
		})
		fetch(&all, &f.responses, func() ([]store.ResponseTime, error) { return c.Store.ResponseTimes(ctx, scope, week) })
		fetch(&all, &f.noisy, func() ([]store.RuleCount, error) { return c.Store.NoisyRules(ctx, scope, week) })
		err := all.Wait()
		return f, err
	})
}

func ratesPage(c *Console, x *exchange) error {
	f, err := c.alarmFigures(x)
	if err != nil {
		return err
	}
	highest, floods, total := uint64(12), 0, uint64(0)
	for _, s := range f.slots {
		highest = max(highest, s.Alarms)
		total += s.Alarms
	}
	var bars []bar
	for _, s := range f.slots {
		i := slots - 1 - int(f.at.Truncate(slotLength).Sub(s.At)/slotLength)
		b := bar{Slot: s, X: 10 * i, H: max(2, int(barHeight*s.Alarms/highest)), Flood: s.Alarms > floodAbove}
		b.Y = barHeight - b.H
		if b.Flood {
			floods++
		}
		if i >= 0 {
			bars = append(bars, b)
		}
	}
	// The times below the bars, every two hours.
	var hours []bar
	begin := f.at.Truncate(slotLength).Add(-(slots - 1) * slotLength)
	for i := 6; i < slots; i += 12 {
		hours = append(hours, bar{Slot: store.Slot{At: begin.Add(time.Duration(i) * slotLength)}, X: 10 * i})
	}
	return x.page("rates", "Alarm rates", map[string]any{
		"Hours": hours, "FloodAbove": floodAbove,
		"At": f.at, "Bars": bars, "Highest": highest, "FloodY": barHeight - int(barHeight*floodAbove/highest),
		"Floods": floods, "Total": total, "PerHour": float64(total) / 12, "Responses": f.responses, "Noisy": f.noisy,
	})
}
