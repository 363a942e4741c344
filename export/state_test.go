//go:build unix

package export

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that a recipient names by mistake may be a device without an end.
func TestFilesOfAReaderAreBounded(t *testing.T) {
	if data, err := ReadFile("/dev/zero", 1000); err == nil || !strings.Contains(err.Error(), "/dev/zero: more than") {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, err := readState("/dev/zero"); err == nil || !strings.Contains(err.Error(), "/dev/zero: more than") {
		t.Error(err)
	}
}

// A record in the folder of the bundle would be a file more, so that the next verification finds the bundle tampered
// with.
func TestRecordInTheBundle(t *testing.T) {
	c := newCasino(t, "ac-1", 1)
	c.rounds = nil
	path := c.export(t, true)
	link, below := filepath.Join(t.TempDir(), "link"), filepath.Join(t.TempDir(), "below")
	if err := errors.Join(os.Symlink(path, link), os.Symlink(filepath.Join(path, "people"), below)); err != nil {
		t.Fatal(err)
	}
	for _, last := range []string{
		filepath.Join(path, "accepted.json"), filepath.Join(path, "people", "x", "accepted.json"),
		filepath.Join(link, "accepted.json"), filepath.Join(below, "accepted.json"),
	} {
		opt := VerifyOptions{Policy: c.policy, Last: last, Engine: c.day.Engine}
		_, err := Verify(t.Context(), path, opt)
		if err == nil || !strings.Contains(err.Error(), "in the folder of the bundle") {
			t.Errorf("%s: %v", last, err)
		}
	}
	good(t, c, path)
}
