//go:build unix

package settings

import (
	"io/fs"
	"os"
	"syscall"
)

// ours says that a file belongs to the user that this process runs as.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
