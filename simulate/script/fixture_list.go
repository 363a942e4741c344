package script

import (
	"cmp"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// coups are the named rounds of the fixtures, in the order in which the cards leave the shoe: player, banker, player,
// banker, third cards.
func coups() map[string]string {
	return map[string]string{
		"F-BWIN2": "6c 7d Kh Ks", "F-PNAT9": "9c 4h Kd 3s", "F-TIE6": "6c 6d Kh Ks", "F-DRAG7": "2c 4d 3h Ks 6s 3c",
		"F-BNAT8": "2c 8d 3h Ks", "F-PANDA8": "2c 4d 3h Ks 3s 2d", "F-BPAT5": "6c 5d Kh Ks 3c",
		"F-B6": "2c 6d 2h Ks Kc", "F-5V4": "2c 5d Ac Ks 4h 2d", "F-PWIN": "2c 5d Ac Ks 4h 9d",
		"F-PPAIR": "8c 4d 8h 3s", "F-BPAIR": "6c 2d Ah 2s Kd", "F-H9ONE": "2d 4h 3s Kc 4s Kd",
		"F-H9BOTH": "2s 4c 3d Kh 4d 5c", "F-B7X3": "2h 4s 3c Kd 2c 3h", "F-B7X2": "7c 7d Kh Ks",
		"F-WIN9": "2c 3d 3h 7s 4h Kd", "F-NATTIE": "9c 9d Kh Ks", "F-NAT9V0": "9c 3d Kh 7s",
		"F-TWOC7": "7c 3d Kh Ks Kd",
	}
}

// fixtures are the regular ones, then the irregular ones, which change the first.
func fixtures() []fixture {
	list := regular()
	for i := range list {
		list[i].complete()
	}
	for _, x := range irregular() {
		f := list[0]
		f.name, f.behind, f.change = x.name, 0, x.change
		list = append(list, f)
	}
	return list
}

// complete fills in what most fixtures share.
func (f *fixture) complete() {
	f.game = cmp.Or(f.game, schema.GameMinibaccarat)
	f.mode = cmp.Or(f.mode, schema.VigorishModeCommission)
	if f.game != schema.GameCheminDeFer {
		f.behind = cmp.Or(f.behind, 391)
	}
	f.seats = []uint32{1, 2, 3, 4, 5, 6, 7, 8}
	if f.game == schema.GameMinibaccarat || f.game == schema.GameMidibaccarat {
		f.seats = f.seats[:7]
	}
	if f.occupied == nil {
		f.occupied = []uint32{1, 2, 3, 5, 7}
	}
	if f.rounds == nil {
		f.rounds = []string{"F-BWIN2", "F-PNAT9", "F-TIE6", "F-DRAG7", "F-BNAT8", "F-PANDA8"}
	}
}

func regular() []fixture {
	punto, chemin, midi := schema.GamePuntoBanco, schema.GameCheminDeFer, schema.GameMidibaccarat
	return []fixture{
		{name: "S-PB", ruleset: "nj-19-47", game: punto},
		{name: "S-MB", ruleset: "nj-19-47"},
		{name: "S-MB25", ruleset: "nj-19-47", mode: schema.VigorishModeTie25},
		{name: "S-NY", ruleset: "ny-5324-21"},
		{
			name: "S-NYEZ", ruleset: "ny-5324-21", mode: schema.VigorishModeEz, occupied: []uint32{1, 2, 3, 5, 6, 7},
			sideBets:   []schema.SideBet{schema.SideBetDragon7, schema.SideBetPanda8},
			sideStakes: side(6, schema.SpotDragon7, schema.SpotPanda8),
		},
		{
			name: "S-NYNV", ruleset: "ny-5324-21", mode: schema.VigorishModeNovig6, behind: 392,
			rounds: []string{"F-BWIN2", "F-PNAT9", "F-TIE6", "F-B6", "F-BNAT8", "F-PANDA8"},
		},
		{
			name: "S-NYDB", ruleset: "ny-5324-21",
			sideBets: []schema.SideBet{schema.SideBetDragonBonus}, payTables: map[string]string{"dragon_bonus": "A"},
			sideStakes: append(side(7, schema.SpotDragonBonusBanker), side(3, schema.SpotDragonBonusPlayer)...),
		},
		{
			name: "S-PAIR", ruleset: "nj-19-47-pair", game: punto,
			rounds:     []string{"F-PPAIR", "F-PNAT9", "F-TIE6", "F-DRAG7", "F-BNAT8", "F-BPAIR"},
			sideBets:   []schema.SideBet{schema.SideBetPair},
			sideStakes: append(side(7, schema.SpotBankerPair), side(3, schema.SpotPlayerPair)...),
		},
		{
			name: "S-69F", ruleset: "nj-13-69f", game: punto, behind: 371,
			rounds: []string{
				"F-BWIN2", "F-DRAG7", "F-PANDA8", "F-H9ONE", "F-H9BOTH", "F-B7X3", "F-B7X2", "F-BNAT8", "F-PNAT9",
			},
			sideBets: []schema.SideBet{schema.SideBetTreasures}, payTables: map[string]string{"treasures": "2"},
			sideStakes: side(7, schema.SpotFortune7, schema.SpotGolden8, schema.SpotHeavenly9, schema.SpotBlazing7s,
				schema.SpotCoverAll),
		},
		{name: "S-MIDI", ruleset: "ny-5324-21", game: midi},
		{
			name: "S-CF", ruleset: "nj-19-47", game: chemin, mode: schema.VigorishModeNone,
			occupied: []uint32{2, 4, 6, 7}, rounds: []string{"F-BWIN2", "F-TIE6", "F-BWIN2", "F-PNAT9"},
			against: cheminStakes(),
		},
	}
}

// side are wagers of 5.00 at one seat.
func side(seat uint32, spots ...schema.Spot) []shoe.Stake {
	var out []shoe.Stake
	for _, spot := range spots {
		out = append(out, shoe.Stake{Seat: seat, Spot: spot, Amount: 500})
	}
	return out
}
