package enginetest

import (
	"reflect"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// TextCanary is a patron's name in each free text of PlantText.
const TextCanary = "Eleanor CANARY"

// notText are the strings of the contract that are no free text: identifiers, cards, and words of a configuration.
var notText = []string{
	"ActorID", "AttestedBy", "BatchID", "BoxID", "Card", "Cards", "Currency", "DealerID", "Extra", "FloorpersonID",
	"Indicator", "Item", "Missing", "SlipNo", "SupervisorID", "VerifierID", "WagerID", "WagerIDs", "ConfigID", "Ruleset",
}

// PlantText puts the canary into each free text of a payload, found by reflection, and returns their number.
func PlantText(p schema.Payload) int { return plant(reflect.ValueOf(p)) }

func plant(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			n += plant(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f, name := v.Field(i), v.Type().Field(i).Name
			switch {
			case slices.Contains(notText, name):
			case f.Kind() == reflect.String:
				f.SetString(TextCanary)
				n++
			case f.Kind() == reflect.Map && f.Type().Elem().Kind() == reflect.String:
				if f.IsNil() {
					f.Set(reflect.MakeMap(f.Type()))
				}
				value := TextCanary
				if name == "PostedOdds" || name == "PostedRows" {
					value = "8:1" // values of another form are refused
				}
				f.SetMapIndex(reflect.ValueOf(TextCanary), reflect.ValueOf(value))
				n++
			default:
				n += plant(f)
			}
		}
	default:
	}
	return n
}
