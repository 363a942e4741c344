package fault

import (
	"slices"

	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

func drawFaults() []Fault {
	kinds := append(punto(), minis()...)
	return []Fault{
		{
			Rule: "draw.natural.no-more-cards", Doc: "the player draws against a banker natural", Kinds: kinds,
			accept: func(_ *scene, c *shoe.Coup) bool {
				return c.Natural(shoe.Banker) && !c.Natural(shoe.Player) && shoe.PlayerDraws(c.First(shoe.Player))
			},
			bend: extra(shoe.Player, nil),
		},
		{
			Rule: "draw.player.third-card", Doc: "the player stands on 5 or less", Kinds: kinds,
			accept: func(_ *scene, c *shoe.Coup) bool { return noNatural(c) && shoe.PlayerDraws(c.First(shoe.Player)) },
			bend: func(sc *scene) error {
				for h := range 2 {
					sc.round.Coup.Hands[h] = sc.round.Coup.Hands[h][:2]
				}
				return nil
			},
		},
		{
			Rule: "draw.player.must-stay", Doc: "the player draws on 6 or 7", Kinds: kinds,
			accept: func(_ *scene, c *shoe.Coup) bool { return c.Cards() == 4 && noNatural(c) },
			bend: extra(shoe.Player, func(c *shoe.Coup, x shoe.Card) bool {
				return !shoe.BankerDraws(c.First(shoe.Banker), x.Value())
			}),
		},
		{
			Rule: "draw.banker.no-third", Doc: "the banker stands on 5 or less beside a standing player", Kinds: kinds,
			accept: func(_ *scene, c *shoe.Coup) bool { return c.Size(shoe.Player) == 2 && c.Size(shoe.Banker) == 3 },
			bend:   drop(shoe.Banker),
		},
		{
			Rule: "draw.banker.must-draw", Doc: "the banker stands where the table requires a draw", Kinds: kinds,
			accept: func(_ *scene, c *shoe.Coup) bool { return c.Cards() == 6 }, bend: drop(shoe.Banker),
		},
		{
			Rule: "draw.banker.must-stay", Doc: "the banker draws where the table requires it to stay", Kinds: kinds,
			accept: func(_ *scene, c *shoe.Coup) bool { return c.Size(shoe.Player) == 3 && c.Size(shoe.Banker) == 2 },
			bend:   extra(shoe.Banker, nil),
		},
	}
}

// extra deals a hand one more card from the rest of the shoe. The round is then settled as dealt.
func extra(h int, ok func(*shoe.Coup, shoe.Card) bool) func(*scene) error {
	return func(sc *scene) error {
		c := &sc.round.Coup
		x, err := sc.takeRest(func(x shoe.Card) bool {
			if ok != nil && !ok(c, x) {
				return false
			}
			after := *c
			after.Hands[h] = append(slices.Clip(after.Hands[h]), x)
			return plain(&after)
		})
		c.Hands[h] = append(c.Hands[h], x)
		return err
	}
}

// drop removes the third card of a hand.
func drop(h int) func(*scene) error {
	return func(sc *scene) error {
		sc.round.Coup.Hands[h] = sc.round.Coup.Hands[h][:2]
		return nil
	}
}

func bothDrew(_ *scene, c *shoe.Coup) bool { return c.Cards() == 6 && plain(c) }

func bankerDrew(_ *scene, c *shoe.Coup) bool { return c.Size(shoe.Banker) == 3 }
