package fault

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// Pair is two faults to plant in one round of one table, at one seat where both concern a seat.
type Pair struct{ First, Second Fault }

// Planted is a pair as it was played.
type Planted struct {
	Events []schema.Event
	// Want are the findings that the faults must lead to, or that another finding must cover.
	Want [2]Want
	// Shared names what both faults changed, and the cards if one fault no longer has the cards that it needs. Where it
	// is not empty, one fault may have undone the other.
	Shared []string
}

// Reason is why two faults cannot be planted in one round.
type Reason string

// Reasons.
const (
	NoCommonKind  Reason = "no kind of table has both"
	CardsExclude  Reason = "no cards suit both"
	TermsExclude  Reason = "one changes the configuration that the other needs"
	WagerReplaced Reason = "one removes the wager of the other"
	WagerAdded    Reason = "one adds a wager whose absence is the other"
	EventsGone    Reason = "one removes the events that the other changes"
	OtherSeat     Reason = "they concern different seats"
	OtherRound    Reason = "they are found in different rounds"
	NoScene       Reason = "no scene offers both"
)

// ApartError is the error for two faults that cannot be planted in one round.
type ApartError struct{ Reason Reason }

func (e *ApartError) Error() string { return string(e.Reason) }

const (
	pairScenes   = 16
	sampledCoups = 200_000
)

// Pairs lists the pairs of faults that may break one round, and counts the others by their reason. Faults of a shoe or
// a table are in no pair.
func Pairs() ([]Pair, map[Reason]int) {
	var inRound []Fault
	for _, f := range All() {
		if !f.notInRound && !f.alone && !f.everyShoe && f.secondTable == nil {
			inRound = append(inRound, f)
		}
	}
	suits := sampleCoups(inRound)
	apart := map[Reason]int{}
	var pairs []Pair
	for j := range inRound {
		for i := range j {
			switch {
			case len(commonKinds(&inRound[i], &inRound[j])) == 0:
				apart[NoCommonKind]++
			case !intersect(suits[i], suits[j]):
				apart[CardsExclude]++
			default:
				pairs = append(pairs, Pair{inRound[i], inRound[j]}, Pair{inRound[j], inRound[i]})
			}
		}
	}
	return pairs, apart
}

func commonKinds(f, g *Fault) []string {
	return slices.DeleteFunc(slices.Clone(f.Kinds), func(kind string) bool { return !slices.Contains(g.Kinds, kind) })
}

// sampleCoups deals coups at random and notes, one bit a coup, which of them suit each fault.
func sampleCoups(faults []Fault) [][]uint64 {
	rng := rand.New(rand.NewPCG(1, sampledCoups))
	deck := shoe.NewPack(8)
	suits := make([][]uint64, len(faults))
	for i := range suits {
		suits[i] = make([]uint64, sampledCoups/64)
	}
	sc := &scene{stake: &shoe.Stake{}, otherStake: &shoe.Stake{}}
	for n := range sampledCoups {
		for i := range 6 {
			j := i + rng.IntN(len(deck)-i)
			deck[i], deck[j] = deck[j], deck[i]
		}
		coup := shoe.DealCoup(deck)
		for i := range faults {
			if faults[i].accept == nil || faults[i].accept(sc, &coup) {
				suits[i][n/64] |= 1 << (n % 64)
			}
		}
	}
	return suits
}

func intersect(a, b []uint64) bool {
	for i := range a {
		if a[i]&b[i] != 0 {
			return true
		}
	}
	return false
}

// Plant plays a short shoe with both faults in one round. The error is an *ApartError if that cannot be.
func (p *Pair) Plant(seed uint64) (*Planted, error) {
	apart := &ApartError{NoScene}
	kinds := commonKinds(&p.First, &p.Second)
	if len(kinds) == 0 {
		return nil, &ApartError{NoCommonKind}
	}
	for try := range uint64(pairScenes) {
		d := &duet{faults: [2]*Fault{&p.First, &p.Second}}
		events, _, err := plantOnce(deal.Options{}, d.fault(), shoe.Mix(seed+try<<40), kinds[seed%uint64(len(kinds))])
		switch {
		case errors.As(err, &apart), errors.Is(err, errNotOffered):
			continue
		case err != nil:
			return nil, fmt.Errorf("plant %s and %s, seed %d: %w", p.First.Rule, p.Second.Rule, seed, err)
		}
		want := [2]Want{d.want(0), d.want(1)}
		switch {
		case want[0].Round != want[1].Round:
			apart = &ApartError{OtherRound}
			continue
		case want[0].Seat != want[1].Seat && want[0].Seat != 0 && want[1].Seat != 0:
			apart = &ApartError{OtherSeat}
			continue
		}
		return &Planted{events, want, d.shared()}, nil
	}
	return nil, apart
}
