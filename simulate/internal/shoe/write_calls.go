package shoe

import (
	"github.com/shoeproof/shoeproof/schema"
)

func (w *Writer) announce(code schema.Call) { w.Emit(&schema.Announced{Code: code}) }

func (w *Writer) announceCount(code schema.Call, h int, value int) {
	w.Emit(&schema.Announced{Code: code, Hand: HandOf(h), Value: uint32(value)})
}

// callResult emits the announcements of the result.
func (w *Writer) callResult(r *Round) {
	c := &r.Coup
	w.announceCount(schema.CallFinalCount, Player, c.Count(Player))
	w.announceCount(schema.CallFinalCount, Banker, c.Count(Banker))
	if r.SideBetsFirst {
		w.callSides(c)
	}
	switch c.Result() {
	case schema.ResultPlayer:
		w.Emit(&schema.Announced{Code: schema.CallPlayerWins, Hand: schema.HandPlayer, Value: uint32(c.Count(Player))})
	case schema.ResultBanker:
		w.Emit(&schema.Announced{Code: schema.CallBankerWins, Hand: schema.HandBanker, Value: uint32(c.Count(Banker))})
	default:
		w.Emit(&schema.Announced{Code: schema.CallTieHand, Value: uint32(c.Count(Player))})
	}
	if !r.SideBetsFirst {
		w.callSides(c)
	}
}

func (w *Writer) callSides(c *Coup) {
	if w.House.totals {
		w.Emit(&schema.Announced{Code: schema.CallTotalCards, Value: uint32(c.Cards())})
	}
	if w.House.pairs {
		if c.Pair(Player) {
			w.Emit(&schema.Announced{Code: schema.CallPlayerPair, Hand: schema.HandPlayer})
		}
		if c.Pair(Banker) {
			w.Emit(&schema.Announced{Code: schema.CallBankerPair, Hand: schema.HandBanker})
		}
	}
	if w.House.Mode == schema.VigorishModeEz || w.House.charge.pushesDragon() {
		if c.Dragon7() {
			w.announce(schema.CallDragon7)
		}
		if c.Panda8() {
			w.announce(schema.CallPanda8)
		}
	}
	if t := c.Treasure(); w.House.treasures && w.House.recognised(t) {
		w.Emit(&schema.Announced{Code: schema.CallTreasure, Treasure: t})
	}
}
