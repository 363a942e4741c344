package fault

import (
	"github.com/shoeproof/shoeproof/schema"
)

// otherTable returns an elected pay table other than the one in force.
func otherTable(c *schema.TableConfig, name string) string {
	if name == "treasures" {
		return string('1' + '2' - c.PayTables[name][0])
	}
	return string("ABC"[(c.PayTables[name][0]-'A'+1)%3])
}

// switchTable is the edit that puts another pay table into force within the round, and the old one again after it.
func switchTable(name string, card int) func(*scene) string {
	return func(sc *scene) string {
		c := sc.table.Config()
		return "insert before " +
			sc.inRound("round_started: notice_filed round=0 topic=PAY_TABLE recipients=COMMISSION,SURVEILLANCE written=true\n") +
			"configure after " + sc.inRound("card_dealt nth=%d: pay_tables.%s=%s\n", card, name, otherTable(c, name)) +
			"configure after " + sc.inRound("discard_placed: pay_tables.%s=%s", name, c.PayTables[name])
	}
}

func paytableFaults() []Fault {
	kinds := only("ny-dragon-bonus", "ny-midi-bonus")
	return []Fault{
		{
			Rule: "paytable.dragon-bonus.change-window", Doc: "the pay table switched within a round", Kinds: kinds,
			edit: switchTable("dragon_bonus", 2),
		},
		{
			Rule: "paytable.dragon-bonus.notice", Doc: "the pay table changed without notice", Kinds: kinds,
			notInRound: true,
			bend: func(sc *scene) error {
				c := *sc.table.Config()
				c.PayTables = map[string]string{"dragon_bonus": otherTable(&c, "dragon_bonus")}
				c.ConfigID += "+"
				sc.round.Reconfigured, *sc.table.Config() = &c, c
				return nil
			},
		},
	}
}
