package detectors

import "slices"

// Order are the cards of an earlier shoe of the table, in the order of dealing. Batch is their set of cards, empty if
// it is not known.
type Order struct {
	Batch string
	Cards []Card
}

// Orders are the latest shoes of a table, the newest last, one for each set of cards: a set that rests for a shoe or
// two comes back in the order of its own last shoe.
type Orders []Order

// maxOrders is the maximum number of sets of cards of a table that are compared.
const maxOrders = 4

// Add takes the cards of a shoe that has ended.
func (o Orders) Add(batch string, cards []Card) Orders {
	o = slices.DeleteFunc(o, func(x Order) bool { return x.Batch == batch })
	if len(o) == maxOrders {
		o = slices.Delete(o, 0, 1)
	}
	return append(o, Order{batch, slices.Clone(cards)})
}

// Of returns the last order of a set of cards: that of the last shoe for a set that is not known.
func (o Orders) Of(batch string) []Card {
	if len(o) == 0 {
		return nil
	}
	if at := slices.IndexFunc(o, func(x Order) bool { return x.Batch == batch }); at >= 0 && batch != "" {
		return o[at].Cards
	}
	return o[len(o)-1].Cards
}
