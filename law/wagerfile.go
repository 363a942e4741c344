package law

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/shoeproof/shoeproof/baccarat"
)

// wagerFile is a side bet as it is written.
type wagerFile struct {
	Title    string `yaml:"title"`
	SideBet  string `yaml:"side_bet"`
	PayTable string `yaml:"pay_table"`
	// RowsDecide means that a line without a row in the elected pay table loses.
	RowsDecide bool `yaml:"rows_decide"`
	// Odds are the odds of a line without odds of its own, or "posted".
	Odds     string     `yaml:"odds"`
	Relation string     `yaml:"relation"`
	Choice   string     `yaml:"choice"`
	Lines    []lineFile `yaml:"lines"`
}

type lineFile struct {
	Name string        `yaml:"name"`
	When conditionFile `yaml:"when"`
	Pays paysFile      `yaml:"pays"`
	// Returns means that the stake is returned.
	Returns bool `yaml:"returns"`
	// Row is the row of the pay table, the name of the line if it is empty. The line also needs the row NeedsRow.
	Row      string `yaml:"row"`
	NeedsRow string `yaml:"needs_row"`
	// Option are options that the rulebook must have chosen; the line is left out otherwise.
	Option map[string]string `yaml:"option"`
}

type conditionFile struct {
	Winner listFile        `yaml:"winner"`
	Margin numbersFile     `yaml:"margin"`
	Points numbersFile     `yaml:"points"`
	Cards  numbersFile     `yaml:"cards"`
	Sum    numbersFile     `yaml:"card_points"`
	Suit   *bool           `yaml:"all_one_suit"`
	Same   *bool           `yaml:"same_pair"`
	Count  []countFile     `yaml:"count"`
	Player *handFile       `yaml:"player"`
	Banker *handFile       `yaml:"banker"`
	Either *handFile       `yaml:"either"`
	Both   *handFile       `yaml:"both"`
	Not    *conditionFile  `yaml:"not"`
	Any    []conditionFile `yaml:"any"`
}

type handFile struct {
	Total     numbersFile `yaml:"total"`
	Cards     numbersFile `yaml:"cards"`
	TwoCards  numbersFile `yaml:"first_two_total"`
	Natural   *bool       `yaml:"natural"`
	Pair      *bool       `yaml:"pair"`
	Suited    *bool       `yaml:"suited"`
	SameColor *bool       `yaml:"same_color"`
	OneRank   *bool       `yaml:"all_one_rank"`
	OneSuit   *bool       `yaml:"all_one_suit"`
	Ranks     listFile    `yaml:"first_two_ranks"`
	Only      listFile    `yaml:"all_ranks"`
	Third     listFile    `yaml:"third_card"`
	Count     []countFile `yaml:"count"`
}

// countFile counts cards of some ranks and suits.
type countFile struct {
	Ranks    listFile    `yaml:"ranks"`
	Suits    listFile    `yaml:"suits"`
	FirstTwo bool        `yaml:"first_two"`
	Is       numbersFile `yaml:"is"`
}

// paysFile are odds, or odds by pay table.
type paysFile struct {
	odds    string
	byTable map[string]string
}

func (f *paysFile) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		f.odds = n.Value
		return nil
	}
	return n.Decode(&f.byTable)
}

// numbersFile is a number, a range such as 4-9, or a list of both.
type numbersFile struct{ listFile }

// listFile is a word, or a list of words.
type listFile []string

func (f *listFile) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*f = listFile{n.Value}
		return nil
	}
	return n.Decode((*[]string)(f))
}

// numbers adds the set of numbers that is written, each up to a limit.
func (c *complaints) numbers(where string, f numbersFile, most uint64) (set baccarat.Numbers) {
	c.notEmpty(where, f.listFile)
	for _, text := range f.listFile {
		from, to, ranged := strings.Cut(text, "-")
		low, err1 := strconv.ParseUint(strings.TrimSpace(from), 10, 8)
		high, err2 := low, error(nil)
		if ranged {
			high, err2 = strconv.ParseUint(strings.TrimSpace(to), 10, 8)
		}
		if err1 != nil || err2 != nil || low > high || high > most {
			c.add(where, fmt.Errorf("%q: want a number up to %d, a range such as 4-%d, or a list", text, most, most))
			continue
		}
		for n := low; n <= high; n++ {
			set.Add(uint8(n))
		}
	}
	return set
}

// notEmpty complains of a list that is written and has nothing in it.
func (c *complaints) notEmpty(where string, f listFile) {
	if f != nil && len(f) == 0 {
		c.add(where, errors.New("an empty list: want at least one"))
	}
}

