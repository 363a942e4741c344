package engine_test

import (
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/script"
)

// Each event of each legal fixture is left out in turn, and the events are numbered again, so that no gap shows it. All
// feeds are declared. The audit must report something that it does not report of the whole table, or the kind is on the
// list of dispensable events.
func TestLeavingOut(t *testing.T) {
	for _, name := range script.Fixtures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events, err := script.Fixture(name)
			if err != nil {
				t.Fatal(err)
			}
			whole := reportedOf(t, events)
			times, silent := map[schema.Kind]int{}, map[schema.Kind]int{}
			for i := range events {
				kind := events[i].Payload.Kind()
				if times[kind]++; times[kind]%enginetest.Stride(1, 1) != 1%enginetest.Stride(1, 1) {
					continue
				}
				if dispensable[kind] != "" {
					continue
				}
				if more := reportedOf(t, without(events, i)); !subset(more, whole) {
					continue
				}
				if holes[kind] == "" {
					t.Errorf("%v (event %d, round %d) is left out in silence", kind, i+1, events[i].Round)
				}
				silent[kind]++
			}
			for kind, n := range silent {
				t.Logf("known hole: %v left out in silence %d times, owner %s", kind, n, holes[kind])
			}
		})
	}
}

// dispensable are the kinds of event that a legal table may leave out, with the reason. docs/events.md has the same
// list.
var dispensable = map[schema.Kind]string{
	schema.KindTableClosed:           "the table may still be open",
	schema.KindShoeEnded:             "closing the table ends the shoe; before another shoe it is feed.shoe-ended",
	schema.KindRoundEnded:            "round_voided ends a round too; without both it is feed.round-ended",
	schema.KindCutcardSeen:           "the shoe may have ended, closed or been voided earlier",
	schema.KindVigorishMarkerRemoved: "no clause says when a marker is taken off after its vigorish was collected",
	schema.KindNoticeFiled:           "a notice is due only for a change that follows it",
	schema.KindSeatOccupied:          "the patron may not have been there; a wager of the seat names its patron",
	schema.KindSeatVacated:           "the patron may still be there",
	schema.KindBancoAnnounced:        "a patron may wager the whole amount without the call",
	schema.KindDeviceReported:        "no rule uses it",
}

// holes are the kinds that are still left out in silence, with who closes the hole.
var holes = map[schema.Kind]string{
	schema.KindDeckReceived:    "preparation",
	schema.KindCardsSpread:     "preparation: lawful in New York",
	schema.KindCardsStacked:    "preparation: lawful in New York",
	schema.KindCardsVerified:   "preparation: lawful in New York",
	schema.KindCardsViewed:     "preparation: lawful in New York",
	schema.KindCardsWashed:     "preparation: lawful in New York",
	schema.KindShoeCut:         "preparation",
	schema.KindShoeLaced:       "preparation",
	schema.KindShoeTransposed:  "preparation",
	schema.KindCutOffered:      "preparation",
	schema.KindCutcardPlaced:   "preparation: lawful in New York",
	schema.KindLayoutAttested:  "preparation: lawful where no rule of the rulebook needs the item",
	schema.KindCuratorOffered:  "dealing: lawful where the shoe was handed over",
	schema.KindCuratorAssigned: "dealing",
	schema.KindCuratorPassed:   "dealing",
	schema.KindBidOffered:      "dealing: lawful for later banks",
	schema.KindBankerAssigned:  "dealing",
	schema.KindAnnounced:       "dealing: lawful where the text asks for no call",
	schema.KindDealInstructed:  "dealing: lawful where the dealer deals, and after a natural",
	schema.KindCardMoved:       "dealing",
	schema.KindCardsHanded:     "dealing",
	schema.KindDiscardPlaced:   "dealing: lawful in New Jersey",
	schema.KindWagerCollected:  "settlement: the Banker of chemin de fer",
	schema.KindWagerPaid:       "settlement: the Banker of chemin de fer",
	schema.KindWagerReturned:   "settlement: the Banker of chemin de fer",
}

// without is the table without an event, numbered again.
func without(events []schema.Event, at int) []schema.Event {
	out := slices.Delete(slices.Clone(events), at, at+1)
	for i := at; i < len(out); i++ {
		out[i].Seq--
	}
	return out
}

// reportedOf are the findings of a table, without what numbers change.
func reportedOf(t *testing.T, events []schema.Event) []string {
	t.Helper()
	var out []string
	for _, f := range replay(t, events).Findings {
		out = append(out, string(f.Verdict)+" "+f.Rule)
	}
	slices.Sort(out)
	return out
}

func subset(part, of []string) bool {
	return !slices.ContainsFunc(part, func(s string) bool { return !slices.Contains(of, s) })
}
