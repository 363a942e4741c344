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

// Objects is an object store for a log and its bundles, such as export/s3. Names have slashes.
type Objects interface {
	// Get opens an object and returns its version; fs.ErrNotExist without one.
	Get(ctx context.Context, name string) (io.ReadCloser, string, error)
	// Put creates or replaces an object atomically.
	Put(ctx context.Context, name string, body io.Reader, size int64) error
	// Swap replaces an object atomically if it has the version, "" for none, and reports whether it did. After a
	// retry it may return false although it replaced the object.
	Swap(ctx context.Context, name string, data []byte, version string) (bool, error)
	// Copy copies an object; fs.ErrNotExist without one.
	Copy(ctx context.Context, from, to string) error
	// Remove removes an object, if it exists.
	Remove(ctx context.Context, name string) error
}

// stored is the log of an object store. The bundle and the index are under staged/ in names that depend on their
// content, until the head names them. The next OpenStored gives them their final names.
type stored struct {
	Objects
	version string // of the head as read, "" without one
}

// parallel is the number of objects that are read at the same time.
const parallel = 8

// OpenStored opens the log of an object store. It takes no lock: of two exports at the same time one fails with
// ErrBusy. It completes an export that crashed between the head and the bundle's name.
func OpenStored(ctx context.Context, objects Objects) (*Log, error) {
	dir, err := os.MkdirTemp("", "shoeproof-export-")
	if err != nil {
		return nil, fmt.Errorf("create a folder for the export: %w", err)
	}
	l := &Log{dir: dir, stored: &stored{Objects: objects}, failpoint: func(string) error { return nil }}
	if err := l.fetch(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("stored log: %w", err), l.Close())
	}
	return l, nil
}

// fetch reads the head, publishes its bundle and reads the index.
func (l *Log) fetch(ctx context.Context) error {
	if err := os.Mkdir(filepath.Join(l.dir, "index"), 0o700); err != nil {
		return fmt.Errorf("create a folder for the export: %w", err)
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
	group.SetLimit(parallel)
	for n := int64(1); n <= l.head.Export; n++ {
		group.Go(func() error { return l.stored.download(ctx, indexName(n), l.indexPath(n)) })
	}
	return group.Wait()
}

// head returns the head with its version, nil without one.
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
		return err //nolint:wrapcheck // names the file and the cause
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err //nolint:wrapcheck // names the file and the cause
	}
	return s.Put(ctx, name, f, info.Size())
}

func indexName(export int64) string { return fmt.Sprintf("index/%06d.ndjson", export) }

// commitStored completes an export in the store: first the bundle and the index, then the head, then the names.
func (l *Log) commitStored(ctx context.Context, next *head) error {
	zipped := next.Partial
	sum := sha256.Sum256([]byte(next.Checkpoint))
	next.Bundle, next.Partial = path.Join("bundles", filepath.Base(next.Bundle)),
		fmt.Sprintf("staged/%06d-%x", next.Export, sum[:8])
	raw, err := encodeIndented(next)
	if err != nil {
		return err
	}
	s := l.stored
	if err := errors.Join(s.upload(ctx, zipped, next.Partial+".zip"),
		s.upload(ctx, l.indexPath(next.Export), next.Partial+".ndjson")); err != nil {
		return err
	}
	if err := l.failpoint("staged"); err != nil {
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
			return errors.Join(fmt.Errorf("the log's head changed during the export: %w", ErrBusy), s.drop(ctx, next))
		}
	}
	l.head = *next
	if err := l.failpoint("headed"); err != nil {
		return err
	}
	return s.publish(ctx, next)
}

// publish gives the bundle and the index of the head their final names, unless they have them.
func (s *stored) publish(ctx context.Context, h *head) error {
	for _, c := range [][2]string{{h.Partial + ".ndjson", indexName(h.Export)}, {h.Partial + ".zip", h.Bundle}} {
		if err := s.Copy(ctx, c[0], c[1]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("rename the bundle: %w", err)
		}
	}
	return s.drop(ctx, h)
}

func (s *stored) drop(ctx context.Context, h *head) error {
	return errors.Join(s.Remove(ctx, h.Partial+".zip"), s.Remove(ctx, h.Partial+".ndjson"))
}
