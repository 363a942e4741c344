package fault

import (
	"slices"
)

// Groups of kinds of table. Their order decides at which kind a seed plants a fault.

func punto() []string { return []string{"nj-punto", "pair-punto", "treasures-punto"} }

func njMini() []string { return []string{"nj-mini", "pair-mini", "treasures-mini"} }

func ny() []string { return []string{"ny-mini", "ny-dragon-bonus"} }

func nyAll() []string { return append(ny(), "ny-tie25", "ny-ez", "ny-novig6") }

func minis() []string { return append(njMini(), ny()...) }

// commissions are the tables that take a percentage of the banker's winnings.
func commissions() []string { return slices.Concat(punto(), njMini(), ny()) }

func tie25s() []string { return []string{"nj-mini-tie25", "ny-tie25"} }

func only(kinds ...string) []string { return kinds }

func midi() []string { return []string{"ny-midi", "ny-midi-ez", "ny-midi-bonus"} }

// njAll are the New Jersey tables with a Banker or curator or dealer, chemin de fer included.
func njAll() []string {
	return slices.Concat(punto(), njMini(), only("nj-mini-tie25", "nj-chemin"))
}

// njTables are the New Jersey tables without chemin de fer.
func njTables() []string { return append(append(punto(), njMini()...), "nj-mini-tie25") }

// anyTable are the tables of both states, without midi baccarat and chemin de fer.
func anyTable() []string { return slices.Concat(punto(), njMini(), nyAll(), only("nj-mini-tie25")) }
