package export

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sync/errgroup"
)

// Objects is an object store that keeps a log and its bundles; export/s3 is one. Names have slashes.
type Objects interface {
	// Get opens an object and gives its version; fs.ErrNotExist if there is none.
	Get(ctx context.Context, name string) (io.ReadCloser, string, error)
	// Put makes or replaces an object, whole or not at all.
	Put(ctx context.Context, name string, body io.Reader, size int64) error
	// Swap replaces an object if it still has that version, "" for one that is not there, in one step, and
	// says whether it did. It may say no after it did.
	Swap(ctx context.Context, name string, data []byte, version string) (bool, error)
	// Copy gives an object's content another name also; fs.ErrNotExist if it is not there.
	Copy(ctx context.Context, from, to string) error
	// Remove takes an object away, if it is there.
	Remove(ctx context.Context, name string) error
}

// stored is the log of an object store. The bundle and the index lie under staged, in names that no other
// content has, until the head names them: whoever opens the log next gives them their own.
type stored struct {
	Objects
	version string // of the head as it was read, "" if there was none
}

// fetched is how many objects are read at the same time.
const fetched = 8

// OpenStored takes the log that an object store keeps. Nobody holds it: of two exports at the same time
// one has ErrBusy. What a crash left between the head and the bundle is put right first.
func OpenStored(ctx context.Context, objects Objects) (*Log, error) {
	dir, err := os.MkdirTemp("", "shoeproof-export-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the export: %w", err)
	}
	l := &Log{dir: dir, stored: &stored{Objects: objects}, seam: func(string) error { return nil }}
	if err := l.fetch(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("the stored log: %w", err), l.Close())
	}
	return l, nil
}

// fetch reads the head, publishes what it names, and reads the index.
func (l *Log) fetch(ctx context.Context) error {
	if err := os.Mkdir(filepath.Join(l.dir, "index"), 0o700); err != nil {
		return fmt.Errorf("make a folder for the export: %w", err)
	}
	raw, version, err := l.stored.head(ctx)
	if err != nil || raw == nil {
		return err
	}
	l.stored.version = version
	if err := decode(raw, &l.head, encodeIndented); err != nil {
		return fmt.Errorf("%s %w", headName, err)
	}
	if err := l.stored.publish(ctx, &l.head); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fetched)
	for n := int64(1); n <= l.head.Export; n++ {
		group.Go(func() error { return l.stored.download(ctx, indexName(n), l.indexPath(n)) })
	}
	return group.Wait()
}

// head is nil if there is none.
func (s *stored) head(ctx context.Context) ([]byte, string, error) {
	body, version, err := s.Get(ctx, headName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", nil
	case err != nil:
		return nil, "", err
	}
	raw, err := io.ReadAll(io.LimitReader(body, maxHead+1))
	if err = errors.Join(err, body.Close()); err != nil {
		return nil, "", fmt.Errorf("read the log's head: %w", err)
	}
	if len(raw) > maxHead {
		return nil, "", fmt.Errorf("the log's head has more than %d bytes", maxHead)
	}
	return raw, version, nil
}

func (s *stored) download(ctx context.Context, name, to string) error {
	body, _, err := s.Get(ctx, name)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return errors.Join(err, body.Close())
	}
	_, err = io.Copy(f, body)
	if err = errors.Join(err, f.Close(), body.Close()); err != nil {
		return fmt.Errorf("fetch %s: %w", name, err)
	}
	return nil
}

func (s *stored) upload(ctx context.Context, from, name string) error {
	f, err := os.Open(from)
	if err != nil {
		return err //nolint:wrapcheck // names the file and what was wrong
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err //nolint:wrapcheck // names the file and what was wrong
	}
	return s.Put(ctx, name, f, info.Size())
}

func indexName(export int64) string { return fmt.Sprintf("index/%06d.ndjson", export) }

// commitStored puts the store's head behind an export that is made: the bundle and the index first.
func (l *Log) commitStored(ctx context.Context, next *head) error {
	zipped := next.Partial
	sum := sha256.Sum256([]byte(next.Checkpoint))
	next.Bundle, next.Partial = path.Join("bundles", filepath.Base(next.Bundle)), fmt.Sprintf("staged/%06d-%x", next.Export, sum[:8])
	raw, err := encodeIndented(next)
	if err != nil {
		return err
	}
	s := l.stored
	if err := errors.Join(s.upload(ctx, zipped, next.Partial+".zip"), s.upload(ctx, l.indexPath(next.Export), next.Partial+".ndjson")); err != nil {
		return err
	}
	if err := l.seam("staged"); err != nil {
		return err
	}
	swapped, err := s.Swap(ctx, headName, raw, s.version)
	if err != nil {
		return fmt.Errorf("write the log's head: %w", err)
	}
	if !swapped {
		now, _, err := s.head(ctx)
		switch {
		case err != nil:
			return err
		case !bytes.Equal(now, raw):
			return errors.Join(fmt.Errorf("the log's head moved while this export was made: %w", ErrBusy), s.drop(ctx, next))
		}
	}
	l.head = *next
	if err := l.seam("headed"); err != nil {
		return err
	}
	return s.publish(ctx, next)
}

// publish gives what the head names its own names, unless it has them.
func (s *stored) publish(ctx context.Context, h *head) error {
	for _, c := range [][2]string{{h.Partial + ".ndjson", indexName(h.Export)}, {h.Partial + ".zip", h.Bundle}} {
		if err := s.Copy(ctx, c[0], c[1]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("give the bundle its name: %w", err)
		}
	}
	return s.drop(ctx, h)
}

func (s *stored) drop(ctx context.Context, h *head) error {
	return errors.Join(s.Remove(ctx, h.Partial+".zip"), s.Remove(ctx, h.Partial+".ndjson"))
}
