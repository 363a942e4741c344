package deal

import (
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// announceAhead announces a configuration during every third shoe, with a notice of 40 minutes. It comes into force
// within the shoe, in the next one or, if it is replaced by the present configuration, never.
func (t *Table) announceAhead(s *shoe.Plan) {
	if t.variety.IntN(3) > 0 || t.w.Pending() {
		return
	}
	for i := range s.Rounds {
		if s.Rounds[i].Reconfigured != nil {
			return
		}
	}
	present := t.o.Config
	c, other := present, present.Vigorish
	other.Percent = 9 - other.Percent
	a := &shoe.Ahead{}
	switch x := t.variety.IntN(3); {
	case x == 0 && t.w.House.Mode == schema.VigorishModeCommission && !s.RoundsUpOutstanding && t.permits(&other):
		c.Vigorish = other
		shoe.FitUnit(&c)
		a.Topic = schema.NoticeTopicVigorishPercent
	case x == 1 && c.PaymentProcedure > 0:
		c.PaymentProcedure = c.PaymentProcedure%4 + 1
		a.Topic = schema.NoticeTopicPaymentProcedure
	default:
		c.MaxWager += 1_000_000
		a.Topic = schema.NoticeTopicTableLimits
	}
	c.ConfigID += ">"
	a.Config = c
	switch t.variety.IntN(4) {
	case 0:
		replaced := c
		replaced.ConfigID += "x"
		replaced.Vigorish.Mode, replaced.Vigorish.Percent = schema.VigorishModeEz, 0
		a.Replaced = &replaced
	case 1:
		a.Replaced, a.Config = &c, present
	}
	s.Rounds[t.variety.IntN(len(s.Rounds))].Ahead = a
}
