package detectors

import (
	"fmt"
	"math"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors/exact"
)

var d01 = &Detector{
	ID: "d01", Name: "a card too many", Tier: Certain,
	Looks: "the copies of each of the 52 cards that have been seen in the shoe",
	Null:  "a shoe of d decks has d copies of each card: one more is impossible, or a card was misread",
	Shows: "the card and how often it was seen",
	Keys:  []KeyKind{OfShoe},
	New:   func(*Promise) Process { return &overflow{} },
}

type overflow struct {
	nothing
	said [53]bool
}

func (d *overflow) Begin(*Shoe, *Factors) { d.said = [53]bool{} }

func (d *overflow) Round(r *Round, out *Factors) {
	left := r.Left
	for _, c := range r.Cards {
		left[c.Card]--
	}
	for c := 1; c < len(left); c++ {
		if left[c] < 0 && !d.said[c] {
			d.said[c] = true
			out.Add(Factor{
				Key: Key{OfShoe, r.Shoe}, Certain: true,
				Note: fmt.Sprintf("%d copies of %v in a shoe of %d decks: a card too many, or a card read wrongly", r.Decks-int(left[c]), baccarat.Card(c), r.Decks),
			})
		}
	}
}

var d02 = &Detector{
	ID: "d02", Name: "a shoe of other cards", Tier: Exact,
	Looks:  "how often each of the 52 cards was seen, shoe by shoe",
	Null:   "each shoe has the same number of copies of each card, of which some stay unseen by chance alone",
	Shows:  "the card that is missing or too many",
	Keys:   []KeyKind{OfShoe, OfBatch},
	Starts: visits,
	New:    func(p *Promise) Process { return &composition{promise: p, batches: map[string]*copies{}} },
}

// copies is the evidence about a set of cards.
type copies struct {
	session session
	mixture mixture
}

// differences are how many copies more or fewer an alternative has of one card.
var differences = [4]int{-2, -1, 1, 2}

const (
	differing      = 52 * len(differences)
	copiesExperts  = differing + 52*51
	copiesForgets  = 0.002
	copiesSessions = 1.5
)

// newCopies gives half of the weight to one card's difference, half to one card in the place of another.
func newCopies() copies {
	m := newMixture(copiesExperts, copiesForgets)
	for i := range m.weights {
		m.weights[i] = 0.5 / float64(differing)
		if i >= differing {
			m.weights[i] = 0.5 / (52 * 51)
		}
	}
	return copies{mixture: m}
}

type composition struct {
	nothing
	promise *Promise
	batches map[string]*copies
	factors [copiesExperts]float64
}

func (d *composition) End(s *Shoe, out *Factors) {
	if s.Read == 0 || !s.Whole || s.Read > 52*s.Decks {
		return
	}
	d.weigh(s)
	if out.wants(OfShoe) {
		fresh := newCopies()
		out.Add(Factor{Key: Key{OfShoe, s.Shoe}, LnE: fresh.mixture.take(d.factors[:]), Start: 1})
	}
	if s.Batch == "" || !out.wants(OfBatch) {
		return
	}
	key := Key{OfBatch, s.Table + "/" + s.Batch}
	c := d.batches[key.ID]
	if c == nil {
		fresh := newCopies()
		c = &fresh
		d.batches[key.ID] = c
	}
	out.Add(Factor{Key: key, LnE: c.mixture.take(d.factors[:]), Start: c.session.start(s.At, 1) / copiesSessions})
}

// weigh works out the likelihood ratio of a shoe for each alternative. The order in which cards came cancels: what is left
// are falling factorials of the copies seen, and of all cards.
func (d *composition) weigh(s *Shoe) {
	n, decks := float64(52*s.Decks), float64(s.Decks)
	var all [len(differences)]float64
	for i, diff := range differences {
		for k := range s.Read {
			all[i] += math.Log((n - float64(k)) / max(n+float64(diff)-float64(k), 0))
		}
		if float64(s.Read) > n+float64(diff) {
			all[i] = math.Inf(-1)
		}
	}
	var fewer, more [53]float64
	for card := 1; card <= 52; card++ {
		seen := min(s.Decks-int(s.Left[card]), s.Decks)
		for i, diff := range differences {
			ln := all[i]
			for k := range seen {
				ln += math.Log(max(decks+float64(diff)-float64(k), 0) / (decks - float64(k)))
			}
			d.factors[(card-1)*len(differences)+i] = math.Exp(ln)
		}
		fewer[card] = (decks - float64(seen)) / decks
		more[card] = (decks + 1) / (decks + 1 - float64(seen))
	}
	at := differing
	for a := 1; a <= 52; a++ {
		for b := 1; b <= 52; b++ {
			if a != b {
				d.factors[at] = fewer[a] * more[b]
				at++
			}
		}
	}
}

