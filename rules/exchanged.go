package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// Two motions of a settlement may be exchanged: in their names, in their seats, or in what was paid. It is one mistake.

// PlaceMotions gives two motions of which each names the wager that the other one settles at its own seat to these
// wagers. The round keeps what the events named as Misplaced.
func PlaceMotions(l *law.Law, r *record.Round) {
	if l == nil || r.Config == nil || r.Config.Game == baccarat.CheminDeFer || r.Missing || len(r.Steps) > mostSteps {
		return
	}
	for i := range r.Steps {
		a := &r.Steps[i]
		if a.Wager < 0 || a.Kind > record.StepReturned || !r.Elsewhere(a) {
			continue
		}
		b := exchangedStep(r, a, r.Steps[i:])
		if b == nil {
			b = exchangedOutcome(l, r, a, r.Steps[i:])
		}
		if b == nil {
			continue
		}
		v, w := &r.Wagers[a.Wager], &r.Wagers[b.Wager]
		if v.Settlements() != 1 || w.Settlements() != 1 || !settles(l, r, a, w) || !settles(l, r, b, v) {
			continue
		}
		r.Misplaced = append(r.Misplaced, record.Misplaced{Seq: a.Seq, Named: a.Wager})
		a.Wager, b.Wager = b.Wager, a.Wager
		v.Paid, w.Paid = w.Paid, v.Paid
		v.Collected, w.Collected = w.Collected, v.Collected
		v.Returned, w.Returned = w.Returned, v.Returned
	}
}

// exchangedStep is the first of some motions with which a motion is exchanged, nil if there is none: each is at the
// seat of the wager that the other one names.
func exchangedStep(r *record.Round, a *record.Step, among []record.Step) *record.Step {
	i := record.Index(among, func(b *record.Step) bool {
		return b.Kind == a.Kind && b.Wager >= 0 && b.Seat != a.Seat && b.Seat == r.Owing(a) && a.Seat == r.Owing(b)
	})
	if i < 0 {
		return nil
	}
	return &among[i]
}

// exchangedOutcome is exchangedStep for motions of two kinds, of which each is what is to become of the wager that the
// other one names: the stake of a loser that is collected, and a winner that is paid.
func exchangedOutcome(l *law.Law, r *record.Round, a *record.Step, among []record.Step) *record.Step {
	c := Settling(l, r)
	becomes := func(m *record.Step, of int) bool {
		kind := [...]baccarat.Disposition{
			record.StepCollected: baccarat.Collect, record.StepPaid: baccarat.Pay, record.StepReturned: baccarat.Return,
		}[m.Kind]
		return c.Complete && outcomeUnder(l, r.Config, &r.Wagers[of], c) == kind
	}
	i := record.Index(among, func(b *record.Step) bool {
		return b.Kind != a.Kind && b.Kind <= record.StepReturned && b.Wager >= 0 && b.Seat != a.Seat &&
			b.Seat == r.Owing(a) && a.Seat == r.Owing(b) && becomes(a, b.Wager) && becomes(b, a.Wager)
	})
	if i < 0 {
		return nil
	}
	return &among[i]
}

// settles reports whether a motion settles a wager exactly.
func settles(l *law.Law, r *record.Round, m *record.Step, w *record.Wager) bool {
	if m.Kind != record.StepPaid {
		return m.Amount == w.Amount
	}
	c := Settling(l, r)
	if !c.Complete || outcomeUnder(l, r.Config, w, c) != baccarat.Pay {
		return false
	}
	odds := oddsUnder(l, r.Config, w, c)
	return odds.Known() && odds.Pays(m.Amount, w.Amount)
}

// exchangedNames suspects two motions that were settled by their seats and not by the wagers that they named.
func (p *Pass) exchangedNames() {
	r := p.Round
	for _, m := range r.Misplaced {
		at := record.Index(r.Steps, func(s *record.Step) bool { return s.Seq == m.Seq })
		if at < 0 || r.Steps[at].Kind > record.StepReturned {
			continue
		}
		named, w := &r.Wagers[m.Named], &r.Wagers[r.Steps[at].Wager]
		p.suspectExchange(named, w, r.Steps[at].Kind, w.Seat)
	}
}

