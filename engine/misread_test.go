package engine_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// A misread card accuses no one. Of legal shoes, with all the lawful acts that are rare, every card dealt to a hand is
// read as each other rank in turn: in one replay the card of one position in every second round, so that a shoe has
// many misread cards. The rounds are independent of one another. The short form tries
// each position and rank in one shoe or two.
func TestMisreadCardsAccuseNoOne(t *testing.T) {
	shoes := enginetest.Soak(42, 200)
	kinds := deal.Kinds()
	misread, suspected := 0, 0
	for n := range shoes {
		kind := kinds[n%len(kinds)]
		config, err := deal.Config(kind, uint64(n))
		if err != nil {
			t.Fatal(err)
		}
		table := deal.NewTable(deal.Options{Config: config, Seed: uint64(n), Varied: true})
		legal := append(append(table.Open(), table.Shoe()...), table.Close()...)
		b := &rows.Set{}
		for position := range 12 {
			for shift := uint8(1); shift <= 12; shift++ {
				if os.Getenv("SHOEPROOF_SOAK") == "" && (position*12+int(shift)+7*n)%36 != 0 {
					continue
				}
				events, changed := misreadCards(t, legal, position, shift)
				if changed == 0 {
					continue
				}
				b.Reset()
				replayInto(t, enginetest.Options(), events, b)
				misread += changed
				suspected += onlyTheReader(
					t, fmt.Sprintf("%s, shoe %d, position %d, shift %d", kind, n, position, shift), b.Findings,
				)
			}
		}
	}
	t.Logf("%d shoes, %d cards misread, %d times the reader is suspected", shoes, misread, suspected)
	if suspected == 0 {
		t.Error("the reader is never suspected")
	}
}

// onlyTheReader fails on a finding that accuses a person, and in a round in which the reader is not suspected. It
// returns how often the reader is suspected.
func onlyTheReader(t *testing.T, what string, findings []finding.Finding) int {
	t.Helper()
	rounds := map[uint32]bool{}
	for i := range findings {
		if findings[i].Rule == "count.reader-suspected" {
			rounds[findings[i].Round] = true
		}
	}
	for i := range findings {
		f := &findings[i]
		silent := f.Severity == finding.Info || f.Verdict == finding.Unauditable || f.Kind == finding.Anomaly
		if f.Verdict == finding.Breach && f.Severity != finding.Info || !silent && f.Round != 0 && !rounds[f.Round] {
			t.Errorf("%s: %s", what, line(f))
		}
	}
	return len(rounds)
}

// A misread card beside a breach in the same round accuses no one of more than the breach. Of each fault one card of
// its round is read as other ranks in turn.
func TestMisreadCardBesideABreach(t *testing.T) {
	misread := 0
	for n, broken := range fault.All() {
		if broken.Off || besides[broken.Rule] != "" || n%enginetest.Stride(3, 1) != 0 {
			continue
		}
		for seed := range uint64(enginetest.Soak(1, 4)) {
			events, want, err := fault.Plant(deal.Options{}, broken, seed+uint64(n))
			if err != nil {
				t.Fatal(err)
			}
			for i := range events {
				p, ok := events[i].Payload.(*schema.CardDealt)
				if !ok || want[0].Round == 0 || events[i].Round != want[0].Round || p.Card == "??" {
					continue
				}
				bent := slices.Clone(events)
				card, err := baccarat.ParseCard(p.Card)
				if err != nil {
					t.Fatal(err)
				}
				q := *p
				q.Card = baccarat.NewCard((card.Rank()-1+1+uint8(seed+uint64(i))%12)%13+1, card.Suit()).String()
				bent[i].Payload = &q
				misread++
				for _, f := range replay(t, bent).Findings {
					is := slices.ContainsFunc(
						want, func(w fault.Want) bool { return w.Rule == f.Rule && w.Round == f.Round },
					)
					if !is && f.Severity != finding.Info && f.Verdict == finding.Breach {
						t.Errorf("%s, seed %d, %s read as %s: %s", broken.Rule, seed, p.Card, q.Card, line(&f))
					}
				}
			}
		}
	}
	t.Logf("%d cards misread", misread)
}

// besides are the faults beside which a misread card cannot be distinguished from a second breach, with the reason.
var besides = map[string]string{
	"count.reader-suspected":            "two cards of the round are misread",
	"announce.pair":                     "one call and one payment about the same pair have no third witness",
	"outcome.pair-wager":                "one call and one payment about the same pair have no third witness",
	"treasures.payout.blazing-two-card": "payments of one treasure have no second witness",
}

// misreadCards reads a card of every second round as another rank. Positions 0 to 5 belong to the odd rounds, 6 to 11
// to the even rounds.
func misreadCards(t *testing.T, legal []schema.Event, position int, shift uint8) ([]schema.Event, int) {
	t.Helper()
	events := make([]schema.Event, len(legal))
	copy(events, legal)
	changed, round, at := 0, uint32(0), 0
	for i := range events {
		p, ok := events[i].Payload.(*schema.CardDealt)
		if !ok {
			continue
		}
		if events[i].Round != round {
			round, at = events[i].Round, 0
		}
		at++
		if round%2 == uint32(position/6) || at-1 != position%6 {
			continue
		}
		card, err := baccarat.ParseCard(p.Card)
		if err != nil || card == baccarat.Unread {
			continue
		}
		q := *p
		q.Card = baccarat.NewCard((card.Rank()-1+shift)%13+1, card.Suit()).String()
		events[i].Payload = &q
		changed++
	}
	return events, changed
}
