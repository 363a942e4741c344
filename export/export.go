package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/note"
)

// Target is the folder and the form of a bundle. The bundle of a stored log is always a zip in the store.
type Target struct {
	Dir    string
	Folder bool // a folder instead of a zip
}

// Done is a completed export.
type Done struct {
	Path       string
	Manifest   Manifest
	Checkpoint string
}

// Export exports a day: it writes the bundle under its final name and moves the log's head to its end.
func (l *Log) Export(ctx context.Context, day *Day, signer note.Signer, target Target) (*Done, error) {
	if l.head.Export > 0 && l.head.Origin != signer.Name() {
		return nil, fmt.Errorf("the log is %s, the key belongs to %s", l.head.Origin, signer.Name())
	}
	x, err := l.index()
	if err != nil {
		return nil, err
	}
	if l.stored != nil {
		target = Target{Dir: filepath.Join(l.dir, "out")}
	}
	dir, work, err := l.workFolder(target.Dir, signer.Name())
	if err != nil {
		return nil, err
	}
	zipped := work + ".zip"
	done := false
	defer func() {
		if !done || !target.Folder {
			_ = os.RemoveAll(work)
		}
		if !done {
			_ = os.RemoveAll(zipped)
		}
	}()
	b, err := build(ctx, work, day, position{&l.head, x}, signer)
	if err != nil {
		return nil, err
	}
	next := l.next(b)
	next.Bundle, next.Partial = filepath.Join(dir, b.manifest.Name()), work
	if target.Folder {
		err = syncFolders(work)
	} else {
		next.Bundle, next.Partial = next.Bundle+".zip", zipped
		err = zipFolder(work, zipped)
		if info, statErr := os.Stat(zipped); statErr == nil {
			b.receipt.Bytes = info.Size()
		}
	}
	if err != nil {
		return nil, err
	}
	b.receipt.Name = filepath.Base(next.Bundle)
	switch _, err := os.Lstat(next.Bundle); {
	case err == nil:
		return nil, fmt.Errorf("%s exists", next.Bundle)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("check the bundle's name: %w", err)
	}
	if err := l.commit(ctx, next, b, &done); err != nil {
		return nil, err
	}
	return &Done{next.Bundle, b.manifest, b.checkpoint}, nil
}

// workFolder returns the bundle's folder and creates an empty folder in it. The name follows from the export, so that
// the next attempt removes what a crash left.
func (l *Log) workFolder(target, origin string) (dir, work string, err error) {
	if dir, err = filepath.Abs(target); err != nil {
		return "", "", fmt.Errorf("resolve the bundle's folder: %w", err)
	}
	work = filepath.Join(dir, fmt.Sprintf(".%s_%06d.partial", safeName(origin), l.head.Export+1))
	if err := errors.Join(os.RemoveAll(work), os.RemoveAll(work+".zip")); err != nil {
		return "", "", fmt.Errorf("remove the remains of an export: %w", err)
	}
	if err := os.MkdirAll(work, 0o755); err != nil {
		return "", "", fmt.Errorf("create the bundle's folder: %w", err)
	}
	return dir, work, nil
}

// next is the head after a bundle.
func (l *Log) next(b *built) *head {
	m := &b.manifest
	next := &head{
		Origin: m.Origin, Export: m.Export, Exceptions: l.head.Exceptions + m.Findings + m.Amendments,
		Checkpoint: b.checkpoint, Frontier: []string{}, Receipt: &b.receipt,
	}
	if m.Heads != nil {
		next.Chains = m.Heads.Chains
	}
	for _, h := range b.log.frontier {
		next.Frontier = append(next.Frontier, formatHash(h))
	}
	return next
}

// commit completes an export: first the index, then the head, then the bundle's name. The export is made with the
// head; OpenLog completes the rest after a crash.
func (l *Log) commit(ctx context.Context, next *head, b *built, done *bool) error {
	if err := l.failpoint("built"); err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(next.Bundle)); err != nil {
		return err
	}
	if err := l.writeIndex(next.Export, b); err != nil {
		return err
	}
	if err := l.failpoint("indexed"); err != nil {
		return err
	}
	if l.stored != nil {
		return l.commitStored(ctx, next)
	}
	raw, err := encodeIndented(next)
	if err != nil {
		return err
	}
	// On file systems without locks this detects another export.
	now, err := readHead(l.dir)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(now, l.raw):
		return fmt.Errorf("the log's head changed during the export: %w", ErrBusy)
	}
	if err := replaceFile(filepath.Join(l.dir, headName), raw, 0o600); err != nil {
		return fmt.Errorf("write the log's head: %w", err)
	}
	*done = true
	l.head, l.raw = *next, raw
	if err := l.failpoint("headed"); err != nil {
		return err
	}
	return l.publish()
}
