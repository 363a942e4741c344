package simulate

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// Faults lists the faults, family by family in the order of the catalogue.
func Faults() []Fault {
	return slices.Concat(
		shoeFaults(), batchFaults(), countFaults(), openFaults(), shuffleFaults(), cutFaults(), curatorFaults(), wagerFaults(),
		supplementalFaults(), dealFaults(), midiFaults(), drawFaults(), announceFaults(), lastHandFaults(), outcomeFaults(),
		payoutFaults(), treasureFaults(), vigorishFaults(), vigorishModeFaults(), orderFaults(), irregFaults(), discardFaults(),
		cheminFaults(), layoutFaults(), paytableFaults(), externalFaults(), floorFaults(),
	)
}

// Groups of kinds of table.
func punto() []string  { return []string{"nj-punto", "pair-punto", "treasures-punto"} }
func njMini() []string { return []string{"nj-mini", "pair-mini", "treasures-mini"} }
func ny() []string     { return []string{"ny-mini", "ny-dragon-bonus"} }
func nyAll() []string  { return append(ny(), "ny-tie25", "ny-ez", "ny-novig6") }
func minis() []string  { return append(njMini(), ny()...) }

// commissions are the tables that take a percentage of the banker's winnings.
func commissions() []string { return slices.Concat(punto(), njMini(), ny()) }

func tie25s() []string { return []string{"nj-mini-tie25", "ny-tie25"} }

func only(kinds ...string) []string { return kinds }

// staking lays one wager, which is then the wager at issue.
func staking(spot schema.Spot, amount int64) func(*scene) {
	return func(sc *scene) { sc.st = sc.lay(spot, amount) }
}

// Conditions on the cards of the round at issue.

type condition = func(*scene, *coup) bool

func resulting(want schema.Result) condition {
	return func(_ *scene, c *coup) bool { return c.result() == want && plain(c) }
}

// plain rounds qualify for no treasure.
func plain(c *coup) bool { return c.treasure() == schema.TreasureNone }

func dragon(_ *scene, c *coup) bool { return c.dragon7() }

func panda(_ *scene, c *coup) bool { return c.panda8() }

func noNatural(c *coup) bool { return !c.natural(player) && !c.natural(banker) }

func playerWon(sc *scene, c *coup) bool { return resulting(schema.ResultPlayer)(sc, c) }

func bankerWon(sc *scene, c *coup) bool { return resulting(schema.ResultBanker)(sc, c) }

func tied(sc *scene, c *coup) bool { return resulting(schema.ResultTie)(sc, c) }

// forcing settles the wager at issue as told, whatever the cards say.
func forcing(out outcome, times int64) func(*scene) error {
	return func(sc *scene) error {
		sc.st.forced, sc.st.out, sc.st.pays = true, out, sc.st.amount*times
		return nil
	}
}

// charging takes another vigorish from the wager at issue than is due.
func charging(amount func(h *house, due int64) int64) func(*scene) error {
	return func(sc *scene) error {
		h := &sc.t.Writer().house
		_, won := h.settle(sc.st, &sc.r.coup)
		sc.st.charge = amount(h, h.vigorish(won, false))
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

// amount is the edit that gives a settlement of the wager at issue another amount.
func (sc *scene) amount(kind string, amount int64) string {
	return "set " + sc.on("%s wager_id=%s: amount=%d", kind, sc.st.id, amount)
}
