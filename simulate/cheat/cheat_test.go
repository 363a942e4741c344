package cheat

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/internal/legal"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

func cheated(c *Cheat, seed uint64, twin bool) *Table {
	return NewTable(deal.Options{Config: c.TableConfig(), Seed: seed, Table: "t-1"},
		Options{Cheat: c, From: 2, Twin: twin})
}

// A cheat that breaks no rule leaves the events of a legal table. Its label names its rounds.
func TestCheatsPlayLegally(t *testing.T) {
	for _, c := range All() {
		table := cheated(&c, 3, false)
		events := table.Open()
		shoes := 3
		if c.Scenario == "S5" {
			shoes = 8 // some have no good rounds
		}
		for range shoes {
			events = append(events, table.Shoe()...)
		}
		events = append(events, table.Close()...)
		if !c.Breach {
			legal.Check(t, c.Name, events)
		}
		label := table.Label()
		if !c.Honest && c.Strength > .05 && (label.Shoe == "" || len(label.Acts) == 0 || len(c.Detectors) == 0) {
			t.Errorf("%s: label %+v names no act", c.Name, label)
		}
		for _, a := range label.Acts {
			if a.Shoe == "t-1-20260102-01" {
				t.Fatalf("%s: an act before the cheat began", c.Name)
			}
		}
	}
}

// The twin of a cheat that leaves the cards alone is dealt the same ones, and all others bet the same.
func TestTwinSharesChance(t *testing.T) {
	for _, name := range []string{"s1-0.5", "s2-1", "s5-d7-full", "s6-0.5", "s7-0.9", "s9-0.01", "s11-1"} {
		c, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		a, b := cheated(c, 9, false), cheated(c, 9, true)
		a.Open()
		b.Open()
		differ := false
		for range 4 {
			x, y := a.Play(), b.Play()
			for i := range x.Rounds {
				if d := cmp.Diff(x.Rounds[i].Cards, y.Rounds[i].Cards); d != "" {
					t.Fatalf("%s, round %d: %s", name, i+1, d)
				}
				if d := cmp.Diff(others(a, &x.Rounds[i]), others(b, &y.Rounds[i])); d != "" {
					t.Fatalf("%s, round %d: %s", name, i+1, d)
				}
				differ = differ || !cmp.Equal(x.Rounds[i].Stakes, y.Rounds[i].Stakes)
			}
		}
		if !differ {
			t.Errorf("%s: no cheat was played", name)
		}
		if n := len(b.Label().Acts); n != 0 {
			t.Errorf("%s: the twin has %d acts", name, n)
		}
	}
}

// others returns the wagers of the patrons who are not part of the cheat.
func others(t *Table, r *deal.PlayedRound) []string {
	var out []string
	for _, st := range r.Stakes {
		if !slices.Contains(t.crook.patrons[:], st.Patron) {
			out = append(out, fmt.Sprint(st.Patron, st.Spot, st.Stake))
		}
	}
	return out
}

// Play returns what Shoe writes, except for cards that a device misread.
func TestPlayIsShoe(t *testing.T) {
	c, err := Find("s3-20")
	if err != nil {
		t.Fatal(err)
	}
	a, b := cheated(c, 4, false), cheated(c, 4, false)
	a.Open()
	b.Open()
	for range 3 {
		played := a.Play()
		var got, want []uint8
		for _, ev := range b.Shoe() {
			if p, ok := ev.Payload.(*schema.CardDealt); ok {
				x, err := shoe.ParseCard(p.Card)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, uint8(x))
			}
		}
		for _, r := range played.Rounds {
			// Third cards leave the shoe in the order player, banker, as they do in Cards.
			for _, x := range r.Cards {
				got = append(got, x.Card)
			}
		}
		wrong := 0
		for i := range got {
			if got[i] != want[i] {
				wrong++
			}
		}
		if len(got) != len(want) || wrong > 6 {
			t.Fatalf("%d of %d cards differ, want %d cards and few misread", wrong, len(got), len(want))
		}
	}
}

// Each cheat has the effect that it documents.
func TestCheatsWork(t *testing.T) {
	play := func(name string, shoes int) (*Table, []*deal.Played) {
		c, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		table := cheated(c, 11, false)
		table.Open()
		var all []*deal.Played
		for range shoes {
			all = append(all, table.Play())
		}
		return table, all[1:]
	}
	rounds := func(all []*deal.Played, each func(*deal.PlayedRound)) {
		for _, p := range all {
			for i := range p.Rounds {
				each(&p.Rounds[i])
			}
		}
	}
	table, all := play("s1-1", 3)
	rounds(all, func(r *deal.PlayedRound) {
		for _, st := range r.Stakes {
			if st.Patron == table.crook.patrons[0] && st.Net < 0 && !r.Unread && st.Done == st.Ruled {
				t.Errorf("who knows the winner lost: %+v", st)
			}
		}
	})

	var bets, n int
	table, all = play("s5-d7-full", 60)
	rounds(all, func(r *deal.PlayedRound) {
		n++
		for _, st := range r.Stakes {
			if st.Patron == table.crook.patrons[0] && st.Spot == schema.SpotDragon7 {
				bets++
			}
		}
	})
	if share := float64(bets) / float64(n); share < .06 || share > .12 {
		t.Errorf("the count for dragon 7 is good in %.3f of rounds, want about 0.09", share)
	}

	var won, decided int
	_, all = play("s12-banker", 100)
	rounds(all, func(r *deal.PlayedRound) {
		var c shoe.Coup
		for _, x := range r.Cards {
			c.Hands[x.Hand-1] = append(c.Hands[x.Hand-1], shoe.Card(max(x.Card, 1)))
		}
		decided++
		if c.Result() == schema.ResultBanker {
			won++
		}
	})
	if share := float64(won) / float64(decided); share < .485 || share > .515 {
		t.Errorf("the rigged shoe gives %.3f banker, want 0.5", share)
	}

	for name, want := range map[string][2]int{"s10-missing": {7, 8}, "s10-extra2": {8, 10}, "s10-swapped": {7, 9}} {
		table, _ = play(name, 3)
		var aces, nines int
		for _, x := range table.crook.before {
			switch x {
			case 40:
				aces++
			case 48:
				nines++
			}
		}
		if aces != want[0] || nines != want[1] {
			t.Errorf("%s: %d aces and %d nines of spades, want %v", name, aces, nines, want)
		}
	}
}

// A slug is a run of the last shoe in its order.
func TestSlug(t *testing.T) {
	c, err := Find("s3-20")
	if err != nil {
		t.Fatal(err)
	}
	table := cheated(c, 6, false)
	table.Open()
	table.Play()
	before := slices.Clone(table.crook.before)
	table.Play()
	now := table.crook.before
	longest := 0
	for i := range now {
		for j := range before {
			n := 0
			for i+n < len(now) && j+n < len(before) && now[i+n] == before[j+n] {
				n++
			}
			longest = max(longest, n)
		}
	}
	if longest < 20 || longest > 24 {
		t.Errorf("the longest run in common has %d cards, want 20", longest)
	}
	for _, x := range [][]shoe.Card{before, now} {
		slices.Sort(x)
	}
	if !slices.Equal(before, now) {
		t.Error("the cards are not the same pack")
	}
}
