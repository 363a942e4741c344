package fault

import (
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

func treasureFaults() []Fault {
	kinds := only("treasures-punto", "treasures-mini")
	elect := func(table string) func(*schema.TableConfig) {
		return func(c *schema.TableConfig) { c.PayTables = map[string]string{"treasures": table} }
	}
	on := func(t schema.Treasure) condition {
		return func(_ *scene, c *shoe.Coup) bool { return c.Treasure() == t }
	}
	both := on(schema.TreasureHeavenly9Both)
	list := []struct {
		rule, doc string
		spot      schema.Spot
		accept    condition
		table     string
		times     int64
	}{
		{"treasures.payout.fortune-7", "Fortune 7 paid thirty to one", schema.SpotFortune7, dragon, "2", 30},
		{"treasures.payout.golden-8", "Golden 8 paid twenty to one", schema.SpotGolden8, panda, "2", 20},
		{"treasures.payout.heavenly-9-both", "two three-card nines paid as one", schema.SpotHeavenly9, both, "2", 10},
		{
			"treasures.payout.heavenly-9-one", "one three-card nine paid as two", schema.SpotHeavenly9,
			on(schema.TreasureHeavenly9One), "1", 75,
		},
		{
			"treasures.payout.blazing-three-card", "Blazing 7s paid by the other pay table", schema.SpotBlazing7s,
			on(schema.TreasureBlazing7sThree), "2", 400,
		},
		{"treasures.payout.cover-all", "Cover All paid twice", schema.SpotCoverAll, dragon, "1", 12},
		{"treasures.highest-single", "both rows of Heavenly 9 added up", schema.SpotHeavenly9, both, "1", 85},
	}
	var out []Fault
	for _, x := range list {
		out = append(out, Fault{
			Rule: x.rule, Doc: x.doc, Kinds: kinds, tune: elect(x.table), wagers: staking(x.spot, 500),
			accept: x.accept, edit: paying(x.times),
		})
	}
	return append(out,
		Fault{
			Rule: "treasures.payout.blazing-two-card", Doc: "two-card Blazing 7s paid though the pay table has none",
			Kinds: kinds, tune: elect("1"),
			wagers: staking(schema.SpotBlazing7s, 500), accept: on(schema.TreasureBlazing7sTwo),
			bend: forcing(shoe.Won, 50),
		},
		Fault{
			Rule: "treasures.paytable-preselected", Doc: "the pay table switched within a round", Kinds: kinds,
			edit: switchTable("treasures", 4),
		},
	)
}
