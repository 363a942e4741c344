package detectors

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/numeric"
	"github.com/shoeproof/shoeproof/schema"
)

var d02 = &Detector{
	ID: "d02", Name: "a shoe of other cards", Tier: Exact,
	Observes: "the number of copies of each of the 52 cards, and of cards of each rank, seen shoe by shoe",
	Null:     "each shoe has the same number of copies of each card, and chance alone decides which of them stay unseen",
	Reports:  "the missing or excess card, or the rank that is short, also where each shoe has fresh cards",
	Keys:     []KeyKind{OfShoe, OfBatch, OfTable, OfDealer, OfSupplier},
	Starts:   visits,
	whole:    true,
	start: func(b *Budget) process {
		d := &composition{batches: map[string]*batchState{}, fresh: newKeyed(b, rankExperts)}
		d.fresh.share = compositionShare
		return d
	},
}

// differences are the numbers of copies of one card that an alternative adds.
var differences = [4]int{-2, -1, 1, 2}

// rankDifferences are the numbers of cards of one rank that an alternative removes.
var rankDifferences = [...]int{1, 2, 4, 8}

// rankPrior is the first weight of each of them: many cards are found within a few shoes, in which weight counts most.
var rankPrior = [len(rankDifferences)]float64{.05, .1, .35, .5}

// rankExperts are a difference of each rank.
const rankExperts = 13 * len(rankDifferences)

// The experts are a difference of each card, then each card in place of each other card.
const (
	differenceExperts  = 52 * len(differences)
	compositionExperts = differenceExperts + 52*51
	compositionShare   = 0.002
	// compositionStarts divides the start weights of a set of cards, so that their sum is at most its number of shoes.
	compositionStarts = 1.5
)

// newCompositionMixture makes the first mixture of a set of cards.
func newCompositionMixture() mixture {
	m := make(mixture, compositionExperts)
	for i := range m {
		m[i] = compositionPrior(i)
	}
	return m
}

// compositionPrior gives half of the weight to the differences, half to the replacements.
func compositionPrior(expert int) float64 {
	if expert >= differenceExperts {
		return 0.5 / (52 * 51)
	}
	return 0.5 / float64(differenceExperts)
}

// composition is d02.
type composition struct {
	inert
	batches map[string]*batchState // by id of the key
	factors [compositionExperts]float64
	// ratios are the factors of the differences of a card by the number of its copies seen.
	ratios [][len(differences)]float64
	// fresh are the tables and dealers, whose shoes may have new cards each.
	fresh keyed
	ranks [rankExperts]float64
}

func (d *composition) End(s *Shoe, out *factors) {
	if s.Read == 0 || !s.Whole || s.Read > 52*s.Decks {
		return
	}
	d.score(s)
	if out.wants(OfShoe) {
		out.add(Factor{Key: Key{OfShoe, s.Shoe}, LnE: d.firstEvidence(), Start: 1})
	}
	d.addFresh(s, out)
	if s.Batch == "" || !out.wants(OfBatch) {
		return
	}
	key := Key{OfBatch, s.Table + "/" + s.Batch}
	c, weights := d.batches[key.ID], newCompositionMixture()
	if c == nil {
		c = &batchState{Mixture: make([]float32, compositionExperts)}
		d.batches[key.ID] = c
	} else {
		for i, w := range c.Mixture {
			weights[i] = float64(w)
		}
	}
	lnE := weights.update(compositionShare, d.factors[:])
	for i, w := range weights {
		c.Mixture[i] = float32(w)
	}
	out.add(Factor{Key: key, LnE: lnE, Start: c.Visit.start(s.At, 1) / compositionStarts})
}

// firstEvidence is what a new mixture would return of the factors. No later shoe continues it, so none is made.
func (d *composition) firstEvidence() float64 {
	total := 0.0
	for i, e := range d.factors {
		total += float64(compositionPrior(i) * e)
	}
	if total <= 0 {
		return math.Inf(-1)
	}
	return numeric.Log(total)
}

// addFresh adds the evidence about the keys whose shoes need not have the same cards.
func (d *composition) addFresh(s *Shoe, out *factors) {
	supplier, scored := d.fresh.budget.Policy.supplier(s.Batch), false
	for _, key := range [...]Key{{OfTable, s.Table}, {OfDealer, s.Dealer}, {OfSupplier, supplier}} {
		if key.ID == "" || !out.wants(key.Kind) {
			continue
		}
		if !scored {
			d.scoreRanks(s)
			scored = true
		}
		d.addRanks(key, s.At, out)
	}
}

// batchState is the state of a set of cards. There are many experts: four bytes are enough for the weight of each.
type batchState struct {
	Visit   visit
	Mixture []float32
}

func (c *batchState) check() error {
	if len(c.Mixture) != compositionExperts {
		return fmt.Errorf("mixture of %d weights, want %d", len(c.Mixture), compositionExperts)
	}
	return nil
}

