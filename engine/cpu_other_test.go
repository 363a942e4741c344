//go:build !unix

package engine_test

import "time"

// cpu is not known here.
func cpu() time.Duration { return 0 }
