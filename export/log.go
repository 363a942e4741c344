package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// ErrBusy says that another export of the same log is under way.
var ErrBusy = errors.New("another export of this log is under way")

// Log is the casino's side of a log: a folder with its head and what it says of each finding. One process
// at a time holds it. The head is replaced in one step, and only if nobody else did: two exports never
// follow the same one.
type Log struct {
	dir    string
	lock   *os.File // nil if an object store keeps the log
	stored *stored  // nil if the folder does; else the folder is thrown away
	head   head
	raw    []byte // the folder's head as it was read
	// Seam, if not nil, is told each step that a crash may come after; an error ends the export there.
	seam func(step string) error
}

// head is where the log ends.
type head struct {
	Origin     string   `json:"origin"`
	Export     int64    `json:"export"`
	Exceptions int64    `json:"exceptions"`
	Checkpoint string   `json:"checkpoint"`
	Frontier   []string `json:"frontier"`
	// Bundle is the last bundle. It lies beside Partial until it was renamed.
	Bundle  string `json:"bundle"`
	Partial string `json:"partial"`
	// Receipt is of the last export; heads of the first releases have none.
	Receipt *Receipt `json:"receipt,omitempty"`
}

// Receipt is what is kept of a bundle beside it.
type Receipt struct {
	Origin     string `json:"origin"`
	Export     int64  `json:"export"`
	Property   string `json:"property"`
	GamingDay  string `json:"gaming_day"`
	Name       string `json:"name"` // of the folder or the zip
	Files      int    `json:"files"`
	Bytes      int64  `json:"bytes"` // of the files
	Manifest   string `json:"manifest_sha256"`
	Findings   int64  `json:"findings"`
	Amendments int64  `json:"amendments"`
	Size       int64  `json:"log_size"`
	Root       string `json:"log_root"`
	Engine     string `json:"engine"`
}

// Last is the receipt of the last export; nil if there is none.
func (l *Log) Last() *Receipt { return l.head.Receipt }

const (
	maxHead  = 1 << 20
	headName = "head.json"
)

func (h *head) tree() (tree, error) {
	if h.Export == 0 {
		return tree{}, nil
	}
	c, _, err := parseCheckpoint([]byte(h.Checkpoint))
	if err != nil {
		return tree{}, fmt.Errorf("the checkpoint of the log's head: %w", err)
	}
	hashes := make([]tlog.Hash, len(h.Frontier))
	for i, line := range h.Frontier {
		if hashes[i], err = parseHash(line); err != nil {
			return tree{}, fmt.Errorf("the frontier of the log's head: %w", err)
		}
	}
	t, err := newTree(c.Size, hashes)
	if err == nil && t.root() != c.Root {
		err = errors.New("the frontier of the log's head does not lead to its checkpoint")
	}
	return t, err
}

// OpenLog takes the log of a folder, making it if need be; ErrBusy if another process holds it. What a
// crash left between the head and the bundle is put right first.
func OpenLog(dir string) (*Log, error) {
	if err := os.MkdirAll(filepath.Join(dir, "index"), 0o700); err != nil {
		return nil, fmt.Errorf("make the log's folder: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log's lock: %w", err)
	}
	l := &Log{dir: dir, lock: f, seam: func(string) error { return nil }}
	if err := lock(f); err != nil {
		return nil, errors.Join(fmt.Errorf("log %s: %w", dir, err), f.Close())
	}
	if err := l.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("log %s: %w", dir, err), f.Close())
	}
	return l, nil
}

// Close gives the log back.
func (l *Log) Close() error {
	if l.stored != nil {
		return os.RemoveAll(l.dir) //nolint:wrapcheck // names the file and what was wrong
	}
	return l.lock.Close()
}

func (l *Log) load() error {
	raw, err := readHead(l.dir)
	if err != nil || raw == nil {
		return err
	}
	l.raw = raw
	if err := decode(raw, &l.head, encodeIndented); err != nil {
		return fmt.Errorf("%s %w", headName, err)
	}
	return l.publish()
}

