package detectors

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
)

var d19 = &Detector{
	ID: "d19", Name: "readers", Tier: Calibrated,
	Observes: "cards that a reader did not read, and rounds with too few cards",
	Null:     "at most one card in five hundred unread: a tolerance, outside the budget",
	Reports:  "the device that reads badly; evidence from its readings is deferred",
	Keys:     []KeyKind{OfShoe, OfDevice},
	feed:     true,
	lnFixed:  lnMillion,
	start:    func(b *Budget) process { return &readers{keyed: newKeyed(b, len(rates))} },
}

// unreadTolerated is the tolerated rate of unread cards.
const unreadTolerated = 0.002

// readers is d19.
type readers struct {
	inert
	keyed
}

func (d *readers) Begin(*Shoe, *factors) { d.keyed.begin() }

func (d *readers) Round(r *Round, out *factors) {
	for _, c := range r.Cards {
		d.score(r, c.Card == baccarat.Unread, out)
	}
	if n := len(r.Cards); n > 0 && r.Played && n < 4 {
		d.score(r, true, out)
	}
}

func (d *readers) score(r *Round, bad bool, out *factors) {
	var experts [len(rates)]float64
	for k, times := range rates {
		experts[k] = rateRatio(unreadTolerated, times, bad)
	}
	f := Factor{Expected: unreadTolerated}
	if bad {
		f.Observed = 1
	}
	for _, key := range [...]Key{{OfShoe, r.Shoe}, {OfDevice, r.Reader}} {
		if key.ID != "" {
			f.Key = key
			d.keyed.add(f, r.At, experts[:], out)
		}
	}
}

// Explain names the tolerance.
func (d *readers) Explain(key Key) string {
	return fmt.Sprintf("%v has more than one unread card in %d", key, int(1/unreadTolerated))
}
