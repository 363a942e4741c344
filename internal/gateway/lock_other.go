//go:build !unix

package gateway

import (
	"errors"
	"os"
)

func lockFolder(string) (*os.File, error) { return nil, errors.New("the gateway needs Unix") }

func isFull(error) bool { return false }