func readHead(dir string) ([]byte, error) {
	raw, err := os.ReadFile(filepath.Join(dir, headName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the log's head: %w", err)
	case len(raw) > maxHead:
		return nil, fmt.Errorf("the log's head has %d bytes, want %d at most", len(raw), maxHead)
	}
	return raw, nil
}

// publish gives the last bundle its name, unless it has it. A bundle that was moved away since is
// nobody's concern here.
func (l *Log) publish() error {
	switch _, err := os.Lstat(l.head.Partial); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look for the last bundle: %w", err)
	}
	if err := os.Rename(l.head.Partial, l.head.Bundle); err != nil {
		return fmt.Errorf("give the bundle its name: %w", err)
	}
	return syncDir(filepath.Dir(l.head.Bundle))
}

// Target says where a bundle goes and in which form; of a stored log it is always a zip, in the store.
type Target struct {
	Dir    string
	Folder bool // a folder instead of a zip
}

// Done is an export that was made.
type Done struct {
	Path       string
	Manifest   Manifest
	Checkpoint string
}

// Export makes the export of a day: the bundle under its final name, and the log's head behind it.
func (l *Log) Export(ctx context.Context, day *Day, signer note.Signer, target Target) (*Done, error) {
	if l.head.Export > 0 && l.head.Origin != signer.Name() {
		return nil, fmt.Errorf("the log is %s, the key is of %s", l.head.Origin, signer.Name())
	}
	x, err := l.index()
	if err != nil {
		return nil, err
	}
	if l.stored != nil {
		target = Target{Dir: filepath.Join(l.dir, "out")}
	}
	dir, err := filepath.Abs(target.Dir)
	if err != nil {
		return nil, fmt.Errorf("find the bundle's folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the bundle's folder: %w", err)
	}
	// A name for each export, so that what a crash left is found and dropped.
	work := filepath.Join(dir, fmt.Sprintf(".%s_%06d.partial", safeName(signer.Name()), l.head.Export+1))
	zipped := work + ".zip"
	if err := errors.Join(os.RemoveAll(work), os.RemoveAll(zipped)); err != nil {
		return nil, fmt.Errorf("drop what an export before left: %w", err)
	}
	done := false
	defer func() {
		if !done || !target.Folder {
			_ = os.RemoveAll(work)
		}
		if !done {
			_ = os.RemoveAll(zipped)
		}
	}()
	if err := os.Mkdir(work, 0o755); err != nil {
		return nil, fmt.Errorf("make the bundle's folder: %w", err)
	}
	b, err := build(ctx, work, day, &l.head, x, signer)
	if err != nil {
		return nil, err
	}
	next := head{
		Origin: b.manifest.Origin, Export: b.manifest.Export, Exceptions: l.head.Exceptions + b.manifest.Findings + b.manifest.Amendments,
		Checkpoint: b.checkpoint, Frontier: []string{}, Bundle: filepath.Join(dir, b.manifest.Name()), Partial: work,
	}
	for _, h := range b.log.frontier {
		next.Frontier = append(next.Frontier, formatHash(h))
	}
	if target.Folder {
		err = syncFolders(work)
	} else {
		next.Bundle, next.Partial = next.Bundle+".zip", zipped
		err = zipFolder(work, zipped)
	}
	if err != nil {
		return nil, err
	}
	b.receipt.Name = filepath.Base(next.Bundle)
	next.Receipt = &b.receipt
	switch _, err := os.Lstat(next.Bundle); {
	case err == nil:
		return nil, fmt.Errorf("%s is there already", next.Bundle)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("look where the bundle goes: %w", err)
	}
	if err := l.commit(ctx, &next, b, &done); err != nil {
		return nil, err
	}
	return &Done{next.Bundle, b.manifest, b.checkpoint}, nil
}