// score computes the likelihood ratio of a shoe for each alternative. The order of the cards cancels out: what
// remains are falling factorials of the copies seen and of all cards.
func (d *composition) score(s *Shoe) {
	n, decks := float64(52*s.Decks), float64(s.Decks)
	var all [len(differences)]float64
	for i, diff := range differences {
		for k := range s.Read {
			all[i] += numeric.Log((n - float64(k)) / max(n+float64(diff)-float64(k), 0))
		}
		if float64(s.Read) > n+float64(diff) {
			all[i] = math.Inf(-1)
		}
	}
	d.ratios = slices.Grow(d.ratios[:0], s.Decks+1)[:s.Decks+1]
	for i, diff := range differences {
		ln := all[i]
		for k := range d.ratios {
			d.ratios[k][i] = numeric.Exp(ln)
			ln += numeric.Log(max(decks+float64(diff)-float64(k), 0) / (decks - float64(k)))
		}
	}
	var fewer, more [53]float64
	for card := 1; card <= 52; card++ {
		seen := min(s.Decks-int(s.Left[card]), s.Decks)
		copy(d.factors[(card-1)*len(differences):], d.ratios[max(seen, 0)][:])
		fewer[card] = (decks - float64(seen)) / decks
		more[card] = (decks + 1) / (decks + 1 - float64(seen))
	}
	at := differenceExperts
	for a := 1; a <= 52; a++ {
		for b := 1; b <= 52; b++ {
			if a != b {
				d.factors[at] = fewer[a] * more[b]
				at++
			}
		}
	}
}

// scoreRanks computes the likelihood ratio of a shoe from which cards of one rank, of any suit, were removed.
func (d *composition) scoreRanks(s *Shoe) {
	n, copies := float64(52*s.Decks), float64(4*s.Decks)
	left := s.Left.Ranks()
	for i, diff := range rankDifferences {
		all, fewer := 0.0, float64(diff)
		for k := range s.Read {
			all += numeric.Log((n - float64(k)) / max(n-fewer-float64(k), 0))
		}
		for rank := range 13 {
			ln := all
			for k := range min(max(4*s.Decks-int(left[rank+1]), 0), 4*s.Decks) {
				ln += numeric.Log(max(copies-fewer-float64(k), 0) / (copies - float64(k)))
			}
			if s.Read > 52*s.Decks-diff {
				ln = math.Inf(-1)
			}
			d.ranks[rank*len(rankDifferences)+i] = numeric.Exp(ln)
		}
	}
}

// addRanks adds the evidence about a key whose shoes need not have the same cards.
func (d *composition) addRanks(key Key, at int64, out *factors) {
	c := d.fresh.states[key]
	if c == nil {
		c = &keyedMixture{Mixture: newMixture(rankExperts)}
		for i := range c.Mixture {
			c.Mixture[i] = rankPrior[i%len(rankDifferences)] / 13
		}
		d.fresh.states[key] = c
	}
	out.add(Factor{
		Key: key, LnE: c.Mixture.update(compositionShare, d.ranks[:]),
		Start: c.Visit.start(at, shoesPerVisit(d.fresh.budget.Volume, key.Kind)),
	})
}

// Explain names the most likely alternative of a set of cards.
func (d *composition) Explain(key Key) string {
	if x := d.fresh.states[key]; x != nil {
		best := slices.Index(x.Mixture, slices.Max(x.Mixture))
		return fmt.Sprintf("most likely %s too few of the rank of %v",
			schema.Count(rankDifferences[best%len(rankDifferences)], "card"), baccarat.Card(best/len(rankDifferences)+1))
	}
	c := d.batches[key.ID]
	if c == nil {
		return ""
	}
	best := 0
	for i, w := range c.Mixture {
		if w > c.Mixture[best] {
			best = i
		}
	}
	if best < differenceExperts {
		card := baccarat.Card(best/len(differences) + 1)
		return fmt.Sprintf("most likely %+d copies of %v in the set of cards", differences[best%len(differences)], card)
	}
	at := best - differenceExperts
	from, to := at/51+1, at%51+1
	if to >= from {
		to++
	}
	return fmt.Sprintf("most likely a %v in place of a %v", baccarat.Card(to), baccarat.Card(from))
}

func (d *composition) forget(stale func(Key, int64) bool) {
	d.fresh.forget(stale)
	maps.DeleteFunc(d.batches, func(id string, c *batchState) bool { return stale(Key{OfBatch, id}, c.Visit.Last) })
}

// compositionState is the state of composition.
type compositionState struct {
	Batches map[string]*batchState
	Fresh   map[Key]*keyedMixture
}

func (d *composition) streams() []stream {
	return append(d.fresh.streams(), byName(d.batches, (*batchState).check))
}

func (d *composition) save() any { return &compositionState{d.batches, d.fresh.states} }

func (d *composition) load(decode func(any) error) error {
	state := compositionState{map[string]*batchState{}, map[Key]*keyedMixture{}}
	if err := decode(&state); err != nil {
		return err
	}
	for key, c := range state.Fresh {
		if c == nil || c.Mixture.check(rankExperts) != nil {
			return fmt.Errorf("%v: no state of its ranks", key)
		}
	}
	for id, c := range state.Batches {
		if c == nil {
			return fmt.Errorf("set of cards %q: no state", id)
		}
		if err := c.check(); err != nil {
			return fmt.Errorf("set of cards %q: %w", id, err)
		}
	}
	d.batches, d.fresh.states = state.Batches, state.Fresh
	return nil
}