// suspectExchange suspects that the motions of two wagers were exchanged: that of the first one is at a seat of the
// other.
func (p *Pass) suspectExchange(v, w *record.Wager, kind record.StepKind, at uint32) {
	f := Finding{
		Subject: finding.OfWager(v.ID), Parts: []finding.Subject{finding.OfWager(w.ID)}, Amount: abs(moved(v) - moved(w)),
		Evidence: append(moneyEvidence(v, p.Round), moneyEvidence(w, p.Round)...),
		Expected: fmt.Sprintf("%s wagers of seats %d and %d each settled at its seat", p.spot(v), v.Seat, w.Seat),
		Observed: fmt.Sprintf("%s at seat %d for the wager of seat %d, and at seat %d for that of seat %d",
			motionWords[kind], at, v.Seat, v.Seat, at),
	}
	if v.Disposition() != w.Disposition() {
		f.Amount = max(moved(v), moved(w))
		f.Expected = fmt.Sprintf(
			"%s wager of seat %d and %s wager of seat %d each settled at its seat", p.spot(v), v.Seat, p.spot(w), w.Seat,
		)
		f.Observed = fmt.Sprintf("%s at seat %d for the wager of seat %d, and %s at seat %d for that of seat %d",
			motionWords[kind], at, v.Seat, p.settled(v), v.Seat, at)
	}
	p.citeVoid(&f)
	p.Suspect(f)
}

// offBy is a wager of which the player gained an amount that was not due, and the rule that reports it.
type offBy struct {
	rule  *Rule
	wager *record.Wager
	by    int64
}

// exchanged joins the finding about a wager of which the player gained an amount to the finding about a wager of which
// the player lost it, and reports whether there is one: what one player lacks the other one has. The wagers are on one
// spot, or of one player, who has of each what was due for the other one. A wager of which a motion is not known has no
// part in it. Wagers of a seat whose patron is not known may be of one player.
func (p *Pass) exchanged(f *Finding, w *record.Wager, by int64) bool {
	if at, _ := p.astray(f); at != 0 {
		return false
	}
	for i, o := range p.offs {
		at := p.reported(o)
		spot := o.wager.Spot == w.Spot && o.wager.SpotName == w.SpotName
		player := w.IsOfPlayerOf(o.wager)
		swapped := w.MayBeOf(o.wager) && moved(w) == o.due() && o.wager.Disposition() == w.Disposition()
		if o.by != -by || at < 0 || !spot && !swapped {
			continue
		}
		p.offs = slices.Delete(p.offs, i, i+1)
		if spot && player {
			p.Findings = slices.Delete(p.Findings, at, at+1) // the player has what is due: no clause wants a motion for each
			return true
		}
		g := &p.Findings[at]
		if w.MayBeOf(o.wager) {
			g.Verdict = finding.Suspect
		}
		if !spot {
			p.citeBoth(g, f)
		}
		g.join(f)
		return true
	}
	if p.exchangedInTurn(f, w, by) {
		return true
	}
	p.offs = append(p.offs, offBy{p.rule, w, by})
	return false
}

// crossed joins the finding about the outcome of a wager to the finding about another wager of its player, if the
// winner of the two was collected and the loser paid, and reports whether it did. If what moved is what is due for
// both, it is suspected: the events do not prove which of the two a motion is about. A dragon 7 that is taken for a
// panda 8, or the reverse, is one mistake.
func (p *Pass) crossed(f *Finding, w *record.Wager) bool {
	for i := range p.Findings {
		g := &p.Findings[i]
		id, one := g.Subject.Wager()
		at := record.Index(p.Round.Wagers, func(o *record.Wager) bool { return o.ID == id })
		if !one || at < 0 || g.Verdict != "" || len(g.Parts) > 0 || !strings.HasPrefix(g.Rule.Name, "outcome.") {
			continue
		}
		o := &p.Round.Wagers[at]
		lacks, crossed := p.crossing(w, o)
		if !crossed || lacks != 0 && !(isInsurance(w) && isInsurance(o)) {
			continue
		}
		if g.Amount = abs(lacks); lacks == 0 {
			g.Verdict, g.Amount = finding.Suspect, max(moved(w), moved(o))
		}
		p.citeBoth(g, f)
		g.join(f)
		return true
	}
	return false
}

