package shoe

import (
	"github.com/shoeproof/shoeproof/schema"
)

// Stake is a wager and everything that was decided about it before the deal. Money is in minor units.
type Stake struct {
	ID     string
	Seat   uint32
	Patron string
	Spot   schema.Spot
	Name   string
	// Amount is what is settled, Coupon and Change included. Change is what was added, or taken off, after the wager
	// was placed.
	Amount, Coupon, Change int64
	Medium                 schema.WagerMedium
	// MovedFrom is the spot from which the wager was moved. A withdrawn wager is not settled.
	MovedFrom schema.Spot
	Withdrawn bool
	// Deferred marks the vigorish instead of collecting it; Exact leaves it unrounded where that can be paid.
	Deferred, Exact bool
	// VigorishRead is the vigorish that was read back.
	VigorishRead int64
	// Forced settles the wager as Outcome with Winnings, regardless of the cards.
	Forced   bool
	Outcome  Outcome
	Winnings int64
	// Charged replaces the vigorish that is due unless it is 0; below 0 none is collected.
	Charged int64
	// Late: the wager is placed when no more bets are called. AtSettlement is the stake at settlement if it was
	// changed after the deal.
	Late         bool
	AtSettlement int64
}

// Settlement is a wager with what it comes to.
type Settlement struct {
	*Stake
	Amount   int64
	Outcome  Outcome
	Winnings int64
	Vigorish int64
}

// Done returns how a wager is settled, rightly or wrongly.
func (h *House) Done(st *Stake, c *Coup) Settlement {
	d := Settlement{Stake: st, Amount: st.Amount}
	d.Outcome, d.Winnings = h.Settle(st, c)
	if st.Forced {
		d.Outcome, d.Winnings = st.Outcome, st.Winnings
	}
	if st.AtSettlement > 0 {
		d.Amount = st.AtSettlement
	}
	if d.Outcome == Won && d.Spot == schema.SpotBanker && h.Takes(c) {
		d.Vigorish = h.VigorishOn(c, d.Winnings, d.Exact)
		if st.Charged != 0 {
			d.Vigorish = max(st.Charged, 0)
		}
		if exact := h.VigorishOn(c, d.Winnings, true); d.VigorishRead == exact {
			d.Vigorish = exact
		}
	}
	return d
}
