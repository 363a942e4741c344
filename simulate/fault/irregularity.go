package fault

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// Conditions under which a card given to the player's hand in error has its remedy.

// stands: the player stood, and the banker drew.
func stands(_ *scene, c *shoe.Coup) bool { return c.Size(shoe.Player) == 2 && c.Size(shoe.Banker) == 3 }

// pat: neither hand drew.
func pat(_ *scene, c *shoe.Coup) bool { return c.Cards() == 4 && plain(c) }

// errant draws a card in error for the player's hand and burns short cards too few for it; none if short is below 0.
func errant(short int, change func(*shoe.Misdraw)) func(*scene) error {
	return func(sc *scene) error {
		x, err := sc.takeRest(func(c shoe.Card) bool { return c.Burns() > max(short, 1) })
		if err != nil {
			return err
		}
		sl := &shoe.Misdraw{Remedy: shoe.BurnedWithCount, Hand: shoe.Player, Card: x}
		if n := x.Burns() - short; short >= 0 {
			sl.Burned, sc.plan.Rest = sc.plan.Rest[:n:n], sc.plan.Rest[n:]
		}
		if change != nil {
			change(sl)
		}
		sc.round.Misdraw = sl
		return nil
	}
}

// facing lets a card lie face up before the round at issue and burns short cards too few for it.
func facing(short int) func(*scene) error {
	return func(sc *scene) error {
		x, err := sc.takeRest(func(c shoe.Card) bool { return c.Burns() > 1 })
		if err != nil {
			return err
		}
		n := x.Burns() - short
		sc.round.FaceUp = []shoe.FaceUpCard{{Card: x, Burned: sc.plan.Rest[:n:n]}}
		sc.plan.Rest = sc.plan.Rest[n:]
		return nil
	}
}

// redeal deals a round again with a card inserted into the order of dealing.
func (sc *scene) redeal(r *shoe.Round, x shoe.Card, place int) {
	h := &r.Coup.Hands
	deck := []shoe.Card{h[shoe.Player][0], h[shoe.Banker][0], h[shoe.Player][1], h[shoe.Banker][1]}
	for i := range 2 {
		deck = append(deck, h[i][2:]...)
	}
	deck = slices.Insert(deck, place, x)
	r.Coup = shoe.DealCoup(slices.Concat(deck, sc.plan.Rest[:4]))
	if n := r.Coup.Cards(); n > len(deck) {
		sc.plan.Rest = sc.plan.Rest[n-len(deck):]
	}
}

// exhaust leaves too few cards for the last round of the shoe.
func (sc *scene) exhaust() error {
	r := &sc.plan.Rounds[len(sc.plan.Rounds)-1]
	deck := slices.Clone(sc.plan.Rest)
	for _, hand := range r.Coup.Hands {
		deck = append(deck, hand...)
	}
	for range 1000 {
		shoe.Shuffle(sc.table.Rand(), deck)
		r.FaceUp, r.Void = nil, schema.VoidCauseUnspecified
		sc.plan.Rest = sc.table.RunShort(r, slices.Clone(deck))
		if r.Void != schema.VoidCauseUnspecified && plain(&r.Coup) {
			sc.findingRound = uint32(len(sc.plan.Rounds))
			return nil
		}
	}
	return errNotOffered
}

func irregFaults() []Fault { return append(misdrawFaults(), exceptionFaults()...) }

