package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
)

// Set is the law of a game and the rules that it cites, by the stage at which they are evaluated.
type Set struct {
	*law.Law
	// rules are in the order of the families.
	rules  []*Rule
	stages [stageCount][]*Rule
	// againRound and againShoe are evaluated once more at Settled and at Closed.
	againRound, againShoe []*Rule
	// coveredBy are the rules of the set that cover findings of a rule.
	coveredBy map[*Rule][]*Rule
	// payouts are the rules on what a winning wager is paid, by its spot; lines is the rule on the lines of a side bet.
	payouts [baccarat.Spots]*Rule
	lines   *Rule
	// shortVoid is true if a round that the shoe cannot finish is void.
	shortVoid bool
}

// NewSet selects the rules that a law cites.
func NewSet(l *law.Law) *Set {
	s := &Set{Law: l}
	for _, r := range All() {
		if _, ok := l.Cited(r.Name); !ok {
			continue
		}
		s.rules = append(s.rules, r)
		s.stages[r.At] = append(s.stages[r.At], r)
		if r.Floor != nil && r.At != Floor {
			s.stages[Floor] = append(s.stages[Floor], r)
		}
		switch {
		case r.Again && r.At == Prepared:
			s.againShoe = append(s.againShoe, r)
		case r.Again:
			s.againRound = append(s.againRound, r)
		}
	}
	s.coveredBy = coverers(s.rules)
	_, s.shortVoid = l.Cited("irreg.insufficient.void")
	if i := slices.IndexFunc(s.rules, func(r *Rule) bool { return r.Name == linesRule }); i >= 0 {
		s.lines = s.rules[i]
	}
	for spot := range s.payouts {
		s.payouts[spot] = s.payoutRule(baccarat.Spot(spot))
	}
	return s
}

// Sets has the sets that were made, by their law.
type Sets map[*law.Law]*Set

// Of returns the set of a law. It is made once: a set is read-only.
func (s Sets) Of(l *law.Law) *Set {
	set := s[l]
	if set == nil {
		set = NewSet(l)
		s[l] = set
	}
	return set
}

// Rules are the rules of the set, in the order of the families.
func (s *Set) Rules() []*Rule { return s.rules }

// Judges reports whether a rule of the set judges what a winning wager on a spot is paid, or reports that nothing can.
func (s *Set) Judges(spot baccarat.Spot) bool { return s.payouts[spot] != nil }

// payoutOf is the rule of the set on what a side bet is paid, nil if there is none.
func (s *Set) payoutOf(w *law.Wager) *Rule {
	if w.Spot == baccarat.SpotOther {
		return s.lines
	}
	return s.payouts[w.Spot]
}

// JudgesWager reports whether a rule of the set judges what a side bet is paid.
func (s *Set) JudgesWager(w *law.Wager) bool { return s.payoutOf(w) != nil }

// payoutRule is a rule of the set on what a winning wager on a spot is paid, nil if there is none.
func (s *Set) payoutRule(spot baccarat.Spot) *Rule {
	by := payoutRules[spot]
	if spot.SideBet() == baccarat.SideTreasures {
		by = "treasures.payout."
	}
	i := slices.IndexFunc(s.rules, func(r *Rule) bool { return by != "" && strings.HasPrefix(r.Name, by) })
	if i < 0 {
		if w := s.Wager(spot, ""); w != nil && !w.Posted {
			return s.lines
		}
		return nil
	}
	return s.rules[i]
}

// payoutRules are the names of the rules on what a winning wager is paid, or how they begin.
var payoutRules = [baccarat.Spots]string{
	baccarat.SpotBanker:            "payout.banker.odds",
	baccarat.SpotPlayer:            "payout.player.odds",
	baccarat.SpotTie:               "payout.tie.min-odds",
	baccarat.SpotPlayerPair:        "payout.pair.odds",
	baccarat.SpotBankerPair:        "payout.pair.odds",
	baccarat.SpotDragonBonusPlayer: "payout.dragon-bonus.table",
	baccarat.SpotDragonBonusBanker: "payout.dragon-bonus.table",
	baccarat.SpotDragon7:           "payout.dragon-7.min-odds",
	baccarat.SpotPanda8:            "payout.panda-8.odds",
	baccarat.SpotTotalCards:        "external.nj.total-card-odds",
	baccarat.SpotBonus:             "external.nj.bonus-wager-odds",
	baccarat.SpotRoyal:             "external.nj.royal-bonus-odds",
}

// Names are the names of all rules, in the order of the families.
func Names() []string {
	var names []string
	for _, r := range All() {
		names = append(names, r.Name)
	}
	return names
}

// Load reads rulebook files, keyed by the name that errors give; see [Parse].
func Load(files map[string][]byte) (law.Books, error) {
	if err := checkPrecedence(All()); err != nil {
		return nil, err
	}
	return law.Parse(files, Names())
}

// Shipped loads the rulebooks that come with the program.
func Shipped() (law.Books, error) { return ShippedWith(nil) }

// ShippedWith loads them together with further files, which may extend them.
func ShippedWith(more map[string][]byte) (law.Books, error) {
	files, err := law.ShippedFiles()
	if err != nil {
		return nil, err
	}
	maps.Copy(files, more)
	return Load(files)
}
