package suspicion

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/schema"
)

// Devices are the devices at a table, and what they read.
type Devices struct {
	Shuffler, Reader string
	// Reads wait for the round of their wager.
	Reads []StakeRead
}

// StakeRead is a stake as a device read it, minor units; -1 if it was not read.
type StakeRead struct {
	Wager            string
	Lock, Settlement int64
}

// maxReads bounds the readings that wait for their round.
const maxReads = 256

func (d *Devices) observe(ev *schema.Event) {
	switch p := ev.Payload.(type) {
	case *schema.ShoeShuffled:
		d.Shuffler = ev.Source.DeviceID
	case *schema.CardDealt:
		d.Reader = ev.Source.DeviceID
	case *schema.StakeRead:
		d.read(p)
	default: // no device is named
	}
}

func (d *Devices) read(p *schema.StakeRead) {
	at := d.at(p.WagerID)
	if at < 0 {
		if len(d.Reads) == maxReads {
			d.Reads = slices.Delete(d.Reads, 0, maxReads/2)
		}
		at = len(d.Reads)
		d.Reads = append(d.Reads, StakeRead{p.WagerID, -1, -1})
	}
	if p.Occasion == schema.StakeOccasionLock {
		d.Reads[at].Lock = p.Amount
	} else {
		d.Reads[at].Settlement = p.Amount
	}
}

// take removes the reading of a wager; false if there is none.
func (d *Devices) take(wager string) (StakeRead, bool) {
	at := d.at(wager)
	if at < 0 {
		return StakeRead{}, false
	}
	read := d.Reads[at]
	d.Reads = slices.Delete(d.Reads, at, at+1)
	return read, true
}

func (d *Devices) at(wager string) int {
	return slices.IndexFunc(d.Reads, func(r StakeRead) bool { return r.Wager == wager })
}

// TrayState is a chip tray since its last count, minor units.
type TrayState struct {
	Open             int64
	Fills, Credits   int64
	Won, Paid, Taken int64
	// Whole is true if no event since the count is missing.
	Whole, Counted bool
	Last           uint64 // seq
}

func (t *TrayState) observe(ev *schema.Event) {
	t.follow(ev)
	switch p := ev.Payload.(type) {
	case *schema.WagerPlaced:
		// Coupons and cash are not in the tray.
		t.Whole = t.Whole && p.Coupon == 0 &&
			(p.Medium == schema.WagerMediumChips || p.Medium == schema.WagerMediumPlaques)
	case *schema.WagerCollected:
		t.Won = baccarat.Add(t.Won, p.Amount)
	case *schema.WagerPaid:
		t.Paid = baccarat.Add(t.Paid, p.Amount)
	case *schema.VigorishCollected:
		t.Taken = baccarat.Add(t.Taken, p.Amount)
	case *schema.ChipsFilled:
		t.Fills = baccarat.Add(t.Fills, p.Amount)
	case *schema.ChipsCredited:
		t.Credits = baccarat.Add(t.Credits, p.Amount)
	default: // no chip of the tray moves
	}
}

func (t *TrayState) follow(ev *schema.Event) {
	t.Whole = t.Whole && ev.Seq == t.Last+1
	t.Last = ev.Seq
}

// maxCounted bounds what moved between two counts of a tray, so that the sum of all that moved is an int64.
const maxCounted = baccarat.MaxAmount / 8

// count is the interval that a count of the tray closes. The next one begins with it.
func (t *TrayState) count(ev *schema.Event, p *schema.TrayCounted) detectors.Tray {
	t.follow(ev)
	tray := detectors.Tray{
		Open: t.Open, Close: p.Amount, Fills: t.Fills, Credits: t.Credits, Won: t.Won, Paid: t.Paid, Vigs: t.Taken,
		Whole: t.Whole && t.Counted && max(t.Won, t.Paid, t.Taken, t.Fills, t.Credits) < maxCounted,
	}
	*t = TrayState{Open: p.Amount, Whole: true, Counted: true, Last: t.Last}
	return tray
}
