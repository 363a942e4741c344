package verdict

import (
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
)

// ledgerOf runs findings through a ledger: each stage enters its findings, then is over.
func ledgerOf(t *testing.T, stages ...[]rules.Finding) (rows []finding.Finding, amended int) {
	t.Helper()
	books, err := rules.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	var l *law.Law
	for _, g := range books["nj-13-69f"].Games() {
		l, _ = books["nj-13-69f"].Law(g)
	}
	set := rules.NewSet(l)
	var led ledger
	emit := func(e *entry, covers []string) finding.Finding {
		row := finding.Finding{Rule: e.finding.Rule.Name, Subject: e.finding.Subject.String(), Covers: covers}
		rows = append(rows, row)
		return row
	}
	amend := func(row finding.Finding) {
		amended++
		i := slices.IndexFunc(
			rows, func(r finding.Finding) bool { return r.Rule == row.Rule && r.Subject == row.Subject },
		)
		rows[i] = row
	}
	for i, stage := range stages {
		for j := range stage {
			led.add(&stage[j], set.CoveredUntil(stage[j].Rule), int64(i))
		}
		last := i == len(stages)-1
		led.settle(set, func(_ int, e *entry) bool { return last || e.until <= rules.Dealt }, outlet{emit, amend})
	}
	return rows, amended
}

func ruleOf(t *testing.T, name string) *rules.Rule {
	t.Helper()
	for _, r := range rules.All() {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no rule %s", name)
	return nil
}

// Findings that once silenced each other are all reported.
func TestMutualPairsAreReported(t *testing.T) {
	for _, pair := range [][2]string{
		{"treasures.payout.heavenly-9-both", "treasures.highest-single"},
		{"draw.player.must-stay", "irreg.player-extra.to-banker"},
		{"draw.player.must-stay", "irreg.player-extra.undisclosed-next-hand"},
		{"draw.player.must-stay", "irreg.player-extra.disclosed-burn"},
		{"draw.banker.must-stay", "irreg.excess.disclosed-burn"},
		{"draw.banker.must-stay", "irreg.excess.undisclosed-next-hand"},
	} {
		a := rules.Finding{Rule: ruleOf(t, pair[0]), Round: 3, Seat: 5, Subject: finding.OfWager("w")}
		b := a
		b.Rule = ruleOf(t, pair[1])
		if rows, _ := ledgerOf(t, []rules.Finding{a, b}); len(rows) != 2 {
			t.Errorf("%s and %s: %d findings, want both", pair[0], pair[1], len(rows))
		}
	}
}

// A short payment explains the commission that was reckoned on it, and no other commission of the seat.
func TestCoversOnlyItsSubject(t *testing.T) {
	short := rules.Finding{Rule: ruleOf(t, "payout.banker.odds"), Round: 3, Seat: 5, Subject: finding.OfWager("a")}
	over := rules.Finding{Rule: ruleOf(t, "vig.amount.over"), Round: 3, Seat: 5, Subject: finding.OfSeat(5)}
	for wager, want := range map[string]int{"a": 1, "b": 2} {
		over.Parts = []finding.Subject{finding.OfWager(wager)}
		rows, _ := ledgerOf(t, []rules.Finding{short, over})
		if len(rows) != want {
			t.Errorf("commission on wager %s: %d findings, want %d", wager, len(rows), want)
		}
		if want == 1 && !slices.Equal(rows[0].Covers, []string{"vig.amount.over round:3 seat:5"}) {
			t.Errorf("the payment covers %q", rows[0].Covers)
		}
	}
}

// The emitted finding also covers what a covered finding would have covered. A finding that is made later amends its
// row.
func TestCoversThroughOthers(t *testing.T) {
	a := rules.Finding{Rule: ruleOf(t, "shoe.decks.treasures-six-or-eight"), Round: 3}
	b := rules.Finding{Rule: ruleOf(t, "shoe.decks.min"), Round: 3, Seat: 5, Subject: finding.OfWager("w")}
	c := rules.Finding{
		Rule: ruleOf(t, "shoe.composition.no-excess-copies"), Round: 3, Seat: 5, Subject: finding.OfWager("w"),
	}
	rows, amended := ledgerOf(t, []rules.Finding{a}, []rules.Finding{c, b})
	want := []string{"shoe.composition.no-excess-copies round:3 wager:w", "shoe.decks.min round:3 wager:w"}
	if len(rows) != 1 || !slices.Equal(rows[0].Covers, want) || amended != 1 {
		t.Errorf("%d findings, amended %d times, covers %q", len(rows), amended, rows[0].Covers)
	}
	unauditable := a
	unauditable.Verdict = finding.Unauditable
	if rows, _ := ledgerOf(t, []rules.Finding{unauditable, b}); len(rows) != 2 {
		t.Error("a finding that cannot be proved covers another one")
	}
}

// A snapshot whose findings cover each other is refused: the engine would look for the winner without end.
func TestRestoredCycle(t *testing.T) {
	rule := ruleOf(t, "draw.player.must-stay")
	entry := func(state entryState, by int) EntryState {
		return EntryState{Rule: rule.Name, Round: 1, State: uint8(state), CoveredBy: by}
	}
	for what, c := range map[string]struct {
		entries []EntryState
		refused bool
	}{
		"a chain":          {[]EntryState{entry(covered, 1), entry(covered, 2), entry(emitted, 0)}, false},
		"itself":           {[]EntryState{entry(covered, 0)}, true},
		"each other":       {[]EntryState{entry(emitted, 0), entry(covered, 2), entry(covered, 1)}, true},
		"leads to a cycle": {[]EntryState{entry(covered, 1), entry(covered, 1)}, true},
	} {
		err := new(shoe).restore(&ShoeState{Ledger: c.entries}, map[string]*rules.Rule{rule.Name: rule})
		if (err != nil) != c.refused {
			t.Errorf("%s: got error %v, want one: %v", what, err, c.refused)
		}
	}
}