// words reads words as the numbers of their places in a list.
func (c *complaints) words(where string, f listFile, known []string) (numbers []uint8) {
	c.notEmpty(where, f)
	for _, word := range f {
		if i := slices.Index(known, strings.ToUpper(word)); i >= 0 {
			numbers = append(numbers, uint8(i+1))
			continue
		}
		c.add(where, unknownOf(word, known))
	}
	return numbers
}

// unknownOf is the error of a word that is not one of those known.
func unknownOf(word string, known []string) error {
	if near := Nearest(strings.ToUpper(word), known); near != "" {
		return fmt.Errorf("%q: did you mean %s? Want one of %v", word, near, known)
	}
	return fmt.Errorf("%q: want one of %v", word, known)
}

var (
	rankWords = []string{"A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"}
	suitWords = []string{"CLUBS", "DIAMONDS", "HEARTS", "SPADES", "RED", "BLACK"}
)

func (c *complaints) condition(where string, f *conditionFile) (q baccarat.Condition) {
	for _, n := range c.words(where+"/winner", f.Winner, []string{"PLAYER", "BANKER", "TIE"}) {
		q.Winner.Add(n)
	}
	q.Margin, q.Cards = c.numbers(where+"/margin", f.Margin, 9), c.numbers(where+"/cards", f.Cards, 6)
	q.Points, q.CardPoints = c.numbers(where+"/points", f.Points, 18), c.numbers(where+"/card_points", f.Sum, 54)
	q.OneSuit, q.SamePair = demand(f.Suit), demand(f.Same)
	q.Count = c.count(where+"/count", f.Count, 6)
	q.Player, q.Banker = c.hand(where+"/player", f.Player), c.hand(where+"/banker", f.Banker)
	q.Either, q.Both = c.hand(where+"/either", f.Either), c.hand(where+"/both", f.Both)
	if f.Not != nil {
		not := c.condition(where+"/not", f.Not)
		q.Not = &not
	}
	if f.Any != nil && len(f.Any) == 0 {
		c.add(where+"/any", errors.New("an empty list: want at least one"))
	}
	for i := range f.Any {
		q.Any = append(q.Any, c.condition(where+"/any/"+strconv.Itoa(i), &f.Any[i]))
	}
	return q
}

func (c *complaints) hand(where string, f *handFile) *baccarat.HandCondition {
	if f == nil {
		return nil
	}
	q := &baccarat.HandCondition{
		Total: c.numbers(where+"/total", f.Total, 9), Cards: c.numbers(where+"/cards", f.Cards, 3),
		TwoCards: c.numbers(where+"/first_two_total", f.TwoCards, 9),
		Natural:  demand(f.Natural), Pair: demand(f.Pair), Suited: demand(f.Suited), SameColor: demand(f.SameColor),
		OneRank: demand(f.OneRank), OneSuit: demand(f.OneSuit),
	}
	ranks := c.words(where+"/first_two_ranks", f.Ranks, rankWords)
	if len(ranks) == 2 {
		q.Ranks = [2]uint8{ranks[0], ranks[1]}
	} else if len(f.Ranks) > 0 {
		c.add(where+"/first_two_ranks", fmt.Errorf("%v: want two ranks such as [K, Q]", []string(f.Ranks)))
	}
	for _, n := range c.words(where+"/all_ranks", f.Only, rankWords) {
		q.Only.Add(n)
	}
	for _, n := range c.words(where+"/third_card", f.Third, rankWords) {
		q.Third.Add(n)
	}
	q.Count = c.count(where+"/count", f.Count, 3)
	return q
}

// count reads counts of cards, of which a hand or a round has so many.
func (c *complaints) count(where string, counts []countFile, most uint64) *baccarat.CardCount {
	var first *baccarat.CardCount
	for i := len(counts) - 1; i >= 0; i-- {
		f, at := &counts[i], where+"/"+strconv.Itoa(i)
		x := &baccarat.CardCount{FirstTwo: f.FirstTwo, And: first, Is: c.numbers(at+"/is", f.Is, most)}
		for _, n := range c.words(at+"/ranks", f.Ranks, rankWords) {
			x.Ranks.Add(n)
		}
		for _, n := range c.words(at+"/suits", f.Suits, suitWords) {
			x.Suits |= [...]uint8{1, 2, 4, 8, 2 | 4, 1 | 8}[n-1]
		}
		if len(f.Is.listFile) == 0 {
			c.add(at+"/is", errors.New("want the number of cards, such as 3, 2-6 or 0"))
		}
		if len(f.Ranks)+len(f.Suits) == 0 {
			c.add(at, errors.New("want ranks or suits; cards counts all"))
		}
		first = x
	}
	return first
}

