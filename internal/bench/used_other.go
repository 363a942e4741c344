//go:build !unix

package bench

import "time"

// used is the wall clock: the processor time is not known on this system.
func used() time.Duration { return time.Duration(time.Now().UnixNano()) }
