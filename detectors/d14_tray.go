package detectors

import "fmt"

var d14 = &Detector{
	ID: "d14", Name: "chip tray", Tier: Certain,
	Observes: "the chip tray from one count to the next: fills, credits, stakes taken and winnings paid",
	Null:     "it balances to the smallest chip",
	Reports:  "the difference, and the amounts that it follows from",
	Keys:     []KeyKind{OfTray},
	start:    func(b *Budget) process { return &tray{policy: &b.Policy} },
}

// tray is d14. It has no state: an interval comes whole.
type tray struct {
	inert
	policy *Policy
}

func (d *tray) Tray(t *Tray, out *factors) {
	due := t.Open + t.Fills - t.Credits + t.Won + t.Vigs - t.Paid
	gap := t.Close - due
	// Chips sold at the table leave the tray without an event: then only a surplus is a fact.
	if !t.Whole || max(gap, -gap) < d.policy.Chip || gap < 0 && !d.policy.BoughtAtCage {
		return
	}
	out.add(Factor{
		Key: Key{OfTray, fmt.Sprintf("%s/%d", t.Table, t.Seq)}, Certain: true, Money: max(gap, -gap),
		Note: fmt.Sprintf("counted %d, expected %d: opened %d, fills %d, credits %d, stakes taken %d, vigorish %d, "+
			"winnings paid %d", t.Close, due, t.Open, t.Fills, t.Credits, t.Won, t.Vigs, t.Paid),
	})
}

func (d *tray) save() any { return struct{}{} }

func (d *tray) load(decode func(any) error) error { return decode(&struct{}{}) }
