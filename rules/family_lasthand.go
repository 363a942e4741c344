package rules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// The one hand after the cutting card. N.J.A.C. 19:47-3.8(e).
var lasthandFamily = []*Rule{
	{
		Name: "lasthand.cutcard-seen", Doc: "The cutting card appears where it was placed; play does not pass it.",
		Breach:   "Two rounds dealt from behind the cutting card, which was never reported.",
		Severity: finding.Major, At: Closed, Needs: baccarat.FeedPreparation, Check: checkCutcardSeen,
	},
	{
		Name: "lasthand.cutcard-aside", Doc: "The cutting card is set aside and the hand in progress is finished.",
		Breach:   "Card put back, or the hand stopped.",
		Severity: finding.Minor, At: Closed, Needs: baccarat.FeedShoeCamera, Check: checkCutcardAside,
	},
	{
		Name:     "lasthand.announced",
		Doc:      "The last hand is announced between the round of the cutting card and the next no more bets.",
		Breach:   "Not announced, or announced a round early or late.",
		Severity: finding.Minor, At: Closed, Needs: baccarat.FeedAnnouncements, Check: checkLastHandAnnounced,
	},
	{
		Name:     "lasthand.one-more-only",
		Doc:      "After the hand of the cutting card one more hand is played, and no other.",
		Breach:   "An extra round is played.",
		Severity: finding.Major, At: Settled, Check: checkOneMoreOnly,
	},
	{
		Name:     "lasthand.final-hand-skipped",
		Doc:      "The one hand after the cutting card's is played before the shoe ends.",
		Breach:   "Reshuffle right after the cutting-card hand.",
		Severity: finding.Info, At: Closed, Check: checkFinalHandSkipped,
	},
}

// round finds the summary of a round, nil if no card was dealt in it.
func round(s *record.Shoe, no uint32) *record.RoundSummary {
	for i := range s.Rounds {
		if s.Rounds[i].No == no && s.Rounds[i].Card != 0 {
			return &s.Rounds[i]
		}
	}
	return nil
}

// roundAfter is the first dealt round with a higher number, nil if there is none.
func roundAfter(s *record.Shoe, no uint32) *record.RoundSummary {
	for i := range s.Rounds {
		if s.Rounds[i].No > no && s.Rounds[i].Card != 0 {
			return &s.Rounds[i]
		}
	}
	return nil
}

// roundBefore is the last dealt round with a lower number, nil if there is none: a number may be left out.
func roundBefore(s *record.Shoe, no uint32) *record.RoundSummary {
	for i := len(s.Rounds) - 1; i >= 0; i-- {
		if s.Rounds[i].No < no && s.Rounds[i].Card != 0 {
			return &s.Rounds[i]
		}
	}
	return nil
}

// checkCutcardSeen compares the cards dealt with the place of the cutting card. The number of cards behind it is an
// estimate of the hand that placed it. In a shoe that ended before it, it does not appear.
func checkCutcardSeen(p *Pass) {
	s := p.Shoe
	placed := cutcard(&s.Prep, 1)
	if len(s.Cutcard) > 0 || placed == nil || placed.Behind == 0 || s.Loaded.Seq == 0 {
		return
	}
	before := 52*int(s.Loaded.Decks) - int(placed.Behind)
	if before < 0 { // more cards behind it than were loaded
		p.CannotJudge("more cards were reported behind the cutting card than were loaded", placed.Seq, s.Loaded.Seq)
		return
	}
	if before >= len(s.Order) {
		return
	}
	evidence := []record.Seq{placed.Seq, s.OrderAt[before]}
	passed := 0
	for i := range s.Rounds {
		if s.Rounds[i].Card >= s.OrderAt[before] {
			passed++
			evidence = append(evidence, s.Rounds[i].Card)
		}
	}
	if passed < 2 {
		p.CannotJudge("the cutting card was not reported, at the place where it was inserted", evidence[:2]...)
		return
	}
	p.Suspect(Finding{
		Expected: fmt.Sprintf("cutting card seen after card %d", before),
		Observed: fmt.Sprintf("not seen, %d rounds dealt from behind it", passed), Evidence: evidence,
	})
}

func checkCutcardAside(p *Pass) {
	for _, c := range p.Shoe.Cutcard {
		if !c.SetAside {
			p.Report(Finding{
				Round: c.Round, Expected: "cutting card set aside", Observed: "not set aside",
				Evidence: []record.Seq{c.Seq},
			})
			continue
		}
		r := round(p.Shoe, c.Round)
		if r == nil || r.Ended != 0 || r.Missing || r.Complete {
			continue
		}
		if unreadIn(p.Shoe, r) {
			p.CannotJudge("a card of the hand in progress was not read, and its end was not reported", c.Seq)
		} else {
			p.Report(Finding{
				Round: c.Round, Expected: "the hand in progress finished", Observed: "no result",
				Evidence: []record.Seq{c.Seq},
			})
		}
	}
}

