package verdict

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/rules"
)

// ledger holds the findings of a shoe whose rules take part in precedence. A finding gives way only to an
// emitted finding that explains it, and that finding names it in its row. A finding that a later stage may still cover
// is deferred until that stage is over.
type ledger struct {
	entries []entry
}

// mark is what a finding that was made is about.
type mark struct {
	rule    *rules.Rule
	round   uint32
	seat    uint32
	subject finding.Subject
}

// entry is a finding in the ledger.
type entry struct {
	finding rules.Finding
	// until is the last stage at which the finding may be covered; at is the event time at which it was found.
	until rules.Stage
	at    int64
	state entryState
	// coveredBy is the index of the entry that covers this one, when the state is covered.
	coveredBy int
	// row is the finding as emitted.
	row finding.Finding
}

type entryState uint8

const (
	deferred entryState = iota
	emitted
	covered
)

// add enters a finding. Its stage may still be covered, so nothing is emitted before settle.
func (l *ledger) add(f *rules.Finding, until rules.Stage, at int64) {
	l.entries = append(l.entries, entry{finding: *f, until: until, at: at})
}

// outlet is where a ledger emits findings.
type outlet struct {
	emit  func(e *entry, covers []string) finding.Finding
	amend func(finding.Finding)
}

// settle decides which deferred findings are covered, and emits the due ones. An emitted finding that covers
// another one since is emitted again, under its id, with the name of that one.
func (l *ledger) settle(set *rules.Set, due func(i int, e *entry) bool, out outlet) {
	before := len(l.entries)
	var newly []int
	for i := range before {
		if l.entries[i].state == deferred && l.cover(set, i) {
			newly = append(newly, i)
		}
	}
	losers, gained := l.losers(), map[int]bool{}
	for _, loser := range newly {
		gained[l.winner(loser)] = true
	}
	for i := range before {
		switch e := &l.entries[i]; {
		case e.state == deferred && due(i, e):
			l.unprove(set, e)
			e.row, e.state = out.emit(e, l.withNames(nil, losers[i])), emitted
		case e.state == emitted && gained[i]:
			e.row.Covers = l.withNames(e.row.Covers, losers[i])
			out.amend(e.row)
		}
	}
}

// losers are the covered entries by the entry that they give way to, directly or through others.
func (l *ledger) losers() map[int][]int {
	losers := map[int][]int{}
	for i := range l.entries {
		if l.entries[i].state == covered {
			winner := l.winner(i)
			losers[winner] = append(losers[winner], i)
		}
	}
	return losers
}

// withNames adds the names of covered entries to a list of names.
func (l *ledger) withNames(names []string, losers []int) []string {
	names = slices.Clone(names)
	for _, i := range losers {
		if name := nameOf(&l.entries[i].finding); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// cover marks an entry as covered by the first entry that covers it. A finding covers none that claims more: what is
// suspected does not hide what is proved, and what cannot be judged hides nothing.
func (l *ledger) cover(set *rules.Set, loser int) bool {
	e := &l.entries[loser]
	for i := range l.entries {
		if w := &l.entries[i]; claim(&w.finding) >= max(informs, claim(&e.finding)) && set.Covers(&w.finding, &e.finding) {
			e.state, e.coveredBy = covered, i
			return true
		}
	}
	return false
}

// unprove makes an accusation UNAUDITABLE that a finding would cover if that were proved: it may be explained.
func (l *ledger) unprove(set *rules.Set, e *entry) {
	f := &e.finding
	if claim(f) <= informs {
		return
	}
	for i := range l.entries {
		w := &l.entries[i].finding
		if w.Verdict == finding.Unauditable && provable(w) >= claim(f) && set.Covers(w, f) {
			f.Verdict = finding.Unauditable
			f.Observed = "explained by " + w.Rule.Name + ", if that is proved; found: " + f.Observed
			return
		}
	}
}

// Findings are ordered by what they claim.
const (
	claimsNothing = iota
	informs
	suspects
	accuses
)

func claim(f *rules.Finding) int {
	switch {
	case f.Verdict == finding.Unauditable:
		return claimsNothing
	case f.Verdict == finding.Information:
		return informs
	case f.Verdict == finding.Suspect:
		return suspects
	default:
		return accuses
	}
}

// provable is what an UNAUDITABLE finding would claim at most.
func provable(f *rules.Finding) int {
	switch {
	case f.Rule.Severity == finding.Info:
		return informs
	case !f.Basis.Proves():
		return suspects
	}
	return accuses
}

// winner follows the entries that cover an entry, up to the entry that gives way to none. Precedence has no cycle.
func (l *ledger) winner(at int) int {
	for l.entries[at].state == covered {
		at = l.entries[at].coveredBy
	}
	return at
}

// cycle returns an entry whose covering entries form a cycle, so that winner would not return; -1 without one. Only a
// snapshot from outside can have one.
func (l *ledger) cycle() int {
	for at := range l.entries {
		next := at
		for range l.entries {
			if l.entries[next].state != covered {
				break
			}
			next = l.entries[next].coveredBy
		}
		if l.entries[next].state == covered {
			return at
		}
	}
	return -1
}

// nameOf names a covered finding: its rule, its round if it has one, and its subject.
func nameOf(f *rules.Finding) string {
	name := f.Rule.Name
	if f.Round != 0 {
		name += fmt.Sprintf(" round:%d", f.Round)
	}
	if s := f.Subject.String(); s != "" {
		name += " " + s
	}
	return name
}
