//go:build unix

package console

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/simulate/cheat"
	simulated "github.com/shoeproof/shoeproof/simulate/deal"
)

// The evidence of a suspicion is drawn on an axis of odds with the line of the alarm. Its strongest rounds are shown
// with their cards and lead to the page of the round.
func TestSuspicion(t *testing.T) {
	t.Parallel()
	s := emptyStore(t)
	newTestFloor(t, s.Store).play(planted(t, "ac-1", "live-07", "draw.banker.must-stay"))
	rounds, err := s.Rounds(t.Context(), store.Scope{All: true}, store.Location{Property: "ac-1", Table: "live-07"})
	if err != nil || len(rounds) < 8 {
		t.Fatal(len(rounds), err)
	}
	id, now := strings.Repeat("ab", 16), time.Now()
	insert(t, s, "findings", "id, kind, verdict, rule, severity, property_id, table_id, shoe_id, round, subject, at, "+
		"observed, ln_e, threshold, odds", id, "anomaly", "SUSPECT", "d07", "major", "ac-1", "live-07", rounds[7].ShoeID,
		rounds[7].Round, "patron:p", now, "wins more often than chance; observed 31 of 40, expected 18.3; over 8 rounds",
		16.0, 13.8, "under honest play, evidence this strong occurs less than once in 300 table-years")
	for i, r := range rounds[:8] {
		insert(t, s, "evidence", "detector, key, at, property_id, table_id, shoe_id, round, ln_e, start",
			"d07", "patron:p", r.At, "ac-1", "live-07", r.ShoeID, r.Round, []float64{1, -0.2, 3, 2.5, -0.1, 4, 2.8, 3}[i], 1.0)
	}
	for property, at := range map[string]time.Time{ // of an earlier visit, and of another property
		"ac-1": rounds[0].At.Add(-24 * time.Hour), "ac-2": rounds[3].At,
	} {
		insert(t, s, "evidence", "detector, key, at, property_id, table_id, shoe_id, round, ln_e, start",
			"d07", "patron:p", at, property, "live-07", "earlier", 1, 30.0, 1.0)
	}
	c := serve(t, s, nil)
	b := openBrowser(t, c.url, 1440, 900)
	b.signIn("ann", "operator")
	b.open("/findings/" + id)
	axis := eval[string](b, "[...document.querySelectorAll('.curve text')].map((x) => x.textContent).join('|')")
	for _, want := range []string{"1 in 10,000|", "1 in 1 million|", "alarm at 1 in 985,000"} {
		if !strings.Contains(axis, want) {
			t.Errorf("the axis of odds lacks %q: %s", want, axis)
		}
	}
	lines, words := eval[int](b, "document.querySelectorAll('.curve path.axis').length"), strings.Count(axis, "|")
	if lines != words {
		t.Errorf("the axis of odds has %d lines and %d texts", lines, words)
	}
	if over := eval[bool](b, `(() => { const alarm = document.querySelector('.curve path.alarm').getBBox().y;
		const last = document.querySelector('.curve polyline').points; return last[last.length - 1].y < alarm; })()`); !over {
		t.Error("the curve of an alarm ends below the line of the alarm")
	}
	// The line of the alarm is at its odds on the axis, between even and 1 in 1 million.
	const heights = `(() => { const at = Object.fromEntries([...document.querySelectorAll(".curve text")].map((x) =>
		[x.textContent, Number(x.getAttribute("y"))]));
		return [at.even, at["1 in 1 million"], document.querySelector(".curve path.alarm").getBBox().y]; })()`
	y := eval[[]float64](b, heights)
	if want := y[0] + (y[1]-y[0])*13.8/math.Log(1e6); len(y) != 3 || math.Abs(y[2]-want) > 1 {
		t.Errorf("the line of the alarm is at %v, want %v", y, want)
	}
	links := eval[[]string](b, "[...document.querySelectorAll('.strongest li > a')].map((a) => a.getAttribute('href'))")
	if len(links) != 5 || links[0] != roundURL(&rounds[5]) {
		t.Errorf("the strongest rounds lead to %v, want %s first", links, roundURL(&rounds[5]))
	}
	if n := eval[int](b, "document.querySelectorAll('.strongest .mini').length"); n < 20 {
		t.Errorf("%d cards of the strongest rounds", n)
	}
	text := eval[string](b, "document.querySelector('.compare').getAttribute('aria-label')")
	if text != "Observed 31, expected 18.3 of 40" {
		t.Errorf("the comparison is %q", text)
	}
	widths := eval[string](b, "[...document.querySelectorAll('.compare rect')].map((x) => "+
		"x.getAttribute('class') + ' ' + Math.round(x.getBBox().width)).join()")
	if widths != "observed 310,expected 183" {
		t.Errorf("the bars of the comparison are %s", widths)
	}
	b.screenshot("suspicion")
	slug(t, s, b)
	b.quiet()
}

