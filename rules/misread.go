package rules

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// OtherCard is another reading of a card: its index in Round.Cards, and the card that it may have been.
type OtherCard struct {
	At int
	As baccarat.Card
}

// Reading is another reading of one card of a round, or of two, and what it explains.
type Reading struct {
	Cards []OtherCard
	// explained are the findings that vanish under this reading, left the findings under it.
	explained map[about]bool
	left      map[about]Finding
	// Of the reading that is chosen: beside are the findings that only it makes, mayExplain those that vanish under it or
	// under another reading that explains enough.
	beside     []Finding
	mayExplain map[about]bool
	// leaves is the number of findings left that depend on the cards.
	leaves int
	// or are other cards of which another reading explains the same, and leaves as few.
	or []OtherCard
	// unjudged is how many counts of the cards as read were called, where no rule judges the calls, that this reading does
	// not have.
	unjudged int
	// valueAgrees: the value reported with the card is the value of this reading.
	valueAgrees bool
	// counted: the recorded counts are the counts of the cards as read, and not of this reading.
	counted bool
}

// maxExplained is the number of findings of a round above which no misread card is looked for: more than the wagers of
// a full table, and a bound on the time that a hostile round takes.
const maxExplained = 256

// maxReread is the number of facts of a round above which no misread card is looked for: more than a full table has,
// and a bound on the time that a hostile round takes.
const maxReread = 1024

// about identifies a finding within a pass.
type about struct {
	rule    *Rule
	seat    uint32
	subject finding.Subject
}

func (f *Finding) about() about { return about{f.Rule, f.Seat, f.Subject} }

// accuses reports whether a finding names conduct: it claims a breach, or suspects one.
func (f *Finding) accuses() bool {
	return f.Verdict != finding.Unauditable && f.Verdict != finding.Information && f.Rule.Severity != finding.Info
}

// Accuses reports whether the pass holds a finding that claims or suspects a breach.
func (p *Pass) Accuses() bool {
	return slices.ContainsFunc(p.Findings, func(f Finding) bool { return f.accuses() })
}

// maxPairs bounds the readings of two cards that are evaluated for a round.
const maxPairs = 64

// Reread looks for one card of the round that may have been misread, or for two: under the other reading the findings
// that depend on the cards vanish, since calls, counts, draws, result and payments agree with one another and only the
// reader contradicts them. What the reading leaves is a breach beside the misread card. If what is left depends on the
// cards as well, the reading must explain more than it assumes. Two misread cards must explain more than one does.
// Reread is called at Dealt and at Settled, before the other reading is in the record.
func (p *Pass) Reread(stage Stage) (Reading, bool) {
	if len(p.Findings) > maxExplained || p.Round.Facts() > maxReread {
		return Reading{}, false
	}
	asRead, _ := p.accusations(p.Round, stage)
	one, ok := p.rereadOne(asRead, stage)
	if ok && one.leaves == 0 {
		return one, true
	}
	if two, found := p.rereadTwo(asRead, stage); found && (!ok || two.net() > one.net()) {
		maps.Copy(two.mayExplain, one.mayExplain)
		return two, true
	}
	return one, ok
}

func (p *Pass) rereadOne(asRead map[about]Finding, stage Stage) (Reading, bool) {
	readings := p.readings(asRead, stage, true)
	if stage == Settled { // until then the recorded counts may yet be corrected
		if best := simplest(readings, asRead); best != nil {
			return *best, true
		}
	}
	readings = append(readings, p.readings(asRead, stage, false)...)
	if best := simplest(readings, asRead); best != nil {
		return *best, true
	}
	return Reading{}, false
}

// rereadTwo looks for two cards of a round that may have been misread. Two cards explain much, so the counts that were
// recorded or called must contradict the cards as read, and the other reading must agree with them and explain more
// than it assumes. The values that the same reader reported are no witness. If no reading agrees with all counts, the
// recorded one and four that were called, one of these may be wrong under both readings. Until the round is settled,
// the recorded counts may be corrected.
func (p *Pass) rereadTwo(asRead map[about]Finding, stage Stage) (Reading, bool) {
	r, best := p.Round, Reading{}
	_, against, _ := counts(r, r)
	if r.Ended.Result == baccarat.Void || !r.Coup().Complete || recorded(r) && against == 0 {
		return best, false
	}
	for wrong := 0; wrong < 2 && len(best.Cards) == 0; wrong++ {
		best = p.bestOfPairs(asRead, stage, wrong)
	}
	best.mayExplain = maps.Clone(best.explained)
	return best, len(best.Cards) > 0
}

