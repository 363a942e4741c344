package fault

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// negative is the edit that attests that an item is missing from the layout.
func negative(item string) func(*scene) string {
	return editing("set layout_attested item=" + item + ": present=false")
}

func layoutFaults() []Fault {
	pairs, treasures := only("pair-punto", "pair-mini"), only("treasures-punto", "treasures-mini")
	totals := only("total-punto", "total-mini")
	nyMidi := append(nyAll(), midi()...)
	bonus := func(c *schema.TableConfig) { c.SideBets = []schema.SideBet{schema.SideBetBonus} }
	list := []struct {
		rule, item, doc string
		kinds           []string
		tune            func(*schema.TableConfig)
	}{
		{
			"layout.vig-numbered-areas", "vig-areas", "no numbered areas for the vigorish",
			slices.Concat(punto(), njMini(), nyMidi), nil,
		},
		{"layout.ny.minimum", "ny-minimum", "no name, card areas or wager areas", nyMidi, nil},
		{"layout.ny.payout-odds", "payout-odds", "odds neither inscribed nor posted", nyMidi, nil},
		{
			"layout.ny.dragon-bonus-area", "dragon-bonus-area", "no area for the dragon bonus",
			only("ny-dragon-bonus", "ny-midi-bonus"), nil,
		},
		{"layout.ny.ez-areas", "ez-areas", "no areas for dragon 7 and panda 8", only("ny-ez", "ny-midi-ez"), nil},
		{
			"layout.ny.ez-push-notice", "ez-push-notice", "no notice that a dragon 7 pushes",
			only("ny-ez", "ny-midi-ez"), nil,
		},
		{"layout.ny.novig-notice", "novig-notice", "no notice of the no-vigorish variation", only("ny-novig6"), nil},
		{"layout.midi-discard-rack", "midi-discard-rack", "no discard rack", midi(), nil},
		{"layout.nj.total-card-odds", "total-card-odds", "total card odds not inscribed", totals, nil},
		{"layout.nj.bonus-odds", "bonus-odds", "bonus odds not inscribed", totals, bonus},
		{"layout.nj.pair-areas", "pair-areas", "no pair areas", pairs, nil},
		{"layout.nj.treasures-areas", "treasures-areas", "fewer than five treasure areas", treasures, nil},
		{"layout.nj.treasures-odds", "treasures-odds", "treasure odds not inscribed", treasures, nil},
		{
			"layout.nj.approved", "layout-approval", "a layout without approval",
			slices.Concat(pairs, totals, treasures), nil,
		},
	}
	var out []Fault
	for _, x := range list {
		out = append(out,
			Fault{
				Rule: x.rule, Doc: x.doc, Kinds: x.kinds, tune: x.tune, edit: negative(x.item), notInRound: true,
				everyShoe: true,
			})
	}
	return out
}