// crossing reports whether of two wagers of one player the winner was collected, and the loser paid, each in one
// motion, and how much less than what is due for both the player has.
func (p *Pass) crossing(won, lost *record.Wager) (lacks int64, crossed bool) {
	if won.Disposition() == baccarat.Pay {
		won, lost = lost, won
	}
	if !won.IsOfPlayerOf(lost) || won.Disposition() != baccarat.Collect || lost.Disposition() != baccarat.Pay ||
		p.disposition(lost) != baccarat.Collect || won.Settlements() != 1 || lost.Settlements() != 1 {
		return 0, false
	}
	_, due := p.Due(won)
	return due + moved(won) - moved(lost) - lost.Amount, due > 0
}

// citeBoth adds the citations of f, a finding of the rule that is evaluated, to g.
func (p *Pass) citeBoth(g, f *Finding) {
	g.Cites = append(p.clauses(g, g.Rule), p.clauses(f, p.rule)...)
	slices.Sort(g.Cites)
	g.Cites = slices.Compact(g.Cites)
}

// clauses are the citations of a finding of a rule.
func (p *Pass) clauses(f *Finding, of *Rule) []string {
	if len(f.Cites) > 0 {
		return slices.Clone(f.Cites)
	}
	return p.cited(true, of.Name)
}

// reported is the index of the finding about an amount that was not due, -1 if there is none that accuses.
func (p *Pass) reported(o offBy) int {
	return record.Index(p.Findings, func(g *Finding) bool {
		return g.Rule == o.rule && g.Subject == finding.OfWager(o.wager.ID) && g.Verdict == ""
	})
}

// due is what had to move for a wager.
func (o offBy) due() int64 {
	if o.wager.Disposition() == baccarat.Collect {
		return moved(o.wager) + o.by
	}
	return moved(o.wager) - o.by
}

// exchangedInTurn joins the findings about wagers on one spot, of different players, if for each the amount moved that
// was due for the next one, and reports whether there are such.
func (p *Pass) exchangedInTurn(f *Finding, w *record.Wager, by int64) bool {
	last, turn := offBy{p.rule, w, by}, []int(nil)
	for amount := moved(w); amount != last.due(); {
		next := slices.IndexFunc(p.offs, func(o offBy) bool {
			return o.due() == amount && o.wager.Spot == w.Spot && o.wager.SpotName == w.SpotName &&
				o.wager.Disposition() == w.Disposition() && !o.wager.MayBeOf(w) && p.reported(o) >= 0
		})
		if next < 0 || slices.Contains(turn, next) {
			return false
		}
		turn, amount = append(turn, next), moved(p.offs[next].wager)
	}
	if len(turn) < 2 {
		return false
	}
	slices.Sort(turn)
	first, lost := p.offs[turn[0]], max(0, -by)
	for n, i := range turn {
		lost += max(0, -p.offs[i].by)
		if n > 0 {
			at := p.reported(p.offs[i])
			other := p.Findings[at]
			p.Findings = slices.Delete(p.Findings, at, at+1)
			p.Findings[p.reported(first)].join(&other)
		}
	}
	for _, i := range slices.Backward(turn) {
		p.offs = slices.Delete(p.offs, i, i+1)
	}
	g := &p.Findings[p.reported(first)]
	g.join(f)
	g.Amount = lost
	return true
}

// join makes the finding about a wager one about another wager too.
func (f *Finding) join(other *Finding) {
	if len(f.Parts) == 0 {
		f.Observed = fmt.Sprintf("%s at seat %d", f.Observed, f.Seat)
	}
	f.Observed = fmt.Sprintf("%s, %s at seat %d", f.Observed, other.Observed, other.Seat)
	f.Expected += "; " + other.Expected
	f.Evidence = append(f.Evidence, other.Evidence...)
	if f.Parts = append(f.Parts, other.Subject); f.Seat != other.Seat {
		f.Seat = 0
	}
}
