package detectors

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
)

var d19 = &Detector{
	ID: "d19", Name: "readers", Tier: Calibrated,
	Observes: "rounds with a card that a reader did not read or is suspected of having misread, and with too few cards",
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

// Round scores a round once for each key: glare, or a reader that stops, takes all its cards. The probability that any
// of n cards is unread is at most n times the tolerated rate, whatever their dependence.
func (d *readers) Round(r *Round, out *factors) {
	n := len(r.Cards)
	if n == 0 {
		return
	}
	bad := r.Misread || r.Played && n < 4
	for _, c := range r.Cards {
		bad = bad || c.Card == baccarat.Unread
	}
	tolerated := min(unreadTolerated*float64(n), 0.25)
	var experts [len(rates)]float64
	for k, times := range rates {
		experts[k] = rateRatio(tolerated, times, bad)
	}
	f := Factor{Expected: tolerated}
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
