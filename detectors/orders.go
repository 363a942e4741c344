package detectors

import (
	"encoding/binary"
	"math"
	"slices"
)

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

// Add takes the cards of a shoe that has ended. It uses the storage of the order that they replace.
func (o Orders) Add(batch string, cards []Card) Orders {
	at := slices.IndexFunc(o, func(x Order) bool { return x.Batch == batch })
	if at < 0 && len(o) == maxOrders {
		at = 0
	}
	var replaced []Card
	if at >= 0 {
		replaced = o[at].Cards
		o = slices.Delete(o, at, at+1)
	}
	return append(o, Order{batch, append(replaced[:0], cards...)})
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

// MarshalCBOR writes what the encoder of snapshots writes of the struct, without reflection: the cards of the last
// shoes were two thirds of the time of a snapshot.
func (o Order) MarshalCBOR() ([]byte, error) {
	b := make([]byte, 0, 32+len(o.Batch)+20*len(o.Cards))
	b = appendText(appendHead(b, cborMap, 2), "Batch")
	b = appendText(b, o.Batch)
	b = appendHead(appendText(b, "Cards"), cborList, uint64(len(o.Cards)))
	for _, c := range o.Cards {
		b = appendText(appendHead(b, cborMap, 3), "Card")
		b = appendText(appendHead(b, cborNumber, uint64(c.Card)), "Hand")
		b = appendText(appendHead(b, cborNumber, uint64(c.Hand)), "Index")
		b = appendHead(b, cborNumber, uint64(c.Index))
	}
	return b, nil
}

// Major types of CBOR. RFC 8949, section 3.1.
const (
	cborNumber = 0 << 5
	cborText   = 3 << 5
	cborList   = 4 << 5
	cborMap    = 5 << 5
)

// appendHead appends a major type with its argument in the shortest form.
func appendHead(b []byte, major byte, n uint64) []byte {
	switch {
	case n < 24:
		return append(b, major|byte(n))
	case n <= math.MaxUint8:
		return append(b, major|24, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, major|25), uint16(n))
	case n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(b, major|26), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(b, major|27), n)
}

func appendText(b []byte, s string) []byte {
	return append(appendHead(b, cborText, uint64(len(s))), s...)
}
