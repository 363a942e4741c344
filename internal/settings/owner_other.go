//go:build !unix

package settings

import "io/fs"

// ours is unknown here.
func ours(fs.FileInfo) bool { return false }
