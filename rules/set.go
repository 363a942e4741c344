package rules

import (
	"maps"

	"github.com/shoeproof/shoeproof/law"
)

// Set is the rules that a game of a rulebook is under, by the stage at which they are evaluated.
type Set struct {
	Law *law.Law
	// rules are in the order of the families.
	rules  []*Rule
	stages [Stages][]*Rule
	// againRound and againShoe are evaluated once more at Settled and at Closed.
	againRound, againShoe []*Rule
	// hold is the latest stage whose rules may still suppress a finding of the named rule.
	hold map[string]Stage
}

// NewSet selects the rules that a law cites.
func NewSet(l *law.Law) *Set {
	s := &Set{Law: l, hold: map[string]Stage{}}
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
		for _, name := range r.Suppresses {
			s.hold[name] = max(s.hold[name], r.At)
		}
	}
	return s
}

// Rules are the rules of the set, in the order of the families.
func (s *Set) Rules() []*Rule { return s.rules }

// HoldUntil is the stage whose rules may still suppress a finding of the rule. A finding waits for
// it when it comes later than the rule's own.
func (s *Set) HoldUntil(r *Rule) Stage { return max(r.At, s.hold[r.Name]) }

// Names are the names of all rules, in the order of the families.
func Names() []string {
	var names []string
	for _, r := range All() {
		names = append(names, r.Name)
	}
	return names
}

// Load reads rulebook files, keyed by the name that errors give; see [Parse].
func Load(files map[string][]byte) (law.Books, error) { return law.Parse(files, Names()) }

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
