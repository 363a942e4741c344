package engine_test

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/internal/scenario"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
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

// Each field of the configuration of each fixture is left out, and each entry of its lists and maps; texts and numbers
// also get an unknown word. The audit must report something, or no rule of the rulebook reads the field. What is left
// out accuses no one, except of a side bet that is not on a list that has others: it is not on offer.
func TestConfigurationFields(t *testing.T) {
	eachFixture(t, func(t *testing.T, events []schema.Event) {
		at := slices.IndexFunc(
			events, func(ev schema.Event) bool { return ev.Payload.Kind() == schema.KindTableOpened },
		)
		whole, l := reportedOf(t, events), lawOf(t, events)
		for field := range fieldChanges(&events[at].Payload.(*schema.TableOpened).Config) {
			changed := slices.Clone(events)
			changed[at] = events[at].Clone()
			config := &changed[at].Payload.(*schema.TableOpened).Config
			mode := config.Vigorish.Mode
			field.change(config)
			found := reportedOf(t, changed)
			if subset(found, whole) && !unread(l, field.name, mode) {
				t.Errorf("%s: no finding", field.name)
			}
			accused := slices.ContainsFunc(found, func(s string) bool { return strings.HasPrefix(s, "BREACH") })
			listed := strings.HasPrefix(field.name, "SideBets/") && len(config.SideBets) > 0
			if field.left && accused && !listed {
				t.Errorf("%s: %v", field.name, found)
			}
		}
	})
}

// fieldChange is a change of a field of a configuration: it is left out, or gets an unknown word.
type fieldChange struct {
	name   string
	left   bool
	change func(*schema.TableConfig)
}

// unread reports whether no rule of a law reads a field of a configuration with this kind of vigorish.
func unread(l *law.Law, name string, mode schema.VigorishMode) bool {
	field, entry, _ := strings.Cut(strings.TrimSuffix(name, " unknown"), "/")
	has := func(rule string) bool { _, ok := l.Cited(rule); return ok }
	switch field {
	case "ConfigID", "Vigorish.Unit", "Vigorish.Timing": // a name; what follows from the rulebook
		return true
	case "Decks", "Seats": // the loaded shoe and the occupied seats count
		return entry != "" || strings.HasSuffix(name, "unknown")
	case "Vigorish.Mode":
		return len(l.Modes) == 0
	case "PaymentProcedure":
		return mode != schema.VigorishModeCommission || !has("order.procedure-elected")
	case "DealingStyle":
		return !has("deal.style-consistent")
	case "PostedOdds":
		return !l.Odds[baccarat.ParseSpot(entry)].Floor
	case "Feeds":
		feed := schema.ParseFeed(entry)
		return !slices.ContainsFunc(rules.All(), func(r *rules.Rule) bool {
			return has(r.Name) && r.Needs&(1<<feed) != 0
		})
	}
	return false
}

// fieldChanges are the changes of the fields that a configuration has.
func fieldChanges(c *schema.TableConfig) iter.Seq[fieldChange] {
	return func(yield func(fieldChange) bool) {
		fieldsOf("", reflect.ValueOf(c).Elem(), nil, func(name string, v reflect.Value, path []int) {
			of := func(c *schema.TableConfig) reflect.Value { return reflect.ValueOf(c).Elem().FieldByIndex(path) }
			yield(fieldChange{name, true, func(c *schema.TableConfig) { of(c).SetZero() }})
			switch v.Kind() {
			case reflect.String:
				yield(fieldChange{name + " unknown", false, func(c *schema.TableConfig) { of(c).SetString("xx") }})
			case reflect.Uint32:
				yield(fieldChange{name + " unknown", false, func(c *schema.TableConfig) { of(c).SetUint(99) }})
			case reflect.Slice:
				for k := range v.Len() {
					yield(fieldChange{fmt.Sprint(name, "/", v.Index(k)), true, func(c *schema.TableConfig) {
						list := of(c)
						list.Set(reflect.AppendSlice(list.Slice(0, k), list.Slice(k+1, list.Len())))
					}})
				}
			case reflect.Map:
				for _, key := range v.MapKeys() {
					yield(fieldChange{fmt.Sprint(name, "/", key), true, func(c *schema.TableConfig) {
						of(c).SetMapIndex(key, reflect.Value{})
					}})
				}
			}
		})
	}
}

// fieldsOf walks the fields that are not empty, also within structs.
func fieldsOf(prefix string, v reflect.Value, path []int, visit func(string, reflect.Value, []int)) {
	for i := range v.NumField() {
		name, field, at := prefix+v.Type().Field(i).Name, v.Field(i), append(slices.Clone(path), i)
		switch {
		case field.Kind() == reflect.Struct:
			fieldsOf(name+".", field, at, visit)
		case !field.IsZero():
			visit(name, field, at)
		}
	}
}
