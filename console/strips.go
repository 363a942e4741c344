package console

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/detectors"
)

// strips are the longest run of cards that a shoe repeats, of an earlier shoe or of its past, side by side. They are
// made from the recorded rounds alone, so burned cards are in neither.
type strips struct {
	Old, New    string // shoes
	OldURL      string
	NewURL      string
	Way         string // how the cards repeat
	Columns     []stripColumn
	Same, Cards int // columns with equal cards, and cards of the new shoe
}

// stripColumn is a card of each shoe. One of them is nil where the other shoe has a card more. Of a card that was not
// read it is unknown whether it is the same.
type stripColumn struct {
	Old, New *stripCard
	Same     bool
	Unread   bool
}

// stripCard is a card with its number among the recorded cards of its shoe and its round.
type stripCard struct {
	dealtCard
	Number int
	Round  uint32
	URL    string
}

const (
	// earlierShoes is how many earlier shoes of the table are compared: sets of cards alternate.
	earlierShoes = 4
	// minStrip is the number of equal cards of a run that is shown. Two honest shoes mostly have three in common.
	minStrip = 5
)

// recordedCards are the cards of a shoe in the order of dealing.
type recordedCards struct {
	dealt []detectors.Card
	from  []*store.Round
}

func cardsIn(rounds []store.Round) (all recordedCards) {
	for i := range rounds {
		var hands [2][]detectors.Card
		hand := baccarat.Player
		for w := range strings.FieldsSeq(rounds[i].Cards) {
			switch w {
			case "P":
				hand = baccarat.Player
			case "B":
				hand = baccarat.Banker
			default:
				card, err := baccarat.ParseCard(w)
				if err != nil {
					card = baccarat.Unread
				}
				into := &hands[0]
				if hand == baccarat.Banker {
					into = &hands[1]
				}
				*into = append(*into, detectors.Card{Card: card, Hand: hand, Index: uint8(len(*into) + 1)})
			}
		}
		for n := range max(len(hands[0]), len(hands[1])) {
			for _, h := range hands {
				if n < len(h) {
					all.dealt, all.from = append(all.dealt, h[n]), append(all.from, &rounds[i])
				}
			}
		}
	}
	return all
}

// strips returns the longest run that the shoe of a finding repeats, or nil.
func (c *Console) strips(x *exchange, f *store.Finding) (*strips, error) {
	ctx, scope := x.r.Context(), x.scope()
	at := store.Location{Property: f.PropertyID, Table: f.TableID}
	shoes, err := c.Store.ShoesBefore(ctx, scope, at, f.At, earlierShoes+1)
	if err != nil {
		return nil, err
	}
	read := func(shoe string) (recordedCards, error) {
		at.Shoe = shoe
		rounds, err := c.Store.Rounds(ctx, scope, at)
		return cardsIn(rounds), err
	}
	now, err := read(f.ShoeID)
	if err != nil {
		return nil, err
	}
	best := stripMatch{}
	best.longest(&now, f.ShoeID, &now, true)
	for _, shoe := range shoes {
		if shoe == f.ShoeID {
			continue
		}
		before, err := read(shoe)
		if err != nil {
			return nil, err
		}
		best.longest(&before, shoe, &now, false)
	}
	return best.strips(f, &now), nil
}

// stripMatch is the longest run found so far.
type stripMatch struct {
	alignment
	old    *recordedCards
	shoe   string
	order  detectors.PickUp
	places []int // of the old cards
	back   bool
}

