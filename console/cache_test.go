package console

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
)

// Figures are refreshed in the background, without delay for a request, and are never older than twice their TTL. The
// queries of the background yield; no request waits for them.
func TestFiguresRefreshInBackground(t *testing.T) {
	now := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	c := &cache{now: func() time.Time { return now }, background: make(chan func(), 1)}
	queries, yields := 0, false
	var during func() // a query, once
	get := func(after time.Duration, want int) {
		t.Helper()
		now = now.Add(after)
		got, err := cached(t.Context(), c, "figures", 30*time.Second, func(ctx context.Context) (int, error) {
			queries++
			query := queries
			if do := during; do != nil {
				during = nil
				do()
			}
			yields = reflect.DeepEqual(ctx, store.Background(context.WithoutCancel(t.Context())))
			return query, nil
		})
		if err != nil || got != want {
			t.Errorf("at %v: %d, %v, want %d", now, got, err, want)
		}
	}
	get(0, 1)
	get(29*time.Second, 1)
	get(2*time.Second, 1) // old; a refresh is queued
	get(time.Second, 1)   // queued once
	before := yields
	(<-c.background)()
	if before || !yields {
		t.Errorf("the query of a request yields: %v, that of the background: %v", before, yields)
	}
	get(0, 2)
	get(31*time.Second, 2)
	get(30*time.Second, 3) // no refresh ran: too old
	(<-c.background)()
	get(0, 3) // the queued refresh is obsolete
	get(31*time.Second, 3)
	during = func() { get(30*time.Second, 5) } // too old while its refresh runs, which yields
	(<-c.background)()
	if queries != 5 || !yields {
		t.Errorf("%d queries, want 5; the last yields: %v", queries, yields)
	}
}
