package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/finding"
)

// coverers lists, for each rule, the rules that cover its findings.
func coverers(rules []*Rule) map[*Rule][]*Rule {
	by := map[*Rule][]*Rule{}
	for _, winner := range rules {
		for _, loser := range rules {
			if slices.Contains(winner.Covers, loser.Name) {
				by[loser] = append(by[loser], winner)
			}
		}
	}
	return by
}

// checkPrecedence reports a rule that covers an unknown rule, and a cycle of rules that cover each other: in a cycle
// every finding would give way to another one, and none would be reported.
func checkPrecedence(rules []*Rule) error {
	named := map[string]*Rule{}
	for _, r := range rules {
		named[r.Name] = r
	}
	finished := map[*Rule]bool{}
	var path []string
	var visit func(*Rule) error
	visit = func(r *Rule) error {
		if at := slices.Index(path, r.Name); at >= 0 {
			return fmt.Errorf("rules cover each other in a cycle: %s", strings.Join(append(path[at:], r.Name), ", "))
		}
		if finished[r] {
			return nil
		}
		path = append(path, r.Name)
		for _, name := range r.Covers {
			next, ok := named[name]
			if !ok {
				return fmt.Errorf("rule %s covers %s: unknown rule", r.Name, name)
			}
			if err := visit(next); err != nil {
				return err
			}
		}
		path = path[:len(path)-1]
		finished[r] = true
		return nil
	}
	for _, r := range rules {
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}

// TakesPart reports whether findings of a rule can cover others or be covered.
func (s *Set) TakesPart(r *Rule) bool { return len(r.Covers) > 0 || len(s.coveredBy[r]) > 0 }

// CoveredUntil is the last stage at which a finding of the rule may still be covered, not before the rule's own stage.
func (s *Set) CoveredUntil(r *Rule) Stage {
	until := r.At
	for _, winner := range s.coveredBy[r] {
		until = max(until, winner.At)
	}
	return until
}

// Covers reports whether one finding explains another one, which is then not reported by itself: the rule covers the
// other's rule, and both are about one matter. They share the round and the seat as far as both name one, and a
// subject: an equal subject or part. A part may be of another seat. A finding without a subject is about all of its
// round or shoe.
func (s *Set) Covers(winner, loser *Finding) bool {
	return !loser.Apart && slices.Contains(s.coveredBy[loser.Rule], winner.Rule) &&
		(winner.Round == loser.Round || winner.Round == 0 || loser.Round == 0) &&
		(winner.Seat == loser.Seat || winner.Seat == 0 || loser.Seat == 0 ||
			slices.Contains(winner.Parts, loser.Subject)) &&
		shareSubject(winner, loser)
}

func shareSubject(a, b *Finding) bool {
	return a.Subject.Kind == finding.NoSubject || b.Subject.Kind == finding.NoSubject ||
		a.isAbout(b.Subject) || slices.ContainsFunc(b.Parts, a.isAbout)
}

// isAbout reports whether a subject is the finding's or one of its parts.
func (f *Finding) isAbout(s finding.Subject) bool {
	return f.Subject == s || slices.Contains(f.Parts, s)
}
