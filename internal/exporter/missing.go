package exporter

import (
	"context"
	"time"

	"github.com/shoeproof/shoeproof/engine/calendar"
	"github.com/shoeproof/shoeproof/internal/nightly"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// Missing returns the gaming days, in order, of the last five weeks that a finished run covers and that were not
// exported since. Days without a run are left to the next export: the run makes them up first.
func Missing(ctx context.Context, store *clickhouse.Store, of *calendar.Calendar, property string, now time.Time) (
	missing []string, err error,
) {
	exports, err := store.Exports(ctx, property)
	if err != nil {
		return nil, err
	}
	newest := map[string]time.Time{}
	for i := range exports {
		if e := &exports[i]; e.At.After(newest[e.GamingDay]) {
			newest[e.GamingDay] = e.At
		}
	}
	for _, day := range nightly.Recent(of, now) {
		runs, why, err := nightly.Covering(ctx, store, of, property, day)
		if err != nil {
			return nil, err
		}
		for i := range runs {
			if why == "" && runs[i].Ended.After(newest[day]) {
				missing = append(missing, day)
				break
			}
		}
	}
	return missing, nil
}
