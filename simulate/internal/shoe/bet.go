package shoe

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
)

// Bet is a side bet that a rulebook defines by lines. The simulator reads the rulebook itself, from its canonical JSON:
// it is a second opinion on the lines too.
type Bet struct {
	Name    string `json:"-"`
	SideBet string `json:"side_bet"`
	Kind    string `json:"pay_table"`
	Odds    string
	Choice  string
	Decide  bool `json:"rows_decide"`
	Lines   []betLine
	flat    Odds
	rows    map[string]map[string]string
}

type betLine struct {
	Name     string
	When     map[string]any
	Pays     any
	Returns  bool
	Row      string
	NeedsRow string `json:"needs_row"`
	Option   map[string]string
}

// Game is what the simulator reads of a game of a rulebook.
type Game struct {
	Bets []Bet
	// Ruleset is the name of the rulebook. The table plays in the manner of the shipped rulebook of its configuration.
	Ruleset string
	Decks   uint32 // the minimum
	// Modes are the kinds of vigorish, Percents the percentages of a commission, ascending, Charges the kinds that are
	// words of the rulebook.
	Modes    []string
	Percents []uint32
	Charges  map[string]*Charge
	// Exact are the odds of spots that are no minimum.
	Exact map[string]string
}

// ReadGame reads the side bets of a game that are words of the rulebook, from the canonical JSON of the rulebook.
func ReadGame(rulebook []byte, game schema.Game) (*Game, error) {
	var book struct {
		Name  string
		Games map[string]struct {
			Wagers    map[string]Bet
			SideBets  []string                                `json:"side_bets"`
			PayTables map[string]map[string]map[string]string `json:"pay_tables"`
			Spots     map[string]struct{ Odds, Relation string }
			Options   map[string]string
			MinDecks  uint32 `json:"min_decks"`
			Vigorish  struct {
				Modes   []string
				Units   map[string]int64
				Charges map[string]*Charge
			}
		}
	}
	if err := json.Unmarshal(rulebook, &book); err != nil {
		return nil, fmt.Errorf("read the rulebook: %w", err)
	}
	in, ok := book.Games[game.String()]
	if !ok {
		return nil, fmt.Errorf("the rulebook has no %v", game)
	}
	g := &Game{Ruleset: book.Name, Decks: in.MinDecks, Modes: in.Vigorish.Modes, Exact: map[string]string{}}
	for percent := range in.Vigorish.Units {
		if n, err := strconv.ParseUint(percent, 10, 8); err == nil {
			g.Percents = append(g.Percents, uint32(n))
		}
	}
	slices.Sort(g.Percents)
	g.Charges = in.Vigorish.Charges
	for spot, x := range in.Spots {
		if x.Relation == "exact" && isSpot(spot) {
			g.Exact[spot] = x.Odds
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in.Wagers)) {
		b := in.Wagers[name]
		if b.Name = name; b.SideBet == "" {
			b.SideBet = name
		}
		if isSpot(name) || !slices.Contains(in.SideBets, b.SideBet) || b.Odds == "posted" {
			continue
		}
		if b.Kind == "" {
			b.Kind = strings.ToLower(b.SideBet)
		}
		text := b.Odds
		if text == "" {
			text = in.Spots[name].Odds
		}
		b.flat, _ = parseOdds(text)
		b.rows = in.PayTables[b.Kind]
		b.Lines = slices.DeleteFunc(b.Lines, func(x betLine) bool { return !x.exists(in.Options) })
		g.Bets = append(g.Bets, b)
	}
	return g, nil
}

// exists reports whether the options of the rulebook have the values that the line needs.
func (x *betLine) exists(options map[string]string) bool {
	for k, v := range x.Option {
		if options[k] != v {
			return false
		}
	}
	return true
}

