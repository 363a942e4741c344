package engine_test

import (
	"os"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// A misread card accuses no one. Of legal shoes every card dealt to a hand is read as each other rank in turn: in one
// replay the card of one position in every second round. The rounds are independent of one another. The short form
// tries each position and rank in one shoe or two.
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
		table := deal.NewTable(deal.Options{Config: config, Seed: uint64(n)})
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
				for i := range b.Findings {
					f := &b.Findings[i]
					switch {
					case f.Rule == "count.reader-suspected":
						suspected++
					case f.Verdict == finding.Breach && f.Round != 0:
						t.Fatalf("%s, shoe %d, position %d, shift %d: %s", kind, n, position, shift, line(f))
					}
				}
			}
		}
	}
	t.Logf("%d shoes, %d cards misread, %d times the reader is suspected", shoes, misread, suspected)
	if suspected == 0 {
		t.Error("the reader is never suspected")
	}
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
