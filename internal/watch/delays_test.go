//go:build unix

package watch

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/detectors"
	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/oracle"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// acts are the rounds in which a cheat acts, as shoe and round.
type acts [][2]int

// cheatRow is a row of the table of delays.
type cheatRow struct {
	name string
	// review is what an independent review measured before the detectors were changed, in acts.
	review string
	// detector and kind give the threshold, information is what an act tells at most, in units of ln e; 0 if the limit is
	// given.
	detector    string
	kind        detectors.KeyKind
	information float64
	limit       float64
	unit        string
	shoes       int
	play        func(*acts) oracle.Options
	// guilty is the subject: the patron of seat 1, or words of which a subject contains one.
	guilty []string
}

// rota changes the dealer every 20 rounds.
func rota(round int) string { return fmt.Sprint("d", round/20%4) }

// byPatron are tables with a rota of four dealers, at which one patron cheats in some rounds.
func byPatron(part float64, cheat func(b *oracle.Bet, next []int)) func(*acts) oracle.Options {
	return func(done *acts) oracle.Options {
		return oracle.Options{Dealer: rota, Bets: func(rng *rand.Rand, shoe, round int, next []int) []oracle.Bet {
			bets := patrons(5)(rng, shoe, round, next)
			*done = append(*done, [2]int{shoe, round})
			if rng.Float64() < part {
				cheat(&bets[0], next)
			}
			return bets
		}}
	}
}

func bySide(b *oracle.Bet, next []int) {
	if b.Side = "BANKER"; high(next[0]) {
		b.Side = "PLAYER"
	}
}

func byWinner(b *oracle.Bet, next []int) {
	if coup := oracle.Deal(next); coup.Winner() != "TIE" {
		b.Side = coup.Winner()
	}
}

func byStake(b *oracle.Bet, next []int) {
	if b.Side, b.Amount = "PLAYER", 50_00; high(next[0]) {
		b.Amount = 1000_00
	}
}

// late bets are made in half of the rounds; a part of them knows the winner.
func late(part float64) func(*acts) oracle.Options {
	return func(done *acts) oracle.Options {
		return oracle.Options{Dealer: rota, Bets: func(rng *rand.Rand, shoe, round int, next []int) []oracle.Bet {
			bets := patrons(5)(rng, shoe, round, next)
			if bets[0].Late = rng.IntN(2) == 0; bets[0].Late {
				*done = append(*done, [2]int{shoe, round})
				if rng.Float64() < part {
					byWinner(&bets[0], next)
				}
			}
			return bets
		}}
	}
}

// toAnother is a dealer who shows what comes to a new patron every 20 rounds.
func toAnother(cheat func(*oracle.Bet, []int)) func(*acts) oracle.Options {
	return func(done *acts) oracle.Options {
		o := byPatron(1, cheat)(done)
		bets := o.Bets
		o.Dealer = nil
		o.Bets = func(rng *rand.Rand, shoe, round int, next []int) []oracle.Bet {
			all := bets(rng, shoe, round, next)
			all[0].Name = fmt.Sprintf("a%d-%d", shoe, round/20)
			return all
		}
		return o
	}
}

// removed are packs without some nines; fresh packs have an id each.
func removed(nines int, fresh bool) func(*acts) oracle.Options {
	return func(done *acts) oracle.Options {
		o := honestPlay(done)
		o.Pack = func(rng *rand.Rand, _ [][]int) []int {
			cards := oracle.Decks()
			for i := range nines {
				at := slices.Index(cards, 32+i%4)
				cards = slices.Delete(cards, at, at+1)
			}
			return oracle.Shuffle(rng, cards)
		}
		if fresh {
			o.Batch = func(shoe int) string { return fmt.Sprint("b", shoe) }
		}
		return o
	}
}

// honestPlay counts each round as an act.
func honestPlay(done *acts) oracle.Options {
	return byPatron(0, nil)(done)
}

// slug repeats a run of the last shoe of the set of cards, in the order of dealing, from the third shoe on.
func slug(length int, alternate bool) func(*acts) oracle.Options {
	return func(done *acts) oracle.Options {
		o := oracle.Options{Dealer: rota}
		back, to := 1, 0
		if alternate {
			back = 2
			o.Batch = func(shoe int) string { return fmt.Sprint("b", shoe%2) }
		}
		o.Pack = func(rng *rand.Rand, past [][]int) []int {
			cards := oracle.Shuffle(rng, oracle.Decks())
			to = 0
			if len(past) < 2 {
				return cards
			}
			last := past[len(past)-back]
			from := rng.IntN(len(last) - length)
			run := last[from : from+length]
			for _, card := range run {
				at := slices.Index(cards, card)
				cards = slices.Delete(cards, at, at+1)
			}
			to = 20 + rng.IntN(300)
			return slices.Insert(cards, to, run...)
		}
		o.Bets = func(rng *rand.Rand, shoe, round int, next []int) []oracle.Bet {
			if at := 416 - len(next); to > 0 && at+4 > to && at < to+length {
				*done = append(*done, [2]int{shoe, round})
			}
			return patrons(5)(rng, shoe, round, next)
		}
		return o
	}
}