// bestOfPairs is the reading of two cards that explains most, of those which a number of counts contradict.
func (p *Pass) bestOfPairs(asRead map[about]Finding, stage Stage, wrong int) (best Reading) {
	evaluated := 0
	for two, cards := range p.readingsOfTwo(p.Round) {
		if n, possible := p.contradicted(two, stage); !possible || n != wrong {
			continue
		}
		if evaluated++; evaluated > maxPairs {
			break
		}
		reading := p.reading(asRead, two, stage, cards...)
		for a := range asRead {
			if a.rule.Name == "count.card-values" {
				reading.explained[a] = true
			}
		}
		reading.beside = reading.madeAlone(asRead)
		if len(reading.explained) >= 2+2*len(reading.beside) && reading.net() > best.net() {
			best = reading
		}
	}
	return best
}

// recorded reports whether the recorded counts, if there are any, are the counts of the cards.
func recorded(r *record.Round) bool { return r.Ended.Seq == 0 || r.Ended.Matches(r.Coup()) }

// contradicted is how many counts contradict another reading of two cards, and whether they leave it possible.
func (p *Pass) contradicted(two *record.Round, stage Stage) (wrong int, possible bool) {
	right, wrong, both := counts(two, p.Round)
	if stage == Settled && two.Ended.Seq != 0 {
		if recorded(two) {
			right++
		} else if wrong++; !recorded(p.Round) {
			both++
		}
	}
	return wrong, wrong == 0 || wrong == 1 && both == 1 && (right > 3 || right == 3 && stage < Settled)
}

// readingsOfTwo yields the round with each other reading of one of its cards, which may explain as much, then of each
// two.
func (p *Pass) readingsOfTwo(r *record.Round) iter.Seq2[*record.Round, []OtherCard] {
	return func(yield func(*record.Round, []OtherCard) bool) {
		for i := range r.Cards {
			for _, as := range p.otherCards(&r.Cards[i]) {
				if !yield(r.With(i, as), []OtherCard{{i, as}}) {
					return
				}
			}
		}
		for i := range r.Cards {
			for _, first := range p.otherCards(&r.Cards[i]) {
				one := r.With(i, first)
				for j := i + 1; j < len(r.Cards); j++ {
					for _, second := range p.otherCards(&r.Cards[j]) {
						if !yield(one.With(j, second), []OtherCard{{i, first}, {j, second}}) {
							return
						}
					}
				}
			}
		}
	}
}

// counts is how many counts were called that are the counts of the cards, how many that are not, and how many of these
// are not the counts of the cards as read either. A count that was called again was put right.
func counts(r, read *record.Round) (right, wrong, both int) {
	for i := range r.Calls {
		call := &r.Calls[i]
		switch {
		case call.Code != baccarat.PointCount && call.Code != baccarat.FinalCount,
			record.Any(r.Calls[i+1:], func(o *record.Call) bool { return o.Code == call.Code && o.Hand == call.Hand }):
		case isCount(r, call):
			right++
		case isCount(read, call):
			wrong++
		default:
			wrong, both = wrong+1, both+1
		}
	}
	return right, wrong, both
}

// isCount reports whether a call has the count of the cards.
func isCount(r *record.Round, call *record.Call) bool {
	c := r.Coup()
	p, b := c.P, c.B
	if call.Code == baccarat.PointCount {
		p, b = c.P2, c.B2
	}
	if call.Hand == baccarat.Banker {
		p = b
	}
	return call.Value == uint32(p)
}

// readings are the other readings of one card of the round whose counts match the recorded counts, or do not.
func (p *Pass) readings(asRead map[about]Finding, stage Stage, matching bool) []Reading {
	var readings []Reading
	for i := range p.Round.Cards {
		for _, as := range p.otherCards(&p.Round.Cards[i]) {
			other := p.Round.With(i, as)
			if ended := &p.Round.Ended; (ended.Seq == 0 || ended.Uncounted() || ended.MatchesCounts(other.Coup())) != matching {
				continue
			}
			reading := p.reading(asRead, other, stage, OtherCard{i, as})
			if !p.judges("announce.final-counts") {
				_, wrong, both := counts(other, p.Round)
				reading.unjudged = wrong - both
			}
			readings = append(readings, reading)
		}
	}
	return readings
}