func demand(b *bool) baccarat.Demand {
	switch {
	case b == nil:
		return baccarat.Anything
	case *b:
		return baccarat.Wanted
	}
	return baccarat.Unwanted
}

// wagers takes in the side bets of a game: their lines, and the odds of the pay tables.
func (l *Law) wagers(c *complaints, gf *gameFile) {
	l.bySpot, l.named = [baccarat.Spots]*Wager{}, map[string]*Wager{}
	l.tables = map[string][]string{}
	l.rows = map[[3]string]baccarat.Odds{}
	for _, kind := range slices.Sorted(maps.Keys(gf.PayTables)) {
		l.tables[kind] = slices.Sorted(maps.Keys(gf.PayTables[kind]))
		for _, table := range l.tables[kind] {
			for row, text := range gf.PayTables[kind][table] {
				odds, err := baccarat.ParseOdds(text)
				c.add("pay_tables/"+kind+"/"+table+"/"+row, err)
				l.rows[[3]string{kind, table, row}] = odds
			}
		}
	}
	used := map[string]map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(gf.Wagers)) {
		f := gf.Wagers[name]
		w := l.wager(c, gf, name, &f, used)
		l.Wagers = append(l.Wagers, w)
		if w.Spot == baccarat.SpotOther {
			l.named[name] = w
		} else {
			l.bySpot[w.Spot] = w
		}
	}
	c.unusedRows(gf.PayTables, used)
	for _, word := range gf.SideBets {
		c.add("side_bets", l.permit(word))
	}
}

// unusedRows complains of the rows of pay tables that no line of a wager has. The rows that are used are by kind.
func (c *complaints) unusedRows(tables payTables, used map[string]map[string]bool) {
	for _, kind := range slices.Sorted(maps.Keys(tables)) {
		rows := slices.Sorted(maps.Keys(used[kind]))
		for _, table := range slices.Sorted(maps.Keys(tables[kind])) {
			for _, row := range slices.Sorted(maps.Keys(tables[kind][table])) {
				if !used[kind][row] {
					at := "pay_tables/" + kind + "/" + table + "/" + row
					c.add(at, fmt.Errorf("no line of a wager has this row: %w", unknownOf(row, rows)))
				}
			}
		}
	}
}

// permit permits the wagers of a side bet.
func (l *Law) permit(word string) error {
	known := wordsOf[baccarat.SideBet]()
	if kind := baccarat.ParseSideBet(word); kind != baccarat.NoSideBet {
		l.SideBets = append(l.SideBets, kind)
		return nil
	}
	for _, w := range l.Wagers {
		if known = append(known, w.SideBet); w.SideBet == word {
			l.Further = append(l.Further, word)
			return nil
		}
	}
	slices.Sort(known)
	return unknownOf(word, slices.Compact(known))
}

func (l *Law) wager(c *complaints, gf *gameFile, name string, f *wagerFile, used map[string]map[string]bool) *Wager {
	at := "wagers/" + name
	w := &Wager{
		Name: name, Title: f.Title, Spot: baccarat.ParseSpot(name), SideBet: f.SideBet, PayTable: f.PayTable,
		RowsDecide: f.RowsDecide, Posted: f.Odds == "posted",
	}
	switch {
	case w.Spot == baccarat.NoSpot:
		w.Spot = baccarat.SpotOther
		if !isWord(name) {
			c.add(at, fmt.Errorf("%q: want a name of capital letters, digits and underscores", name))
		}
	case w.Spot.SideBet() == baccarat.NoSideBet:
		c.add(at, fmt.Errorf("%s is not a side bet", name))
	}
	w.SideBet = cmp.Or(w.SideBet, name)
	if w.Spot != baccarat.SpotOther && w.SideBet != w.Spot.SideBet().String() {
		c.add(at+"/side_bet", fmt.Errorf("%q: want %v", w.SideBet, w.Spot.SideBet()))
	}
	switch f.Choice {
	case "", "first":
	case "highest":
		w.Choice = Highest
	default:
		c.add(at+"/choice", unknownOf(f.Choice, []string{"first", "highest"}))
	}
	w.Odds = SpotOdds{l.Odds[w.Spot].Odds, l.Odds[w.Spot].Floor}
	if w.Spot == baccarat.SpotOther {
		w.Odds = l.namedOdds[name]
	}
	if f.Odds != "" && !w.Posted {
		var err error
		w.Odds.Odds, err = baccarat.ParseOdds(f.Odds)
		c.add(at+"/odds", err)
	}
	floor, err := relation(f.Relation)
	c.add(at+"/relation", err)
	w.Odds.Floor = w.Odds.Floor || floor
	if len(f.Lines) == 0 && !w.Posted {
		c.add(at, errors.New("want lines, or odds: posted"))
	}
	if w.PayTable == "" && slices.ContainsFunc(f.Lines, func(x lineFile) bool { return x.Pays.byTable != nil }) {
		w.PayTable = strings.ToLower(w.SideBet)
	}
	l.lines(c, gf, w, f, used)
	for i := range w.Lines {
		w.Lines[i].Odds.Floor = w.Lines[i].Odds.Known() && floor
	}
	return w
}

