package nightly

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/engine/calendar"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
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
		why = fmt.Sprintf("%s of gaming day %s arrived after run %s began", schema.Count(late, "event"), day, first.ID)
	}
	for i := 0; i < len(runs) && why == "" && err == nil; i++ {
		why, err = foundSince(ctx, store, &runs[i])
	}
	return runs, why, err
}

// foundSince describes that findings were added, changed or deleted after a run, empty if none were.
func foundSince(ctx context.Context, store *clickhouse.Store, run *clickhouse.AuditRun) (string, error) {
	if run.Found == "" {
		return "", nil
	}
	now, err := store.FoundSum(ctx, run.Property, run.GamingDay, run.Shift)
	if err != nil || now == run.Found {
		return "", err
	}
	return fmt.Sprintf("the findings of gaming day %s are others than run %s left behind", run.GamingDay, run.ID), nil
}

// Missing returns the gaming days, in order, of the last five weeks that are over, have events, and that no finished
// run covers.
func Missing(ctx context.Context, db *clickhouse.Store, of *calendar.Calendar, property string, now time.Time) (
	missing []string, err error,
) {
	clock := func() time.Time { return now }
	if err := nameRuns(ctx, store.On(db, clock), property, clock); err != nil {
		return nil, err
	}
	for _, day := range Recent(of, now) {
		_, why, err := Covering(ctx, db, of, property, day)
		if err != nil {
			return nil, err
		}
		if why != "" {
			missing = append(missing, day)
		}
	}
	return missing, nil
}

// nameRuns names the runs of earlier releases, which did not log them, in the console log. It does so once: from then
// on a run without an entry covers no day.
func nameRuns(ctx context.Context, log *store.Store, property string, now func() time.Time) error {
	sums, err := log.RunsBefore(ctx, property)
	var entries []store.Entry
	for some := range slices.Chunk(sums, 200) {
		entries = append(entries, entry(property, rows.RunsBegin, "", "sha256 "+strings.Join(some, " "), now()))
	}
	if err == nil && len(entries) > 0 {
		err = log.Log(ctx, entries...)
	}
	return err
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