// commit puts the head behind an export: first the index, then the head, then the bundle's name. From the
// head on the export is made, and OpenLog ends what is left to do.
func (l *Log) commit(ctx context.Context, next *head, b *built, done *bool) error {
	if err := l.seam("built"); err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(next.Bundle)); err != nil {
		return err
	}
	if err := l.writeIndex(next.Export, b); err != nil {
		return err
	}
	if err := l.seam("indexed"); err != nil {
		return err
	}
	if l.stored != nil {
		return l.commitStored(ctx, next)
	}
	raw, err := encodeIndented(next)
	if err != nil {
		return err
	}
	// The lock keeps others out; where it does not reach, this still sees them.
	now, err := readHead(l.dir)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(now, l.raw):
		return fmt.Errorf("the log's head moved while this export was made: %w", ErrBusy)
	}
	if err := replaceFile(filepath.Join(l.dir, headName), raw, 0o600); err != nil {
		return fmt.Errorf("write the log's head: %w", err)
	}
	*done = true
	l.head, l.raw = *next, raw
	if err := l.seam("headed"); err != nil {
		return err
	}
	return l.publish()
}

func (l *Log) indexPath(export int64) string {
	return filepath.Join(l.dir, filepath.FromSlash(indexName(export)))
}

func (l *Log) writeIndex(export int64, b *built) error {
	err := replaceWith(l.indexPath(export), 0o600, func(w io.Writer) error {
		put := func(v any) error {
			line, err := encode(v)
			if err == nil {
				_, err = w.Write(append(line, '\n'))
			}
			return err
		}
		if err := put(exportedLine{export, b.manifest.GamingDay, int64(len(b.said))}); err != nil {
			return err
		}
		for i := range b.said {
			s := &b.said[i]
			line := saidLine{ID: s.id, Day: s.day, Leaf: s.leaf, Line: hex.EncodeToString(s.line[:]), Gone: s.gone}
			if !s.gone {
				line.Same = hex.EncodeToString(s.same[:])
			}
			if err := put(line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write the log's index: %w", err)
	}
	return nil
}

// index reads what the log says, export by export.
func (l *Log) index() (*index, error) {
	x := newIndex()
	for n := int64(1); n <= l.head.Export; n++ {
		f, err := os.Open(l.indexPath(n))
		if err != nil {
			return nil, fmt.Errorf("the log's index of export %d: %w", n, err)
		}
		err = x.read(f, n)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("the log's index of export %d: %w", n, err)
		}
	}
	return x, nil
}

func (x *index) read(in io.Reader, export int64) error {
	var first exportedLine
	leaves := int64(0)
	err := eachLine(in, func(n int64, line []byte) error {
		if n == 1 {
			err := decode(line, &first, encode)
			x.days[first.GamingDay] = true
			return err
		}
		leaves++
		var s saidLine
		if err := decode(line, &s, encode); err != nil {
			return err
		}
		now := &said{day: s.Day, leaf: s.Leaf, gone: s.Gone}
		for _, h := range []struct {
			to   []byte
			from string
		}{{now.line[:], s.Line}, {now.same[:], s.Same}} {
			if n, err := hex.Decode(h.to, []byte(h.from)); err != nil || n != len(h.to) && (n != 0 || !s.Gone) {
				return fmt.Errorf("%q: want 64 hex digits", h.from)
			}
		}
		x.findings[s.ID] = now
		return nil
	})
	if err == nil && (first.Export != export || first.Leaves != leaves) {
		err = fmt.Errorf("it is of export %d and has %d lines, want export %d and %d", first.Export, leaves, export, first.Leaves)
	}
	return err
}

func zipFolder(dir, name string) error {
	b, err := openFolder(dir)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("make the zip: %w", err)
	}
	err = writeZip(f, b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the zip: %w", err)
	}
	return nil
}

// replaceFile gives a file new content in one step: a reader sees all of it or what was there before.
func replaceFile(name string, data []byte, mode fs.FileMode) error {
	return replaceWith(name, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// replaceWith is replaceFile for content that is being made.
func replaceWith(name string, mode fs.FileMode, write func(io.Writer) error) error {
	f, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err //nolint:wrapcheck // names the file and what was wrong
	}
	w := bufio.NewWriter(f)
	err = errors.Join(write(w), w.Flush())
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(name+".new", name); err != nil {
		return err //nolint:wrapcheck // names the file and what was wrong
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

// syncDir makes the names in a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	return nil
}
