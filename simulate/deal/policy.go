package deal

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// changePolicy changes the configuration between two shoes now and then, with the notices that are due.
func (t *Table) changePolicy() {
	if t.rng.IntN(5) > 0 {
		return
	}
	c := t.o.Config
	topic := schema.NoticeTopicUnspecified
	switch h := &t.w.House; t.rng.IntN(5) {
	case 0:
		if h.Mode != schema.VigorishModeCommission {
			return
		}
		c.Vigorish.Percent = 9 - c.Vigorish.Percent
		shoe.FitUnit(&c)
		topic = schema.NoticeTopicVigorishPercent
	case 1:
		switch {
		case h.Bucket:
			return
		case h.Mode == schema.VigorishModeCommission:
			c.Vigorish = schema.Vigorish{Mode: schema.VigorishModeTie25}
		case h.Mode == schema.VigorishModeTie25:
			c.Vigorish = schema.Vigorish{
				Mode: schema.VigorishModeCommission, Percent: 4,
				Timing: schema.VigorishTimingMixed,
			}
		default:
			return
		}
		topic = schema.NoticeTopicVigorishType
	case 2:
		c.PaymentProcedure = c.PaymentProcedure%4 + 1
		topic = schema.NoticeTopicPaymentProcedure
	case 3:
		if h.NewYork {
			return
		}
		c.ReshuffleAfterLacing = !c.ReshuffleAfterLacing
		topic = schema.NoticeTopicReshuffleOption
	case 4:
		c.MinWager, c.MaxWager = 100+100*t.rng.Int64N(5), 20_000_000
		topic = schema.NoticeTopicTableLimits
	}
	if !t.permits(&c.Vigorish) {
		return
	}
	t.w.GiveNotice(topic)
	t.Configure(c)
}

// permits reports whether a house rulebook that the table plays under permits a vigorish.
func (t *Table) permits(v *schema.Vigorish) bool {
	g := t.o.Game
	return g == nil || (len(g.Modes) == 0 || slices.Contains(g.Modes, v.Mode.String())) &&
		(v.Percent == 0 || len(g.Percents) == 0 || slices.Contains(g.Percents, v.Percent))
}

// changePayTable changes an elected pay table between two rounds.
func (t *Table) changePayTable(r *shoe.Round) {
	c := t.o.Config
	tables := map[string]string{}
	switch {
	case c.PayTables["dragon_bonus"] != "":
		tables["dragon_bonus"] = string("ABC"[(c.PayTables["dragon_bonus"][0]-'A'+1)%3])
	case c.PayTables["treasures"] != "":
		tables["treasures"] = string('1' + '2' - c.PayTables["treasures"][0])
	default:
		return
	}
	c.PayTables = tables
	c.ConfigID += "'"
	t.o.Config = c
	r.Reconfigured, r.Topic = &c, schema.NoticeTopicPayTable
}

// Configure puts another configuration into force between two shoes.
func (t *Table) Configure(c schema.TableConfig) {
	c.ConfigID += "+"
	t.o.Config = c
	t.w.Wait(60_000)
	t.w.Configure(c)
}
