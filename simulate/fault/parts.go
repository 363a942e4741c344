package fault

import (
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// staking adds one wager, which is then the wager at issue.
func staking(spot schema.Spot, amount int64) func(*scene) {
	return func(sc *scene) { sc.stake = sc.addStake(spot, amount) }
}

// Conditions on the cards of the round at issue.

type condition = func(*scene, *shoe.Coup) bool

func resulting(want schema.Result) condition {
	return func(_ *scene, c *shoe.Coup) bool { return c.Result() == want && plain(c) }
}

// plain reports whether a round qualifies for no treasure.
func plain(c *shoe.Coup) bool { return c.Treasure() == schema.TreasureNone }

func dragon(_ *scene, c *shoe.Coup) bool { return c.Dragon7() }

func panda(_ *scene, c *shoe.Coup) bool { return c.Panda8() }

func noNatural(c *shoe.Coup) bool { return !c.Natural(shoe.Player) && !c.Natural(shoe.Banker) }

func playerWon(sc *scene, c *shoe.Coup) bool { return resulting(schema.ResultPlayer)(sc, c) }

// bankerWon also wants a commission on the hands, if the kind of vigorish of a rulebook takes one on some.
func bankerWon(sc *scene, c *shoe.Coup) bool {
	spared := sc.table != nil && sc.table.Writer().House.Spares(c)
	return resulting(schema.ResultBanker)(sc, c) && !spared
}

func tied(sc *scene, c *shoe.Coup) bool { return resulting(schema.ResultTie)(sc, c) }

// forcing settles the wager at issue as given, regardless of the cards.
func forcing(out shoe.Outcome, times int64) func(*scene) error {
	return func(sc *scene) error {
		sc.stake.Forced, sc.stake.Outcome, sc.stake.Winnings = true, out, sc.stake.Amount*times
		return nil
	}
}

// charging charges the wager at issue another vigorish than is due.
func charging(amount func(h *shoe.House, due int64) int64) func(*scene) error {
	return func(sc *scene) error {
		h := &sc.table.Writer().House
		_, won := h.Settle(sc.stake, &sc.round.Coup)
		sc.stake.Charged = amount(h, h.VigorishOn(&sc.round.Coup, won, false))
		return nil
	}
}

func timing(x schema.VigorishTiming) func(*schema.TableConfig) {
	return func(c *schema.TableConfig) { c.Vigorish.Timing = x }
}

func procedure(n uint32) func(*schema.TableConfig) {
	return func(c *schema.TableConfig) { c.PaymentProcedure, c.Vigorish.Timing = n, schema.VigorishTimingImmediate }
}

func editing(text string) func(*scene) string { return func(*scene) string { return text } }

// setAmount is the edit that gives a settlement of the wager at issue another amount.
func (sc *scene) setAmount(kind string, amount int64) string {
	return "set " + sc.inRound("%s wager_id=%s: amount=%d", kind, sc.stake.ID, amount)
}

// paying is the edit that pays the wager at issue a multiple of its stake.
func paying(times int64) func(*scene) string {
	return func(sc *scene) string { return sc.setAmount("wager_paid", sc.stake.Amount*times) }
}
