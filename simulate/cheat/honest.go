package cheat

import (
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// honest are the honest tables that look odd.
func honest() []Cheat {
	honest := func(name, doc string, c Cheat) Cheat {
		c.Name, c.Scenario, c.Doc, c.Kind, c.Key = name, "N"+name[1:], doc, "nj-mini", "patron"
		c.Honest, c.regulars = true, true
		return c
	}
	return []Cheat{
		honest("n1", "every patron chases the trend", Cheat{habits: func(c *crook) {
			for _, p := range c.table.Patrons() {
				p.FollowsStreak, p.BetsAgainstStreak, p.SitsOut = true, false, 0
			}
		}}),
		honest("n2", "a whale raises tenfold when lucky", Cheat{
			bets: func(c *crook, r *shoe.Round, _ []shoe.Card) {
				amount := int64(cheatUnit)
				if c.streak > 1 {
					amount *= 10
				}
				c.bet(r, 0, c.coin(), amount, false)
			},
			settle: func(c *crook, r *shoe.Round) {
				for i := range r.Stakes {
					if st := &r.Stakes[i]; st.Patron == c.patrons[0] {
						switch out, _ := c.table.Writer().House.Settle(st, &r.Coup); out {
						case shoe.Won:
							c.streak++
						case shoe.Lost:
							c.streak = 0
						case shoe.Pushed:
						}
					}
				}
			},
		}),
		honest("n3", "the vigorish changes to 4 percent", Cheat{reconfigure: func(c *crook) {
			config := *c.table.Config()
			config.Vigorish.Percent = 4
			c.table.Writer().GiveNotice(schema.NoticeTopicVigorishPercent)
			c.table.Configure(config)
		}}),
		honest("n4", "a camera reads one card of 100 wrongly, and one of 20 not at all",
			Cheat{Misread: .01, Drop: .05, Breach: true}),
		honest("n5", "the pack is riffled seven times and cut",
			Cheat{stack: func(c *crook, deck []shoe.Card) []shoe.Card { return c.riffles(deck, 7) }}),
		honest("n6", "patrons cover each other at a table with a differential",
			Cheat{twoPatrons: true, bets: offset(.97)}),
	}
}
