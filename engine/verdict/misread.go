package verdict

import (
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
)

// evaluateCards evaluates the rules of a stage of a round whose cards are dealt. Where another reading of one card
// explains what was found, the reader is suspected and no person: until the round is settled such findings are
// deferred, then a finding about the card covers them, unless the payments contradict the other reading.
func (t *Table) evaluateCards(m *moment, stage rules.Stage, evaluate func(rules.Stage)) {
	m.rules = stage
	if m.full() || !t.Play.View(&t.pass, m.Shoe, m.Round) {
		return
	}
	reread := m.Round.Misreads[0].Card > 0
	m.Round.AsRead()
	evaluate(stage)
	if !reread && !t.pass.Accuses() {
		t.report(m)
		return
	}
	reading, ok := t.pass.Reread(stage)
	if ok {
		t.explain(m, &reading)
	}
	if reread && stage == rules.Settled && m.Round.Missing {
		t.unprove(m)
	}
	t.report(m)
}

// unprove makes the findings of a round that its deal deferred UNAUDITABLE: another reading of its cards explained them
// then, and what would show which of the readings is right is lost.
func (t *Table) unprove(m *moment) {
	s := t.of(m.Shoe)
	for i := range s.ledger.entries {
		e := &s.ledger.entries[i]
		if f := &e.finding; e.state == deferred && f.Round == m.Round.No && f.Rule.At == rules.Dealt &&
			f.Verdict != finding.Unauditable && f.Verdict != finding.Information {
			f.Unprove()
		}
	}
}

// explain takes the findings that a reading explains from the pass and defers them. At Settled the finding about the
// card covers them. What it leaves has the facts of the reading.
func (t *Table) explain(m *moment, reading *rules.Reading) {
	s := t.of(m.Shoe)
	rest := t.pass.Findings[:0]
	for _, f := range t.pass.Findings {
		switch {
		case !reading.Explains(&f) && (m.rules == rules.Settled || !reading.MayExplain(&f)):
			reading.Restate(&f)
			rest = append(rest, f)
		case t.enter(m, s, &f):
			s.ledger.add(&f, rules.Settled, m.ev.At)
		}
	}
	t.pass.Findings = rest
	for _, other := range reading.Cards {
		m.Round.Reread(other.At, other.As)
	}
	if m.rules != rules.Settled {
		return
	}
	t.pass.Findings = append(t.pass.Findings, reading.Beside()...)
	var explained []record.Seq
	var losers []int
	for i := range s.ledger.entries {
		e := &s.ledger.entries[i]
		if e.state == deferred && e.finding.Round == m.Round.No && reading.Dissolves(&e.finding) {
			losers = append(losers, i)
			explained = append(explained, e.finding.Evidence...)
		}
	}
	for i := range reading.Cards {
		if n := &m.Shoe.Seen[m.Round.Misreads[i].Read]; *n > 0 { // a kept card may have counted as another
			*n-- // which card it was is not known
		}
		m.Shoe.Misreads++
	}
	f := t.pass.ReaderSuspected(reading, explained)
	if !t.enter(m, s, &f) {
		return
	}
	s.ledger.add(&f, rules.Settled, m.ev.At)
	for _, i := range losers {
		s.ledger.entries[i].state, s.ledger.entries[i].coveredBy = covered, len(s.ledger.entries)-1
	}
}
