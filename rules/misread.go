package rules

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// Reading is another reading of one card of a round, and what it explains.
type Reading struct {
	// Card is the index in Round.Cards, As the card that it may have been.
	Card int
	As   baccarat.Card
	// explained are the findings that vanish under this reading.
	explained map[about]bool
}

// maxExplained is the number of findings of a round above which no misread card is looked for: more than the wagers of
// a full table, and a bound on the time that a hostile round takes.
const maxExplained = 256

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

// Reread looks for one card of the round that may have been misread. Under the other reading every finding that depends
// on the cards vanishes, and no new one appears: calls, counts, draws, result and payments agree with one another, and
// only the reader contradicts them. It is called at Dealt and at Settled, before the other reading is in the record.
func (p *Pass) Reread(stage Stage) (Reading, bool) {
	if len(p.Findings) > maxExplained {
		return Reading{}, false
	}
	asRead := p.accusations(p.Round, stage)
	var readings []Reading
	var left []map[about]bool
	depends := map[about]bool{}
	for i := range p.Round.Cards {
		for _, as := range otherRanks(p.Round.Cards[i].Card) {
			other := p.Round.With(i, as)
			if ended := &p.Round.Ended; ended.Seq != 0 && !ended.MatchesCounts(other.Coup()) {
				continue
			}
			found := p.accusations(other, stage)
			explained := map[about]bool{}
			for a := range asRead {
				if !found[a] {
					explained[a], depends[a] = true, true
				}
			}
			if len(explained) > 0 && len(found)+len(explained) == len(asRead) {
				readings, left = append(readings, Reading{i, as, explained}), append(left, found)
			}
		}
	}
	for k := range readings {
		if !sharesKey(left[k], depends) {
			return readings[k], true
		}
	}
	return Reading{}, false
}

// Explains reports whether a finding vanishes under the reading.
func (r *Reading) Explains(f *Finding) bool { return r.explained[f.about()] }

// ReaderSuspected is the finding about a card that may have been misread.
func (p *Pass) ReaderSuspected(explained []record.Seq) Finding {
	c := &p.Round.Cards[p.Round.Misread.Card-1]
	cites := []string{finding.FeedClause}
	if entry, ok := p.Law.Cited(readerSuspected.Name); ok {
		cites = entry.Citations
	}
	return Finding{
		Rule: readerSuspected, Cites: cites, Round: p.Round.No, Subject: finding.OfCard(c.CardSeq), Verdict: finding.Suspect,
		Evidence: append([]record.Seq{c.Seq}, explained...),
		Expected: "cards that agree with the calls, counts, draws, result and payments of the round",
		Observed: fmt.Sprintf("card %d of the shoe read as %v; as %v everything agrees: the reader is suspected",
			c.CardSeq, p.Round.Misread.Read, c.Card),
	}
}

// accusations evaluates the rules about the cards of a round up to a stage, without a trace in the pass.
func (p *Pass) accusations(r *record.Round, stage Stage) map[about]bool {
	q := *p
	q.Round, q.charged, q.Findings = r, nil, nil
	found := map[about]bool{}
	for at := Dealt; at <= stage; at++ {
		q.Evaluate(at)
		for i := range q.Findings {
			if f := &q.Findings[i]; f.accuses() {
				found[f.about()] = true
			}
		}
	}
	return found
}

// otherRanks are the cards of the same suit that a card may be mistaken for; none if it was not read.
func otherRanks(c baccarat.Card) []baccarat.Card {
	if c == baccarat.Unread {
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

func sharesKey(a, b map[about]bool) bool {
	for key := range a {
		if b[key] {
			return true
		}
	}
	return false
}
