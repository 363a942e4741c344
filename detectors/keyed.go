package detectors

import "maps"

// keyedStates are the states of a process by key, each of a declared struct.
type keyedStates[S any] struct {
	keys map[Key]*S
}

// keyedState is the state of one key.
type keyedState interface {
	// visited is when the key was seen last, ns.
	visited() int64
	// check refuses a restored state that cannot be.
	check() error
}

func (k *keyedStates[S]) forget(stale func(Key, int64) bool) {
	maps.DeleteFunc(k.keys, func(key Key, s *S) bool { return stale(key, any(s).(keyedState).visited()) })
}

func (k *keyedStates[S]) streams() []stream {
	return []stream{byKey(k.keys, func(s *S) error { return any(s).(keyedState).check() })}
}
