package simulate

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// Conditions under which a card given to the player's hand in error has its remedy.

// stands: the player stood, and the banker drew.
func stands(_ *scene, c *coup) bool { return c.size(player) == 2 && c.size(banker) == 3 }

// pat: neither hand drew.
func pat(_ *scene, c *coup) bool { return c.cards() == 4 && plain(c) }

// errant draws a card in error for the player's hand and burns so many cards fewer for it than it says.
func errant(short int, change func(*slip)) func(*scene) error {
	return func(sc *scene) error {
		x, err := sc.takeRest(func(c card) bool { return c.burns() > max(short, 1) })
		if err != nil {
			return err
		}
		sl := &slip{kind: slipBurned, hand: player, card: x}
		if n := x.burns() - short; short >= 0 {
			sl.burned, sc.s.rest = sc.s.rest[:n:n], sc.s.rest[n:]
		}
		if change != nil {
			change(sl)
		}
		sc.r.slip = sl
		return nil
	}
}

// facing lets a card lie face up before the round at issue.
func facing(short int) func(*scene) error {
	return func(sc *scene) error {
		x, err := sc.takeRest(func(c card) bool { return c.burns() > 1 })
		if err != nil {
			return err
		}
		n := x.burns() - short
		sc.r.found = []stray{{card: x, burned: sc.s.rest[:n:n]}}
		sc.s.rest = sc.s.rest[n:]
		return nil
	}
}

// redeal deals a round again with a card put at a place of the order of dealing.
func (sc *scene) redeal(r *roundPlan, x card, place int) {
	h := &r.coup.hands
	deck := []card{h[player][0], h[banker][0], h[player][1], h[banker][1]}
	for i := range 2 {
		deck = append(deck, h[i][2:]...)
	}
	deck = slices.Insert(deck, place, x)
	r.coup = dealCoup(slices.Concat(deck, sc.s.rest[:4]))
	if n := r.coup.cards(); n > len(deck) {
		sc.s.rest = sc.s.rest[n-len(deck):]
	}
}

// exhaust leaves too few cards for the last round of the shoe.
func (sc *scene) exhaust() error {
	r := &sc.s.rounds[len(sc.s.rounds)-1]
	deck := slices.Clone(sc.s.rest)
	for _, hand := range r.coup.hands {
		deck = append(deck, hand...)
	}
	for range 1000 {
		shuffle(sc.t.Rand(), deck)
		r.found, r.void = nil, schema.VoidCauseUnspecified
		sc.s.rest = sc.t.RunShort(r, slices.Clone(deck))
		if r.void != schema.VoidCauseUnspecified && plain(&r.coup) {
			sc.round = uint32(len(sc.s.rounds))
			return nil
		}
	}
	return errElsewhere
}

func irregFaults() []Fault {
	kinds := slices.Concat(punto(), only("nj-mini"), nyAll(), midi())
	return []Fault{
		{
			Rule: "irreg.error-remedied", Doc: "an irregularity and the right remedy", Kinds: kinds, accept: stands,
			bend: func(sc *scene) error {
				sc.r.slip = &slip{kind: slipMoved, hand: player, card: sc.r.coup.hands[banker][2]}
				return nil
			},
		},
		{
			Rule: "irreg.player-extra.to-banker", Doc: "the errant card burned though the banker hand had to draw", Kinds: kinds, accept: stands,
			bend: errant(0, nil),
		},
		{
			Rule: "irreg.player-extra.undisclosed-next-hand", Doc: "an errant card that nobody saw is burned", Kinds: kinds, accept: pat,
			bend: errant(-1, func(sl *slip) { sl.hidden = true }),
		},
		{
			Rule: "irreg.player-extra.disclosed-burn", Doc: "one card too few burned for an errant card", Kinds: kinds, accept: pat, bend: errant(1, nil),
		},
		{
			Rule: "irreg.excess.undisclosed-next-hand", Doc: "an excess card that nobody saw is put away", Kinds: kinds, accept: bothDrew,
			bend: errant(-1, func(sl *slip) { sl.kind = slipDropped }),
		},
		{
			Rule: "irreg.excess.disclosed-burn", Doc: "an excess card put away alone", Kinds: kinds, accept: bothDrew, bend: errant(-1, nil),
		},
		{
			Rule: "irreg.carryover-first-card", Doc: "the card kept for the next hand given to the banker", Kinds: kinds, accept: pat,
			bend: func(sc *scene) error {
				if err := errant(-1, func(sl *slip) { sl.kind = slipCarried })(sc); err != nil {
					return err
				}
				next := &sc.s.rounds[sc.k+1]
				next.carried, next.toBanker = true, true
				sc.redeal(next, sc.r.slip.card, 1)
				sc.round = uint32(sc.n + 1)
				if !plain(&next.coup) {
					return errElsewhere
				}
				return nil
			},
		},
		{
			Rule: "irreg.faceup.not-used", Doc: "a card found face up is dealt", Kinds: kinds,
			bend: func(sc *scene) error {
				if err := facing(0)(sc); err != nil {
					return err
				}
				sc.r.found[0].used, sc.r.carried = true, true
				sc.redeal(sc.r, sc.r.found[0].card, 0)
				return nil
			},
		},
		{Rule: "irreg.faceup.burn-count", Doc: "one card too few burned for a card found face up", Kinds: kinds, bend: facing(1)},
		{
			Rule: "irreg.insufficient.void", Doc: "a result declared though a card was missing", Kinds: kinds,
			bend: func(sc *scene) error {
				err := sc.exhaust()
				sc.s.rounds[len(sc.s.rounds)-1].void = schema.VoidCauseUnspecified
				return err
			},
		},
		{
			Rule: "irreg.insufficient.full-reshuffle", Doc: "cards left out of the reshuffle after a void", Kinds: kinds, wide: true,
			bend: func(sc *scene) error {
				err := sc.exhaust()
				sc.round = 0
				return err
			},
			edit: editing("set shoe=2 shoe_cut: stack_size-=5\nset shoe=2 cutcard_placed which=1: cards_behind-=5"),
		},
		{
			Rule: "irreg.insufficient.false-claim", Doc: "a round voided under a pretext", Kinds: kinds,
			bend: func(sc *scene) error {
				r := &sc.s.rounds[len(sc.s.rounds)-1]
				for h := range 2 {
					r.coup.hands[h] = r.coup.hands[h][:2]
				}
				r.void = schema.VoidCauseInsufficientCards
				sc.round = uint32(len(sc.s.rounds))
				return nil
			},
		},
	}
}
