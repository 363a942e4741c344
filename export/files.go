package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

func zipFolder(dir, name string) error {
	b, err := openFolder(dir)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("make the zip: %w", err)
	}
	if err := finish(f, writeZip(f, b)); err != nil {
		return fmt.Errorf("write the zip: %w", err)
	}
	return nil
}

// finish closes a file, durably if it was written without an error.
func finish(f *os.File, err error) error {
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// replaceFile replaces a file atomically.
func replaceFile(name string, data []byte, mode fs.FileMode) error {
	return replaceWith(name, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// replaceWith is replaceFile with a function that writes the content.
func replaceWith(name string, mode fs.FileMode, write func(io.Writer) error) error {
	f, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err //nolint:wrapcheck // names the file and the cause
	}
	w := bufio.NewWriter(f)
	if err := finish(f, errors.Join(write(w), w.Flush())); err != nil {
		return err
	}
	if err := os.Rename(name+".new", name); err != nil {
		return err //nolint:wrapcheck // names the file and the cause
	}
	return syncDir(filepath.Dir(name))
}

func syncFolders(dir string) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return syncDir(name)
	})
}
