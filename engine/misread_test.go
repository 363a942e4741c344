package engine_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
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
// each position and rank in one shoe or two. SHOEPROOF_SEED is the first shoe.
func TestMisreadCardsAccuseNoOne(t *testing.T) {
	first, _ := strconv.Atoi(os.Getenv("SHOEPROOF_SEED"))
	shoes := enginetest.Soak(42, 200)
	every := 36
	if os.Getenv("SHOEPROOF_SOAK") != "" {
		every = 1
	}
	var workers sync.WaitGroup
	var mu sync.Mutex
	next, done, misread, suspected := first, 0, 0, 0
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for {
				mu.Lock()
				n := next
				next++
				mu.Unlock()
				if n >= first+shoes {
					return
				}
				cards, readers := misreadShoe(t, n, every)
				mu.Lock()
				done, misread, suspected = done+1, misread+cards, suspected+readers
				t.Logf("shoe %d: %d shoes, %d cards misread, %d times the reader is suspected", n, done, misread, suspected)
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	if suspected == 0 {
		t.Error("the reader is never suspected")
	}
}

// misreadShoe misreads the cards of a legal shoe, of all positions and ranks one in every. It returns how many, and how
// often the reader is suspected.
func misreadShoe(t *testing.T, n, every int) (misread, suspected int) {
	kinds := deal.Kinds()
	kind := kinds[n%len(kinds)]
	config, err := deal.Config(kind, uint64(n))
	if err != nil {
		t.Error(err)
		return 0, 0
	}
	table := deal.NewTable(deal.Options{Config: config, Seed: uint64(n), Varied: true})
	legal := append(append(table.Open(), table.Shoe()...), table.Close()...)
	values, b, options := enginetest.Encode(legal), &rows.Set{}, enginetest.Options()
	options.NoArchive = true
	for position := range 12 {
		for shift := uint8(1); shift <= 12; shift++ {
			if (position*12+int(shift)+7*n)%every != 0 {
				continue
			}
			read, changed := misreadCards(t, legal, values, position, shift)
			if changed == 0 {
				continue
			}
			b.Reset()
			replayValues(t, options, read, b)
			misread += changed
			suspected += onlyTheReader(
				t, fmt.Sprintf("%s, shoe %d, position %d, shift %d", kind, n, position, shift), b.Findings,
			)
		}
	}
	return misread, suspected
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
// to the even rounds. values are the events as they are encoded; the misread cards alone are encoded again.
func misreadCards(
	t *testing.T, legal []schema.Event, values [][]byte, position int, shift uint8,
) (read [][]byte, changed int) {
	t.Helper()
	read = slices.Clone(values)
	round, at := uint32(0), 0
	for i := range legal {
		p, ok := legal[i].Payload.(*schema.CardDealt)
		if !ok {
			continue
		}
		if legal[i].Round != round {
			round, at = legal[i].Round, 0
		}
		at++
		if round%2 == uint32(position/6) || at-1 != position%6 {
			continue
		}
		card, err := baccarat.ParseCard(p.Card)
		if err != nil || card == baccarat.Unread {
			continue
		}
		ev, q := legal[i], *p
		q.Card = baccarat.NewCard((card.Rank()-1+shift)%13+1, card.Suit()).String()
		ev.Payload = &q
		read[i] = schema.AppendProto(nil, &ev)
		changed++
	}
	return read, changed
}
