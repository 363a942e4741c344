//go:build !unix

package export

import (
	"errors"
	"os"
)

func lock(*os.File) error {
	return errors.New("exports need Unix; this system can only verify them")
}
