package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

var discardFamily = []*Rule{
	{
		Name:     "discard.order-preserved",
		Doc:      "All cards of a round go to the discard rack in an order that shows both hands.",
		Breach:   "Cards mixed.",
		Severity: finding.Minor, At: Settled, Needs: baccarat.FeedRack, Check: checkDiscards,
	},
}

// DiscardPlaces are the words of the contract for a destination that is no discard rack.
func DiscardPlaces() []string { return []string{"discard-bucket", "layout", "shoe", "shuffler"} }

func checkDiscards(p *Pass) {
	r := p.Round
	if r.Ended.Seq == 0 || p.cancelled() {
		return
	}
	put := p.numbers[:0]
	for i := range r.Discards {
		if !p.discardPlace(&r.Discards[i]) {
			return
		}
		put = append(put, r.Discards[i].Cards...)
	}
	p.numbers = put
	switch early := p.discardedEarly(); {
	case early != nil:
		p.Report(*early)
	case r.Next != 0:
		p.discarded(put, r.Next)
	case p.Shoe.Ended.Seq != 0:
		p.discarded(put, p.Shoe.Ended.Seq)
	case p.Shoe.TableClosed != 0 && len(r.Discards) == 0:
		p.CannotJudge("the table closed before the discards of its last round were reported", r.Ended.Seq)
	}
}

// discardedEarly is the finding about the cards of a hand that were picked up before the result was announced, or
// before the wagers were paid: that is done "at the conclusion of a round of play". That it is not concluded before the
// payments is not in the sentence. 9 NYCRR 5324.21(i)(1), (2), (4).
func (p *Pass) discardedEarly() *Finding {
	r := p.Round
	i := record.Index(r.Discards, func(d *record.Discarded) bool {
		return record.Any(r.Cards, func(c *record.DealtCard) bool {
			return c.Final != baccarat.NoHand && slices.Contains(d.Cards, c.CardSeq)
		})
	})
	if i < 0 {
		return nil
	}
	first := r.Discards[i].Seq
	result := record.Index(r.Calls, func(c *record.Call) bool { return c.Code.Declares() })
	if result >= 0 && p.Config.Reports(baccarat.FeedAnnouncements) && first < r.Calls[result].Seq {
		return &Finding{
			Expected: "cards picked up after the result was announced", Observed: "picked up before",
			Evidence: []record.Seq{first, r.Calls[result].Seq},
		}
	}
	paid := record.Index(r.Steps, func(s *record.Step) bool { return s.Kind == record.StepPaid })
	if paid >= 0 && first < r.Steps[paid].Seq && p.Config.Reports(baccarat.FeedSettlement) {
		return &Finding{
			Verdict: finding.Suspect, Expected: "cards picked up after the wagers were paid", Observed: "picked up before",
			Evidence: []record.Seq{first, r.Steps[paid].Seq},
		}
	}
	return nil
}

// discardPlace judges where and how cards were put; it is false after a breach.
func (p *Pass) discardPlace(d *record.Discarded) bool {
	elsewhere := func(place string) bool { return strings.EqualFold(place, d.Destination) }
	expected, observed := "", ""
	switch {
	case record.ToRack(d.Destination):
	case slices.ContainsFunc(DiscardPlaces(), elsewhere):
		expected, observed = "cards to the discard rack", "to "+d.Destination
	default:
		p.CannotJudge("where the cards were put was not reported in a word of the contract", d.Seq)
	}
	if observed == "" && !d.InOrder {
		expected, observed = "order preserved", "not preserved"
	}
	if other := p.reportedOtherwise(d); other != 0 {
		p.CannotJudge("two reports of the same cards disagree", d.Seq, other)
		return true
	}
	if observed != "" {
		p.Report(Finding{Expected: expected, Observed: observed, Evidence: []record.Seq{d.Seq}})
	}
	return observed == ""
}

// reportedOtherwise is another report of the same cards, with another place or order, 0 if none.
func (p *Pass) reportedOtherwise(d *record.Discarded) record.Seq {
	for i := range p.Round.Discards {
		o := &p.Round.Discards[i]
		if slices.Equal(o.Cards, d.Cards) &&
			(o.InOrder != d.InOrder || record.ToRack(o.Destination) != record.ToRack(d.Destination)) {
			return o.Seq
		}
	}
	return 0
}

// discarded compares the cards put into the rack, until the next first card or the end of the shoe, with the hands.
func (p *Pass) discarded(put []uint32, until record.Seq) {
	r := p.Round
	var f Finding
	var missing, foreign []string
	for i := range r.Cards {
		if c := &r.Cards[i]; c.Final != baccarat.NoHand && !slices.Contains(put, c.CardSeq) {
			missing = append(missing, fmt.Sprint(c.CardSeq))
		}
	}
	first := ^uint32(0) // lower numbers were burned, or are of an earlier round, whose discards they are
	for i := range r.Cards {
		if c := &r.Cards[i]; !c.Carried {
			first = min(first, c.CardSeq)
		}
	}
	if r.Missing { // the lowest number may be that of a card which was not reported
		first = 0
	}
	for _, seq := range put {
		if r.Card(seq) == nil && seq > first {
			foreign = append(foreign, fmt.Sprint(seq))
		}
	}
	unnamed := slices.IndexFunc(r.Discards, func(d record.Discarded) bool { return len(d.Cards) == 0 })
	want := r.Coup().Cards()
	switch {
	case len(missing) > 0 && unnamed >= 0:
		p.CannotJudge("which cards were put away was not reported", r.Discards[unnamed].Seq)
		return
	case len(missing) > 0:
		f.Expected = fmt.Sprintf("the %s of the round to the rack", schema.Count(want, "card"))
		f.Observed = "not card " + strings.Join(missing, ", ")
	case len(foreign) > 0:
		f.Expected = "cards of the round to the rack"
		f.Observed = "card " + strings.Join(foreign, ", ") + ", which the round does not have"
	default:
		return
	}
	f.Evidence = []record.Seq{r.Ended.Seq, until}
	for i := range r.Discards {
		f.Evidence = append(f.Evidence, r.Discards[i].Seq)
	}
	p.Report(f)
}