// offset are accounts whose bets offset in a part of the rounds, after some honest ones: the first against the others.
func offset(part float64, honest int, ratio ...float64) func(*acts) oracle.Options {
	return func(done *acts) oracle.Options {
		n := 0
		return oracle.Options{Dealer: rota, Bets: func(rng *rand.Rand, shoe, round int, next []int) []oracle.Bet {
			bets := patrons(5)(rng, shoe, round, next)
			for i := range bets {
				bets[i].Amount *= 5
			}
			if n++; n <= honest {
				return bets
			}
			*done = append(*done, [2]int{shoe, round})
			if rng.Float64() >= part {
				return bets
			}
			bets[0].Amount = 1000_00
			for i, r := range ratio {
				b := &bets[i+1]
				if b.Amount, b.Side = int(1000_00*r), "PLAYER"; bets[0].Side == "PLAYER" {
					b.Side = "BANKER"
				}
			}
			return bets
		}}
	}
}

// winnerKnown is what the side of a patron who knows the winner in a part of the rounds tells of a round, highCard of
// one who knows whether the first card is 6 to 9.
func winnerKnown(part float64) float64 {
	const decided = 0.904844
	return decided * ((1+part)/2*math.Log(1+part) + (1-part)/2*math.Log(max(1-part, 1e-300)))
}

func highCard(part float64) float64 {
	const q = 4.0 / 13
	side := func(chance, mean float64) float64 {
		return chance*math.Log(chance/mean) + max(1-chance, 1e-300)*math.Log(max(1-chance, 1e-300)/(1-mean))
	}
	hit := (1 + part) / 2
	mean := q*hit + (1-q)*(1-hit)
	return q*side(hit, mean) + (1-q)*side(max(1-hit, 1e-300), mean)
}

// Who is named where no patron is.
var (
	shower = []string{"dealer:", "table:"}
	pack   = []string{"batch:", "table:"}
	shoe   = []string{"shoe:"}
	pair   = []string{"pair:"}
)

const (
	ofPatron = detectors.OfPatron
	ofDealer = detectors.OfDealer
	ofBatch  = detectors.OfBatch
)

var cheatRows = []cheatRow{
	{"winner known, always", "33", "d07", ofPatron, winnerKnown(1), 0, "rounds", 3, byPatron(1, byWinner), nil},
	{"winner known, half", "127", "d07", ofPatron, winnerKnown(.5), 0, "rounds", 10, byPatron(.5, byWinner), nil},
	{"winner known, a quarter", "643", "d07", ofPatron, winnerKnown(.25), 0, "rounds", 30, byPatron(.25, byWinner), nil},
	{"first card known, always", "42", "d06", ofPatron, highCard(1), 0, "rounds", 4, byPatron(1, bySide), nil},
	{"first card known, half", "204", "d06", ofPatron, highCard(.5), 0, "rounds", 12, byPatron(.5, bySide), nil},
	{"first card known, a quarter", "1351", "d06", ofPatron, highCard(.25), 0, "rounds", 40, byPatron(.25, bySide), nil},
	{"first card known, an event lost each shoe", "never", "d06", ofPatron, highCard(1), 0, "rounds", 4, oneLost, nil},
	{"stake by the first card", "4593", "d06", ofPatron, highCard(1), 0, "rounds", 6, byPatron(1, byStake), nil},
	{"late bets, half know the winner", "67", "d16", ofPatron, winnerKnown(.5), 0, "late bets", 20, late(.5), nil},
	{"late bets, a quarter know the winner", "164", "d16", ofPatron, winnerKnown(.25), 0, "late bets", 60, late(.25), nil},
	{
		"first card shown to a new patron every 20 rounds", "never", "d06", ofDealer, highCard(1), 0, "rounds", 12,
		toAnother(bySide), shower,
	},
	{
		"winner shown to a new patron every 20 rounds", "", "d07", ofDealer, winnerKnown(1), 0, "rounds", 12,
		toAnother(byWinner), shower,
	},
	{"one nine removed", "22", "d02", ofBatch, 0, 18, "shoes", 60, removed(1, false), pack},
	{"four nines removed", "21", "d02", ofBatch, 0, 4.7, "shoes", 30, removed(4, false), pack},
	{"eight nines removed", "8", "d02", ofBatch, 0, 1.8, "shoes", 15, removed(8, false), pack},
	{
		"four nines removed, fresh cards each shoe", "never", "d02", detectors.OfTable, 0, 4.7, "shoes", 30,
		removed(4, true), pack,
	},
	{"slug of 9 cards", "found", "d04", detectors.OfShoe, 0, 0, "rounds", 3, slug(9, false), shoe},
	{"slug of 20 cards", "found", "d04", detectors.OfShoe, 0, 0, "rounds", 3, slug(20, false), shoe},
	{"slug of 60 cards", "found", "d04", detectors.OfShoe, 0, 0, "rounds", 3, slug(60, false), shoe},
	{"slug of 40 cards, two packs in turn", "never", "d04", detectors.OfShoe, 0, 0, "rounds", 3, slug(40, true), shoe},
	{
		"offsetting bets, 0.85 of the stake in 85 % of rounds", "never", "d15", detectors.OfPair, 0, 30, "rounds", 4,
		offset(.85, 0, .85), pair,
	},
	{
		"offsetting bets, one against two", "never", "d15", detectors.OfPair, 0, 30, "rounds", 4, offset(1, 0, .6, .4),
		pair,
	},
	{
		"offsetting bets after 80 honest rounds", "never", "d15", detectors.OfPair, 0, 30, "rounds", 6, offset(1, 80, 1),
		pair,
	},
}

