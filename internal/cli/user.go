package cli

import (
	"fmt"
	"os"
	"os/user"
)

// User is the user who runs this program: a number if the system has no name for it, as in a container.
func User() string {
	u, err := user.Current()
	if err != nil {
		return fmt.Sprint("user ", os.Getuid())
	}
	return u.Username
}