// The cards of a slug are beside the cards of the shoe that they repeat, each with its round.
func slug(t *testing.T, s *store.Store, b *browser) {
	t.Helper()
	const n = 20
	c, err := cheat.Find(fmt.Sprint("s3-", n))
	if err != nil {
		t.Fatal(err)
	}
	table := cheat.NewTable(simulated.Options{
		Property: "ac-1", Pit: "p1", Table: "mb-01", Seed: 7, Start: time.Now().Add(-6 * time.Hour),
	}, cheat.Options{Cheat: c, From: 2})
	events := table.Open()
	for range 2 {
		events = append(events, table.Shoe()...)
	}
	newTestFloor(t, s.Store).play(events)
	found, err := s.Findings(t.Context(), store.Scope{All: true}, store.FindingQuery{Table: "mb-01", Rule: "d04"})
	if err != nil || len(found) != 1 || found[0].ShoeID != table.Label().Shoe {
		t.Fatalf("findings of d04: %+v, %v", found, err)
	}
	b.open("/findings/" + found[0].ID)
	const links = "document.querySelectorAll('.strips tr:last-child .same a[href^=\"/rounds/ac-1/mb-01/\"]').length"
	same := eval[int](b, links)
	if same < n-2 || same > n+4 {
		t.Errorf("%d cards of a slug of %d are beside their like", same, n)
	}
	const texts = "[...document.querySelectorAll('.strips tr:%s .same .hide')].map((x) => x.textContent).join()"
	old, now := eval[string](b, fmt.Sprintf(texts, "first-child")), eval[string](b, fmt.Sprintf(texts, "last-child"))
	if old != now {
		t.Errorf("the strips differ: %s, %s", old, now)
	}
	// Each strip has the cards of the shoe at its head.
	if foreign := eval[int](b, `[...document.querySelectorAll(".strips tr:not(.between)")].flatMap((row) =>
		[...row.querySelectorAll("td a")].filter((a) => !a.getAttribute("href").startsWith(
			"/rounds/ac-1/mb-01/" + row.querySelector("th").textContent + "/"))).length`); foreign > 0 {
		t.Errorf("%d cards of a strip lead to another shoe", foreign)
	}
	eval[bool](b, "(document.querySelector('.strips').closest('section').scrollIntoView({block: 'center'}), true)")
	b.screenshot("slug")
	b.screen(390, 844, 1)
	b.narrow("a slug")
	b.screen(1440, 900, 1)
}

// Runs are aligned with few cards that differ, in this shoe with its past only, and unread cards are like no other.
func TestAlign(t *testing.T) {
	t.Parallel()
	cards := func(text string) (all []baccarat.Card) {
		for i := 0; i < len(text); i += 2 {
			card, err := baccarat.ParseCard(text[i : i+2])
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, card)
		}
		return all
	}
	const run = "AcKhTd9s2c8h7d3s"
	always := func(int, int) bool { return true }
	for name, x := range map[string]struct {
		old, now string
		may      func(i, j int) bool
		want     int // pairs
	}{
		"the same run":         {"5c5d" + run + "6h", "QsQd" + run, always, 8},
		"one card differs":     {run[:8] + "Jc" + run[8:], run[:8] + "Jd" + run[8:], always, 9},
		"one card more":        {run[:8] + "Jc" + run[8:], run, always, 9},
		"unread cards":         {"????????", "????????", always, 0},
		"nothing in common":    {"AcAdAhAs", "KcKdKhKs", always, 0},
		"no cards":             {"", run, always, 0},
		"a shoe with its past": {run + "5c" + run, run + "5c" + run, func(i, j int) bool { return i < j }, 8},
	} {
		got := align(cards(x.old), cards(x.now), x.may)
		if len(got.pairs) != x.want {
			t.Errorf("%s: %v, want %d pairs", name, got.pairs, x.want)
		}
	}
}

// A card that was not read is neither equal to the card beside it nor different.
func TestStripsOfUnreadCards(t *testing.T) {
	t.Parallel()
	rounds := func(cards ...string) recordedCards {
		all := make([]store.Round, len(cards))
		for i, text := range cards {
			all[i] = store.Round{Round: uint32(i + 1), Cards: text}
		}
		return cardsIn(all)
	}
	old := rounds("P Ac Kh B Td 9s", "P 2c ?? B 7d ??", "P 4h 5s B 6c Jd", "P 3c 3h B 8s Qd")
	now := rounds("P Ac Kh B Td 9s", "P 2c 8h B 7d ??", "P 4h 5s B 6c Jd", "P 3c 3h B 8s Qd")
	match := stripMatch{}
	match.longest(&old, "old", &now, false)
	s := match.strips(&store.Finding{}, &now)
	if s == nil {
		t.Fatal("no run in common")
	}
	texts := ""
	for _, c := range s.Columns {
		switch {
		case c.Same && !c.Unread:
			texts += "="
		case c.Unread && !c.Same:
			texts += "?"
		default:
			texts += "≠"
		}
	}
	if want := "======??========"; texts != want || s.Same != len(want)-2 {
		t.Errorf("the columns are %s with %d the same, want %s", texts, s.Same, want)
	}
}
