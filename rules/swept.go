package rules

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

// A dealer may settle the wagers of a patron on several spots, or at several seats, with one motion, which names one of
// them. No clause wants a motion for each, but the events do not tell it from a wager that was settled wrongly beside
// others that were forgotten: it is suspected, as one finding.

// sweeps reports whether what moved for a wager is what is due for it and for wagers of its patron, on other spots or
// at other seats, that no motion names. It is not looked for in a round of more wagers than a full table has.
func (p *Pass) sweeps(w *record.Wager) bool { return p.sweepsAt(w, true) || p.sweepsAt(w, false) }

// sweepsAt is sweeps for the wagers at the seat of the wager, or at all seats.
func (p *Pass) sweepsAt(w *record.Wager, seat bool) bool {
	if len(p.Round.Wagers) > mostSteps || w.Gone || w.Settlements() == 0 || p.becomes(w) != w.Disposition() ||
		p.settledTwice(w) {
		return false
	}
	due := p.full(w)
	left := moved(w) - due
	if due == 0 || left <= 0 {
		return false
	}
	for i := range p.Round.Wagers {
		if o := &p.Round.Wagers[i]; p.mayBeSwept(o, w) && (!seat || o.Seat == w.Seat) {
			if due = p.full(o); due == 0 || due > left {
				return false
			}
			left -= due
		}
	}
	return left == 0
}

// sweptBy reports whether the motion of another wager may have settled a wager that no motion names. If its sum is what
// is due for the wagers of the seat, it settled none at other seats.
func (p *Pass) sweptBy(o, w *record.Wager) bool {
	return p.mayBeSwept(o, w) && (o.Seat == w.Seat || !p.sweepsAt(w, true))
}

// mayBeSwept reports whether no motion names a wager, and one names another wager that may be of its patron. Who wagers
// at its seat need not be known.
func (p *Pass) mayBeSwept(o, w *record.Wager) bool {
	return w.Settlements() > 0 && !o.Gone && o.Settlements() == 0 && p.becomes(o) == w.Disposition() &&
		(o.MayBeOf(w) || o.Patron != "" && o.Patron == w.Patron)
}

// sweeper is the wager whose motion settled another one as well, nil if there is none.
func (p *Pass) sweeper(w *record.Wager) *record.Wager {
	if len(p.Round.Wagers) > mostSteps || w.Settlements() > 0 {
		return nil
	}
	for i := range p.Round.Wagers {
		if o := &p.Round.Wagers[i]; p.sweptBy(w, o) && p.sweeps(o) {
			return o
		}
	}
	return nil
}

// becomes is what is to become of a wager, also in a round that was cancelled.
func (p *Pass) becomes(w *record.Wager) baccarat.Disposition {
	if p.cancelled() {
		return baccarat.Return
	}
	return p.disposition(w)
}

// full is what a wager is due in full, 0 if that is not known.
func (p *Pass) full(w *record.Wager) int64 {
	switch p.becomes(w) {
	case baccarat.Collect, baccarat.Return:
		return w.Amount
	default: // what is paid, or nothing
		_, due := p.Due(w)
		return due
	}
}

// suspectSwept suspects the wagers that were settled with another one, as one finding about the first of them.
func (p *Pass) suspectSwept(first, by *record.Wager) {
	whose := "patron"
	if first.Patron == "" || by.Patron == "" {
		whose = "seat"
	}
	f := Finding{
		Subject: finding.OfWager(first.ID), Parts: []finding.Subject{finding.OfWager(by.ID)}, Seat: first.Seat,
		Amount: moved(by) - p.full(by), Evidence: moneyEvidence(by, p.Round), Expected: p.settleOnce(first),
		Observed: fmt.Sprintf(
			"not settled; %s for %v is what is due for all wagers of the %s", p.settled(by), by.Spot, whose,
		),
	}
	for i := range p.Round.Wagers {
		o := &p.Round.Wagers[i]
		if !p.sweptBy(o, by) {
			continue
		}
		if f.Evidence = append(f.Evidence, o.Placed); o != first {
			f.Parts = append(f.Parts, finding.OfWager(o.ID))
		}
		if o.Placed < first.Placed {
			return // reported of that one
		}
	}
	p.citeVoid(&f)
	p.Suspect(f)
}
