package detectors

import (
	"encoding/binary"
	"hash/fnv"
	"math/bits"
)

// generator is a source of numbers whose seed is a hash: the same for the same key and round, for ever. It is SplitMix64.
type generator struct{ state uint64 }

func (g *generator) next() uint64 {
	g.state += 0x9e3779b97f4a7c15
	z := g.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below is a number from 0 to n-1, uniform but for a part of 2^-64.
func (g *generator) below(n int) int {
	hi, _ := bits.Mul64(g.next(), uint64(n))
	return int(hi)
}

// seeded hashes what a generator is for.
func seeded(parts ...string) generator {
	h := fnv.New64a()
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return generator{h.Sum64()}
}

// uniform is a number in [0, 1) for a key and a round.
func uniform(k Key, p Place) float64 {
	var n [4]byte
	binary.BigEndian.PutUint32(n[:], p.Round)
	g := seeded(k.String(), p.Property, p.Table, p.Shoe, string(n[:]))
	return float64(g.next()>>11) / (1 << 53)
}
