//go:build unix

package output

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// width is the number of columns of a terminal, 0 for anything else.
func width(out io.Writer) int {
	f, ok := out.(*os.File)
	if !ok {
		return 0
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
