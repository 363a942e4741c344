package shoe

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/shoeproof/shoeproof/schema"
)

// Charge is a kind of vigorish that a rulebook defines by lines under a name of its own. As with the side bets, the
// simulator reads the lines itself.
type Charge struct {
	TieCharge int64 `json:"tie_charge"`
	Lines     []chargeLine
}

type chargeLine struct {
	When       map[string]any
	Pays       string
	Returns    bool
	Commission any
	Unit       int64
	Minimum    int64
	Round      string
	TieCharge  int64 `json:"tie_charge"`
}

// line is the line that applies to a coup, nil if none does.
func (x *Charge) line(c *Coup) *chargeLine {
	if x == nil {
		return nil
	}
	for i := range x.Lines {
		if holds(x.Lines[i].When, c) {
			return &x.Lines[i]
		}
	}
	return nil
}

// percent is the percentage of a fixed commission, 0 for none and for the elected one.
func (l *chargeLine) percent() int64 {
	n, _ := strconv.ParseInt(fmt.Sprint(l.Commission), 10, 64)
	return n
}

// elects reports whether a line of the kind of vigorish takes the elected percentage.
func (x *Charge) elects() bool {
	return slices.ContainsFunc(x.Lines, func(l chargeLine) bool { return l.Commission == "elected" })
}

// pushesDragon reports whether the kind of vigorish returns banker wagers on a dragon 7.
func (x *Charge) pushesDragon() bool {
	dragon, _ := ParseCards([]string{"Kc", "Kd", "3c", "2d", "2h"})
	c := Coup{Hands: [2][]Card{dragon[:2], dragon[2:]}}
	line := x.line(&c)
	return line != nil && line.Returns
}

// IsMode reports whether a word is a kind of vigorish of the contract.
func IsMode(word string) bool { return modeOf(word) != schema.VigorishModeUnspecified }

func modeOf(word string) schema.VigorishMode {
	for mode := schema.VigorishModeCommission; mode < schema.VigorishModeOther; mode++ {
		if mode.String() == word {
			return mode
		}
	}
	return schema.VigorishModeUnspecified
}

// NamesKinds reports whether a table may elect a kind of vigorish that is a word of the rulebook.
func (g *Game) NamesKinds() bool {
	return slices.ContainsFunc(g.Modes, func(mode string) bool { return !IsMode(mode) })
}

// Elect makes a configuration elect a kind of vigorish, a word of the contract or of the rulebook.
func (g *Game) Elect(c *schema.TableConfig, word string) {
	timing := max(c.Vigorish.Timing, schema.VigorishTimingImmediate)
	c.Vigorish = schema.Vigorish{Mode: modeOf(word), Timing: timing}
	if c.Vigorish.Mode == schema.VigorishModeUnspecified {
		c.Vigorish.Mode, c.Vigorish.ModeName = schema.VigorishModeOther, word
	}
}

// KindsWith returns the kinds of vigorish of the rulebook that a table may elect and that return banker wagers on some
// hands, or else set their odds.
func (g *Game) KindsWith(push bool) []string {
	return slices.DeleteFunc(slices.Clone(g.Modes), func(mode string) bool {
		charge := g.Charges[mode]
		return IsMode(mode) || charge == nil || !slices.ContainsFunc(charge.Lines, func(x chargeLine) bool {
			return push && x.Returns || !push && x.Pays != ""
		})
	})
}

// ElectsPercent reports whether the configuration elects a kind of vigorish of the rulebook that takes an elected
// percentage.
func (g *Game) ElectsPercent(c *schema.TableConfig) bool {
	charge := g.Charges[c.Vigorish.ModeName]
	return c.Vigorish.Mode == schema.VigorishModeOther && charge != nil && charge.elects()
}

// Names reports whether the table elects a kind of vigorish that is a word of the rulebook.
func (h *House) Names() bool { return h.charge != nil }

// Sets reports whether the kind of vigorish is a word of the rulebook and sets the odds of banker wagers on a coup, or
// returns them.
func (h *House) Sets(c *Coup) (odds, push bool) {
	line := h.charge.line(c)
	if line == nil || c.Result() != schema.ResultBanker {
		return false, false
	}
	return line.Pays != "", line.Returns
}

// Takes reports whether a commission is taken of banker wagers that win on a coup.
func (h *House) Takes(c *Coup) bool {
	if h.charge == nil {
		return h.Mode == schema.VigorishModeCommission
	}
	line := h.charge.line(c)
	return line != nil && (line.Commission == "elected" || line.percent() > 0)
}

// Spares reports whether the kind of vigorish is a word of the rulebook that takes a commission, but not on a coup.
func (h *House) Spares(c *Coup) bool {
	if h.charge == nil || h.Takes(c) {
		return false
	}
	return slices.ContainsFunc(h.charge.Lines, func(x chargeLine) bool {
		return x.Commission == "elected" || x.percent() > 0
	})
}

// VigorishOn returns the commission on winnings on a coup, as func Vigorish does.
func (h *House) VigorishOn(c *Coup, winnings int64, exact bool) int64 {
	line := h.charge.line(c)
	if line == nil || line.percent() == 0 {
		return h.Vigorish(winnings, exact)
	}
	part, per := winnings*line.percent(), 100*max(line.Unit, 1)
	if exact && part%100 == 0 {
		return max(part/100, line.Minimum)
	}
	units, rest := part/per, part%per
	if rest > 0 && line.Round != "down" && (line.Round != "nearest" || 2*rest >= per) {
		units++
	}
	return max(units*max(line.Unit, 1), line.Minimum)
}

// TiePercent returns the percentage of the stake that banker wagers are charged on a coup that ties, 0 if none.
func (h *House) TiePercent(c *Coup) int64 {
	if c.Result() != schema.ResultTie {
		return 0
	}
	if h.Mode == schema.VigorishModeTie25 {
		return 25
	}
	if h.charge != nil && h.charge.TieCharge > 0 {
		return h.charge.TieCharge
	}
	if line := h.charge.line(c); line != nil {
		return line.TieCharge
	}
	return 0
}