// unreadIn reports whether a card that left the shoe in a round was not read.
func unreadIn(s *record.Shoe, r *record.RoundSummary) bool {
	next := roundAfter(s, r.No)
	for i, at := range s.OrderAt {
		if at >= r.Card && (next == nil || at < next.Card) && s.Order[i] == baccarat.Unread {
			return true
		}
	}
	return false
}

func checkLastHandAnnounced(p *Pass) {
	s := p.Shoe
	k := s.CutcardRound()
	last, next := round(s, k), roundAfter(s, k)
	if k == 0 || last == nil || last.Result == baccarat.Void && (next == nil || p.announcedInstead(k)) {
		return
	}
	before := ^record.Seq(0)
	f := Finding{
		Round: k, Evidence: append([]record.Seq{s.Cutcard[0].Seq, last.Ended}, s.LastHandCalls...),
		Expected: fmt.Sprintf("last hand announced after round %d", k), Observed: "not announced",
	}
	if next != nil {
		before = cmp.Or(next.NoBets, next.Card)
		f.Round, f.Expected = next.No, f.Expected+fmt.Sprintf(" and before round %d", next.No)
	}
	done := completed(last)
	early, timely, late := 0, 0, 0
	for _, c := range s.LastHandCalls {
		switch {
		case c < done:
			early++
		case c < before:
			timely++
		default:
			late++
		}
	}
	switch {
	case timely > 0 && early == 0: // to repeat it is lawful
	case early > 0 && next == nil && s.Cutcard[0].Seq < last.Card && s.LastHandCalls[0] > s.Cutcard[0].Seq &&
		s.LastHandCalls[0] < last.Card:
		// The hand before may be the one in which the cutting card appeared: one more hand was announced and played.
		p.CannotJudge("the cutting card appeared between two hands", s.Cutcard[0].Seq, s.LastHandCalls[0], last.Card)
	case early > 0:
		f.Observed = fmt.Sprintf("announced before round %d ended", k)
		p.suspectIf(timely > 0 || s.LastHandCalls[0] > s.Cutcard[0].Seq, f)
	case late > 0:
		f.Observed = fmt.Sprintf("announced after round %d began", next.No)
		p.Report(f)
	default:
		p.suspectIf(next == nil && s.TableClosed != 0, f)
	}
}

// completed is when the hand of a round is completed: when its result is called, at the latest at its end.
func completed(r *record.RoundSummary) record.Seq {
	if r.Called != 0 {
		return min(r.Ended, r.Called)
	}
	return r.Ended
}

// announcedInstead reports whether the last hand was announced after the hand that was dealt instead of a void one, in
// which the cutting card appeared: "the hand will be completed". N.J.A.C. 19:47-3.8(e).
func (p *Pass) announcedInstead(k uint32) bool {
	s := p.Shoe
	i := slices.IndexFunc(s.Rounds, func(r record.RoundSummary) bool {
		return r.No > k && r.Card != 0 && r.Result != baccarat.Void
	})
	if i < 0 {
		return false
	}
	before := ^record.Seq(0)
	if next := roundAfter(s, s.Rounds[i].No); next != nil {
		before = cmp.Or(next.NoBets, next.Card)
	}
	return slices.ContainsFunc(s.LastHandCalls, func(c record.Seq) bool {
		return c >= completed(&s.Rounds[i]) && c < before
	})
}

// suspectIf reports a finding, as SUSPECT under a condition.
func (p *Pass) suspectIf(doubtful bool, f Finding) {
	if doubtful {
		f.Verdict = finding.Suspect
	}
	p.Report(f)
}

// checkOneMoreOnly counts hands that were completed: a void round is no hand, and is dealt again.
func checkOneMoreOnly(p *Pass) {
	k := p.Shoe.CutcardRound()
	first := p.Round.FirstCard()
	if k == 0 || first == 0 {
		return
	}
	completed := 0
	for i := range p.Shoe.Rounds {
		r := &p.Shoe.Rounds[i]
		if r.No >= k && r.No < p.Round.No && r.Card != 0 && r.Result != baccarat.Void {
			completed++
		}
	}
	if completed > 1 {
		p.Report(Finding{
			Expected: fmt.Sprintf("no card after the hand that follows round %d, in which the cutting card appeared", k),
			Observed: fmt.Sprintf("round %d dealt", p.Round.No), Evidence: []record.Seq{p.Shoe.Cutcard[0].Seq, first},
		})
	}
}

func checkFinalHandSkipped(p *Pass) {
	s := p.Shoe
	k := s.CutcardRound()
	last := round(s, k)
	if k == 0 || s.Ended.Seq == 0 || s.TableClosed != 0 || last == nil || last.Result == baccarat.Void ||
		roundAfter(s, k) != nil {
		return
	}
	p.Report(Finding{
		Round: k, Expected: fmt.Sprintf("round %d played", k+1), Observed: "shoe ended",
		Evidence: []record.Seq{s.Cutcard[0].Seq, s.Ended.Seq},
	})
}
