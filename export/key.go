package export

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// ErrNotWritten reports that the disk did not take a key.
var ErrNotWritten = errors.New("write the key")

// NewKey makes a signing key for the log of an origin and writes it to a new file that only its owner can read. It
// returns the public key in the form of a policy.
func NewKey(origin, path string) (vkey string, err error) {
	if _, _, err := parseCheckpoint([]byte((&Checkpoint{Origin: origin, Size: 1}).text() +
		"\n— x AAAAAAA=\n")); err != nil {
		return "", fmt.Errorf("name of the log: %w", err)
	}
	skey, vkey, err := note.GenerateKey(rand.Reader, origin)
	if err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	switch {
	case errors.Is(err, fs.ErrExist):
		return "", fmt.Errorf("%s exists; a key is never overwritten", path)
	case err != nil:
		return "", fmt.Errorf("make the key's file: %w", err)
	}
	_, err = f.WriteString(skey + "\n")
	if err := finish(f, err); err != nil {
		return "", errors.Join(fmt.Errorf("%w: %w", ErrNotWritten, err), os.Remove(path))
	}
	return vkey, nil
}

// ParseKey reads a signing key. Errors never contain it.
func ParseKey(skey string) (note.Signer, error) {
	signer, err := note.NewSigner(strings.TrimSuffix(skey, "\n"))
	if err != nil {
		return nil, errors.New("want a key of audit keygen")
	}
	return signer, nil
}
