//go:build !unix

package export

import (
	"errors"
	"os"
)

func lock(*os.File) error {
	return errors.New("exports need Unix; this system can only verify them")
}

// syncDir does nothing: Windows cannot flush a folder, and a browser has none.
func syncDir(string) error { return nil }
