package law

import (
	"maps"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
)

// Wager is a side bet as data: the lines that decide what becomes of it.
type Wager struct {
	// Name is the word of the spot. Spot is its number in the contract, SpotOther for a word of the rulebook alone.
	Name, Title string
	Spot        baccarat.Spot
	// SideBet is the word under which a table offers the wager.
	SideBet string
	// PayTable is the key of the table's pay tables whose elected table gives the odds of the lines, empty without one.
	PayTable string
	// RowsDecide means that a line without a row in the elected pay table loses.
	RowsDecide bool
	// Posted means that the text does not have the odds: the posted lines are the odds. The hands of such a wager are
	// not judged.
	Posted bool
	Choice Choice
	Lines  []Line
	// Odds are the odds of a line without odds of its own.
	Odds SpotOdds
}

// Choice is which of several lines that apply is paid.
type Choice uint8

// Choices.
const (
	// First: the first line in the order of the rulebook.
	First Choice = iota
	// Highest: the line that pays most.
	Highest
)

// Line is a line of a wager: if its condition holds, the wager is paid these odds, or returned.
type Line struct {
	Name string
	When baccarat.Condition
	// Returns means that the stake is returned.
	Returns bool
	// Takes is what the line takes, of a kind of vigorish.
	Takes Takes
	// Odds are the odds of the line itself, ByTable those under each elected pay table.
	Odds    SpotOdds
	ByTable map[string]baccarat.Odds
	// needs has the pay tables in which the line is listed, where a pay table decides which lines are paid.
	needs map[string]bool
}

// PayTable is the elected pay table of a kind.
func (c *Config) PayTable(kind string) string {
	switch kind {
	case "dragon_bonus":
		return c.BonusTable
	case "treasures":
		return c.TreasuresTable
	}
	return c.PayTables[kind]
}

// Tables are the names of the pay tables of a kind.
func (l *Law) Tables(kind string) []string { return l.tables[kind] }

// Prints reports whether the rulebook has the pay table that the house elected for a wager.
func (l *Law) Prints(config *Config, w *Wager) bool {
	return w.PayTable == "" || slices.Contains(l.tables[w.PayTable], config.PayTable(w.PayTable))
}

// Wager is the definition of a side bet; name is used for the spot OTHER.
func (l *Law) Wager(s baccarat.Spot, name string) *Wager {
	if s == baccarat.SpotOther {
		return l.named[name]
	}
	if s < baccarat.Spots {
		return l.bySpot[s]
	}
	return nil
}

// Line is the line of a wager that decides on a coup, nil if the wager loses.
func (l *Law) Line(config *Config, w *Wager, c *baccarat.Coup) *Line {
	var best *Line
	for i := range w.Lines {
		line := &w.Lines[i]
		if !l.listed(config, w, line) || !line.When.Holds(c) {
			continue
		}
		if w.Choice == First {
			return line
		}
		if best == nil || l.worth(config, w, line).beats(l.worth(config, w, best)) {
			best = line
		}
	}
	return best
}

// listed reports whether the elected pay table has the line.
func (l *Law) listed(config *Config, w *Wager, line *Line) bool {
	return !w.RowsDecide || line.needs == nil || line.needs[config.PayTable(w.PayTable)]
}

// worth is what a line pays, nothing to 1 if it returns the stake.
func (l *Law) worth(config *Config, w *Wager, line *Line) SpotOdds {
	if odds := l.LineOdds(config, w, line); odds.Known() && !line.Returns {
		return odds
	}
	return SpotOdds{Odds: baccarat.Odds{For: 1}}
}

func (o SpotOdds) beats(than SpotOdds) bool { return o.To*than.For > than.To*o.For }

// LineOdds are what the law sets for a line under a configuration, unknown if it sets nothing.
func (l *Law) LineOdds(config *Config, w *Wager, line *Line) SpotOdds {
	switch {
	case line.ByTable != nil:
		return SpotOdds{Odds: line.ByTable[config.PayTable(w.PayTable)]}
	case line.Odds.Known():
		return line.Odds
	}
	return w.Odds
}

// PostedOdds are the odds that a table posts for a wager, unknown if it posts none.
func (c *Config) PostedOdds(w *Wager, line *Line) baccarat.Odds {
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Spot == w.Spot && r.Line == line.Name &&
			(w.Spot != baccarat.SpotOther || r.Name == w.Name) {
			return r.Odds
		}
	}
	if w.Spot != baccarat.SpotOther {
		return c.Posted[w.Spot]
	}
	return c.PostedNames[w.Name]
}

