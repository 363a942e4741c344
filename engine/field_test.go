package engine_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// altered folds a table again for each field of each payload that change alters (which reports whether it did), and
// expects no accusation: what is not known is UNAUDITABLE, or the record is a dead letter. The short form tries the
// first of each field and one in a hundred.
func altered(t *testing.T, change func(name string, v reflect.Value) bool) {
	type alteration struct {
		at   int
		what string
		ev   schema.Event
	}
	stride, times := enginetest.Stride(101, 1), map[string]int{}
	tables := legalTables(t, 3)
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		var list []alteration
		for i, of := range tables[name] {
			for k := range reflect.TypeOf(of.Payload).Elem().NumField() {
				ev := of.Clone()
				p := reflect.ValueOf(ev.Payload).Elem()
				what := fmt.Sprintf("%v.%s", ev.Payload.Kind(), p.Type().Field(k).Name)
				if p.Field(k).IsZero() || !change(p.Type().Field(k).Name, p.Field(k)) {
					continue
				}
				if times[what]++; times[what]%stride == 1%stride {
					list = append(list, alteration{i, what, ev})
				}
			}
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values := enginetest.Encode(tables[name])
			for _, a := range list {
				for _, f := range findingsOf(values[:a.at], enginetest.Encode([]schema.Event{a.ev}), values[a.at+1:]) {
					if f.Verdict == "BREACH" {
						t.Errorf("%s of event %d: %s", a.what, a.at+1, line(&f))
					}
				}
			}
		})
	}
}

// A card that was not read accuses no one.
func TestUnreadCards(t *testing.T) {
	altered(t, func(_ string, v reflect.Value) bool {
		switch x := v.Addr().Interface().(type) {
		case *string:
			if len(*x) == 2 && *x != "??" {
				*x = "??"
				return true
			}
		case *[]string:
			if len(*x) > 0 && len((*x)[0]) == 2 {
				*x = slices.Repeat([]string{"??"}, len(*x))
				return true
			}
		}
		return false
	})
}

// Nor does a word, a name or a seat that is not reported. A missing number or boolean equals 0 or false.
func TestFieldsThatAreMissing(t *testing.T) {
	altered(t, func(name string, v reflect.Value) bool {
		if name == "BatchID" || v.Kind() != reflect.Uint8 && v.Kind() != reflect.String && name != "Seat" &&
			name != "BySeat" && name != "CardSeq" {
			return false
		}
		v.SetZero()
		return true
	})
}

// Nor does an envelope that is not filled in.
func TestEnvelopesThatAreMissing(t *testing.T) {
	for name, events := range legalTables(t, 3) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values := enginetest.Encode(events)
			for part, empty := range map[string]func(*schema.Event){
				"actor":   func(ev *schema.Event) { ev.Actor = schema.Actor{} },
				"source":  func(ev *schema.Event) { ev.Source = schema.Source{} },
				"shoe_id": func(ev *schema.Event) { ev.ShoeID = "" }, "round": func(ev *schema.Event) { ev.Round = 0 },
			} {
				for i := len(part) % enginetest.Stride(201, 1); i < len(events); i += enginetest.Stride(201, 1) {
					ev := events[i].Clone()
					empty(&ev)
					for _, f := range findingsOf(values[:i], enginetest.Encode([]schema.Event{ev}), values[i+1:]) {
						if f.Verdict == "BREACH" {
							t.Errorf("%v %d without %s: %s", ev.Payload.Kind(), i+1, part, line(&f))
						}
					}
				}
			}
		})
	}
}

// An unread card in one round hides nothing in another but what rests on who won it, and brings no bystander.
func TestFaultBesideAnUnreadCard(t *testing.T) {
	for i, broken := range fault.All() {
		if enginetest.Skips(i) {
			continue
		}
		for _, before := range []uint32{1, 3} {
			t.Run(fmt.Sprint(broken.Rule, " ", before), func(t *testing.T) {
				t.Parallel()
				// Suivi is for who lost the round before; whether cards are dealt on depends on what the round before lacked.
				rests := before == 1 &&
					(strings.HasPrefix(broken.Rule, "chemin.suivi.") || broken.Rule == "irreg.insufficient.reshuffle-first")
				for seed, tried := enginetest.Seeds(i, 1, 20)[0], 0; seed < 30 &&
					tried < enginetest.Soak(1, 20); seed++ {
					events, want, err := fault.Plant(deal.Options{}, broken, seed)
					if err != nil {
						t.Fatal(err)
					}
					at := slices.IndexFunc(events, func(ev schema.Event) bool {
						_, dealt := ev.Payload.(*schema.CardDealt)
						return dealt && ev.Round+before == want[0].Round
					})
					if at < 0 || broken.Off {
						continue
					}
					tried++
					ev := events[at].Clone()
					ev.Payload.(*schema.CardDealt).Card = "??"
					events[at] = ev
					found := false
					for _, f := range findingsOf(enginetest.Encode(events)) {
						is := func(w fault.Want) bool { return w.Rule == f.Rule && w.Round == f.Round }
						found = found || is(want[0]) || rests && f.Rule == broken.Rule && f.Verdict == "UNAUDITABLE"
						if f.Verdict == "BREACH" && f.Severity != finding.Info && !slices.ContainsFunc(want, is) {
							t.Errorf("seed %d: bystander: %s", seed, line(&f))
						}
					}
					if !found {
						t.Errorf("seed %d: round %d, card of event %d unread: not found", seed, want[0].Round, at+1)
					}
				}
			})
		}
	}
}
