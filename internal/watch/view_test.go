package watch

import (
	"testing"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/engine/calendar"
	"github.com/shoeproof/shoeproof/engine/facts"
	"github.com/shoeproof/shoeproof/engine/order"
	engineplay "github.com/shoeproof/shoeproof/engine/play"
	"github.com/shoeproof/shoeproof/engine/suspicion"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/script"
)

// A round counts for the detectors of stored rounds as it counted for the detectors of the stream.
func TestStoredRoundsCountAsLiveOnes(t *testing.T) {
	books, err := rules.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	days, err := calendar.Default()
	if err != nil {
		t.Fatal(err)
	}
	irregular := 0
	for _, name := range script.Fixtures() {
		events, err := script.Fixture(name)
		if err != nil {
			t.Fatal(err)
		}
		queue, table := order.Queue{}, engineplay.New("ac-1", name, books)
		clock := calendar.Clock{Calendar: &days}
		live := suspicion.Table{
			Play: table, Log: &queue.Log, Clock: clock, Budget: detectors.DefaultBudget(),
			Rekey: func(mask, _ string) string { return mask },
		}
		into := facts.Table{Play: table, Log: &queue.Log, Clock: clock}
		watch := newWatcher(nil, Options{})
		settled := func(s *engineplay.Shoe, r *record.Round, at int64) {
			out := rows.Set{}
			view := live.Round(s, r, &out)
			into.Round(s, r, at, view, &out)
			stored := clickhouse.PlayedRound{
				Round: r.No, Result: out.Rounds.Result[0], Cards: string(out.Rounds.Cards.At(0)),
				Auditable: out.Rounds.Auditable[0], Irregular: out.Rounds.Irregular[0],
			}
			under := terms{law: s.Law, config: r.Config, offer: view.Offer}
			if again := watch.round(&stored, &under, false); again.Played != view.Played {
				t.Errorf("%s round %d, cards %s: counts %v live, %v as stored",
					name, r.No, stored.Cards, view.Played, again.Played)
			}
			if stored.Irregular {
				irregular++
			}
		}
		for i := range events {
			for item := range queue.Receive(&events[i], [32]byte{byte(i), byte(i >> 8)}, false) {
				if item.Kind != order.Event {
					continue
				}
				for stage := range table.Apply(item.Event) {
					if stage.Kind == engineplay.Settled {
						settled(stage.Shoe, stage.Round, item.Event.At)
					}
				}
			}
		}
	}
	if irregular == 0 {
		t.Error("no round of the fixtures is irregular")
	}
}