// Settle is what becomes of a side bet on a coup, other wagers of the patron aside.
func (l *Law) Settle(config *Config, w *Wager, c *baccarat.Coup) baccarat.Disposition {
	if w.Posted || w.RowsDecide && !l.Prints(config, w) {
		return baccarat.Undetermined
	}
	line := l.Line(config, w, c)
	switch {
	case line == nil:
		return baccarat.Collect
	case line.Returns:
		return baccarat.Return
	}
	return baccarat.Pay
}

// Paid are what a winning side bet is paid: the posted odds where the law gives a minimum, never less than that.
func (l *Law) Paid(config *Config, w *Wager, c *baccarat.Coup) baccarat.Odds {
	if w.Posted || w.RowsDecide && !l.Prints(config, w) {
		return baccarat.Odds{}
	}
	line := l.Line(config, w, c)
	if line == nil || line.Returns {
		return baccarat.Odds{}
	}
	odds := l.LineOdds(config, w, line)
	if posted := config.PostedOdds(w, line); odds.Floor && posted.Known() && odds.Compare(posted.To, posted.For) > 0 {
		return posted
	}
	return odds.Odds
}

// PrintedOdds are what each pay table of the rulebook pays a wager on a coup.
func (l *Law) PrintedOdds(config *Config, w *Wager, c *baccarat.Coup) []baccarat.Odds {
	var odds []baccarat.Odds
	for _, table := range l.tables[w.PayTable] {
		elected := config.Electing(w.PayTable, table)
		odds = append(odds, l.Paid(&elected, w, c))
	}
	return odds
}

// Electing is the configuration with another pay table of a kind.
func (c *Config) Electing(kind, table string) Config {
	other := *c
	switch kind {
	case "dragon_bonus":
		other.BonusTable = table
	case "treasures":
		other.TreasuresTable = table
	default:
		other.PayTables = maps.Clone(c.PayTables)
		if other.PayTables == nil {
			other.PayTables = map[string]string{}
		}
		other.PayTables[kind] = table
	}
	return other
}

// Recognises reports whether the elected pay table of a kind has a row.
func (l *Law) Recognises(config *Config, kind, row string) bool {
	return l.rows[[3]string{kind, config.PayTable(kind), row}].Known()
}

// OddsOfLine are the odds of the line with a name, unknown if the wager has no such line.
func (l *Law) OddsOfLine(config *Config, w *Wager, name string) SpotOdds {
	if w != nil {
		for i := range w.Lines {
			if line := &w.Lines[i]; line.Name == name && !line.Returns {
				return l.LineOdds(config, w, line)
			}
		}
	}
	return SpotOdds{}
}

// Reached is the name of the first line whose condition holds for a coup, whatever the pay table; empty if none.
func (l *Law) Reached(w *Wager, c *baccarat.Coup) string {
	if w != nil {
		for i := range w.Lines {
			if w.Lines[i].When.Holds(c) {
				return w.Lines[i].Name
			}
		}
	}
	return ""
}

// FlatOdds are the odds of a wager under a configuration if all its winning lines have the same.
func (l *Law) FlatOdds(config *Config, w *Wager) SpotOdds {
	flat := w.Odds
	for i := range w.Lines {
		line := &w.Lines[i]
		if line.Returns {
			continue
		}
		switch odds := l.LineOdds(config, w, line); {
		case !flat.Known():
			flat = odds
		case odds != flat:
			return SpotOdds{}
		}
	}
	return flat
}

// Words are the spots, side bets and kinds of vigorish that are words of a rulebook and not of the contract.
func (b Books) Words() map[string]bool {
	words := map[string]bool{}
	for _, book := range b {
		for _, l := range book.games {
			for _, w := range l.named {
				words[w.Name] = true
				words[w.SideBet] = baccarat.ParseSideBet(w.SideBet) == baccarat.NoSideBet
			}
			for name := range l.kinds {
				words[name] = true
			}
		}
	}
	return words
}

// Permits reports whether the rulebook permits a side bet that it defines.
func (l *Law) Permits(w *Wager) bool {
	if kind := baccarat.ParseSideBet(w.SideBet); kind != baccarat.NoSideBet {
		return slices.Contains(l.SideBets, kind)
	}
	return slices.Contains(l.Further, w.SideBet)
}

// OffersWager reports whether a side bet is on offer.
func (c *Config) OffersWager(w *Wager) bool {
	if kind := baccarat.ParseSideBet(w.SideBet); kind != baccarat.NoSideBet {
		return c.Offers(kind)
	}
	return slices.Contains(c.Further, w.SideBet)
}
