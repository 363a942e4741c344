//go:build linux

package export_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/shoeproof/shoeproof/export"
)

// A full disk takes no key, and no part of one stays there.
func TestKeyOnFullDisk(t *testing.T) {
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=4k"); err != nil {
		t.Skipf("NOT RUN: no right to mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(folder, "other"), make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(folder, "log.key")
	if _, err := export.NewKey("audit.example/ac-1/findings", key); !errors.Is(err, export.ErrNotWritten) {
		t.Errorf("%v, want %v", err, export.ErrNotWritten)
	}
	if _, err := os.Stat(key); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("part of a key: %v, want none", err)
	}
}