// reading is what a round with other cards explains and leaves. A finding that is information under it, with the same
// expectation, has not vanished: the act stays, and the cards only decide its weight.
func (p *Pass) reading(asRead map[about]Finding, other *record.Round, stage Stage, cards ...OtherCard) Reading {
	ended := &p.Round.Ended
	r := Reading{
		Cards: cards, explained: map[about]bool{},
		counted: ended.Seq != 0 && !ended.Uncounted() && ended.MatchesCounts(p.Round.Coup()) &&
			!ended.MatchesCounts(other.Coup()),
	}
	left, informs := p.accusations(other, stage)
	r.left = left
	for a, f := range asRead {
		if _, ok := left[a]; !ok && informs[a] != f.Expected {
			r.explained[a] = true
			r.valueAgrees = r.valueAgrees || a.rule.Name == "count.card-values"
		}
	}
	return r
}

// simplest is the reading that leaves the fewest findings that depend on the cards, nil if none explains enough. A
// finding depends on the cards if it vanishes under any reading.
func simplest(readings []Reading, asRead map[about]Finding) *Reading {
	depends := map[about]bool{}
	for k := range readings {
		maps.Copy(depends, readings[k].explained)
	}
	var best *Reading
	var or []OtherCard
	fewest, may := 0, map[about]bool{}
	for k := range readings {
		r := &readings[k]
		n := r.unjudged
		for a := range r.left {
			if _, before := asRead[a]; !before || depends[a] {
				n++
			}
		}
		explained := len(r.explained)
		if r.valueAgrees {
			explained += 2 // the device or the board reported another value than the reader read
		}
		if len(r.explained) == 0 || n > 0 && explained <= n+1 || r.refuted(asRead) {
			continue
		}
		maps.Copy(may, r.explained)
		at := r.Cards[0].At
		switch {
		case best == nil || n < fewest:
			best, fewest, or = r, n, nil
		case n == fewest && maps.Equal(r.explained, best.explained) && r.valueAgrees == best.valueAgrees &&
			at != best.Cards[0].At && !slices.ContainsFunc(or, func(o OtherCard) bool { return o.At == at }):
			or = append(or, r.Cards[0])
		}
	}
	if best != nil {
		best.mayExplain, best.beside, best.leaves, best.or = may, best.madeAlone(asRead), fewest, or
	}
	return best
}

// refuted reports whether two witnesses of the deal agree with the card as read, and not with the reading: a call, the
// recorded counts, the draw, and the instruction. What follows from a result that was called wrong, as all its
// payments, is one error.
func (r *Reading) refuted(asRead map[about]Finding) bool {
	witnesses := map[string]bool{}
	if r.counted {
		witnesses["count"] = true
	}
	for a := range r.left {
		if _, before := asRead[a]; before {
			continue
		}
		switch family, _, _ := strings.Cut(a.rule.Name, "."); {
		case family == "draw", family == "announce", a.rule.Name == "deal.instruction-conformity":
			witnesses[family] = true
		}
	}
	return len(witnesses) > 1
}

// madeAlone are the findings that only the reading makes, sorted by all that identifies them. The value that the same
// reader reported with the card is no witness.
func (r *Reading) madeAlone(asRead map[about]Finding) []Finding {
	var alone []Finding
	for a, f := range r.left {
		if _, before := asRead[a]; !before && a.rule.Name != "count.card-values" {
			f.Verdict = finding.Suspect
			alone = append(alone, f)
		}
	}
	slices.SortFunc(alone, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Rule.Name, b.Rule.Name), cmp.Compare(a.Seat, b.Seat), a.Subject.Compare(b.Subject))
	})
	return alone
}

// net is how many more findings the reading explains than it makes.
func (r *Reading) net() int { return len(r.explained) - len(r.beside) }

// Explains reports whether a finding vanishes under the reading.
func (r *Reading) Explains(f *Finding) bool { return r.explained[f.about()] }

