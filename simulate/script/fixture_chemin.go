package script

import (
	"fmt"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// cheminStakes are the wagers against the Banker, round by round.
func cheminStakes() [][]shoe.Stake {
	against := func(seat uint32, amount int64) shoe.Stake {
		return shoe.Stake{Seat: seat, Spot: schema.SpotAgainstBanker, Amount: amount}
	}
	return [][]shoe.Stake{
		{against(6, 100_000)},
		{against(6, 200_000)},
		{against(6, 200_000)},
		{against(2, 150_000), against(7, 250_000)},
	}
}

// bank is the Banker's part of a round of the chemin de fer fixture.
func (f *fixture) bank(number, round int) *shoe.Bank {
	if f.game != schema.GameCheminDeFer {
		return nil
	}
	b := &shoe.Bank{Wager: shoe.Stake{
		ID: fmt.Sprintf("w%d.%d.b", number, round), Seat: 4, Patron: "pt-4", Medium: schema.WagerMediumChips,
		Amount: []int64{100_000, 200_000, 200_000, 400_000}[round-1],
	}}
	switch round {
	case 1:
		b.Bids = []shoe.Bid{{Seat: 2, Amount: 80_000}, {Seat: 4, Amount: 100_000}}
		b.Calls = []shoe.Banco{{Seat: 6, Call: schema.BancoCallBanco}}
	case 2, 3:
		b.Calls = []shoe.Banco{{Seat: 6, Call: schema.BancoCallSuivi}}
	}
	return b
}