// Explain names what is most likely.
func (d *composition) Explain(key Key) string {
	c := d.batches[key.ID]
	if c == nil {
		return ""
	}
	best := 0
	for i, w := range c.mixture.weights {
		if w > c.mixture.weights[best] {
			best = i
		}
	}
	if best < differing {
		return fmt.Sprintf("most likely %+d copies of %v in the set of cards", differences[best%len(differences)], baccarat.Card(best/len(differences)+1))
	}
	at := best - differing
	from, to := at/51+1, at%51+1
	if to >= from {
		to++
	}
	return fmt.Sprintf("most likely a %v in the place of a %v", baccarat.Card(to), baccarat.Card(from))
}

var d03 = &Detector{
	ID: "d03", Name: "outcomes", Tier: Exact,
	Looks:  "which side wins, naturals, numbers of cards, and the events of side wagers, beside their exact chances in each round",
	Null:   "the next cards are a uniform draw from those not seen",
	Shows:  "how far the outcomes lean",
	Keys:   []KeyKind{OfShoe, OfTable, OfDealer, OfDevice},
	Starts: visits,
	New: func(p *Promise) Process {
		d := &outcomes{keyed: newKeyed(p, len(outcomeEvents)*len(leans)), experts: make([]float64, len(outcomeEvents)*len(leans))}
		d.keyed.prior, d.keyed.share = outcomePrior(), 0.00005
		return d
	},
}

// outcomeEvents are what outcomes may lean to; the pair of a hand is the last.
var outcomeEvents = [...]func(*baccarat.Coup) bool{
	func(c *baccarat.Coup) bool { return c.Result() == baccarat.BankerWon },
	func(c *baccarat.Coup) bool { return c.Result() == baccarat.PlayerWon },
	func(c *baccarat.Coup) bool { return c.Result() == baccarat.Tie },
	(*baccarat.Coup).Natural,
	func(c *baccarat.Coup) bool { return c.Cards() == 4 },
	func(c *baccarat.Coup) bool { return c.Cards() == 5 },
	func(c *baccarat.Coup) bool { return c.Cards() == 6 },
	(*baccarat.Coup).Dragon7,
	(*baccarat.Coup).Panda8,
	func(c *baccarat.Coup) bool { return c.Result() == baccarat.BankerWon && c.B == 6 },
	func(c *baccarat.Coup) bool { return c.PlayerPair },
}

var leans = [...]float64{.07, .17, .4, 1}

// outcomePrior is the first weight of an event's experts: results first.
func outcomePrior() []float64 {
	prior := make([]float64, len(outcomeEvents)*len(leans))
	for i := range prior {
		share := 0.55 / float64(len(outcomeEvents)-3)
		if i < 3*len(leans) {
			share = 0.15
		}
		prior[i] = share / float64(len(leans))
	}
	return prior
}

type outcomes struct {
	nothing
	keyed   keyed
	kernel  *exact.Kernel
	events  [len(outcomeEvents) - 1][]int
	experts []float64
}

func (d *outcomes) Begin(*Shoe, *Factors) { d.keyed.begin() }

func (d *outcomes) Round(r *Round, out *Factors) {
	if r.Odds == nil || r.Offer == nil || !r.Played {
		return
	}
	if k := r.Offer.Kernel; k != d.kernel {
		d.kernel = k
		for i := range d.events {
			d.events[i] = k.Event(outcomeEvents[i])
		}
	}
	n := 0
	for i, holds := range outcomeEvents {
		chance := r.Odds.Pair
		if i < len(d.events) {
			chance = r.Odds.Chance(d.events[i])
		}
		for _, theta := range leans {
			e := 1 / (1 + chance*math.Expm1(theta))
			if holds(&r.Coup) {
				e *= math.Exp(theta)
			}
			d.experts[n] = e
			n++
		}
	}
	f := Factor{Due: r.Odds.Chance(d.events[0])}
	if r.Coup.Result() == baccarat.BankerWon {
		f.Seen = 1
	}
	for _, key := range [...]Key{{OfShoe, r.Shoe}, {OfTable, r.Table}, {OfDealer, r.Dealer}, {OfDevice, r.Shuffler}} {
		if key.ID != "" {
			f.Key = key
			d.keyed.take(f, r.At, d.experts, out)
		}
	}
}