func misdrawFaults() []Fault {
	kinds := slices.Concat(punto(), only("nj-mini"), nyAll(), midi())
	return []Fault{
		{
			Rule: "irreg.error-remedied", Doc: "an irregularity and the right remedy", Kinds: kinds, accept: stands,
			bend: func(sc *scene) error {
				sc.round.Misdraw = &shoe.Misdraw{
					Remedy: shoe.MovedToBanker, Hand: shoe.Player,
					Card: sc.round.Coup.Hands[shoe.Banker][2],
				}
				return nil
			},
		},
		{
			Rule: "irreg.player-extra.to-banker", Doc: "the errant card burned though the banker hand had to draw",
			Kinds: kinds, accept: stands,
			bend: errant(0, nil),
		},
		{
			Rule: "irreg.player-extra.undisclosed-next-hand", Doc: "an undisclosed errant card is burned",
			Kinds: kinds, accept: pat,
			bend: errant(-1, func(sl *shoe.Misdraw) { sl.Hidden = true }),
		},
		{
			Rule: "irreg.player-extra.disclosed-burn", Doc: "one card too few burned for an errant card", Kinds: kinds,
			accept: pat, bend: errant(1, nil),
		},
		{
			Rule: "irreg.excess.undisclosed-next-hand", Doc: "an undisclosed excess card is put away", Kinds: kinds,
			accept: bothDrew,
			bend:   errant(-1, func(sl *shoe.Misdraw) { sl.Remedy = shoe.PutAway }),
		},
		{
			Rule: "irreg.excess.disclosed-burn", Doc: "an excess card put away alone", Kinds: kinds, accept: bothDrew,
			bend: errant(-1, nil),
		},
		{
			Rule: "irreg.carryover-first-card", Doc: "the card kept for the next hand given to the banker",
			Kinds: kinds, accept: pat,
			bend: func(sc *scene) error {
				if err := errant(-1, func(sl *shoe.Misdraw) { sl.Remedy = shoe.CarriedOver })(sc); err != nil {
					return err
				}
				next := &sc.plan.Rounds[sc.index+1]
				next.Carried, next.CarriedToBanker = true, true
				sc.redeal(next, sc.round.Misdraw.Card, 1)
				sc.findingRound = uint32(sc.number + 1)
				if !plain(&next.Coup) {
					return errNotOffered
				}
				return nil
			},
		},
	}
}

func exceptionFaults() []Fault {
	kinds := slices.Concat(punto(), only("nj-mini"), nyAll(), midi())
	return []Fault{
		{
			Rule: "irreg.faceup.not-used", Doc: "a card found face up is dealt", Kinds: kinds,
			bend: func(sc *scene) error {
				if err := facing(0)(sc); err != nil {
					return err
				}
				sc.round.FaceUp[0].Dealt, sc.round.Carried = true, true
				sc.redeal(sc.round, sc.round.FaceUp[0].Card, 0)
				return nil
			},
		},
		{
			Rule: "irreg.faceup.discarded", Doc: "a card found face up is put back into the shoe", Kinds: kinds,
			bend: facing(0), edit: editing("set card_found_faceup: destination=SHOE"),
		},
		{
			Rule: "irreg.faceup.burn-count", Doc: "one card too few burned for a card found face up", Kinds: kinds,
			bend: facing(1),
		},
		{
			Rule: "irreg.insufficient.void", Doc: "a result declared though a card was missing", Kinds: kinds,
			bend: func(sc *scene) error {
				err := sc.exhaust()
				sc.plan.Rounds[len(sc.plan.Rounds)-1].Void = schema.VoidCauseUnspecified
				return err
			},
		},
		{
			Rule: "irreg.insufficient.full-reshuffle", Doc: "cards left out of the reshuffle after a void",
			Kinds: kinds, notInRound: true,
			bend: func(sc *scene) error {
				err := sc.exhaust()
				sc.findingRound = 0
				return err
			},
			edit: editing("set shoe=2 shoe_cut: stack_size-=5\nset shoe=2 cutcard_placed which=1: cards_behind-=5"),
		},
		{
			Rule: "irreg.insufficient.reshuffle-first", Doc: "a card dealt from the same shoe after a void",
			Kinds: slices.Concat(punto(), only("nj-mini"), nyAll()), bend: (*scene).exhaust, alter: dealOn,
			tune: func(c *schema.TableConfig) { c.DealingStyle = schema.DealingStyleFaceUp },
		},
		{
			Rule: "irreg.insufficient.false-claim", Doc: "a round voided under a pretext", Kinds: kinds,
			bend: func(sc *scene) error {
				r := &sc.plan.Rounds[len(sc.plan.Rounds)-1]
				if r.Coup.Cards() == 4 || !plain(&r.Coup) {
					return errNotOffered
				}
				for h := range 2 {
					r.Coup.Hands[h] = r.Coup.Hands[h][:2]
				}
				r.Void = schema.VoidCauseInsufficientCards
				sc.findingRound = uint32(len(sc.plan.Rounds))
				return nil
			},
		},
	}
}
