package verdict

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/engine/play"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/rules"
)

// report takes the findings of a pass, each finding once. It emits what no other finding covers, and defers what a
// later stage may still cover.
func (t *Table) report(m *moment) {
	if len(t.pass.Findings) == 0 {
		return
	}
	s := t.of(m.Shoe)
	before := len(s.ledger.entries)
	for _, f := range t.pass.Findings {
		switch {
		case f.Rule.Standing && !t.stands(m, &f):
		case f.Verdict == finding.Unauditable && f.Subject == finding.Subject{}:
			t.unauditable(m, s, &f)
		case !t.enter(m, s, &f):
		case t.pass.Law.TakesPart(f.Rule):
			s.ledger.add(&f, t.pass.Law.CoveredUntil(f.Rule), m.ev.At)
		default:
			t.emit(m, &entry{finding: f, at: m.ev.At}, nil)
		}
	}
	if len(s.ledger.entries) > before {
		t.settle(m, s, func(i int, e *entry) bool { return i >= before && e.until <= m.rules })
	}
}

// stands reports whether a finding about the table itself is new. An unproved finding is new: the next shoe may prove
// it.
func (t *Table) stands(m *moment, f *rules.Finding) bool {
	if f.Verdict != finding.Unauditable && !t.proved(m, f) {
		return true
	}
	return t.changed(f.Rule.Name, fmt.Sprint(f.Verdict, " ", f.Observed, " ", f.Evidence))
}

// weigh sets what a finding rests on and what it claims. It is a BREACH only if its basis proves it.
func (t *Table) weigh(m *moment, f *rules.Finding) {
	if !t.datedInForce(m) {
		f.Basis = finding.NotInForce
	}
	cited, _ := t.pass.Law.Cited(f.Rule.Name)
	if f.Basis == "" {
		f.Basis = rules.BasisOf(cited)
	}
	if len(f.Cites) == 0 && t.pass.Law.Law != m.Shoe.Law { // of another game than the shoe's
		f.Cites = cited.Citations
	}
	switch {
	case f.Verdict == finding.Unauditable:
	case f.Rule.Severity == finding.Info:
		f.Verdict = finding.Information
	case f.Verdict == "" && !f.Basis.Proves():
		f.Verdict = finding.Suspect
	}
}

// unauditable reports, once a shoe, that a rule cannot be judged; of what, is not known. It covers no other finding.
func (t *Table) unauditable(m *moment, s *shoe, f *rules.Finding) {
	if slices.Contains(s.silent, f.Rule) {
		return
	}
	s.silent = append(s.silent, f.Rule)
	t.weigh(m, f)
	f.Round, f.Seat, f.Subject = 0, 0, finding.Subject{}
	t.emit(m, &entry{finding: *f, at: m.ev.At}, nil)
}

// enter enters a finding; false if it was made before. An unproved finding is UNAUDITABLE.
func (t *Table) enter(m *moment, s *shoe, f *rules.Finding) bool {
	about := mark{f.Rule, f.Round, f.Seat, f.Subject}
	if _, ok := s.made[about]; ok {
		return false
	}
	s.made[about] = struct{}{}
	t.weigh(m, f)
	if f.Verdict != finding.Unauditable && m.otherBook(f) {
		f.Verdict = finding.Unauditable
		f.Observed = "the rulebook changed within the shoe; found: " + f.Observed
	}
	if f.Verdict != finding.Unauditable && !t.proved(m, f) {
		f.Unprove()
	}
	return true
}

// proved is true if no missing event can change a finding.
func (t *Table) proved(m *moment, f *rules.Finding) bool {
	proof, lost := t.Play.Proof(m.Shoe, m.Round, m.rules, f)
	return proof == play.Proved || proof == play.Open && t.pass.Stands(f, lost)
}

// endOfStage emits the findings that nothing covered by the end of a stage.
func (t *Table) endOfStage(m *moment) {
	for _, s := range t.shoes {
		if s.of == m.Shoe {
			t.settle(m, s, func(_ int, e *entry) bool {
				return e.until <= m.rules && (m.Round == nil || e.finding.Round == m.Round.No)
			})
		}
	}
}

func (t *Table) settle(m *moment, s *shoe, due func(int, *entry) bool) {
	if len(s.ledger.entries) == 0 || s.of.Law == nil {
		return
	}
	s.ledger.settle(t.Play.Sets.Of(s.of.LawOf(m.Round)), due, outlet{
		emit:  func(e *entry, covers []string) finding.Finding { return t.emit(m, e, covers) },
		amend: func(f finding.Finding) { *m.out = append(*m.out, f) },
	})
}
