//go:build unix

package watch

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/oracle"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// honest are tables without a cheat, with the errors that accused honest dealers and patrons once.
var honest = []struct {
	name string
	play oracle.Options
}{
	{"vigorish of a round forgotten, seven bettors", oracle.Options{Bets: patrons(7), Forgotten: .004}},
	{"one card in 1,000 misread", oracle.Options{Bets: patrons(5), Misread: .001}},
	{"one card in 10,000 misread", oracle.Options{Bets: patrons(5), Misread: .0001}},
	{"a reader that dies", oracle.Options{Bets: patrons(5), Unread: func(shoe int) float64 {
		return min(.002*float64(shoe*shoe), .5)
	}}},
	{"one lost event a shoe", oracle.Options{Bets: patrons(5), Lost: func(shoe, round int, kind string) bool {
		kinds := []string{"round_ended", "wager_placed", "card_dealt", "wager_paid", "round_started", "wager_collected"}
		return round == 10+shoe*7%60 && kind == kinds[shoe%len(kinds)]
	}}},
	{"couples with opposite habits", oracle.Options{Bets: couples}},
}

// couples are two pairs with constant opposite sides, one of them with constant stakes, and one who follows another.
func couples(rng *rand.Rand, _, round int, _ []int) []oracle.Bet {
	stake := 100_00 * (1 + rng.IntN(3))
	return []oracle.Bet{
		{Patron: 1, Name: "p1", Side: "PLAYER", Amount: 100_00},
		{Patron: 2, Name: "p2", Side: "BANKER", Amount: 100_00},
		{Patron: 3, Name: "p3", Side: "BANKER", Amount: stake},
		{Patron: 4, Name: "p4", Side: "PLAYER", Amount: 100_00 * (1 + rng.IntN(3))},
		{Patron: 5, Name: "p5", Side: [2]string{"PLAYER", "BANKER"}[round/10%2], Amount: 200_00},
	}
}

// Honest tables of the independent dealing program raise no page. SHOEPROOF_HONEST_ROUNDS is the number of rounds of
// the long form, SHOEPROOF_HONEST_FROM the number of its first table: `make soak-honest ROUNDS=100000 FROM=600` goes on
// where a run ended that printed table 599.
func TestHonestRounds(t *testing.T) {
	rounds, shoes := 600, 2
	if long, err := strconv.Atoi(os.Getenv("SHOEPROOF_HONEST_ROUNDS")); err == nil {
		rounds, shoes = long, 20
	}
	from, err := strconv.Atoi(cmp.Or(os.Getenv("SHOEPROOF_HONEST_FROM"), "0"))
	if err != nil {
		t.Fatalf("SHOEPROOF_HONEST_FROM: %v", err)
	}
	played, pages, evidence := 0, 0, 0
	laws := map[string]*terms{}
	for table := from; played < rounds; table++ {
		kind := &honest[table%len(honest)]
		o := kind.play
		o.Table, o.Seed, o.Shoes = fmt.Sprint("h-", table), uint64(1000+table), shoes
		n, rows, found := playHonest(t, &o, laws)
		played, evidence = played+n, evidence+rows
		for _, f := range found {
			pages++
			t.Errorf("%s, seed %d: %s about %s: %s", kind.name, o.Seed, f.Rule, f.Subject, f.Observed)
		}
		if rounds > 600 {
			fmt.Fprintf(os.Stderr, "%d rounds, %d pages; table %d, %s\n", played, pages, table, kind.name)
		}
	}
	t.Logf("%d rounds, %d rows of evidence, %d pages", played, evidence, pages)
	if evidence < 30*played {
		t.Errorf("%d rows of evidence of %d rounds: the detectors do not score them", evidence, played)
	}
}

// A finding about a whole shoe has the currency and the rulebook of its table.
func TestFindingAboutAShoe(t *testing.T) {
	var done acts
	o := removed(8, true)(&done)
	o.Table, o.Seed, o.Shoes = "s-1", 3, 6
	_, _, found := playHonest(t, &o, map[string]*terms{})
	if len(found) == 0 {
		t.Fatal("no finding about cards that are missing")
	}
	for i := range found {
		if f := &found[i]; f.Currency != "USD" || f.Rulebook == "" {
			t.Errorf("%s about %s: currency %q, rulebook %q", f.Rule, f.Subject, f.Currency, f.Rulebook)
		}
	}
}

// playHonest plays a table through the engine and the watch, and returns its rounds, its rows of evidence and its
// pages.
func playHonest(t *testing.T, o *oracle.Options, laws map[string]*terms) (
	rounds, evidence int, pages []finding.Finding,
) {
	t.Helper()
	quiet := options()
	quiet.NoArchive = true
	var set rows.Set
	e := auditor.New(quiet)
	record := auditor.Record{Format: schema.JSON}
	for line := range strings.Lines(oracle.Play(*o)) {
		record.Value = append(record.Value[:0], line...)
		e.Apply(&record, "", 0, &set)
		record.Offset++
	}
	e.Finish(&set)
	if len(set.DeadLetters) > 0 || e.Counts.Rounds == 0 {
		t.Fatalf("%d dead letters, %d rounds", len(set.DeadLetters), e.Counts.Rounds)
	}
	m := newMemory()
	m.add(&set)
	w := newWatcher(m, Options{Property: "ac-1", Engine: quiet})
	w.terms = laws
	step, err := w.Pass(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(set.Findings, m.findings)
	return step.Rounds, step.Evidence, slices.DeleteFunc(all, func(f finding.Finding) bool {
		return f.Kind != finding.Anomaly || f.Severity < finding.Major
	})
}

// played are the events of a table of the oracle.
func played(t *testing.T, o *oracle.Options) (events []schema.Event) {
	t.Helper()
	for line := range strings.Lines(oracle.Play(*o)) {
		var ev schema.Event
		if err := schema.NewDecoder().Decode(schema.JSON, []byte(line), &ev); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		events = append(events, ev)
	}
	return events
}
