package detectors

import (
	"math"
	"strings"

	"github.com/shoeproof/shoeproof/numeric"
)

// Volume is the play of a table in a year.
type Volume struct {
	Rounds, Shoes, PatronRounds float64
	// Sessions are visits of a patron to the table, Stints turns of a dealer.
	Sessions, Stints float64
	// Pairings count each dealer that a patron meets in a visit.
	Pairings float64
}

// Budget is the false-alarm budget: the maximum expected number of false alarms from all detectors that share it, in
// a number of table-years of the volume. It holds if shuffles are uniform, cards are read correctly, and bets are
// made without knowledge of undealt cards.
type Budget struct {
	FalseAlarms, TableYears float64
	Volume                  Volume
	Policy                  Policy
}

// Policy holds the tolerances that the house sets.
type Policy struct {
	// Errors is the tolerated rate of settlement errors, Short the tolerated part of missing vigorish, Slips the tolerated
	// rate of procedural errors. A reader that misreads one card in 10,000 makes 1.5 of 10,000 rounds look like a slip.
	Errors, Short, Slips float64
	// LateWindow is how long before the first card a bet counts as late. ClockBound is the maximum difference between two
	// clocks of a table. Both are in ns.
	LateWindow, ClockBound int64
	// Chip is the minimum difference of stakes that a reader resolves, minor units.
	Chip int64
	// OffsetTurnover is the minimum turnover of a reported pair of offsetting accounts, minor units.
	OffsetTurnover int64
	// BoughtAtCage states that no chips are sold at the table. Then the tray must balance in both directions.
	BoughtAtCage bool
	// Differential states that the house caps the difference between Player and Banker totals, which invites offsetting.
	Differential bool
	// Suppliers name who made sets of cards and shufflers.
	Suppliers []Supplier
	// PickUps are the orders in which the house picks up cards into the discards.
	PickUps []PickUp
}

// Supplier is who made the sets of cards and the devices whose ids begin with a prefix.
type Supplier struct{ Prefix, Name string }

// supplier is who made a set of cards or a device; empty if that is not known.
func (p *Policy) supplier(id string) string {
	longest, name := -1, ""
	for _, s := range p.Suppliers {
		if id != "" && strings.HasPrefix(id, s.Prefix) && len(s.Prefix) > longest {
			longest, name = len(s.Prefix), s.Name
		}
	}
	return name
}

// DefaultBudget is 10 false alarms in 1,000 table-years.
func DefaultBudget() Budget {
	return Budget{
		FalseAlarms: 10, TableYears: 1000,
		Volume: Volume{
			Rounds: 500_000, Shoes: 6_150, PatronRounds: 2_500_000,
			Sessions: 7_300, Stints: 18_000, Pairings: 45_000,
		},
		Policy: Policy{
			Errors: 0.001, Short: 0.005, Slips: 0.0002, LateWindow: 2e9, ClockBound: 1e8, Chip: 100,
			OffsetTurnover: 10_000_00, BoughtAtCage: true, PickUps: []PickUp{AsDealt, PlayerFirst, BankerFirst},
		},
	}
}

// sharing is the number of detectors that share the budget equally.
const sharing = 14

// LnThreshold is the natural logarithm of the threshold for the keys of one kind of a detector: expected starts over
// the share of false alarms. It is +Inf for a detector that has no threshold.
func (b *Budget) LnThreshold(d *Detector, kind KeyKind) float64 {
	switch {
	case d.Starts == nil && d.lnFixed > 0:
		return d.lnFixed
	case d.Starts == nil:
		return math.Inf(1)
	}
	share := b.FalseAlarms / sharing / float64(len(d.Keys))
	return numeric.Log(d.Starts(b.Volume, kind) * b.TableYears / share)
}

// Bound is what a factor adds to the expected number of false alarms: its start weight over the threshold. It is 0
// outside the budget.
func (b *Budget) Bound(f *Factor) float64 {
	if f.Detector.Starts == nil {
		return 0
	}
	return f.Start * numeric.Exp(-b.LnThreshold(f.Detector, f.Key.Kind))
}

// Promised is the maximum expected number of false alarms about keys that end with the shoe, or about keys that do not,
// at a table in a day.
func (b *Budget) Promised(ends bool) float64 {
	promised := 0.0
	for _, d := range All() {
		for _, kind := range d.Keys {
			if d.Starts != nil && kind.Ends() == ends {
				promised += b.FalseAlarms / sharing / float64(len(d.Keys))
			}
		}
	}
	return promised / b.TableYears / 365
}

// lnMillion is the threshold of detectors outside the budget: one in a million if their calibration holds.
var lnMillion = numeric.Log(1e6)

// visits is the number of visits in a table-year by kind of key, which is also the sum of start weights; see visit.
func visits(v Volume, kind KeyKind) float64 {
	switch kind {
	case OfShoe, OfBatch:
		return v.Shoes
	case OfDealerPatron:
		return v.Pairings
	case OfDealer:
		return v.Stints
	case OfTable, OfPit, OfDevice, OfSupplier:
		return 365
	case OfPatron:
	}
	return v.Sessions
}

// roundsPerVisit is the average number of rounds in a visit of a kind of key.
func roundsPerVisit(v Volume, kind KeyKind) float64 {
	rounds := v.Rounds
	if kind == OfPatron || kind == OfDealerPatron || kind == OfPair {
		rounds = v.PatronRounds
	}
	return max(rounds/visits(v, kind), 1)
}

// shoesPerVisit is the average number of shoes in a visit of a kind of key.
func shoesPerVisit(v Volume, kind KeyKind) float64 { return max(v.Shoes/visits(v, kind), 1) }
