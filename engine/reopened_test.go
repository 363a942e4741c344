package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// reopens are the events of a table that plays a day as one kind, and opens on the next as another. The edit may change
// the events of each day.
func reopens(t *testing.T, kinds [2]string, seed uint64, edit func(day int, events []schema.Event) []schema.Event) []schema.Event {
	t.Helper()
	var all []schema.Event
	for day, kind := range kinds {
		config, err := deal.Config(kind, seed+uint64(day))
		if err != nil {
			t.Fatal(err)
		}
		table := deal.NewTable(deal.Options{
			Table: "t-1", Config: config, Seed: seed + uint64(day), Start: time.Date(2026, 11, 19+day, 15, 0, 0, 0, time.UTC),
		})
		for _, ev := range edit(day, slices.Concat(table.Open(), table.ShoeOf(8), table.ShoeOf(4), table.Close())) {
			ev.Seq, ev.EventID = uint64(len(all))+1, fmt.Sprint("e-", len(all))
			all = append(all, ev)
		}
	}
	return all
}

// A table closes and opens again as another kind of table, without a notice. What another game elected is no change of
// this one; what the same game elects otherwise is one, and lacks its notice.
func TestReopensAsAnotherKind(t *testing.T) {
	games := map[string]baccarat.Game{}
	for _, kind := range deal.Kinds() {
		config, err := deal.Config(kind, 1)
		if err != nil {
			t.Fatal(err)
		}
		game := baccarat.Game(config.Game)
		if game == baccarat.Midibaccarat {
			game = baccarat.Minibaccarat // 9 NYCRR 5324.21 is about both
		}
		games[kind] = game
	}
	notices := []string{
		"shuffle.option-notice", "vig.notice.increase", "vig.notice.type-change", "paytable.dragon-bonus.notice",
	}
	lacking := 0
	for i, before := range deal.Kinds() {
		t.Run(before, func(t *testing.T) {
			for _, kind := range deal.Kinds() {
				seed := enginetest.Seeds(i, 1, 4)[0] * 2
				events := reopens(t, [2]string{before, kind}, seed, func(_ int, events []schema.Event) []schema.Event {
					return events
				})
				found := slices.DeleteFunc(replay(t, events).Findings, func(f finding.Finding) bool {
					same := games[before] == games[kind] && slices.Contains(notices, f.Rule)
					if same {
						lacking++
					}
					return same
				})
				if f := accusation(found); f != nil {
					t.Errorf("%s, seed %d: %s", kind, seed, line(f))
				}
			}
		})
	}
	if lacking == 0 {
		t.Error("no change of a game lacks its notice")
	}
}
