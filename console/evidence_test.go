package console

import (
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// The text of an event identifies no patron, whatever field of its payload does.
func TestPayloadTextIsMasked(t *testing.T) {
	const canary = "PATRON-CANARY"
	for _, p := range []schema.Payload{
		&schema.SeatOccupied{Seat: 3, PatronRef: canary}, &schema.SeatVacated{Seat: 3, PatronRef: canary},
		&schema.WagerPlaced{WagerID: "w", PatronRef: canary, SpotName: canary},
		&schema.RecutOrdered{ByRole: schema.RolePatron, ByID: canary, Reason: canary},
		&schema.CardsVerified{BatchID: "b", VerifierRole: schema.RolePatron, VerifierID: canary},
		&schema.CuratorPassed{Seat: 2, Ground: canary},
	} {
		ev := schema.Event{Actor: schema.Actor{Role: schema.RolePatron, ID: canary}, Payload: p}
		if line := payloadText(&ev); line == "" || strings.Contains(line, canary) {
			t.Errorf("%s: %q", p.Kind(), line)
		}
	}
}

// Every detector has a display name and a description, and every rule has a description.
func TestEveryRuleHasADescription(t *testing.T) {
	for _, d := range detectors.All() {
		if detectorName(d.ID) == "" || !strings.Contains(docOf(d.ID), d.Observes) {
			t.Errorf("%s has name %q: %q", d.ID, detectorName(d.ID), docOf(d.ID))
		}
	}
	for _, r := range rules.All() {
		if detectorName(r.Name) != "" || docOf(r.Name) != r.Doc {
			t.Errorf("%s has name %q: %q", r.Name, detectorName(r.Name), docOf(r.Name))
		}
	}
	if detectorName("feed.gap") != "" || docOf("nonsense") != "" {
		t.Error("an unknown name has a display name or a description")
	}
}
