//go:build unix

package nightly

import (
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// A table whose seq begins again files notices and opens under the numbers of before. Each is a fact of its own.
func TestFactsAfterReset(t *testing.T) {
	store := database(t)
	config, err := deal.Config("nj-mini", 1)
	if err != nil {
		t.Fatal(err)
	}
	var events []schema.Event
	for i := range 2 { // each numbers from 1
		table := deal.NewTable(deal.Options{
			Property: property, Pit: "p-000", Table: "t-000", Seed: uint64(i) + 1, Config: config,
			Start: opens.Add(time.Duration(i) * 6 * time.Hour),
		})
		events = append(append(append(events, table.Open()...), table.Shoe()...), table.Close()...)
	}
	var l log
	l.append(events...)
	ingest(t, store, &l)
	got := night(t, store, nil)
	resets := 0
	for i := range got.Findings {
		if got.Findings[i].Rule == "feed.reset" {
			resets++
		}
	}
	if resets != 1 || len(got.Facts) != 0 {
		t.Errorf("%d resets, facts that differ:\n%s", resets, strings.Join(got.Facts, "\n"))
	}
}
