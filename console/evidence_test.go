package console

import (
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/finding"
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

// The title of a finding about a payment has its amounts only if the finding proves that the payment is wrong.
func TestSettlementInTitle(t *testing.T) {
	seats := []seat{{Wagers: []settled{{Wager: store.Wager{Spot: "PLAYER"}}}}, {Wagers: []settled{{
		Wager: store.Wager{
			Spot: "TIE", Stake: 10_00, Expected: "paid", Disposition: "paid", ExpectedPaid: 80_00, Paid: 70_00,
		},
		Subject: true, Wrong: true,
	}}}}
	const wrong = "Tie $10.00 should pay $80.00, was paid $70.00 (short $10.00)"
	for _, x := range []struct {
		rule    string
		verdict finding.Verdict
		want    string
	}{
		{"payout.tie.min-odds", finding.Breach, wrong},
		{"payout.tie.min-odds", finding.Suspect, wrong},
		{"payout.tie.min-odds", finding.Unauditable, ""},
		{"payout.unsettled", finding.Suspect, ""},
		{"wager.above-maximum", finding.Breach, ""},
	} {
		f := store.Finding{Rule: x.rule, Verdict: string(x.verdict)}
		if got := settlement(&f, seats, "USD"); got != x.want {
			t.Errorf("%s %s has the title %q, want %q", x.verdict, x.rule, got, x.want)
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
