package engine_test

import (
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/internal/scenario"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/script"
)

// Each field of a configuration that is left out or has an unknown word gives a finding or an UNAUDITABLE; an unknown
// word of an enum is refused by the decoder, and the lost event is a gap. The fields that are not in the list are
// dispensable: config_id is a name, vigorish.unit and vigorish.timing follow from the rulebook, limits and booleans
// have a meaning when they are absent, and no feeds means the basic ones.
func TestConfigurationsAreNotSilent(t *testing.T) {
	for name, leave := range map[string]func(*schema.TableConfig){
		"ruleset":                 func(c *schema.TableConfig) { c.Ruleset = "" },
		"ruleset unknown":         func(c *schema.TableConfig) { c.Ruleset = "xx" },
		"game":                    func(c *schema.TableConfig) { c.Game = 0 },
		"currency":                func(c *schema.TableConfig) { c.Currency = "" },
		"decks":                   func(c *schema.TableConfig) { c.Decks = 0 },
		"seats":                   func(c *schema.TableConfig) { c.Seats = nil },
		"vigorish":                func(c *schema.TableConfig) { c.Vigorish = schema.Vigorish{} },
		"vigorish.mode":           func(c *schema.TableConfig) { c.Vigorish.Mode = 0 },
		"vigorish.percent":        func(c *schema.TableConfig) { c.Vigorish.Percent = 0 },
		"payment_procedure":       func(c *schema.TableConfig) { c.PaymentProcedure = 0 },
		"payment_procedure 7":     func(c *schema.TableConfig) { c.PaymentProcedure = 7 },
		"side_bets":               func(c *schema.TableConfig) { c.SideBets = nil },
		"pay_tables":              func(c *schema.TableConfig) { c.PayTables = nil },
		"pay_tables unknown":      func(c *schema.TableConfig) { c.PayTables = map[string]string{"dragon_bonus": "Z"} },
		"posted_odds":             func(c *schema.TableConfig) { c.PostedOdds = nil },
		"posted_odds unknown":     func(c *schema.TableConfig) { c.PostedOdds["LUCKY"] = "1:1" },
		"dealing_style":           func(c *schema.TableConfig) { c.DealingStyle = 0 },
		"options unknown":         func(c *schema.TableConfig) { c.Options = map[string]string{"lucky": "true"} },
		"options, unknown values": func(c *schema.TableConfig) { c.Options = map[string]string{"recut_by": "lucky"} },
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			events, err := script.Fixture("S-NYDB")
			if err != nil {
				t.Fatal(err)
			}
			for i := range events {
				if p, ok := events[i].Payload.(*schema.TableOpened); ok {
					leave(&p.Config)
				}
			}
			b := &rows.Set{}
			replayInto(t, enginetest.Options(), events, b)
			if len(b.Findings) == 0 {
				t.Error("no finding")
			}
			t.Log(scenario.Text(b.Findings))
		})
	}
}