// Restate gives a finding that the reading leaves the facts that it has under the reading, unless that leaves findings
// which depend on the cards. It claims no more than under either reading.
func (r *Reading) Restate(f *Finding) {
	left, ok := r.left[f.about()]
	if !ok || left.Expected == f.Expected && left.Observed == f.Observed {
		return
	}
	if f.Verdict == finding.Suspect || left.Verdict == finding.Suspect {
		f.Verdict, left.Verdict = finding.Suspect, finding.Suspect
	}
	if r.leaves == 0 {
		*f = left
	}
}

// Dissolves reports whether a finding made earlier does not hold under the reading: it vanishes, or it is about the
// deal, and the result that was recorded since contradicts it as well.
func (r *Reading) Dissolves(f *Finding) bool {
	_, left := r.left[f.about()]
	return r.Explains(f) || f.Rule.At == Dealt && !left
}

// MayExplain reports whether a finding vanishes under the reading, or under another that explains enough.
func (r *Reading) MayExplain(f *Finding) bool { return r.mayExplain[f.about()] }

// Beside are the findings that only the reading makes. They are SUSPECT, since they rest on a card that was read as
// another one.
func (r *Reading) Beside() []Finding { return r.beside }

// ReaderSuspected is the finding about one card that may have been misread, or about two.
func (p *Pass) ReaderSuspected(reading *Reading, explained []record.Seq) Finding {
	f := Finding{
		Rule: readerSuspected, Cites: []string{finding.FeedClause}, Round: p.Round.No, Verdict: finding.Suspect,
		Expected: "cards that agree with the calls, counts, draws, result and payments of the round",
	}
	if entry, ok := p.Law.Cited(readerSuspected.Name); ok {
		f.Cites = entry.Citations
	}
	var read, as []string
	for _, m := range p.Round.Misreads {
		if m.Card == 0 {
			continue
		}
		c := &p.Round.Cards[m.Card-1]
		if f.Evidence = append(f.Evidence, c.Seq); len(read) == 0 {
			f.Subject = finding.OfCard(c.CardSeq)
		} else {
			f.Parts = []finding.Subject{finding.OfCard(c.CardSeq)}
		}
		read = append(read, fmt.Sprintf("card %d of the shoe read as %v", c.CardSeq, m.Read))
		as = append(as, c.Card.String())
	}
	agrees := []string{strings.Join(as, " and ") + " everything agrees"}
	for _, o := range reading.or {
		c := &p.Round.Cards[o.At]
		f.Evidence = append(f.Evidence, c.Seq)
		agrees = append(agrees, fmt.Sprintf("or with card %d, read as %v, as %v", c.CardSeq, c.Card, o.As))
	}
	f.Evidence = append(f.Evidence, explained...)
	f.Observed = fmt.Sprintf("%s; as %s: the reader is suspected", strings.Join(read, ", "), strings.Join(agrees, ", "))
	return f
}

// accusations evaluates the rules about the cards of a round up to a stage, without a trace in the pass. Informs has
// what the findings that are information expected.
func (p *Pass) accusations(r *record.Round, stage Stage) (accuse map[about]Finding, informs map[about]string) {
	q := *p
	q.Round, q.charged, q.Findings, q.ruled = r, nil, nil, nil
	accuse, informs = map[about]Finding{}, map[about]string{}
	for at := Dealt; at <= stage; at++ {
		q.Evaluate(at)
		for i := range q.Findings {
			switch f := &q.Findings[i]; {
			case f.accuses():
				accuse[f.about()] = *f
			case f.Verdict == finding.Information:
				informs[f.about()] = f.Expected
			}
		}
	}
	return accuse, informs
}

// otherCards are the cards of the same suit that a card may be mistaken for; none if it was not read, or if it was
// burned and the burn names the card that was read.
func (p *Pass) otherCards(d *record.DealtCard) []baccarat.Card {
	c := d.Card
	if c == baccarat.Unread || d.Fate == record.Burned && p.Shoe.Burns[d.Burn].Indicator == c {
		return nil
	}
	others := make([]baccarat.Card, 0, 12)
	for rank := uint8(1); rank <= 13; rank++ {
		if other := baccarat.NewCard(rank, c.Suit()); other != c {
			others = append(others, other)
		}
	}
	return others
}
