//go:build unix

package export

import (
	"strings"
	"testing"
)

// A file that a recipient names by mistake may be a device without an end.
func TestFilesOfAReaderAreBounded(t *testing.T) {
	if data, err := ReadFile("/dev/zero", 1000); err == nil || !strings.Contains(err.Error(), "/dev/zero has more than") {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, err := readState("/dev/zero"); err == nil || !strings.Contains(err.Error(), "/dev/zero has more than") {
		t.Error(err)
	}
}
