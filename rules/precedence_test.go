package rules

import (
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/finding"
)

func TestCheckPrecedence(t *testing.T) {
	if err := checkPrecedence(All()); err != nil {
		t.Error(err)
	}
	for want, rules := range map[string][]*Rule{
		"in a cycle: a, b, a": {{Name: "a", Covers: []string{"b"}}, {Name: "b", Covers: []string{"a"}}},
		"in a cycle: b, c, d, b": {
			{Name: "a", Covers: []string{"b"}},
			{Name: "b", Covers: []string{"c"}},
			{Name: "c", Covers: []string{"d"}},
			{Name: "d", Covers: []string{"b"}},
		},
		"in a cycle: a, a":              {{Name: "a", Covers: []string{"a"}}},
		"rule a covers x: unknown rule": {{Name: "a", Covers: []string{"x"}}},
	} {
		if err := checkPrecedence(rules); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestCovers(t *testing.T) {
	loser := &Rule{Name: "loser"}
	winner := &Rule{Name: "winner", Covers: []string{"loser"}}
	set := &Set{coveredBy: coverers([]*Rule{winner, loser})}
	at := func(round, seat uint32, s finding.Subject, parts ...finding.Subject) Finding {
		return Finding{Round: round, Seat: seat, Subject: s, Parts: parts}
	}
	for name, tt := range map[string]struct {
		winner, loser Finding
		want          bool
	}{
		"the same wager":            {at(3, 5, finding.OfWager("a")), at(3, 5, finding.OfWager("a")), true},
		"another wager of the seat": {at(3, 5, finding.OfWager("a")), at(3, 5, finding.OfWager("b")), false},
		"a charge that takes in the wager": {
			at(3, 5, finding.OfWager("a")), at(3, 5, finding.OfSeat(5), finding.OfWager("a")), true,
		},
		"a charge of another wager": {
			at(3, 5, finding.OfWager("a")), at(3, 5, finding.OfSeat(5), finding.OfWager("b")), false,
		},
		"another round":            {at(3, 5, finding.OfSeat(5)), at(4, 5, finding.OfSeat(5)), false},
		"a finding about the shoe": {at(3, 5, finding.OfSeat(5)), at(0, 5, finding.OfSeat(5)), true},
		"another seat":             {at(3, 5, finding.OfSeat(5)), at(3, 4, finding.OfSeat(4)), false},
		"the round as a whole":     {at(3, 0, finding.Subject{}), at(3, 5, finding.OfWager("a")), true},
		"the hand of the card": {
			at(3, 0, finding.OfHand("PLAYER")), at(3, 0, finding.OfCard(9), finding.OfHand("PLAYER")), true,
		},
		"the other hand": {
			at(3, 0, finding.OfHand("BANKER")), at(3, 0, finding.OfCard(9), finding.OfHand("PLAYER")), false,
		},
	} {
		tt.winner.Rule, tt.loser.Rule = winner, loser
		if got := set.Covers(&tt.winner, &tt.loser); got != tt.want {
			t.Errorf("%s: covered %t, want %t", name, got, tt.want)
		}
		if set.Covers(&tt.loser, &tt.winner) {
			t.Errorf("%s: the loser covers the winner", name)
		}
	}
}
