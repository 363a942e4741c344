package schema

import "strconv"

// Count is a number with its noun, for people: 1 card, 2 cards.
func Count[N ~int | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if n < 0 {
		return strconv.FormatInt(int64(n), 10) + " " + noun + "s"
	}
	return strconv.FormatUint(uint64(n), 10) + " " + noun + "s"
}
