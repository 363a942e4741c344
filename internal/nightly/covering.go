package nightly

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/engine/calendar"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// missingDays is how many gaming days back Missing reads.
const missingDays = 35

// Covering returns the finished runs that cover a gaming day: the last run of the whole day, or else the last run of
// each shift. If the runs do not cover the day, why is what is missing. A day without events needs no run.
func Covering(ctx context.Context, store *clickhouse.Store, of *calendar.Calendar, property, day string) (
	runs []clickhouse.AuditRun, why string, err error,
) {
	from, until, err := of.Bounds(day, "")
	if err != nil {
		return nil, "", err
	}
	whole, ok, err := store.LastRun(ctx, property, day, "")
	if err != nil {
		return nil, "", err
	}
	if ok {
		runs = append(runs, whole)
	}
	for _, shift := range of.Shifts {
		if ok {
			break
		}
		run, done, err := store.LastRun(ctx, property, day, shift.Name)
		if err != nil {
			return nil, "", err
		}
		if !done {
			runs = nil
			break
		}
		runs = append(runs, run)
	}
	if len(runs) == 0 {
		tables, err := store.Tables(ctx, property, from, until)
		if err == nil && len(tables) > 0 {
			why = "no finished run covers gaming day " + day
		}
		return nil, why, err
	}
	first := slices.MinFunc(runs, func(a, b clickhouse.AuditRun) int { return a.Started.Compare(b.Started) })
	late, err := store.ArrivedSince(ctx, property, from, until, first.Started)
	if err == nil && late > 0 {
		why = fmt.Sprintf("%d events of gaming day %s arrived after run %s began", late, day, first.ID)
	}
	return runs, why, err
}

// Missing returns the gaming days, in order, of the last five weeks that are over, have events, and that no finished
// run covers.
func Missing(ctx context.Context, store *clickhouse.Store, of *calendar.Calendar, property string, now time.Time) (
	missing []string, err error,
) {
	for _, day := range Recent(of, now) {
		_, why, err := Covering(ctx, store, of, property, day)
		if err != nil {
			return nil, err
		}
		if why != "" {
			missing = append(missing, day)
		}
	}
	return missing, nil
}

// Recent returns the gaming days of the last five weeks that are over, in order.
func Recent(of *calendar.Calendar, now time.Time) (days []string) {
	today, _ := of.Of(now.UnixNano())
	date, err := time.Parse(time.DateOnly, today)
	if err != nil {
		return nil
	}
	for back := missingDays; back > 0; back-- {
		days = append(days, date.AddDate(0, 0, -back).Format(time.DateOnly))
	}
	return days
}
