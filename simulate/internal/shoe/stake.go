package shoe

import (
	"github.com/shoeproof/shoeproof/schema"
)

type Stake struct {
	ID     string
	Seat   uint32
	Patron string
	Spot   schema.Spot
	Name   string
	// Amount is what is settled, coupon and change included; changed is by how much it was raised, or
	// lowered, after it was placed.
	Amount, Coupon, Change int64
	Medium                 schema.WagerMedium
	// MovedFrom is the spot from which the wager was moved; a withdrawn one is not settled.
	MovedFrom schema.Spot
	Withdrawn bool
	// Deferred defers the vigorish; exact leaves it unrounded where that can be paid.
	Deferred, Exact bool
	// VigorishRead is the vigorish that was read back.
	VigorishRead int64
	// Forced settles the wager as out, with pays if it won, whatever the cards say.
	Forced   bool
	Outcome  Outcome
	Winnings int64
	// Charged is the vigorish to take whatever is due; below 0 none is taken.
	Charged int64
	// Late is placed when no more bets are called; atSettlement is the stake as it then lies, if somebody changed it.
	Late         bool
	AtSettlement int64
}

// A due is a wager with what it comes to.
type Settlement struct {
	*Stake
	Amount   int64
	Outcome  Outcome
	Winnings int64
	Vigorish int64
}

// Done is what is done with a wager, right or wrong.
func (h *House) Done(st *Stake, c *Coup) Settlement {
	d := Settlement{Stake: st, Amount: st.Amount}
	d.Outcome, d.Winnings = h.Settle(st, c)
	if st.Forced {
		d.Outcome, d.Winnings = st.Outcome, st.Winnings
	}
	if st.AtSettlement > 0 {
		d.Amount = st.AtSettlement
	}
	if d.Outcome == Won && d.Spot == schema.SpotBanker && h.Mode == schema.VigorishModeCommission {
		d.Vigorish = h.Vigorish(d.Winnings, d.Exact)
		if st.Charged != 0 {
			d.Vigorish = max(st.Charged, 0)
		}
		if exact := h.Vigorish(d.Winnings, true); d.VigorishRead == exact {
			d.Vigorish = exact
		}
	}
	return d
}
