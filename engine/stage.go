package engine

import (
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// ask asks the rules of a stage about a round, or about the shoe when r is nil.
func (t *table) ask(s *shoe, r *record.Round, stage rules.Stage, b *rows.Set) {
	if !t.passOf(s, r) {
		return
	}
	t.pass.Evaluate(stage)
	t.report(s, r, stage, b)
}

// passOf sets up what the rules may look at; false when no law is known.
func (t *table) passOf(s *shoe, r *record.Round) bool {
	config := s.config
	if r != nil && r.Config != nil {
		config = r.Config
	}
	if s.law == nil || config == nil {
		return false
	}
	if t.pass.Law != s.law {
		t.pass.Law, t.pass.Rules = s.law, t.engine.rulesOf(s.law)
	}
	t.pass.Config, t.pass.Shoe, t.pass.Round, t.pass.Table = config, &s.Shoe, r, &t.memory
	return true
}

// prepare asks about a shoe's preparation when its first card is dealt: until then a step of it may
// still come. Rules that lack their feed are said to be unauditable, once.
func (t *table) prepare(s *shoe, b *rows.Set) {
	if s.law == nil || s.config == nil {
		s.law, s.config = t.law, t.config
	}
	if !t.passOf(s, nil) {
		t.notice(b, "feed.gap", finding.OfRange(uint64(s.First), uint64(s.First)), "the table's configuration", "none was seen: the shoe cannot be audited")
		return
	}
	t.inherit(s)
	for _, rule := range t.pass.Rules.Rules() {
		if lacks := rule.Needs &^ s.config.Feeds; lacks != 0 {
			t.cannotAudit(s, rule, "the table does not report "+lacks.String(), b)
		}
	}
	t.ask(s, nil, rules.Prepared, b)
}

// changed asks about configurations that came into force since a card was last dealt.
func (t *table) changed(s *shoe, b *rows.Set) {
	changes := t.memory.Changes
	if n := len(changes); n == 0 || changes[n-1].Judged {
		return
	}
	t.ask(s, nil, rules.Changed, b)
	for i := range changes {
		changes[i].Judged = true
	}
}

// dealt asks about the deal once it is over: a result was called, money moved or the end was
// recorded, and no card is due any more. While one is due, a call or a payment alone may be the
// error; both together, or the recorded end, are not.
func (t *table) dealt(s *shoe, r *record.Round, b *rows.Set) {
	p := &s.progress
	if p.dealt || s.law == nil {
		return
	}
	certain := r.Ended.Seq != 0 || (p.called && p.moneyMoved)
	if !certain && s.law.CardsDue(r.Coup()) > 0 {
		return
	}
	p.dealt = true
	t.ask(s, r, rules.Dealt, b)
}

// recorded asks once more what the recorded end of a round completes.
func (t *table) recorded(s *shoe, r *record.Round, b *rows.Set) {
	if r == s.round && !s.progress.dealt {
		t.dealt(s, r, b)
	}
	if t.passOf(s, r) {
		t.pass.EvaluateAgain()
		t.report(s, r, rules.Dealt, b)
	}
}

// finishDealing asks about a deal that nothing ended: the next round has begun, or the shoe is over.
func (t *table) finishDealing(s *shoe, b *rows.Set) {
	r := s.round
	if !s.progress.dealt && len(r.Cards) > 0 && r.Voided.Seq == 0 && s.law != nil {
		s.progress.dealt = true
		t.ask(s, r, rules.Dealt, b)
	}
}

// settle judges a round's settlement and takes it into the shoe.
func (t *table) settle(s *shoe, which **record.Round, b *rows.Set) {
	r := *which
	if r == nil {
		return
	}
	*which = nil
	s.Enter(r, rules.Settling(s.law, r))
	for _, c := range s.later {
		t.owing(s, c.seat).Collect(c.seat, c.amount, c.wagers, c.seq)
	}
	s.later = s.later[:0]
	t.ask(s, r, rules.Settled, b)
	t.endOfStage(s, r.No, rules.Settled, b)
	t.bankRound(s, r)
	t.roundRows(s, r, b)
	t.suspect(s, b)
	t.engine.Counts.Rounds++
	t.rounds = append(t.rounds, r)
}

// bankRound keeps what later rounds of chemin de fer look back on.
func (t *table) bankRound(s *shoe, r *record.Round) {
	if r.Bank == 0 {
		return
	}
	w := &r.Wagers[r.Bank-1]
	s.Bank = append(s.Bank, record.BankRound{No: r.No, Banker: w.Seat, Amount: w.Amount, Result: result(r, r.Coup()), Against: r.Against()})
}

// closeOne judges a shoe as a whole.
func (t *table) closeOne(s *shoe, b *rows.Set) {
	if s.closed {
		return
	}
	s.closed = true
	t.carryOn(s)
	if s.prepared {
		t.ask(s, nil, rules.Closed, b)
	}
	t.endOfStage(s, 0, rules.Closed, b)
	t.suspectShoe(s, b)
	t.shoeRows(s, b)
	t.engine.Counts.Shoes++
}
