package console

import (
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// An event told in a line names no patron, wherever its payload could.
func TestToldEventsNameNobody(t *testing.T) {
	const canary = "PATRON-CANARY"
	for _, p := range []schema.Payload{
		&schema.SeatOccupied{Seat: 3, PatronRef: canary}, &schema.SeatVacated{Seat: 3, PatronRef: canary},
		&schema.WagerPlaced{WagerID: "w", PatronRef: canary, SpotName: canary},
		&schema.RecutOrdered{ByRole: schema.RolePatron, ByID: canary, Reason: canary},
		&schema.CardsVerified{BatchID: "b", VerifierRole: schema.RolePatron, VerifierID: canary},
		&schema.CuratorPassed{Seat: 2, Ground: canary},
	} {
		ev := schema.Event{Actor: schema.Actor{Role: schema.RolePatron, ID: canary}, Payload: p}
		if line := tell(&ev); line == "" || strings.Contains(line, canary) {
			t.Errorf("%s: %q", p.Kind(), line)
		}
	}
}

// A detector is named in words, with a sentence; so is every rule explained.
func TestEveryNameIsExplained(t *testing.T) {
	for _, d := range detectors.All() {
		if called(d.ID) == "" || !strings.Contains(docOf(d.ID), d.Looks) {
			t.Errorf("%s is called %q: %q", d.ID, called(d.ID), docOf(d.ID))
		}
	}
	for _, r := range rules.All() {
		if called(r.Name) != "" || docOf(r.Name) != r.Doc {
			t.Errorf("%s is called %q: %q", r.Name, called(r.Name), docOf(r.Name))
		}
	}
	if called("feed.gap") != "" || docOf("nonsense") != "" {
		t.Error("what is neither rule nor detector has a name")
	}
}