// oneLost is a patron who knows the first card, at a table that loses an event a shoe.
func oneLost(done *acts) oracle.Options {
	o := byPatron(1, bySide)(done)
	o.Lost = func(_, round int, kind string) bool { return round == 30 && kind == "wager_placed" }
	return o
}

// delayed is the result of a run.
type delayed struct {
	acts           int // up to the page, 0 without one
	wait           time.Duration
	cases, dealers int
	wrong          string
}

// The tables of an independent review through engine and watch: the delay from the first act to the page, beside the
// limit ln A / KL that no test can beat to first order. A cause is one case, and no dealer is named where a patron
// cheats. SHOEPROOF_DELAYS is the number of runs of each row: `make bench-delays RUNS=20`, about six seconds of
// processor time a run of all rows.
func TestDelays(t *testing.T) {
	runs, list := 1, []int{0, 3, 7}
	if long, err := strconv.Atoi(os.Getenv("SHOEPROOF_DELAYS")); err == nil {
		runs, list = long, nil
		for i := range cheatRows {
			list = append(list, i)
		}
	}
	var text strings.Builder
	text.WriteString("| cheat | unit | page | mean | median | ln A | limit | mean/limit | review | " +
		"event to page | cases | dealers named |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	laws := map[string]*terms{}
	for _, i := range list {
		c := &cheatRows[i]
		t.Run(c.name, func(t *testing.T) {
			began, all := processor(t), []delayed{}
			for seed := range runs {
				d := playCheat(t, c, uint64(100*i+seed), laws)
				if d.wrong != "" || d.acts == 0 && runs == 1 {
					t.Errorf("seed %d: page after %d acts; %s", seed, d.acts, d.wrong)
				}
				all = append(all, d)
			}
			row := c.row(all)
			text.WriteString(row)
			if len(list) == len(cheatRows) {
				fmt.Fprintf(os.Stderr, "%s%.1f s of processor time\n", row, (processor(t) - began).Seconds())
			}
		})
	}
	t.Logf("\n%s", text.String())
}

// row is a line of the table. A run without a page is left out of the delay.
func (c *cheatRow) row(all []delayed) string {
	var met []int
	var waits []time.Duration
	sum, cases, dealers := 0, 0, 0
	for _, d := range all {
		cases, dealers = max(cases, d.cases), dealers+d.dealers
		if d.acts > 0 {
			met, waits, sum = append(met, d.acts), append(waits, d.wait), sum+d.acts
		}
	}
	slices.Sort(met)
	slices.Sort(waits)
	mean, median, wait := "", "", ""
	if len(met) > 0 {
		mean, median = fmt.Sprintf("%.1f", float64(sum)/float64(len(met))), fmt.Sprint(met[len(met)/2])
		wait = waits[len(waits)/2].Round(time.Second).String()
	}
	limit, lnA, ratio := c.limit, "", ""
	if b := detectors.DefaultBudget(); c.detector != "d15" {
		at := slices.IndexFunc(detectors.All(), func(d *detectors.Detector) bool { return d.ID == c.detector })
		threshold := b.LnThreshold(detectors.All()[at], c.kind)
		lnA = fmt.Sprintf("%.1f", threshold)
		if c.information > 0 {
			limit = threshold / c.information
		}
	}
	bound := ""
	if limit > 0 {
		bound = fmt.Sprintf("%.1f", limit)
		ratio = fmt.Sprintf("%.2f", float64(sum)/float64(max(len(met), 1))/limit)
	}
	return fmt.Sprintf("| %s | %s | %d of %d | %s | %s | %s | %s | %s | %s | %s | %d | %d |\n", c.name, c.unit, len(met),
		len(all), mean, median, lnA, bound, ratio, cmp.Or(c.review, "-"), wait, cases, dealers)
}

// playCheat plays a table event by event through the engine and the watch, until a shoe's part after the page.
func playCheat(t *testing.T, c *cheatRow, seed uint64, laws map[string]*terms) (out delayed) {
	t.Helper()
	done := acts{}
	o := c.play(&done)
	o.Table, o.Seed, o.Shoes = fmt.Sprint("c-", seed), 7000+seed, c.shoes
	quiet := options()
	quiet.NoArchive = true
	e, m := auditor.New(quiet), newMemory()
	w := newWatcher(m, Options{Property: "ac-1", Behind: time.Minute, Engine: quiet})
	w.terms = laws
	record, set := auditor.Record{Format: schema.JSON}, rows.Set{}
	guilty, settled := slices.Clone(c.guilty), map[[2]int]int64{}
	after, pages := 0, 0
	for line := range strings.Lines(oracle.Play(o)) {
		record.Value = append(record.Value[:0], line...)
		e.Apply(&record, "", 0, &set)
		record.Offset++
		if len(set.Rounds.Round)+len(set.Shoes)+len(set.Findings) == 0 {
			continue
		}
		now := timeOf(t, line)
		found := slices.Clone(set.Findings)
		for i := range set.Rounds.Round {
			settled[[2]int{shoeOf(set.Rounds.ShoeID[i]), int(set.Rounds.Round[i])}] = set.Rounds.SettledAt[i]
		}
		for i, seat := range set.Wagers.Seat {
			if seat == 1 && c.guilty == nil && len(guilty) == 0 {
				guilty = append(guilty, "patron:"+set.Wagers.Patron[i])
			}
		}
		m.add(&set)
		set.Reset()
		if _, err := w.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		found = append(found, m.findings...)
		m.findings = nil
		for i := range found {
			f := &found[i]
			if f.Kind != finding.Anomaly || f.Severity < finding.Major && f.Rule != "d15" || f.Severity == finding.Info {
				continue
			}
			out.take(f, guilty)
			if pages++; pages == 1 {
				at := [2]int{shoeOf(f.ShoeID), int(f.Round)}
				out.acts, out.wait = done.until(c.unit, at), time.Duration(now-cmp.Or(settled[at], int64(f.At)))
			}
		}
		if out.acts > 0 {
			if after++; after > 60 {
				break
			}
		}
	}
	return out
}

// take counts a page.
func (d *delayed) take(f *finding.Finding, guilty []string) {
	d.cases++
	if strings.HasPrefix(f.Subject, "dealer") {
		d.dealers++
	}
	if !slices.ContainsFunc(guilty, func(g string) bool { return strings.HasPrefix(f.Subject, g) }) {
		d.wrong += fmt.Sprintf("%s about %s, want %v; ", f.Rule, f.Subject, guilty)
	}
}

// until counts the acts up to a round; in shoes, the shoes. Round 0 is the end of the shoe.
func (a acts) until(unit string, at [2]int) (n int) {
	if unit == "shoes" {
		return at[0]
	}
	for _, act := range a {
		if act[0] < at[0] || act[0] == at[0] && (at[1] == 0 || act[1] <= at[1]) {
			n++
		}
	}
	return n
}

// shoeOf is the number of a shoe of the oracle.
func shoeOf(id string) int {
	n, _ := strconv.Atoi(id[strings.LastIndexByte(id, '-')+1:])
	return n
}

// timeOf is the time of an event, ns.
func timeOf(t *testing.T, line string) int64 {
	t.Helper()
	_, rest, _ := strings.Cut(line, `"at":"`)
	text, _, _ := strings.Cut(rest, `"`)
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixNano()
}
