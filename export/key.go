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

// NewKey makes a signing key for the log of an origin and writes it into a new file that its owner alone
// may read. It returns the public key, as policies have it.
func NewKey(origin, path string) (vkey string, err error) {
	if _, _, err := parseCheckpoint([]byte((&Checkpoint{Origin: origin, Size: 1}).text() + "\n— x AAAAAAA=\n")); err != nil {
		return "", fmt.Errorf("the name of a log: %w", err)
	}
	skey, vkey, err := note.GenerateKey(rand.Reader, origin)
	if err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	switch {
	case errors.Is(err, fs.ErrExist):
		return "", fmt.Errorf("%s is there already, and a key is never overwritten", path)
	case err != nil:
		return "", fmt.Errorf("make the key's file: %w", err)
	}
	_, err = f.WriteString(skey + "\n")
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("write the key: %w", err), os.Remove(path))
	}
	return vkey, nil
}

// OpenKey reads a signing key. A file that others may read is refused.
func OpenKey(path string) (note.Signer, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the signing key: %w", err)
	case !info.Mode().IsRegular() || info.Size() > 4096:
		return nil, fmt.Errorf("the signing key %s: want a file that audit keygen made", path)
	case info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("the signing key %s has mode %04o: others may read it, want 0400", path, info.Mode().Perm())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the signing key: %w", err)
	}
	signer, err := note.NewSigner(strings.TrimSuffix(string(data), "\n"))
	if err != nil {
		return nil, fmt.Errorf("the signing key %s: want a file that audit keygen made", path) // the cause may quote it
	}
	return signer, nil
}
