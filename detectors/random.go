package detectors

import (
	"encoding/binary"
	"hash/fnv"
	"math/bits"
)

// generator is a random number generator with a hash as seed: the numbers for a key and round never change. It is
// SplitMix64.
type generator struct{ state uint64 }

func (g *generator) next() uint64 {
	g.state += 0x9e3779b97f4a7c15
	z := g.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1, uniform except for a part of 2^-64.
func (g *generator) below(n int) int {
	hi, _ := bits.Mul64(g.next(), uint64(n))
	return int(hi)
}

// seeded makes a generator with the hash of its parts as seed.
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

// uniform returns a number in [0, 1) for a key and a round.
func uniform(k Key, at Location) float64 {
	var n [4]byte
	binary.BigEndian.PutUint32(n[:], at.Round)
	g := seeded(k.String(), at.Property, at.Table, at.Shoe, string(n[:]))
	return float64(g.next()>>11) / (1 << 53)
}
