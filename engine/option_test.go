package engine_test

import (
	"testing"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/script"
)

// An option that the rulebook does not leave to the house has no effect, and a notice reports it.
func TestOptionsOfTheHouse(t *testing.T) {
	events, err := script.Fixture("S-PB")
	if err != nil {
		t.Fatal(err)
	}
	for i := range events {
		if p, ok := events[i].Payload.(*schema.TableOpened); ok {
			p.Config.Options = map[string]string{"vig_fraction": "ceil_minor", "recut_by": "next-entitled"}
		}
	}
	findings := replay(t, events).Findings
	if len(findings) != 1 || findings[0].Rule != "feed.option" || findings[0].Kind != "notice" ||
		findings[0].Verdict != "INFO" {
		t.Errorf("findings %+v, want one notice of vig_fraction", findings)
	}
}
