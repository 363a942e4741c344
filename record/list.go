package record

// Index is the index of the first element that meets a condition, -1 if none does. Unlike slices.IndexFunc it copies no
// element: cards, wagers and steps have a hundred bytes and more, and rules search them in each round.
func Index[T any](list []T, meets func(*T) bool) int {
	for i := range list {
		if meets(&list[i]) {
			return i
		}
	}
	return -1
}

// Any reports whether an element meets a condition.
func Any[T any](list []T, meets func(*T) bool) bool { return Index(list, meets) >= 0 }
