package script

import (
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// coups are the named rounds of the fixtures, in the order in which the cards leave the shoe: player, banker, player,
// banker, third cards.
func coups() map[string]string {
	return map[string]string{
		"F-BWIN2": "6c 7d Kh Ks", "F-PNAT9": "9c 4h Kd 3s", "F-TIE6": "6c 6d Kh Ks", "F-DRAG7": "2c 4d 3h Ks 6s 3c",
		"F-BNAT8": "2c 8d 3h Ks", "F-PANDA8": "2c 4d 3h Ks 3s 2d", "F-BPAT5": "6c 5d Kh Ks 3c",
		"F-B6":  "2c 6d 2h Ks Kc",
		"F-5V4": "2c 5d Ac Ks 4h 2d", "F-PWIN": "2c 5d Ac Ks 4h 9d", "F-PPAIR": "8c 4d 8h 3s",
		"F-BPAIR": "6c 2d Ah 2s Kd",
		"F-H9ONE": "2d 4h 3s Kc 4s Kd", "F-H9BOTH": "2s 4c 3d Kh 4d 5c", "F-B7X3": "2h 4s 3c Kd 2c 3h",
		"F-B7X2": "7c 7d Kh Ks",
		"F-WIN9": "2c 3d 3h 7s 4h Kd", "F-NATTIE": "9c 9d Kh Ks", "F-NAT9V0": "9c 3d Kh 7s",
		"F-TWOC7": "7c 3d Kh Ks Kd",
	}
}

func fixtures() []fixture {
	six := []string{"F-BWIN2", "F-PNAT9", "F-TIE6", "F-DRAG7", "F-BNAT8", "F-PANDA8"}
	novig := []string{"F-BWIN2", "F-PNAT9", "F-TIE6", "F-B6", "F-BNAT8", "F-PANDA8"}
	pairs := []string{"F-PPAIR", "F-PNAT9", "F-TIE6", "F-DRAG7", "F-BNAT8", "F-BPAIR"}
	treasures := []string{
		"F-BWIN2", "F-DRAG7", "F-PANDA8", "F-H9ONE", "F-H9BOTH", "F-B7X3", "F-B7X2", "F-BNAT8",
		"F-PNAT9",
	}
	five, sixth := []uint32{1, 2, 3, 5, 7}, []uint32{1, 2, 3, 5, 6, 7}
	eight, seven := []uint32{1, 2, 3, 4, 5, 6, 7, 8}, []uint32{1, 2, 3, 4, 5, 6, 7}
	side := func(seat uint32, spots ...schema.Spot) []shoe.Stake {
		var out []shoe.Stake
		for _, spot := range spots {
			out = append(out, shoe.Stake{Seat: seat, Spot: spot, Amount: 500})
		}
		return out
	}
	const (
		commission = schema.VigorishModeCommission
		punto      = schema.GamePuntoBanco
		mini       = schema.GameMinibaccarat
	)
	pb := fixture{ruleset: "nj-19-47", game: punto, mode: commission, seats: eight, occupied: five, rounds: six}
	list := []fixture{
		{
			name: "S-PB", ruleset: "nj-19-47", game: punto, mode: commission, seats: eight, occupied: five, behind: 391,
			rounds: six,
		},
		{
			name: "S-MB", ruleset: "nj-19-47", game: mini, mode: commission, seats: seven, occupied: five, behind: 391,
			rounds: six,
		},
		{
			name: "S-MB25", ruleset: "nj-19-47", game: mini, mode: schema.VigorishModeTie25, seats: seven,
			occupied: five, behind: 391, rounds: six,
		},
		{
			name: "S-NY", ruleset: "ny-5324-21", game: mini, mode: commission, seats: seven, occupied: five,
			behind: 391, rounds: six,
		},
		{
			name: "S-NYEZ", ruleset: "ny-5324-21", game: mini, mode: schema.VigorishModeEz, seats: seven,
			occupied: sixth, behind: 391, rounds: six,
			sideBets:   []schema.SideBet{schema.SideBetDragon7, schema.SideBetPanda8},
			sideStakes: side(6, schema.SpotDragon7, schema.SpotPanda8),
		},
		{
			name: "S-NYNV", ruleset: "ny-5324-21", game: mini, mode: schema.VigorishModeNovig6, seats: seven,
			occupied: five, behind: 392, rounds: novig,
		},
		{
			name: "S-NYDB", ruleset: "ny-5324-21", game: mini, mode: commission, seats: seven, occupied: five,
			behind: 391, rounds: six,
			sideBets: []schema.SideBet{schema.SideBetDragonBonus}, payTables: map[string]string{"dragon_bonus": "A"},
			sideStakes: append(side(7, schema.SpotDragonBonusBanker), side(3, schema.SpotDragonBonusPlayer)...),
		},
		{
			name: "S-PAIR", ruleset: "nj-19-47-pair", game: punto, mode: commission, seats: eight, occupied: five,
			behind: 391, rounds: pairs,
			sideBets:   []schema.SideBet{schema.SideBetPair},
			sideStakes: append(side(7, schema.SpotBankerPair), side(3, schema.SpotPlayerPair)...),
		},
		{
			name: "S-69F", ruleset: "nj-13-69f", game: punto, mode: commission, seats: eight, occupied: five,
			behind: 371, rounds: treasures,
			sideBets: []schema.SideBet{schema.SideBetTreasures}, payTables: map[string]string{"treasures": "2"},
			sideStakes: side(7, schema.SpotFortune7, schema.SpotGolden8, schema.SpotHeavenly9, schema.SpotBlazing7s,
				schema.SpotCoverAll),
		},
		{
			name: "S-MIDI", ruleset: "ny-5324-21", game: schema.GameMidibaccarat, mode: commission, seats: seven,
			occupied: five, behind: 391, rounds: six,
		},
		{
			name: "S-CF", ruleset: "nj-19-47", game: schema.GameCheminDeFer, mode: schema.VigorishModeNone,
			seats:    eight,
			occupied: []uint32{2, 4, 6, 7}, rounds: []string{"F-BWIN2", "F-TIE6", "F-BWIN2", "F-PNAT9"},
			against: cheminStakes(),
		},
	}
	for _, x := range irregular() {
		f := pb
		f.name, f.change = x.name, x.change
		list = append(list, f)
	}
	return list
}
