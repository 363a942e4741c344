package fault

import (
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

func shoeFaults() []Fault { return append(equipmentFaults(), burnFaults()...) }

func equipmentFaults() []Fault {
	every := append(njTables(), nyAll()...)
	plainDecks := append(only("nj-punto", "pair-punto", "nj-mini", "pair-mini", "nj-mini-tie25"), nyAll()...)
	decks := func(n uint32) func(*schema.TableConfig) { return func(c *schema.TableConfig) { c.Decks = n } }
	return []Fault{
		{
			Rule: "shoe.decks.min", Doc: "five decks", Kinds: plainDecks, tune: decks(5), notInRound: true,
			everyShoe: true,
		},
		{
			Rule: "shoe.decks.royal-eight", Doc: "the royal bonus is offered over six decks",
			Kinds: only("treasures-punto", "treasures-mini"), notInRound: true, everyShoe: true,
			tune: func(c *schema.TableConfig) {
				c.Decks, c.SideBets, c.PayTables = 6, []schema.SideBet{schema.SideBetRoyal}, nil
				for _, spot := range []string{"FORTUNE_7", "GOLDEN_8", "COVER_ALL"} {
					delete(c.PostedOdds, spot)
				}
			},
		},
		{
			Rule: "shoe.decks.treasures-six-or-eight", Doc: "5 Treasures over seven decks",
			Kinds: only("treasures-punto", "treasures-mini"),
			tune:  decks(7), notInRound: true, everyShoe: true,
		},
		{
			Rule: "shoe.cutting-cards.count", Doc: "one cutting card loaded", Kinds: every, notInRound: true,
			edit: editing("set shoe_loaded: cutting_cards=1"),
		},
		{
			Rule: "shoe.cutting-cards.appearance", Doc: "a cutting card of the wrong appearance", notInRound: true,
			everyShoe: true,
			Kinds:     append(append(punto(), "treasures-mini"), nyAll()...),
			edit:      editing("set layout_attested item=cutting-card-appearance: present=false"),
		},
		{
			Rule: "shoe.backs.uniform", Doc: "a card with a foreign back", Kinds: every,
			edit: func(sc *scene) string {
				return "set " + sc.inRound("card_dealt hand=BANKER index=1: back_color=blue")
			},
		},
		{
			Rule: "shoe.loaded-as-received", Doc: "cards of another design received", Kinds: every, notInRound: true,
			edit: editing("set deck_received: back_design=crown"),
		},
		{
			Rule: "shoe.device.dealing-shoe", Doc: "dealt from the hand", Kinds: every, notInRound: true,
			edit: editing("set shoe_loaded: device=OTHER"),
		},
		{
			Rule: "shoe.location.left-of-dealer", Doc: "the shoe on the wrong side",
			Kinds: append(njMini(), "nj-mini-tie25"), notInRound: true,
			edit: editing("set shoe_loaded: location=dealer-right"),
		},
	}
}

func burnFaults() []Fault {
	nj := njTables()
	every := append(nj, nyAll()...)
	return []Fault{
		{
			Rule: "shoe.composition.no-excess-copies", Doc: "one more king of spades than there are decks", Kinds: nj,
			notInRound: true,
			bend:       burnKings,
		},
		{
			Rule: "shoe.count.conservation", Doc: "the shoe comes up one card short", Kinds: every, notInRound: true,
			edit: editing("set shoe_ended: remaining-=1"),
		},
		{
			Rule: "shoe.burn.count", Doc: "one card too few burned", Kinds: every, notInRound: true,
			bend: func(sc *scene) error {
				sc.plan.Burn = sc.plan.Burn[:len(sc.plan.Burn)-1]
				return nil
			},
		},
		{
			Rule: "shoe.burn.once-before-play", Doc: "no burn", Kinds: every, notInRound: true,
			bend: func(sc *scene) error { sc.plan.Burn = nil; return nil },
		},
		{
			Rule: "shoe.burn.shown", Doc: "burned cards not shown", Kinds: every, notInRound: true,
			edit: func(sc *scene) string {
				if sc.table.Writer().House.NewYork {
					return "set shoe_burned: shown=NONE"
				}
				return "set shoe_burned: shown=FIRST_ONLY"
			},
		},
		{
			Rule: "shoe.burn.shown-before-discard", Doc: "burned cards put away, then shown", Kinds: nj, notInRound: true,
			edit: editing("set shoe_burned: discarded=BEFORE_SHOWN"),
		},
		{
			Rule: "shoe.burn.destination", Doc: "burned cards in the wrong place", Kinds: nj, notInRound: true,
			edit: func(sc *scene) string {
				if sc.table.Writer().House.Punto {
					return "set shoe_burned: destination=RACK"
				}
				return "set shoe_burned: destination=BUCKET"
			},
		},
	}
}

// burnKings burns one more king of spades than there are decks, behind an indicator.
func burnKings(sc *scene) error {
	n := int(sc.table.Config().Decks)
	// The indicator is a ten, so that ten more cards are shown.
	indicator, err := sc.takeRest(func(c shoe.Card) bool { return c.Rank() == 10 })
	if err != nil {
		return err
	}
	king := shoe.Card(52)
	sc.plan.Burn = []shoe.Card{indicator}
	for len(sc.plan.Burn) < n+2 {
		sc.plan.Burn = append(sc.plan.Burn, king)
	}
	for len(sc.plan.Burn) < 11 {
		c, err := sc.takeRest(func(c shoe.Card) bool { return c != king })
		if err != nil {
			return err
		}
		sc.plan.Burn = append(sc.plan.Burn, c)
	}
	return nil
}