// PayTables returns the names of the pay tables of a bet, none if its odds do not depend on one.
func (b *Bet) PayTables() []string {
	names := map[string]bool{}
	for name := range b.rows {
		names[name] = true
	}
	for i := range b.Lines {
		if by, ok := b.Lines[i].Pays.(map[string]any); ok {
			for name := range by {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Flat returns the odds of lines without odds of their own, as a table posts them.
func (b *Bet) Flat() (string, bool) {
	return fmt.Sprintf("%d:%d", b.flat.To, b.flat.Per), b.flat.Per > 0
}

// Row returns the name under which a table posts the odds of the first line that has any.
func (b *Bet) Row() string {
	i := max(slices.IndexFunc(b.Lines, func(x betLine) bool { return !x.Returns }), 0)
	if name := b.Lines[i].Name; name != "" {
		return b.Name + "/" + name
	}
	return fmt.Sprintf("%s/%d", b.Name, i+1)
}

// settle returns what a stake on the bet comes to under a pay table.
func (b *Bet) settle(table string, amount int64, c *Coup) (Outcome, int64) {
	best, pushed := Odds{}, false
	for i := range b.Lines {
		line := &b.Lines[i]
		if !holds(line.When, c) {
			continue
		}
		odds, listed := b.oddsOf(line, table)
		if b.Decide && !listed {
			continue
		}
		if b.Choice != "highest" {
			if line.Returns {
				return Pushed, 0
			}
			return Won, odds.pay(amount)
		}
		if best.Per == 0 || odds.To*best.Per > best.To*odds.Per {
			best, pushed = odds, line.Returns
		}
	}
	switch {
	case pushed:
		return Pushed, 0
	case best.Per == 0:
		return Lost, 0
	}
	return Won, best.pay(amount)
}

func (b *Bet) oddsOf(line *betLine, table string) (odds Odds, listed bool) {
	odds = b.flat
	switch pays := line.Pays.(type) {
	case string:
		odds, _ = parseOdds(pays)
	case map[string]any:
		text, _ := pays[table].(string)
		odds, _ = parseOdds(text)
	default:
		if b.rows != nil {
			row := line.Row
			if row == "" {
				row = line.Name
			}
			odds, _ = parseOdds(b.rows[table][row])
		}
	}
	if odds.Per == 0 {
		odds.Per = 1
		return odds, line.Returns
	}
	_, needed := b.rows[table][line.NeedsRow]
	return odds, needed || line.NeedsRow == ""
}

// holds reports whether two hands meet a condition of a rulebook.
func holds(when map[string]any, c *Coup) bool {
	for key, want := range when {
		if want != nil && !meets(key, want, c) {
			return false
		}
	}
	return true
}

func meets(key string, want any, c *Coup) bool {
	switch key {
	case "winner":
		return slices.Contains(list(want), c.Result().String())
	case "margin":
		margin := c.Count(Player) - c.Count(Banker)
		return within(want, max(margin, -margin))
	case "points":
		return within(want, c.Count(Player)+c.Count(Banker))
	case "cards":
		return within(want, c.Cards())
	case "card_points", "count", "all_one_suit", "same_pair":
		return allMeet(key, want, c)
	case "player":
		return handMeets(want, c, Player)
	case "banker":
		return handMeets(want, c, Banker)
	case "either":
		return handMeets(want, c, Player) || handMeets(want, c, Banker)
	case "both":
		return handMeets(want, c, Player) && handMeets(want, c, Banker)
	case "not":
		q, _ := want.(map[string]any)
		return !holds(q, c)
	case "any":
		all, _ := want.([]any)
		return slices.ContainsFunc(all, func(x any) bool {
			q, _ := x.(map[string]any)
			return holds(q, c)
		})
	}
	return false
}

// allMeet reports whether the cards of both hands together meet a part of a condition.
func allMeet(key string, want any, c *Coup) bool {
	all := slices.Concat(c.Hands[Player], c.Hands[Banker])
	switch key {
	case "card_points":
		sum := 0
		for _, x := range all {
			sum += x.Value()
		}
		return within(want, sum)
	case "all_one_suit":
		other := func(x Card) bool { return (x-1)/13 != (all[0]-1)/13 }
		return !slices.ContainsFunc(all, other) == (want == true)
	case "same_pair":
		two := slices.Concat(c.Hands[Player][:2], c.Hands[Banker][:2])
		other := func(x Card) bool { return x.Rank() != two[0].Rank() }
		return !slices.ContainsFunc(two, other) == (want == true)
	}
	return counted(want, c.Hands[Player], c.Hands[Banker])
}

// counted reports whether hands have the numbers of cards of some ranks and suits that are wanted.
func counted(want any, hands ...[]Card) bool {
	counts, _ := want.([]any)
	return !slices.ContainsFunc(counts, func(x any) bool {
		q, _ := x.(map[string]any)
		n := 0
		for _, hand := range hands {
			if q["first_two"] == true {
				hand = hand[:2]
			}
			for _, card := range hand {
				suit := []string{"CLUBS BLACK", "DIAMONDS RED", "HEARTS RED", "SPADES BLACK"}[(card-1)/13]
				inSuit := func(word string) bool { return slices.Contains(strings.Fields(suit), strings.ToUpper(word)) }
				inRank := func(word string) bool { return strings.ToUpper(word) == rankWord(card) }
				if (q["suits"] == nil || slices.ContainsFunc(list(q["suits"]), inSuit)) &&
					(q["ranks"] == nil || slices.ContainsFunc(list(q["ranks"]), inRank)) {
					n++
				}
			}
		}
		return !within(q["is"], n)
	})
}

func handMeets(want any, c *Coup, h int) bool {
	q, _ := want.(map[string]any)
	hand := c.Hands[h]
	suit := func(x Card) int { return (int(x) - 1) / 13 }
	red := func(x Card) bool { return suit(x) == 1 || suit(x) == 2 }
	all := func(same func(x Card) bool) bool {
		return !slices.ContainsFunc(hand, func(x Card) bool { return !same(x) })
	}
	is := map[string]bool{
		"natural": c.Natural(h), "pair": c.Pair(h), "suited": suit(hand[0]) == suit(hand[1]),
		"same_color":   red(hand[0]) == red(hand[1]),
		"all_one_rank": all(func(x Card) bool { return x.Rank() == hand[0].Rank() }),
		"all_one_suit": all(func(x Card) bool { return suit(x) == suit(hand[0]) }),
	}
	for key, want := range q {
		ok := false
		switch key {
		case "total":
			ok = within(want, c.Count(h))
		case "cards":
			ok = within(want, c.Size(h))
		case "first_two_total":
			ok = within(want, c.First(h))
		case "first_two_ranks":
			a, b := rankWord(hand[0]), rankWord(hand[1])
			two := list(want)
			ok = len(two) == 2 && (two[0] == a && two[1] == b || two[0] == b && two[1] == a)
		case "third_card":
			ok = len(hand) > 2 && slices.Contains(list(want), rankWord(hand[2]))
		case "count":
			ok = counted(want, hand)
		case "all_ranks":
			ok = all(func(x Card) bool { return slices.Contains(list(want), rankWord(x)) })
		default:
			ok = is[key] == (want == true)
		}
		if !ok {
			return false
		}
	}
	return true
}

func rankWord(x Card) string { return x.String()[:1] }

// list is a word or a list of words.
func list(want any) []string {
	if all, ok := want.([]any); ok {
		var out []string
		for _, x := range all {
			out = append(out, fmt.Sprint(x))
		}
		return out
	}
	return []string{fmt.Sprint(want)}
}

// within reports whether a number is one of those wanted: numbers and ranges such as 4-9.
func within(want any, n int) bool {
	return slices.ContainsFunc(list(want), func(text string) bool {
		from, to, ranged := strings.Cut(text, "-")
		low, _ := strconv.Atoi(strings.TrimSpace(from))
		high := low
		if ranged {
			high, _ = strconv.Atoi(strings.TrimSpace(to))
		}
		return low <= n && n <= high
	})
}

// isSpot reports whether a name is a word of the contract.
func isSpot(name string) bool {
	for spot := schema.SpotBanker; spot <= schema.SpotOther; spot++ {
		if spot.String() == name {
			return true
		}
	}
	return false
}
