//go:build !unix

package output

import "io"

// width is 0: without Unix nothing is wrapped.
func width(io.Writer) int { return 0 }