// longest compares the cards of an old shoe, in each order of picking up and both ways, with the cards of the new. own
// compares a shoe with its past, in the order of dealing.
func (m *stripMatch) longest(old *recordedCards, shoe string, now *recordedCards, own bool) {
	to := make([]baccarat.Card, len(now.dealt))
	for i, c := range now.dealt {
		to[i] = c.Card
	}
	for order := range detectors.PickUp(len(detectors.PickUpNames)) {
		if own && order != detectors.AsDealt {
			return
		}
		for _, back := range []bool{false, true} {
			places := slices.Collect(order.Places(old.dealt))
			if back {
				slices.Reverse(places)
			}
			from := make([]baccarat.Card, len(places))
			for i, p := range places {
				from[i] = old.dealt[p].Card
			}
			a := align(from, to, func(i, j int) bool { return !own || places[i] < j })
			if a.score > m.score {
				*m = stripMatch{a, old, shoe, order, places, back}
			}
		}
	}
}

func (m *stripMatch) strips(f *store.Finding, now *recordedCards) *strips {
	s := &strips{
		Old: m.shoe, New: f.ShoeID, OldURL: pathOf("shoes", f.PropertyID, f.TableID, m.shoe),
		NewURL: pathOf("shoes", f.PropertyID, f.TableID, f.ShoeID),
		Way:    strings.ReplaceAll(detectors.PickUpNames[m.order], "_", " "),
	}
	if m.back {
		s.Way += ", backwards"
	}
	for _, p := range m.pairs {
		column := stripColumn{}
		if p[0] >= 0 {
			column.Old = m.old.card(m.places[p[0]])
		}
		if p[1] >= 0 {
			column.New = now.card(p[1])
			s.Cards++
		}
		if p[0] >= 0 && p[1] >= 0 {
			column.Unread = column.Old.Suit == "" || column.New.Suit == ""
			column.Same = !column.Unread && column.Old.Card == column.New.Card
		}
		if column.Same {
			s.Same++
		}
		s.Columns = append(s.Columns, column)
	}
	if s.Same < minStrip {
		return nil
	}
	return s
}

// Lines are the columns in lines that fit a page.
func (s *strips) Lines() [][]stripColumn {
	const maxColumns = 20
	return slices.Collect(slices.Chunk(s.Columns, maxColumns))
}

func (r *recordedCards) card(i int) *stripCard {
	return &stripCard{newCard(r.dealt[i].Card.String()), i + 1, r.from[i].Round, roundURL(r.from[i])}
}

// Text describes the place of a card.
func (c *stripCard) Text() string {
	return fmt.Sprintf("%s, card %d, round %d", c.Card, c.Number, c.Round)
}

// alignment pairs the cards of two orders; -1 stands for a card that the other order does not have.
type alignment struct {
	pairs [][2]int
	score int
}

// align returns the run that two orders have in common, with few cards that differ: the local alignment with the
// highest score. may limits the pairs.
func align(old, now []baccarat.Card, may func(i, j int) bool) (best alignment) {
	const match, differs = 2, -5
	const pair, onlyOld, onlyNew = 1, 2, 3 // the last step of the best run that ends at a pair
	width := len(now) + 1
	score, step := make([]int32, (len(old)+1)*width), make([]uint8, (len(old)+1)*width)
	end := 0
	for i := range old {
		for j := range now {
			if !may(i, j) {
				continue
			}
			at, gain := (i+1)*width+j+1, int32(differs)
			if old[i] == now[j] && now[j] != baccarat.Unread {
				gain = match
			}
			for k, s := range [...]int32{score[at-width-1] + gain, score[at-width] + differs, score[at-1] + differs} {
				if s > score[at] {
					score[at], step[at] = s, uint8(k+1)
				}
			}
			if score[at] > score[end] {
				end = at
			}
		}
	}
	best.score = int(score[end])
	for at := end; step[at] != 0; {
		i, j := at/width-1, at%width-1
		switch step[at] {
		case pair:
			best.pairs, at = append(best.pairs, [2]int{i, j}), at-width-1
		case onlyOld:
			best.pairs, at = append(best.pairs, [2]int{i, -1}), at-width
		case onlyNew:
			best.pairs, at = append(best.pairs, [2]int{-1, j}), at-1
		}
	}
	slices.Reverse(best.pairs)
	return best
}