// lines takes in the lines of a wager that the options of the game leave.
func (l *Law) lines(c *complaints, gf *gameFile, w *Wager, f *wagerFile, used map[string]map[string]bool) {
	names := map[string]bool{}
	for i := range f.Lines {
		lf, at := &f.Lines[i], "wagers/"+w.Name+"/lines/"+strconv.Itoa(i)
		lf.markUsed(w, used)
		left := true
		for option, value := range lf.Option {
			left = left && gf.Options[option] == value
		}
		if !left {
			continue
		}
		line := l.line(c, gf, w, lf, at)
		line.Name = cmp.Or(line.Name, strconv.Itoa(i+1))
		if names[line.Name] {
			c.add(at, fmt.Errorf("a second line %q", line.Name))
		}
		names[line.Name] = true
		w.Lines = append(w.Lines, line)
	}
}

// isWord reports whether a name can be a word of the event contract.
func isWord(name string) bool {
	for i, r := range name {
		if !(r >= 'A' && r <= 'Z' || i > 0 && (r >= '0' && r <= '9' || r == '_')) {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

func relation(word string) (floor bool, err error) {
	if word != "" && word != "exact" && word != "floor" {
		err = fmt.Errorf("relation %q: want exact or floor", word)
	}
	return word == "floor", err
}

// row is the row of the pay table that gives the odds of the line.
func (f *lineFile) row() string {
	if f.Row != "" {
		return f.Row
	}
	return f.Name
}

func (f *lineFile) markUsed(w *Wager, used map[string]map[string]bool) {
	if w.PayTable == "" || f.Returns {
		return
	}
	if used[w.PayTable] == nil {
		used[w.PayTable] = map[string]bool{}
	}
	used[w.PayTable][f.row()] = true
	if f.NeedsRow != "" {
		used[w.PayTable][f.NeedsRow] = true
	}
}

func (l *Law) line(c *complaints, gf *gameFile, w *Wager, f *lineFile, at string) Line {
	line := Line{Name: f.Name, When: c.condition(at+"/when", &f.When), Returns: f.Returns}
	tables := gf.PayTables[w.PayTable]
	switch {
	case w.Posted:
		return line
	case f.Returns:
		if f.Pays.odds != "" || f.Pays.byTable != nil {
			c.add(at, errors.New("returns and pays: want one of them"))
		}
		return line
	case f.Pays.odds != "":
		var err error
		line.Odds.Odds, err = baccarat.ParseOdds(f.Pays.odds)
		c.add(at+"/pays", err)
		return line
	case f.Pays.byTable != nil:
		line.ByTable = map[string]baccarat.Odds{}
		for _, table := range slices.Sorted(maps.Keys(f.Pays.byTable)) {
			odds, err := baccarat.ParseOdds(f.Pays.byTable[table])
			c.add(at+"/pays/"+table, err)
			line.ByTable[table] = odds
			if !slices.Contains(l.tables[w.PayTable], table) {
				l.tables[w.PayTable] = append(l.tables[w.PayTable], table)
				slices.Sort(l.tables[w.PayTable])
			}
		}
	case tables != nil:
		line.ByTable = map[string]baccarat.Odds{}
		for table := range tables {
			if odds, ok := l.rows[[3]string{w.PayTable, table, f.row()}]; ok {
				line.ByTable[table] = odds
			}
		}
	}
	if w.RowsDecide {
		line.needs = map[string]bool{}
		for table := range line.ByTable {
			_, ok := tables[table][f.NeedsRow]
			line.needs[table] = ok || f.NeedsRow == ""
		}
	}
	return line
}
