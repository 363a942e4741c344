package shoe

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// EventID returns an id in the form of a ULID: milliseconds, then 80 bits that follow from the seed and the sequence
// number.
func EventID(at int64, seed, seq uint64) string {
	var b [26]byte
	ms := uint64(at) / 1_000_000
	for i := 9; i >= 0; i-- {
		b[i] = crockford[ms&31]
		ms >>= 5
	}
	x, y := Mix(seed^seq*0x9e3779b97f4a7c15), Mix(seed+seq)
	for i := 10; i < 22; i++ {
		b[i] = crockford[x&31]
		x >>= 5
	}
	for i := 22; i < 26; i++ {
		b[i] = crockford[y&31]
		y >>= 5
	}
	return string(b[:])
}

// Mix is the finaliser of SplitMix64.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
