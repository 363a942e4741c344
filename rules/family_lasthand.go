package rules

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// The one hand after the cutting card. N.J.A.C. 19:47-3.8(e).
var lasthandFamily = []*Rule{
	{
		Name: "lasthand.cutcard-seen", Doc: "The cutting card appears where it was placed; play does not pass it.",
		Breach:   "Two rounds dealt from behind the cutting card, which was never reported.",
		Severity: finding.Major, At: Closed, Check: checkCutcardSeen,
	},
	{
		Name: "lasthand.cutcard-aside", Doc: "The cutting card is set aside and the hand in progress is finished.",
		Breach:   "Card put back, or the hand stopped.",
		Severity: finding.Minor, At: Closed, Needs: baccarat.FeedShoeCamera, Check: checkCutcardAside,
	},
	{
		Name:     "lasthand.announced",
		Doc:      "The last hand is announced once, between the round of the cutting card and the next no more bets.",
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

// checkCutcardSeen compares the cards dealt with the place of the cutting card. The number of cards behind it is an
// estimate of the hand that placed it. In a shoe that ended before it, it does not appear.
func checkCutcardSeen(p *Pass) {
	s := p.Shoe
	placed := cutcard(&s.Prep, 1)
	if len(s.Cutcard) > 0 || placed == nil || placed.Behind == 0 || s.Loaded.Seq == 0 {
		return
	}
	before := int(52*s.Loaded.Decks) - int(placed.Behind)
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
		if r := round(p.Shoe, c.Round); r != nil && r.Ended == 0 && !r.Missing {
			p.Report(Finding{
				Round: c.Round, Expected: "the hand in progress finished", Observed: "no result",
				Evidence: []record.Seq{c.Seq},
			})
		}
	}
}

func checkLastHandAnnounced(p *Pass) {
	s := p.Shoe
	k := s.CutcardRound()
	last, next := round(s, k), round(s, k+1)
	if k == 0 || last == nil || next == nil {
		return
	}
	before := next.NoBets
	if before == 0 {
		before = next.Card
	}
	evidence := append([]record.Seq{s.Cutcard[0].Seq, last.Ended}, s.LastHandCalls...)
	timely := 0
	for _, c := range s.LastHandCalls {
		if c > last.Ended && c < before {
			timely++
		}
	}
	if timely != 1 || len(s.LastHandCalls) != 1 {
		p.Report(Finding{
			Round: k + 1, Evidence: evidence,
			Expected: fmt.Sprintf("last hand announced once between rounds %d and %d", k, k+1),
			Observed: fmt.Sprintf("announced %d times, %d of them then", len(s.LastHandCalls), timely),
		})
	}
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
		round(s, k+1) != nil {
		return
	}
	p.Report(Finding{
		Round: k, Expected: fmt.Sprintf("round %d played", k+1), Observed: "shoe ended",
		Evidence: []record.Seq{s.Cutcard[0].Seq, s.Ended.Seq},
	})
}
